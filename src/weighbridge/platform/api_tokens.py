"""API tokens: secrets that act for a user with chosen permissions until they expire or are revoked.

A token is shown once, when it is made; only its hash is stored. Its expiry is one of the offered
lifetimes, 90 days by default, and cannot be changed afterwards. It is judged by the database's clock. A
token is given only what its maker may do itself. Permission: administration.
"""

import secrets
from datetime import timedelta
from typing import Final

from msgspec.structs import asdict
from psycopg.sql import SQL

from weighbridge.core.identity import problem_of_name, problem_of_unseen
from weighbridge.core.number import shorten
from weighbridge.core.platform import permission as tokens
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Listing,
    Page,
    among,
    list_request,
    read_int4,
    read_page,
)
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Forbidden, Invalid, Unauthorized
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.authentication import need_user, refuse_above, refuse_beyond
from weighbridge.platform.records import (
    EMAIL_LENGTH_MAX,
    ApiToken,
    HandedOver,
    HandedOverTokenBody,
    IssuedApiToken,
    NewApiToken,
    NewApiTokenBody,
    TokenUser,
)
from weighbridge.platform.tenancy import find, of_account, problems_of_permissions
from weighbridge.platform.users import ensure_user

STATUSES: Final = ("working", "expired", "revoked")
"""Whether a token opens anything, as a list is filtered by it."""

_STATUS: Final = """(CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked'
                          WHEN t.expires_at <= now() THEN 'expired' ELSE 'working' END)"""

API_TOKENS: Final = Listing(
    sorts={
        "id": "t.id",
        "name": "t.name",
        "created_at": "t.created_at",
        "expires_at": "coalesce(t.expires_at, '9999-12-31Z')",
        "last_used_at": "coalesce(t.last_used_at, '0001-01-01Z')",
    },
    default_sort="id",
    key=("t.id",),
    filters={
        "user_id": Filter("t.user_id", read_int4, "the number of a user"),
        "status": Filter(_STATUS, among(STATUSES), ", ".join(STATUSES)),
    },
)

_SOURCE: Final = "api_tokens t JOIN users u ON (u.account_id, u.id) = (t.account_id, t.user_id)"

API_TOKEN: Final = row_of(
    ApiToken,
    Column("id", "t.id"),
    Column("name", "t.name"),
    Column("permissions", "t.permissions"),
    Column("user", ("u.id", "u.name", "u.email", "u.disabled_at"), TokenUser),
    Column("created_at", "t.created_at"),
    Column("expires_at", "t.expires_at"),
    Column("revoked_at", "t.revoked_at"),
    Column("last_used_at", "t.last_used_at"),
)


async def read_api_token(tx: Read, actor: Actor, number: int) -> ApiToken:
    """One token of the actor's account."""
    numbered = SQL("{} AND t.id = %s").format(of_account(actor, "t.account_id"))
    return await find(tx, API_TOKEN, _SOURCE, numbered, (number,))


async def tokens_of_branch(tx: Read, actor: Actor, number: int) -> list[ApiToken]:
    """A token, those that were issued by it, by those, and so on; in the order of their numbers."""
    statement = SQL(
        """
        WITH RECURSIVE branch (id) AS (
            SELECT %s::integer UNION SELECT t.id FROM api_tokens t JOIN branch b ON b.id = t.issued_by)
        SELECT {} FROM {} WHERE {} AND t.id IN (SELECT id FROM branch) ORDER BY t.id
        """
    ).format(SQL(API_TOKEN.columns), SQL(_SOURCE), of_account(actor, "t.account_id"))
    return await tx.rows(API_TOKEN.make, statement, (number,))


def token_number(text: str) -> int:
    """The number that a path names; 0, which no token has, for any other text."""
    try:
        return read_int4(text)
    except ValueError:
        return 0


_REVOKES: Final = "Nobody revokes a token that may do more than themselves"
_HANDS_OVER: Final = "Nobody hands over a token that may do more than themselves"


