"""The series of meters as SQL: what was captured of each, meter after meter, in order of time.

Values are as they were captured, as a calibration adjusted them or as a person corrected them; what another
rule put in for them is not there. An imputed event stands in the series only where a person gave its value.

Invariants: readings come meter by meter, each meter's in order of start, end, tracking id, client reference
and captured values; voided events have no part in a series.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from psycopg.sql import SQL, Composable, Composed

from weighbridge.collection.measurements.condition import TAGS, condition
from weighbridge.collection.measurements.value import (
    IS_BY_PEOPLE,
    LEFT_TO_RULES,
    WITHOUT_SUBSTITUTES,
    ValueColumn,
)
from weighbridge.core.expression import tree as t
from weighbridge.core.expression.value import Element, Scalar
from weighbridge.core.rule import Record
from weighbridge.db.literal import Literal
from weighbridge.quality.capture.expected_slots import ASSET, LOCATION
from weighbridge.quality.evaluation.event_records import ORDER, asked, by_type, is_exact_in_database, within
from weighbridge.quality.evaluation.prepared_rule import EventKind, PreparedRule
from weighbridge.quality.versions.period import Period


class MeterReading(NamedTuple):
    """One row of a series, as the statement gives it."""

    event_type: int
    asset: int
    location: int
    event: int
    start: datetime
    value: Decimal | None
    is_manual: bool | None
    captured: Decimal | None
    """The captured value where it is another one; None where a person corrected it."""
    is_revised: bool
    is_rolled_up: bool
    """Whether it was made of readings, so that nobody can complete it by hand."""
    verdict: Element
    """What the rule's expression says of it; None where the statement does not tell."""
    row: tuple[Scalar | None, ...]
    """What the conditions of the filling read, in the order of its names."""

    @property
    def replaced(self) -> Decimal | None:
        """The captured value that a substitute takes the place of."""
        return self.captured if self.is_revised else self.value

    @property
    def lacks_value(self) -> bool:
        """Whether its readings came to no value, so that one may be filled in."""
        return self.is_rolled_up and self.value is None


def is_told_by_database(prepared: PreparedRule) -> bool:
    """Whether the database can tell for each value whether the rule finds it wrong."""
    return is_exact_in_database(prepared.rule.tree)


def series_statement(prepared: PreparedRule, period: Period) -> Composed:
    """What to read of the series of the rule's meters that starts in a period."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    columns = prepared.checked_columns
    names = [*prepared.gaps.names]
    verdict: Composable = SQL("NULL::boolean")
    if is_told_by_database(prepared):
        verdict = by_type({kind.number: truth(prepared.rule.tree, kind) for kind in prepared.watched})
    else:
        names += prepared.program.names
    beside = SQL("") if is_told_by_database(prepared) else SQL(", e.end_time, e.created_at")
    return SQL(
        "SELECT e.event_type_id, {asset}, {location}, e.id, e.start_time, {value}, {manual},"
        " CASE WHEN e.is_revised THEN {captured} END, e.is_revised, e.readings IS NOT NULL,"
        " {verdict}{names}{beside}"
        " FROM events e WHERE {within} AND {asked} AND e.voided_at IS NULL"
        " AND (NOT e.is_imputed OR {manual}) ORDER BY 1, 2, 3, {order}"
    ).format(
        asset=ASSET,
        location=LOCATION,
        value=_each(columns, WITHOUT_SUBSTITUTES),
        manual=_each(columns, dict.fromkeys(WITHOUT_SUBSTITUTES, IS_BY_PEOPLE)),
        captured=_each(columns, LEFT_TO_RULES),
        verdict=verdict,
        names=SQL("").join(SQL(", {}").format(_value(prepared, name)) for name in names),
        beside=beside,
        within=within(prepared.version.project, prepared.watched, period),
        asked=asked(prepared),
        order=ORDER,
    )


def reader_of(prepared: PreparedRule) -> Callable[[Sequence[Any]], MeterReading]:
    """What makes a reading of a row of the statement."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    program, split = prepared.program, _FIXED + len(prepared.gaps.names)
    if is_told_by_database(prepared):

        def read(row: Sequence[Any]) -> MeterReading:
            return MeterReading._make((*row[:_FIXED], row[_FIXED:]))

        return read

    def read_and_judge(row: Sequence[Any]) -> MeterReading:
        program.spend_on_record()
        *own, end, created = row[split:]
        record = Record(row[3], row[4], end, created, None, None, is_target=True, values=tuple(own))
        verdict = program.verdict(program.row(record))
        return MeterReading._make((*row[: _FIXED - 1], verdict, row[_FIXED:split]))

    return read_and_judge


def truth(tree: t.Expression, kind: EventKind) -> Composable:
    """The condition that an expression is true, of values that no rule put in for others."""
    columns = {}
    for name in dict.fromkeys(t.names(tree)):
        column = kind.column(name)
        if column is not None:
            columns[name.text] = replace(column, is_before_substitutes=True)
    return condition(tree, columns)


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


_FIXED: Final = 11
"""Columns before those that conditions read; the last of them is the verdict."""
