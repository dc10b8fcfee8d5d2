"""Resolve the inputs of a model against a project: streams of events, and the window of each.

A stream is a set of events that several inputs read in the same way: one event type, filter and window.
A window determines by time which events of a stream belong to a slot.

Invariants: the resolution reports every unusable input at once. A stream is read event by event as soon
as one of its inputs requires it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from itertools import chain
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.uncertainties import (
    CalibrationInForce,
    build_stored,
    read_calibrations,
)
from weighbridge.collection.measurements.values import (
    EventCondition,
    ValueColumn,
    complete_or_filled,
    event_condition,
)
from weighbridge.core.engine.reading_families import find_reading_families, list_read_one_by_one
from weighbridge.core.engine.slot_computation import CalibrationPeriod, EventCadence, Measure
from weighbridge.core.expression import PLAIN, TEXT, TRUTH, ExpressionError
from weighbridge.core.expression.tree import print_tree
from weighbridge.core.model import Aggregate, BoundaryPolicy, EventFilter, Input, Join, Model, Node
from weighbridge.core.model.definition import FULL_COVERAGE, JOINED_ON, NO_COVERAGE
from weighbridge.core.model.reading import check_where
from weighbridge.core.problem import Problem
from weighbridge.core.uncertainty.statement import Statements
from weighbridge.core.unit import ONE, Unit, are_compatible, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

# A window says which events of a stream a slot has, by their times.
#
# Most inputs take the events that lie inside the slot; others take those that begin or end in it, all that
# reach into it, or those whose reading at the end counts. Some also need the reading in force when the
# slot begins, and some take events whatever their date.
#
# Invariant: the condition of a window speaks of a slot `slot` and an event `e`, and nothing else.


class Reach(StrEnum):
    """Which events a slot has."""

    INSIDE = "inside"
    STARTING = "starting"
    ENDING = "ending"
    MEETING = "meeting"
    COUNTED = "counted"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Window:
    """Which events a slot has, and whether the last reading before it is needed too."""

    reach: Reach
    is_held: bool = False

    @property
    def condition(self) -> SQL:
        """What holds for the events of a slot."""
        return SQL(_CONDITIONS[self.reach])

    @property
    def is_by_start(self) -> bool:
        """Whether the start of an event determines the only slot that can have it."""
        return self.reach in _RESTS

    @property
    def rest(self) -> SQL:
        """What else holds for the events of a slot, when they begin in it."""
        return SQL(_RESTS[self.reach])


INSIDE: Final = Window(Reach.INSIDE)

_BY_STRADDLE: Final = {
    BoundaryPolicy.REPORT: Reach.INSIDE,
    BoundaryPolicy.START: Reach.STARTING,
    BoundaryPolicy.END: Reach.ENDING,
    BoundaryPolicy.PRORATE: Reach.MEETING,
}


def find_window(body: Input) -> Window:
    """The window that an input looks through."""
    if body.is_any_period:
        return Window(Reach.ANY)
    if body.aggregate is Aggregate.DELTA:
        return Window(Reach.COUNTED, is_held=True)
    return Window(_BY_STRADDLE[body.straddle], is_held=body.aggregate is Aggregate.TIME_WEIGHTED)


LONG: Final = "interval '1 hour'"
"""Of events that are longer there is an index by their end; `events_long` of the database says the same."""

IS_LONG: Final = f"e.end_time - e.start_time > {LONG}"

_STRETCH_ENDS_INSIDE: Final = f"""
    e.start_time >= slot.start_time - {LONG} AND e.start_time < slot.end_time
            AND e.end_time > slot.start_time AND e.end_time <= slot.end_time AND e.end_time > e.start_time
        OR {IS_LONG} AND e.end_time > slot.start_time AND e.end_time <= slot.end_time"""

_REACHES_IN: Final = f"""
    e.start_time >= slot.start_time - {LONG} AND e.start_time < slot.start_time
            AND e.end_time > slot.start_time
        OR {IS_LONG} AND e.start_time < slot.start_time AND e.end_time > slot.start_time"""

REACHES_IN: Final = SQL(f"({_REACHES_IN})")
"""Whether an event begins before a slot and ends after its start."""

# A reading at the end is outside, a stretch may end with the slot. Conditions are written so that each arm
# finds its events by one index: by the start, or, for a long stretch, by the end. Where a stretch counts that
# began before the slot, it began within the hour or is long.
_CONDITIONS: Final[Mapping[Reach, LiteralString]] = {
    Reach.INSIDE: """(e.start_time >= slot.start_time AND e.start_time < slot.end_time
        AND e.end_time <= slot.end_time)""",
    Reach.STARTING: "(e.start_time >= slot.start_time AND e.start_time < slot.end_time)",
    Reach.ENDING: f"""(e.start_time >= slot.start_time AND e.start_time < slot.end_time
            AND e.end_time = e.start_time
        OR {_STRETCH_ENDS_INSIDE})""",
    Reach.MEETING: f"""(e.start_time >= slot.start_time AND e.start_time < slot.end_time
        OR {_REACHES_IN})""",
    Reach.COUNTED: f"""(e.start_time > slot.start_time AND e.start_time <= slot.end_time
            AND e.end_time = e.start_time
        OR {_STRETCH_ENDS_INSIDE})""",
    Reach.ANY: "false",
}

_RESTS: Final[Mapping[Reach, LiteralString]] = {
    Reach.INSIDE: "e.end_time <= slot.end_time",
    Reach.STARTING: "true",
}


# An input stream is a set of events that some inputs of a model read alike: one type, filter and window.
#
# Resolving a model against a project finds the event types and data point types that its inputs name, and
# checks that their units can be converted; every input that cannot be served is named at once.
#
# Invariants: inputs that read the same events are in one stream, except those whose data the caller named
# or set aside; a stream of which any input needs the elements is read element by element.


SUMMED: Final = frozenset({Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MIN, Aggregate.MAX, Aggregate.COUNT})
"""The aggregates that PostgreSQL makes statistics for."""

_TYPES: Final = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


@dataclass(frozen=True, slots=True)
class ReadValue:
    """What one input node reads of each event, and how it is aggregated."""

    node: str
    aggregate: Aggregate
    column: ValueColumn
    unit: Unit
    weight: ValueColumn | None = None
    data_point_type: int = 0


@dataclass(frozen=True, slots=True)
class InputStream:
    """Events of one type that pass one filter, with everything that is read of them."""

    number: int
    event_type: int
    event_type_slug: str
    where: Composable
    """Whether an event passes the filter."""
    usable: Composable
    """Whether an event has what is read: it is complete, or rules have filled it so far."""
    reads: tuple[ReadValue, ...]
    window: Window = INSIDE
    is_of_elements: bool = False
    columns: tuple[ValueColumn, ...] = ()
    """All that is read of each event: values, weights, and texts that are joined on."""
    ranking: tuple[ValueColumn, ...] = ()
    """What events of the same time are ranked by: all that is read of them, here or in a stream apart."""
    join: Join | None = None
    """Of a stream that is found by what it is joined to, whatever its date."""
    key: ValueColumn | None = None
    """The text that it is joined on, where it is no tracking id and no interval."""
    apart: int | None = None
    """The data point type, when the caller named its data or set them aside for some slot."""

    condition: EventCondition | None = None
    """The filter, where there may be events for which it is neither true nor false."""
    is_defining: bool = False
    """Whether its event type is one whose events define the partitions."""
    is_uncertain: bool = False
    """Whether the uncertainty of values is read, too."""

    @property
    def node_slugs(self) -> tuple[str, ...]:
        """The nodes that read this stream."""
        return tuple(read_value.node for read_value in self.reads)

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions that are read of each event, weights included."""
        return tuple(sorted({column.position for column in self.columns}))

    @property
    def key_column(self) -> ValueColumn:
        """The text that the events of a joined stream are matched by."""
        assert self.key is not None, "the join is on a text data point"  # noqa: S101
        return self.key


