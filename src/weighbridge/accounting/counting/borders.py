"""Events across the border of two versions that count more or less than once, all slots together.

Two versions may take an event across a border by other ends. A worked example: January was made by a version
with `straddle: start`, February by one with `straddle: end`. A bill from 20 January to 11 February begins in
the one and ends in the other, so both would count all of it; with the versions the other way round neither.

In come slots that share no time, each with the version that computes it; out go events of each input whose
window differs between versions. While they agree on their windows no event is looked up.

Invariant: what an input leaves out and reports (`straddle: report`) is not named here; its generation does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from psycopg.sql import SQL, Composable, Composed

from weighbridge.accounting.counting.by_time import streams_by_time
from weighbridge.accounting.counting.version_slots import Bounds, ModelSlots, VersionSlot
from weighbridge.accounting.inputs.streams import InputStream, catalogue_of, matching
from weighbridge.accounting.inputs.window import REACHES_IN, Reach
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal, moments
from weighbridge.modelling.versions.stored import stored_model

_Versions = Mapping[int, InputStream]
"""By the number of a version, what one of its inputs reads."""


@dataclass(frozen=True, slots=True)
class BorderEvents:
    """Events across borders that an input does not count once."""

    node: str
    event_type: str
    is_more: bool
    """Whether they count more than once; else less, or not at all."""
    events: tuple[int, ...]


async def events_at_borders(tx: Read, slots: ModelSlots, span: Bounds) -> list[BorderEvents]:
    """The events across borders of a span that do not count once, by input.

    Of a generation only the borders of what it computes are asked about.
    """
    numbers = await slots.versions(tx)
    if len(numbers) < 2:
        return []
    inputs = {
        key: versions
        for key, versions in (await _inputs(tx, slots.project, numbers)).items()
        if len({stream.window for stream in versions.values()}) > 1
    }
    edges = await slots.edges(tx, span) if inputs else []
    found = []
    for (node, event_type), versions in inputs.items():
        values = {"project": slots.project, "event_type": event_type, "edges": moments(edges)}
        [(start, end)] = await tx.tuples(_REACH.format(across=_across(versions)), values)
        if start is not None:
            # An event may begin or end in slots that the span does not meet.
            every = await slots.meeting(tx, (start, end))
            slug = next(iter(versions.values())).event_type_slug
            rows = await tx.tuples(_statement(versions), {**values, **_columns(every)})
            found += [BorderEvents(node, slug, is_more, tuple(events)) for is_more, events in rows]
    return found


async def _inputs(tx: Read, project: int, numbers: Iterable[int]) -> Mapping[tuple[str, int], _Versions]:
    """By input and event type, what each version reads that counts an event by its times."""
    catalogue = await catalogue_of(tx, project)
    inputs: dict[tuple[str, int], dict[int, InputStream]] = {}
    for number in sorted(numbers):
        stored = await stored_model(tx, number)
        for stream in await streams_by_time(tx, stored.document, catalogue):
            # What holds until the next reading gives each slot its own part of the time.
            if stream.window.reach is not Reach.COUNTED and not stream.window.is_held:
                for node in stream.node_slugs:
                    inputs.setdefault((node, stream.event_type), {})[number] = stream
    return inputs


def _across(versions: _Versions) -> Composable:
    """The events across edges, once for each version that reads them."""
    return SQL(" UNION ").join(
        _ACROSS.format(version=Literal(number), stream=matching(stream), reaches_in=REACHES_IN)
        for number, stream in versions.items()
    )


def _statement(versions: _Versions) -> Composed:
    """What finds the events across edges that all slots together do not count once."""
    counted = [
        _COUNTED.format(
            version=Literal(number),
            window=stream.window.condition,
            part=_SHARED if stream.window.reach is Reach.MEETING else _WHOLE,
        )
        for number, stream in versions.items()
    ]
    naming = [number for number, stream in versions.items() if stream.window.reach is Reach.INSIDE]
    return _NOT_ONCE.format(
        across=_across(versions), counted=SQL(" UNION ALL ").join(counted), naming=Literal(naming)
    )


def _columns(slots: Sequence[VersionSlot]) -> dict[str, object]:
    return {
        "starts": moments(one.start for one in slots),
        "ends": moments(one.end for one in slots),
        "versions": [one.version for one in slots],
        "are_empty": [one.is_empty for one in slots],
    }


_WHOLE: Final = SQL("e.end_time - e.start_time")
_SHARED: Final = SQL("least(e.end_time, slot.end_time) - greatest(e.start_time, slot.start_time)")

_ACROSS: Final = SQL("""
    SELECT e.id, e.start_time, e.end_time, {version} AS version
      FROM unnest(%(edges)s::timestamptz[]) AS slot (start_time) JOIN {stream} ON {reaches_in}
""")
_REACH: Final = SQL("SELECT min(start_time), max(end_time) FROM ({across}) AS across")
_COUNTED: Final = SQL("""
    SELECT e.id, {part} AS part
      FROM across AS e JOIN slot ON (slot.version, e.version) = ({version}, {version})
       AND NOT slot.is_empty AND {window}
""")

# An event that begins or ends in time that has no slot may count there later; one that a version leaves out
# and reports is named by that version's generation.
_NOT_ONCE: Final = SQL("""
    WITH slot AS MATERIALIZED (
        SELECT * FROM unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(versions)s::integer[],
                             %(are_empty)s::boolean[]) AS slot (start_time, end_time, version, is_empty)
    ), across AS MATERIALIZED ({across}
    ), counted AS (
        SELECT id, sum(part) AS part FROM ({counted}) AS parts GROUP BY id
    ), decided AS (
        SELECT e.id FROM across AS e JOIN slot USING (version)
         WHERE slot.version <> ALL ({naming})
           AND slot.start_time < e.end_time AND slot.end_time > e.start_time
         GROUP BY e.id
        HAVING bool_or(e.start_time >= slot.start_time) AND bool_or(e.end_time <= slot.end_time)
    ), weighed AS (
        SELECT DISTINCT e.id, e.start_time, e.end_time - e.start_time AS whole,
               coalesce(counted.part, '0') AS counts, decided.id IS NOT NULL AS is_decided
          FROM across AS e LEFT JOIN counted USING (id) LEFT JOIN decided USING (id)
    )
    SELECT counts > whole, array_agg(id ORDER BY start_time, id) FROM weighed
     WHERE counts > whole OR counts < whole AND is_decided
     GROUP BY counts > whole
""")
