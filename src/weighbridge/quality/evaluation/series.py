"""Read the series of meters as SQL, and determine how far a change in a series reaches.

A series has captured values and those that people gave, not those of other rules. A change affects the
gap that it lies in, bounded by valid values.

Invariants: readings are ordered by meter, then by time. A slot outside the affected range keeps its
value.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from psycopg.sql import SQL, Composable, Composed

from weighbridge.collection.measurements.values import (
    IS_BY_PEOPLE,
    LEFT_TO_RULES,
    TAGS,
    WITHOUT_SUBSTITUTES,
    ValueColumn,
    condition,
)
from weighbridge.core.expression import Expression
from weighbridge.core.expression import tree as t
from weighbridge.core.expression.tree import Name, walk
from weighbridge.core.expression.value import Element, Scalar
from weighbridge.core.rule import Record, Rolling
from weighbridge.core.rule.substitution import find_affected_slots
from weighbridge.core.rule.substitution.definition import VALID_SLOTS, OperatingSource
from weighbridge.core.rule.substitution.windows import (
    AroundGap,
    LookBack,
    Side,
    find_affected_by_window,
    find_window_end,
    find_window_reach,
    widen_change,
)
from weighbridge.core.time.calendar import MILLISECOND, Instant, Interval
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal
from weighbridge.quality.evaluation.calibrated import NO_CALIBRATIONS, MeterCalibrations
from weighbridge.quality.evaluation.record_streams import ORDER, asked, by_type, is_exact_in_database, within
from weighbridge.quality.rule_versions import EARLIEST, EventKind, Period, PreparedRule
from weighbridge.quality.slots.capture import ASSET, LOCATION

# The series of meters as SQL: what was captured of each, meter after meter, in order of time.
#
# Values are as they were captured, as a calibration adjusted them or as a person corrected them; what
# another rule put in for them is not there. An imputed event stands in the series only where a person gave
# its value.
#
# Invariants: readings come meter by meter, each meter's in order of start, end, tracking id, client
# reference and captured values; voided events have no part in a series.


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
    """Whether it was rolled up from readings, so that nobody completes it by hand."""
    verdict: Element
    """The result of the rule's expression; None where the statement does not compute it."""
    row: tuple[Scalar | None, ...]
    """The values that the conditions of the filling read, in the order of its names."""

    @property
    def replaced(self) -> Decimal | None:
        """The captured value that a substitute takes the place of."""
        return self.captured if self.is_revised else self.value


def idle_statement(prepared: PreparedRule, period: Period) -> Composed:
    """The statement that reads the events which say when meters were operating, with what is read of each."""
    filling, kind = prepared.filling, prepared.operating
    assert filling is not None and filling.operating_from is not None and kind is not None  # noqa: S101, PT018
    values = []
    for name in list_operating_names(filling.operating_from):
        column = kind.column(name)
        assert column is not None  # noqa: S101 - the source was checked
        values.append(SQL(WITHOUT_SUBSTITUTES[column.value_type]).format(Literal(column.position)))
    return SQL(
        "SELECT {asset}, {location}, e.start_time, e.end_time{values} FROM events e"
        " WHERE {within} AND e.voided_at IS NULL AND NOT e.is_imputed ORDER BY e.start_time, e.id"
    ).format(
        asset=ASSET,
        location=LOCATION,
        values=SQL("").join(SQL(", {}").format(value) for value in values),
        within=within(prepared.version.project, [kind], period),
    )


def list_operating_names(source: OperatingSource) -> tuple[Name, ...]:
    """What the condition reads of an event, each once."""
    return tuple(dict.fromkeys(t.names(source.where)))


def is_told_by_database(prepared: PreparedRule) -> bool:
    """Whether the database can tell for each value whether the rule finds it wrong."""
    return is_exact_in_database(prepared.rule.tree)