@dataclass(frozen=True, slots=True)
class ResolvedStreams:
    """What the inputs of a model read in a project."""

    streams: tuple[InputStream, ...]
    measures: Mapping[str, Measure]


class CatalogueEntry(msgspec.Struct, frozen=True):
    """A data point type that an input may read, with its event type."""

    event_type: str
    event_type_number: int
    cadence_amount: int | None
    cadence_unit: str | None
    slug: str
    number: int
    position: int
    value_type: str
    unit: str | None
    required: bool
    uncertainty: dict[str, Any] | None

    @property
    def statements(self) -> Statements:
        """What the type states of the uncertainty of its values."""
        return () if self.uncertainty is None else (build_stored(self.uncertainty),)

    @property
    def column(self) -> ValueColumn:
        return ValueColumn(self.position, self.value_type)

    @property
    def cadence(self) -> EventCadence | None:
        if self.cadence_amount is None or self.cadence_unit is None:
            return None
        return EventCadence(self.cadence_amount, self.cadence_unit)


Catalogue = Mapping[str, Mapping[str, CatalogueEntry]]
"""Data point types by the slugs of their event type and their own."""


CATALOGUE: Final = """
    SELECT et.slug, et.id, et.cadence_amount, et.cadence_unit, dpt.slug, dpt.id, dpt.position, dpt.value_type,
           dpt.unit, dpt.required, dpt.uncertainty
      FROM event_types et
      JOIN data_point_types dpt ON (dpt.project_id, dpt.event_type_id) = (et.project_id, et.id)
     WHERE et.project_id = %s ORDER BY et.id, dpt.position
"""


