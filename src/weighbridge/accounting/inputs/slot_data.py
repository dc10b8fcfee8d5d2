"""Read the data of slots for the engine: statistics and elements of every stream, and static inputs.

The engine cannot tell whether a selection was made by slot or by provenance, so a recomputation uses
the same code as the original computation.

Invariants: sums are exact. Elements are ordered by start, end, tracking ID, client reference and
values, with texts compared byte by byte. Memory is proportional to the elements of the requested slots.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, LiteralString, NamedTuple

from psycopg.sql import SQL, Composable, Composed, Identifier

from weighbridge.accounting.inputs.filled_values import (
    FILLED,
    FilledElements,
    FilledInput,
    FilledMoments,
    read_filled_elements,
    read_filled_moments,
)
from weighbridge.accounting.inputs.selection import (
    EventSelection,
    Partners,
    SelectedEvents,
    determine_value_sources,
    select_events,
)
from weighbridge.accounting.inputs.static_values import Statics
from weighbridge.accounting.inputs.streams import InputStream, ReadValue, ResolvedStreams
from weighbridge.collection.measurements.uncertainties import build_stored
from weighbridge.collection.measurements.values import ValueColumn, value_of
from weighbridge.core import identity
from weighbridge.core.engine import SlotData
from weighbridge.core.engine.inputs import find_least_measured
from weighbridge.core.engine.slot_computation import (
    CalibrationPeriod,
    Element,
    Group,
    Measure,
    Measures,
)
from weighbridge.core.engine.stated_values import LINEAR, Moments, StatedClass, add_moments
from weighbridge.core.engine.statistics import NOTHING, Statistics
from weighbridge.core.ledger.allocation import DIMENSIONS, Partition, ValueSource
from weighbridge.core.model import Aggregate
from weighbridge.core.number import ZERO
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Interval
from weighbridge.core.time.expectation import ALWAYS, Service
from weighbridge.core.uncertainty.statement import Statements
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
               {stated} AS stated, {meter} AS meter, {stretch} AS stretch, {statistics}
          FROM {events}
         GROUP BY 1, 2, 3, 4, 8, 9, 10, 11, 12
    )
    SELECT grouped.slot, grouped.tracking_id, feedstocks.name, assets.name, event_count, first_event, digest,
           origins, is_imputed, stated, meter, stretch, {names}
      FROM grouped
      LEFT JOIN feedstocks ON feedstocks.project_id = %(project)s AND feedstocks.id = grouped.feedstock_id
      LEFT JOIN assets ON assets.project_id = %(project)s AND assets.id = grouped.asset_id
""")


async def aggregate_stream(
    tx: Read,
    project: int,
    stream: InputStream,
    selected: SelectedEvents,
    partition_type: str,
    measures: Measures,
) -> list[tuple[int, Group]]:
    """Aggregate the events of a stream that were selected, by index of slot and tags."""
    dimensions = DIMENSIONS[partition_type]
    bounds = _list_bounds(stream, measures) if stream.is_uncertain else []
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
        stated=SQL("e.uncertainties") if stream.is_uncertain else SQL("NULL::jsonb"),
        meter=SQL("e.asset_id") if bounds else SQL("NULL::integer"),
        # A search by halves in C: what holds for whom is decided for each row of sums, not for each event.
        stretch=SQL("width_bucket(e.start_time, %(bounds)s::timestamptz[])")
        if bounds
        else SQL("NULL::integer"),
        events=selected.events,
        names=SQL(", ").join(names),
    )
    columns = [(node, name) for node, name, _ in statistics]
    groups: dict[tuple[int, Partition], Group] = {}
    # The planner takes a tenth of a large table for a reason to read all of it, and sorts on disk what a
    # few hundred groups hold in memory.
    tx.beforehand(*BY_INDEX)
    rows, _ = await tx.several((statement, {**selected.values, "bounds": bounds}), ANY_WAY)
    for row in rows:
        group = _group_sums(project, stream, columns, row, measures, bounds)
        key = row[0] - 1, group.tags
        groups[key] = groups[key].plus(group) if key in groups else group
    if stream.is_uncertain:
        filled_input = FilledInput(project, stream, selected, dimensions)
        for read_value in _list_filled(stream, rows):
            measure = measures[read_value.node]
            for one in await read_filled_moments(tx, filled_input, read_value, measure, bounds):
                groups[one.slot, one.tags] = _add_moments(groups[one.slot, one.tags], read_value.node, one)
    return [(slot, group) for (slot, _), group in groups.items()]


def _list_filled(stream: InputStream, rows: Sequence[Sequence[Any]]) -> list[ReadValue]:
    """The values of a stream of which a rule put some in."""
    return [
        read_value
        for read_value in stream.reads
        if any(_is_filled(stream, read_value, row[7], row[9]) for row in rows)
    ]


