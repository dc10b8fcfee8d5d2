"""Paths of API tokens."""

from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform.api_tokens import actions, queries
from weighbridge.platform.api_tokens.records import (
    ApiToken,
    HandedOverTokenBody,
    IssuedApiToken,
    NewApiTokenBody,
    without_secret,
)


@get("/api_tokens", permission="administration:read", returns=Page[ApiToken], listing=queries.API_TOKENS)
async def list_api_tokens(call: ReadCall) -> Page[ApiToken]:
    """List the account's tokens, without their secrets."""
    return await queries.list_api_tokens(call.tx, call.actor, list_request(call.query, queries.API_TOKENS))


@post(
    "/api_tokens",
    permission="administration:write",
    body=NewApiTokenBody,
    returns=IssuedApiToken,
    kept=without_secret,
)
async def create_api_token(call: WriteCall, body: NewApiTokenBody) -> IssuedApiToken:
    """Create a token; the answer shows it this once.

    A token can be given only permissions that the caller's own token has, and act for no user who may do more
    than the caller. Its expiry cannot be changed.
    Repeated with the same `Idempotency-Key`, the answer has no `token`.
    """
    return await actions.issue_token(
        call.tx, call.actor, body.api_token, days_max=call.settings.token_lifetime_days_max
    )


@delete("/api_tokens/{token_id}", permission="administration:write", urgent=True)
async def revoke_api_token(call: WriteCall) -> None:
    """Revoke a token and all that were issued by it: they open nothing any more, and stay in the list.

    A token revokes itself, and others that may do no more than it.
    """
    await actions.revoke_token(call.tx, call.actor, call.path["token_id"])


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
    return await actions.reassign_token(call.tx, call.actor, call.path["token_id"], body.api_token)


ROUTES = [list_api_tokens, create_api_token, reassign_api_token, revoke_api_token]