async def read_catalogue(tx: Read, project: int) -> Catalogue:
    """Every data point type of a project."""
    rows = await tx.rows(CatalogueEntry, CATALOGUE, (project,))
    catalogue: dict[str, dict[str, CatalogueEntry]] = {}
    for row in rows:
        catalogue.setdefault(row.event_type, {})[row.slug] = row
    return catalogue


def resolve_streams(
    model: Model, catalogue: Catalogue, separate: Collection[str] = (), *, with_uncertainty: bool = False
) -> ResolvedStreams:
    """Return a model's streams; inputs in `separate` get their own streams, by data point type.

    What values state of their uncertainty is read `with_uncertainty`, where the model asks for it.
    """
    inputs = [(node, node.body) for node in model.nodes if isinstance(node.body, Input)]
    problems = [problem for node, body in inputs for problem in _check_input(node, body, catalogue)]
    filters = {} if problems else _compile_filters(inputs, catalogue, problems)
    if problems:
        raise Invalid(problems)
    joined_nodes = [(node, body) for node, body in inputs if body.join is not None]
    is_uncertain = with_uncertainty and model.uncertainty is not None
    one_by_one = _list_read_one_by_one(model, catalogue, is_uncertain=is_uncertain)
    defining = {node.body.event_type for node in model.partitioning if isinstance(node.body, Input)}
    rankings = _find_rankings(inputs, catalogue, joined_nodes)
    streams = []
    measures: dict[str, Measure] = {}
    for number, (key, readers) in enumerate(_group_alike(inputs, catalogue, separate).items(), 1):
        points = catalogue[key.event_type]
        own_filter = None if key.where is None else filters[key.event_type, key.where]
        read_columns = (_list_read_columns(node, body, catalogue, joined_nodes) for node, body in readers)
        columns = tuple(dict.fromkeys(chain.from_iterable(read_columns)))
        is_of_elements = any(_needs_elements(node, body, catalogue, one_by_one) for node, body in readers)
        streams.append(
            InputStream(
                number=number,
                event_type=next(iter(points.values())).event_type_number,
                event_type_slug=key.event_type,
                where=SQL("true") if own_filter is None else own_filter.passes,
                usable=complete_or_filled(columns, own_filter),
                condition=_find_undecided(own_filter, points),
                reads=tuple(_read(node, body, points) for node, body in readers),
                window=key.window,
                is_of_elements=is_of_elements,
                columns=columns,
                ranking=rankings[replace(key, apart=None)],
                join=key.join,
                key=points[key.join.on].column if key.join and key.join.on not in JOINED_ON else None,
                apart=key.apart,
                is_defining=key.event_type in defining,
                is_uncertain=is_uncertain,
            )
        )
        for node, body in readers:
            measure = _build_measure(body, catalogue, number, columns, is_of_elements=is_of_elements)
            measures[node.slug] = _state_uncertainty(measure, node, points) if is_uncertain else measure
    all_measures = _add_target_measures(model, joined_nodes, catalogue, streams, measures)
    return ResolvedStreams(tuple(streams), all_measures)


def _find_undecided(
    own_filter: EventCondition | None, points: Mapping[str, CatalogueEntry]
) -> EventCondition | None:
    """The filter, where there may be events for which it is neither true nor false."""
    required = {slug for slug, point in points.items() if point.required}
    return None if own_filter is None or own_filter.is_decided_by(required) else own_filter


