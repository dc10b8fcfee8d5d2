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
from weighbridge.web.display.charts import trace
from weighbridge.web.framework.listing import ListQuery, ListView, build_query
from weighbridge.web.framework.page import page
from weighbridge.web.framework.responses import Sendable, build_file
from weighbridge.web.framework.visit import View, Visit, view
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
    offered = [(one, point) for one in types for point in one.data_point_types]
    asked = visit.asked("of")
    numbers = [pair for pair in offered if pair[1].value_type == "number"]
    slug = visit.asked("slug") or visit.asked("filter[slug]")
    pair = next((pair for pair in offered if asked and asked == _name(*pair)), None)
    pair = pair or next((pair for pair in offered if slug and pair[1].slug == slug), None)
    if (asked or slug) and pair is None:
        raise NotFound("data point type", asked or slug)
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
    named = visit.asked("meter")
    asset, location = parse_meter(named, project)
    if named and asset is None and location is None:
        raise NotFound("meter", named)
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


def _values_query(visit: Visit, chosen: SeriesSelection | None) -> ListQuery:
    """What the table below asks for: the values of the range."""
    kept = tuple(pair for pair in visit.query if pair[0] in {"cursor", "page_size", "sort"})
    if chosen is None:
        return build_query(kept, sort="-start_time")
    return build_query(
        (
            ("filter[slug]", chosen.point.slug),
            *_by_meter(visit),
            ("filter[start_time][geq]", chosen.start.text),
            ("filter[start_time][leq]", _before(chosen.end).text),
            *kept,
        ),
        sort="-start_time",
    )


def _by_meter(visit: Visit) -> ListQuery:
    """The filter of the list that the chosen meter is."""
    named = visit.asked("meter")
    return ((f"filter[{identity.kind_of(named)}_id]", named),) if named else ()


def _before(end: Instant) -> Instant:
    """The last moment that the list has to hold, where a range ends without its end."""
    return Instant.of(end - timedelta(milliseconds=1))


def build_data_points_query(visit: Visit) -> ListQuery:
    """What the same address gives as data: the list, of the slug and the range that are chosen."""
    slug = visit.asked("of").rpartition("/")[2]
    own = tuple(pair for pair in visit.query if pair[0] not in _OWN)
    moments = [
        (f"filter[start_time][{bound}]", moment.text if bound == "geq" else _before(moment).text)
        for name, bound in (("from", "geq"), ("until", "leq"))
        if (moment := visit.moments.typed(visit.asked(name)))
    ]
    return build_query(
        (*own, *((("filter[slug]", slug),) if slug else ()), *_by_meter(visit), *moments), sort="-start_time"
    )


@page(PATH, permission="data_collection:read", of=list_data_points, asked=build_data_points_query)
async def data_points(visit: Visit) -> View:
    """A data point over time, with its values below."""
    chosen, types = await read_selection(visit)
    query = _values_query(visit, chosen)
    found = await visit.ask(list_data_points, query)
    path = visit.url("data_points")
    is_number = chosen is not None and chosen.point.value_type == "number"
    drawn = (
        await read_series(visit.reading, chosen.name, chosen.start, chosen.end)
        if is_number and chosen
        else None
    )
    own = _chart_query(visit, chosen)
    slots = SlotStrips([])
    meters: list[SeriesMeter] = []
    if chosen is not None:
        slots = await read_slot_strips(visit, chosen.event_type, chosen.name, chosen.start, chosen.end)
        meters = await list_meters(visit.reading, chosen.name.project, chosen.name.event_type)
    return view(
        "data/over_time.html", chosen.point.name if chosen else "Data points",
        call=f"{path}?{urlencode(query)}", has_csv=True,
        chosen=chosen, types=types, also=_other_types(chosen, types),
        name_of=_name, path=path, spans=[name for name, _ in SPANS],
        slots=slots, meters=meters, meter=visit.asked("meter"),
        span="" if visit.asked("from") else visit.asked("span", SPAN_USUAL),
        points=found.data, list=ListView(path, (*own, *_page_query(visit)), found.info), series=drawn,
        picture=_picture(visit, chosen, drawn) if chosen and drawn else None,
        source=f"{path}/series.json?{urlencode(own)}", own=own,
        fields=(visit.moments.field(chosen.start), visit.moments.field(chosen.end)) if chosen else ("", ""),
    )  # fmt: skip