def series_statement(prepared: PreparedRule, period: Period) -> Composed:
    """The statement that reads the series of the rule's meters that start in a period."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    columns = prepared.checked_columns
    names = [*prepared.gaps.names]
    verdict: Composable = SQL("NULL::boolean")
    if is_told_by_database(prepared):
        verdict = by_type({kind.number: truth(prepared.rule.tree, kind) for kind in prepared.watched})
    else:
        names += prepared.program.names
    time_columns = SQL("") if is_told_by_database(prepared) else SQL(", e.end_time, e.created_at")
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
        beside=time_columns,
        within=within(prepared.version.project, prepared.watched, period),
        asked=asked(prepared),
        order=ORDER,
    )


def build_reader(
    prepared: PreparedRule, calibrations: MeterCalibrations = NO_CALIBRATIONS
) -> Callable[[Sequence[Any]], MeterReading]:
    """Return a function that builds a reading from a row of the statement."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    program, split = prepared.program, _FIXED + len(prepared.gaps.names)
    if is_told_by_database(prepared):

        def read(row: Sequence[Any]) -> MeterReading:
            return MeterReading._make((*row[:_FIXED], row[_FIXED:]))

        return read

    def read_and_judge(row: Sequence[Any]) -> MeterReading:
        program.spend_on_record()
        *own, end, created = row[split:]
        event_type, asset, _, event, start = row[:5]
        calibration = calibrations.find_latest(event_type, asset, start)
        record = Record(
            event, start, end, created, None, None, is_target=True, values=tuple(own), calibration=calibration
        )
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


def format_value(value: Decimal) -> str:
    """A value as a result shows it: without exponent or trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _each(columns: dict[int, ValueColumn], read: Any) -> Composable:
    return by_type(
        {
            kind: SQL(read[column.value_type]).format(Literal(column.position))
            for kind, column in columns.items()
        }
    )


def _value(prepared: PreparedRule, name: t.Name) -> Composable:
    if prepared.rule.is_tag(name):
        return SQL(TAGS[name.text])
    return _each(prepared.reading[name], WITHOUT_SUBSTITUTES)


_FIXED: Final = 11
"""Columns before those that conditions read; the last of them is the verdict."""


# How far a change of a series reaches, over all meters of a rule, and from where it has to be read.
#
# A change touches the gap that it lies in, so everything goes by borders: values of its own that may stand
# before and after a gap. The database tells them where the rule's conditions mean the same there; where
# they do not, whole series are read. What counts slots, a window or availability, reaches as far as that
# many borders do, which is never less far; what counts them without end reaches over all of them.
#
# Invariants: what the database takes for a border is one; a slot outside of what is affected keeps its
# value.


_Counted = tuple[int, Expression | None]
"""How many slots are counted, and which: all, or those that a condition is true for."""


async def find_series_end(tx: Read, prepared: PreparedRule) -> Instant | None:
    """Until when the series of meters go on behind their last events; None where they end there.

    Slots of the future are in no series, so a rule whose time has not passed has no such end.
    """
    end = prepared.version.effective_to
    if prepared.filling is None or not prepared.filling.fills_to_end or end is None:
        return None
    return end if await tx.value("SELECT %s <= now()", (end,)) else None


async def widened_series(tx: Read, prepared: PreparedRule, changed: Interval) -> Period:
    """Where the slots start whose value may have changed with readings that start in a closed interval."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    counted, after = _list_counted_windows(prepared), _list_counted_after(prepared)
    if not _are_borders_known(prepared) or after is None:
        return EARLIEST, None
    touched = widen_change(prepared.gaps.windows, changed)
    firsts = [await _border(tx, prepared, Instant.of(touched.start), is_before=True)]
    for count, where in after:
        firsts.append(
            await _border(tx, prepared, Instant.of(changed.start), is_before=True, count=count, where=where)
        )
    around = Interval(min(firsts), await _border(tx, prepared, Instant.of(touched.end), is_before=False))
    start, end = find_affected_slots(prepared.gaps, around, changed, prepared.zone)
    if await find_series_end(tx, prepared) is not None:
        return Instant.of(start), None
    if end is not None:
        return Instant.of(start), Instant.of(end + MILLISECOND)
    if counted is None:
        return Instant.of(start), None
    ends = [Instant.of(around.end)]
    for count, where in counted:
        ends.append(
            await _border(tx, prepared, Instant.of(changed.end), is_before=False, count=count, where=where)
        )
    for window in prepared.gaps.windows:
        reached = find_affected_by_window(window, changed, prepared.zone)
        ends += [Instant.of(reached[1])] if reached is not None else []
    return Instant.of(start), Instant.of(max(ends) + MILLISECOND)