def _compile_filters(
    inputs: Collection[tuple[Node, Input]], catalogue: Catalogue, problems: list[Problem]
) -> dict[tuple[str, EventFilter], EventCondition]:
    """The filters of inputs by event type; what is wrong with one is noted with its node and its text."""
    filters: dict[tuple[str, EventFilter], EventCondition] = {}
    for node, body in inputs:
        if body.where is None:
            continue
        points, tree = catalogue[body.event_type], body.where.tree
        try:
            check_where(tree, {slug: _TYPES[point.value_type] for slug, point in points.items()})
            condition = event_condition(tree, {slug: point.column for slug, point in points.items()})
        except (ExpressionError, Invalid) as error:
            message = (
                f"has the condition {print_tree(tree)}, which cannot be decided: {str(error).rstrip('.')}"
            )
            problems.append(_build_problem(node, message))
            continue
        filters[body.event_type, body.where] = condition
    return filters


def select_matching(stream: InputStream) -> Composable:
    """The usable events of a stream as a table `e`; takes the parameters project and event_type."""
    return SQL("""(
        SELECT e.* FROM events e
         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s
           AND {usable} AND e.voided_at IS NULL AND {where}
    ) AS e""").format(usable=stream.usable, where=stream.where)


@dataclass(frozen=True, slots=True)
class _Likeness:
    """What inputs have in common that read the same events."""

    event_type: str
    where: EventFilter | None
    window: Window
    join: Join | None
    apart: int | None


def _key_selection(body: Input, catalogue: Catalogue, *, is_apart: bool) -> _Likeness:
    point = catalogue[body.event_type][body.data_point_type]
    return _Likeness(
        event_type=body.event_type,
        where=body.where,
        window=find_window(body),
        join=body.join if body.is_any_period else None,
        apart=point.number if is_apart else None,
    )


def _group_alike(
    inputs: Collection[tuple[Node, Input]], catalogue: Catalogue, separate: Collection[str]
) -> dict[_Likeness, list[tuple[Node, Input]]]:
    """The inputs that read the same events, each group a stream."""
    alike: dict[_Likeness, list[tuple[Node, Input]]] = {}
    for node, body in inputs:
        selection = _key_selection(body, catalogue, is_apart=node.slug in separate)
        alike.setdefault(selection, []).append((node, body))
    return alike


def _find_rankings(
    inputs: Collection[tuple[Node, Input]],
    catalogue: Catalogue,
    joined_nodes: Collection[tuple[Node, Input]],
) -> Mapping[_Likeness, tuple[ValueColumn, ...]]:
    """What the events of inputs that find them alike are ranked by, so that their arrays run in parallel."""
    columns_of: dict[_Likeness, dict[ValueColumn, None]] = {}
    for node, body in inputs:
        columns = dict.fromkeys(_list_read_columns(node, body, catalogue, joined_nodes))
        columns_of.setdefault(_key_selection(body, catalogue, is_apart=False), {}).update(columns)
    return {key: tuple(columns) for key, columns in columns_of.items()}


def _list_read_one_by_one(model: Model, catalogue: Catalogue, *, is_uncertain: bool) -> frozenset[str]:
    """The inputs that share readings with others, whose uncertainty needs them one by one, if asked for."""
    if not is_uncertain:
        return frozenset()

    def is_weight_of_target(slug: str) -> bool:
        body = model.node(slug).body
        return isinstance(body, Input) and _find_own_weight(body, catalogue[body.event_type]) is None

    return list_read_one_by_one(find_reading_families(model, is_weight_of_target))


def _needs_elements(node: Node, body: Input, catalogue: Catalogue, one_by_one: Collection[str]) -> bool:
    return (
        node.slug in one_by_one
        or body.aggregate not in SUMMED
        or body.join is not None
        or find_window(body).reach in {Reach.MEETING, Reach.ANY}
        or bool(_find_coverage(body, catalogue))
    )


def _find_coverage(body: Input, catalogue: Catalogue) -> Decimal:
    """The percent of a slot that an input must cover."""
    if body.is_any_period or body.join is not None:
        return NO_COVERAGE
    if body.coverage is not None:
        return body.coverage
    has_cadence = catalogue[body.event_type][body.data_point_type].cadence is not None
    return FULL_COVERAGE if has_cadence or body.straddle is BoundaryPolicy.PRORATE else NO_COVERAGE


