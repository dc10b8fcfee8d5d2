"""Partners: the hosts of others, from which footprints are read and to which events are sent.

In: an address, and the client id and secret that the partner gave. Permission: production accounting.

Invariants: the secret is stored encrypted in its own table, and no answer and no audit row has it; it is
sent only to the addresses with which it was stated: another one takes a secret that is stated anew.
"""

from typing import Final

from msgspec import Struct, structs
from psycopg.sql import SQL, Composable

from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Invalid
from weighbridge.footprints.records import FOOTPRINT_PARTNER_BODIES, FootprintPartner
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, patch, post
from weighbridge.http.outgoing import problem_of_address
from weighbridge.platform import changes
from weighbridge.platform.kept_secrets import FOOTPRINT_PARTNER_SECRETS, encrypt_secret
from weighbridge.platform.tenancy import find, number_named, of_account

SECRET_MAX: Final = 1_000
"""Characters of a partner's secret."""

PARTNERS_MAX: Final = 1_000
"""Partners of one account."""

FOOTPRINT_PARTNERS: Final = Listing(
    sorts={"id": "p.id", "name": "p.name", "created_at": "p.created_at", "updated_at": "p.updated_at"},
    default_sort="id",
    key=("p.id",),
    filters={"name": Filter("p.name", str, "a name")},
)

FOOTPRINT_PARTNER: Final = row_of(
    FootprintPartner,
    Column("id", "p.id"),
    Column("name", "p.name"),
    Column("address", "p.address"),
    Column("token_address", "p.token_address"),
    Column("client_id", "p.client_id"),
    Column("is_notified", "p.is_notified"),
    Column("created_at", "p.created_at"),
    Column("updated_at", "p.updated_at"),
)

_SOURCE: Final = "footprint_partners p"
_ADDRESSES: Final = ("address", "token_address")


async def read_footprint_partner(tx: Read, actor: Actor, text: str) -> FootprintPartner:
    """One partner of the actor's account, by its number; NotFound for any other text."""
    numbered = SQL("{} AND p.id = %s").format(_limit_to_account(actor))
    return await find(tx, FOOTPRINT_PARTNER, _SOURCE, numbered, (number_named("footprint_partner", text),))


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "p.account_id")


async def _check_partner(
    tx: Read, actor: Actor, wanted: FootprintPartner, secret: str | None, number: int | None
) -> list[Problem]:
    problems = [
        problem_of_name(wanted.name, "A partner", "footprint_partner.name"),
        problem_of_name(wanted.client_id, "A client id", "footprint_partner.client_id"),
        *(problem_of_address(getattr(wanted, name), f"footprint_partner.{name}") for name in _ADDRESSES),
    ]
    if secret is not None and not (
        0 < len(secret) <= SECRET_MAX and secret.isascii() and secret.isprintable()
    ):
        message = f"client_secret says 1 to {SECRET_MAX:,} characters of ASCII, without line breaks."
        problems.append(Problem(message, "footprint_partner.client_secret", "invalid"))
    if await tx.value(
        "SELECT true FROM footprint_partners WHERE account_id = %s AND name = %s AND id IS DISTINCT FROM %s",
        (actor.account_id, wanted.name, number),
    ):
        message = f"The account has a partner {shorten(wanted.name)!r} already."
        problems.append(Problem(message, "footprint_partner.name", "taken"))
    return [problem for problem in problems if problem]


async def _store_secret(tx: Write, actor: Actor, partner: int, secret: str) -> None:
    place = FOOTPRINT_PARTNER_SECRETS.place(actor.account_id, str(partner))
    envelope = await encrypt_secret(tx, secret.encode(), place)
    await tx.execute(
        """
        INSERT INTO footprint_partner_secrets (partner_id, encrypted) VALUES (%s, %s)
        ON CONFLICT (partner_id) DO UPDATE SET value = NULL, encrypted = excluded.encrypted
        """,
        (partner, envelope),
    )


_ONE = "/footprint_partners/{footprint_partner_id}"


@get(
    "/footprint_partners",
    permission="production_accounting:read",
    returns=Page[FootprintPartner],
    listing=FOOTPRINT_PARTNERS,
)
async def list_footprint_partners(call: ReadCall) -> Page[FootprintPartner]:
    """List the partners with whom footprints are exchanged."""
    request = list_request(call.query, FOOTPRINT_PARTNERS)
    owned = [_limit_to_account(call.actor)]
    return await read_page(
        call.tx, FOOTPRINT_PARTNER, FOOTPRINT_PARTNERS, request, source=_SOURCE, where=owned
    )


