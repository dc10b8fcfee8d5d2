"""People of identity providers: what they may do follows from their groups, and all they hold ends with it.

A person who has signed in by a provider once is linked to it, and signs in by nothing else. Whoever keeps a
password is linked to none: they sign in by it, and their role is given by hand.

Invariants: what a linked person may do is what their groups give; whoever has no group with a role has
neither a session nor a token; a token may never do more than its person once their groups give less.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import structs

from weighbridge.core.platform.permission import NOBODY, Actor
from weighbridge.core.platform.sign_on import RoleOfGroup, find_permissions
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.row import Column, row_of
from weighbridge.platform import changes
from weighbridge.platform.provider_records import GroupRole, IdentityProvider
from weighbridge.platform.tenancy import project_number

# A provider as it is stored, with the addresses that are registered there.


PATH: Final = "/sign_in/providers/"
"""Below which path people come back from a provider: then the account and the provider by their numbers."""

_PATH_OF_ONE: Final = f"'{PATH}' || p.account_id || '.' || p.id"

IDENTITY_PROVIDER: Final = row_of(
    IdentityProvider,
    Column("id", "p.id"),
    Column("name", "p.name"),
    Column("issuer", "p.issuer"),
    Column("client_id", "p.client_id"),
    Column("domains", "p.domains"),
    Column("roles", "p.roles", lambda roles: msgspec.convert(roles, list[GroupRole])),
    Column("groups_claim", "p.groups_claim"),
    Column("is_required", "p.is_required"),
    Column("redirect_uri", f"{_PATH_OF_ONE} || '/callback'"),
    Column("logout_uri", f"{_PATH_OF_ONE} || '/logout'"),
    Column("sign_in_url", "'/sign_in?account=' || p.account_id"),
    Column("failure", "p.failure"),
    Column("failing_since", "p.failing_since", lambda moment: moment and Instant.of(moment)),
    Column("created_at", "p.created_at"),
    Column("updated_at", "p.updated_at"),
)

SOURCE: Final = "identity_providers p"
_ADDRESSES: Final = ("redirect_uri", "logout_uri", "sign_in_url")


def with_address(provider: IdentityProvider, address: str) -> IdentityProvider:
    """A provider with whole addresses, below that of the service."""
    return structs.replace(
        provider, **{name: address.rstrip("/") + getattr(provider, name) for name in _ADDRESSES}
    )


# Its people.


_REVOKE: Final = """
    WITH RECURSIVE branch (id) AS (
        SELECT unnest(%(tokens)s::integer[])
         UNION SELECT t.id FROM api_tokens t JOIN branch b ON b.id = t.issued_by
                WHERE t.account_id = %(account)s)
    UPDATE api_tokens SET revoked_at = now()
     WHERE account_id = %(account)s AND id IN (SELECT id FROM branch) AND revoked_at IS NULL RETURNING id
"""
_TOKENS: Final = """
    SELECT id, permissions FROM api_tokens
     WHERE account_id = %s AND user_id = %s AND revoked_at IS NULL ORDER BY id FOR NO KEY UPDATE
