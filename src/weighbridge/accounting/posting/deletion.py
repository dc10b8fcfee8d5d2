"""Delete batches: check what prevents it, reverse their entries, report the consequences, or try it
without effect.

Each entry of a deleted batch is reversed by an entry of the same kind with the opposite amount.

Invariants: all in all, a deleted batch has posted nothing. Deleting together what one generation made
restores every balance and deficit. Explicit inputs of a slot end with its last batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, LiteralString, NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.books.runs import COUNTS, SPAN, read_newly_stale
from weighbridge.accounting.posting.waiting_events import forget_seen
from weighbridge.accounting.records.batches import EndedInput, StandsAbove
from weighbridge.core import identity
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant, Interval, label_slot
from weighbridge.db.engine import Read, Write
from weighbridge.platform import changes, staleness
from weighbridge.platform.records import BATCH_DELETED

# Deletion: undoing all that batches posted, as if they had never been made.
#
# Each entry that a deleted batch posted, on whatever batch, is undone by an entry of the same kind with the
# opposite amount that names it; a deficit that it settled is open again. The batch's row stays.
#
# Blockers are found in the entries that would remain: a deleted batch must be left with
# nothing, no other batch with less than nothing, and nothing given back that was not taken. Batches that
# are deleted together do not block each other.
#
# Invariants: a deleted batch has posted nothing, all in all; deleting together what one generation made
# leaves every balance and deficit as it was before.


NEWER_BATCH: Final = "newer_batch"
DRAWN: Final = "drawn"
TAKEN: Final = "taken"
GIVEN_BACK: Final = "given_back"
SETTLED: Final = "settled"
REPORTED: Final = "reported"
REPLACED: Final = "slot_replaced"
OWN_FALL: Final = "own_fall"
"""Reported with the code of downward adjustments of other runs, in its own words."""

BLOCKERS: Final[Mapping[str, str]] = {
    NEWER_BATCH: "newer batches of its run adjust it: {records}. Delete those first, or together with it.",
    DRAWN: "what it credited or gave back is drawn by {records}.",
    TAKEN: "falls of other runs took from what it credited or gave back, posted by {records}.",
    OWN_FALL: "a fall of its own run that was settled later took from what it credited or gave back, posted"
    " by {records}.",
    GIVEN_BACK: "what it took was given back later by {records}.",
    SETTLED: "the deficit that it opened was settled by {records}.",
    REPORTED: "what it credited or gave back is held by the reports {records}.",
    REPLACED: "it brought its slot to zero, and these batches account for its time: {records}. Delete those"
    " first, or together with it.",
}
"""Why a batch cannot be deleted, by code."""

RECORDS_MAX: Final = 20
"""Batches that a blocker names; there may be more."""


async def list_blockers(tx: Read, project: int, batches: Sequence[int], field: str | None) -> list[Problem]:
    """List all blockers of deleting batches together."""
    rows = await tx.tuples(
        _BLOCKERS,
        {
            "project": project,
            "batches": list(batches),
            "codes": [NEWER_BATCH, DRAWN, TAKEN, GIVEN_BACK, SETTLED, REPORTED, REPLACED, OWN_FALL],
            "named": RECORDS_MAX,
        },
    )
    problems = []
    for batch, code, others in rows:
        kind = "report" if code == REPORTED else "batch"
        records = tuple(identity.of(kind, project, other) for other in others)
        why = BLOCKERS[code].format(records=", ".join(records))
        name = identity.of("batch", project, batch)
        reported_code = TAKEN if code == OWN_FALL else code
        problems.append(Problem(f"The batch {name} cannot be deleted: {why}", field, reported_code, records))
    return problems


async def undo_batches(tx: Write, project: int, batches: Sequence[int], task_id: int) -> None:
    """Undo all that batches posted, and mark them deleted; what is left of their runs becomes stale."""
    values = {"project": project, "batches": list(batches), "task": task_id}
    values["posted_at"] = await tx.value("SELECT clock_timestamp()")
    await tx.execute(_UNDO_ENTRIES, values)
    await tx.execute(_UNDO_DEFICITS, values)
    await tx.execute(
        """
        UPDATE batches SET deleted_at = %(posted_at)s
         WHERE project_id = %(project)s AND id = ANY (%(batches)s)
        """,
        values,
    )
    await tx.execute(_FORGET_MARKS, values)
    await tx.execute(_FORGET_DIGESTS, values)
    await forget_seen(tx, project, batches)
    rows = await tx.tuples(
        """
        SELECT id, run_id FROM batches
         WHERE project_id = %(project)s AND id = ANY (%(batches)s) AND run_id IS NOT NULL ORDER BY id
        """,
        values,
    )
    remaining_batches = [(run, identity.of("batch", project, batch)) for batch, run in rows]
    changes.leave(tx, project, staleness.StaleRuns(BATCH_DELETED, remaining_batches))


# What the deleted batches posted is undone, so what is left is what others posted. Of that, `held` is what
# one run took from a batch and has not given back, by draws of one node or by falls.
_BLOCKERS: Final[LiteralString] = (
    """
    WITH mine AS (
        SELECT e.posted_by, e.batch_id, sum(e.amount) AS gave, max(e.id) AS last, b.run_id, b.ledger_id
          FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.posted_by)
         WHERE e.project_id = %(project)s AND e.posted_by = ANY (%(batches)s)
         GROUP BY e.posted_by, e.batch_id, b.run_id, b.ledger_id
    ), others AS (
        SELECT e.batch_id, e.id, e.posted_by, e.kind, e.node, e.amount, e.run_id AS owner,
               e.ledger_id AS of_ledger, poster.run_id, poster.ledger_id, of.chain_id,
               e.batch_id = ANY (%(batches)s) AS is_deleted,
               sum(e.amount) OVER (PARTITION BY e.batch_id) AS balance,
               sum(e.amount) OVER (PARTITION BY e.batch_id, e.run_id, e.node, of.chain_id,
                                            e.kind = 'credit') AS held
          FROM ledger_entries e
          LEFT JOIN batches poster ON (poster.project_id, poster.id) = (e.project_id, e.posted_by)
          -- What reports take no batch posts.
          LEFT JOIN reports of ON (of.project_id, of.id) = (e.project_id, e.report_id) AND e.posted_by IS NULL
         WHERE e.project_id = %(project)s AND e.batch_id IN (SELECT batch_id FROM mine)
           AND (poster.id IS NULL OR poster.deleted_at IS NULL AND poster.id <> ALL (%(batches)s))
    ), left_in_force AS (
        -- A run that a deleted batch brought to zero would count again.
        SELECT old.project_id, old.id, old.run_id
          FROM batches old
         CROSS JOIN LATERAL (
            SELECT b.fingerprint FROM batches b
             WHERE (b.project_id, b.run_id, b.ledger_id) = (old.project_id, old.run_id, old.ledger_id)
               AND b.deleted_at IS NULL AND b.id <> ALL (%(batches)s) ORDER BY b.id DESC LIMIT 1) AS b
         WHERE old.project_id = %(project)s AND old.id = ANY (%(batches)s) AND old.deleted_at IS NULL
           AND """
    + COUNTS
    + """ AND old.fingerprint = sha256('no data')
    ), blocking AS (
        SELECT old.id AS batch_id, (%(codes)s::text[])[1] AS code, newer.id AS record
          FROM batches old
          JOIN batches newer ON (newer.project_id, newer.ledger_id, newer.run_id)
                              = (old.project_id, old.ledger_id, old.run_id)
         WHERE old.project_id = %(project)s AND old.id = ANY (%(batches)s) AND newer.id > old.id
           AND newer.deleted_at IS NULL AND newer.id <> ALL (%(batches)s)
        UNION
        SELECT mine.posted_by,
               CASE WHEN others.chain_id IS NOT NULL THEN (%(codes)s::text[])[6]
                    WHEN others.amount > 0 THEN (%(codes)s::text[])[4]
                    WHEN others.node IS NOT NULL THEN (%(codes)s::text[])[2]
                    -- What its own run fell by, a newer batch of the run posted.
                    WHEN (others.run_id, others.ledger_id) = (mine.run_id, mine.ledger_id)
                         THEN (%(codes)s::text[])[1]
                    -- A downward adjustment without a balance is settled by the batch that returns it.
                    WHEN (others.owner, others.of_ledger) = (mine.run_id, mine.ledger_id)
                         THEN (%(codes)s::text[])[8]
                    ELSE (%(codes)s::text[])[3] END,
               coalesce(others.posted_by, (
                   SELECT max(holder.id) FROM reports holder
                    WHERE (holder.project_id, holder.chain_id) = (%(project)s, others.chain_id)
                      AND holder.status IN ('submitting', 'submitted', 'failed', 'complete')))
          FROM others JOIN mine USING (batch_id)
         WHERE others.kind <> 'credit'
           AND CASE WHEN is_deleted THEN mine.posted_by = batch_id AND held * amount > 0
                    WHEN amount > 0 THEN held > 0
                    ELSE balance < 0 AND held < 0 AND mine.gave > 0 AND mine.last < others.id END
        UNION
        SELECT opened.posted_by, (%(codes)s::text[])[5], settled.posted_by
          FROM deficit_entries opened
          JOIN deficit_entries settled
            ON (settled.project_id, settled.ledger_id, settled.run_id)
             = (opened.project_id, opened.ledger_id, opened.run_id)
         WHERE opened.project_id = %(project)s AND opened.posted_by = ANY (%(batches)s) AND opened.amount > 0
           AND settled.amount < 0 AND settled.posted_by <> ALL (%(batches)s)
           AND EXISTS (SELECT FROM batches poster
                        WHERE (poster.project_id, poster.id) = (settled.project_id, settled.posted_by)
                          AND poster.deleted_at IS NULL)
           AND 0 > (SELECT sum(rest.amount) FROM deficit_entries rest
                     WHERE (rest.project_id, rest.ledger_id, rest.run_id)
                         = (opened.project_id, opened.ledger_id, opened.run_id)
                       AND rest.posted_by <> ALL (%(batches)s))
        UNION
        SELECT mine.id, (%(codes)s::text[])[7], b.id
          FROM left_in_force AS mine
          JOIN runs slot ON (slot.project_id, slot.id) = (mine.project_id, mine.run_id)
          JOIN runs other ON (other.project_id, other.family_id) = (slot.project_id, slot.family_id)
           AND NOT (other.by_event AND slot.by_event)
           AND (other.start_time, other.end_time) <> (slot.start_time, slot.end_time)
           AND """
    + SPAN.format("other")
    + " && "
    + SPAN.format("slot")
    + """
          JOIN batches b ON (b.project_id, b.run_id) = (other.project_id, other.id)
           AND """
    + COUNTS
    + """ AND b.deleted_at IS NULL AND b.id <> ALL (%(batches)s)
           AND NOT EXISTS (SELECT FROM batches newer
                            WHERE (newer.project_id, newer.run_id, newer.ledger_id)
                                = (b.project_id, b.run_id, b.ledger_id) AND newer.deleted_at IS NULL
                              AND newer.id > b.id AND newer.id <> ALL (%(batches)s))
    )
    SELECT batch_id, code, (array_agg(record ORDER BY record))[1:%(named)s] FROM blocking
     GROUP BY batch_id, code ORDER BY batch_id, code
