"""Somebody is sent to an identity provider, and comes back: who they are, and the session that begins.

    way = await begin(database, client, provider, ...)         the browser goes to `way.url`
    arrived = await finish(database, client, provider, ...)    it has come back, with a code and the state

A way is bound to the browser by a secret in a cookie, and to the provider by the path to come back to. Its
state opens it once. Nonce and code verifier follow from both secrets, so the database holds neither.

Invariants: nobody is linked but by an address that the provider has verified, of a domain that the account
has named; a person is known by provider and subject, never by address alone; nobody is signed in who keeps a
password, who was shut out, or who may do more than the provider's groups give; the last administrator who
signs in without a provider is not linked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any, Final

from weighbridge.core.identity import problem_of_name
from weighbridge.core.platform.cell import name_account
from weighbridge.core.platform.permission import NOBODY, Actor
from weighbridge.core.platform.sign_on import (
    SUBJECT_LENGTH_MAX,
    ExpectedToken,
    SignOnRefusedError,
    challenge_of,
    check_id_token,
    derive_nonce,
    derive_verifier,
    domain_of,
    read_email,
)
from weighbridge.db.cells import Cells
from weighbridge.db.engine import Database, Write
from weighbridge.errors import Conflict, Forbidden
from weighbridge.http.outgoing import OutgoingClient
from weighbridge.platform import changes
from weighbridge.platform.authentication import (
    NO_PASSWORD,
    begin_session,
    has_own_administrator,
    hash_secret,
    hold_administrators,
    need_own_administrator,
    refuse_above,
)
from weighbridge.platform.kept_secrets import PROVIDER_REFRESH_TOKENS, encrypt_secret
from weighbridge.platform.provider_people import govern_person
from weighbridge.platform.records import CHECK_MINUTES, SESSION_DAYS, UNCHECKED_MINUTES, ProviderSession
from weighbridge.platform.sign_on.protocol import (
    Metadata,
    Tokens,
    build_authorization_url,
    exchange_code,
    read_metadata,
    read_signed,
)
from weighbridge.platform.sign_on.provider import (
    AccountProvider,
    add_userinfo,
    groups_of,
    read_credentials,
    read_time,
)
from weighbridge.platform.users import add_user, claim_address

WAY_MINUTES: Final = 10
"""How long somebody may take to sign in at a provider."""

CODE_LENGTH_MAX: Final = 4_096
"""Characters of a code that is taken."""


@dataclass(frozen=True, slots=True)
class WayToProvider:
    """A way to a provider: where the browser goes, and the secret that it keeps until it is back."""

    url: str
    state: str = field(repr=False)
    browser_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Arrival:
    """What somebody is after who has signed in: the secret of their session, and where they go on to."""

    secret: str = field(repr=False)
    next: str


async def begin(
    database: Database, client: OutgoingClient, provider: AccountProvider, *, state: str, browser_secret: str,
    after: str,
) -> WayToProvider:  # fmt: skip
    """Begin a way to a provider; raises ProviderFailedError where that does not answer."""
    metadata = await read_metadata(client, provider.record.issuer)
    async with database.write() as tx:
        await tx.execute("DELETE FROM provider_sign_ins WHERE expires_at < now()")
        await tx.execute(
            """
            INSERT INTO provider_sign_ins
                   (account_id, secret_hash, provider_id, browser_hash, next, expires_at)
            VALUES (%s, %s, %s, %s, %s, now() + make_interval(mins => %s))
            """,
            (
                provider.account, hash_secret(state), provider.id, hash_secret(browser_secret), after,
                WAY_MINUTES,
            ),
        )  # fmt: skip
    url = build_authorization_url(
        metadata,
        provider.record.client_id,
        redirect_uri=provider.record.redirect_uri,
        state=state,
        nonce=derive_nonce(browser_secret, state),
        challenge=challenge_of(derive_verifier(browser_secret, state)),
    )
    return WayToProvider(url, state, browser_secret)


def make_state(account: int) -> str:
    """A new state, which names the account so that its cell is found."""
    return name_account(account, token_urlsafe(32))


@dataclass(frozen=True, slots=True)
class Answered:
    """What a browser comes back with."""

    query: Mapping[str, str] = field(repr=False)
    browser_secret: str = field(repr=False)
    program: str
    request_id: str

    @property
    def state(self) -> str:
        """The state of the way that it claims to have gone."""
        return self.query.get("state", "")


async def finish(
    database: Database, cells: Cells, client: OutgoingClient, provider: AccountProvider, answered: Answered
) -> Arrival:
    """Take what a browser comes back with, and begin a session.

    Raises SignOnRefusedError, ProviderFailedError, or a Refusal of the account.
    """
    after = await _end_way(database, provider, answered)
    metadata = await read_metadata(client, provider.record.issuer)
    code = _read_code(answered.query, metadata)
    credentials = await read_credentials(database, provider)
    tokens = await exchange_code(
        client,
        metadata,
        credentials,
        code=code,
        verifier=derive_verifier(answered.browser_secret, answered.state),
        redirect_uri=provider.record.redirect_uri,
    )
    if tokens.id_token is None:
        raise SignOnRefusedError("The identity provider does not say who you are (it gave no ID token).")
    claims = await read_signed(client, metadata, tokens.id_token)
    expected = ExpectedToken(metadata.issuer, provider.record.client_id, await read_time(database))
    nonce = derive_nonce(answered.browser_secret, answered.state)
    subject = check_id_token(claims, expected, nonce)
    if "email" not in claims or provider.record.groups_claim not in claims:
        claims = await add_userinfo(client, metadata, tokens, subject, claims)
    await _claim_address(database, cells, provider, subject, claims)
    async with database.write() as tx:
        secret = await _admit(tx, provider, subject, claims, tokens, answered)
    return Arrival(secret, after)


async def _end_way(database: Database, provider: AccountProvider, answered: Answered) -> str:
    """End the way that a browser has gone, once; where it goes on to."""
    row = await database.single(
        """
        DELETE FROM provider_sign_ins
         WHERE account_id = %s AND secret_hash = %s AND provider_id = %s AND browser_hash = %s
           AND expires_at > now() RETURNING next
        """,
        (
            provider.account, hash_secret(answered.state), provider.id, hash_secret(answered.browser_secret),
        ),
    )  # fmt: skip
    if row is None:
        raise SignOnRefusedError(
            "This way to sign in has ended, or began in another browser. Begin again on this page."
        )
    return str(row[0])


def _read_code(query: Mapping[str, str], metadata: Metadata) -> str:
    """The code of an answer; raises SignOnRefusedError where it is by another provider, or a refusal."""
    issuer = query.get("iss")
    if (issuer is not None or metadata.names_itself) and issuer != metadata.issuer:
        raise SignOnRefusedError(
            "The answer came from another identity provider than the one you were sent to."
        )
    if "error" in query:
        error = query["error"] if query["error"] in _ERRORS else "another reason"
        raise SignOnRefusedError(f"The identity provider did not sign you in ({error}).")
    code = query.get("code", "")
    if not 0 < len(code) <= CODE_LENGTH_MAX:
        raise SignOnRefusedError("The identity provider's answer has no code.")
    return code


_ERRORS: Final = frozenset({
    "access_denied", "invalid_request", "invalid_scope", "login_required", "interaction_required",
    "consent_required", "account_selection_required", "server_error", "temporarily_unavailable",
    "unauthorized_client", "unsupported_response_type",
})  # fmt: skip
"""Reasons of providers that are shown (RFC 6749, 4.1.2.1; OpenID Connect Core 1.0, 3.1.2.6)."""


# Who it is: a person who is linked, one who has the address, or a new one.


_LINKED: Final = """
    SELECT u.id, u.email, u.disabled_at IS NOT NULL FROM provider_people i
      JOIN users u ON (u.account_id, u.id) = (i.account_id, i.user_id)
     WHERE i.account_id = %s AND i.provider_id = %s AND i.subject = %s
