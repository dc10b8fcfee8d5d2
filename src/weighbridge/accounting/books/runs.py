"""Identify runs: slot and partition, the fingerprint of the data, and the slots in force on a ledger.

Invariants: within a project, no two runs of a model share an identity. A slot of cadence `event` is
identified by its event or tracking ID, so correcting a time does not change the run. Two runs with
equal fingerprints have equal results. The differences of a run's batches add up to its total. No two
slots in force share time, except slots of events or tracking IDs.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.records.batches import ValueSourceShares
from weighbridge.core.engine import PartitionRun
from weighbridge.core.engine.slot_computation import Drawn
from weighbridge.core.ledger.allocation import Partition, of_columns, shares_of
from weighbridge.core.model import Available, Model
from weighbridge.core.quantity.number import EXACT, ZERO, digits, plain
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.time.cadence import EventSlot, slot_of
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db.engine import Read, Write
from weighbridge.db.literal import moments, nothings
from weighbridge.platform.changes.staleness import IS_NEWEST

# The identity of a run: the slot and the partition that it is of, and the columns that say so.
#
# Invariants: no two runs of a model in a project have the same identity; a slot of events is its event or
# its tracking id, whatever its times are, so that a run stays the same run when they are corrected.


CHUNK_SIZE: Final = 1000
"""Events in one row of lineage, which has the events of a batch in the order in which they count."""


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """What tells a run from the others of its model."""

    slot: Interval
    partition: Partition

    @property
    def order(self) -> tuple[object, ...]:
        """By what runs are ordered."""
        return self.slot.start, self.slot.end, self.partition.label


class SlotRow(msgspec.Struct, frozen=True):
    """The columns of a run that make its slot."""

    start_time: Instant
    end_time: Instant
    by_event: bool
    event: int | None
    tracking_id: str | None

    @property
    def slot(self) -> Interval:
        """The slot as it was when the run was computed last."""
        return slot_of(
            self.start_time,
            self.end_time,
            by_event=self.by_event,
            event=self.event,
            tracking_id=self.tracking_id,
        )


class RunRow(SlotRow, frozen=True):
    """The columns of a run that make its identity; a record that begins with RUN_COLUMNS extends it."""

    feedstock: str | None
    asset: str | None

    @property
    def partition(self) -> Partition:
        return Partition(self.tracking_id, self.feedstock, self.asset)


SLOT_COLUMNS: Final[LiteralString] = """
    r.start_time, r.end_time, r.by_event, r.event_id, CASE WHEN r.by_event THEN r.tracking_id END
"""
"""The slot of a run `r`, as SlotRow reads it: runs of one slot have the same."""

RUN_COLUMNS: Final[LiteralString] = """
    r.start_time, r.end_time, r.by_event, r.event_id, r.tracking_id, f.name, a.name
"""
"""The identity of a run `r`, as RunRow reads it; needs RUN_TAGS."""

RUN_TAGS: Final[LiteralString] = """
    LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
    LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
