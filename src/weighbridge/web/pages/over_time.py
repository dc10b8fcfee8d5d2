"""Data points over time: a chart over the full width, and the values of the visible range as a table.

The picture is drawn on the server, for browsers without scripts and for print; a browser with scripts puts a
chart in its place that is zoomed by drawing over it, and fetches each range anew. Picture, chart and table
show the same series over the same range.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.assets import list_assets
from weighbridge.collection.data_points import list_data_points
from weighbridge.collection.locations import list_locations
from weighbridge.collection.records.data_points import EventType
from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.errors import NotFound
from weighbridge.web.display.figures import brief
from weighbridge.web.display.traces import TracedLine, trace, whole_moments
from weighbridge.web.framework.columns import PRESENTATION, build_tools
from weighbridge.web.framework.listing import ListQuery, ListView, build_query
from weighbridge.web.framework.page import page
from weighbridge.web.framework.responses import Sendable, build_file
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.charting.chosen_series import (
    ALSO_MAX,
    ChosenSeries,
    SeriesSelection,
    build_range_query,
    build_series_query,
    choose_by_key,
    name_of,
    read_selection,
)
from weighbridge.web.pages.charting.ranges import (
    CLOCK_SPANS,
    SPAN_USUAL,
    SPANS,
    TimeRange,
    double_range,
    read_clock_span,
    shift_range,
)
from weighbridge.web.pages.charting.series import BUCKETS, Series, list_meters, read_series
from weighbridge.web.pages.charting.slot_strips import (
    SLOTS_APART_MAX,
    SLOTS_MAX,
    SlotStrips,
    read_slot_strips,
)
from weighbridge.web.pages.list_tables import VALUE_COLUMNS, VALUE_GROUPINGS
from weighbridge.web.pages.saved_views import read_views

PATH: Final = "/projects/{project_id}/data_points"

SHARED_PAGE_SIZE: Final = "25"
"""Values of each series in a table of several."""

METERS_OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Assets, and locations, of which a series may be added."""

_OWN: Final = frozenset({"of", "meter", "also", "from", "until", "span"})
"""Parameters of the page that no list knows."""


@dataclass(frozen=True, slots=True)
class ListedSeries:
    """A series of the page: what is drawn of it, its values in the table, and where it leads."""

    chosen: ChosenSeries
    series: Series | None
    latest: str
    points: Sequence[Any]
    list: ListView
    call: str
    csv: str
    """The values of the range as a file."""
    alone: str
    """The page of this series by itself."""
    removed: str
    """The page without it; empty for the only one."""
    others: Sequence[str]
    """Other event types whose values of the same slug the table has as well."""


# The values in the table, and the same as data.


def _values_query(visit: Visit, chosen: ChosenSeries, time: TimeRange, *, is_only: bool) -> ListQuery:
    """What the table below asks for: the values of the range."""
    kept_pairs = tuple(pair for pair in visit.query if pair[0] in {"cursor", "page_size", "sort"})
    return build_query(
        (
            ("filter[slug]", chosen.point.slug),
            *_by_meter(chosen.meter),
            *_bounds(time.start, time.end),
            *(kept_pairs if is_only else (("page_size", SHARED_PAGE_SIZE),)),
        ),
        sort="-start_time",
    )


def _bounds(start: Instant | None, end: Instant | None) -> ListQuery:
    """The filters of a range; the list takes the last moment before its end."""
    last = None if end is None else Instant.of(end - timedelta(milliseconds=1))
    return tuple(
        (f"filter[start_time][{bound}]", moment.text)
        for bound, moment in (("geq", start), ("leq", last))
        if moment is not None
    )


def _by_meter(meter: str) -> ListQuery:
    """The filter of the list that a meter is."""
    return ((f"filter[{identity.kind_of(meter)}_id]", meter),) if meter else ()


