"""Elements: the events of a stream one by one, in the order that makes results the same everywhere.

Invariants: the order is that of start, end, tracking id, client reference and values, texts compared byte by
byte; memory is in proportion to the elements of the slots that are asked for.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

from psycopg.sql import SQL, Composable, Composed, Identifier

from weighbridge.accounting.inputs.selection import SelectedEvents
from weighbridge.accounting.inputs.streams import InputStream
from weighbridge.accounting.inputs.used_corrections import value_sources
from weighbridge.collection.measurements.condition import value_of
from weighbridge.core.engine.element import Element
from weighbridge.core.engine.statistics import NOTHING, Group
from weighbridge.core.identity import ids
from weighbridge.core.ledger.partition import DIMENSIONS, Partition
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.core.time.instant import Interval
from weighbridge.core.time.meter import ALWAYS, Service
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

_COLUMNS: Final = SQL("""
    slot.number AS slot, {is_of_slot} AS is_of_slot, e.id, e.start_time, e.end_time, e.tracking_id,
    e.client_reference, e.feedstock_id, e.asset_id, e.location_ids[1] AS location_id,
    hashint8extended(e.id, {revision}) AS digest, {origins} AS origins, e.is_imputed{values}
""")
_STATEMENT: Final = SQL("""
    WITH chosen AS (SELECT {columns} FROM {events} {before})
    SELECT chosen.slot, chosen.is_of_slot, chosen.id, chosen.start_time, chosen.end_time, chosen.tracking_id,
           f.name, a.name, l.name, chosen.digest,
           CASE WHEN chosen.asset_id IS NULL THEN l.in_service_from ELSE a.in_service_from END,
           CASE WHEN chosen.asset_id IS NULL THEN l.in_service_until ELSE a.in_service_until END,
           chosen.origins, chosen.is_imputed{values}
      FROM chosen
      LEFT JOIN feedstocks f ON f.project_id = %(project)s AND f.id = chosen.feedstock_id
      LEFT JOIN assets a ON a.project_id = %(project)s AND a.id = chosen.asset_id
      LEFT JOIN locations l ON l.project_id = %(project)s AND l.id = chosen.location_id
     ORDER BY chosen.start_time, chosen.end_time, chosen.tracking_id COLLATE "C",
              chosen.client_reference COLLATE "C"{ranking}, f.name COLLATE "C", a.name COLLATE "C",
              l.name COLLATE "C", chosen.id
     LIMIT %(elements_max)s
""")
ELEMENTS_MAX: Final = 1_000_000
"""Events that inputs of one event type read one by one in a generation; whole events summed have no limit."""


async def read_elements(
    tx: Read, project: int, stream: InputStream, selected: SelectedEvents, partition_type: str
) -> list[tuple[int, Group]]:
    """The elements of a stream in groups, by the index of their slot, -1 for every slot, and their tags."""
    limit = ELEMENTS_MAX + 1 if selected.is_limited else None
    rows = await tx.tuples(_statement(stream, selected), {**selected.values, "elements_max": limit})
    if limit is not None and len(rows) == limit:
        names = ", ".join(stream.node_slugs)
        said = (
            f"The range holds more than {ELEMENTS_MAX:,} events of {stream.event_type_slug!r}, which {names} "
            "reads one by one; choose a shorter one."
        )
        raise Invalid([Problem(said, "end_time", "too_many")])
    return await tx.in_thread(_groups, project, stream, partition_type, rows)


def _statement(stream: InputStream, selected: SelectedEvents) -> Composed:
    read = dict.fromkeys((*stream.columns, *stream.ranking))
    names = {column: Identifier(f"v{index}") for index, column in enumerate(read)}
    values = [SQL(", {} AS {}").format(value_of(column), name) for column, name in names.items()]

    def columns(is_of_slot: Composable) -> Composable:
        return _COLUMNS.format(
            is_of_slot=is_of_slot,
            revision=selected.revision,
            origins=selected.origins([column.position for column in stream.columns]),
            values=SQL("").join(values),
        )

    before: Composable = SQL("")
    if selected.before is not None:
        before = SQL("UNION ALL SELECT {} FROM {}").format(columns(SQL("false")), selected.before)
    return _STATEMENT.format(
        columns=columns(stream.window.condition),
        events=selected.events,
        before=before,
        values=SQL("").join(SQL(", chosen.{}").format(names[column]) for column in stream.columns),
        ranking=SQL("").join(SQL(", chosen.{}").format(names[column]) for column in stream.ranking),
    )


def _groups(
    project: int, stream: InputStream, partition_type: str, rows: Sequence[Sequence[Any]]
) -> list[tuple[int, Group]]:
    tags_of = _tagger(DIMENSIONS[partition_type])
    by_group: dict[tuple[int, Partition], list[Element]] = {}
    for rank, row in enumerate(rows):
        element = _element(rank, row)
        by_group.setdefault((row[0] - 1, tags_of(element)), []).append(element)
    return [(slot, _group(project, stream, tags, elements)) for (slot, tags), elements in by_group.items()]


def _group(project: int, stream: InputStream, tags: Partition, elements: Sequence[Element]) -> Group:
    of_slot = [element for element in elements if element.is_of_slot]
    return Group(
        source=stream.number,
        tags=tags,
        event_count=len(of_slot),
        first_event=ids.of("event", project, (of_slot or elements)[0].event),
        digest=Decimal(sum(element.digest for element in elements)),
        by_input=dict.fromkeys(stream.node_slugs, NOTHING),
        elements=tuple(elements),
        is_of_elements=True,
        is_of_slot=bool(of_slot),
    )


def _tagger(dimensions: Sequence[str]) -> Callable[[Element], Partition]:
    """What cuts an element to the tags of a partition; the same tags are made once."""
    known: dict[tuple[str | None, ...], Partition] = {}

    def tags_of(element: Element) -> Partition:
        values = tuple(getattr(element, dimension) for dimension in dimensions)
        if values not in known:
            known[values] = Partition(**dict(zip(dimensions, values, strict=True)))
        return known[values]

    return tags_of


def _element(rank: int, row: Sequence[Any]) -> Element:
    _, is_of_slot, event, start, end, tracking_id, feedstock, asset, location, digest, *rest = row
    in_service_from, in_service_until, origins, is_imputed, *values = rest
    sources: Sequence[ValueSource] = ()
    if origins or is_imputed:
        named = value_sources(origins, len(values), is_imputed=is_imputed)
        sources = () if set(named) == {ValueSource.CAPTURED} else named
    return Element(
        event=event,
        rank=rank,
        time=Interval(start, end),
        values=tuple(values),
        tracking_id=tracking_id,
        feedstock=feedstock,
        asset=asset,
        location=location,
        service=Service(in_service_from, in_service_until) if in_service_from or in_service_until else ALWAYS,
        digest=digest,
        is_of_slot=is_of_slot,
        sources=tuple(sources),
    )
