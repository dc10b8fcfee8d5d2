"""Read the data of slots for the engine: statistics and elements of every stream, and static inputs.

The engine cannot tell whether a selection was made by slot or by provenance, so a recomputation uses
the same code as the original computation.

Invariants: sums are exact. Elements are ordered by start, end, tracking ID, client reference and
values, with texts compared byte by byte. Memory is proportional to the elements of the requested slots.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL, Composable, Composed, Identifier

from weighbridge.accounting.inputs.selection import (
    EventSelection,
    Partners,
    SelectedEvents,
    determine_value_sources,
    select_events,
)
from weighbridge.accounting.inputs.streams import InputStream, ReadValue, ResolvedStreams
from weighbridge.collection.measurements.values import ValueColumn, value_of
from weighbridge.core import identity
from weighbridge.core.engine import SlotData
from weighbridge.core.engine.inputs import find_least_measured
from weighbridge.core.engine.slot_computation import NOTHING, Element, Group, Measure, StaticValue, Statistics
from weighbridge.core.ledger.allocation import DIMENSIONS, Partition, ValueSource
from weighbridge.core.model import Aggregate, Dimension, Model, Node, StaticInput
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.time.expectation import ALWAYS, Service
from weighbridge.core.unit import ONE, are_compatible, parse_unit
from weighbridge.db.engine import Read
from weighbridge.db.lists.page import ANY_WAY, BY_INDEX
from weighbridge.errors import Invalid

# Aggregates: exact sums over the events of a stream, by slot and tags, in one statement.
#
# PostgreSQL adds numerics exactly and in any order to the same digits; division is left to the engine,
# which rounds at 34 digits. Events with values that do not come from a meter make sums of their own, one
# for each mixture of sources, so that the same scan yields the contributions; most slots have none.


_STATISTIC_COLUMNS: Final[Mapping[str, LiteralString]] = {
    "count": "count({v})",
    "total": "coalesce(sum({v}), 0)",
    "least": "min({v})",
    "greatest": "max({v})",
    "weight": "coalesce(sum({w}) FILTER (WHERE {v} IS NOT NULL), 0)",
    "weighted": "coalesce(sum({v} * {w}), 0)",
    "unweighted": "count(*) FILTER (WHERE {v} IS NOT NULL AND {w} IS NULL)",
    "negative": "coalesce(sum({v}) FILTER (WHERE {v} < 0), 0)",
    "weighted negative": "coalesce(sum({v} * {w}) FILTER (WHERE ({v} < 0) <> ({w} < 0)), 0)",
}
"""How each statistic is computed from a value v and its weight w."""

_NEEDED: Final = {
    "sum": ("count", "total", "negative"),
    "average": ("count", "total", "negative"),
    "weighted average": ("count", "weight", "weighted", "unweighted", "weighted negative"),
    "min": ("count", "least"),
    "max": ("count", "greatest"),
    "count": ("count",),
}
"""The statistics that each aggregate is made of."""

_GROUPED: Final = SQL("""
    WITH grouped AS (
        SELECT slot.number AS slot, {tracking_id} AS tracking_id, {feedstock} AS feedstock_id,
               {asset} AS asset_id, count(*) AS event_count, min(e.id) AS first_event,
               sum(hashint8extended(e.id, {revision})) AS digest, {origins} AS origins, e.is_imputed,
               {statistics}
          FROM {events}
         GROUP BY 1, 2, 3, 4, 8, 9
    )
    SELECT grouped.slot, grouped.tracking_id, feedstocks.name, assets.name, event_count, first_event, digest,
           origins, is_imputed, {names}
      FROM grouped
      LEFT JOIN feedstocks ON feedstocks.project_id = %(project)s AND feedstocks.id = grouped.feedstock_id
      LEFT JOIN assets ON assets.project_id = %(project)s AND assets.id = grouped.asset_id