def _other_types(chosen: SeriesSelection | None, types: Sequence[EventType]) -> list[str]:
    """What other event types that have the slug are called; the table has their values too."""
    if chosen is None:
        return []
    others = (one for one in types if one.id != chosen.event_type.id)
    return [one.name for one in others if any(it.slug == chosen.point.slug for it in one.data_point_types)]


def _chart_query(visit: Visit, chosen: SeriesSelection | None) -> ListQuery:
    named = (("of", _name(chosen.event_type, chosen.point)),) if chosen else ()
    return named + tuple(pair for pair in visit.query if pair[0] in _OWN - {"of"} and pair[1])


def _page_query(visit: Visit) -> ListQuery:
    return tuple(pair for pair in visit.query if pair[0] in {"cursor", "sort"})


def _picture(visit: Visit, chosen: SeriesSelection, drawn: Series) -> Any:
    says = f"{chosen.point.name} of {chosen.event_type.name}, {len(drawn.points)} values or extremes"
    return trace(drawn, says=says, ticks=_ticks(visit, drawn), breaks=_break_of(chosen, drawn))


def _ticks(visit: Visit, drawn: Series) -> list[tuple[datetime, str]]:
    step = (drawn.end - drawn.start) / 6
    moments = [Instant.of(drawn.start + step * at) for at in range(6)]
    return [(one, str(visit.moments.day(one).striptags())) for one in moments]


_UNITS: Final = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_678_400}
"""Seconds of the longest of each unit of a cadence."""


def _break_of(chosen: SeriesSelection, drawn: Series) -> timedelta | None:
    """From how long a pause on the line is broken, for none is bridged; None without a cadence."""
    unit = _UNITS.get(chosen.event_type.cadence_unit or "")
    if unit is None:
        return None
    step = timedelta(seconds=unit * (chosen.event_type.cadence_amount or 1))
    bucket = (drawn.end - drawn.start) / BUCKETS if drawn.is_cut else timedelta(0)
    return step * 3 / 2 + bucket


@page(f"{PATH}/series.json", permission="data_collection:read")
async def data_point_series(visit: Visit) -> Sendable:
    """What the chart draws of a range, for the script of the page."""
    chosen, _ = await read_selection(visit)
    if chosen is None or chosen.point.value_type != "number":
        raise NotFound("data point type", visit.asked("of"))
    drawn = await read_series(visit.reading, chosen.name, chosen.start, chosen.end)
    pause = _break_of(chosen, drawn)
    content = {
        "unit": chosen.point.unit or "",
        "name": chosen.point.name,
        "zone": visit.moments.zone,
        "start": _seconds(drawn.start),
        "end": _seconds(drawn.end),
        "is_cut": drawn.is_cut,
        "pause": None if pause is None else int(pause.total_seconds()),
        "times": [_seconds(one.start) for one in drawn.points],
        "low": [one.low for one in drawn.points],
        "high": [one.high for one in drawn.points],
        "captured": [one.captured for one in drawn.points],
        "imputed": [at for at, one in enumerate(drawn.points) if one.is_imputed],
        "pins": [
            {"at": _seconds(one.start), "value": one.value, "captured": one.captured, "source": one.source,
             "by": one.by, "reason": one.reason or "", "id": one.id}
            for one in drawn.pins
        ],
        "outages": [
            {"start": _seconds(one.start), "end": _seconds(one.end or drawn.end), "reason": one.reason}
            for one in drawn.outages
        ],
    }  # fmt: skip
    return build_file(visit.request.app.state.encode(content), "application/json")


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


PAGES: Final[list[HTTPRouteHandler]] = [*data_point_series, *data_points]