def _is_filled(
    stream: InputStream,
    read_value: ReadValue,
    origins: Sequence[str | None] | None,
    own: Mapping[str, Any] | None,
) -> bool:
    """Whether the values of a row of sums are a rule's, and rest on what these say."""
    position = read_value.column.position
    if origins is None or read_value.aggregate not in LINEAR or (own and str(position) in own):
        return False
    return origins[stream.positions.index(position)] == FILLED


def _add_moments(group: Group, node: str, filled: FilledMoments) -> Group:
    """The group, with what values that rules put in add to the sums of an input."""
    statistics = group.by_input[node]
    moments = add_moments(statistics.moments, {filled.stated: filled.moments})
    return replace(group, by_input={**group.by_input, node: replace(statistics, moments=moments)})


def _list_statistics(
    stream: InputStream, value: Callable[[ValueColumn], Composable]
) -> Iterator[tuple[str, str, Composable]]:
    """Node, statistic and SQL of every column."""
    for read_value in stream.reads:
        statistic = _name_statistic(read_value)
        for name in _NEEDED[statistic] + (_NEEDED_FOR_UNCERTAINTY[statistic] if stream.is_uncertain else ()):
            weight = value(read_value.weight) if read_value.weight else SQL("NULL")
            yield (
                read_value.node,
                name,
                SQL(_STATISTIC_COLUMNS.get(name) or _MOMENTS[name]).format(
                    v=value(read_value.column), w=weight
                ),
            )


def _name_statistic(read_value: ReadValue) -> str:
    return (
        "weighted average"
        if read_value.aggregate is Aggregate.AVERAGE and read_value.weight
        else read_value.aggregate
    )


def _group_sums(
    project: int,
    stream: InputStream,
    columns: Sequence[tuple[str, str]],
    row: Sequence[Any],
    measures: Measures,
    bounds: Sequence[datetime],
) -> Group:
    _, tracking_id, feedstock, asset, event_count, first_event, digest, origins, is_imputed, *rest = row
    own, meter, stretch, *values = rest
    by_input: dict[str, dict[str, Any]] = {read_value.node: {} for read_value in stream.reads}
    sums: dict[str, dict[str, Any]] = {read_value.node: {} for read_value in stream.reads}
    for (node, name), value in zip(columns, values, strict=True):
        if name in _MOMENTS:
            sums[node][name] = value
        else:
            by_input[node][name.rpartition(" ")[2]] = value
    if stream.is_uncertain:
        stated = _Stated(own, meter, stretch)
        for read_value in stream.reads:
            of_node = by_input[read_value.node]
            if of_node["count"]:
                of_class = _classify_sums(read_value, stated, measures[read_value.node], bounds)
                if _is_filled(stream, read_value, origins, own):
                    of_class = replace(of_class, statements=())
                of_node["moments"] = {of_class: _build_moments(of_node, sums[read_value.node])}
    sources = _list_sources(stream, origins, is_imputed=is_imputed)
    return Group(
        stream.number,
        Partition(tracking_id=tracking_id, feedstock=feedstock, asset=asset),
        event_count,
        identity.of("event", project, first_event),
        digest,
        {node: Statistics(**of_node).of(sources[node]) for node, of_node in by_input.items()},
    )


# What values state of their uncertainty: sums of their own for each mixture of statements and calibrations.


_MOMENTS: Final[Mapping[str, LiteralString]] = {
    "square": "coalesce(sum({v} * {v}), 0)",
    "value_total": "coalesce(sum({v}), 0)",
    "weight_square": "coalesce(sum({w} * {w}) FILTER (WHERE {v} IS NOT NULL), 0)",
    "cross": "coalesce(sum({v} * {w} * {w}), 0)",
    "weighted_square": "coalesce(sum({v} * {w} * {v} * {w}), 0)",
}
"""How each further sum is computed from a value v and its weight w."""

_NEEDED_FOR_UNCERTAINTY: Final[Mapping[str, tuple[str, ...]]] = {
    "sum": ("square",),
    "average": ("square",),
    "weighted average": ("square", "value_total", "weight_square", "cross", "weighted_square"),
    "min": (),
    "max": (),
    "count": (),
}
"""The further sums that the uncertainty of each aggregate is made of."""


def _list_bounds(stream: InputStream, measures: Measures) -> list[datetime]:
    """The moments at which a calibration of a meter begins or ends, of all that the stream reads."""
    periods = [
        period
        for read_value in stream.reads
        for measure in [measures[read_value.node]]
        for period in (*measure.calibrations, *measure.weight_calibrations)
    ]
    bounds = {period.valid_from for period in periods} | {period.valid_until for period in periods}
    return sorted(bound for bound in bounds if bound is not None)


class _Stated(NamedTuple):
    """What the events of a row of sums have in common, that decides what their values state."""

    own: Mapping[str, Any] | None
    """What is stated of single values, by position."""
    meter: int | None
    stretch: int | None
    """Between which of the bounds they start, counted from 0 before the first; None without calibrations."""