""")


async def aggregate_stream(
    tx: Read, project: int, stream: InputStream, selected: SelectedEvents, partition_type: str
) -> list[tuple[int, Group]]:
    """Aggregate the events of a stream that were selected, by index of slot and tags."""
    dimensions = DIMENSIONS[partition_type]
    statistics = list(_list_statistics(stream, selected.value))
    names = [Identifier(f"c{index}") for index in range(len(statistics))]
    statement = _GROUPED.format(
        tracking_id=SQL("e.tracking_id") if "tracking_id" in dimensions else SQL("NULL::text"),
        feedstock=SQL("e.feedstock_id") if "feedstock" in dimensions else SQL("NULL::integer"),
        asset=SQL("e.asset_id") if "asset" in dimensions else SQL("NULL::integer"),
        statistics=SQL(", ").join(
            SQL("{} AS {}").format(column, name)
            for (_, _, column), name in zip(statistics, names, strict=True)
        ),
        revision=selected.revision,
        origins=selected.origins(stream.positions),
        events=selected.events,
        names=SQL(", ").join(names),
    )
    columns = [(node, name) for node, name, _ in statistics]
    groups: dict[tuple[int, Partition], Group] = {}
    # The planner takes a tenth of a large table for a reason to read all of it, and sorts on disk what a
    # few hundred groups hold in memory.
    tx.beforehand(*BY_INDEX)
    rows, _ = await tx.several((statement, selected.values), ANY_WAY)
    for row in rows:
        group = _group_sums(project, stream, columns, row)
        key = row[0] - 1, group.tags
        groups[key] = groups[key].plus(group) if key in groups else group
    return [(slot, group) for (slot, _), group in groups.items()]


def _list_statistics(
    stream: InputStream, value: Callable[[ValueColumn], Composable]
) -> Iterator[tuple[str, str, Composable]]:
    """Node, statistic and SQL of every column."""
    for read_value in stream.reads:
        for name in _NEEDED[_name_statistic(read_value)]:
            weight = value(read_value.weight) if read_value.weight else SQL("NULL")
            yield (
                read_value.node,
                name,
                SQL(_STATISTIC_COLUMNS[name]).format(v=value(read_value.column), w=weight),
            )


def _name_statistic(read_value: ReadValue) -> str:
    return (
        "weighted average"
        if read_value.aggregate is Aggregate.AVERAGE and read_value.weight
        else read_value.aggregate
    )


def _group_sums(
    project: int, stream: InputStream, columns: Sequence[tuple[str, str]], row: Sequence[Any]
) -> Group:
    _, tracking_id, feedstock, asset, event_count, first_event, digest, origins, is_imputed, *values = row
    by_input: dict[str, dict[str, Any]] = {read_value.node: {} for read_value in stream.reads}
    for (node, name), value in zip(columns, values, strict=True):
        by_input[node][name.rpartition(" ")[2]] = value
    sources = _list_sources(stream, origins, is_imputed=is_imputed)
    return Group(
        stream.number,
        Partition(tracking_id=tracking_id, feedstock=feedstock, asset=asset),
        event_count,
        identity.of("event", project, first_event),
        digest,
        {node: Statistics(**of_node).of(sources[node]) for node, of_node in by_input.items()},
    )


def _list_sources(
    stream: InputStream, origins: Sequence[str | None] | None, *, is_imputed: bool
) -> Mapping[str, ValueSource]:
    """Where the values come from that each input reads, weights with them; all events of a row are alike."""
    value_sources = determine_value_sources(origins, len(stream.positions), is_imputed=is_imputed)
    by_position = dict(zip(stream.positions, value_sources, strict=True))
    return {
        read_value.node: find_least_measured(
            [
                by_position[read_column.position]
                for read_column in (read_value.column, read_value.weight)
                if read_column
            ]
        )
        for read_value in stream.reads
    }


# Elements: the events of a stream one by one, in the order that makes results the same everywhere.
#
# Invariants: the order is that of start, end, tracking id, client reference and values, texts compared byte
# by byte; memory is in proportion to the elements of the slots that are asked for.


_ELEMENT_COLUMNS: Final = SQL("""
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
    rows = await tx.tuples(_build_statement(stream, selected), {**selected.values, "elements_max": limit})
    if limit is not None and len(rows) == limit:
        names = ", ".join(stream.node_slugs)
        message = (
            f"The range holds more than {ELEMENTS_MAX:,} events of {stream.event_type_slug!r}, which {names} "
            "reads one by one; choose a shorter one."
        )
        raise Invalid([Problem(message, "end_time", "too_many")])
    return await tx.in_thread(_build_groups, project, stream, partition_type, rows)


def _build_statement(stream: InputStream, selected: SelectedEvents) -> Composed:
    read_columns = dict.fromkeys((*stream.columns, *stream.ranking))
    names = {column: Identifier(f"v{index}") for index, column in enumerate(read_columns)}
    values = [SQL(", {} AS {}").format(value_of(column), name) for column, name in names.items()]

    def columns(is_of_slot: Composable) -> Composable:
        return _ELEMENT_COLUMNS.format(
            is_of_slot=is_of_slot,
            revision=selected.revision,
            origins=selected.origins([column.position for column in stream.columns]),
            values=SQL("").join(values),
        )

    held_readings: Composable = SQL("")
    if selected.before is not None:
        held_readings = SQL("UNION ALL SELECT {} FROM {}").format(columns(SQL("false")), selected.before)
    return _STATEMENT.format(
        columns=columns(stream.window.condition),
        events=selected.events,
        before=held_readings,
        values=SQL("").join(SQL(", chosen.{}").format(names[column]) for column in stream.columns),
        ranking=SQL("").join(SQL(", chosen.{}").format(names[column]) for column in stream.ranking),
    )


