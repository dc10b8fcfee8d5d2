"""Digests of slots: what each slot of a ledger was last computed from, so that it can be told unchanged.

Invariant: a slot has a digest only while its batches are what was computed from the data of that digest;
deleting one of them, or replacing the slot, forgets it.
"""

from collections.abc import Collection, Mapping

from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read, Write
from weighbridge.db.literal import moments

Digests = Mapping[Interval, bytes]
"""By slot."""


async def kept_digests(
    tx: Read, project: int, ledgers: Collection[int], slots: Collection[Interval]
) -> dict[Interval, list[bytes]]:
    """The digests that some ledgers have of slots, one for each ledger that has one."""
    rows = await tx.tuples(
        """
        SELECT start_time, end_time, digest FROM slot_digests
         WHERE project_id = %s AND ledger_id = ANY (%s) AND start_time = ANY (%s::timestamptz[])
        """,
        (project, [*ledgers], moments(slot.start for slot in slots)),
    )
    kept: dict[Interval, list[bytes]] = {}
    for start, end, digest in rows:
        kept.setdefault(Interval(start, end), []).append(digest)
    return kept


async def keep_digests(
    tx: Write,
    project: int,
    ledgers: Collection[int],
    digests: Digests,
    replaced: Collection[Interval] = (),
) -> None:
    """Note what slots were computed from, and forget it of those that they replace."""
    slots = [*replaced, *digests]
    if not slots:
        return
    await tx.execute(
        """
        DELETE FROM slot_digests
         WHERE project_id = %s AND ledger_id = ANY (%s)
           AND (start_time, end_time) IN (SELECT * FROM unnest(%s::timestamptz[], %s::timestamptz[]))
        """,
        (
            project,
            [*ledgers],
            moments(slot.start for slot in slots),
            moments(slot.end for slot in slots),
        ),
    )
    await tx.execute(
        """
        INSERT INTO slot_digests (project_id, ledger_id, start_time, end_time, digest)
        SELECT %s, ledger_id, start_time, end_time, digest
          FROM unnest(%s::integer[]) AS ledger (ledger_id),
               unnest(%s::timestamptz[], %s::timestamptz[], %s::bytea[])
                   AS slot (start_time, end_time, digest)
        """,
        (
            project,
            [*ledgers],
            moments(slot.start for slot in digests),
            moments(slot.end for slot in digests),
            [*digests.values()],
        ),
    )
