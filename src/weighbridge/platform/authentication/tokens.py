"""Find whom a token acts for, by asking the database or by what the process remembers.

`recall_authorization` gives whom the token acted for when it was last looked at. It serves to check a request
before the one statement that executes it. That statement asks by `TOKEN_STANDS` whether the token still acts
for the same user with the same permissions, and does nothing otherwise: a token that was revoked before a
request came has no effect.

Invariants: the secret is not remembered, only its SHA-256; a recalled actor is given to nothing but
statements that ask.
"""

from typing import Final

from weighbridge.core.platform import permission
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database, suppress_failed_write
from weighbridge.errors import Unauthorized
from weighbridge.http.endpoints.endpoint import CachedAuthorization

USE_IS_RECORDED: Final = "coalesce(last_used_at >= now() - interval '1 hour', false)"
"""That a token is in use is written down once an hour, for each request must not cost a write."""

TOKEN_STANDS: Final = f"""
    EXISTS (SELECT FROM api_tokens
             WHERE secret_hash = %(secret_hash)s AND id = %(token)s
               AND account_id = %(account)s AND user_id = %(user)s AND permissions @> %(permissions)s::text[]
               AND permissions <@ %(permissions)s::text[]
               AND revoked_at IS NULL AND coalesce(expires_at > now(), true) AND {USE_IS_RECORDED})
"""
"""A condition for a statement that executes a request; its parameters are those of a cached authorization."""


async def authenticate(database: Database, token: str, request_id: str) -> Actor:
    """Find whom a token acts for; raise Unauthorized when it is unknown, expired or revoked."""
    if not permission.is_well_formed(token):
        raise Unauthorized("The token is not one of this service.", "token_unknown")
    secret_hash = permission.hash_token(token)
    row = await database.single(
        f"""
        SELECT id, account_id, user_id, permissions, revoked_at IS NOT NULL,
               coalesce(expires_at <= now(), false), NOT {USE_IS_RECORDED}
          FROM api_tokens WHERE secret_hash = %s
        """,
        (secret_hash,),
    )
    if row is None:
        raise Unauthorized("The token is not one of this service.", "token_unknown")
    token_id, account_id, user_id, permissions, is_revoked, is_expired, is_use_unrecorded = row
    if is_revoked:
        raise Unauthorized("The token has been revoked.", "token_revoked")
    if is_expired:
        raise Unauthorized("The token has expired.", "token_expired")
    if is_use_unrecorded:
        await _record_use(database, token_id)
    actor = Actor(account_id, user_id, token_id, frozenset(permissions), request_id)
    _remember(database, secret_hash, actor)
    return actor


async def _record_use(database: Database, token_id: int) -> None:
    """Write down that a token is in use: once an hour, for each request must not cost a write.

    Where that cannot be written, the token acts all the same: a full disk must not keep anybody from reading.
    """
    with suppress_failed_write("last use of a token"):
        await database.single(
            f"""
            UPDATE api_tokens SET last_used_at = now() WHERE id = %s AND NOT {USE_IS_RECORDED} RETURNING id
            """,
            (token_id,),
        )


def _remember(database: Database, secret_hash: bytes, actor: Actor) -> None:
    """Remember whom a token acts for."""
    values = {
        "secret_hash": secret_hash,
        "token": actor.token_id,
        "account": actor.account_id,
        "user": actor.user_id,
        "permissions": f"{{{','.join(sorted(actor.permissions))}}}",
    }
    database.memory.keep(("token", secret_hash), (actor.permissions, values), len(actor.permissions))


def recall_authorization(database: Database, token: str, request_id: str) -> CachedAuthorization | None:
    """Whom the token acted for when it was last looked at."""
    remembered = database.memory.recall(("token", permission.hash_token(token)))
    if remembered is None:
        return None
    permissions, values = remembered
    actor = Actor(values["account"], values["user"], values["token"], permissions, request_id)
    return CachedAuthorization(actor, values["token"], values)
