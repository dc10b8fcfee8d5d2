"""The batches that a report rests on, the events as these batches saw them, and the provenance that names
them.

Invariants: whatever one of the batches rests on is among them; memory is in proportion to the events
that were corrected, and to one chunk of the others.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.inputs.selection import EVENT_AS_USED
from weighbridge.core.bundle.rows import EventTypeRow
from weighbridge.core.bundle.tables import BatchLineage, DrawRead, SetRead, SlotLine, write_ranges
from weighbridge.core.identity import ids
from weighbridge.core.quantity.number import plain
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal

# Which batches a report rests on: those that it takes of, and all that these rest on, over every draw.
#
# A batch rests on the batches of its slot that the same generation made, on the newest of the slot's other
# runs (what was shared was divided among all of them), on all batches of its run, and on what it drew of.
# So the newest batch of each run is there, which says what the run comes to.
#
# A report that was sent off rests on what its runs came to at that moment; what came later is stated by
# another report.
#
# Invariant: what is gathered is closed: whatever one of its batches rests on is in it.


CLOSURE_BATCHES_AT_ONCE: Final = 1000
"""Batches whose sources are looked for by one statement."""


class _Mate(msgspec.Struct, frozen=True):
    """A batch of a slot, as one generation left it."""

    generation: int
    model: int
    slot: int
    batch: int
    is_made: bool


async def stated_at(tx: Read, project: int, report: int) -> datetime | None:
    """When a report was sent off; None of a draft."""
    [(moment,)] = await tx.tuples(
        "SELECT reserved_at FROM reports WHERE project_id = %s AND id = %s", (project, report)
    )
    return moment if isinstance(moment, datetime) else None


async def chain_of(tx: Read, project: int, report: int) -> list[str]:
    """The ids of a report and of all that stand before it in its chain."""
    found = await tx.tuples(
        """
        SELECT earlier.id FROM reports r
          JOIN reports earlier ON (earlier.project_id, earlier.chain_id) = (r.project_id, r.chain_id)
         WHERE r.project_id = %s AND r.id = %s AND earlier.id <= r.id ORDER BY earlier.id
        """,
        (project, report),
    )
    return [ids.of("report", project, number) for (number,) in found]


async def batches_behind(
    tx: Read, project: int, reported: Collection[int], stated: datetime | None
) -> tuple[list[int], list[SlotLine]]:
    """All batches behind some, by their numbers, and the slots that they were computed in."""
    known: set[int] = set()
    waiting = set(reported)
    lines: dict[tuple[int, ...], SlotLine] = {}
    while waiting:
        batches = sorted(waiting)[:CLOSURE_BATCHES_AT_ONCE]
        known.update(batches)
        found: set[int] = set()
        for line in await _slots(tx, project, batches):
            lines[tuple(line.batches)] = line
            found.update(line.batches, line.alongside)
        values = {"project": project, "batches": batches, "stated": stated}
        for (number,) in await tx.tuples(_BEHIND, values):
            found.add(number)
        waiting = (waiting | found) - known
    return sorted(known), sorted(lines.values(), key=lambda line: line.batches)


async def _slots(tx: Read, project: int, batches: Collection[int]) -> list[SlotLine]:
    mates: dict[tuple[int, int, int], list[_Mate]] = {}
    for row in await tx.rows(_Mate, _MATES, {"project": project, "batches": list(batches)}):
        mates.setdefault((row.generation, row.model, row.slot), []).append(row)
    return [
        SlotLine(
            generation,
            model,
            sorted(mate.batch for mate in of_slot if mate.is_made),
            sorted(mate.batch for mate in of_slot if not mate.is_made),
        )
        for (generation, model, _), of_slot in mates.items()
    ]


_BEHIND: Final = """
    SELECT source_batch_id FROM batch_draws WHERE project_id = %(project)s AND batch_id = ANY (%(batches)s)
    UNION
    SELECT of_run.id FROM batches b
      JOIN batches of_run ON (of_run.project_id, of_run.run_id, of_run.ledger_id)
                           = (b.project_id, b.run_id, b.ledger_id)
     WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s)
       AND (of_run.id < b.id OR %(stated)s::timestamptz IS NULL OR EXISTS (
            SELECT FROM ledger_entries e
             WHERE (e.project_id, e.batch_id) = (of_run.project_id, of_run.id)
               AND e.kind = 'credit' AND e.posted_at <= %(stated)s))
