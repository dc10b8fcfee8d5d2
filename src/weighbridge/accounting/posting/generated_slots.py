"""Generated slots: up to which moment each slot of a ledger has seen its data.

What counts of the events of a slot only a generation can say; what it has not seen yet is told by this alone.

Invariant: whatever was stored by a transaction that began before a slot's moment was visible to the snapshot
that the slot was generated from. The moment lies before the snapshot, and before every transaction that was
under way then, for what those store is not in the snapshot although it bears an earlier time. A slot of which
a batch was deleted has seen nothing.
"""

from collections.abc import Sequence

from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.time.cadence import EVENT
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read, Write
from weighbridge.db.literal import moments


async def moment_before(tx: Read) -> object:
    """The moment up to which a snapshot that is taken after this sees all that was stored."""
    return await tx.value(_MOMENT)


async def keep_seen(tx: Write, scope: Scope, seen_until: object) -> None:
    """Note up to which moment the slots of a scope have seen all data, and forget those that they replace."""
    ledgers = [ledger.number for ledger in scope.ledgers]
    if scope.replaced:
        await tx.execute(_FORGET, (scope.project, ledgers, *_times(scope.replaced)))
    # An event that would make a slot has none yet: what was asked for is what was looked through.
    slots = (scope.requested,) if scope.model.cadence == EVENT else scope.slots
    await tx.execute(_KEEP, (scope.project, seen_until, ledgers, *_times(slots)))


async def forget_seen(tx: Write, project: int, batches: Sequence[int]) -> None:
    """Have the slots of deleted batches seen nothing: what counted in them is to be generated again.

    Whatever other batches count of these slots is theirs, and waits for nothing.
    """
    await tx.execute(_UNSEE, {"project": project, "batches": [*batches]})


def _times(slots: tuple[Interval, ...]) -> tuple[object, object]:
    return moments(slot.start for slot in slots), moments(slot.end for slot in slots)


_MOMENT = """
    SELECT least(clock_timestamp(), min(xact_start)) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
_FORGET = """
    DELETE FROM generated_slots
     WHERE project_id = %s AND ledger_id = ANY (%s)
       AND (start_time, end_time) IN (SELECT * FROM unnest(%s::timestamptz[], %s::timestamptz[]))
"""
# A batch of one event lies in a range that was asked for, and has no slot of its own.
_UNSEE = """
    UPDATE generated_slots slot SET seen_until = 'epoch'
      FROM batches b
     WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s) AND b.run_id IS NOT NULL
       AND (slot.project_id, slot.ledger_id) = (b.project_id, b.ledger_id)
       AND slot.start_time <= b.start_time AND slot.end_time >= b.end_time
"""
_KEEP = """
    INSERT INTO generated_slots (project_id, ledger_id, start_time, end_time, seen_until)
    SELECT %s, ledger_id, start_time, end_time, %s
      FROM unnest(%s::integer[]) AS ledger (ledger_id),
           (SELECT DISTINCT * FROM unnest(%s::timestamptz[], %s::timestamptz[]))
               AS slot (start_time, end_time)
    ON CONFLICT (project_id, ledger_id, start_time, end_time)
    DO UPDATE SET seen_until = greatest(generated_slots.seen_until, excluded.seen_until)
"""