def build_data_points_query(visit: Visit) -> ListQuery:
    """What the same address gives as data: the list, of the slug and the range that are chosen."""
    slug = visit.asked("of").rpartition("/")[2]
    own_pairs = tuple(pair for pair in visit.query if pair[0] not in _OWN)
    start, end = (visit.moments.typed(visit.asked(name)) for name in ("from", "until"))
    if start is None and end is None and (span := read_clock_span(visit.asked("span"), visit.moments)):
        start, end = span
    named_pairs = (("filter[slug]", slug),) if slug else ()
    meter_pairs = _by_meter(visit.asked("meter"))
    return build_query((*own_pairs, *named_pairs, *meter_pairs, *_bounds(start, end)), sort="-start_time")


# The page.


@page(PATH, permission="data_collection:read", of=list_data_points, query_of=build_data_points_query)
async def data_points(visit: Visit) -> View | Redirect:
    """Data points over time, with their values below."""
    selection, types = await read_selection(visit)
    path = visit.url("data_points")
    if selection is None:
        query = build_query(_page_query(visit), sort="-start_time")
        return view(
            "data/over_time.html", "Data points", call=f"{path}?{urlencode(query)}", has_csv=True, chosen=None
        )
    if visit.asked("add"):
        return await _add(visit, selection, types)
    listed = [await _list_series(visit, selection, one, types) for one in selection.series]
    first, project = listed[0], selection.first.name.project
    range_query = build_range_query(visit)
    slots = await _read_strips(visit, selection, SLOTS_MAX)
    time = selection.time
    return view(
        "data/over_time.html",
        selection.first.point.name,
        call=first.call,
        has_csv=True,
        chosen=selection,
        types=types,
        name_of=name_of,
        path=path,
        spans=[(name, name.replace("_", " ")) for name in (*dict(SPANS), *CLOCK_SPANS)],
        span="" if visit.asked("from") else visit.asked("span", SPAN_USUAL),
        span_address=f"{path}?{urlencode(build_series_query(selection.series))}&span=",
        beside=_beside(visit, selection),
        slots=slots,
        slots_address=f"{path}/strips?{urlencode(_own_query(visit, selection))}",
        meters=await list_meters(visit.reading, project, selection.first.name.event_type),
        addable=await _addable(visit, selection),
        also_max=ALSO_MAX,
        listed=listed,
        range_query=range_query,
        picture=_picture(visit, selection, listed) if selection.is_charted else None,
        has_values=any(one.series and one.series.points for one in listed),
        source=f"{path}/series.json?{urlencode(_own_query(visit, selection))}",
        fields=(visit.moments.field(time.start), visit.moments.field(time.end)),
        tools=build_tools(visit.query, VALUE_COLUMNS, VALUE_GROUPINGS, listed[0].points, visit.moments),
        views=await read_views(visit, "data_points", path),
    )


async def _add(visit: Visit, selection: SeriesSelection, types: Sequence[EventType]) -> Redirect:
    """The address of the chart with one more series, which its form names by two fields."""
    meter = visit.asked("add_meter")
    added = await choose_by_key(visit, f"{visit.asked('add')}{f'@{meter}' if meter else ''}", types)
    pairs = [*build_series_query(selection.series), ("also", added.key), *build_range_query(visit)]
    return Redirect(f"{visit.url('data_points')}?{urlencode(pairs)}")


async def _addable(visit: Visit, selection: SeriesSelection) -> dict[str, Sequence[Any]] | None:
    """The meters of which a series may be added, by their kinds; None where the chart takes no more."""
    if not selection.is_charted or len(selection.series) > ALSO_MAX:
        return None
    assets = (await visit.ask(list_assets, METERS_OFFERED)).data
    locations = (await visit.ask(list_locations, METERS_OFFERED)).data
    return {"Assets": assets, "Locations": locations}