"""

# As whoever verifies takes them: of every run of a slot the newest batch that was there by the end of the
# generation, on each ledger that it touched there.
_MATES: Final = """
    WITH chosen AS MATERIALIZED (
        SELECT row_number() OVER () AS slot, given.*
          FROM (SELECT DISTINCT m.family_id, b.model_id, b.async_task_id, r.event_id,
                       CASE WHEN r.by_event AND r.event_id IS NULL THEN r.tracking_id END AS tracking_id,
                       CASE WHEN NOT r.by_event THEN r.start_time END AS start_time,
                       CASE WHEN NOT r.by_event THEN r.end_time END AS end_time
                  FROM batches b
                  JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
                  JOIN models m ON m.id = b.model_id
                 WHERE b.project_id = %(project)s AND b.id = ANY (%(batches)s)) AS given
    ), generation AS MATERIALIZED (
        SELECT b.async_task_id, b.model_id, max(b.id) AS newest_batch FROM batches b
         WHERE b.project_id = %(project)s AND b.async_task_id IN (SELECT async_task_id FROM chosen)
         GROUP BY b.async_task_id, b.model_id
    ), ended AS MATERIALIZED (
        SELECT generation.*, (SELECT min(made.posted_at) FROM ledger_entries made
                               WHERE made.project_id = %(project)s AND made.batch_id = newest_batch
                                 AND made.kind = 'credit' AND made.reverses IS NULL) AS made_at
          FROM generation
    ), of_slot AS MATERIALIZED (
        SELECT chosen.slot, r.id FROM chosen
          JOIN runs r ON (r.family_id, r.start_time, r.end_time)
                       = (chosen.family_id, chosen.start_time, chosen.end_time) AND NOT r.by_event
         WHERE r.project_id = %(project)s
        UNION ALL
        SELECT chosen.slot, r.id FROM chosen
          JOIN runs r ON (r.family_id, r.event_id) = (chosen.family_id, chosen.event_id) AND r.by_event
         WHERE r.project_id = %(project)s
        UNION ALL
        SELECT chosen.slot, r.id FROM chosen
          JOIN runs r ON (r.family_id, r.tracking_id) = (chosen.family_id, chosen.tracking_id)
                     AND r.by_event AND r.event_id IS NULL
         WHERE r.project_id = %(project)s
    ), touched AS MATERIALIZED (
        SELECT DISTINCT chosen.slot, b.ledger_id FROM chosen JOIN of_slot USING (slot)
          JOIN batches b ON (b.project_id, b.run_id) = (%(project)s, of_slot.id)
                        AND (b.async_task_id, b.model_id) = (chosen.async_task_id, chosen.model_id)
    )
    SELECT DISTINCT ON (chosen.slot, b.run_id, b.ledger_id)
           chosen.async_task_id, chosen.model_id, chosen.slot, b.id,
           (b.async_task_id, b.model_id) = (chosen.async_task_id, chosen.model_id)
      FROM chosen JOIN of_slot USING (slot)
      JOIN ended ON (ended.async_task_id, ended.model_id) = (chosen.async_task_id, chosen.model_id)
      JOIN batches b ON (b.project_id, b.run_id) = (%(project)s, of_slot.id) AND b.id <= ended.newest_batch
       AND (b.deleted_at IS NULL OR b.deleted_at > ended.made_at)
      JOIN touched ON (touched.slot, touched.ledger_id) = (chosen.slot, b.ledger_id)
     ORDER BY chosen.slot, b.run_id, b.ledger_id, b.id DESC
