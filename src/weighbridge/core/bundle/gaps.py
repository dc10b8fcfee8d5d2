"""Gaps of a bundle: expected slots of a meter, one after another, in which no captured event begins that a
batch read.

No part states them: they follow from events, meters, outages, batches and the log. In a bundle of a day whose
meter is read every hour, and that has readings of 00:00 to 07:00 and from 12:00 on, 08:00 to 11:00 are
missing; with an outage from 08:30 to 10:30, which covers 09:00 as a whole, three of them were expected.

Invariants: a slot is of the cadence that the newest row of its event type states, lies as a whole in slots
of batches whose model reads the type, and had ended when the last of these was made; which are expected
is decided as everywhere (`core/time/expectation.py`).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.rows import BundledEventRow, parse_time
from weighbridge.core.bundle.tables import EventFile
from weighbridge.core.model import Input
from weighbridge.core.time.calendar import CadenceSlots, Instant, Interval
from weighbridge.core.time.expectation import (
    ALWAYS,
    Expectation,
    Meter,
    Service,
    count_expected,
    join_outages,
)

_START: Final = BundledEventRow._fields.index("start_time")
_ASSET: Final = BundledEventRow._fields.index("asset")
_LOCATION: Final = BundledEventRow._fields.index("location")
_IS_IMPUTED: Final = BundledEventRow._fields.index("is_imputed")


class BundleGap(NamedTuple):
    """Expected slots of a meter, one after another, without a captured event that counts."""

    event_type: str
    meter: Meter
    start: Instant
    end: Instant
    slots: int
    """How many expected slots."""
    filled: int
    """In how many of them an imputed event begins."""

    @property
    def of_meter(self) -> str:
        """The meter as the end of a phrase; empty where it is the event type itself."""
        if self.meter.asset is not None:
            return f" of asset {self.meter.asset}"
        return "" if self.meter.location is None else f" of location {self.meter.location}"

    @property
    def sentence(self) -> str:
        """The gap in words."""
        filled = f", {self.filled} of them filled" if self.filled else ""
        return (
            f"No captured {self.event_type}{self.of_meter} counts in {self.slots} expected slots"
            f" from {self.start.text} to {self.end.text}{filled}."
        )


class _Slots(NamedTuple):
    """The numbers of the slots in which events of a meter begin, each once and in order."""

    captured: Sequence[int]
    imputed: Sequence[int]


def list_gaps(contents: BundleContents, rows: Sequence[Mapping[str, Any]]) -> list[BundleGap]:
    """The gaps of every event type with a cadence, by type, meter and time; `rows` are those of the log."""
    newest = {
        row["after"]["slug"]: row["after"]
        for row in rows
        if row["action"].startswith("event_type.") and isinstance(row["after"], dict)
    }
    zone, gaps = ZoneInfo(contents.manifest.time_zone), list[BundleGap]()
    for event_type, times in sorted(_find_periods(contents).items()):
        amount = newest.get(event_type, {}).get("cadence_amount")
        if amount is None or event_type not in contents.events:
            continue
        slots = CadenceSlots(amount, newest[event_type]["cadence_unit"], zone)
        ranges = [numbers for time in times if (numbers := slots.inside(time))]
        meters = _group_slots(contents.events[event_type], slots)
        for meter, begun in sorted(
            meters.items(), key=lambda item: (item[0].asset or "", item[0].location or "")
        ):
            expectation = _read_expectation(contents, event_type, meter, times)
            for numbers in ranges:
                unexpected = expectation.unexpected(slots, numbers)
                gaps += _find_gaps(event_type, meter, slots, numbers, unexpected, begun)
    return gaps


def _find_periods(contents: BundleContents) -> dict[str, list[Interval]]:
    """By event type the times of batches whose models read it, apart from each other and in order, as far as
    they had passed when the batches were made.
    """
    read: dict[int, set[str]] = {
        number: {node.body.event_type for node in model.nodes if isinstance(node.body, Input)}
        for number, model in contents.documents.items()
    }
    passed: dict[str, list[tuple[datetime, datetime]]] = {}
    for batch in contents.batches.values():
        if batch.deleted_at is not None or batch.by_event:
            continue
        for event_type in read.get(batch.model or 0, ()):
            end = min(batch.end_time, batch.created_at)
            passed.setdefault(event_type, []).append((batch.start_time, end))
    return {
        event_type: [
            Interval(Instant.of(one.start), Instant.of(one.end)) for one in join_outages(times, times[0][0])
        ]
        for event_type, times in passed.items()
    }


def _group_slots(file: EventFile, slots: CadenceSlots) -> dict[Meter, _Slots]:
    """By meter of captured events the slots in which its events begin."""
    captured: dict[Meter, set[int]] = {}
    imputed: dict[Meter, set[int]] = {}
    for fields in file.every():
        meter = Meter.of(fields[_ASSET], fields[_LOCATION])
        of_kind = imputed if fields[_IS_IMPUTED] == "true" else captured
        of_kind.setdefault(meter, set()).add(slots.holding(parse_time(fields[_START] or "")))
    return {
        meter: _Slots(sorted(numbers), sorted(imputed.get(meter, set()) - numbers))
        for meter, numbers in captured.items()
    }


def _read_expectation(
    contents: BundleContents, event_type: str, meter: Meter, times: Sequence[Interval]
) -> Expectation:
    """When a meter was expected to measure, by its time in service and the outages of the bundle."""
    kind, name = ("asset", meter.asset) if meter.asset is not None else ("location", meter.location or "")
    row = contents.meters.get((kind, name))
    service = ALWAYS if row is None else Service(row.in_service_from, row.in_service_until)
    outages = [
        (outage.start_time, outage.end_time)
        for outage in contents.outages.values()
        if outage.event_type in {None, event_type}
        and (outage.asset, outage.location) in {(None, None), (meter.asset, meter.location)}
    ]
    return Expectation(service, join_outages(outages, times[-1].end))


def _find_gaps(
    event_type: str,
    meter: Meter,
    slots: CadenceSlots,
    numbers: range,
    unexpected: Sequence[range],
    begun: _Slots,
) -> Iterator[BundleGap]:
    captured = begun.captured
    first, last = bisect_left(captured, numbers.start), bisect_left(captured, numbers.stop)
    begins = [numbers.start, *(number + 1 for number in captured[first:last])]
    ends = [*captured[first:last], numbers.stop]
    starts = [part.start for part in unexpected]
    for start, stop in zip(begins, ends, strict=True):
        missing = _trim(range(start, stop), unexpected, starts)
        if missing:
            filled = bisect_left(begun.imputed, missing.stop) - bisect_left(begun.imputed, missing.start)
            yield BundleGap(
                event_type,
                meter,
                slots.start(missing.start),
                slots.start(missing.stop),
                count_expected(missing, unexpected),
                filled,
            )


def _trim(numbers: range, unexpected: Sequence[range], starts: Sequence[int]) -> range:
    """Without the unexpected slots at both ends; these are in order and apart, and begin with `starts`."""
    start, stop = numbers.start, numbers.stop
    around = bisect_right(starts, start) - 1
    if around >= 0 and start < unexpected[around].stop:
        start = unexpected[around].stop
    around = bisect_left(starts, stop) - 1
    if around >= 0 and stop <= unexpected[around].stop:
        stop = unexpected[around].start
    return range(start, max(start, stop))
