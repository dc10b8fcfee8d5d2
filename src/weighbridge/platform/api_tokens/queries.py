"""Read tokens, without their secrets."""

from typing import Final

from psycopg.sql import SQL, Literal

from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Listing, ListRequest, Page, page_of, read_int4
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
_COLUMNS: Final = """
    t.id, t.name, t.permissions, u.id, u.name, u.email, t.created_at, t.expires_at, t.revoked_at,
    t.last_used_at
"""


async def list_api_tokens(tx: Read, actor: Actor, request: ListRequest) -> Page[ApiToken]:
    """The tokens of the actor's account, those that no longer work included."""
    mine = SQL("t.account_id = {}").format(Literal(actor.account_id))
    return await page_of(tx, _api_token, API_TOKENS, request, columns=_COLUMNS, source=_SOURCE, where=[mine])


async def get_api_token(tx: Read, actor: Actor, number: int) -> ApiToken:
    """One token of the actor's account."""
    api_token = await tx.row(
        _api_token,
        f"SELECT {_COLUMNS} FROM {_SOURCE} WHERE t.account_id = %s AND t.id = %s",
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


def _api_token(
    number: int, name: str, permissions: list[str], user: int, user_name: str, email: str,
    created: Instant, expires: Instant | None, revoked: Instant | None, last_used: Instant | None,
) -> ApiToken:  # fmt: skip
    return ApiToken(
        number, name, permissions, TokenUser(user, user_name, email), created, expires, revoked, last_used
    )
