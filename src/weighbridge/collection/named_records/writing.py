"""Writing named records: held while they change, audited, and removed only while nothing names them.

Invariant: whoever creates, changes or removes one leaves one audit row, with the record before and after.
"""

from typing import Any, Protocol

from psycopg.sql import SQL, Identifier

from weighbridge.collection.named_records.kind import NamedKind
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.db.patch import remove_unused
from weighbridge.platform.audit_log import actions as audit


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


async def record_creation(
    tx: Write, actor: Actor, kind: NamedKind, project: int, created: NamedRecord
) -> None:
    """Leave the audit row of a new record."""
    await _record(tx, actor, kind, "create", project, target=created, after=created)


async def record_change(
    tx: Write, actor: Actor, kind: NamedKind, project: int, *, before: NamedRecord, after: NamedRecord
) -> None:
    """Leave the audit row of a change."""
    await _record(tx, actor, kind, "update", project, target=after, before=before, after=after)


async def remove(tx: Write, actor: Actor, kind: NamedKind, project: int, before: NamedRecord) -> None:
    """Remove a record that nothing names; the database itself refuses the others."""
    used = f"{kind.named_by} name the {kind.noun} {before.name!r}; it stays."
    await remove_unused(tx, kind.table, project, ids.number(kind.noun, before.id, project), used=used)
    await _record(tx, actor, kind, "delete", project, target=before, before=before)


async def _record(
    tx: Write, actor: Actor, kind: NamedKind, verb: str, project: int, *, target: NamedRecord, **records: Any
) -> None:
    await audit.record(
        tx, actor, action=f"{kind.noun}.{verb}", target=target.id, project_id=project, **records
    )
