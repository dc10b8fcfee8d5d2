"""The slots of a cadence below a chart: which were captured, filled, not valid or empty, meter by meter.

A cell is one slot, or where those are too many the slots of some minutes, a day, a week, a month or a year.
Slots are counted by the function that capture rates and so the calendar and the year of gaps use
(`quality/slots/capture.py`), all cells and meters in one look.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from markupsafe import Markup

from weighbridge.collection.records.data_points import EventType
from weighbridge.core.collection.capture import CaptureCounts
from weighbridge.core.platform.settings import Feature
from weighbridge.core.time.calendar import CadenceSlots, Instant, Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.platform.feature_flags import is_on
from weighbridge.quality.slots.capture import (
    CaptureQuestion,
    ExpectedMeter,
    build_question,
    counted,
    expected_meters,
)
from weighbridge.web.display.calendar import StripCell, strip
from weighbridge.web.framework.visit import Visit
from weighbridge.web.pages.charting.series import SeriesName

SLOTS_MAX: Final = 150_000
"""Slots of one meter that are counted with the page: a quarter of minutes; more are counted after it."""

SLOTS_APART_MAX: Final = 6_000_000
"""Slots of one meter that are counted at all: eleven years of minutes."""

PORTION_SLOTS: Final = 600_000
"""Slots of one meter that one statement counts, about: more than a year of minutes."""

CELLS_MAX: Final = 366
"""Cells of a strip that are one slot each."""

GROUPS_MAX: Final = 192
"""Cells of a strip that hold several slots each: half a year of days."""

METERS_SHOWN: Final = 6
"""Meters that have strips of their own; of more, all are summed in one."""

_GROUPS: Final = (
    (5, "minute"), (15, "minute"), (1, "hour"), (1, "day"), (1, "week"), (1, "month"), (3, "month"),
    (12, "month"), (60, "month"), (600, "month"),
)  # fmt: skip
"""What a cell may hold the slots of; the first that makes few enough cells is taken."""

_TOO_LONG: Final = (
    f"The range has more than {SLOTS_APART_MAX:,} intervals. Select a shorter range to see them."
)
_TOO_MANY: Final = "The range has too many intervals of too many meters. Select one meter or a shorter range."


@dataclass(frozen=True, slots=True)
class MeterStrip:
    """The strip of a meter, or of several together."""

    name: str
    picture: Markup


@dataclass(frozen=True, slots=True)
class SlotStrips:
    """The content below a chart: strips, or the reason why there are none; empty if no data are expected."""

    strips: list[MeterStrip]
    instead: str = ""
    each: str = ""
    """What a cell holds the slots of; empty for one slot."""
    kind: str = ""
    """What the event type is called."""
    is_later: bool = False
    """Whether the slots are counted apart, because they are many."""


@dataclass(frozen=True, slots=True)
class MeterSlots:
    """What became of the slots of a meter, cell by cell, or of so many meters together."""

    name: str
    counts: list[CaptureCounts]
    meters: int = 1


@dataclass(frozen=True, slots=True)
class SlotCells:
    """The cells of a strip, and what each holds the slots of."""

    periods: list[Interval]
    each: str


async def read_slot_strips(
    visit: Visit,
    kind: EventType,
    name: SeriesName,
    time: Interval,
    link: Callable[[Instant, Instant], str],
    *,
    slots_max: int = SLOTS_MAX,
) -> SlotStrips:
    """The strips of an event type over a range, or of the one meter that is chosen; cells lead to `link`."""
    has_rates = await is_on(visit.reading, visit.actor.account_id, Feature.DATA_CAPTURE_RATE)
    if kind.cadence_unit is None or not has_rates:
        return SlotStrips([])
    try:
        question = await build_question(visit.reading, name.project, kind.id, time, slots_max=SLOTS_APART_MAX)
    except Invalid:
        return SlotStrips([], _TOO_LONG)
    slots = len(question.counted)
    meters = [] if slots > slots_max else await expected_meters(visit.reading, question)
    meters = _selected_meters(meters, name)
    if slots > slots_max or len(meters) * slots > slots_max * METERS_SHOWN:
        is_later = slots_max < SLOTS_APART_MAX
        return SlotStrips([], "" if is_later else _TOO_MANY, is_later=is_later)
    if not slots:
        return SlotStrips([])
    cells = group_slots(question)
    rows = await _count_by_portion(visit.reading, question, meters, cells.periods)
    meter_slots = [MeterSlots(meter.name or kind.name, row) for meter, row in zip(meters, rows, strict=True)]
    if len(meter_slots) > METERS_SHOWN:
        together = [_sum([row[at] for row in rows]) for at in range(len(cells.periods))]
        meter_slots = [MeterSlots(f"{len(rows)} meters in total", together, len(rows))]
    strips = [_strip(visit, question, cells, meter, link) for meter in meter_slots]
    return SlotStrips(strips, each=cells.each, kind=kind.name)


async def _count_by_portion(
    tx: Read, question: CaptureQuestion, meters: list[ExpectedMeter], periods: list[Interval]
) -> list[list[CaptureCounts]]:
    """The slots of each meter in each period; many of them by several statements, so that none takes long."""
    each = max(len(periods) * PORTION_SLOTS // max(len(question.counted), 1), 1)
    rows: list[list[CaptureCounts]] = [[] for _ in meters]
    for first in range(0, len(periods), each):
        portion = periods[first : first + each]
        part = replace(question, time=Interval(portion[0].start, portion[-1].end))
        counted_rows = await counted(tx, part, meters, portion)
        for row, counts in zip(rows, counted_rows, strict=True):
            row.extend(counts)
    return rows


def group_slots(question: CaptureQuestion) -> SlotCells:
    """The cells of the counted slots: each by itself, or the first group of which there are few enough."""
    slots, numbers = question.slots, question.counted
    if len(numbers) <= CELLS_MAX:
        edges = [slots.start(number) for number in [*numbers, numbers.stop]]
        return SlotCells([Interval(first, last) for first, last in pairwise(edges)], "")
    start, end = question.time.start, min(question.time.end, slots.start(numbers.stop))
    groups = [CadenceSlots(amount, unit, slots.zone) for amount, unit in _GROUPS]
    group = next((one for one in groups if one.holding(end) - one.holding(start) < GROUPS_MAX), groups[-1])
    inner = [group.start(number) for number in range(group.holding(start) + 1, group.from_on(end))]
    edges = [Instant.of(start), *inner, Instant.of(end)]
    each = group.unit if group.amount == 1 else f"{group.amount} {group.unit}s"
    return SlotCells([Interval(first, last) for first, last in pairwise(edges)], each)


def _selected_meters(meters: list[ExpectedMeter], name: SeriesName) -> list[ExpectedMeter]:
    if name.asset is not None:
        return [meter for meter in meters if meter.asset == name.asset]
    if name.location is not None:
        return [meter for meter in meters if meter.location == name.location]
    return meters


def _strip(
    visit: Visit,
    question: CaptureQuestion,
    cells: SlotCells,
    row: MeterSlots,
    link: Callable[[Instant, Instant], str],
) -> MeterStrip:
    name, meters = row.name, row.meters
    strip_cells = [
        StripCell(
            period.start,
            period.end,
            _kinds(counts, meters * len(question.slots.begun_in(period))),
            link(Instant.of(period.start), Instant.of(period.end)) if cells.each else "",
        )
        for period, counts in zip(cells.periods, row.counts, strict=True)
    ]
    total = _sum(row.counts)
    alt_text = (
        f"Intervals of {name}: {total.valid} of {total.expected} captured, {total.substituted} substituted, "
        f"{total.imputed} imputed, {total.missing - total.imputed} missing"
    )

    def span(first: datetime, last: datetime) -> str:
        return str(visit.moments.span(Instant.of(first), Instant.of(last)).striptags())

    time = question.time
    return MeterStrip(name, strip(strip_cells, time.start, time.end, alt_text=alt_text, span=span))


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
    for cell in row:
        total = total.plus(cell)
    return total
