"""What is judged meter by meter: what totalisers counted, and how much of a slot readings cover."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from itertools import pairwise
from typing import Final

from weighbridge.core.engine.inputs import Term, contribute_terms, find_least_measured
from weighbridge.core.engine.reading_families import PointRead
from weighbridge.core.engine.slot_computation import (
    Element,
    EngineSetting,
    EventCadence,
    Group,
    Measure,
    SlotData,
)
from weighbridge.core.engine.stated_values import (
    NO_BASIS,
    Basis,
    RatedPart,
    RatedValue,
    StatedClass,
    compute_rated_components,
)
from weighbridge.core.ledger.allocation import Contributions
from weighbridge.core.model import Aggregate, Input
from weighbridge.core.model.aggregates import Reading, list_steps, list_stretches
from weighbridge.core.number import EXACT, total
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.time.expectation import EVENT_TYPE, Meter, group_by_meter

# Totalisers: what their readings counted from one to the next, meter by meter, in every partition.
#
# A step from a reading to the meter's next one belongs to the tags of the later reading: a
# meter that read 100 for straw, 120 for wood and 150 for straw counted 20 of wood and 30 of straw. So
# the shares of the partitions add up to the meters' progress, even if tags change.
#
# Invariants: a step counts once; a reading that no step begins or ends with counts for nothing, and is
# named.


@dataclass(frozen=True, slots=True)
class CountedAmount:
    """What the readings of a group counted, and the elements that it follows from; None of no steps."""

    amount: Decimal | None
    elements: tuple[Element, ...]
    basis: Basis = NO_BASIS
    """What the amount rests on: each step contributes as the later source of its readings."""
    rates: tuple[int, ...] = ()
    """How often each element counts: 1 as the end of a step, -1 as its beginning, 0 as both."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """Readings of a slot that an input cannot use in any partition."""

    node: str
    source: int
    aggregate: Aggregate
    elements: tuple[Element, ...]


Classify = Callable[[Element], StatedClass]
"""What says what the reading of an element states of its uncertainty."""


def count_totalisers(
    slug: str,
    groups: Sequence[Group],
    measure: Measure,
    slot: Interval,
    classify: Classify | None = None,
    *,
    is_shared: bool = False,
) -> list[CountedAmount]:
    """What totalisers counted in a slot, group by group; with their uncertainty where `classify` is given.

    `is_shared` says that other inputs may have the own errors of the readings, too.
    """
    placed = _place_elements(groups, measure)
    amounts: list[list[Decimal]] = [[] for _ in groups]
    terms: list[list[Term]] = [[] for _ in groups]
    used_elements: list[dict[int, Element]] = [{} for _ in groups]
    rates: list[dict[int, int]] = [{} for _ in groups]
    for step in list_steps(list_meter_readings([element for element, _ in placed], measure), slot):
        (late, group), (early, _) = placed[step.late], placed[step.early]
        amounts[group].append(step.amount)
        terms[group].append(
            (step.amount, find_least_measured([early.source(measure.value), late.source(measure.value)]))
        )
        used_elements[group] |= {early.event: early, late.event: late}
        # A totaliser that began again counts from zero, whatever it read before.
        began_again = step.amount == late.values[measure.value]
        rates[group][late.event] = rates[group].get(late.event, 0) + 1
        rates[group][early.event] = rates[group].get(early.event, 0) - (0 if began_again else 1)
    return [
        CountedAmount(
            total(amounts[index]) if amounts[index] else None,
            tuple(used_elements[index].values()),
            _describe_counted(
                slug,
                contribute_terms(terms[index]),
                _rate_counted(used_elements[index], rates[index], measure, classify),
                measure,
                is_shared=is_shared,
            ),
            tuple(rates[index][event] for event in used_elements[index]),
        )
        for index in range(len(groups))
    ]


def _place_elements(groups: Sequence[Group], measure: Measure) -> list[tuple[Element, int]]:
    """The elements of all groups that have a value, in their order, each with the index of its group."""
    placed = (
        (element, index)
        for index, group in enumerate(groups)
        for element in group.elements
        if element.values[measure.value] is not None
    )
    return sorted(placed, key=lambda entry: entry[0].rank)


def _rate_counted(
    elements: Mapping[int, Element], rates: Mapping[int, int], measure: Measure, classify: Classify | None
) -> list[RatedValue]:
    """List the readings that count, if asked for; what begins one step and ends another cancels."""
    if classify is None:
        return []
    return [
        RatedValue(Decimal(rate), value, classify(elements[event]), event)
        for event, rate in rates.items()
        if rate and (value := elements[event].number(measure.value)) is not None
    ]


def _describe_counted(
    slug: str,
    contributions: Contributions,
    rated: Sequence[RatedValue],
    measure: Measure,
    *,
    is_shared: bool,
) -> Basis:
    """Return what was counted rests on."""
    components = compute_rated_components(slug, rated, measure.unit)
    if not is_shared:
        return Basis(contributions, components)
    named = {effect: one for effect, one in components.items() if not effect.owner}
    return Basis(contributions, named, (RatedPart(PointRead(slug), tuple(rated), measure.unit),))


def list_meter_readings(elements: Sequence[Element], measure: Measure) -> list[Reading]:
    """Elements that have a number, as their readings."""
    return [
        Reading(element.time, number, meter=element.meter)
        for element in elements
        if (number := element.number(measure.value)) is not None
    ]


def list_unusable(setting: EngineSetting, data: SlotData) -> Iterator[Unusable]:
    """The readings of a slot of which its inputs can make nothing, such as a totaliser's only one."""
    for node in setting.program.nodes:
        body = node.body
        if not isinstance(body, Input) or node.slug in data.skipped or body.join is not None:
            continue
        if body.aggregate not in _USABLE:
            continue
        measure = setting.measures[node.slug]
        elements = [
            element
            for group in data.groups
            if node.slug in group.by_input
            for element in group.elements
            if element.values[measure.value] is not None
        ]
        elements.sort(key=lambda element: element.rank)
        used_indices = _USABLE[body.aggregate](elements, measure, data.slot)
        unusable = tuple(
            one for index, one in enumerate(elements) if index not in used_indices and one.is_of_slot
        )
        if unusable:
            yield Unusable(node.slug, measure.source, body.aggregate, unusable)