def _build_groups(
    project: int, stream: InputStream, partition_type: str, rows: Sequence[Sequence[Any]]
) -> list[tuple[int, Group]]:
    tags_of = _build_tagger(DIMENSIONS[partition_type])
    by_group: dict[tuple[int, Partition], list[Element]] = {}
    for rank, row in enumerate(rows):
        element = _build_element(rank, row)
        by_group.setdefault((row[0] - 1, tags_of(element)), []).append(element)
    return [
        (slot, _group_elements(project, stream, tags, elements))
        for (slot, tags), elements in by_group.items()
    ]


def _group_elements(project: int, stream: InputStream, tags: Partition, elements: Sequence[Element]) -> Group:
    of_slot = [element for element in elements if element.is_of_slot]
    return Group(
        source=stream.number,
        tags=tags,
        event_count=len(of_slot),
        first_event=identity.of("event", project, (of_slot or elements)[0].event),
        digest=Decimal(sum(element.digest for element in elements)),
        by_input=dict.fromkeys(stream.node_slugs, NOTHING),
        elements=tuple(elements),
        is_of_elements=True,
        is_of_slot=bool(of_slot),
    )


def _build_tagger(dimensions: Sequence[str]) -> Callable[[Element], Partition]:
    """What cuts an element to the tags of a partition; the same tags are made once."""
    partitions: dict[tuple[str | None, ...], Partition] = {}

    def tags_of(element: Element) -> Partition:
        values = tuple(getattr(element, dimension) for dimension in dimensions)
        if values not in partitions:
            partitions[values] = Partition(**dict(zip(dimensions, values, strict=True)))
        return partitions[values]

    return tags_of


def _build_element(rank: int, row: Sequence[Any]) -> Element:
    _, is_of_slot, event, start, end, tracking_id, feedstock, asset, location, digest, *values_and_weights = (
        row
    )
    in_service_from, in_service_until, origins, is_imputed, *values = values_and_weights
    sources: Sequence[ValueSource] = ()
    if origins or is_imputed:
        value_sources = determine_value_sources(origins, len(values), is_imputed=is_imputed)
        sources = () if set(value_sources) == {ValueSource.CAPTURED} else value_sources
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


# The static inputs that a model reads in a project, as the engine takes them.


Statics = Mapping[str, tuple[StaticValue, ...]]
"""Values by the slug of their static input."""


class _Stored(msgspec.Struct, frozen=True):
    slug: str
    number: int
    value: Decimal
    unit: str | None
    effective_from: Instant
    asset: str | None
    feedstock: str | None
    location: str | None


async def read_statics(
    tx: Read, project: int, model: Model, only_numbers: Collection[int] | None = None
) -> Statics:
    """All values of the static inputs that a model names, or those of them that were used.

    Raises Invalid for a value whose unit does not fit the node that reads it.
    """
    nodes = [(node, node.body) for node in model.nodes if isinstance(node.body, StaticInput)]
    if not nodes:
        return {}
    numbers = None if only_numbers is None else sorted(only_numbers)
    rows = await tx.rows(
        _Stored,
        """
        SELECT s.slug, s.id, s.value, s.unit, s.effective_from, a.name, f.name, l.name
          FROM static_inputs s
          LEFT JOIN assets a ON (a.project_id, a.id) = (s.project_id, s.asset_id)
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (s.project_id, s.feedstock_id)
          LEFT JOIN locations l ON (l.project_id, l.id) = (s.project_id, s.location_id)
         WHERE s.project_id = %s AND s.slug = ANY (%s) AND (%s::integer[] IS NULL OR s.id = ANY (%s))
         ORDER BY s.effective_from, s.id
        """,
        (
            project, sorted({body.slug for _, body in nodes}), numbers, numbers,
        ),
    )  # fmt: skip
    by_slug: dict[str, list[StaticValue]] = {}
    for row in rows:
        by_slug.setdefault(row.slug, []).append(_build_static_value(row))
    problems = [
        Problem(
            f"Node {node.slug!r} is in {node.unit} and reads the static input {body.slug!r} in {value.unit}, "
            "which count different things.",
            node.slug,
            "invalid",
        )
        for node, body in nodes
        for value in by_slug.get(body.slug, ())[:1]
        if not are_compatible(value.unit, node.unit)
    ]
    if problems:
        raise Invalid(problems)
    return {slug: tuple(values) for slug, values in by_slug.items()}