async def series_range(tx: Read, prepared: PreparedRule, period: Period) -> Period:
    """The range to read so that every slot that starts in the period can be filled."""
    start, end = period
    after = _list_counted_after(prepared)
    if not _are_borders_known(prepared) or after is None:
        return EARLIEST, None
    first = EARLIEST if start == EARLIEST else await _needed_from(tx, prepared, start)
    if end is None:
        return first, None
    last = await _border(tx, prepared, end, is_before=False)
    ends = [last, *_list_closings(prepared, end, last)]
    for count, where in after:
        ends.append(await _border(tx, prepared, end, is_before=False, count=count, where=where))
    return first, Instant.of(max(ends) + MILLISECOND)


async def _needed_from(tx: Read, prepared: PreparedRule, first: Instant) -> Instant:
    """From when on series are read to fill the slots from `first` on."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    counted = _list_counted_windows(prepared)
    if counted is None:
        return EARLIEST
    border = await _border(tx, prepared, first, is_before=True)
    starts = [border]
    for window in prepared.gaps.windows:
        reached = find_window_reach(window, border, prepared.zone)
        starts += [] if reached is None else [Instant.of(reached)]
    for count, where in counted:
        starts.append(await _border(tx, prepared, border, is_before=True, count=count, where=where))
    return min(starts)


def _list_counted_windows(prepared: PreparedRule) -> list[_Counted] | None:
    """The windows that look back by a count alone; None where the count is unbounded."""
    gaps, filling = prepared.gaps, prepared.filling
    assert gaps is not None and filling is not None  # noqa: S101, PT018 - it fills gaps
    condition_nodes = {node for tier in filling.tiers if tier.when is not None for node in walk(tier.when)}
    if VALID_SLOTS in condition_nodes or (gaps.asks_availability and gaps.availability_slots is None):
        return None
    counted: list[_Counted] = []
    if gaps.asks_availability and gaps.availability_slots is not None:
        counted.append((gaps.availability_slots, None))
    for one in gaps.look_backs:
        match one.look_back.window:
            case (
                Rolling(duration=None, members=int(count))
                | AroundGap(before=Side(duration=None, members=int(count)))
            ):
                if not _is_counted_in_database(one.look_back):
                    return None
                counted.append((count, one.look_back.where))
    return counted


def _list_counted_after(prepared: PreparedRule) -> list[_Counted] | None:
    """The windows that count values behind a gap alone; None where the database cannot count these."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    counted: list[_Counted] = []
    for one in prepared.gaps.look_backs:
        match one.look_back.window:
            case AroundGap(after=Side(duration=None, members=int(count))):
                if not _is_counted_in_database(one.look_back):
                    return None
                counted.append((count, one.look_back.where))
    return counted


def _is_counted_in_database(look_back: LookBack) -> bool:
    """Whether the database can count the members of a window; what they have in common it cannot."""
    return look_back.same is None and (look_back.where is None or is_exact_in_database(look_back.where))


def _list_closings(prepared: PreparedRule, moment: Instant, border: Instant) -> Iterable[Instant]:
    """Until when a slot before a moment looks ahead, whose gap a border ends at the latest."""
    assert prepared.gaps is not None  # noqa: S101 - it fills gaps
    for window in prepared.gaps.windows:
        last = border if isinstance(window, AroundGap) else moment
        end = find_window_end(window, last, prepared.zone)
        if end is not None:
            yield Instant.of(end)


