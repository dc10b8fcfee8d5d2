"""Read a version with its document, to run it, look into it or change it.

Invariants: of another account's models there is none; a version that is going to be changed is locked.
"""

from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.errors import NotFound


class StoredModel(msgspec.Struct, frozen=True):
    """A version with its document, and the project and family that it belongs to."""

    id: int
    family: int
    project: int | None
    name: str
    version: int
    sha256: bytes
    document: str


_VERSIONS: Final = """
    SELECT m.id, m.family_id, f.project_id, m.name, m.version, m.sha256, m.document
      FROM models m JOIN model_families f ON f.id = m.family_id
"""


async def owned_model(tx: Read, actor: Actor, friendly: str, *, is_changed: bool = False) -> StoredModel:
    """A version of the account's models by its public id; NotFound when the account has none."""
    statement = SQL(_VERSIONS + "WHERE f.account_id = %s AND m.id = %s {}").format(
        SQL("FOR NO KEY UPDATE OF m" if is_changed else "")
    )
    version = await tx.row(StoredModel, statement, (actor.account_id, ids.number("model", friendly)))
    if version is None:
        raise NotFound("model", friendly)
    return version


async def stored_model(tx: Read, number: int) -> StoredModel:
    """A version by its number; NotFound when there is none."""
    version = await tx.row(StoredModel, _VERSIONS + "WHERE m.id = %s", (number,))
    if version is None:
        raise NotFound("model", ids.of("model", 0, number))
    return version
