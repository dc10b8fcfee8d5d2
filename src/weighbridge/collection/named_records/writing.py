"""Writing named records: held while they change, and removed only while nothing names them."""

from typing import Protocol

from psycopg.sql import SQL, Identifier

from weighbridge.collection.named_records.kind import NamedKind
from weighbridge.core.identity import ids
from weighbridge.db.engine import Write
from weighbridge.db.patch import remove_unused


class NamedRecord(Protocol):
    """What all of these records show."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


async def hold(tx: Write, kind: NamedKind, project: int, number: int) -> None:
    """Nobody else changes the record until the transaction ends."""
    statement = SQL("SELECT FROM {} WHERE project_id = %s AND id = %s FOR UPDATE")
    await tx.execute(statement.format(Identifier(kind.table)), (project, number))


async def remove(tx: Write, kind: NamedKind, project: int, before: NamedRecord) -> None:
    """Remove a record that nothing names; the database itself refuses the others."""
    used = f"{kind.named_by} name the {kind.noun} {before.name!r}; it stays."
    await remove_unused(tx, kind.table, project, ids.number(kind.noun, before.id, project), used=used)