"""
)

# Their slots are to be computed anew.
_FORGET_DIGESTS: Final = """
    DELETE FROM slot_digests d USING batches b
     WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s)
       AND (d.project_id, d.ledger_id, d.start_time, d.end_time)
         = (b.project_id, b.ledger_id, b.start_time, b.end_time)
"""

_UNDO_ENTRIES: Final = """
    WITH made AS MATERIALIZED (
        SELECT project_id, ledger_id, batch_id, kind, - amount, effective_at, posted_by, run_id, node, id,
               %(task)s::integer, %(posted_at)s::timestamptz
          FROM ledger_entries
         WHERE project_id = %(project)s AND posted_by = ANY (%(batches)s) AND reverses IS NULL
         ORDER BY id DESC)
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                run_id, node, reverses, async_task_id, posted_at)
    SELECT * FROM made
"""

_UNDO_DEFICITS: Final = """
    WITH made AS MATERIALIZED (
        SELECT project_id, ledger_id, run_id, posted_by, - amount, effective_at, id, %(task)s::integer,
               %(posted_at)s::timestamptz
          FROM deficit_entries
         WHERE project_id = %(project)s AND posted_by = ANY (%(batches)s) AND reverses IS NULL
         ORDER BY id DESC)
    INSERT INTO deficit_entries (project_id, ledger_id, run_id, posted_by, amount, effective_at, reverses,
                                 async_task_id, posted_at)
    SELECT * FROM made
