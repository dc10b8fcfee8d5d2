"""Make a token, and recognise one."""

import secrets
from datetime import timedelta

from weighbridge.core import token as tokens
from weighbridge.core.permission import ALL_PERMISSIONS, Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, Write
from weighbridge.errors import Invalid, Unauthorized
from weighbridge.resources.audit_log import actions as audit


async def create_token(
    tx: Write, actor: Actor, *, user_id: int, name: str, permissions: list[str], lifetime_days: int | None
) -> str:
    """Make a token for a user of the actor's account and give its text, which is not stored."""
    problems = [
        Problem(
            f"The permission {permission!r} does not exist; there are {', '.join(ALL_PERMISSIONS)}.",
            "permissions",
            "invalid",
        )
        for permission in permissions
        if permission not in ALL_PERMISSIONS
    ]
    if not permissions:
        problems.append(Problem("A token needs at least one permission.", "permissions", "required"))
    if not name.strip():
        problems.append(Problem("A token needs a name.", "name", "required"))
    if lifetime_days is not None and lifetime_days not in tokens.LIFETIMES_DAYS:
        offered = ", ".join(map(str, tokens.LIFETIMES_DAYS))
        problems.append(
            Problem(
                f"A token lives {offered} days or for ever, not {lifetime_days} days.", "expires", "invalid"
            )
        )
    if problems:
        raise Invalid(problems)
    random_part = "".join(secrets.choice(tokens.ALPHABET) for _ in range(tokens.RANDOM_LENGTH))
    token = tokens.assemble(random_part)
    lifetime = None if lifetime_days is None else timedelta(days=lifetime_days)
    token_id: int = await tx.value(
        """
        INSERT INTO api_tokens (account_id, user_id, name, secret_hash, permissions, expires_at)
        VALUES (%s, %s, %s, %s, %s, now() + %s) RETURNING id
        """,
        (
            actor.account_id,
            user_id,
            name.strip(),
            tokens.secret_hash(token),
            sorted(set(permissions)),
            lifetime,
        ),
    )
    made = {"name": name.strip(), "permissions": sorted(set(permissions)), "lifetime_days": lifetime_days}
    await audit.record(tx, actor, action="api_token.create", target=str(token_id), after=made)
    return token


async def authenticate(database: Database, token: str, request_id: str) -> Actor:
    """Find whom a token acts for; raise Unauthorized when it is unknown, expired or revoked."""
    if not tokens.is_well_formed(token):
        raise Unauthorized("The token is not one of this service.")
    found = await database.single(
        """
        SELECT id, account_id, user_id, permissions, revoked_at IS NOT NULL,
               coalesce(expires_at <= now(), false)
          FROM api_tokens WHERE secret_hash = %s
        """,
        (tokens.secret_hash(token),),
    )
    if found is None:
        raise Unauthorized("The token is not one of this service.")
    token_id, account_id, user_id, permissions, is_revoked, is_expired = found
    if is_revoked:
        raise Unauthorized("The token has been revoked.")
    if is_expired:
        raise Unauthorized("The token has expired.")
    return Actor(account_id, user_id, token_id, frozenset(permissions), request_id)
