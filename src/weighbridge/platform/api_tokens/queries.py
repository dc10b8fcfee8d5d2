"""Read tokens, without their secrets."""

from typing import Final

from psycopg.sql import SQL

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, among, read_int4, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.platform.api_tokens.records import ApiToken, TokenUser
from weighbridge.platform.tenancy.scope import find, of_account

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


async def list_api_tokens(tx: Read, actor: Actor, request: ListRequest) -> Page[ApiToken]:
    """The tokens of the actor's account, those that no longer work included."""
    return await read_page(
        tx, API_TOKEN, API_TOKENS, request, source=_SOURCE, where=[of_account(actor, "t.account_id")]
    )


async def get_api_token(tx: Read, actor: Actor, number: int) -> ApiToken:
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