"""

# A run without batches on a ledger is there as one that was never generated, and cannot be stale.
_FORGET_MARKS: Final = """
    DELETE FROM stale_runs s
     WHERE s.project_id = %(project)s
       AND s.run_id IN (SELECT run_id FROM batches
                         WHERE project_id = %(project)s AND id = ANY (%(batches)s))
       AND NOT EXISTS (SELECT FROM batches b
                        WHERE (b.project_id, b.run_id, b.ledger_id) = (s.project_id, s.run_id, s.ledger_id)
                          AND b.deleted_at IS NULL)
"""


# What a deletion ends and uncovers in addition to the entries that it undoes, and its part of the result.
#
# Invariants: what was named or skipped for a slot stays while any batch is there, of any partition
# or concurrent ledger, and ends with the last; where a run fell by a deleted batch, its higher balance is
# named.


class _Ended(msgspec.Struct, frozen=True):
    start_time: Instant
    end_time: Instant
    event: int | None
    tracking_id: str | None
    cadence: str
    time_zone: str
    number: int
    slug: str
    skipped: bool
    named: bool

    def ended(self, project: int) -> EndedInput:
        slot = identity.of("event", project, self.event) if self.event else self.tracking_id
        if slot is None:
            zone = ZoneInfo(self.time_zone)
            slot = label_slot(self.cadence, Interval(self.start_time, self.end_time), zone)
        return EndedInput(slot, self.number, self.slug, self.skipped, self.named)


async def end_inputs(tx: Write, project: int, batches: Sequence[int]) -> list[EndedInput]:
    """Forget what was named and skipped for slots that deleted batches left empty; gives what it was."""
    rows = await tx.rows(_Ended, _END_INPUTS, {"project": project, "batches": list(batches)})
    sorted_rows = sorted(rows, key=lambda row: (row.start_time, row.end_time, row.slug, row.number))
    return [row.ended(project) for row in sorted_rows]


async def read_higher_standings(tx: Read, project: int, batches: Sequence[int]) -> list[StandsAbove]:
    """Read which totals rise when adjusting batches are deleted, run by run; call it before the deletion."""
    rows: list[tuple[int, int, str, Decimal, Decimal]] = await tx.tuples(
        _STANDS_ABOVE, {"project": project, "batches": list(batches)}
    )
    return [
        StandsAbove(
            identity.of("ledger", project, ledger),
            identity.of("batch", project, batch),
            name,
            total,
            remaining,
            remaining - total,
        )
        for ledger, batch, name, total, remaining in rows
    ]


_END_INPUTS: Final = """
    WITH slot AS (
        SELECT DISTINCT r.family_id, r.by_event, r.event_id,
               CASE WHEN r.by_event AND r.event_id IS NULL THEN r.tracking_id END AS tracking_id,
               CASE WHEN NOT r.by_event THEN r.start_time END AS start_time,
               CASE WHEN NOT r.by_event THEN r.end_time END AS end_time, max(m.cadence) AS cadence
          FROM batches b
          JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
          JOIN models m ON m.id = b.model_id
         WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s)
         GROUP BY 1, 2, 3, 4, 5, 6
    ), empty AS (
        SELECT * FROM slot
         WHERE NOT EXISTS (
               SELECT FROM runs r
                 JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
                WHERE r.project_id = %(project)s AND r.family_id = slot.family_id
                  AND r.by_event = slot.by_event
                  AND CASE WHEN NOT slot.by_event
                           THEN (r.start_time, r.end_time) = (slot.start_time, slot.end_time)
                           WHEN slot.event_id IS NOT NULL THEN r.event_id = slot.event_id
                           ELSE r.event_id IS NULL AND r.tracking_id = slot.tracking_id END)
    )
    DELETE FROM slot_inputs i USING empty, data_point_types t, projects p
     WHERE i.project_id = %(project)s AND i.family_id = empty.family_id AND p.id = i.project_id
       AND (t.project_id, t.id) = (i.project_id, i.data_point_type_id)
       AND CASE WHEN NOT empty.by_event
                THEN num_nonnulls(i.event_id, i.tracking_id) = 0
                 AND (i.start_time, i.end_time) = (empty.start_time, empty.end_time)
                WHEN empty.event_id IS NOT NULL THEN i.event_id = empty.event_id
                ELSE i.tracking_id = empty.tracking_id END
    RETURNING i.start_time, i.end_time, i.event_id, i.tracking_id, empty.cadence, p.time_zone, t.id, t.slug,
              i.is_skipped, i.event_ids IS NOT NULL
