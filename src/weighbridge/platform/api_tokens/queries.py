"""Read tokens, without their secrets."""

from typing import Final

from psycopg.sql import SQL, Literal

from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Listing, ListRequest, Page, page_of, read_int4
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.api_tokens.records import ApiToken, TokenUser

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
)

_SOURCE: Final = "api_tokens t JOIN users u ON (u.account_id, u.id) = (t.account_id, t.user_id)"
API_TOKEN_ROW: Final = row_of(
    ApiToken,
    Column("id", "t.id"),
    Column("name", "t.name"),
    Column("permissions", "t.permissions"),
    Column("user", ("u.id", "u.name", "u.email"), TokenUser),
    Column("created_at", "t.created_at"),
    Column("expires_at", "t.expires_at"),
    Column("revoked_at", "t.revoked_at"),
    Column("last_used_at", "t.last_used_at"),
)


async def list_api_tokens(tx: Read, actor: Actor, request: ListRequest) -> Page[ApiToken]:
    """The tokens of the actor's account, those that no longer work included."""
    mine = SQL("t.account_id = {}").format(Literal(actor.account_id))
    return await page_of(
        tx,
        API_TOKEN_ROW.make,
        API_TOKENS,
        request,
        columns=API_TOKEN_ROW.columns,
        source=_SOURCE,
        where=[mine],
    )


async def get_api_token(tx: Read, actor: Actor, number: int) -> ApiToken:
    """One token of the actor's account."""
    api_token = await tx.row(
        API_TOKEN_ROW.make,
        f"SELECT {API_TOKEN_ROW.columns} FROM {_SOURCE} WHERE t.account_id = %s AND t.id = %s",
        (actor.account_id, number),
    )
    if api_token is None:
        raise NotFound
    return api_token


def token_number(text: str) -> int:
    """The number that a path names; 0, which no token has, for any other text."""
    try:
        return read_int4(text)
    except ValueError:
        return 0
