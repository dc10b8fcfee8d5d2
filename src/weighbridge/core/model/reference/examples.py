"""What the examples of the reference are computed with: names, a table, readings, and their results.

Invariants: every example of the reference can be computed from these names alone.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import (
    PLAIN,
    TEXT,
    TRUTH,
    Environment,
    Table,
    TableColumn,
    Value,
    evaluate,
    number,
    parse,
    quantities,
    quantity,
    text,
)
from weighbridge.core.expression.kind import Kind
from weighbridge.core.model.aggregates import Reading, aggregate
from weighbridge.core.model.definition import Aggregate
from weighbridge.core.model.equations import show
from weighbridge.core.quantity.number import plain
from weighbridge.core.quantity.unit import ONE, parse_unit
from weighbridge.core.time.instant import Interval

_DELIVERIES: Final = "the deliveries"


def _one(digits: str, unit: str = "") -> Value:
    return quantity(Decimal(digits), parse_unit(unit) if unit else ONE)


def _array(unit: str, *digits: str) -> Value:
    return quantities([Decimal(one) for one in digits], parse_unit(unit), _DELIVERIES)


NAMES: Final = {
    "mass": _array("t", "2.5", "1.5"),
    "ash": _array("%", "10", "20"),
    "energy": _one("7.2", "MJ"),
    "power": quantities([Decimal(10), Decimal(30)], parse_unit("kW"), "the meter"),
    "fraction": _one("0.97"),
    "temperature": _one("14.85", "degC"),
    "soil_temperature": _one("14.9", "degC"),
    "coldest": _one("7", "degC"),
    "change": _one("-3", "t"),
    "days": _one("2.5", "d"),
    "area": _one("2.25", "m**2"),
    "years": _one("100", "yr"),
    "decay": _one("0.005", "1/yr"),
    "ratio": _one("100"),
    "load": _one("12", "t"),
    "lab_moisture": Value(number(parse_unit("%")), None),
    "default_moisture": _one("15", "%"),
    "wet": Value(TRUTH, content=False),
    "feedstock": text("Wood chips"),
    "partition.feedstock": text("Wood"),
}
"""The names of the examples, beside the tables below."""

TABLES: Final = {
    "factors": Table(
        "factors",
        (TableColumn("feedstock", TEXT), TableColumn("kg_per_t", number(parse_unit("kg{CO2e}/t")))),
        (("Wood", Decimal("12.5")), ("Straw", Decimal(30))),
    ),
    "permanence_class": Table(
        "permanence_class",
        (TableColumn("temperature", number(parse_unit("degC"))), TableColumn("fraction", PLAIN)),
        ((Decimal(10), Decimal("0.9")), (Decimal(20), Decimal("0.8"))),
    ),
}
"""The tables that the examples look into."""

_MIDNIGHT: Final = datetime(2025, 1, 1, tzinfo=UTC)


def _at(hour: int, digits: str) -> Reading:
    moment = _MIDNIGHT + timedelta(hours=hour)
    return Reading(Interval(moment, moment), Decimal(digits))


DAY: Final = Interval(_MIDNIGHT, _MIDNIGHT + timedelta(days=1))
READINGS: Final = (_at(0, "20"), _at(6, "26"), _at(18, "38"))
"""What the examples of aggregates are computed of, over one day: readings at 0:00, 6:00 and 18:00."""

_HOURS: Final = Value(number(parse_unit("h"), "the meter"), (Decimal(1), Decimal("0.5")))
_ENVIRONMENT: Final = Environment(
    NAMES,
    TABLES,
    durations={"power": _HOURS},
    period_days=quantity(Decimal(31), parse_unit("d")),
    period_hours=quantity(Decimal(743), parse_unit("h")),
)


def result_of(example: str) -> str:
    """Compute an example and write what it comes to."""
    return written(evaluate(parse(example), _ENVIRONMENT))


def aggregate_of(kind: Aggregate) -> str:
    """Aggregate the readings of the examples over their day, and write what they come to."""
    aggregated = aggregate(kind, READINGS, DAY)
    if isinstance(aggregated, tuple):
        return f"[{', '.join(plain(one) for one in aggregated)}]"
    return "nothing" if aggregated is None else plain(aggregated)


def names_written() -> Iterator[tuple[str, str]]:
    """Each name of the examples with its value."""
    return ((name, written(value)) for name, value in NAMES.items())


def written(value: Value) -> str:
    """Write a value as the documents show it."""
    content = value.content
    if value.type.kind is Kind.NUMBER and not isinstance(content, str | bool):
        unit = value.type.unit or ONE
        elements = tuple(content) if isinstance(content, tuple) else content
        return show(elements, unit)  # type: ignore[arg-type] # the content of a number is decimals
    if isinstance(content, Decimal):
        return plain(content)
    if isinstance(content, bool):
        return "true" if content else "false"
    return repr(content)