"""
_ALIKE: Final = """
    SELECT u.id, u.email, u.password_hash IS NOT NULL, u.disabled_at IS NOT NULL, u.keeps_password,
           EXISTS (SELECT FROM provider_people i WHERE (i.account_id, i.user_id) = (u.account_id, u.id))
      FROM users u WHERE u.account_id = %s AND lower(u.email) = lower(%s) ORDER BY u.id
       FOR NO KEY UPDATE OF u
"""


async def _claim_address(
    database: Database, cells: Cells, provider: AccountProvider, subject: str, claims: Mapping[str, Any]
) -> None:
    """Promise the address of somebody who is not linked yet to the account, over all cells."""
    if await database.single(_LINKED, (provider.account, provider.id, subject)) is None:
        email = read_email(claims, provider.record.domains)
        await claim_address(cells, database, email, provider.account)


async def _admit(
    tx: Write,
    provider: AccountProvider,
    subject: str,
    claims: dict[str, Any],
    tokens: Tokens,
    answered: Answered,
) -> str:
    """Find, link or make the person, have them do what their groups give, and begin a session."""
    groups = groups_of(provider, claims)
    permissions = provider.permissions_of(groups)
    if not permissions:
        raise SignOnRefusedError(
            "You are in no group that has a role here. Ask an administrator of the account to give one to a "
            "group of yours."
        )
    await hold_administrators(tx, provider.account)
    maker = Actor(provider.account, NOBODY, None, frozenset(provider.gives), answered.request_id)
    rows = await tx.tuples(_LINKED, (provider.account, provider.id, subject))
    if rows:
        [(user, email, is_shut_out)] = rows
        _refuse_shut_out(is_shut_out=is_shut_out)
        if domain_of(email) not in provider.record.domains:
            raise SignOnRefusedError("Your e-mail address is not of a domain that the account has named.")
    else:
        user = await _link(tx, provider, maker, subject, claims, permissions)
    await govern_person(tx, maker, user, permissions, groups)
    await keep_confirmed(tx, provider.account, user, tokens.refresh_token)
    actor = Actor(provider.account, user, None, frozenset(permissions), answered.request_id)
    minutes = SESSION_DAYS * 1_440 if tokens.refresh_token else UNCHECKED_MINUTES
    session = claims.get("sid")
    known = session if isinstance(session, str) and 0 < len(session) <= SUBJECT_LENGTH_MAX else None
    return await begin_session(tx, actor, answered.program, ProviderSession(provider.id, known, minutes))


async def _link(
    tx: Write,
    provider: AccountProvider,
    maker: Actor,
    subject: str,
    claims: Mapping[str, Any],
    permissions: tuple[str, ...],
) -> int:
    """Link the person of the account who has the address, or a new one; their number."""
    email = read_email(claims, provider.record.domains)
    had_own = await has_own_administrator(tx, provider.account)
    alike = await tx.tuples(_ALIKE, (provider.account, email))
    if len(alike) > 1:
        raise SignOnRefusedError("Several users of the account have your e-mail address.")
    if alike:
        [(user, email, signs_in, is_shut_out, keeps_password, is_linked)] = alike
        _refuse_shut_out(is_shut_out=is_shut_out)
        _refuse_unlinkable(keeps_password=keeps_password, is_linked=is_linked)
        await _refuse_above(tx, maker, user)
    if not alike or not signs_in:
        user = await add_user(
            tx, maker, email=email, name=_name_of(claims), permissions=permissions, password_hash=NO_PASSWORD
        )
    await tx.execute(
        """
        INSERT INTO provider_people (account_id, user_id, provider_id, subject, groups)
        VALUES (%s, %s, %s, %s, '{}')
        """,
        (provider.account, user, provider.id, subject),
    )
    await tx.execute("DELETE FROM sessions WHERE (account_id, user_id) = (%s, %s)", (provider.account, user))
    if had_own:
        await need_own_administrator(tx, provider.account)
    changes.record(tx, maker, action="user.link", target=str(user), after={"identity_provider": provider.id})
    return int(user)


def _refuse_shut_out(*, is_shut_out: bool) -> None:
    if is_shut_out:
        raise SignOnRefusedError("You may not sign in; ask an administrator of the account.")


def _refuse_unlinkable(*, keeps_password: bool, is_linked: bool) -> None:
    if keeps_password:
        raise SignOnRefusedError(
            "You keep a password, so sign in with it: no identity provider signs you in."
        )
    if is_linked:
        raise SignOnRefusedError(
            "Another person of an identity provider signs in with your e-mail address. An administrator of "
            "the account can release them."
        )


async def _refuse_above(tx: Write, maker: Actor, user: int) -> None:
    try:
        await refuse_above(tx, maker, user)
    except Forbidden:
        raise Conflict(
            "You may do more than any group of the identity provider gives, so it cannot sign you in. Sign "
            "in with your password, or have an administrator change your role first."
        ) from None


def _name_of(claims: Mapping[str, Any]) -> str:
    name = claims.get("name")
    return name if isinstance(name, str) and problem_of_name(name, "A user", "name") is None else ""


async def keep_confirmed(tx: Write, account: int, user: int, refresh_token: str | None) -> None:
    """Keep that the provider lets a person sign in now, and with what it is asked the next time."""
    if refresh_token is not None:
        place = PROVIDER_REFRESH_TOKENS.place(account, str(user))
        envelope = await encrypt_secret(tx, refresh_token.encode(), place)
        await tx.execute(
            """
            INSERT INTO provider_refresh_tokens (account_id, user_id, encrypted) VALUES (%s, %s, %s)
            ON CONFLICT (account_id, user_id) DO UPDATE SET encrypted = excluded.encrypted
            """,
            (account, user, envelope),
        )
    await tx.execute(
        """
        UPDATE provider_people i
           SET confirmed_at = (SELECT now()),
               next_at = CASE WHEN EXISTS (SELECT FROM provider_refresh_tokens t
                                            WHERE (t.account_id, t.user_id) = (i.account_id, i.user_id))
                              THEN (SELECT now()) + make_interval(mins => %s) END
         WHERE (i.account_id, i.user_id) = (%s, %s)
        """,
        (CHECK_MINUTES, account, user),
    )
