"""Which series a chart shows, and over which range: what the address says, checked.

`of` names a data point type as `event-type/slug` and `meter` narrows it; `also`, which may be repeated, names
further series as `event-type/slug` or `event-type/slug@meter`. `from` and `until`, or `span`, give the range.

Invariants: a name or meter that the project does not have is not found; series of a chart have two units at
most, and the first one is always among them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.records.data_points import DataPointType, EventType
from weighbridge.core import identity
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import NotFound
from weighbridge.web.display.figures import unit_text
from weighbridge.web.display.traces import AXES_MAX
from weighbridge.web.framework.listing import ListQuery
from weighbridge.web.framework.visit import Visit
from weighbridge.web.pages.charting.ranges import (
    MINUTE,
    SPAN_USUAL,
    SPANS,
    TimeRange,
    read_clock_span,
    read_typed,
    span_back,
    write_moment,
)
from weighbridge.web.pages.charting.series import (
    SeriesName,
    parse_meter,
    read_extent,
    read_meter_name,
    read_position,
)

TYPES_OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Event types whose data points are offered."""

ALSO_MAX: Final = 3
"""Series that a chart shows in addition to the first one."""

NUMBER: Final = "number"
"""The type of values that a chart shows."""


@dataclass(frozen=True, slots=True)
class ChosenSeries:
    """A data point type of an event type, of any meter or of one."""

    event_type: EventType
    point: DataPointType
    name: SeriesName
    meter: str = ""
    """The id of the meter; empty for any."""
    meter_name: str = ""

    @property
    def key(self) -> str:
        """How the address names the series among others."""
        return f"{name_of(self.event_type, self.point)}{f'@{self.meter}' if self.meter else ''}"

    @property
    def title(self) -> str:
        """The series in words."""
        return " · ".join(filter(None, (self.point.name, self.event_type.name, self.meter_name)))

    @property
    def unit(self) -> str:
        """The unit of its values as people write it."""
        return unit_text(self.point.unit)


@dataclass(frozen=True, slots=True)
class SeriesSelection:
    """The series of a chart, the range, and why something that was asked for is not shown."""

    series: tuple[ChosenSeries, ...]
    time: TimeRange
    problems: tuple[Problem, ...] = ()

    @property
    def first(self) -> ChosenSeries:
        """The series that the page is about."""
        return self.series[0]

    @property
    def is_charted(self) -> bool:
        """Whether the values are numbers."""
        return self.first.point.value_type == NUMBER


def name_of(event_type: EventType, point: DataPointType) -> str:
    """How the address names a data point type of an event type."""
    return f"{event_type.slug}/{point.slug}"


async def read_selection(visit: Visit) -> tuple[SeriesSelection | None, Sequence[EventType]]:
    """What the address asks for, and what else there is; the first number there is when it asks for none."""
    types = (await visit.ask(list_event_types, TYPES_OFFERED)).data
    offered = [(type_, point) for type_ in types for point in type_.data_point_types]
    asked_name = visit.asked("of")
    numbers = [pair for pair in offered if pair[1].value_type == NUMBER]
    slug = visit.asked("slug") or visit.asked("filter[slug]")
    pair = next((pair for pair in offered if asked_name and asked_name == name_of(*pair)), None)
    pair = pair or next((pair for pair in offered if slug and pair[1].slug == slug), None)
    if (asked_name or slug) and pair is None:
        raise NotFound("data point type", asked_name or slug)
    pair = pair or next(iter(numbers), None)
    if pair is None:
        return None, types
    first = await _choose(visit, *pair, visit.asked("meter"))
    further, problems = await _choose_further(visit, first, types)
    return SeriesSelection((first, *further), await _range(visit, first.name), tuple(problems)), types


async def choose_by_key(visit: Visit, key: str, types: Sequence[EventType]) -> ChosenSeries:
    """The series that a key names; NotFound for a data point type or a meter of no such name."""
    asked_name, _, meter = key.partition("@")
    for event_type in types:
        for point in event_type.data_point_types:
            if asked_name == name_of(event_type, point):
                return await _choose(visit, event_type, point, meter)
    raise NotFound("data point type", asked_name)


