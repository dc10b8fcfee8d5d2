"""The values of one data point type over time, and the meters they come from.

Invariant: where time is cut into buckets, the smallest and the largest value of each are given.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.values import NUMBERS
from weighbridge.core import identity
from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal

# A series: the values of one data point type over a range of time, as a chart of so many pixels needs them.
#
# Where the range holds few values, each is given. Where it holds more, time is cut into buckets, one for
# each pixel or so, and the smallest and the largest value of each are given, so that no spike is lost. What
# was captured is shown with the value in force, wherever there is a correction.
#
# Invariants: values are those in force, of events that are not voided; a bucket is never empty; no value is
# interpolated.


POINTS_MAX: Final = 1_500
"""Values that are given each by itself; more are cut into buckets."""

BUCKETS: Final = 1_200
"""Buckets of a range: as many as a wide chart has pixels."""

PINS_MAX: Final = 300
"""Corrections that a chart marks one by one, the first of the range."""

OUTAGES_MAX: Final = 200
"""Outages that a chart shows, the first of the range."""


class SeriesName(NamedTuple):
    """Which series: a data point type of an event type, by numbers of the database."""

    project: int
    event_type: int
    position: int
    asset: int | None = None
    """The asset that the values are of; None is of any."""
    location: int | None = None
    """A location of the events; None is any."""

    @property
    def meter(self) -> Composable:
        """The condition on events of the series in addition to their type."""
        conditions: list[Composable] = [SQL("true")]
        if self.asset is not None:
            conditions.append(SQL("e.asset_id = {}").format(Literal(self.asset)))
        if self.location is not None:
            conditions.append(SQL("{} = ANY (e.location_ids)").format(Literal(self.location)))
        return SQL(" AND ").join(conditions)


class SeriesPoint(NamedTuple):
    """A value, or the extremes of a bucket; what was captured where that is another."""

    start: datetime
    low: Decimal
    high: Decimal
    captured: Decimal | None
    is_imputed: bool
    held: int
    """How many values the bucket holds."""


class SeriesPin(NamedTuple):
    """A correction in force: of which value, from what to what, by whom and why."""

    id: str
    start: datetime
    source: str
    captured: Decimal | None
    value: Decimal
    reason: str | None
    by: str
    made: datetime


class SeriesOutage(NamedTuple):
    """A stretch in which nothing was expected, with its reason; without an end while it lasts."""

    start: datetime
    end: datetime | None
    reason: str


class Series(NamedTuple):
    """What a chart shows of a range."""

    start: datetime
    end: datetime
    is_cut: bool
    """Whether values are given by buckets."""
    points: Sequence[SeriesPoint]
    pins: Sequence[SeriesPin]
    outages: Sequence[SeriesOutage]
    latest: tuple[datetime, Decimal] | None
    """The last value of the range with its time."""


_VALUE: Final = f"({NUMBERS})[{{position}}]"
_OF: Final = """
      FROM events e
     WHERE e.project_id = {project} AND e.event_type_id = {event_type} AND e.voided_at IS NULL
       AND e.start_time >= {start} AND e.start_time < {end} AND {meter}
"""
_EACH: Final = f"""
    SELECT e.start_time, {_VALUE}, {_VALUE},
           CASE WHEN e.is_revised AND e.numbers[{{position}}] IS DISTINCT FROM {_VALUE}
                THEN e.numbers[{{position}}] END,
           e.is_imputed, 1 {_OF} AND {_VALUE} IS NOT NULL ORDER BY e.start_time, e.id LIMIT {{limit}}
"""
_BUCKETS: Final = f"""
    SELECT date_bin({{width}}, start_time, {{start}}), min(value), max(value),
           min(captured) FILTER (WHERE is_revised AND captured IS DISTINCT FROM value),
           bool_or(is_imputed), count(*), bool_or(is_revised)
      FROM (SELECT e.start_time, {_VALUE} AS value, e.numbers[{{position}}] AS captured, e.is_revised,
                   e.is_imputed {_OF} OFFSET 0) e
     WHERE value IS NOT NULL GROUP BY 1 ORDER BY 1
"""
"""OFFSET 0 keeps the value from being taken out of its array anew for each aggregate."""
_LATEST: Final = f"""
    SELECT e.start_time, {_VALUE} {_OF} AND {_VALUE} IS NOT NULL ORDER BY e.start_time DESC, e.id DESC LIMIT 1
"""
_PINS: Final = f"""
    SELECT e.id, e.start_time, c.source, e.numbers[{{position}}], {_VALUE}, c.reason, u.name, c.created_at
      FROM (SELECT e.* {_OF} AND e.is_revised) e
      JOIN corrections c ON (c.project_id, c.event_id, c.position) = (e.project_id, e.id, {{position}})
      JOIN users u ON u.id = c.user_id
     WHERE c.state = {{in_force}} AND c.source <> {{completion}} AND {_VALUE} IS NOT NULL
       AND NOT (e.is_imputed AND c.source = {{substitution}})
     ORDER BY e.start_time, e.id LIMIT {{limit}}
"""
_OUTAGES: Final = """
    SELECT start_time, end_time, reason FROM outages
     WHERE project_id = {project} AND (event_type_id IS NULL OR event_type_id = {event_type})
       AND (asset_id IS NULL OR {asset}::integer IS NULL OR asset_id = {asset})
       AND (location_id IS NULL OR {location}::integer IS NULL OR location_id = {location})
       AND start_time < {end} AND coalesce(end_time, 'infinity') > {start}
     ORDER BY start_time LIMIT {limit}
"""
_ENDS: Final = """
    SELECT min(e.start_time), max(e.start_time) FROM events e
     WHERE e.project_id = {project} AND e.event_type_id = {event_type} AND e.voided_at IS NULL AND {meter}