def _are_borders_known(prepared: PreparedRule) -> bool:
    """Whether the database can tell the borders: events of other types are not asked there."""
    filling = prepared.filling
    assert filling is not None  # noqa: S101 - it fills gaps
    trees = (prepared.rule.tree, filling.border_where, filling.operating_where)
    return prepared.operating is None and all(tree is None or is_exact_in_database(tree) for tree in trees)


async def _border(
    tx: Read, prepared: PreparedRule, moment: Instant, *, is_before: bool,
    count: int = 1, where: Expression | None = None,
) -> Instant:  # fmt: skip
    """The farthest over all meters of the so manieth border before or after a moment.

    Of a meter that has fewer it is where its series begins or ends.
    """
    border = await tx.value(
        _BORDER.format(
            project=Literal(prepared.version.project),
            asked=asked(prepared),
            kinds=Literal([kind.number for kind in prepared.watched]),
            asset=ASSET,
            location=LOCATION,
            far=SQL("min" if is_before else "max"),
            beyond=SQL("e.start_time < {}" if is_before else "e.start_time > {}").format(Literal(moment)),
            direction=SQL("DESC" if is_before else "ASC"),
            others=Literal(count - 1),
            slot=Literal(
                max((slots.length_max for slots in prepared.cadences.values()), default=timedelta())
            ),
            is_border=SQL(" OR ").join(_is_border(prepared, kind, where) for kind in prepared.watched),
        )
    )
    return moment if border is None else Instant.of(border)


def _is_border(prepared: PreparedRule, kind: EventKind, where: Expression | None) -> Composable:
    """The condition that an event `e` of a type is a border; of some it is not true though they are."""
    filling = prepared.filling
    assert filling is not None  # noqa: S101 - it fills gaps
    value = SQL(WITHOUT_SUBSTITUTES["number"]).format(Literal(prepared.checked_columns[kind.number].position))
    needed: list[Composable] = [SQL("NOT ({})").format(truth(prepared.rule.tree, kind))]
    if filling.operating_where is not None:
        needed.append(truth(filling.operating_where, kind))
    needed += [truth(tree, kind) for tree in (filling.border_where, where) if tree is not None]
    return SQL("(e.event_type_id = {} AND {} IS NOT NULL AND {})").format(
        Literal(kind.number), value, SQL(" AND ").join(needed)
    )


# A border in a slot that is not expected is none. An event outside of all outages is in no slot that they
# cover, and one that comes a slot after a meter's service began in none that began before it.
_BORDER: Final = SQL(
    """
    WITH meter AS MATERIALIZED (
        SELECT DISTINCT e.event_type_id, {asset} AS asset, {location} AS location
          FROM events e WHERE e.project_id = {project} AND e.event_type_id = ANY ({kinds}) AND {asked})
    SELECT {far}(coalesce(
           (SELECT e.start_time FROM events e
             WHERE e.project_id = {project} AND e.event_type_id = m.event_type_id
               AND ({asset}, {location}) = (m.asset, m.location)
               AND e.voided_at IS NULL AND NOT e.is_imputed AND {beyond} AND ({is_border})
               AND NOT EXISTS (SELECT FROM outages o
                                WHERE o.project_id = {project} AND e.start_time >= o.start_time
                                  AND (o.end_time IS NULL OR e.start_time < o.end_time))
               AND NOT EXISTS (
                   SELECT FROM assets a WHERE (a.project_id, a.id) = ({project}, m.asset)
                      AND (e.start_time < a.in_service_from + {slot} OR e.start_time >= a.in_service_until))
               AND NOT EXISTS (
                   SELECT FROM locations l WHERE (l.project_id, l.id) = ({project}, m.location)
                      AND (e.start_time < l.in_service_from + {slot} OR e.start_time >= l.in_service_until))
             ORDER BY e.start_time {direction} OFFSET {others} LIMIT 1),
           (SELECT {far}(e.start_time) FROM events e
             WHERE e.project_id = {project} AND e.event_type_id = m.event_type_id
               AND ({asset}, {location}) = (m.asset, m.location) AND {beyond})))
      FROM meter m
    """
)
