"""Coverage: how much of a slot the data of an input stand for, and where they leave a gap or overlap.

A stretch covers the time from its start to its end. A reading covers the expected slot of its event type's
cadence that it lies in; without a cadence it covers nothing, except where values stand until the next one.
Events of another asset or location are another stream, and each stream covers the slot by itself.

Invariants: time that is covered twice is a fault like time that is not covered; a gap or overlap that is
named is the first.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from itertools import pairwise
from typing import Final

from weighbridge.core.engine.element import Element, EventCadence
from weighbridge.core.quantity.number import EXACT
from weighbridge.core.time.instant import Instant, Interval

_STEPS: Final = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_DAYS: Final = {"day": 1, "week": 7}


@dataclass(frozen=True, slots=True)
class Coverage:
    """The first stretch that nothing covers, the first that is covered twice, the length of all faults."""

    length: timedelta
    faulty: timedelta
    gap: Interval | None
    overlap: Interval | None

    def reaches(self, percent: Decimal) -> bool:
        """Whether at most the rest of the slot is at fault."""
        allowed = EXACT.multiply(EXACT.subtract(Decimal(100), percent), Decimal(_milliseconds(self.length)))
        return Decimal(100 * _milliseconds(self.faulty)) <= allowed

    @property
    def fault(self) -> str:
        """The first fault, for a sentence: `nothing covers … to …`."""
        first = min(one for one in (self.gap, self.overlap) if one is not None)
        what = "nothing covers" if first == self.gap else "more than one covers"
        return f"{what} {Instant.of(first.start).text} to {Instant.of(first.end).text}"


def coverage(
    elements: Sequence[Element],
    slot: Interval,
    cadence: EventCadence | None,
    zone: tzinfo,
    *,
    is_held: bool = False,
) -> Coverage:
    """The coverage of a slot by the stream that covers it worst; `is_held`: values stand until the next."""
    streams: dict[tuple[str | None, str | None], list[Interval]] = {}
    for element in elements:
        streams.setdefault((element.asset, element.location), []).append(element.time)
    found = [
        _examine(_stretches(times, slot, cadence, zone, is_held=is_held), slot) for times in streams.values()
    ]
    length = slot.end - slot.start
    return max(found, key=lambda one: one.faulty, default=Coverage(length, length, slot, None))


def expected(slot: Interval, cadence: EventCadence, zone: tzinfo) -> Iterator[Interval]:
    """The slots of an event type's cadence that begin inside a slot, cut off at its end."""
    starts = _starts(slot, cadence, zone)
    for start, end in pairwise(starts):
        if slot.start <= start:
            yield Interval(start, min(end, slot.end))
        if end >= slot.end:
            return


def _starts(slot: Interval, cadence: EventCadence, zone: tzinfo) -> Iterator[datetime]:
    if cadence.unit in _STEPS:
        step, at = cadence.amount * _STEPS[cadence.unit], slot.start
        while True:
            yield at
            at += step
    local = slot.start.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    if cadence.unit == "week":
        local -= timedelta(days=local.weekday())
    if cadence.unit == "month":
        local = local.replace(day=1)
    while True:
        yield Instant.of(local)
        if cadence.unit == "month":
            months = local.month - 1 + cadence.amount
            local = local.replace(year=local.year + months // 12, month=months % 12 + 1)
        else:
            local += timedelta(days=_DAYS[cadence.unit] * cadence.amount)


def _stretches(
    times: Iterable[Interval], slot: Interval, cadence: EventCadence | None, zone: tzinfo, *, is_held: bool
) -> list[Interval]:
    """The time that each of a stream's events stands for."""
    ordered = sorted(times)
    lasting = [time for time in ordered if not time.is_reading]
    moments = [time.start for time in ordered if time.is_reading]
    if not moments:
        return lasting
    if cadence is not None:
        cells = list(expected(slot, cadence, zone))
        # What belongs to an expected slot that began before this slot is not asked for here.
        before = [Interval(slot.start, cells[0].start)] if cells and not lasting else []
        return sorted([*lasting, *before, *_cells(moments, cells)])
    if is_held and not lasting:
        return [Interval(start, end) for start, end in pairwise([*moments, max(slot.end, moments[-1])])]
    return lasting


def _cells(moments: Sequence[datetime], cells: Sequence[Interval]) -> Iterator[Interval]:
    """The cells that readings lie in: once each, and once more for a second reading of the same moment."""
    if not cells:
        return
    place, filled = 0, -1
    for index, moment in enumerate(moments):
        while place + 1 < len(cells) and cells[place].end <= moment:
            place += 1
        if not cells[place].start <= moment < cells[place].end:
            continue
        if place != filled or moment == moments[index - 1]:
            yield cells[place]
        filled = place


def _examine(stretches: Iterable[Interval], slot: Interval) -> Coverage:
    """Sweep over stretches in order of their start."""
    reached = slot.start
    gap = overlap = None
    faulty = timedelta()
    for stretch in stretches:
        inside = slot.overlap(stretch)
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
    if reached < slot.end:
        gap = gap or Interval(reached, slot.end)
        faulty += slot.end - reached
    return Coverage(slot.end - slot.start, faulty, gap, overlap)


def _milliseconds(length: timedelta) -> int:
    return length // timedelta(milliseconds=1)
