"""A presumption: whom a token acted for when it was last looked at, before asking whether it still does.

It serves to check a request before the one statement that carries it out. That statement asks by
`TOKEN_STANDS` whether the token still acts for the same user with the same permissions, and does nothing
otherwise: a token that was revoked before a request came carries nothing out.

Invariants: the secret is not remembered, only its SHA-256; a presumed actor is given to nothing but
statements that ask.
"""

from typing import Final

from weighbridge.core.platform import permission
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database
from weighbridge.http.shortcut import Presumption

USE_IS_RECORDED: Final = "coalesce(last_used_at >= now() - interval '1 hour', false)"
"""That a token is in use is written down once an hour, for each request must not cost a write."""

TOKEN_STANDS: Final = f"""
    EXISTS (SELECT FROM api_tokens
             WHERE secret_hash = %(secret_hash)s AND id = %(token)s
               AND account_id = %(account)s AND user_id = %(user)s AND permissions @> %(permissions)s::text[]
               AND permissions <@ %(permissions)s::text[]
               AND revoked_at IS NULL AND coalesce(expires_at > now(), true) AND {USE_IS_RECORDED})
"""
"""A condition for the statement that carries a request out; its parameters are a presumption's values."""


def remember(database: Database, secret_hash: bytes, actor: Actor) -> None:
    """Remember whom a token acts for."""
    values = {
        "secret_hash": secret_hash,
        "token": actor.token_id,
        "account": actor.account_id,
        "user": actor.user_id,
        "permissions": f"{{{','.join(sorted(actor.permissions))}}}",
    }
    database.memory.keep(("token", secret_hash), (actor.permissions, values), len(actor.permissions))


def presume(database: Database, token: str, request_id: str) -> Presumption | None:
    """Whom the token acted for when it was last looked at."""
    remembered = database.memory.recall(("token", permission.hash_token(token)))
    if remembered is None:
        return None
    permissions, values = remembered
    actor = Actor(values["account"], values["user"], values["token"], permissions, request_id)
    return Presumption(actor, values["token"], values)
