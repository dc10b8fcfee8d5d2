"""Coverage: how much of a slot the data of an input stand for, and where they leave a gap or overlap.

A stretch covers the time from its start to its end. A reading covers the expected slot of its event type's
cadence that it lies in; without a cadence it covers nothing, except where values stand until the next one.
Each meter is asked to cover its own time in service inside the slot. Of several meters, what counts is the
time that they cover together, of the time that they are in service together: two meters of 10 hours each, of
which one covers 5, cover 75% of 20 meter-hours.

Invariants: time that is covered twice is a fault like time that is not covered; a gap or overlap that is
named is the first, with its meter; time out of service is neither asked for nor counted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from itertools import pairwise

from weighbridge.core.engine.element import Element, EventCadence
from weighbridge.core.engine.meters.expected_slots import ExpectedSlots
from weighbridge.core.quantity.number import EXACT
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.core.time.meter import EVENT_TYPE, Meter, by_meter


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
        allowed = EXACT.multiply(EXACT.subtract(Decimal(100), percent), Decimal(_milliseconds(self.length)))
        return Decimal(100 * _milliseconds(self.faulty)) <= allowed

    @property
    def fault(self) -> str:
        """The first fault, for a sentence: `nothing of asset 'East' covers … to …`."""
        first = min(one for one in (self.gap, self.overlap) if one is not None)
        is_gap = first == self.gap
        what, whose = ("nothing", self.gap_of) if is_gap else ("more than one", self.overlap_of)
        return f"{what}{whose.label} covers {Instant.of(first.start).text} to {Instant.of(first.end).text}"

    def plus(self, other: "Coverage") -> "Coverage":
        """The coverage of both together, with the first faults of either."""
        gap, gap_of = _first((self.gap, self.gap_of), (other.gap, other.gap_of))
        overlap, overlap_of = _first((self.overlap, self.overlap_of), (other.overlap, other.overlap_of))
        length, faulty = self.length + other.length, self.faulty + other.faulty
        return Coverage(length, faulty, gap, overlap, gap_of, overlap_of)


_Fault = tuple[Interval | None, Meter]


def coverage(
    elements: Sequence[Element],
    slot: Interval,
    cadence: EventCadence | None,
    zone: tzinfo,
    *,
    is_held: bool = False,
) -> Coverage:
    """The coverage of a slot by its meters together; `is_held`: values stand until the meter's next one."""
    length = slot.end - slot.start
    if not elements:
        return Coverage(length, length, slot, None)
    covered = Coverage(timedelta(), timedelta(), None, None)
    for meter, of_meter in by_meter(elements, lambda element: element.meter).items():
        in_service = of_meter[0].service.inside(slot)
        if in_service is not None:
            times = [element.time for element in of_meter]
            stretches = _stretches(times, slot, in_service, cadence, zone, is_held=is_held)
            covered = covered.plus(_examine(stretches, in_service, meter))
    return covered


def _first(one: _Fault, other: _Fault) -> _Fault:
    """The fault that comes first; of the same time, the one that was found first."""
    if one[0] is None or other[0] is None:
        return other if one[0] is None else one
    return other if other[0] < one[0] else one


def _stretches(
    times: Iterable[Interval],
    slot: Interval,
    in_service: Interval,
    cadence: EventCadence | None,
    zone: tzinfo,
    *,
    is_held: bool,
) -> list[Interval]:
    """The time that each of a meter's events stands for; `in_service` is what of the slot is asked for."""
    ordered = sorted(times)
    lasting = [time for time in ordered if not time.is_reading]
    moments = [time.start for time in ordered if time.is_reading]
    if not moments:
        return lasting
    if cadence is not None:
        cells = ExpectedSlots(slot, cadence, zone)
        first = next((cell.start for cell in cells.from_on(in_service.start)), in_service.end)
        # What belongs to an expected slot that began before this time is not asked for here.
        before = Interval(in_service.start, min(first, in_service.end))
        return sorted([*lasting, *([] if lasting else [before]), *_cells(moments, cells, in_service)])
    if is_held and not lasting:
        return [Interval(start, end) for start, end in pairwise([*moments, max(slot.end, moments[-1])])]
    return lasting


def _cells(moments: Sequence[datetime], expected: ExpectedSlots, in_service: Interval) -> Iterator[Interval]:
    """The cells that readings lie in: once each, and once more for a second reading of the same moment."""
    cell: Interval | None = None
    before: datetime | None = None
    for moment in moments:
        if not in_service.start <= moment < in_service.end:
            continue
        is_new = cell is None or cell.end <= moment
        if is_new:
            cell = expected.holding(moment)
        if cell is not None and cell.start >= in_service.start and (is_new or moment == before):
            yield Interval(cell.start, min(cell.end, in_service.end))
        before = moment


def _examine(stretches: Iterable[Interval], in_service: Interval, meter: Meter) -> Coverage:
    """Sweep over the stretches of a meter in order of their start."""
    reached = in_service.start
    gap = overlap = None
    faulty = timedelta()
    for stretch in stretches:
        inside = in_service.overlap(stretch)
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


def _milliseconds(length: timedelta) -> int:
    return length // timedelta(milliseconds=1)