"""
"""What the feedstock `f` and the asset `a` of a run `r` are called."""

RUNS_OF_SLOTS: Final = SQL("""(
    WITH slot AS (
        SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(slot_events)s::bigint[],
                             %(slot_tracking_ids)s::text[])
                      WITH ORDINALITY AS slot (start_time, end_time, event_id, tracking_id, number)
    )
    SELECT slot.number AS slot, runs.* FROM slot
      JOIN runs ON (runs.start_time, runs.end_time) = (slot.start_time, slot.end_time) AND NOT runs.by_event
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
       AND num_nonnulls(slot.event_id, slot.tracking_id) = 0
    UNION ALL
    SELECT slot.number, runs.* FROM slot
      JOIN runs ON runs.event_id = slot.event_id AND runs.by_event
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
    UNION ALL
    SELECT slot.number, runs.* FROM slot
      JOIN runs ON runs.tracking_id = slot.tracking_id AND runs.by_event AND runs.event_id IS NULL
     WHERE runs.project_id = %(project)s AND runs.family_id = %(family)s
) AS r""")
"""Runs `r` of one model with the position of their slot, counted from 1; parameters project, family and those
of `slot_columns`."""


def slot_columns(slots: Sequence[Interval]) -> Mapping[str, list[Any] | str]:
    """Slots as the arrays that a statement takes."""
    times = {"starts": moments(slot.start for slot in slots), "ends": moments(slot.end for slot in slots)}
    of_events = [slot if isinstance(slot, EventSlot) else None for slot in slots]
    if not any(of_events):
        return {**times, "slot_events": nothings(len(slots)), "slot_tracking_ids": nothings(len(slots))}
    return {
        **times,
        "slot_events": [(slot and slot.event) or None for slot in of_events],
        "slot_tracking_ids": [(slot and slot.tracking_id) or None for slot in of_events],
    }


# The fingerprint of a run: a digest of everything that its result depends on.
#
# Two runs of the same fingerprint come to the same; a batch whose run has another one is made anew. What an
# event says is told by its id and the corrections in force on it, for a captured value never changes.
#
# A run of which no data is left has a fingerprint of its own: its data have left it, or other slots have
# taken its time, and its batch brings it to zero. A run counts something while its newest batch on a ledger
# has another one.
#
# Invariants: neither the order of events nor the way they were grouped shows; another value, time, weight,
# static input or draw does, also where the totals stay equal.


NO_DATA: Final = hashlib.sha256(b"no data").digest()
"""The fingerprint of a batch that was made of nothing."""

COUNTS: Final[LiteralString] = "(b.fingerprint <> sha256('no data'))"
"""Whether a batch `b` was made of data; those of instruments have no fingerprint, and no run."""


def fingerprint(
    model_sha256: bytes,
    computed: PartitionRun,
    names: Mapping[int, Sequence[str]] | None = None,
    unread: Collection[str] = (),
) -> bytes:
    """Digest a run; `names` are the nodes that read each source, which do not depend on its number.

    Nodes that only see what another ledger holds stay unread and count by what is made of them: what runs
    have drawn since is no reason to make a batch anew.
    """
    digest = hashlib.sha256(model_sha256)
    for line in sorted(_lines_of_data(computed, names or {})):
        digest.update(f"{line}\n".encode())
    for line in draw_lines(computed.draws):
        digest.update(line.encode())
    for slug, reading in computed.readings.items():
        if slug in unread:
            continue
        digest.update(f"{slug} {digits(reading.amount)} {digits(reading.whole)}\n".encode())
    return digest.digest()


def _lines_of_data(computed: PartitionRun, names: Mapping[int, Sequence[str]]) -> Iterator[str]:
    counts: dict[int, int] = {}
    hashes: dict[int, Decimal] = {}
    for group in computed.groups:
        counts[group.source] = counts.get(group.source, 0) + group.event_count
        hashes[group.source] = EXACT.add(hashes.get(group.source, ZERO), group.digest)
    for source, elements in computed.used.items():
        counts[source] = len(elements)
        hashes[source] = Decimal(sum(element.digest for element in elements))
    for source, count in counts.items():
        yield f"{','.join(names.get(source, [str(source)]))} {count} {plain(hashes[source])}"
    for slug, numbers in computed.statics.items():
        yield f"{slug} {sorted(numbers)}"
    for slug in computed.skipped:
        yield f"{slug} set aside"


def seen_only(model: Model) -> list[str]:
    """The nodes that only see what another ledger holds."""
    return [node.slug for node in model.nodes if isinstance(node.body, Available)]


def draw_lines(draws: Iterable[Drawn]) -> Iterator[str]:
    """What a run's result owes to its draws, line by line."""
    for draw in draws:
        along = [f"{plain(value)} {unit}" for value, unit in zip(draw.attributes, draw.units, strict=True)]
        yield " ".join([draw.node, str(draw.source.number), plain(draw.amount), *along]) + "\n"


# Slots in force on a ledger, and those of them that share time, of which no books may have any.
#
# A slot is in force on a ledger while a run of it counts something there (`fingerprint`). While no two
# share time, an event that lies in a slot counts in that one alone. Slots of events may share time with one
# another, for each has its own event; those of tracking ids likewise.


IN_FORCE: Final[LiteralString] = f"(b.run_id IS NOT NULL AND {COUNTS} AND {IS_NEWEST})"
"""Whether a batch `b` is the newest of its run on its ledger and was made of data."""

SPAN: Final[LiteralString] = """
    tstzrange({0}.start_time, greatest({0}.end_time, {0}.start_time + interval '1 millisecond'))
"""
"""The time of a slot, of a table with its bounds; a reading holds its own instant."""

