"""Whether people who have signed in by a provider may still: asked of it again and again, or said by it.

A worker asks for each person who has a session or a token, every few minutes, by the refresh token that is
kept of their last sign-in (`confirm_people`). A provider may also say that somebody has signed out there
(`end_by_logout`, OpenID Connect Back-Channel Logout 1.0).

Invariants: of one person only one worker asks at a time, since a provider may take a refresh token once;
where the provider ends a grant, or the person has no group with a role any more, sessions and tokens of the
person end; where it does not answer, that is written down, and sessions stay for `OUTAGE_MINUTES` since the
last time that it did, which recognising them asks for.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.core.platform.encryption import UnopenedSecretError
from weighbridge.core.platform.sign_on import (
    ExpectedToken,
    Logout,
    SignOnRefusedError,
    check_id_token,
    check_logout_token,
)
from weighbridge.db.engine import Database, Write
from weighbridge.http.outgoing import OutgoingClient
from weighbridge.platform import changes
from weighbridge.platform.kept_secrets import PROVIDER_REFRESH_TOKENS, decrypt_secret
from weighbridge.platform.provider_people import (
    by_provider,
    end_access,
    forget_refresh_token,
    govern_person,
)
from weighbridge.platform.sign_on.arrival import keep_confirmed
from weighbridge.platform.sign_on.protocol import (
    ClientCredentials,
    GrantEndedError,
    Metadata,
    ProviderFailedError,
    Tokens,
    read_metadata,
    read_signed,
    refresh,
)
from weighbridge.platform.sign_on.provider import (
    AccountProvider,
    add_userinfo,
    find_provider,
    groups_of,
    read_credentials,
    read_time,
)

PEOPLE_AT_ONCE: Final = 40
"""People whom a worker takes at a time, and asks about at once: a slow provider holds up no other one."""

LEASE_SECONDS: Final = 120
"""How long a worker has a person for itself; a provider is asked four times at most, one after the other."""

_TAKE: Final = f"""
    UPDATE provider_people SET next_at = now() + interval '{LEASE_SECONDS} seconds'
     WHERE (account_id, user_id) IN (
        SELECT account_id, user_id FROM provider_people WHERE next_at <= now()
         ORDER BY next_at LIMIT {PEOPLE_AT_ONCE} FOR UPDATE SKIP LOCKED)
    RETURNING account_id, provider_id, user_id, subject, groups
"""
_HOLDS: Final = """
    SELECT EXISTS (SELECT FROM sessions WHERE (account_id, user_id) = (%(account)s, %(user)s)
                      AND expires_at > now())
        OR EXISTS (SELECT FROM api_tokens WHERE (account_id, user_id) = (%(account)s, %(user)s)
                      AND revoked_at IS NULL AND coalesce(expires_at > now(), true))
"""
_FAILS: Final = """
    UPDATE identity_providers
       SET failure = %(failure)s,
           failing_since = CASE WHEN %(failure)s::text IS NULL THEN NULL
                                ELSE coalesce(failing_since, (SELECT now())) END
     WHERE account_id = %(account)s AND id = %(provider)s AND failure IS DISTINCT FROM %(failure)s::text