def check_statics(model: Model, statics: Statics, slots: Sequence[Interval]) -> Iterator[Problem]:
    """Nodes that no run of the slots can give a value, because none is in force in any of them.

    `statics` are all values of the static inputs that the model names.
    """
    if not slots:
        return
    last = Instant.of(max(slot.start for slot in slots))
    for node in model.nodes:
        if not isinstance(node.body, StaticInput) or not _has_no_substitute(model, node, node.body):
            continue
        dimension, is_at_start = node.body.by, node.body.at is None
        if not any(
            _is_keyed_by(static_value, dimension) and (not is_at_start or static_value.effective_from <= last)
            for static_value in statics.get(node.body.slug, ())
        ):
            which_value = "" if dimension is None else f" for any {dimension}"
            when = f"in force at {last.text}" if is_at_start else "in the project"
            message = (
                f"Input {node.slug!r} reads the static input {node.body.slug!r}, "
                f"which has no value{which_value} {when}."
            )
            yield Problem(message, node.slug, "required")


def _has_no_substitute(model: Model, node: Node, body: StaticInput) -> bool:
    """Whether the value has no default: at elements, wherever there must be elements."""
    reader = node if body.at is None else model.node(body.at)
    return not reader.is_optional and reader.default is None


def _is_keyed_by(value: StaticValue, dimension: Dimension | None) -> bool:
    """Whether a value is one for each of a kind, and of no other kind."""
    keys = {key for key in Dimension if getattr(value, key) is not None}
    return keys == (set() if dimension is None else {dimension})


def _build_static_value(row: _Stored) -> StaticValue:
    return StaticValue(
        row.number,
        row.value,
        parse_unit(row.unit) if row.unit else ONE,
        row.effective_from,
        row.asset,
        row.feedstock,
        row.location,
    )


# The data of slots: statistics and elements of every stream, and static inputs, as the engine takes them.
#
# A selection by slot finds them anew; one by lineage takes those that batches were made of. The engine
# cannot tell which it was, so what is recomputed is what was computed.


EVERY_SLOT = -1
"""The index that means every slot: data that are matched from any date."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a model reads in a project, and how it cuts what it reads."""

    resolved: ResolvedStreams
    statics: Statics
    partition_type: str


async def read_slots(
    tx: Read, selection: EventSelection, inputs: Inputs, skipped_nodes: Sequence[frozenset[str]] = ()
) -> list[SlotData]:
    """The data of every slot of a selection, in its order; `skipped` are the nodes set aside there."""
    resolved_streams, partition_type = inputs.resolved, inputs.partition_type
    by_slot: list[list[Group]] = [[] for _ in selection.slots]
    by_stream: dict[int, list[Element]] = {}
    for stream in _order_targets_first(resolved_streams.streams):
        partners = _find_partners(stream, resolved_streams, by_stream)
        events = select_events(selection, stream, DIMENSIONS[partition_type], partners)
        read_stream = read_elements if stream.is_of_elements else aggregate_stream
        groups = await read_stream(tx, selection.project, stream, events, partition_type)
        for index, group in groups:
            for slot in by_slot if index == EVERY_SLOT else [by_slot[index]]:
                slot.append(group)
        by_stream[stream.number] = [element for _, group in groups for element in group.elements]
    return [
        SlotData(slot, tuple(groups), inputs.statics, skipped_nodes[index] if skipped_nodes else frozenset())
        for index, (slot, groups) in enumerate(zip(selection.slots, by_slot, strict=True))
    ]


def _order_targets_first(streams: Sequence[InputStream]) -> list[InputStream]:
    """Sources that are found by what they are joined to come last."""
    return sorted(streams, key=lambda stream: stream.join is not None)


def _find_partners(
    stream: InputStream, resolved_streams: ResolvedStreams, by_stream: Mapping[int, Sequence[Element]]
) -> Partners | None:
    """What the events of a joined stream must match."""
    if stream.join is None:
        return None
    target = resolved_streams.measures[stream.join.to]
    own_measure = resolved_streams.measures[stream.reads[0].node]
    elements = by_stream.get(target.source, ())
    keys = {_find_join_key(own_measure, element) for element in elements}
    starts = [element.time.start for element in elements]
    ends = [element.time.end for element in elements]
    if not starts:
        return None
    return Partners(frozenset(key for key in keys if key is not None), Interval(min(starts), max(ends)))


def _find_join_key(own_measure: Measure, target: Element) -> str | None:
    if own_measure.target_key is None:
        return target.tracking_id
    key = target.values[own_measure.target_key]
    return key if isinstance(key, str) else None