async def issue_token(tx: Write, actor: Actor, new: NewApiToken, *, days_max: int = 0) -> IssuedApiToken:
    """Make a token that may do no more than the actor itself, for the actor's user or another.

    It lives at most `days_max` days, and as long as is offered where that is 0.
    """
    problems = [
        *await problems_of_permissions(tx, actor, new.permissions, "api_token.permissions"),
        *_problems_of(new, "api_token.", days_max),
    ]
    if new.user_email is not None and (wrong := _problem_of_email(new.user_email)):
        problems.append(wrong)
    if problems:
        raise Invalid(problems)
    if beyond := [permission for permission in new.permissions if not actor.may(permission)]:
        raise Forbidden(
            f"The token lacks the permission {', '.join(beyond)}, so it cannot give it away.",
            "permission_missing",
        )
    user_id = actor.user_id
    if new.user_email is not None:
        user_id = await ensure_user(tx, actor.account_id, new.user_email.strip())
        await refuse_above(tx, actor, user_id)
    number, text = await _store(tx, actor, user_id, new)
    return IssuedApiToken(**asdict(await read_api_token(tx, actor, number)), token=text)


async def create_token(
    tx: Write,
    actor: Actor,
    *,
    user_id: int,
    name: str,
    permissions: list[str],
    lifetime_days: int | None,
    days_max: int = 0,
) -> str:
    """Make a token for a user of the actor's account and give its text, which is not stored."""
    new = NewApiToken(name, permissions, lifetime_days)
    problems = [
        *await problems_of_permissions(tx, actor, permissions),
        *_problems_of(new, "", days_max),
    ]
    if problems:
        raise Invalid(problems)
    _, text = await _store(tx, actor, user_id, new)
    return text


async def reassign_token(tx: Write, actor: Actor, named: str, wanted: HandedOver) -> ApiToken:
    """Have a token act for another user of the account from now on; it may do what it could before."""
    number = token_number(named)
    before = await read_api_token(tx, actor, number)
    refuse_beyond(actor, before.permissions, _HANDS_OVER)
    user_id = await need_user(tx, actor, wanted.user_email, "api_token.user_email")
    await refuse_above(tx, actor, user_id)
    await tx.execute("UPDATE api_tokens SET user_id = %s WHERE id = %s", (user_id, number))
    after = await read_api_token(tx, actor, number)
    changes.record(
        tx, actor, action="api_token.reassign", target=str(number),
        before=_without_person(before), after=_without_person(after),
    )  # fmt: skip
    return after


def _without_person(token: ApiToken) -> dict[str, object]:
    """What the audit log keeps of a token: whom it acts for by number, for it can forget nobody."""
    return {**asdict(token), "user": {"id": token.user.id}}


async def _store(tx: Write, actor: Actor, user_id: int, new: NewApiToken) -> tuple[int, str]:
    """Write a token down by its hash; give its number and its text.

    Raises Unauthorized when the token that issues it was revoked since it was recognised.
    """
    await tx.execute(*locks.share(locks.token_issue(actor.account_id)))
    if actor.token_id is not None and await tx.value(
        "SELECT true FROM api_tokens WHERE id = %s AND revoked_at IS NOT NULL", (actor.token_id,)
    ):
        raise Unauthorized("The token has been revoked.", "token_revoked")
    random_part = "".join(secrets.choice(tokens.ALPHABET) for _ in range(tokens.RANDOM_LENGTH))
    token = tokens.assemble_token(actor.account_id, random_part)
    name, permissions, days = new.name.strip(), sorted(set(new.permissions)), new.expires_in_days
    token_id: int = await tx.value(
        """
        INSERT INTO api_tokens (account_id, user_id, name, secret_hash, permissions, expires_at, issued_by)
        VALUES (%s, %s, %s, %s, %s, now() + %s, %s) RETURNING id
        """,
        (
            actor.account_id, user_id, name, tokens.hash_token(token), permissions,
            None if days is None else timedelta(days=days), actor.token_id,
        ),
    )  # fmt: skip
    made = {"name": name, "permissions": permissions, "lifetime_days": days}
    changes.record(tx, actor, action="api_token.create", target=str(token_id), after=made)
    return token_id, token


