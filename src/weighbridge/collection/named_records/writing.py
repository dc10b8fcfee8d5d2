"""Writing named records: held while they change, audited, and removed only while nothing names them.

Invariant: whoever creates, changes or removes one leaves one audit row, with the record before and after.
"""

from typing import Protocol

from psycopg.sql import SQL, Identifier

from weighbridge.collection.named_records.kind import NamedKind
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.db.patch import remove_unused
from weighbridge.platform import changes


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


def record_creation(tx: Write, actor: Actor, kind: NamedKind, project: int, created: NamedRecord) -> None:
    """Record that there is a new record."""
    action = f"{kind.noun}.create"
    changes.record(tx, actor, action=action, target=created.id, project_id=project, after=created)


def record_change(
    tx: Write,
    actor: Actor,
    kind: NamedKind,
    project: int,
    held: changes.GenerationsHeldOff | None,
    *,
    before: NamedRecord,
    after: NamedRecord,
) -> None:
    """Record a change; of a name, while generations are held off."""
    action = f"{kind.noun}.update"
    changes.record(
        tx, actor, held, action=action, target=after.id, project_id=project, before=before, after=after
    )


async def remove(tx: Write, actor: Actor, kind: NamedKind, project: int, before: NamedRecord) -> None:
    """Remove a record that nothing names; the database itself refuses the others."""
    used = f"{kind.named_by} name the {kind.noun} {before.name!r}; it stays."
    await remove_unused(tx, kind.table, project, ids.number(kind.noun, before.id, project), used=used)
    action = f"{kind.noun}.delete"
    changes.record(tx, actor, action=action, target=before.id, project_id=project, before=before)
