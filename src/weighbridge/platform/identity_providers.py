"""Identity providers: where people of the account sign in, and which roles their groups have.

In: an issuer, the client id and secret that it gave, domains of e-mail addresses, roles of groups. People are
sent there, come back and are looked at again by `sign_on`. Permission: administration.

Invariants: the secret is stored encrypted in its own table, and no answer and no audit row has it; it is sent
only to the issuer with which it was stated; nobody gives by a group what they may not do themselves; an
administrator who signs in without a provider is always left.
"""

from typing import Any, Final

from msgspec import Struct, structs
from psycopg.sql import SQL, Composable

from weighbridge.core.identity import problem_of_name, problem_of_unseen
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import PROJECT_PERMISSIONS, Actor, find_role
from weighbridge.core.platform.sign_on import find_permissions
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, read_page
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.http.outgoing import is_private, problem_of_address
from weighbridge.platform import changes
from weighbridge.platform.authentication import (
    SIGNS_IN_BY_PASSWORD,
    hold_administrators,
    need_own_administrator,
    refuse_beyond,
)
from weighbridge.platform.kept_secrets import IDENTITY_PROVIDER_SECRETS, encrypt_secret
from weighbridge.platform.provider_people import (
    IDENTITY_PROVIDER,
    SOURCE,
    govern_person,
    list_given,
    list_linked,
    read_roles,
    unlink,
    with_address,
)
from weighbridge.platform.provider_records import (
    DOMAIN_LENGTH_MAX,
    DOMAINS_MAX,
    GROUP_ROLES_MAX,
    IDENTITY_PROVIDER_BODIES,
    IdentityProvider,
)
from weighbridge.platform.tenancy import find, find_missing_projects, number_named, of_account

SECRET_MAX: Final = 1_000
"""Characters of a client secret."""

PROVIDERS_MAX: Final = 20
"""Identity providers of one account."""

IDENTITY_PROVIDERS: Final = Listing(
    sorts={"id": "p.id", "name": "p.name", "created_at": "p.created_at", "updated_at": "p.updated_at"},
    default_sort="id",
    key=("p.id",),
    filters={"name": Filter("p.name", str, "a name")},
)

_GIVES: Final = "Nobody gives by a group what they may not do themselves"


async def read_identity_provider(tx: Read, actor: Actor, text: str, address: str) -> IdentityProvider:
    """One identity provider of the actor's account, by its number; NotFound for any other text."""
    numbered = SQL("{} AND p.id = %s").format(_limit_to_account(actor))
    found = await find(tx, IDENTITY_PROVIDER, SOURCE, numbered, (number_named("identity_provider", text),))
    return with_address(found, address)


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "p.account_id")


# What is wrong with a provider.


def _problems_of(wanted: IdentityProvider, secret: str | None) -> list[Problem]:
    field = "identity_provider"
    problems = [
        problem_of_name(wanted.name, "An identity provider", f"{field}.name"),
        problem_of_name(wanted.client_id, "A client id", f"{field}.client_id"),
        problem_of_name(wanted.groups_claim, "A claim", f"{field}.groups_claim"),
        _problem_of_issuer(wanted.issuer),
    ]
    if secret is not None and not (
        0 < len(secret) <= SECRET_MAX and secret.isascii() and secret.isprintable()
    ):
        message = f"client_secret says 1 to {SECRET_MAX:,} characters of ASCII, without line breaks."
        problems.append(Problem(message, f"{field}.client_secret", "invalid"))
    problems += _problems_of_domains(wanted.domains)
    if len(wanted.roles) > GROUP_ROLES_MAX:
        message = f"roles names {len(wanted.roles):,} groups; it takes at most {GROUP_ROLES_MAX:,}."
        problems.append(Problem(message, f"{field}.roles", "invalid"))
    for place, one in enumerate(wanted.roles):
        named = f"{field}.roles[{place}]"
        problems.append(problem_of_name(one.group, "A group", f"{named}.group"))
        role = find_role(one.role)
        if role is None:
            message = f"role is {shorten(one.role)!r}, which is the name of no role."
            problems.append(Problem(message, f"{named}.role", "invalid"))
        elif one.project_id is not None and not {*role.permissions} <= {*PROJECT_PERMISSIONS}:
            message = f"role is {one.role!r}, which is a role of the account, so project_id must be null."
            problems.append(Problem(message, f"{named}.project_id", "invalid"))
    return [problem for problem in problems if problem]


def _problem_of_issuer(issuer: str) -> Problem | None:
    field = "identity_provider.issuer"
    if wrong := problem_of_address(issuer, field):
        return wrong
    if "?" in issuer or not is_private(issuer):
        message = (
            f"issuer is {shorten(issuer)!r}; it is an address of https without a query, "
            "or one of http on the machine of the service itself."
        )
        return Problem(message, field, "invalid")
    return None