# Of two slots that share time the later one is told. What comes before it in time may reach into it: of slots
# of one kind of event only those of another kind, or cut by a clock.
SHARING_TIME: Final[LiteralString] = f"""
    WITH slot AS (
        SELECT b.project_id, b.ledger_id, r.family_id, r.start_time, upper({SPAN.format("r")}) AS end_time,
               CASE WHEN NOT r.by_event THEN 'time' WHEN r.event_id IS NULL THEN 'tracking_id'
                    ELSE 'event' END AS kind,
               min(b.id) AS batch_id
          FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
         WHERE %condition% AND {IN_FORCE}
         GROUP BY 1, 2, 3, 4, 5, 6
    ), reaching AS (
        SELECT *,
               max(end_time) FILTER (WHERE kind = 'time') OVER earlier AS time_end,
               max(end_time) FILTER (WHERE kind = 'event') OVER earlier AS event_end,
               max(end_time) FILTER (WHERE kind = 'tracking_id') OVER earlier AS tracking_end
          FROM slot
        WINDOW earlier AS (PARTITION BY project_id, ledger_id, family_id
                           ORDER BY start_time, end_time, kind, batch_id
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
    SELECT project_id, ledger_id, batch_id, start_time, end_time FROM reaching
     WHERE greatest(time_end, CASE WHEN kind <> 'event' THEN event_end END,
                    CASE WHEN kind <> 'tracking_id' THEN tracking_end END) > start_time
"""


def sharing_time(condition: LiteralString) -> LiteralString:
    """A batch of each slot in force that shares time with an earlier one, of batches `b` of a condition."""
    return SHARING_TIME.replace("%condition%", condition)


# Digests of slots: what each slot of a ledger was last computed from, so that it can be told unchanged.
#
# Invariant: a slot has a digest only while its batches are what was computed from the data of that digest;
# deleting one of them, or replacing the slot, forgets it.


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


def keep_digests(
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
    tx.later(
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
    tx.later(
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


# What a batch `b` tells of its run: what it adds to its total, what that is, and which batches adjust it.
#
# Invariant: the differences of a run's batches add up to its total.


# What a batch adds to its run, signed: a fall, or a rise that first gives back what falls took, credits less.
# Batches of a run are deleted from the newest on, so those that are there stand on one another.
DIFFERENCE: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NULL THEN b.total ELSE trim_scale(b.total - (
        SELECT earlier.total FROM batches earlier
         WHERE (earlier.project_id, earlier.run_id, earlier.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND earlier.id < b.id AND earlier.deleted_at IS NULL
         ORDER BY earlier.id DESC LIMIT 1)) END
"""
# The first batch of a run says what that comes to now, an adjusting one what it came to by then.
RUN_TOTAL: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL THEN b.total ELSE (
        SELECT newest.total FROM batches newest
         WHERE (newest.project_id, newest.run_id, newest.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND newest.deleted_at IS NULL
         ORDER BY newest.id DESC LIMIT 1) END
"""
ADJUSTED_BY: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NULL AND b.run_id IS NOT NULL THEN ARRAY(
        SELECT later.id FROM batches later
         WHERE (later.project_id, later.run_id, later.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND later.id > b.id AND later.deleted_at IS NULL
         ORDER BY later.id) END
"""

RESTS_ON: Final[LiteralString] = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL THEN CASE WHEN b.total <> 0 THEN c.contributions END
    ELSE (SELECT CASE WHEN newest.total <> 0 THEN (
                 SELECT s.contributions FROM batch_calculations s
                  WHERE (s.project_id, s.batch_id) = (newest.project_id, newest.id) AND s.is_primary) END
            FROM (SELECT run.project_id, run.id, run.total FROM batches run
                   WHERE (run.project_id, run.run_id, run.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
                     AND run.deleted_at IS NULL
                   ORDER BY run.id DESC LIMIT 1) AS newest) END
"""
"""By value source, what the run of a batch rests on: as with the total, and nothing rests on nothing."""


# Shares of value sources: how much of what a run comes to was measured, and how much was not.


def value_source_shares(contributions: Sequence[Decimal] | None) -> ValueSourceShares | None:
    """The shares that follow from what contributes, source by source; None where nothing does."""
    shares = None if contributions is None else shares_of(of_columns(contributions))
    return None if shares is None else ValueSourceShares(*(shares[source] for source in ValueSource))


def measured_share(shares: ValueSourceShares | None) -> Decimal | None:
    """The share of what was measured."""
    return None if shares is None else shares.captured
