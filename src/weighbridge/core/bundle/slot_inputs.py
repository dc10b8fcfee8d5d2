"""What the engine is given to compute a slot again: the events of its batches as these saw them.

Each set of events that nodes read alike is a source of its own. Where sums are enough, values are put
together by tags; where order, time or a join matters they are elements, in the order that the service has
them in: start, end, tracking id, client reference, values, names, number.

A worked example: a slot of partitions Straw and Wood made two batches. Batch 1 names the events 3-5 for
`mass` and 9 for `power`, batch 2 the events 6-7 and 9. Source 1 then has 3-7, source 2 has 9 once; 9 has no
feedstock, so its group agrees with both partitions and the engine shares it, as it did in the service.

Invariant: an event counts once in a slot, in the state in which the newest batch saw it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.core import identity
from weighbridge.core.bundle.archive import UnreadableError
from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.rows import CorrectionRow, parse_time
from weighbridge.core.bundle.tables import VALUES_FROM, VERSION_BITS, EventFile, SetRead, Texts, parse_ranges
from weighbridge.core.bundle.uncertainty import OF_TYPE
from weighbridge.core.collection.correction import CorrectionOrigin, determine_value_source
from weighbridge.core.engine.inputs import find_least_measured
from weighbridge.core.engine.reading_families import find_reading_families, list_read_one_by_one
from weighbridge.core.engine.slot_computation import Content, Element, FilledBasis, Group, Measure
from weighbridge.core.engine.stated_values import (
    LINEAR,
    RatedReading,
    StatedClass,
    add_moments,
    compute_filled_moments,
)
from weighbridge.core.engine.statistics import NOTHING, compute_statistics
from weighbridge.core.ledger.allocation import DIMENSIONS, Partition, ValueSource
from weighbridge.core.model import Aggregate, BoundaryPolicy, Input, Model, Node
from weighbridge.core.model.definition import JOINED_ON
from weighbridge.core.number import EXACT
from weighbridge.core.time.calendar import EventSlot, Interval
from weighbridge.core.time.expectation import ALWAYS, Meter, Service
from weighbridge.core.uncertainty.statement import Statements
from weighbridge.core.unit import ONE, parse_unit

SUMMED: Final = frozenset({Aggregate.SUM, Aggregate.AVERAGE, Aggregate.MIN, Aggregate.MAX, Aggregate.COUNT})
_START, _END, _TRACKING_ID, _FEEDSTOCK, _ASSET, _LOCATION, _REFERENCE, _IMPUTED = range(2, 10)


class SeenCorrection(NamedTuple):
    """A correction that was in force on a value, and the newest batch that was made of its event."""

    number: int
    origin: CorrectionOrigin
    batch: int


SeenCorrections = Mapping[tuple[int, str], SeenCorrection]
"""By event and data point, what was in force on the value."""


@dataclass(frozen=True, slots=True)
class SourceOfSlot:
    """Events that some nodes of a slot read alike."""

    number: int
    event_type: str
    nodes: tuple[str, ...]
    keys: Sequence[int]
    """Numbers and versions of the events, ascending."""
    readers: Mapping[int, int]
    """By event that states something of single values, the newest batch that read it."""


def list_slot_sources(contents: BundleContents, model: Model, batches: Sequence[int]) -> list[SourceOfSlot]:
    """The events that batches of one slot read, in sets; UnreadableError for nodes that read none."""
    by_nodes: dict[tuple[str, ...], tuple[str, dict[int, int]]] = {}
    stating = contents.stating_events
    readers: dict[int, int] = {}
    for batch in sorted(batches):
        for input_read in contents.lineage[batch].inputs:
            _reject_misread(model, input_read)
            _, versions = by_nodes.setdefault(tuple(input_read.nodes), (input_read.event_type, {}))
            event_versions = {int(event): version for event, version in input_read.versions.items()}
            events = parse_ranges(input_read.events)
            versions |= dict.fromkeys(events, 0) | event_versions
            readers |= dict.fromkeys(stating.intersection(events), batch)
    return [
        SourceOfSlot(
            number,
            event_type,
            nodes,
            sorted(event << VERSION_BITS | version for event, version in versions.items()),
            readers,
        )
        for number, (nodes, (event_type, versions)) in enumerate(by_nodes.items(), start=1)
    ]


def _reject_misread(model: Model, input_read: SetRead) -> None:
    for slug in input_read.nodes:
        body = model.by_slug[slug].body if slug in model.by_slug else None
        if not isinstance(body, Input) or body.event_type != input_read.event_type:
            raise UnreadableError(f"Node {slug!r} of the model reads no events of {input_read.event_type!r}.")


def list_measures(
    contents: BundleContents, model: Model, sources: Sequence[SourceOfSlot], batch: int
) -> dict[str, Measure]:
    """Where each input finds what it reads in its events, with what was stated when a batch was made."""
    source_of = {slug: source for source in sources for slug in source.nodes}
    measures: dict[str, Measure] = {}
    for node in model.nodes:
        if not isinstance(node.body, Input):
            continue
        source = source_of.get(node.slug)
        if source is None:  # none of its events was read by any batch
            measures[node.slug] = Measure(node.unit, len(sources) + 1 + len(measures))
        else:
            is_of_elements = _is_of_elements(contents, model, source)
            measure = _build_measure(contents, model, node.body, source.number, is_of_elements)
            is_asked = contents.is_uncertain and model.uncertainty is not None
            measures[node.slug] = (
                state_measure(contents, model, node, measure, batch) if is_asked else measure
            )
    return measures


def list_inputs(model: Model, source: SourceOfSlot) -> dict[str, Input]:
    """The inputs that read the events of a source."""
    bodies = {slug: model.node(slug).body for slug in source.nodes}
    return {slug: body for slug, body in bodies.items() if isinstance(body, Input)}


def _build_measure(
    contents: BundleContents,
    model: Model,
    body: Input,
    number: int,
    is_of_elements: bool,  # noqa: FBT001 - of the source
) -> Measure:
    points = {point.data_point: index for index, point in enumerate(contents.points[body.event_type])}
    if body.data_point_type not in points:
        raise UnreadableError(f"{body.event_type!r} has no data point {body.data_point_type!r}.")
    point = contents.points[body.event_type][points[body.data_point_type]]
    existing_points = _list_target_points(contents, model, body)
    key = _find_join_point(body)
    is_own_weight = body.weight in points
    return Measure(
        unit=parse_unit(point.unit) if point.value_type == "number" and point.unit else ONE,
        source=number,
        is_of_elements=is_of_elements,
        value=points[body.data_point_type],
        weight=None
        if body.weight is None
        else (points if is_own_weight else existing_points).get(body.weight),
        is_weight_of_target=body.weight is not None and not is_own_weight,
        key=None if key is None else points[key],
        target_key=None if key is None else existing_points.get(key),
    )


def state_measure(
    contents: BundleContents, model: Model, node: Node, measure: Measure, batch: int
) -> Measure:
    """The measure, with what values state by their type, else by the node, and what their meters share."""
    body, stated = node.body, contents.stated
    assert isinstance(body, Input)  # noqa: S101 - only inputs have measures
    own = () if node.uncertainty is None else (node.uncertainty,)
    measure = replace(
        measure,
        statements=stated.find(OF_TYPE, body.event_type, body.data_point_type, batch) or own,
        calibrations=stated.list_calibrations(body.event_type, body.data_point_type, batch),
    )
    if body.weight is None:
        return measure
    target = model.node(body.join.to).body if body.join is not None else None
    weighed = (
        target.event_type if measure.is_weight_of_target and isinstance(target, Input) else body.event_type
    )
    point = next(point for point in contents.points[weighed] if point.data_point == body.weight)
    of_own = None if measure.is_weight_of_target else body.weight
    return replace(
        measure,
        weight_unit=parse_unit(point.unit) if point.unit else ONE,
        weight_statements=stated.find(OF_TYPE, weighed, body.weight, batch) or (),
        weight_calibrations=stated.list_calibrations(body.event_type, of_own, batch),
    )


def _list_target_points(contents: BundleContents, model: Model, body: Input) -> Mapping[str, int]:
    """Where the data points stand of the events that an input is joined to."""
    target = model.node(body.join.to).body if body.join is not None else None
    if not isinstance(target, Input):
        return {}
    return {point.data_point: index for index, point in enumerate(contents.points.get(target.event_type, ()))}


def _find_join_point(body: Input) -> str | None:
    """The text data point that an input is joined on; None where it is joined otherwise."""
    return body.join.on if body.join is not None and body.join.on not in JOINED_ON else None


def _is_of_elements(contents: BundleContents, model: Model, source: SourceOfSlot) -> bool:
    """Whether the events of a source are read one by one: for an input, or for what inputs share."""
    inputs = list_inputs(model, source)
    if not all(map(is_summed, inputs.values())):
        return True
    return contents.is_uncertain and not list_shared_inputs(contents, model).isdisjoint(inputs)


def list_shared_inputs(contents: BundleContents, model: Model) -> frozenset[str]:
    """The inputs that share readings with others, whose uncertainty needs them one by one."""

    def is_weight_of_target(slug: str) -> bool:
        body = model.node(slug).body
        points = contents.points.get(body.event_type, ()) if isinstance(body, Input) else ()
        return isinstance(body, Input) and body.weight not in {point.data_point for point in points}

    return list_read_one_by_one(find_reading_families(model, is_weight_of_target))


def is_summed(body: Input) -> bool:
    """Whether sums over whole events tell all that an input needs."""
    return (
        body.aggregate in SUMMED
        and body.join is None
        and body.straddle is not BoundaryPolicy.PRORATE
        and not body.is_any_period
    )


def group_events(
    contents: BundleContents,
    model: Model,
    slot: Interval,
    sources: Sequence[SourceOfSlot],
    corrections: Mapping[int, int],
    measures: Mapping[str, Measure],
) -> list[Group]:
    """The events of a slot in groups by tags; `corrections` are those of a batch each."""
    seen: dict[tuple[int, str], SeenCorrection] = {}
    for number, batch in corrections.items():
        row: CorrectionRow = contents.corrections[number]
        seen[row.event, row.data_point] = SeenCorrection(number, CorrectionOrigin(row.origin), batch)
    groups: list[Group] = []
    for source in sources:
        inputs = list_inputs(model, source)
        is_uncertain = contents.is_uncertain and model.uncertainty is not None
        stated = measures if is_uncertain else {}
        gathering = _GroupBuilder(contents, source, DIMENSIONS[model.partition_type], seen, stated)
        if not _is_of_elements(contents, model, source):
            groups += gathering.sums(inputs, slot)
        else:
            groups += gathering.elements(inputs, list_ranking_points(contents, model, inputs), slot)
    return groups


def list_ranking_points(contents: BundleContents, model: Model, inputs: Mapping[str, Input]) -> list[str]:
    """The data points by which events of one time are ranked: all that any input reads that finds them alike,
    so that arrays of the same events run in parallel.
    """
    first = next(iter(inputs.values()))
    node_inputs = {node.slug: node.body for node in model.nodes if isinstance(node.body, Input)}
    existing_points = {point.data_point for point in contents.points[first.event_type]}
    ranking_points: dict[str, None] = {}
    for slug, body in node_inputs.items():
        if _key_selection(body) != _key_selection(first):
            continue
        joined_inputs = [
            other for other in node_inputs.values() if other.join is not None and other.join.to == slug
        ]
        points = [body.data_point_type, body.weight, _find_join_point(body)]
        for other in joined_inputs:
            weight = None if other.weight in _list_points_read(contents, other) else other.weight
            points += [_find_join_point(other), weight]
        ranking_points |= dict.fromkeys(
            point for point in points if point is not None and point in existing_points
        )
    return list(ranking_points)


def _list_points_read(contents: BundleContents, body: Input) -> set[str]:
    return {point.data_point for point in contents.points.get(body.event_type, ())}


def _key_selection(body: Input) -> tuple[object, ...]:
    """What inputs have in common that find the same events."""
    window: tuple[object, ...] = (body.straddle, body.aggregate is Aggregate.TIME_WEIGHTED)
    if body.is_any_period:
        window = ("any", body.join)
    elif body.aggregate is Aggregate.DELTA:
        window = ("counted",)
    return body.event_type, body.where, *window


class _GroupBuilder:
    """Reads the events of one source and puts them into groups."""

    def __init__(
        self,
        contents: BundleContents,
        source: SourceOfSlot,
        dimensions: Sequence[str],
        corrections: SeenCorrections,
        measures: Mapping[str, Measure],
    ) -> None:
        self._measures = measures
        """Of the inputs, where what is uncertain is asked for."""
        self._slugs = [point.data_point for point in contents.points[source.event_type]]
        self._contents = contents
        self._source = source
        self._file: EventFile = contents.events[source.event_type]
        self._points = contents.points[source.event_type]
        self._seen = corrections
        self._corrected = {event for event, _ in corrections}
        self._has = ["tracking_id" in dimensions, "feedstock" in dimensions, "asset" in dimensions]

    def _tags(self, fields: Texts) -> tuple[str | None, str | None, str | None]:
        tracking_id, feedstock, asset = self._has
        return (
            fields[_TRACKING_ID] if tracking_id else None,
            fields[_FEEDSTOCK] if feedstock else None,
            fields[_ASSET] if asset else None,
        )

    def _by_tags(self) -> dict[tuple[str | None, ...], list[Texts]]:
        tagged: dict[tuple[str | None, ...], list[Texts]] = {}
        rows = self._file.rows(self._source.keys)
        if not any(self._has):
            tagged[None, None, None] = list(rows)
            return tagged
        for fields in rows:
            tagged.setdefault(self._tags(fields), []).append(fields)
        return tagged

    def sums(self, inputs: Mapping[str, Input], slot: Interval) -> Iterator[Group]:
        """Groups of whole events, with what their values come to; UnreadableError for one of another slot."""
        for tags, events in self._by_tags().items():
            if not isinstance(slot, EventSlot):
                self._refuse_others(events, inputs.values(), slot)
            by_input = {slug: self._statistics(slug, body, events) for slug, body in inputs.items()}
            yield self._group(tags, int(events[0][0] or 0), len(events), by_input)

    def _refuse_others(self, events: Sequence[Texts], inputs: Iterable[Input], slot: Interval) -> None:
        bodies = list(inputs)
        for fields in events:
            start_text, end_text = fields[_START] or "", fields[_END] or ""
            start = parse_time(start_text)
            time = Interval(start, start if end_text == start_text else parse_time(end_text))
            if not any(has(slot, body, time) for body in bodies):
                raise UnreadableError(f"event {fields[0]} is of another slot.")

    def _group(
        self, tags: tuple[str | None, ...], first: int, count: int, by_input: Any, **fields: Any
    ) -> Group:
        name = identity.of("event", self._contents.manifest.project_number, first)
        return Group(self._source.number, Partition(*tags), count, name, Decimal(0), by_input, **fields)

    def _statistics(self, slug: str, body: Input, events: Sequence[Texts]) -> Any:
        value = self._file.value_of[body.data_point_type]
        weight = None if body.weight is None else self._file.value_of[body.weight]
        is_count = body.aggregate is Aggregate.COUNT
        valued = [fields for fields in events if fields[value] is not None]
        pairs = [
            (
                Decimal(1) if is_count else Decimal(fields[value] or 0),
                None if weight is None or (text := fields[weight]) is None else Decimal(text),
            )
            for fields in valued
        ]
        points = [point for point in (body.data_point_type, body.weight) if point is not None]
        sources, measure = self._sources(valued, points), self._measures.get(slug)
        if measure is None:
            return compute_statistics(pairs, sources)
        classes = [self._classify(fields, measure) for fields in valued]
        bases = self._find_own_bases(valued, body, measure)
        classes = [
            stated if basis is None else replace(stated, statements=basis.statements or ())
            for stated, basis in zip(classes, bases, strict=True)
        ]
        statistics = compute_statistics(pairs, sources, classes)
        rated = list(zip(valued, (_rate_pair(body, weight) for _, weight in pairs), bases, strict=True))
        filled = _rate_sources(rated, measure)
        own = {int(fields[0] or 0): rate for fields, rate, basis in rated if basis is None} if filled else {}
        moments = add_moments(statistics.moments, compute_filled_moments(filled, own))
        return replace(statistics, moments=moments)

    def _find_own_bases(
        self, events: Sequence[Texts], body: Input, measure: Measure
    ) -> list[FilledBasis | None]:
        """On what the values of events rest that rules put in, where an input changes with each at a rate."""
        if not self._corrected or body.aggregate not in LINEAR:
            return [None] * len(events)
        return [self._find_basis(fields, measure.value, self._stated(fields)) for fields in events]

    def _classify(self, fields: Texts, measure: Measure) -> StatedClass:
        """What the value of an event states, and its weight; the engine says whose their own effects are."""
        start = parse_time(fields[_START] or "")
        element = Element(
            int(fields[0] or 0),
            0,
            Interval(start, start),
            (),
            asset=fields[_ASSET],
            stated=self._stated(fields),
        )
        weight = measure.weight
        return StatedClass(
            "",
            element.list_statements(measure.value, measure.statements, measure.calibrations),
            ()
            if weight is None
            else element.list_statements(weight, measure.weight_statements, measure.weight_calibrations),
        )

    def _stated(self, fields: Texts) -> tuple[Statements | None, ...]:
        """What the values of an event state alone, as the newest batch that read it was made of them."""
        event = int(fields[0] or 0)
        readers = self._source.readers
        if not self._measures or event not in readers:
            return ()
        return self._contents.stated.find_of_event(event, self._slugs, readers[event])

    def _sources(self, events: Sequence[Texts], points: Sequence[str]) -> list[ValueSource]:
        """Where values come from, weights with them; nothing where all were captured."""
        if not self._corrected and not any(fields[_IMPUTED] == "true" for fields in events):
            return []
        return [
            find_least_measured([self._source_of(fields, point) for point in points]) for fields in events
        ]

    def _source_of(self, fields: Texts, point: str) -> ValueSource:
        seen = self._seen.get((int(fields[0] or 0), point))
        origin = None if seen is None else seen.origin
        return determine_value_source(origin, is_imputed=fields[_IMPUTED] == "true")

    def _find_basis(
        self, fields: Texts, index: int, stated: Sequence[Statements | None]
    ) -> FilledBasis | None:
        """On what a value rests that a rule put in; nothing where something is stated of it alone."""
        point = self._points[index]
        seen = self._seen.get((int(fields[0] or 0), point.data_point))
        if seen is None or seen.origin is not CorrectionOrigin.SUBSTITUTION or not self._measures:
            return None
        if point.value_type != "number" or (stated and stated[index] is not None):
            return None
        place = index, len(self._points)
        return self._contents.stated.find_basis(seen.number, point.data_point, seen.batch, place)

    def _find_bases(self, fields: Texts, stated: Sequence[Statements | None]) -> Mapping[int, FilledBasis]:
        """The same of all values of an event, by their index."""
        if int(fields[0] or 0) not in self._corrected:
            return {}
        bases = {index: self._find_basis(fields, index, stated) for index in range(len(self._points))}
        return {index: basis for index, basis in bases.items() if basis is not None}

    def elements(
        self, inputs: Mapping[str, Input], ranking: Sequence[str], slot: Interval
    ) -> Iterator[Group]:
        """Groups of single events, in the order that the values of `ranking` complete."""
        body = next(iter(inputs.values()))
        sorted_rows = sorted(self._file.rows(self._source.keys), key=self._order(ranking))
        by_tags: dict[tuple[str | None, ...], list[Element]] = {}
        for rank, fields in enumerate(sorted_rows):
            by_tags.setdefault(self._tags(fields), []).append(self._element(fields, rank, body, slot))
        for tags, elements in by_tags.items():
            of_slot = [element for element in elements if element.is_of_slot]
            yield self._group(
                tags,
                (of_slot or elements)[0].event,
                len(of_slot),
                dict.fromkeys(inputs, NOTHING),
                elements=tuple(elements),
                is_of_elements=True,
                is_of_slot=bool(of_slot),
            )

    def _order(self, ranking: Sequence[str]) -> Callable[[Texts], tuple[Any, ...]]:
        """By what elements are ranked; what is missing comes last."""
        values = [self._file.value_of[point] for point in ranking]

        def key(fields: Texts) -> tuple[Any, ...]:
            texts = (fields[at] for at in (_TRACKING_ID, _REFERENCE))
            ranked = [self._content(fields, at) for at in values]
            names = (fields[at] for at in (_FEEDSTOCK, _ASSET, _LOCATION))
            return (
                fields[_START],
                fields[_END],
                *map(_rank_null_last, texts),
                *map(_rank_null_last, ranked),
                *map(_rank_null_last, names),
                int(fields[0] or 0),
            )

        return key

    def _content(self, fields: Texts, at: int) -> Content:
        text = fields[at]
        if text is None:
            return None
        match self._points[at - VALUES_FROM].value_type:
            case "number":
                return Decimal(text)
            case "boolean":
                return text == "true"
        return text

    def _element(self, fields: Texts, rank: int, body: Input, slot: Interval) -> Element:
        event = int(fields[0] or 0)
        time = Interval(parse_time(fields[_START] or ""), parse_time(fields[_END] or ""))
        asset, location = fields[_ASSET], fields[_LOCATION]
        stated = self._stated(fields)
        sources: tuple[ValueSource, ...] = ()
        if event in self._corrected or fields[_IMPUTED] == "true":
            value_sources = tuple(self._source_of(fields, point.data_point) for point in self._points)
            sources = () if set(value_sources) == {ValueSource.CAPTURED} else value_sources
        return Element(
            event=event,
            rank=rank,
            time=time,
            values=tuple(self._content(fields, VALUES_FROM + at) for at in range(len(self._points))),
            tracking_id=fields[_TRACKING_ID],
            feedstock=fields[_FEEDSTOCK],
            asset=asset,
            location=location,
            service=self._service(Meter.of(asset, location)),
            is_of_slot=has(slot, body, time),
            sources=sources,
            stated=stated,
            filled=self._find_bases(fields, stated),
        )

    def _service(self, meter: Meter) -> Service:
        key = ("asset", meter.asset) if meter.asset is not None else ("location", meter.location or "")
        row = self._contents.meters.get(key)
        return ALWAYS if row is None else Service(row.in_service_from, row.in_service_until)


def _rate_pair(body: Input, weight: Decimal | None) -> Decimal:
    """How fast a sum changes with a value, before it is divided."""
    return Decimal(1) if body.weight is None else weight or Decimal(0)


def _rate_sources(
    rated: Iterable[tuple[Texts, Decimal, FilledBasis | None]], measure: Measure
) -> list[RatedReading]:
    """The readings that values rest on which rules put in, and the rate of a sum by each."""
    return [
        RatedReading(
            source.event,
            EXACT.multiply(rate, weight),
            value,
            StatedClass("", source.list_statements(measure.value, measure.statements, measure.calibrations)),
        )
        for _, rate, basis in rated
        for source, weight in (() if basis is None else basis.sources)
        if (value := source.number(measure.value)) is not None
    ]


def _rank_null_last(value: Content) -> tuple[bool, Any]:
    return value is None, "" if value is None else value.encode() if isinstance(value, str) else value


def has(slot: Interval, body: Input, time: Interval) -> bool:
    """Whether a slot has an event by its time: not the reading that stands when it begins, and not what is
    found by a join whatever its date.
    """
    if body.is_any_period:
        return False
    begins = slot.start <= time.start < slot.end
    ends = time.end > slot.start and time.end <= slot.end
    if body.aggregate is Aggregate.DELTA:
        return slot.start < time.start <= slot.end if time.is_reading else ends
    match body.straddle:
        case BoundaryPolicy.START:
            return begins
        case BoundaryPolicy.END:
            return begins if time.is_reading else ends
        case BoundaryPolicy.PRORATE:
            return begins or time.start < slot.start < time.end
    return begins and time.end <= slot.end