"""


@dataclass(frozen=True, slots=True)
class LinkedPerson:
    """Somebody whom a provider is asked about."""

    account: int
    provider: int
    user: int
    subject: str
    groups: list[str]


@dataclass(frozen=True, slots=True)
class FailedProvider:
    """A provider that could not be asked, and why."""

    account: int
    provider: int
    reason: str


Tell = Callable[[FailedProvider], None]
"""Says that a provider could not be asked."""


async def confirm_people(database: Database, client: OutgoingClient, address: str, tell: Tell) -> int:
    """Ask providers about the people who are due; how many these were."""
    async with database.write() as tx:
        people = [LinkedPerson(*row) for row in await tx.tuples(_TAKE)]
    those: dict[tuple[int, int], list[LinkedPerson]] = {}
    for person in people:
        those.setdefault((person.account, person.provider), []).append(person)
    found = [(await find_provider(database, *key, address), theirs) for key, theirs in sorted(those.items())]
    outcomes = await asyncio.gather(
        *(
            _confirm_those(database, client, provider, theirs, tell)
            for provider, theirs in found
            if provider is not None
        ),
        return_exceptions=True,
    )
    for outcome in outcomes:
        if outcome is not None:
            raise outcome
    return len(people)


async def _confirm_those(
    database: Database, client: OutgoingClient, provider: AccountProvider, people: list[LinkedPerson],
    tell: Tell,
) -> None:  # fmt: skip
    """Ask a provider about people, and keep why it could not be asked, if so: they are asked about later."""
    failure: str | None = None
    try:
        metadata = await read_metadata(client, provider.record.issuer)
        credentials = await read_credentials(database, provider)
        outcomes = await asyncio.gather(
            *(_confirm(database, client, provider, metadata, credentials, person) for person in people),
            return_exceptions=True,
        )
    except ProviderFailedError as error:
        outcomes = [error]
    for outcome in outcomes:
        if isinstance(outcome, ProviderFailedError):
            failure = str(outcome)
        elif outcome is not None:
            raise outcome
    await database.single(
        f"{_FAILS} RETURNING id", {"account": provider.account, "provider": provider.id, "failure": failure}
    )
    if failure is not None:
        tell(FailedProvider(provider.account, provider.id, failure))


async def _confirm(
    database: Database,
    client: OutgoingClient,
    provider: AccountProvider,
    metadata: Metadata,
    credentials: ClientCredentials,
    person: LinkedPerson,
) -> None:
    """Ask a provider about one person, and do what follows; raises ProviderFailedError."""
    actor = by_provider(person.account, person.provider)
    kept = await _read_refresh_token(database, person)
    if kept is None:
        return
    envelope, refresh_token = kept
    try:
        tokens = await refresh(client, metadata, credentials, refresh_token)
        groups = await _read_groups(database, client, provider, metadata, tokens, person)
    except GrantEndedError:
        reason = "the identity provider lets them in no longer"
    except SignOnRefusedError as error:
        reason = str(error)
    else:
        async with database.write() as tx:
            await keep_confirmed(tx, person.account, person.user, tokens.refresh_token)
            await govern_person(tx, actor, person.user, provider.permissions_of(groups), groups)
        return
    async with database.write() as tx:
        if await _read_envelope(tx, person) == envelope:  # or they have signed in anew meanwhile
            await end_access(tx, actor, person.user, reason)


async def _read_refresh_token(database: Database, person: LinkedPerson) -> tuple[Any, str] | None:
    """What the provider is asked with about a person; None, and forgotten, where they hold nothing."""
    async with database.write() as tx:
        named = {"account": person.account, "user": person.user}
        envelope = await _read_envelope(tx, person)
        if envelope is None or not await tx.value(_HOLDS, named):
            await forget_refresh_token(tx, person.account, person.user)
            return None
        place = PROVIDER_REFRESH_TOKENS.place(person.account, str(person.user))
        try:
            return envelope, (await decrypt_secret(tx, place, envelope, None)).decode()
        except UnopenedSecretError:
            raise ProviderFailedError("No key of this service opens the refresh token.") from None


async def _read_envelope(tx: Write, person: LinkedPerson) -> Any:
    return await tx.value(
        "SELECT encrypted FROM provider_refresh_tokens WHERE (account_id, user_id) = (%s, %s) FOR UPDATE",
        (person.account, person.user),
    )


async def _read_groups(
    database: Database,
    client: OutgoingClient,
    provider: AccountProvider,
    metadata: Metadata,
    tokens: Tokens,
    person: LinkedPerson,
) -> list[str]:
    """The groups in which a person is now, as far as the provider says; those of before where it does not."""
    claims: dict[str, Any] = {}
    if tokens.id_token is not None:
        claims = await read_signed(client, metadata, tokens.id_token)
        expected = ExpectedToken(metadata.issuer, provider.record.client_id, await read_time(database))
        if check_id_token(claims, expected, None) != person.subject:
            raise SignOnRefusedError("the identity provider's answer is about another person")
    if provider.record.groups_claim not in claims:
        if tokens.id_token is None and metadata.userinfo_endpoint is None:
            return person.groups
        claims = await add_userinfo(client, metadata, tokens, person.subject, claims)
    return groups_of(provider, claims)


# A provider says that somebody has signed out there.


async def end_by_logout(
    database: Database, client: OutgoingClient, provider: AccountProvider, logout_token: str
) -> int:
    """End the sessions that a logout token names; how many that were.

    Raises SignOnRefusedError where it is none of the provider, or has come before, and ProviderFailedError.
    """
    metadata = await read_metadata(client, provider.record.issuer)
    claims = await read_signed(client, metadata, logout_token)
    expected = ExpectedToken(metadata.issuer, provider.record.client_id, await read_time(database))
    logout = check_logout_token(claims, expected)
    async with database.write() as tx:
        await _take_once(tx, provider, logout)
        return await _end_sessions(tx, provider, logout)


async def _take_once(tx: Write, provider: AccountProvider, logout: Logout) -> None:
    await tx.execute("DELETE FROM provider_logouts WHERE expires_at < now() - interval '1 hour'")
    taken = await tx.execute(
        """
        INSERT INTO provider_logouts (account_id, provider_id, token_id, expires_at)
        VALUES (%s, %s, %s, to_timestamp(%s)) ON CONFLICT DO NOTHING
        """,
        (provider.account, provider.id, logout.token_id, logout.ends),
    )
    if not taken:
        raise SignOnRefusedError("The logout token has come before.")


async def _end_sessions(tx: Write, provider: AccountProvider, logout: Logout) -> int:
    """End the session that is named; all of the person where the provider has not named its sessions."""
    rows = await tx.tuples(
        """
        DELETE FROM sessions s USING provider_people i
         WHERE (i.account_id, i.user_id) = (s.account_id, s.user_id)
           AND s.account_id = %(account)s AND s.provider_id = %(provider)s
           AND i.account_id = %(account)s AND i.provider_id = %(provider)s
           AND (%(subject)s::text IS NULL OR i.subject = %(subject)s)
           AND (%(session)s::text IS NULL OR s.provider_session = %(session)s
                OR s.provider_session IS NULL AND %(subject)s::text IS NOT NULL)
        RETURNING s.user_id
        """,
        {
            "account": provider.account, "provider": provider.id, "subject": logout.subject,
            "session": logout.session,
        },
    )  # fmt: skip
    actor = by_provider(provider.account, provider.id)
    for user in sorted({user for (user,) in rows}):
        ended = sum(1 for (one,) in rows if one == user)
        changes.record(
            tx, actor, action="session.end_by_provider", target=str(user), after={"sessions": ended}
        )
    return len(rows)