"""

# The newest batch of a run on a ledger has its total, so the newest remaining batch has the current total.
_STANDS_ABOVE: Final = """
    SELECT b.ledger_id, b.id, b.tracking_id, b.total, coalesce(rest.total, 0)
      FROM (SELECT DISTINCT ON (ledger_id, run_id) * FROM batches
             WHERE project_id = %(project)s AND id = ANY (%(batches)s) AND run_id IS NOT NULL
             ORDER BY ledger_id, run_id, id DESC) AS b
      LEFT JOIN LATERAL (SELECT total FROM batches o
                          WHERE (o.project_id, o.run_id, o.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
                            AND o.deleted_at IS NULL AND o.id <> ALL (%(batches)s)
                          ORDER BY o.id DESC LIMIT 1) AS rest ON true
     WHERE b.total < coalesce(rest.total, 0)
     ORDER BY b.ledger_id, b.start_time, b.tracking_id, b.id
"""


# What a deletion would come to: it is carried out, compared with what was before, and undone by its caller.
#
# Invariant: ledgers and batches that are not named stay as they are.


class LedgerMoves(NamedTuple):
    """What a ledger holds and is short of, before and after, in its unit."""

    ledger: int
    name: str
    unit: str
    balance_before: Decimal
    balance_after: Decimal
    deficit_before: Decimal
    deficit_after: Decimal


class BatchMoves(NamedTuple):
    """What is left of a batch that stays, before and after, in its ledger's unit."""

    batch: int
    ledger: int
    tracking_id: str
    before: Decimal
    after: Decimal


@dataclass(frozen=True, slots=True)
class DeletionTrial:
    """What a deletion would come to."""

    ledgers: Sequence[LedgerMoves]
    batches: Sequence[BatchMoves]
    """Batches that stay and of which more or less is left: those that were drawn from, as a rule."""
    stale: Sequence[int]
    """Batches that stay and become stale."""
    ended: Sequence[EndedInput]
    above: Sequence[StandsAbove]


async def try_deletion(tx: Write, project: int, batches: Sequence[int], task: int) -> DeletionTrial:
    """Carry out a deletion, for the task that asks for it; the transaction must be undone afterwards."""
    values = {"project": project, "batches": list(batches)}
    ledgers = await tx.tuples(_LEDGERS, values)
    touched_batches = await tx.tuples(_TOUCHED, values)
    above = await read_higher_standings(tx, project, batches)
    await undo_batches(tx, project, batches, task)
    ended_inputs = await end_inputs(tx, project, batches)
    stale = await read_newly_stale(tx, project)
    balances_after = {
        number: (balance, deficit) for number, _, _, balance, deficit in await tx.tuples(_LEDGERS, values)
    }
    balances: dict[int, Decimal] = {
        number: balance for number, *_, balance in await tx.tuples(_TOUCHED, values)
    }
    return DeletionTrial(
        [
            LedgerMoves(
                number, name, unit, balance, balances_after[number][0], deficit, balances_after[number][1]
            )
            for number, name, unit, balance, deficit in ledgers
        ],
        [
            BatchMoves(number, ledger, name, balance, balances[number])
            for number, ledger, name, balance in touched_batches
            if balances[number] != balance
        ],
        [batch for batch in stale if batch not in batches],
        ended_inputs,
        above,
    )


_LEDGERS: Final = """
    SELECT l.id, l.name, l.unit,
           (SELECT trim_scale(coalesce(sum(b.balance), 0)) FROM batches b
             WHERE (b.project_id, b.ledger_id) = (l.project_id, l.id)),
           (SELECT coalesce(sum(d.amount), 0) FROM deficits d
             WHERE (d.project_id, d.ledger_id) = (l.project_id, l.id))
      FROM ledgers l
     WHERE l.project_id = %(project)s
       AND l.id IN (SELECT ledger_id FROM batches WHERE project_id = %(project)s AND id = ANY (%(batches)s)
                    UNION SELECT ledger_id FROM ledger_entries
                     WHERE project_id = %(project)s AND posted_by = ANY (%(batches)s))
     ORDER BY l.name, l.id
"""

_TOUCHED: Final = """
    SELECT b.id, b.ledger_id, b.tracking_id, trim_scale(b.balance) FROM batches b
     WHERE b.project_id = %(project)s AND b.id <> ALL (%(batches)s)
       AND b.id IN (SELECT batch_id FROM ledger_entries
                     WHERE project_id = %(project)s AND posted_by = ANY (%(batches)s))
     ORDER BY b.start_time, b.tracking_id, b.id
"""