def _list_step_indices(elements: Sequence[Element], measure: Measure, slot: Interval) -> set[int]:
    counting = list_steps(list_meter_readings(elements, measure), slot)
    return {index for step in counting for index in (step.early, step.late)}


def _list_stretch_indices(elements: Sequence[Element], measure: Measure, slot: Interval) -> set[int]:
    """Return the indices of the readings that cover some time inside the slot."""
    numbered_readings = [
        Reading(reading.time, Decimal(index), meter=reading.meter)
        for index, reading in enumerate(list_meter_readings(elements, measure))
    ]
    return {
        int(interval.value)
        for interval in list_stretches(numbered_readings, slot)
        if slot.overlap(interval.time) is not None
    }


_USABLE = {Aggregate.DELTA: _list_step_indices, Aggregate.TIME_WEIGHTED: _list_stretch_indices}
"""The aggregates that need more of a reading than its value, and the indices of those that they can use."""


# Expected slots: where an event type's cadence cuts a slot, found by arithmetic and not by listing them.
#
# Minutes and hours are counted from the start of the slot, days, weeks from Monday and months on the wall.
# A cell of the cadence that began before the slot is not expected in it; the last one is cut off at its
# end.
#
# Invariants: expected slots follow one another without gap or overlap; finding the one that holds a moment
# takes the same few steps, however long the slot and however short the cadence.


_STEPS: Final = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_DAYS: Final = {"day": 1, "week": 7}