def _classify_sums(
    read_value: ReadValue, stated: _Stated, measure: Measure, bounds: Sequence[datetime]
) -> StatedClass:
    """What the values of a row state; the engine says whose their own effects are."""
    moment = bounds[stated.stretch - 1] if stated.stretch else None

    def shared(periods: Sequence[CalibrationPeriod]) -> Statements:
        return tuple(
            period.statement
            for period in periods
            if moment is not None and period.asset_number == stated.meter and period.holds_at(moment)
        )

    return StatedClass(
        "",
        _list_stated(stated.own, read_value.column, measure.statements) + shared(measure.calibrations),
        _list_stated(stated.own, read_value.weight, measure.weight_statements)
        + shared(measure.weight_calibrations),
    )


def _list_stated(
    own: Mapping[str, Any] | None, column: ValueColumn | None, default: Statements
) -> Statements:
    """What a value states, else what its type does."""
    if column is None:
        return ()
    alone = None if own is None else _read_own(own, column)
    return default if alone is None else alone


def _build_moments(of_node: Mapping[str, Any], sums: Mapping[str, Any]) -> Moments:
    """The sums of a row's values; of least and greatest values their number suffices."""
    return Moments(
        count=of_node["count"],
        total=sums.get("value_total", of_node.get("total", ZERO)),
        square=sums.get("square", ZERO),
        weight=of_node.get("weight", ZERO),
        weighted=of_node.get("weighted", ZERO),
        weight_square=sums.get("weight_square", ZERO),
        cross=sums.get("cross", ZERO),
        weighted_square=sums.get("weighted_square", ZERO),
        least=of_node.get("least"),
        greatest=of_node.get("greatest"),
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
    hashint8extended(e.id, {revision}) AS digest, {origins} AS origins, e.is_imputed,
    {stated} AS stated{values}
""")
_STATEMENT: Final = SQL("""
    WITH chosen AS (SELECT {columns} FROM {events} {before})
    SELECT chosen.slot, chosen.is_of_slot, chosen.id, chosen.start_time, chosen.end_time, chosen.tracking_id,
           f.name, a.name, l.name, chosen.digest,
           CASE WHEN chosen.asset_id IS NULL THEN l.in_service_from ELSE a.in_service_from END,
           CASE WHEN chosen.asset_id IS NULL THEN l.in_service_until ELSE a.in_service_until END,
           chosen.origins, chosen.is_imputed, chosen.stated{values}
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
    tx: Read,
    project: int,
    stream: InputStream,
    selected: SelectedEvents,
    partition_type: str,
    _measures: Measures,
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
    groups = await tx.in_thread(_build_groups, project, stream, partition_type, rows)
    if not stream.is_uncertain or not any(row[12] and FILLED in row[12] for row in rows):
        return groups
    filled = await read_filled_elements(tx, project, stream, selected)
    return [
        (slot, replace(group, elements=tuple(_fill(slot, element, filled) for element in group.elements)))
        for slot, group in groups
    ]


def _fill(slot: int, element: Element, filled: FilledElements) -> Element:
    """The element, with on what its values rest that rules put in, unless something is stated of them."""
    rests = {
        index: value
        for index, value in filled.get((slot, element.event), {}).items()
        if not (element.stated and element.stated[index] is not None)
    }
    return replace(element, filled=rests) if rests else element


def _build_statement(stream: InputStream, selected: SelectedEvents) -> Composed:
    read_columns = dict.fromkeys((*stream.columns, *stream.ranking))
    names = {column: Identifier(f"v{index}") for index, column in enumerate(read_columns)}
    values = [SQL(", {} AS {}").format(value_of(column), name) for column, name in names.items()]

    def columns(is_of_slot: Composable) -> Composable:
        return _ELEMENT_COLUMNS.format(
            is_of_slot=is_of_slot,
            revision=selected.revision,
            origins=selected.origins([column.position for column in stream.columns]),
            stated=SQL("e.uncertainties") if stream.is_uncertain else SQL("NULL::jsonb"),
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
        element = _build_element(rank, row, stream)
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


def _build_element(rank: int, row: Sequence[Any], stream: InputStream) -> Element:
    _, is_of_slot, event, start, end, tracking_id, feedstock, asset, location, digest, *values_and_weights = (
        row
    )
    in_service_from, in_service_until, origins, is_imputed, stated, *values = values_and_weights
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
        stated=() if stated is None else tuple(_read_own(stated, column) for column in stream.columns),
    )


def _read_own(stated: Mapping[str, Any], column: ValueColumn) -> Statements | None:
    """What is stated of the value of a column alone."""
    alone = stated.get(str(column.position))
    return None if alone is None else (build_stored(alone),)


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
        groups = await read_stream(
            tx, selection.project, stream, events, partition_type, resolved_streams.measures
        )
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
