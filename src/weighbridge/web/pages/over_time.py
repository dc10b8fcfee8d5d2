"""Data points over time: a chart over the full width, and the values of the visible range as a table.

The picture is drawn on the server, for browsers without scripts and for print; a browser with scripts puts a
chart in its place that is zoomed by drawing over it, and fetches each range anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.data_points import list_data_points
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.records.data_points import DataPointType, EventType
from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import NotFound
from weighbridge.web.display.charts import trace, whole_moments
from weighbridge.web.display.figures import unit_text
from weighbridge.web.framework.columns import PRESENTATION, build_tools
from weighbridge.web.framework.listing import ListQuery, ListView, build_query
from weighbridge.web.framework.page import page
from weighbridge.web.framework.responses import Sendable, build_file
from weighbridge.web.framework.visit import View, Visit, view
from weighbridge.web.pages.list_tables import VALUE_COLUMNS, VALUE_GROUPINGS
from weighbridge.web.pages.saved_views import read_views
from weighbridge.web.pages.series import (
    BUCKETS,
    Series,
    SeriesMeter,
    SeriesName,
    SlotStrips,
    list_meters,
    parse_meter,
    read_extent,
    read_series,
    read_slot_strips,
)

PATH: Final = "/projects/{project_id}/data_points"

TYPES_OFFERED: Final = (("page_size", "200"), ("sort", "name"))
"""Event types whose data points are offered."""

SPANS: Final = (("day", 1), ("week", 7), ("month", 31), ("quarter", 92), ("year", 366), ("all", 0))
"""Ranges that are offered by name, in days back from the newest event; 0 for all there is."""

SPAN_USUAL: Final = "month"

MINUTE: Final = timedelta(minutes=1)
"""The step of the fields in which a range is typed."""


@dataclass(frozen=True, slots=True)
class SeriesSelection:
    """A data point type, and the range of time that is looked at."""

    event_type: EventType
    point: DataPointType
    name: SeriesName
    start: Instant
    end: Instant


_OWN: Final = frozenset({"of", "meter", "from", "until", "span"})
"""Parameters of the page that no list knows."""


async def read_selection(visit: Visit) -> tuple[SeriesSelection | None, Sequence[EventType]]:
    """What the address asks for, and what else there is; the first number there is when it asks for none."""
    types = (await visit.ask(list_event_types, TYPES_OFFERED)).data
    offered = [(type_, point) for type_ in types for point in type_.data_point_types]
    asked_name = visit.asked("of")
    numbers = [pair for pair in offered if pair[1].value_type == "number"]
    slug = visit.asked("slug") or visit.asked("filter[slug]")
    pair = next((pair for pair in offered if asked_name and asked_name == _name(*pair)), None)
    pair = pair or next((pair for pair in offered if slug and pair[1].slug == slug), None)
    if (asked_name or slug) and pair is None:
        raise NotFound("data point type", asked_name or slug)
    pair = pair or next(iter(numbers), None)
    if pair is None:
        return None, types
    event_type, point = pair
    key = identity.parse("event_type", event_type.id)
    position = event_type.data_point_types.index(point) + 1
    [(position,)] = await visit.reading.tuples(
        "SELECT position FROM data_point_types WHERE project_id = %s AND event_type_id = %s AND slug = %s",
        (key.project if key else 0, key.key if key else 0, point.slug),
    ) or [(position,)]
    project = key.project if key else 0
    name = SeriesName(project, key.key if key else 0, position, *_meter(visit, project))
    start, end = await _range(visit, name)
    return SeriesSelection(event_type, point, name, start, end), types


def _meter(visit: Visit, project: int) -> tuple[int | None, int | None]:
    """The asset or the location that the address narrows the series to; NotFound for an id of neither."""
    meter_name = visit.asked("meter")
    asset, location = parse_meter(meter_name, project)
    if meter_name and asset is None and location is None:
        raise NotFound("meter", meter_name)
    return asset, location


async def _range(visit: Visit, name: SeriesName) -> tuple[Instant, Instant]:
    first, until = visit.moments.typed(visit.asked("from")), visit.moments.typed(visit.asked("until"))
    if first is not None and until is not None and first < until:
        return first, until
    extent = await read_extent(visit.reading, name)
    now = visit.moments.now
    begin, last = extent or (Instant.of(now - timedelta(days=1)), now)
    end = until or Instant.of(last.replace(second=0, microsecond=0) + MINUTE)
    days = dict(SPANS).get(visit.asked("span", SPAN_USUAL), 0)
    start = first or (Instant.of(end - timedelta(days=days)) if days else begin)
    start = min(start, Instant.of(end - 60 * MINUTE)) if first is None else start
    return (start, end) if start < end else (Instant.of(end - timedelta(days=1)), end)


def _name(event_type: EventType, point: DataPointType) -> str:
    """How the address names a data point type of an event type."""
    return f"{event_type.slug}/{point.slug}"


def _values_query(visit: Visit, selection: SeriesSelection | None) -> ListQuery:
    """What the table below asks for: the values of the range."""
    kept_pairs = tuple(pair for pair in visit.query if pair[0] in {"cursor", "page_size", "sort"})
    if selection is None:
        return build_query(kept_pairs, sort="-start_time")
    return build_query(
        (
            ("filter[slug]", selection.point.slug),
            *_by_meter(visit),
            ("filter[start_time][geq]", selection.start.text),
            ("filter[start_time][leq]", _before(selection.end).text),
            *kept_pairs,
        ),
        sort="-start_time",
    )


def _by_meter(visit: Visit) -> ListQuery:
    """The filter of the list that the chosen meter is."""
    meter_name = visit.asked("meter")
    return ((f"filter[{identity.kind_of(meter_name)}_id]", meter_name),) if meter_name else ()


def _before(end: Instant) -> Instant:
    """The last moment that the list has to hold, where a range ends without its end."""
    return Instant.of(end - timedelta(milliseconds=1))


def build_data_points_query(visit: Visit) -> ListQuery:
    """What the same address gives as data: the list, of the slug and the range that are chosen."""
    slug = visit.asked("of").rpartition("/")[2]
    own_pairs = tuple(pair for pair in visit.query if pair[0] not in _OWN)
    moments = [
        (f"filter[start_time][{bound}]", moment.text if bound == "geq" else _before(moment).text)
        for name, bound in (("from", "geq"), ("until", "leq"))
        if (moment := visit.moments.typed(visit.asked(name)))
    ]
    return build_query(
        (*own_pairs, *((("filter[slug]", slug),) if slug else ()), *_by_meter(visit), *moments),
        sort="-start_time",
    )


@page(PATH, permission="data_collection:read", of=list_data_points, query_of=build_data_points_query)
async def data_points(visit: Visit) -> View:
    """A data point over time, with its values below."""
    selection, types = await read_selection(visit)
    query = _values_query(visit, selection)
    listed_points = await visit.ask(list_data_points, query)
    path = visit.url("data_points")
    is_number = selection is not None and selection.point.value_type == "number"
    series = (
        await read_series(visit.reading, selection.name, selection.start, selection.end)
        if is_number and selection
        else None
    )
    own_query = _chart_query(visit, selection)
    slots = SlotStrips([])
    meters: list[SeriesMeter] = []
    if selection is not None:
        slots = await read_slot_strips(
            visit, selection.event_type, selection.name, selection.start, selection.end
        )
        meters = await list_meters(visit.reading, selection.name.project, selection.name.event_type)
    return view(
        "data/over_time.html",
        selection.point.name if selection else "Data points",
        call=f"{path}?{urlencode(query)}",
        has_csv=True,
        chosen=selection,
        types=types,
        also=_other_types(selection, types),
        name_of=_name,
        path=path,
        spans=[name for name, _ in SPANS],
        slots=slots,
        meters=meters,
        meter=visit.asked("meter"),
        span="" if visit.asked("from") else visit.asked("span", SPAN_USUAL),
        points=listed_points.data,
        list=ListView(path, (*own_query, *_page_query(visit)), listed_points.info),
        views=await read_views(visit, "data_points", path),
        tools=build_tools(visit.query, VALUE_COLUMNS, VALUE_GROUPINGS, listed_points.data, visit.moments),
        series=series,
        picture=_picture(visit, selection, series) if selection and series else None,
        source=f"{path}/series.json?{urlencode(own_query)}",
        own=own_query,
        fields=(visit.moments.field(selection.start), visit.moments.field(selection.end))
        if selection
        else ("", ""),
    )


def _other_types(selection: SeriesSelection | None, types: Sequence[EventType]) -> list[str]:
    """What other event types that have the slug are called; the table has their values too."""
    if selection is None:
        return []
    others = (type_ for type_ in types if type_.id != selection.event_type.id)
    return [
        other.name
        for other in others
        if any(point_type.slug == selection.point.slug for point_type in other.data_point_types)
    ]


def _chart_query(visit: Visit, selection: SeriesSelection | None) -> ListQuery:
    name_pairs = (("of", _name(selection.event_type, selection.point)),) if selection else ()
    return name_pairs + tuple(pair for pair in visit.query if pair[0] in _OWN - {"of"} and pair[1])


def _page_query(visit: Visit) -> ListQuery:
    return tuple(pair for pair in visit.query if pair[0] in {"cursor", "sort", *PRESENTATION})


def _picture(visit: Visit, selection: SeriesSelection, series: Series) -> Any:
    alt_text = (
        f"{selection.point.name} of {selection.event_type.name}, {len(series.points)} values or extremes"
    )
    return trace(
        series,
        alt_text=alt_text,
        ticks=whole_moments(series.start, series.end, visit.moments.zone),
        breaks=_break_of(selection, series),
    )


_UNITS: Final = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_678_400}
"""Seconds of the longest of each unit of a cadence."""


def _break_of(selection: SeriesSelection, series: Series) -> timedelta | None:
    """From how long a pause on the line is broken, for none is bridged; None without a cadence."""
    unit = _UNITS.get(selection.event_type.cadence_unit or "")
    if unit is None:
        return None
    step = timedelta(seconds=unit * (selection.event_type.cadence_amount or 1))
    bucket = (series.end - series.start) / BUCKETS if series.is_cut else timedelta(0)
    return step * 3 / 2 + bucket


@page(f"{PATH}/series.json", permission="data_collection:read")
async def data_point_series(visit: Visit) -> Sendable:
    """What the chart draws of a range, for the script of the page."""
    selection, _ = await read_selection(visit)
    if selection is None or selection.point.value_type != "number":
        raise NotFound("data point type", visit.asked("of"))
    series = await read_series(visit.reading, selection.name, selection.start, selection.end)
    pause = _break_of(selection, series)
    content = {
        "unit": unit_text(selection.point.unit),
        "name": selection.point.name,
        "zone": visit.moments.zone,
        "start": _seconds(series.start),
        "end": _seconds(series.end),
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
                        {
"start": _seconds(outage.start), "end": _seconds(outage.end or series.end),
"reason": outage.reason}
            for outage in series.outages
        ],
    }  # fmt: skip
    return build_file(visit.request.app.state.encode(content), "application/json")


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


PAGES: Final[list[HTTPRouteHandler]] = [*data_point_series, *data_points]