def _problems_of_domains(domains: list[str]) -> list[Problem]:
    field = "identity_provider.domains"
    if not 0 < len(domains) <= DOMAINS_MAX:
        message = f"domains names {len(domains):,} domains; it takes 1 to {DOMAINS_MAX:,}."
        return [Problem(message, field, "invalid")]
    problems = []
    for place, domain in enumerate(domains):
        parts = domain.split(".")
        is_domain = len(domain) <= DOMAIN_LENGTH_MAX and all(parts) and len(parts) > 1 and "@" not in domain
        if not is_domain or any(one.isspace() or one == "*" for one in domain):
            message = f"domains names {shorten(domain)!r}; it takes domains such as plant.example."
            problems.append(Problem(message, f"{field}[{place}]", "invalid"))
        elif unseen := problem_of_unseen(domain, f"{field}[{place}]"):
            problems.append(unseen)
    return problems


async def _problems_in_account(
    tx: Read, actor: Actor, wanted: IdentityProvider, number: int | None
) -> list[Problem]:
    rows = await tx.tuples(
        "SELECT id, name FROM identity_providers WHERE account_id = %s", (actor.account_id,)
    )
    problems = []
    if any(name == wanted.name and other != number for other, name in rows):
        message = f"The account has an identity provider {shorten(wanted.name)!r} already."
        problems.append(Problem(message, "identity_provider.name", "taken"))
    if number is None and len(rows) >= PROVIDERS_MAX:
        message = f"The account has {len(rows)} identity providers, and takes {PROVIDERS_MAX}."
        problems.append(Problem(message, "identity_provider", "too_many"))
    named = {one.project_id: place for place, one in enumerate(wanted.roles) if one.project_id is not None}
    for text in await find_missing_projects(tx, actor, [*named]):
        message = f"project_id is {shorten(text)!r}, which is no project of the account."
        field = f"identity_provider.roles[{named[text]}].project_id"
        problems.append(Problem(message, field, "unknown"))
    return problems


# What a write does besides storing the record.


def _in_lower_case(provider: IdentityProvider) -> IdentityProvider:
    domains = [*dict.fromkeys(domain.strip().lower() for domain in provider.domains)]
    return structs.replace(provider, domains=domains)


async def _store_secret(tx: Write, actor: Actor, provider: int, secret: str) -> None:
    place = IDENTITY_PROVIDER_SECRETS.place(actor.account_id, str(provider))
    envelope = await encrypt_secret(tx, secret.encode(), place)
    await tx.execute(
        """
        INSERT INTO identity_provider_secrets (account_id, provider_id, encrypted) VALUES (%s, %s, %s)
        ON CONFLICT (account_id, provider_id) DO UPDATE SET encrypted = excluded.encrypted
        """,
        (actor.account_id, provider, envelope),
    )


async def _end_sessions_by_password(tx: Write, actor: Actor) -> None:
    """End the sessions of people who sign in with a password no longer."""
    await tx.execute(
        f"""
        DELETE FROM sessions WHERE account_id = %(account)s AND provider_id IS NULL AND user_id IN (
            SELECT u.id FROM users u WHERE u.account_id = %(account)s AND NOT ({SIGNS_IN_BY_PASSWORD}))
        """,
        {"account": actor.account_id},
    )


async def _govern_all(tx: Write, actor: Actor, provider: IdentityProvider) -> None:
    """Have everybody who is linked do what the groups give that the provider last said."""
    for user, groups in await list_linked(tx, actor.account_id, provider.id):
        await govern_person(tx, actor, user, find_permissions(groups, read_roles(provider.roles)), groups)


def _columns_of(wanted: IdentityProvider) -> dict[str, Any]:
    return {
        "name": wanted.name,
        "issuer": wanted.issuer,
        "client_id": wanted.client_id,
        "domains": wanted.domains,
        "groups_claim": wanted.groups_claim,
        "roles": jsonb([structs.asdict(one) for one in wanted.roles]),
        "is_required": wanted.is_required,
    }


# Operations.


_ONE = "/identity_providers/{identity_provider_id}"


@get(
    "/identity_providers",
    permission="administration:read",
    returns=Page[IdentityProvider],
    listing=IDENTITY_PROVIDERS,
)
async def list_identity_providers(call: ReadCall) -> Page[IdentityProvider]:
    """List the identity providers by which people of the account sign in."""
    request = list_request(call.query, IDENTITY_PROVIDERS)
    owned = [_limit_to_account(call.actor)]
    page = await read_page(
        call.tx, IDENTITY_PROVIDER, IDENTITY_PROVIDERS, request, source=SOURCE, where=owned
    )
    return structs.replace(page, data=[with_address(one, call.settings.address) for one in page.data])


@get(_ONE, permission="administration:read", returns=IdentityProvider)
async def get_identity_provider(call: ReadCall) -> IdentityProvider:
    """Read one identity provider, without its secret."""
    text = call.path["identity_provider_id"]
    return await read_identity_provider(call.tx, call.actor, text, call.settings.address)


