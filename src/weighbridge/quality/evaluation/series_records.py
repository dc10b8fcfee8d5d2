"""The series of meters as SQL: what was captured of each, meter after meter, in order of time.

Values are as they were captured, as a calibration adjusted them or as a person corrected them; what another
rule put in for them is not there. An imputed event stands in the series only where a person gave its value.

Invariants: readings come meter by meter, each meter's in order of start, end, tracking id, client reference
and captured values; voided events have no part in a series.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from psycopg.sql import SQL, Composable, Composed

from weighbridge.collection.measurements.condition import TAGS
from weighbridge.collection.measurements.value import (
    IS_BY_PEOPLE,
    LEFT_TO_RULES,
    WITHOUT_SUBSTITUTES,
    ValueColumn,
)
from weighbridge.core.expression import tree as t
from weighbridge.core.expression.value import Scalar
from weighbridge.core.time.instant import Interval
from weighbridge.core.time.meter import ALWAYS, Service
from weighbridge.db.engine import Read
from weighbridge.db.literal import Literal
from weighbridge.quality.evaluation.event_records import ORDER, by_type, within
from weighbridge.quality.evaluation.prepared_rule import PreparedRule
from weighbridge.quality.versions.period import Period

ASSET: Final = SQL("coalesce(e.asset_id, 0)")
LOCATION: Final = SQL("CASE WHEN e.asset_id IS NULL THEN coalesce(e.location_ids[1], 0) ELSE 0 END")
"""The keys of an event's meter, as `core/time/meter.py` defines it; 0 for the one that it does not have."""

_FOREVER: Final = datetime.max.replace(tzinfo=UTC)


class MeterKey(NamedTuple):
    """A meter of an event type by its numbers; 0 for an asset or location that it does not have."""

    event_type: int
    asset: int
    location: int


class MeterReading(NamedTuple):
    """One row of a series."""

    meter: MeterKey
    event: int
    start: datetime
    end: datetime
    created: datetime
    checked: str | None
    """The value as a result shows it."""
    value: Decimal | None
    is_manual: bool
    captured: Decimal | None
    """The captured value; None where there is none, or a person corrected it."""
    own: tuple[Scalar | None, ...]
    """What the expression reads, in the order of the rule's names."""
    row: tuple[Scalar | None, ...]
    """What the conditions of the filling read, in the order of its names."""


@dataclass(frozen=True, slots=True)
class Expected:
    """When meters were not to deliver: outages and times out of service."""

    outages: dict[MeterKey, list[Interval]] = field(default_factory=dict)
    """By event type, asset and location, 0 for any."""
    services: dict[tuple[int, int], Service] = field(default_factory=dict)
    """By asset and location."""

    def outages_of(self, meter: MeterKey) -> list[Interval]:
        """The outages that were declared for a meter."""
        places = {(0, 0), (meter.asset, meter.location)}
        keys = [MeterKey(kind, *place) for kind in (0, meter.event_type) for place in places]
        return [one for key in keys for one in self.outages.get(key, ())]

    def service_of(self, meter: MeterKey) -> Service:
        """When a meter is in service."""
        return self.services.get((meter.asset, meter.location), ALWAYS)


async def expected_of(tx: Read, project: int) -> Expected:
    """When the meters of a project were not to deliver."""
    expected = Expected()
    outages, services = await tx.several((_OUTAGES, (project,)), (_SERVICES, (project, project)))
    for kind, asset, location, start, end in outages:
        meter = MeterKey(kind, asset, location)
        expected.outages.setdefault(meter, []).append(Interval(start, end or _FOREVER))
    expected.services.update(
        {(asset, location): Service(start, end) for asset, location, start, end in services}
    )
    return expected


def series_statement(prepared: PreparedRule, period: Period) -> Composed:
    """What to read of the series of the rule's meters that starts in a period."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    columns = prepared.checked_columns
    names = [_value(prepared, name) for name in (*prepared.program.names, *prepared.gaps.names)]
    return SQL(
        "SELECT e.event_type_id, {asset}, {location}, e.id, e.start_time, e.end_time, e.created_at, {value},"
        " {manual}, {captured}{names} FROM events e WHERE {within} AND e.voided_at IS NULL"
        " AND (NOT e.is_imputed OR {manual}) ORDER BY 1, 2, 3, {order}"
    ).format(
        asset=ASSET,
        location=LOCATION,
        value=_each(columns, WITHOUT_SUBSTITUTES),
        manual=_each(columns, dict.fromkeys(WITHOUT_SUBSTITUTES, IS_BY_PEOPLE)),
        captured=_each(columns, LEFT_TO_RULES),
        names=SQL("").join(SQL(", {}").format(name) for name in names),
        within=within(prepared.version.project, prepared.watched, period),
        order=ORDER,
    )


def readings_of(prepared: PreparedRule, rows: Iterable[Sequence[Any]]) -> Iterable[MeterReading]:
    """The rows of the statement as readings."""
    split = _FIXED + len(prepared.program.names)
    for row in rows:
        kind, asset, location, event, start, end, created, value, is_manual, captured = row[:_FIXED]
        yield MeterReading(
            MeterKey(kind, asset, location),
            event,
            start,
            end,
            created,
            None if value is None else shown(value),
            value,
            is_manual is True,
            captured,
            tuple(row[_FIXED:split]),
            tuple(row[split:]),
        )


def shown(value: Decimal) -> str:
    """A value as a result shows it: without exponent or zeros behind the last digit."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _each(columns: dict[int, ValueColumn], read: Any) -> Composable:
    return by_type(
        {kind: SQL(read[one.value_type]).format(Literal(one.position)) for kind, one in columns.items()}
    )


def _value(prepared: PreparedRule, name: t.Name) -> Composable:
    if prepared.rule.is_tag(name):
        return SQL(TAGS[name.text])
    return _each(prepared.reading[name], WITHOUT_SUBSTITUTES)


_FIXED: Final = 10
"""Columns before those that the expressions read."""

_OUTAGES: Final = """
    SELECT coalesce(event_type_id, 0), coalesce(asset_id, 0), coalesce(location_id, 0), start_time, end_time
      FROM outages WHERE project_id = %s
"""
_SERVICES: Final = """
    SELECT id, 0, in_service_from, in_service_until FROM assets
     WHERE project_id = %s AND num_nonnulls(in_service_from, in_service_until) > 0
    UNION ALL
    SELECT 0, id, in_service_from, in_service_until FROM locations
     WHERE project_id = %s AND num_nonnulls(in_service_from, in_service_until) > 0
"""