"""


# The events of a bundle, as batches saw them, and the lineage that names them.
#
# An event that was never corrected is one row. Of one that was, batches may have seen several states, by
# the corrections in force when each was made; every state is a row, counted from 0 in the order of the
# batches.
#
# Invariants: memory is in proportion to the events that were corrected, and to one portion of the others.


EVENTS_AT_ONCE: Final = 5000
"""Events that are in memory at a time."""

LINEAGE_BATCHES_AT_ONCE: Final = 50
"""Batches whose lineage is in memory at a time."""

EventLine = tuple[Any, ...]
Versions = Mapping[int, Mapping[int, int]]
"""By batch, the state in which it saw an event, where that is not state 0."""

_CORRECTED: Final = "(e.is_revised OR e.captured IS NOT NULL)"

_COLUMNS: Final = """
    e.start_time, e.end_time, e.tracking_id, f.name, a.name, l.name, e.client_reference, e.is_imputed,
    e.numbers, e.texts, e.booleans
"""
_TAGS: Final = """
    LEFT JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
    LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
    LEFT JOIN locations l ON (l.project_id, l.id) = (e.project_id, e.location_ids[1])
"""
_STATES: Final = SQL(f"""
    SELECT of_type.slug, slot.event_id, slot.batch_id, {_COLUMNS}
      FROM (SELECT DISTINCT i.batch_id, used.event_id
              FROM batch_inputs i CROSS JOIN unnest(i.event_ids) AS used (event_id)
              JOIN events e ON (e.project_id, e.id) = (i.project_id, used.event_id) AND {_CORRECTED}
             WHERE i.project_id = %(project)s AND i.batch_id = ANY (%(batches)s)) AS slot
      CROSS JOIN {{}} {_TAGS}
      JOIN event_types of_type ON (of_type.project_id, of_type.id) = (e.project_id, e.event_type_id)
     ORDER BY slot.event_id, slot.batch_id
""").format(EVENT_AS_USED)
_EVENTS: Final = SQL(f"""
    SELECT e.id, {_CORRECTED}, {_COLUMNS}
      FROM (SELECT DISTINCT used.event_id
              FROM batch_input_sets s
              JOIN event_types t ON (t.project_id, t.id) = (s.project_id, s.event_type_id)
              JOIN batch_inputs i ON (i.project_id, i.batch_id, i.set_number)
                                   = (s.project_id, s.batch_id, s.set_number)
             CROSS JOIN unnest(i.event_ids) AS used (event_id)
             WHERE s.project_id = {{project}} AND s.batch_id = ANY ({{batches}}) AND t.slug = {{slug}}) AS
             used
      JOIN events e ON e.project_id = {{project}} AND e.id = used.event_id {_TAGS}
     ORDER BY e.id