async def _list_series(
    visit: Visit, selection: SeriesSelection, chosen: ChosenSeries, types: Sequence[EventType]
) -> ListedSeries:
    path, time = visit.url("data_points"), selection.time
    is_only = len(selection.series) == 1
    query = _values_query(visit, chosen, time, is_only=is_only)
    values = await visit.ask(list_data_points, query)
    series = None
    if selection.is_charted:
        series = await read_series(visit.reading, chosen.name, time.start, time.end)
    alone = urlencode((*build_series_query([chosen]), *build_range_query(visit, time)))
    others = [one for one in selection.series if one is not chosen]
    removed = urlencode((*build_series_query(others), *build_range_query(visit)))
    list_pairs = (*_own_query(visit, selection), *_page_query(visit))
    return ListedSeries(
        chosen,
        series,
        _latest(chosen, series),
        values.data,
        ListView(path, list_pairs, values.info),
        f"{path}?{urlencode(query)}",
        f"{path}.csv?{alone}",
        f"{path}?{alone}",
        "" if is_only else f"{path}?{removed}",
        _other_types(chosen, types),
    )


def _latest(chosen: ChosenSeries, series: Series | None) -> str:
    return brief(series.latest[1], chosen.point.unit or "") if series and series.latest else ""


def _other_types(chosen: ChosenSeries, types: Sequence[EventType]) -> list[str]:
    """What other event types that have the slug are called; the table has their values too."""
    others = (type_ for type_ in types if type_.id != chosen.event_type.id)
    return [
        other.name
        for other in others
        if any(point_type.slug == chosen.point.slug for point_type in other.data_point_types)
    ]


def _own_query(visit: Visit, selection: SeriesSelection) -> ListQuery:
    """The address of the chart as it is shown."""
    return (*build_series_query(selection.series), *build_range_query(visit))


def _page_query(visit: Visit) -> ListQuery:
    return tuple(pair for pair in visit.query if pair[0] in {"cursor", "sort", *PRESENTATION})


def _beside(visit: Visit, selection: SeriesSelection) -> dict[str, str]:
    """The addresses of the range before, the range after, and twice the range; empty beyond the calendar."""
    zone, time = visit.moments.zone, selection.time
    ranges = {
        "earlier": shift_range(time, -1, zone),
        "later": shift_range(time, 1, zone),
        "out": double_range(time),
    }
    return {
        name: _range_address(visit, selection, beside) if beside else "" for name, beside in ranges.items()
    }


def _range_address(visit: Visit, selection: SeriesSelection, time: TimeRange) -> str:
    """The page of the same series over another range."""
    query = (*build_series_query(selection.series), *build_range_query(visit, time))
    return f"{visit.url('data_points')}?{urlencode(query)}"


def _picture(visit: Visit, selection: SeriesSelection, listed: Sequence[ListedSeries]) -> Any:
    time = selection.time
    lines = [
        TracedLine(one.series, one.chosen.unit, _break_of(one.chosen, one.series))
        for one in listed
        if one.series is not None
    ]
    alt_text = "; ".join(
        f"{one.chosen.title}, {len(one.series.points) if one.series else 0} values or extremes"
        for one in listed
    )
    return trace(lines, alt_text=alt_text, ticks=whole_moments(time.start, time.end, visit.moments.zone))


_UNITS: Final = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_678_400}
"""Seconds of the longest of each unit of a cadence."""


def _break_of(chosen: ChosenSeries, series: Series) -> timedelta | None:
    """From how long a pause on the line is broken, for none is bridged; None without a cadence."""
    unit = _UNITS.get(chosen.event_type.cadence_unit or "")
    if unit is None:
        return None
    step = timedelta(seconds=unit * (chosen.event_type.cadence_amount or 1))
    bucket = (series.end - series.start) / BUCKETS if series.is_cut else timedelta(0)
    return step * 3 / 2 + bucket


# The slots below the chart; many of them are counted apart, after the page is shown.