def _list_read_columns(
    node: Node, body: Input, catalogue: Catalogue, joined_nodes: Collection[tuple[Node, Input]]
) -> Iterator[ValueColumn]:
    """What is read of an input's events, for itself and for what is joined to it."""
    points = catalogue[body.event_type]
    yield points[body.data_point_type].column
    if (weight := _find_own_weight(body, points)) is not None:
        yield weight
    if body.join is not None and body.join.on not in JOINED_ON:
        yield points[body.join.on].column
    for _, other in joined_nodes:
        if other.join is not None and other.join.to == node.slug:
            if other.join.on not in JOINED_ON:
                yield points[other.join.on].column
            if other.weight is not None and other.weight not in catalogue[other.event_type]:
                yield points[other.weight].column


def _build_measure(
    body: Input, catalogue: Catalogue, stream: int, columns: tuple[ValueColumn, ...], *, is_of_elements: bool
) -> Measure:
    points = catalogue[body.event_type]
    point = points[body.data_point_type]
    is_keyed = body.join is not None and body.join.on not in JOINED_ON
    weight = _find_own_weight(body, points)
    return Measure(
        unit=ONE if point.value_type != "number" else _find_unit(point),
        source=stream,
        is_of_elements=is_of_elements,
        value=columns.index(point.column),
        weight=None if weight is None else columns.index(weight),
        key=columns.index(points[body.join.on].column) if body.join and is_keyed else None,
        coverage=_find_coverage(body, catalogue),
        cadence=point.cadence,
    )


def _state_uncertainty(measure: Measure, node: Node, points: Mapping[str, CatalogueEntry]) -> Measure:
    """The measure, with what values state by their type; where that states nothing, by the node."""
    assert isinstance(node.body, Input)  # noqa: S101 - only inputs have measures
    own = () if node.uncertainty is None else (node.uncertainty,)
    weight = points.get(node.body.weight or "")
    return replace(
        measure,
        statements=points[node.body.data_point_type].statements or own,
        weight_unit=ONE if weight is None else _find_unit(weight),
        weight_statements=() if weight is None else weight.statements,
    )


_EVER: Final = datetime.min.replace(tzinfo=UTC)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
"""When what may hold begins and ends: the reading in force when a slot begins may be as old as anything, and
a value that a rule put in may rest on one after it."""


async def calibrate_streams(tx: Read, project: int, resolved: ResolvedStreams) -> ResolvedStreams:
    """The streams, with the calibrations of their meters."""
    positions: dict[int, set[int]] = {}
    for stream in resolved.streams:
        positions.setdefault(stream.event_type, set()).update(stream.positions)
    found = await tx.together(
        *(
            read_calibrations(tx, project, event_type, of_type, _EVER, _NEVER)
            for event_type, of_type in positions.items()
        )
    )
    return calibrate(resolved, dict(zip(positions, found, strict=True)))


def read_summed_elements(resolved: ResolvedStreams, long: Collection[str]) -> ResolvedStreams:
    """The streams with all events read one by one, but for long ones of which sums suffice.

    Sums suffice for the uncertainty of sums and averages, unless these are weighted. `long` are nodes.
    """
    streams = tuple(
        replace(stream, is_of_elements=stream.is_of_elements or not _is_pooled(stream, long))
        for stream in resolved.streams
    )
    of_elements = {stream.number for stream in streams if stream.is_of_elements}
    measures = {
        slug: replace(measure, is_of_elements=measure.source in of_elements)
        for slug, measure in resolved.measures.items()
    }
    return ResolvedStreams(streams, measures)


def _is_pooled(stream: InputStream, long: Collection[str]) -> bool:
    return all(
        read_value.node in long and read_value.aggregate in _POOLED and read_value.weight is None
        for read_value in stream.reads
    )


_POOLED: Final = frozenset({Aggregate.SUM, Aggregate.AVERAGE, Aggregate.COUNT})
"""The aggregates whose uncertainty follows from sums to first order and beyond: they are linear."""


def calibrate(
    resolved: ResolvedStreams, calibrations: Mapping[int, Sequence[CalibrationInForce]]
) -> ResolvedStreams:
    """The streams, with what meters share by their certificates; `calibrations` are by event type."""
    measures = dict(resolved.measures)
    for stream in resolved.streams:
        of_stream = calibrations.get(stream.event_type, ())
        for read_value in stream.reads if of_stream else ():
            measures[read_value.node] = replace(
                measures[read_value.node],
                calibrations=_list_periods(of_stream, read_value.column),
                weight_calibrations=_list_periods(of_stream, read_value.weight),
            )
    return ResolvedStreams(resolved.streams, measures)