""")


class CorrectedEvents:
    """The states of the events that were ever corrected, and which batch saw which."""

    def __init__(self) -> None:
        self.states: dict[tuple[str, int], list[EventLine]] = {}
        self.versions: dict[int, dict[int, int]] = {}

    @classmethod
    async def read(cls, tx: Read, project: int, batches: Sequence[int]) -> "CorrectedEvents":
        """Those of some batches."""
        made = cls()
        values = {"project": project, "batches": list(batches)}
        for slug, event, batch, *state in await tx.tuples(_STATES, values):
            states = made.states.setdefault((slug, event), [])
            line = tuple(tuple(one) if isinstance(one, list) else one for one in state)
            if line not in states:
                states.append(line)
            if version := states.index(line):
                made.versions.setdefault(batch, {})[event] = version
        return made


async def event_rows(
    tx: Read,
    project: int,
    batches: Sequence[int],
    points: Sequence[EventTypeRow],
    corrected: CorrectedEvents,
) -> AsyncIterator[list[EventLine]]:
    """The rows of one event type, some at a time."""
    slug = points[0].event_type
    readers = [_reader(point) for point in points]
    statement = _EVENTS.format(project=Literal(project), batches=Literal(list(batches)), slug=Literal(slug))
    async for some in tx.portions(statement, EVENTS_AT_ONCE):
        lines: list[EventLine] = []
        for event, is_corrected, *state in some:
            states = corrected.states[slug, event] if is_corrected else [state]
            for version, (start, end, *tags, numbers, texts, booleans) in enumerate(states):
                arrays = {"number": numbers, "string": texts, "boolean": booleans}
                own = [_at(arrays[kind], index) for kind, index in readers]
                times = (Instant.of(start), Instant.of(end))
                lines.append((event, version, *times, *tags, *own))
        yield lines


def _reader(point: EventTypeRow) -> tuple[str, int]:
    return point.value_type, point.position - 1


def _at(values: Sequence[Any], index: int) -> Any:
    return values[index] if index < len(values) else None


async def lineage_lines(
    tx: Read, project: int, batches: Sequence[int], versions: Versions
) -> AsyncIterator[BatchLineage]:
    """What each batch that was computed was made of."""
    for first in range(0, len(batches), LINEAGE_BATCHES_AT_ONCE):
        some = list(batches[first : first + LINEAGE_BATCHES_AT_ONCE])
        answers = await tx.several(*((statement, (project, some)) for statement in _LINEAGE))
        sets, statics, skipped, draws, corrections = answers
        for (batch,) in await tx.tuples(_COMPUTED, (project, some)):
            yield BatchLineage(
                batch=batch,
                inputs=[
                    SetRead(slug, nodes, write_ranges(sorted(events)), _seen(versions.get(batch, {}), events))
                    for of, slug, nodes, events in sets
                    if of == batch
                ],
                static_inputs={node: numbers for of, node, numbers in statics if of == batch},
                skipped=[node for of, node in skipped if of == batch],
                draws=[
                    DrawRead(
                        node, source, plain(amount), list(map(plain, attributes)), units, _known(rests_on)
                    )
                    for of, node, source, amount, attributes, units, rests_on in draws
                    if of == batch
                ],
                corrections=write_ranges(number for of, number in corrections if of == batch),
            )


def _seen(versions: Mapping[int, int], events: Sequence[int]) -> dict[str, int]:
    """The states of those events of a set that the batch saw in another than state 0."""
    if not versions:
        return {}
    there = set(events)
    return {str(event): version for event, version in versions.items() if event in there}


def _known(columns: Sequence[Any] | None) -> list[str | None] | None:
    return None if columns is None else [None if one is None else plain(one) for one in columns]


_COMPUTED: Final = """
    SELECT id FROM batches WHERE project_id = %s AND id = ANY (%s) AND model_id IS NOT NULL ORDER BY id
"""
_LINEAGE: Final = (
    """
    SELECT s.batch_id, t.slug, s.nodes,
           (SELECT coalesce(array_agg(event), '{}') FROM batch_inputs i, unnest(i.event_ids) AS event
             WHERE (i.project_id, i.batch_id, i.set_number) = (s.project_id, s.batch_id, s.set_number))
      FROM batch_input_sets s
      JOIN event_types t ON (t.project_id, t.id) = (s.project_id, s.event_type_id)
     WHERE s.project_id = %s AND s.batch_id = ANY (%s) ORDER BY s.batch_id, s.set_number
    """,
    """
    SELECT batch_id, node, array_agg(static_input_id ORDER BY static_input_id) FROM batch_static_inputs
     WHERE project_id = %s AND batch_id = ANY (%s) GROUP BY batch_id, node ORDER BY batch_id, node
    """,
    """
    SELECT batch_id, node FROM batch_skipped_inputs
     WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, node
    """,
    """
    SELECT batch_id, node, source_batch_id, amount, attributes, units, contributions FROM batch_draws
     WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, node, place
    """,
    """
    SELECT batch_id, correction_id FROM batch_corrections
     WHERE project_id = %s AND batch_id = ANY (%s) ORDER BY batch_id, correction_id
    """,
)
"""Events, static inputs, inputs set aside, draws and corrections of batches; by project and batches."""