"""


async def read_extent(tx: Read, name: SeriesName) -> tuple[Instant, Instant] | None:
    """From the first event of the type to the last; None where there is none."""
    statement = SQL(_ENDS).format(
        project=Literal(name.project), event_type=Literal(name.event_type), meter=name.meter
    )
    [(first, last)] = await tx.tuples(statement)
    return None if first is None else (Instant.of(first), Instant.of(last))


async def read_series(tx: Read, name: SeriesName, start: datetime, end: datetime) -> Series:
    """The series over a range, its end exclusive."""
    parameters: dict[str, Any] = {
        "project": name.project, "event_type": name.event_type, "position": name.position, "start": start,
        "end": end, "width": _width(start, end), "in_force": CorrectionState.IN_FORCE.value,
        "completion": CorrectionOrigin.COMPLETION.value,
        "substitution": CorrectionOrigin.SUBSTITUTION.value, "asset": name.asset, "location": name.location,
    }  # fmt: skip

    async def rows(statement: str, limit: int, **bounds: datetime) -> list[tuple[Any, ...]]:
        filled = {key: Literal(value) for key, value in {**parameters, **bounds, "limit": limit}.items()}
        return await tx.tuples(SQL(statement).format(meter=name.meter, **filled))

    points = await rows(_EACH, POINTS_MAX + 1)
    is_cut = len(points) > POINTS_MAX
    if is_cut:
        points = await rows(_BUCKETS, 0)
    latest = await rows(_LATEST, 1) if is_cut else [(row[0], row[2]) for row in points[-1:]]
    # Corrections are looked for only where buckets have any: looking through all of years takes long.
    revised = [row[0] for row in points if row[6]] if is_cut else [start]
    last = revised[-1] + _width(start, end) if revised and is_cut else end
    pins = await rows(_PINS, PINS_MAX, start=max(revised[0], start), end=min(last, end)) if revised else []
    return Series(
        start,
        end,
        is_cut,
        [SeriesPoint(*row[:6]) for row in points],
        [
            SeriesPin(identity.of("data_point", name.project, event, name.position), *pin_fields)
            for event, *pin_fields in pins
        ],
        [SeriesOutage(*row) for row in await rows(_OUTAGES, OUTAGES_MAX)],
        next(((time, value) for time, value in latest), None),
    )


def _width(start: datetime, end: datetime) -> timedelta:
    """How long a bucket is."""
    return max((end - start) / BUCKETS, timedelta(milliseconds=1))


# The meters of an event type, which a chart may be narrowed to: assets, and locations of events.


METERS_MAX: Final = 100
"""Assets, and locations, that are looked through, by their names."""

_KINDS: Final = ("asset", "location")

# The last events of a meter show which event types it sends; reading all of them could take long.
_OFFERED: Final = """
    SELECT 'asset', m.id, m.name
      FROM (SELECT id, name FROM assets WHERE project_id = %(project)s ORDER BY name, id LIMIT %(most)s) m
     WHERE EXISTS (SELECT FROM (SELECT e.event_type_id FROM events e
                                 WHERE e.project_id = %(project)s AND e.asset_id = m.id
                                 ORDER BY e.start_time DESC, e.id DESC LIMIT %(looks)s) e
                    WHERE e.event_type_id = %(event_type)s)
    UNION ALL
    SELECT 'location', m.id, m.name
      FROM (SELECT id, name FROM locations WHERE project_id = %(project)s ORDER BY name, id LIMIT %(most)s) m
     WHERE EXISTS (SELECT FROM (SELECT e.event_type_id FROM events e
                                 WHERE e.project_id = %(project)s AND e.location_ids[1] = m.id
                                 ORDER BY e.start_time DESC, e.id DESC LIMIT %(looks)s) e
                    WHERE e.event_type_id = %(event_type)s)
"""
_LOOKS: Final = 200
"""Events of a meter that are looked at, the newest."""


class SeriesMeter(NamedTuple):
    """A meter that a chart may be narrowed to."""

    id: str
    name: str


async def list_meters(tx: Read, project: int, event_type: int) -> list[SeriesMeter]:
    """The meters that sent events of a type lately: assets by name, then locations."""
    values = {"project": project, "event_type": event_type, "most": METERS_MAX, "looks": _LOOKS}
    rows = await tx.tuples(_OFFERED, values)
    return [SeriesMeter(identity.of(kind, project, number), name) for kind, number, name in rows]


def parse_meter(meter_name: str, project: int) -> tuple[int | None, int | None]:
    """The numbers of the asset or the location that an id names; of none, where it names neither."""
    asset, location = (
        key.key if (key := identity.parse(kind, meter_name)) is not None and key.project == project else None
        for kind in _KINDS
    )
    return asset, location


async def read_meter_name(tx: Read, project: int, asset: int | None, location: int | None) -> str | None:
    """What a meter is called; None where the project has none of the number."""
    table = SQL("assets") if asset is not None else SQL("locations")
    statement = SQL("SELECT name FROM {} WHERE project_id = {} AND id = {}").format(
        table, Literal(project), Literal(asset if asset is not None else location)
    )
    rows = await tx.tuples(statement)
    return rows[0][0] if rows else None


async def read_position(tx: Read, project: int, event_type: int, slug: str) -> int | None:
    """At which position events of a type have the values of a data point type; None where it has none."""
    rows = await tx.tuples(_POSITION, (project, event_type, slug))
    return rows[0][0] if rows else None


_POSITION: Final = """
    SELECT position FROM data_point_types WHERE project_id = %s AND event_type_id = %s AND slug = %s
"""
