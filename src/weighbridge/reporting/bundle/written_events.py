"""The events of a bundle, as batches saw them, and the lineage that names them.

An event that was never corrected is one row. Of one that was, batches may have seen several states, by the
corrections in force when each was made; every state is a row, counted from 0 in the order of the batches.

Invariants: memory is in proportion to the events that were corrected, and to one portion of the others.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.accounting.inputs.used_corrections import EVENT_AS_USED
from weighbridge.core.bundle.form.lineage import BatchLineage, DrawRead, SetRead, ranges_of
from weighbridge.core.bundle.form.rows import EventTypeRow
from weighbridge.core.quantity.number import plain
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal

EVENTS_AT_ONCE: Final = 5000
"""Events that are in memory at a time."""

BATCHES_AT_ONCE: Final = 50
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
    for first in range(0, len(batches), BATCHES_AT_ONCE):
        some = list(batches[first : first + BATCHES_AT_ONCE])
        answers = await tx.several(*((statement, (project, some)) for statement in _LINEAGE))
        sets, statics, skipped, draws, corrections = answers
        for (batch,) in await tx.tuples(_COMPUTED, (project, some)):
            yield BatchLineage(
                batch=batch,
                inputs=[
                    SetRead(slug, nodes, ranges_of(sorted(events)), _seen(versions.get(batch, {}), events))
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
                corrections=ranges_of(number for of, number in corrections if of == batch),
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
