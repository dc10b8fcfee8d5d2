"""The slots of a cadence below a chart: which were captured, filled, not valid or empty, meter by meter."""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Final

from markupsafe import Markup

from weighbridge.collection.event_types.records import EventType
from weighbridge.core.collection.capture import CaptureCounts
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.errors import Invalid
from weighbridge.platform.feature_flags.queries import is_on
from weighbridge.quality.capture.counting import counted
from weighbridge.quality.capture.meters import ExpectedMeter, expected_meters
from weighbridge.quality.capture.question import CaptureQuestion, question_of
from weighbridge.web.data.series import SeriesName
from weighbridge.web.drawing.strip import StripCell, strip
from weighbridge.web.visit import Visit

SLOTS_MAX: Final = 150_000
"""Slots of one meter that are looked at for a strip: a quarter of minutes."""

CELLS_MAX: Final = 366
"""Cells of a strip; of more slots, several share one."""

METERS_SHOWN: Final = 6
"""Meters that have strips of their own; of more, all are summed in one."""


@dataclass(frozen=True, slots=True)
class MeterStrip:
    """The strip of a meter, or of several together."""

    name: str
    picture: Markup


@dataclass(frozen=True, slots=True)
class SlotStrips:
    """What stands below a chart: strips, or why there are none; both empty where nothing is expected."""

    strips: list[MeterStrip]
    instead: str = ""


@dataclass(frozen=True, slots=True)
class MeterSlots:
    """What became of the slots of a meter, cell by cell, or of so many meters together."""

    name: str
    counts: list[CaptureCounts]
    meters: int = 1


async def slot_strips(
    visit: Visit, kind: EventType, name: SeriesName, start: Instant, end: Instant
) -> SlotStrips:
    """The strips of an event type over a range, or of the one meter that is chosen."""
    if kind.cadence_unit is None:
        return SlotStrips([])
    if not await is_on(visit.reading, visit.actor.account_id, Feature.DATA_CAPTURE_RATE):
        return SlotStrips([])
    try:
        question = await question_of(
            visit.reading, name.project, kind.id, Interval(start, end), slots_max=SLOTS_MAX
        )
    except Invalid:
        return SlotStrips(
            [], f"More than {SLOTS_MAX:,} slots lie in this range; slots show in a shorter one."
        )
    if not question.counted:
        return SlotStrips([])
    meters = _chosen(await expected_meters(visit.reading, question), name)
    if len(meters) * len(question.counted) > SLOTS_MAX * METERS_SHOWN:
        return SlotStrips([], "Many meters have many slots in this range; choose one of them, or less time.")
    edges = _edges(question)
    periods = [Interval(first, last) for first, last in pairwise(edges)]
    rows = await counted(visit.reading, question, meters, periods)
    shown = [MeterSlots(one.name or kind.name, row) for one, row in zip(meters, rows, strict=True)]
    if len(shown) > METERS_SHOWN:
        together = [_sum([row[at] for row in rows]) for at in range(len(periods))]
        shown = [MeterSlots(f"{len(rows)} meters together", together, len(rows))]
    return SlotStrips([_strip(visit, question, periods, one) for one in shown])


def _edges(question: CaptureQuestion) -> list[Instant]:
    """Where cells begin, and where the last one ends: whole slots each."""
    slots = question.counted
    step = -(-len(slots) // CELLS_MAX)
    starts = [*range(slots.start, slots.stop, step), slots.stop]
    return [question.slots.start(one) for one in starts]


def _chosen(meters: list[ExpectedMeter], name: SeriesName) -> list[ExpectedMeter]:
    if name.asset is not None:
        return [one for one in meters if one.asset == name.asset]
    if name.location is not None:
        return [one for one in meters if one.location == name.location]
    return meters


def _strip(visit: Visit, question: CaptureQuestion, periods: list[Interval], row: MeterSlots) -> MeterStrip:
    name, meters = row.name, row.meters
    cells = [
        StripCell(period.start, period.end, _kinds(counts, meters * len(question.slots.begun_in(period))))
        for period, counts in zip(periods, row.counts, strict=True)
    ]
    total = _sum(row.counts)
    says = (
        f"Slots of {name}: {total.valid} of {total.expected} captured, {total.substituted} substituted, "
        f"{total.imputed} imputed, {total.missing - total.imputed} missing"
    )

    def span(first: datetime, last: datetime) -> str:
        return str(visit.moments.span(Instant.of(first), Instant.of(last)).striptags())

    time = question.time
    return MeterStrip(name, strip(cells, time.start, time.end, says=says, span=span))


def _kinds(counts: CaptureCounts, slots: int) -> tuple[int, ...]:
    """How many slots were what, in the order of `strip.KINDS`; not expected are those beyond what was."""
    return (
        counts.valid,
        counts.substituted,
        counts.imputed,
        max(counts.received - counts.valid - counts.substituted, 0),
        max(counts.missing - counts.imputed, 0),
        max(slots - counts.expected, 0),
    )


def _sum(row: list[CaptureCounts]) -> CaptureCounts:
    total = CaptureCounts()
    for one in row:
        total = total.plus(one)
    return total
