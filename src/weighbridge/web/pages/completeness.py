"""How complete the data are: a calendar of event types, and the gaps of one event type."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from weighbridge.collection.event_types import get_event_type, list_event_types
from weighbridge.collection.events import list_events
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import Conflict, Forbidden, Invalid, Malformed
from weighbridge.quality.capture_rates import get_capture_rate
from weighbridge.quality.gaps import list_gaps
from weighbridge.quality.records.availability import CaptureFigures, CaptureRate, Gap
from weighbridge.quality.rules import list_rules
from weighbridge.web.display.calendar import CalendarRow, DayCell, heat_map
from weighbridge.web.display.figures import format_month, months_until, percent_text, to_instant
from weighbridge.web.framework.listing import ListQuery
from weighbridge.web.framework.page import page
from weighbridge.web.framework.visit import View, Visit, view

# How complete the data are, as a calendar: one row for each event type, one cell for each day.
#
# It has a page of its own, from which the overview loads the calendar after it is shown: counting
# slots of many meters may take longer than the rest of the overview.


MONTHS_SHOWN: Final = 3
"""Months of a calendar."""

TYPES_MAX: Final = 20
"""Event types of a calendar, and of a year of gaps."""

_SAYS: Final = "Completeness of each event type by day"


@dataclass(frozen=True, slots=True)
class CompleteData:
    """The calendar's rows, and all slots of them together."""

    rows: list[CalendarRow]
    expected: int
    valid: int
    substituted: int
    left_out: int
    """Event types that are not shown, because they are too many or what they expect is."""


@page("/projects/{project_id}/completeness", permission="data_collection:read", computes=True)
async def completeness(visit: Visit) -> View:
    """The calendar of three months, up to that of the newest event or up to the month that was asked for."""
    until = await _until(visit)
    edges = months_until(until, visit.frame.zone, MONTHS_SHOWN)
    when = visit.moments
    data = await _data(visit, edges[0], edges[-1])
    before = months_until(edges[0], visit.frame.zone, 1)[0]
    is_over = edges[-1] < visit.frame.now
    return view(
        "overview/completeness.html", "Completeness", guide="reference/capture-rate.md",
        data=data, start=edges[0], end=edges[-1],
        earlier=when.field(before)[:7], later=when.field(edges[-1])[:7] if is_over else "",
        picture=heat_map(data.rows, alt_text=_SAYS) if data.rows else None,
        share=percent_text(data.valid, data.expected),
        substituted=percent_text(data.substituted, data.expected),
    )  # fmt: skip


async def _until(visit: Visit) -> Instant:
    """A moment in the last month that is shown."""
    if asked_month := visit.moments.typed(f"{visit.asked('month')}-02T00:00"):
        return asked_month
    query = (("page_size", "1"), ("sort", "-start_time"))
    newest = await visit.ask(list_events, query)
    start_times = [to_instant(event_.start_time) for event_ in newest.data]
    return min([*start_times, visit.frame.now])


async def _data(visit: Visit, start: Instant, end: Instant) -> CompleteData:
    types = await visit.ask(list_event_types, (("page_size", "100"), ("sort", "name")))
    expected_types = [event_type for event_type in types.data if event_type.cadence_unit is not None]
    rows, totals = [], []
    for event_type in expected_types[:TYPES_MAX]:
        rate = await _count_slots(visit, event_type, start, end, "day")
        if rate is not None:
            rows.append(_row(visit, event_type, rate))
            totals.append(rate.total)
    return CompleteData(
        rows,
        sum(total.expected for total in totals),
        sum(total.valid for total in totals),
        sum(total.substituted for total in totals),
        len(expected_types) - len(rows),
    )


async def _count_slots(
    visit: Visit, event_type: Any, start: Instant, end: Instant, period: str
) -> CaptureRate | None:
    """The slots of an event type by period; None for too many, and where the account has the feature off."""
    query = (("start_time", start.text), ("end_time", end.text), ("period", period))
    try:
        rate: CaptureRate = await visit.ask(get_capture_rate, query, event_type_id=event_type.id)
    except (Invalid, Forbidden):
        return None
    return rate


def _row(visit: Visit, event_type: Any, rate: CaptureRate) -> CalendarRow:
    address = f"{visit.frame.home}/event_types/{event_type.id}/gaps"
    cells = []
    for period in rate.data:
        day = visit.moments.local(period.start_time).date()
        gaps = _gaps_url(visit, address, period.start_time, period.end_time)
        cells.append(_cell(day, period.total, gaps, has_begun=period.start_time < visit.frame.now))
    return CalendarRow(event_type.name, cells, percent_text(rate.total.valid, rate.total.expected))


def _gaps_url(visit: Visit, address: str, start: Instant, end: Instant) -> str:
    """The page of the gaps of a range, as its fields take it."""
    return f"{address}?{urlencode({'from': visit.moments.field(start), 'until': visit.moments.field(end)})}"


def _cell(day: date, figures: CaptureFigures, gaps: str, *, has_begun: bool) -> DayCell:
    is_incomplete = figures.expected > figures.valid
    return DayCell(
        day, figures.expected,
        measured=figures.valid, substituted=figures.substituted, imputed=figures.imputed,
        outage=int(has_begun and not figures.expected), address=gaps if is_incomplete else "",
    )  # fmt: skip