class ExpectedSlots:
    """The expected slots of a cadence inside a slot."""

    def __init__(self, slot: Interval, cadence: EventCadence, zone: tzinfo) -> None:
        self._slot, self._cadence, self._zone = slot, cadence, zone
        local = slot.start.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        if cadence.unit == "week":
            local -= timedelta(days=local.weekday())
        if cadence.unit == "month":
            local = local.replace(day=1)
        self._first = local

    def holding(self, moment: datetime) -> Interval | None:
        """The expected slot that holds a moment, if one does."""
        if not self._slot.start <= moment < self._slot.end:
            return None
        number = self._number(moment)
        # Where clocks are changed at midnight, the arithmetic of the wall is one off.
        while self._start(number) > moment:
            number -= 1
        while self._start(number + 1) <= moment:
            number += 1
        return self._at(number)

    def from_on(self, moment: datetime) -> Iterator[Interval]:
        """The expected slots that begin at a moment of the slot or after it, in order."""
        number = self._number(moment) - 1
        while (start := self._start(number)) < self._slot.end:
            if start >= moment and (slot := self._at(number)) is not None:
                yield slot
            number += 1

    def _at(self, number: int) -> Interval | None:
        start, end = self._start(number), self._start(number + 1)
        return Interval(start, min(end, self._slot.end)) if self._slot.start <= start else None

    def _number(self, moment: datetime) -> int:
        """Which cell of the cadence holds a moment, counted from the one in which the slot begins."""
        amount, unit = self._cadence.amount, self._cadence.unit
        if unit in _STEPS:
            return (moment - self._slot.start) // _STEPS[unit] // amount
        local, first = moment.astimezone(self._zone), self._first
        if unit == "month":
            return ((local.year - first.year) * 12 + local.month - first.month) // amount
        return (local.toordinal() - first.toordinal()) // (_DAYS[unit] * amount)

    def _start(self, number: int) -> datetime:
        """Where a cell begins; past the end of the calendar, where the slot ends."""
        count, unit = number * self._cadence.amount, self._cadence.unit
        try:
            if unit in _STEPS:
                return self._slot.start + count * _STEPS[unit]
            if unit == "month":
                months = self._first.month - 1 + count
                year = self._first.year + months // 12
                return Instant.of(self._first.replace(year=year, month=months % 12 + 1))
            return Instant.of(self._first + timedelta(days=_DAYS[unit] * count))
        except (OverflowError, ValueError):
            return self._slot.end if number > 0 else self._slot.start


# Coverage: how much of a slot the data of an input cover, and where they leave a gap or overlap.
#
# A stretch covers the time from its start to its end. A reading covers the expected slot of its event
# type's cadence that it lies in; without a cadence it covers nothing, except where values apply until the
# next one. Each meter is asked to cover its own time in service inside the slot. Of several meters, what
# counts is the time that they cover together, of the time that they are in service together: two meters of
# 10 hours each, of which one covers 5, cover 75% of 20 meter-hours.
#
# Invariants: time that is covered twice is a fault like time that is not covered; a gap or overlap that is
# named is the first, with its meter; time out of service is neither asked for nor counted.


@dataclass(frozen=True, slots=True)
class Coverage:
    """The first stretch that nothing covers, the first that is covered twice, the length of all faults."""

    length: timedelta
    """All that was asked for: the time in service, meter by meter."""
    faulty: timedelta
    gap: Interval | None
    overlap: Interval | None
    gap_of: Meter = EVENT_TYPE
    overlap_of: Meter = EVENT_TYPE

    def reaches(self, percent: Decimal) -> bool:
        """Whether at most the rest of what was asked for is at fault."""
        shortfall_max = EXACT.multiply(
            EXACT.subtract(Decimal(100), percent), Decimal(_count_milliseconds(self.length))
        )
        return Decimal(100 * _count_milliseconds(self.faulty)) <= shortfall_max

    @property
    def fault(self) -> str:
        """The first fault, for a sentence: `nothing of asset 'East' covers … to …`."""
        first_fault = min(fault for fault in (self.gap, self.overlap) if fault is not None)
        is_gap = first_fault == self.gap
        coverage, meter = ("nothing", self.gap_of) if is_gap else ("more than one", self.overlap_of)
        start, end = Instant.of(first_fault.start).text, Instant.of(first_fault.end).text
        return f"{coverage}{meter.label} covers {start} to {end}"

    def plus(self, other: "Coverage") -> "Coverage":
        """The coverage of both together, with the first faults of either."""
        gap, gap_of = _find_first_fault((self.gap, self.gap_of), (other.gap, other.gap_of))
        overlap, overlap_of = _find_first_fault(
            (self.overlap, self.overlap_of), (other.overlap, other.overlap_of)
        )
        length, faulty = self.length + other.length, self.faulty + other.faulty
        return Coverage(length, faulty, gap, overlap, gap_of, overlap_of)