def _list_periods(
    calibrations: Sequence[CalibrationInForce], column: ValueColumn | None
) -> tuple[CalibrationPeriod, ...]:
    return tuple(
        CalibrationPeriod(
            calibration.asset_name,
            calibration.asset,
            calibration.valid_from,
            calibration.valid_until,
            replace(calibration.statement, effect=calibration.effect),
        )
        for calibration in calibrations
        if column is not None and calibration.position == column.position
    )


def _add_target_measures(
    model: Model,
    joined_nodes: Collection[tuple[Node, Input]],
    catalogue: Catalogue,
    streams: Collection[InputStream],
    measures: dict[str, Measure],
) -> Mapping[str, Measure]:
    """The measures, with what joined inputs read of the events that they are joined to."""
    columns = {node: stream.columns for stream in streams for node in stream.node_slugs}
    for node, body in joined_nodes:
        assert body.join is not None  # noqa: S101 - these have one
        target = model.node(body.join.to).body
        assert isinstance(target, Input)  # noqa: S101 - the model was checked
        points, target_columns = catalogue[target.event_type], columns[body.join.to]
        measure = measures[node.slug]
        if body.join.on not in JOINED_ON:
            measure = replace(measure, target_key=target_columns.index(points[body.join.on].column))
        if body.weight is not None and body.weight not in catalogue[body.event_type]:
            weight = target_columns.index(points[body.weight].column)
            measure = replace(
                measure,
                weight=weight,
                is_weight_of_target=True,
                weight_unit=_find_unit(points[body.weight]),
                weight_statements=points[body.weight].statements,
            )
        measures[node.slug] = measure
    return measures


def _read(node: Node, body: Input, points: Mapping[str, CatalogueEntry]) -> ReadValue:
    point = points[body.data_point_type]
    weight = _find_own_weight(body, points)
    return ReadValue(node.slug, body.aggregate, point.column, _find_unit(point), weight, point.number)


def _find_own_weight(body: Input, points: Mapping[str, CatalogueEntry]) -> ValueColumn | None:
    """Return the weight of an input that is on its own events."""
    return points[body.weight].column if body.weight is not None and body.weight in points else None


def _check_input(node: Node, body: Input, catalogue: Catalogue) -> Iterator[Problem]:
    points = catalogue.get(body.event_type)
    if points is None:
        yield _build_problem(
            node, f"reads the event type {body.event_type!r}, which the project does not have"
        )
        return
    own_weight = None if body.join is not None else body.weight
    for slug in filter(None, (body.data_point_type, own_weight)):
        point = points.get(slug)
        if point is None:
            has = ", ".join(points)
            yield _build_problem(
                node, f"reads {slug!r} of {body.event_type!r}, which has the data points {has}"
            )
        elif point.value_type != "number" and body.aggregate is not Aggregate.COUNT:
            yield _build_problem(
                node, f"reads {slug!r} of {body.event_type!r}, which is a {point.value_type}, no number"
            )
    yield from _join_problems(node, body, catalogue)
    point = points.get(body.data_point_type)
    if not point or point.value_type != "number" or body.aggregate is Aggregate.COUNT:
        return
    if not are_compatible(_find_unit(point), node.unit):
        yield _build_problem(
            node,
            f"is in {node.unit} and reads {point.slug!r} in {point.unit or 'no unit'}, "
            "which count different things",
        )


def _join_problems(node: Node, body: Input, catalogue: Catalogue) -> Iterator[Problem]:
    """What a joined input names that its event type, or the other one, does not have."""
    if body.join is None:
        return
    points = catalogue[body.event_type]
    if body.join.on not in JOINED_ON:
        point = points.get(body.join.on)
        if point is None or point.value_type != "string":
            yield _build_problem(
                node, f"is joined on {body.join.on!r}, which is no text of {body.event_type!r}"
            )


def _build_problem(node: Node, fact: str) -> Problem:
    return Problem(f"Input {node.slug!r} {fact}.", node.slug, "invalid")


def _find_unit(point: CatalogueEntry) -> Unit:
    return parse_unit(point.unit) if point.unit else ONE