# Gaps of an event type: the readings around them, the substitute data and their rules.


PATH: Final = "/projects/{project_id}/event_types/{event_type_id}/gaps"

SPAN_DAYS: Final = 31
"""Days back from now that are looked at unless the address says others."""

OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Event types and rules that are named."""


def build_gaps_query(visit: Visit) -> ListQuery:
    """The range that is asked for: as typed, or the last month."""
    moments = visit.moments
    end = moments.typed(visit.asked("until")) or Instant.of(moments.now.replace(second=0, microsecond=0))
    start = moments.typed(visit.asked("from")) or Instant.of(end - timedelta(days=SPAN_DAYS))
    return (("start_time", start.text), ("end_time", end.text))


@page("/projects/{project_id}/gaps", permission="data_collection:read", of=list_event_types)
async def gap_event_types(visit: Visit) -> View:
    """The event types that have a cadence, and so may have gaps."""
    types = (await visit.ask(list_event_types, OFFERED)).data
    path = visit.url("event_types")
    return view(
        "data/gap_types.html",
        "Gaps",
        call=path,
        types=[type_ for type_ in types if type_.cadence_unit],
        path=path,
    )


# The gaps of a year at a glance: of each event type, how many slots of each month have no reading.
#
# Counting a year of minutes takes its time, so the list of event types loads this after it is shown.


YEAR_PATH: Final = "/projects/{project_id}/gaps/year"


@dataclass(frozen=True, slots=True)
class MonthOfGaps:
    """A month of an event type: the slots without a reading, of those that were expected."""

    figures: CaptureFigures
    address: str
    """The page of its gaps."""


@dataclass(frozen=True, slots=True)
class YearOfGaps:
    """The months of an event type; none where its slots are too many to be counted at once."""

    name: str
    address: str
    months: list[MonthOfGaps]
    missing: int


@page(YEAR_PATH, permission="data_collection:read", computes=True)
async def gaps_of_year(visit: Visit) -> View:
    """The slots without a reading by event type and month, over twelve months."""
    edges = months_until(await _until(visit), visit.frame.zone)
    types = [type_ for type_ in (await visit.ask(list_event_types, OFFERED)).data if type_.cadence_unit]
    years = [await _year_of_gaps(visit, type_, edges[0], edges[-1]) for type_ in types[:TYPES_MAX]]
    last_month = visit.moments.field(edges[-2])[:7]
    return view(
        "data/gap_year.html", "Gaps of a year", guide="reference/capture-rate.md",
        years=years, months=[format_month(edge, visit.frame.zone) for edge in edges[:-1]],
        start=edges[0], end=edges[-1], left_out=len(types) - len(years),
        earlier=visit.moments.field(months_until(edges[0], visit.frame.zone, 1)[0])[:7],
        later=f"{int(last_month[:4]) + 1}{last_month[4:]}" if edges[-1] < visit.frame.now else "",
        crumbs=(("Gaps", f"/projects/{visit.path['project_id']}/gaps"),),
    )  # fmt: skip


async def _year_of_gaps(visit: Visit, event_type: Any, start: Instant, end: Instant) -> YearOfGaps:
    address = f"{visit.frame.home}/event_types/{event_type.id}/gaps"
    rate = await _count_slots(visit, event_type, start, end, "month")
    if rate is None:
        return YearOfGaps(event_type.name, address, [], 0)
    months = [
        MonthOfGaps(month.total, _gaps_url(visit, address, month.start_time, month.end_time))
        for month in rate.data
    ]
    return YearOfGaps(event_type.name, address, months, rate.total.missing)


@page(PATH, permission="data_collection:read", of=list_gaps, query_of=build_gaps_query, computes=True)
async def gaps(visit: Visit) -> View:
    """The gaps of an event type in a range."""
    kind = await visit.ask(get_event_type)
    query = build_gaps_query(visit)
    gap_list, problems = await _gaps(visit, query)
    project = f"/projects/{visit.path['project_id']}"
    units = {type_.slug: type_.unit or "" for type_ in kind.data_point_types}
    moments = visit.moments
    start, end = (Instant.read(text) for _, text in query)
    return view(
        "data/gaps.html",
        kind.name,
        call=f"{project}/event_types/{kind.id}/gaps",
        crumbs=(("Gaps", f"{project}/gaps"),),
        kind=kind,
        gaps=gap_list,
        refused=problems,
        units=units,
        project=project,
        rules=await _rules(visit),
        fields=(moments.field(start), moments.field(end)),
        start=start,
        end=end,
        missing=sum(gap.missing for gap in gap_list),
        filled=sum(gap.imputed + gap.substituted for gap in gap_list),
    )


async def _gaps(visit: Visit, query: ListQuery) -> tuple[list[Gap], tuple[Problem, ...]]:
    try:
        return (await visit.ask(list_gaps, query)).data, ()
    except (Invalid, Malformed, Conflict) as refusal:
        return [], tuple(refusal.problems)


async def _rules(visit: Visit) -> dict[str, Any]:
    """Return the rules of the project by ID, for their names and messages."""
    if not visit.may("data_rules:read"):
        return {}
    return {rule.id: rule for rule in (await visit.ask(list_rules, OFFERED)).data}


PAGES = [*completeness, *gap_event_types, *gaps_of_year, *gaps]
