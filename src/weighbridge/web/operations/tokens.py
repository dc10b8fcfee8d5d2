"""Tokens: by which programs act, each shown once when it is made."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.core.platform.permission import ALL_PERMISSIONS
from weighbridge.core.platform.token import LIFETIME_DAYS_DEFAULT, LIFETIMES_DAYS
from weighbridge.platform.api_tokens.routes import create_api_token, list_api_tokens, revoke_api_token
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.operations.tasks import home_of
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view


def asked_for_tokens(visit: Visit) -> ListQuery:
    """What the list asks for."""
    return asked_for(visit.query)


async def tokens(visit: Visit) -> View:
    """Tokens of the account, and the form that makes one."""
    return await _tokens(visit)


@form("/api_tokens", permission="administration:write", again=tokens, everywhere=True)
async def make_token(visit: Visit) -> View:
    """Make a token; it is shown this once."""
    named = {
        "name": visit.text("name"),
        "permissions": list(visit.texts("permissions")),
        "expires_in_days": int(visit.text("days")) if visit.text("days").isdecimal() else None,
    }
    made = await visit.do(create_api_token, {"api_token": named})
    return await _tokens(visit, made=made)


@form("/api_tokens/{token_id}/revoke", permission="administration:write", again=tokens, everywhere=True)
async def revoke_token(visit: Visit) -> Moved:
    """Revoke a token with all that were issued by it."""
    await visit.do(revoke_api_token)
    return Moved(f"{home_of(visit)}/api_tokens", "The token opens nothing any more.")


async def _tokens(visit: Visit, made: object = None) -> View:
    found = await visit.ask(list_api_tokens, asked_for_tokens(visit))
    path = f"{home_of(visit)}/api_tokens"
    return view(
        "operations/tokens.html", "Tokens",
        call="/api_tokens", has_csv=True, tokens=found.data, made=made, path=path,
        list=ListView(path, visit.query, found.info), every=ALL_PERMISSIONS,
        lifetimes=LIFETIMES_DAYS, usual=LIFETIME_DAYS_DEFAULT,
    )  # fmt: skip


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(
        "/api_tokens", permission="administration:read", of=list_api_tokens, asked=asked_for_tokens,
        everywhere=True,
    )(tokens),
    *make_token,
    *revoke_token,
]  # fmt: skip