_Fault = tuple[Interval | None, Meter]


def compute_coverage(
    elements: Sequence[Element],
    slot: Interval,
    cadence: EventCadence | None,
    zone: tzinfo,
    *,
    is_held: bool = False,
) -> Coverage:
    """The coverage of a slot by its meters together; `is_held`: values apply until the meter's next one."""
    length = slot.end - slot.start
    if not elements:
        return Coverage(length, length, slot, None)
    covered = Coverage(timedelta(), timedelta(), None, None)
    for meter, of_meter in group_by_meter(elements, lambda element: element.meter).items():
        in_service = of_meter[0].service.inside(slot)
        if in_service is not None:
            times = [element.time for element in of_meter]
            intervals = _list_stretches(times, slot, in_service, cadence, zone, is_held=is_held)
            covered = covered.plus(_examine(intervals, in_service, meter))
    return covered


def _find_first_fault(fault: _Fault, other: _Fault) -> _Fault:
    """The fault that comes first; of the same time, the one that was found first."""
    if fault[0] is None or other[0] is None:
        return other if fault[0] is None else fault
    return other if other[0] < fault[0] else fault


def _list_stretches(
    times: Iterable[Interval],
    slot: Interval,
    in_service: Interval,
    cadence: EventCadence | None,
    zone: tzinfo,
    *,
    is_held: bool,
) -> list[Interval]:
    """Return the time that each of a meter's events covers; `in_service` is the required part of the slot."""
    sorted_times = sorted(times)
    lasting = [time for time in sorted_times if not time.is_reading]
    reading_times = [time.start for time in sorted_times if time.is_reading]
    if not reading_times:
        return lasting
    if cadence is not None:
        cells = ExpectedSlots(slot, cadence, zone)
        first = next((cell.start for cell in cells.from_on(in_service.start)), in_service.end)
        # What belongs to an expected slot that began before this time is not asked for here.
        before = Interval(in_service.start, min(first, in_service.end))
        return sorted(
            [*lasting, *([] if lasting else [before]), *_list_cells(reading_times, cells, in_service)]
        )
    if is_held and not lasting:
        return [
            Interval(start, end)
            for start, end in pairwise([*reading_times, max(slot.end, reading_times[-1])])
        ]
    return lasting


def _list_cells(
    reading_times: Sequence[datetime], expected: ExpectedSlots, in_service: Interval
) -> Iterator[Interval]:
    """The cells that readings lie in: once each, and once more for a second reading of the same moment."""
    cell: Interval | None = None
    previous_time: datetime | None = None
    for moment in reading_times:
        if not in_service.start <= moment < in_service.end:
            continue
        is_new = cell is None or cell.end <= moment
        if is_new:
            cell = expected.holding(moment)
        if cell is not None and cell.start >= in_service.start and (is_new or moment == previous_time):
            yield Interval(cell.start, min(cell.end, in_service.end))
        previous_time = moment


def _examine(intervals: Iterable[Interval], in_service: Interval, meter: Meter) -> Coverage:
    """Sweep over the stretches of a meter in order of their start."""
    reached = in_service.start
    gap = overlap = None
    faulty = timedelta()
    for interval in intervals:
        inside = in_service.overlap(interval)
        if inside is None:
            continue
        if inside.start > reached:
            gap = gap or Interval(reached, inside.start)
            faulty += inside.start - reached
        elif inside.start < reached:
            twice = Interval(inside.start, min(reached, inside.end))
            overlap = overlap or twice
            faulty += twice.end - twice.start
        reached = max(reached, inside.end)
    if reached < in_service.end:
        gap = gap or Interval(reached, in_service.end)
        faulty += in_service.end - reached
    return Coverage(in_service.end - in_service.start, faulty, gap, overlap, meter, meter)


def _count_milliseconds(length: timedelta) -> int:
    return length // timedelta(milliseconds=1)