async def _choose(visit: Visit, event_type: EventType, point: DataPointType, meter: str) -> ChosenSeries:
    key = identity.parse("event_type", event_type.id)
    project, number = (key.project, key.key) if key else (0, 0)
    asset, location = parse_meter(meter, project)
    meter_name = ""
    if meter:
        is_known = asset is not None or location is not None
        found = await read_meter_name(visit.reading, project, asset, location) if is_known else None
        if found is None:
            raise NotFound("meter", meter)
        meter_name = found
    position = await read_position(visit.reading, project, number, point.slug)
    name = SeriesName(project, number, position or 0, asset, location)
    return ChosenSeries(event_type, point, name, meter, meter_name)


async def _choose_further(
    visit: Visit, first: ChosenSeries, types: Sequence[EventType]
) -> tuple[list[ChosenSeries], list[Problem]]:
    """The further series, and a sentence for each that has no place in the chart."""
    keys = dict.fromkeys(value for key, value in visit.query if key == "also" and value)
    chosen: list[ChosenSeries] = []
    problems = []
    for key in keys:
        one = await choose_by_key(visit, key, types)
        if one.key == first.key:
            continue
        if message := _refusal(one, first, chosen):
            problems.append(Problem(message, "also", "invalid"))
        else:
            chosen.append(one)
    return chosen, problems


def _refusal(one: ChosenSeries, first: ChosenSeries, chosen: Sequence[ChosenSeries]) -> str:
    """Why a series has no place beside others; empty where it has one."""
    if one.point.value_type != NUMBER:
        return f"{one.title} has no numbers, so it is not in the chart."
    if first.point.value_type != NUMBER:
        return f"{first.title} has no numbers, so nothing is charted with it."
    if len(chosen) >= ALSO_MAX:
        return f"A chart shows {ALSO_MAX + 1} series at most; remove one to add {one.title}."
    units = list(dict.fromkeys(series.unit for series in (first, *chosen)))
    if one.unit not in units and len(units) >= AXES_MAX:
        shown = " and ".join(unit or "numbers without a unit" for unit in units)
        unit = f"in {one.unit}" if one.unit else "without a unit"
        return f"{one.title} is {unit}, and the chart has axes for {shown} already; remove a series first."
    return ""


async def _range(visit: Visit, name: SeriesName) -> TimeRange:
    when, span = visit.moments, visit.asked("span", SPAN_USUAL)
    if typed := read_typed(when, visit.asked("from"), visit.asked("until")):
        return typed
    first, until = when.typed(visit.asked("from")), when.typed(visit.asked("until"))
    if first is None and until is None and (by_clock := read_clock_span(span, when)):
        return by_clock
    extent = await read_extent(visit.reading, name)
    begin, last = extent or (Instant.of(when.now - timedelta(days=1)), when.now)
    end = until or Instant.of(last.replace(second=0, microsecond=0) + MINUTE)
    shown = span_back(dict(SPANS).get(span, 0), end, begin)
    start = first or shown.start
    return TimeRange(start, end) if start < end else TimeRange(Instant.of(end - timedelta(days=1)), end)


def build_range_query(visit: Visit, time: TimeRange | None = None) -> ListQuery:
    """The parameters of a range; without one, those of the address."""
    if time is None:
        return tuple(pair for pair in visit.query if pair[0] in {"from", "until", "span"} and pair[1])
    return (
        ("from", write_moment(time.start, visit.moments)),
        ("until", write_moment(time.end, visit.moments)),
    )


def build_series_query(series: Sequence[ChosenSeries]) -> ListQuery:
    """The parameters that name series, the first one as what the page is about."""
    if not series:
        return ()
    first, *further = series
    return (
        ("of", name_of(first.event_type, first.point)),
        *((("meter", first.meter),) if first.meter else ()),
        *(("also", one.key) for one in further),
    )