def _problems_of(new: NewApiToken, prefix: str, days_max: int) -> list[Problem]:
    lifetime_days = new.expires_in_days
    problems = []
    if wrong := problem_of_name(new.name, "A token", f"{prefix}name"):
        problems.append(wrong)
    offered = [days for days in tokens.LIFETIMES_DAYS if not days_max or days <= days_max]
    if lifetime_days not in ([*offered] if days_max else [*offered, None]):
        lives = ", ".join(map(str, offered)) or f"at most {days_max}"
        lives += " days" if days_max else " days or for ever"
        came = "for ever" if lifetime_days is None else f"{lifetime_days} days"
        problems.append(Problem(f"A token lives {lives}, not {came}.", f"{prefix}expires_in_days", "invalid"))
    return problems


def _problem_of_email(email: str) -> Problem | None:
    length = len(email.strip())
    if unseen := problem_of_unseen(email.strip(), "api_token.user_email"):
        return unseen
    if 0 < length <= EMAIL_LENGTH_MAX and not any(character.isspace() for character in email.strip()):
        return None
    return Problem(
        f"api_token.user_email is {shorten(email)!r}; it takes 1 to {EMAIL_LENGTH_MAX} characters, no space.",
        "api_token.user_email",
        "invalid",
    )


@get("/api_tokens", permission="administration:read", returns=Page[ApiToken], listing=API_TOKENS)
async def list_api_tokens(call: ReadCall) -> Page[ApiToken]:
    """List the account's tokens, without their secrets."""
    request = list_request(call.query, API_TOKENS)
    owned = [of_account(call.actor, "t.account_id")]
    return await read_page(call.tx, API_TOKEN, API_TOKENS, request, source=_SOURCE, where=owned)


@post(
    "/api_tokens",
    permission="administration:write",
    body=NewApiTokenBody,
    returns=IssuedApiToken,
    shown_once="token",
)
async def create_api_token(call: WriteCall, body: NewApiTokenBody) -> IssuedApiToken:
    """Create a token; the answer shows it this once.

    A token can be given only permissions that the caller's own token has, and act for no user who may do more
    than the caller. Its expiry cannot be changed.
    Repeated with the same `Idempotency-Key`, the answer has no `token`.
    """
    return await issue_token(
        call.tx, call.actor, body.api_token, days_max=call.settings.token_lifetime_days_max
    )


@delete("/api_tokens/{token_id}", permission="administration:write", urgent=True)
async def revoke_api_token(call: WriteCall) -> None:
    """Revoke a token and all that were issued by it: they open nothing any more, and stay in the list.

    A token revokes itself, and others that may do no more than it.
    """
    # What was revoked before stays as it is. Whoever issues a token meanwhile waits and then finds its own
    # revoked, or was before, and the new token is revoked with it.
    tx, actor = call.tx, call.actor
    number = token_number(call.path["token_id"])
    await read_api_token(tx, actor, number)
    await tx.execute(*locks.hold(locks.token_issue(actor.account_id)))
    before = await tokens_of_branch(tx, actor, number)
    standing = [token for token in before if token.revoked_at is None]
    for token in standing:
        if token.id != actor.token_id:
            refuse_beyond(actor, token.permissions, _REVOKES)
    await tx.execute(
        "UPDATE api_tokens SET revoked_at = now() WHERE id = ANY (%s)", ([token.id for token in standing],)
    )
    after = {token.id: token for token in await tokens_of_branch(tx, actor, number)}
    for token in standing:
        changes.record(
            tx,
            actor,
            action="api_token.revoke",
            target=str(token.id),
            before=_without_person(token),
            after=_without_person(after[token.id]),
        )


@patch(
    "/api_tokens/{token_id}",
    permission="administration:write",
    body=HandedOverTokenBody,
    returns=ApiToken,
    example={"api_token": {"user_email": "ada@plant.example"}},
)
async def reassign_api_token(call: WriteCall, body: HandedOverTokenBody) -> ApiToken:
    """Have a token act for another user, such as when its own was shut out; it may do what it could before.

    The caller has to hold all that the token and that user may do.
    """
    return await reassign_token(call.tx, call.actor, call.path["token_id"], body.api_token)


ROUTES = [list_api_tokens, create_api_token, reassign_api_token, revoke_api_token]