@get(_ONE, permission="production_accounting:read", returns=FootprintPartner)
async def get_footprint_partner(call: ReadCall) -> FootprintPartner:
    """Read one partner, without the secret."""
    return await read_footprint_partner(call.tx, call.actor, call.path["footprint_partner_id"])


@post(
    "/footprint_partners",
    permission="production_accounting:write",
    body=FOOTPRINT_PARTNER_BODIES.new_body,
    returns=FootprintPartner,
    example={
        "footprint_partner": {
            "name": "Fuel trader",
            "address": "https://trader.example/pact",
            "client_id": "plant-one",
            "client_secret": "word-of-the-partner",
        }
    },
)
async def create_footprint_partner(call: WriteCall, body: Struct) -> FootprintPartner:
    """Create a partner: where its footprints are read and events are sent; its secret is never shown."""
    tx, actor = call.tx, call.actor
    new, sent = FOOTPRINT_PARTNER_BODIES.created(body), FOOTPRINT_PARTNER_BODIES.sent(body)
    secret: str = sent["client_secret"]
    address = new.address.rstrip("/")
    token_address = f"{address}/auth/token" if sent.get("token_address") is None else new.token_address
    wanted = structs.replace(new, address=address, token_address=token_address)
    problems = await _check_partner(tx, actor, wanted, secret, None)
    count = await tx.value(
        "SELECT count(*) FROM footprint_partners WHERE account_id = %s", (actor.account_id,)
    )
    if count >= PARTNERS_MAX:
        message = f"The account has {count:,} partners, and takes {PARTNERS_MAX:,}."
        problems.append(Problem(message, "footprint_partner", "too_many"))
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO footprint_partners (account_id, name, address, token_address, client_id, is_notified)
        VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (actor.account_id, wanted.name, address, token_address, wanted.client_id, wanted.is_notified),
    )
    await _store_secret(tx, actor, number, secret)
    made = await read_footprint_partner(tx, actor, str(number))
    changes.record(tx, actor, action="footprint_partner.create", target=str(number), after=made)
    return made


@patch(
    _ONE,
    permission="production_accounting:write",
    body=FOOTPRINT_PARTNER_BODIES.change_body,
    returns=FootprintPartner,
    example={"footprint_partner": {"is_notified": False}},
)
async def update_footprint_partner(call: WriteCall, body: Struct) -> FootprintPartner:
    """Change a partner; what waits to be sent goes to the new address.

    Another `address` or `token_address` takes a `client_secret` as well: the one that is kept is known to
    those alone who stated it, and is not sent to an address that somebody else names.
    """
    tx, actor, text = call.tx, call.actor, call.path["footprint_partner_id"]
    lock = "SELECT FROM footprint_partners WHERE id = %s AND account_id = %s FOR UPDATE"
    tx.later(lock, (number_named("footprint_partner", text), actor.account_id))
    before = await read_footprint_partner(tx, actor, text)
    wanted = FOOTPRINT_PARTNER_BODIES.changed(before, body)
    secret: str | None = FOOTPRINT_PARTNER_BODIES.sent(body).get("client_secret")
    problems = await _check_partner(tx, actor, wanted, secret, before.id)
    moved = [name for name in _ADDRESSES if getattr(before, name) != getattr(wanted, name)]
    if moved and secret is None:
        message = (
            f"{moved[0]} changes, and the secret is not sent to another one; state client_secret with it."
        )
        problems.append(Problem(message, "footprint_partner.client_secret", "required"))
    if problems:
        raise Invalid(problems)
    await tx.execute(
        """
        UPDATE footprint_partners
           SET name = %s, address = %s, token_address = %s, client_id = %s, is_notified = %s,
               updated_at = (SELECT clock_timestamp())
         WHERE id = %s
        """,
        (
            wanted.name, wanted.address.rstrip("/"), wanted.token_address, wanted.client_id,
            wanted.is_notified, before.id,
        ),
    )  # fmt: skip
    if secret is not None:
        await _store_secret(tx, actor, before.id, secret)
    after = await read_footprint_partner(tx, actor, text)
    changes.record(tx, actor, action="footprint_partner.update", target=text, before=before, after=after)
    return after


ROUTES = [
    list_footprint_partners,
    create_footprint_partner,
    get_footprint_partner,
    update_footprint_partner,
]