"""


def by_provider(account: int, provider: int) -> Actor:
    """Who acts where a provider says so: nobody of the account, told by the id of the request."""
    return Actor(account, NOBODY, None, frozenset(), f"identity_provider_{provider}")


def read_roles(roles: Sequence[GroupRole]) -> list[RoleOfGroup]:
    """The roles of groups, with the numbers of their projects; 0, which no project has, for any other id."""
    return [
        RoleOfGroup(one.group, one.role, None if one.project_id is None else project_number(one.project_id))
        for one in roles
    ]


def list_given(*providers: IdentityProvider) -> list[str]:
    """All that groups of providers give."""
    given = (
        find_permissions([one.group for one in provider.roles], read_roles(provider.roles))
        for provider in providers
    )
    return sorted({permission for permissions in given for permission in permissions})


async def govern_person(
    tx: Write, actor: Actor, user: int, permissions: Sequence[str], groups: Sequence[str]
) -> None:
    """Have a linked person do what their groups give now; end all they hold where that is nothing.

    Tokens that may do more than the person from now on are revoked, with those that they issued.
    """
    await tx.execute(
        "UPDATE provider_people SET groups = %s WHERE (account_id, user_id) = (%s, %s)",
        ([*groups], actor.account_id, user),
    )
    if not permissions:
        await end_access(tx, actor, user, "in no group that has a role")
        return
    before = await tx.value(
        "SELECT permissions FROM users WHERE (account_id, id) = (%s, %s) FOR NO KEY UPDATE",
        (actor.account_id, user),
    )
    may = Actor(actor.account_id, user, None, frozenset(permissions), actor.request_id)
    tokens = await tx.tuples(_TOKENS, (actor.account_id, user))
    revoked = await _revoke(tx, actor, [number for number, held in tokens if may.beyond(held)])
    if {*before} == {*permissions} and not revoked:
        return
    await tx.execute(
        "UPDATE users SET permissions = %s WHERE (account_id, id) = (%s, %s)",
        ([*permissions], actor.account_id, user),
    )
    changes.record(
        tx, actor, action="user.govern", target=str(user), before={"permissions": before},
        after={"permissions": [*permissions], "revoked_tokens": revoked},
    )  # fmt: skip


async def end_access(tx: Write, actor: Actor, user: int, reason: str) -> None:
    """End every session and every token of a linked person, and ask the provider for them no more."""
    ended = await tx.execute(
        "DELETE FROM sessions WHERE (account_id, user_id) = (%s, %s)", (actor.account_id, user)
    )
    tokens = await tx.tuples(_TOKENS, (actor.account_id, user))
    revoked = await _revoke(tx, actor, [number for number, _ in tokens])
    await forget_refresh_token(tx, actor.account_id, user)
    if ended or revoked:
        after = {"reason": reason, "sessions": ended, "revoked_tokens": revoked}
        changes.record(tx, actor, action="user.end_access", target=str(user), after=after)


async def forget_refresh_token(tx: Write, account: int, user: int) -> None:
    """Keep nothing more by which a provider is asked for a person."""
    await tx.execute(
        "DELETE FROM provider_refresh_tokens WHERE (account_id, user_id) = (%s, %s)", (account, user)
    )
    await tx.execute(
        "UPDATE provider_people SET next_at = NULL WHERE (account_id, user_id) = (%s, %s)", (account, user)
    )


async def unlink(tx: Write, actor: Actor, user: int | None = None, provider: int | None = None) -> list[int]:
    """Release a person, or all people of a provider, and end the sessions that began there; their numbers."""
    named = {"account": actor.account_id, "user": user, "provider": provider}
    chosen = """
        account_id = %(account)s AND (%(user)s::integer IS NULL OR user_id = %(user)s)
        AND (%(provider)s::integer IS NULL OR provider_id = %(provider)s)
    """
    await tx.execute(f"DELETE FROM sessions WHERE {chosen} AND provider_id IS NOT NULL", named)
    rows = await tx.tuples(f"DELETE FROM provider_people WHERE {chosen} RETURNING user_id", named)
    return sorted(number for (number,) in rows)


async def list_linked(tx: Read, account: int, provider: int) -> list[tuple[int, list[str]]]:
    """The people of a provider, by number, with the groups that it last said."""
    statement = """
        SELECT user_id, groups FROM provider_people
         WHERE (account_id, provider_id) = (%s, %s) ORDER BY user_id
    """
    return [(number, groups) for number, groups in await tx.tuples(statement, (account, provider))]


async def _revoke(tx: Write, actor: Actor, tokens: list[int]) -> list[int]:
    if not tokens:
        return []
    rows: list[Any] = await tx.tuples(_REVOKE, {"account": actor.account_id, "tokens": tokens})
    return sorted(number for (number,) in rows)