@post(
    "/identity_providers",
    permission="administration:write",
    body=IDENTITY_PROVIDER_BODIES.new_body,
    returns=IdentityProvider,
    example={
        "identity_provider": {
            "name": "Plant directory",
            "issuer": "https://id.plant.example",
            "client_id": "weighbridge",
            "client_secret": "word-of-the-provider",
            "domains": ["plant.example"],
            "roles": [{"group": "operators", "role": "collector"}],
        }
    },
)
async def create_identity_provider(call: WriteCall, body: Struct) -> IdentityProvider:
    """Create an identity provider: people of its domains sign in there, with the roles of their groups."""
    tx, actor = call.tx, call.actor
    wanted = _in_lower_case(IDENTITY_PROVIDER_BODIES.created(body))
    secret: str = IDENTITY_PROVIDER_BODIES.sent(body)["client_secret"]
    await hold_administrators(tx, actor.account_id)
    problems = _problems_of(wanted, secret)
    if problems := [*problems, *await _problems_in_account(tx, actor, wanted, None)]:
        raise Invalid(problems)
    refuse_beyond(actor, list_given(wanted), _GIVES)
    number: int = await tx.value(
        """
        INSERT INTO identity_providers
               (account_id, name, issuer, client_id, domains, groups_claim, roles, is_required)
        VALUES (%(account)s, %(name)s, %(issuer)s, %(client_id)s, %(domains)s, %(groups_claim)s, %(roles)s,
                %(is_required)s) RETURNING id
        """,
        {"account": actor.account_id, **_columns_of(wanted)},
    )
    await _store_secret(tx, actor, number, secret)
    if wanted.is_required:
        await need_own_administrator(tx, actor.account_id)
        await _end_sessions_by_password(tx, actor)
    made = await read_identity_provider(tx, actor, str(number), call.settings.address)
    changes.record(tx, actor, action="identity_provider.create", target=str(number), after=made)
    return made


@patch(
    _ONE,
    permission="administration:write",
    body=IDENTITY_PROVIDER_BODIES.change_body,
    returns=IdentityProvider,
    example={"identity_provider": {"domains": ["plant.example", "lab.plant.example"]}},
)
async def update_identity_provider(call: WriteCall, body: Struct) -> IdentityProvider:
    """Change an identity provider; people who are linked have the roles of their groups at once.

    Another `issuer` takes a `client_secret` as well, and releases everybody who is linked, because it may
    call other people by the same names.
    """
    tx, actor, text = call.tx, call.actor, call.path["identity_provider_id"]
    await hold_administrators(tx, actor.account_id)
    before = await read_identity_provider(tx, actor, text, call.settings.address)
    wanted = _in_lower_case(IDENTITY_PROVIDER_BODIES.changed(before, body))
    secret: str | None = IDENTITY_PROVIDER_BODIES.sent(body).get("client_secret")
    problems = _problems_of(wanted, secret)
    problems += await _problems_in_account(tx, actor, wanted, before.id)
    if wanted.issuer != before.issuer and secret is None:
        message = "issuer changes, and the secret is not sent to another one; state client_secret with it."
        problems.append(Problem(message, "identity_provider.client_secret", "required"))
    if problems:
        raise Invalid(problems)
    refuse_beyond(actor, list_given(before, wanted), _GIVES)
    await tx.execute(
        """
        UPDATE identity_providers
           SET name = %(name)s, issuer = %(issuer)s, client_id = %(client_id)s, domains = %(domains)s,
               groups_claim = %(groups_claim)s, roles = %(roles)s, is_required = %(is_required)s,
               updated_at = (SELECT clock_timestamp())
         WHERE account_id = %(account)s AND id = %(id)s
        """,
        {"account": actor.account_id, "id": before.id, **_columns_of(wanted)},
    )
    if secret is not None:
        await _store_secret(tx, actor, before.id, secret)
    if wanted.issuer != before.issuer:
        await unlink(tx, actor, provider=before.id)
    if wanted.roles != before.roles:
        await _govern_all(tx, actor, wanted)
    if wanted.is_required:
        await need_own_administrator(tx, actor.account_id)
        await _end_sessions_by_password(tx, actor)
    after = await read_identity_provider(tx, actor, text, call.settings.address)
    changes.record(tx, actor, action="identity_provider.update", target=text, before=before, after=after)
    return after


@delete(_ONE, permission="administration:write")
async def delete_identity_provider(call: WriteCall) -> None:
    """Delete an identity provider: sessions that began there end, and its people need a password."""
    tx, actor, text = call.tx, call.actor, call.path["identity_provider_id"]
    await hold_administrators(tx, actor.account_id)
    before = await read_identity_provider(tx, actor, text, call.settings.address)
    refuse_beyond(actor, list_given(before), _GIVES)
    await unlink(tx, actor, provider=before.id)
    await tx.execute(
        "DELETE FROM identity_providers WHERE (account_id, id) = (%s, %s)", (actor.account_id, before.id)
    )
    changes.record(tx, actor, action="identity_provider.delete", target=text, before=before)


ROUTES = [
    list_identity_providers,
    create_identity_provider,
    get_identity_provider,
    update_identity_provider,
    delete_identity_provider,
]