@page(f"{PATH}/strips", permission="data_collection:read", computes=True)
async def data_point_strips(visit: Visit) -> View:
    """The slots of what a chart shows, where counting them takes longer than the chart."""
    selection, _ = await read_selection(visit)
    if selection is None:
        raise NotFound("data point type", visit.asked("of"))
    path = visit.url("data_points")
    return view(
        "data/strips.html",
        "Intervals",
        guide="reference/capture-rate.md",
        crumbs=(("Data points", f"{path}?{urlencode(_own_query(visit, selection))}"),),
        chosen=selection,
        slots=await _read_strips(visit, selection, SLOTS_APART_MAX),
    )


async def _read_strips(visit: Visit, selection: SeriesSelection, slots_max: int) -> list[SlotStrips]:
    """The strips of each event type and meter of the chart."""
    by_meter = {(one.name.event_type, one.meter): one for one in selection.series}
    chosen = [
        one for (event_type, meter), one in by_meter.items() if not meter or (event_type, "") not in by_meter
    ]

    def link(start: Instant, end: Instant) -> str:
        return _range_address(visit, selection, TimeRange(start, end))

    time = Interval(selection.time.start, selection.time.end)
    return [
        await read_slot_strips(visit, one.event_type, one.name, time, link, slots_max=slots_max)
        for one in chosen
    ]


# What the script draws.


@page(f"{PATH}/series.json", permission="data_collection:read")
async def data_point_series(visit: Visit) -> Sendable:
    """What the chart draws of a range, for the script of the page.

    The answer has `zone`, `start` and `end` (seconds since 1970), `axes` (one unit or two, the first to the
    left), `beside` (addresses of the ranges before and after, and of twice the range) and `series`, a list in
    the order of the legend. Each of it has its `key` and `name`, its `unit`, the number of its `axis`, the
    `latest` value in words, `is_cut` (whether values are extremes of buckets), `pause` (seconds from which a
    pause is a gap, or null), the columns `times`, `low`, `high` and `captured`, the places of `imputed`
    values, and `pins` and `outages`.
    """
    selection, _ = await read_selection(visit)
    if selection is None or not selection.is_charted:
        raise NotFound("data point type", visit.asked("of"))
    time = selection.time
    axes = list(dict.fromkeys(one.unit for one in selection.series))
    content = {
        "zone": visit.moments.zone,
        "start": _seconds(time.start),
        "end": _seconds(time.end),
        "axes": axes,
        "beside": _beside(visit, selection),
        "series": [
            _series_content(one, await read_series(visit.reading, one.name, *time), axes)
            for one in selection.series
        ],
    }
    return build_file(visit.request.app.state.encode(content), "application/json")


def _series_content(chosen: ChosenSeries, series: Series, axes: list[str]) -> dict[str, Any]:
    pause = _break_of(chosen, series)
    return {
        "key": chosen.key,
        "name": chosen.title,
        "unit": chosen.unit,
        "axis": axes.index(chosen.unit),
        "latest": _latest(chosen, series),
        "is_cut": series.is_cut,
        "pause": None if pause is None else int(pause.total_seconds()),
        "times": [_seconds(point.start) for point in series.points],
        "low": [point.low for point in series.points],
        "high": [point.high for point in series.points],
        "captured": [point.captured for point in series.points],
        "imputed": [at for at, traced_point in enumerate(series.points) if traced_point.is_imputed],
        "pins": [
            {"at": _seconds(pin.start), "value": pin.value, "captured": pin.captured, "source": pin.source,
             "by": pin.by, "reason": pin.reason or "", "id": pin.id}
            for pin in series.pins
        ],
        "outages": [
            {"start": _seconds(outage.start), "end": _seconds(outage.end or series.end),
             "reason": outage.reason}
            for outage in series.outages
        ],
    }  # fmt: skip


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


PAGES: Final[list[HTTPRouteHandler]] = [*data_point_series, *data_point_strips, *data_points]
