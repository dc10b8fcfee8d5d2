"""Read the records that a rule evaluates as SQL: events, and model runs.

Where the database gives the same answer as the evaluation, only failing events are read. Otherwise
events are streamed in order, from the first that a window needs.

Invariants: events are ordered by start, end, tracking ID, client reference and captured values, with
texts compared byte by byte; runs by start, end, tracking ID, feedstock and asset. Voided events and
deleted runs are excluded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg.sql import SQL, Composable, Composed, Identifier

from weighbridge.collection.measurements.values import (
    CURRENT,
    LEFT_TO_RULES,
    TAGS,
    WITHOUT_RULES,
    ValueColumn,
    condition,
)
from weighbridge.core.expression import Expression
from weighbridge.core.expression import tree as t
from weighbridge.core.expression.tree import Name, Operator, walk
from weighbridge.core.number import plain
from weighbridge.core.rule import MemberScope, Record, Rolling, WindowMeters, find_affected, reach
from weighbridge.core.time.calendar import MILLISECOND, Instant, Interval
from weighbridge.core.time.expectation import MeterSlot
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal
from weighbridge.platform.staleness import IS_NEWEST
from weighbridge.quality.evaluation.calibrated import MeterCalibrations, read_meter_calibrations
from weighbridge.quality.rule_versions import EARLIEST, EventKind, Period, PreparedRule
from weighbridge.quality.slots.capture import ASSET, LOCATION, Expected, MeterKey, read_expected_slots

# The events that a rule evaluates, as SQL: which of them it alerts on, or all of them with what they hold.
#
# A rule that tests single events by comparisons, logic and texts is true for the same events in the
# database as in the pure evaluation, so only those that it alerts on are read. For any other rule the
# events are streamed, in their order, from the first that a window reaches to the last that is evaluated.
#
# Invariants: events come in order of start, end, tracking id, client reference and captured values, texts
# compared byte by byte; voided events are neither evaluated nor members.


_INEXACT: Final = frozenset(
    {
        Operator.ADD,
        Operator.SUBTRACT,
        Operator.MULTIPLY,
        Operator.DIVIDE,
        Operator.POWER,
        Operator.MATCHES,
    }
)
"""Operators that the database computes to other digits, or has no linear time for."""

ORDER: Final = SQL(
    """e.start_time, e.end_time, e.tracking_id COLLATE "C", e.client_reference COLLATE "C",
       e.numbers, e.texts, e.booleans, e.id"""
)
_GROUPS: Final = {
    MemberScope.EVENT: SQL("e.id"),
    MemberScope.LOCATION: SQL("ARRAY[e.event_type_id] || e.location_ids"),
    MemberScope.EVENT_TYPE: SQL("e.event_type_id"),
    MemberScope.PROJECT: SQL("0"),
}
"""Events with the same value are members of one another's windows, across all meters."""

_GROUPS_OF_METERS: Final = {
    MemberScope.EVENT: SQL("e.id"),
    MemberScope.LOCATION: SQL("ARRAY[e.event_type_id, {}] || e.location_ids").format(ASSET),
    MemberScope.EVENT_TYPE: SQL("ARRAY[e.event_type_id, {}, {}]").format(ASSET, LOCATION),
    # What has neither an asset nor a location is a meter by its event type.
    MemberScope.PROJECT: SQL(
        "ARRAY[{0}, {1}, CASE WHEN {0} = 0 AND {1} = 0 THEN e.event_type_id ELSE 0 END]"
    ).format(ASSET, LOCATION),
}
"""The same where a window looks at the record's own meter."""


def is_answered_by_database(prepared: PreparedRule) -> bool:
    """Whether the database can tell for each event whether the rule alerts on it."""
    rule = prepared.rule
    return prepared.version.correction is None and rule.is_about_itself and is_exact_in_database(rule.tree)


def is_exact_in_database(tree: Expression) -> bool:
    """Whether the database evaluates an expression on one event to the same result."""
    return not any(
        isinstance(node, t.FunctionCall)
        or (isinstance(node, t.Binary) and node.operator in _INEXACT)
        or (isinstance(node, t.Unary) and node.operator is Operator.SUBTRACT and not _is_number(node.operand))
        for node in walk(tree)
    )


def _is_number(tree: Expression) -> bool:
    return isinstance(tree, t.Number)


def build_alert_condition(prepared: PreparedRule, kind: EventKind) -> Composable:
    """The condition that the rule is true for an event of this type."""
    return condition(prepared.rule.tree, _columns(prepared, kind))


def within(project: int, kinds: Sequence[EventKind], period: Period) -> Composable:
    """The condition that an event is of one of these types and starts in the period."""
    start, end = period
    return SQL("e.project_id = {} AND e.event_type_id {} AND e.start_time >= {}{}").format(
        Literal(project),
        _one_of([kind.number for kind in kinds]),
        Literal(start),
        SQL("") if end is None else SQL(" AND e.start_time < {}").format(Literal(end)),
    )


def asked(prepared: PreparedRule) -> Composable:
    """The condition that the event `e` is one that the rule watches, by its asset."""
    asset = prepared.version.asset
    return SQL("true") if asset is None else SQL("coalesce(e.asset_id = {}, false)").format(Literal(asset))


def value_of(prepared: PreparedRule, column: ValueColumn) -> Composable:
    """A value as the rule reads it: the current one, or for a rule that corrects, one that no rule wrote."""
    read = CURRENT if prepared.rule.correction is None else WITHOUT_RULES
    return SQL(read[column.value_type]).format(Literal(column.position))


def checked_value(prepared: PreparedRule, column: ValueColumn) -> Composable:
    """A value as a result shows it."""
    shape = "trim_scale({})::text" if column.value_type == "number" else "({})::text"
    return SQL(shape).format(value_of(prepared, column))


@dataclass(frozen=True, slots=True)
class RecordStream:
    """The statement that reads the records of a rule, and how a row becomes one."""

    statement: Composed
    record: Callable[[Sequence[Any]], Record]


async def build_stream(tx: Read, prepared: PreparedRule, period: Period) -> RecordStream:
    """The records to read so that every event that starts in the period can be evaluated."""
    first = await first_member(tx, prepared, period)
    expected = None
    if any(call.function == "missed_slots" for call in prepared.rule.aggregates):
        expected = await read_expected_slots(tx, prepared.version.project)
    columns = [_event_value(prepared, name) for name in prepared.program.names]
    if prepared.rule.correction is not None:
        columns.append(_left_to_rules(prepared))
    statement = SQL(
        "SELECT e.id, e.start_time, e.end_time, e.created_at, {}, {}, e.event_type_id, {}, {}, {}{}"
        " FROM events e WHERE {} AND {} AND e.voided_at IS NULL ORDER BY {}"
    ).format(
        _group(prepared),
        asked(prepared),
        ASSET,
        LOCATION,
        _checked(prepared),
        SQL("").join(SQL(", {}").format(column) for column in columns),
        within(prepared.version.project, prepared.around or prepared.watched, (first, period[1])),
        # Another asset's events are in no window of the asset's own meter.
        asked(prepared) if prepared.version.window_meters == WindowMeters.OWN else SQL("true"),
        ORDER,
    )
    calibrations = await read_meter_calibrations(tx, prepared)
    return RecordStream(statement, _event_record_maker(prepared, period[0], expected, calibrations))


def _event_record_maker(
    prepared: PreparedRule, start: Instant, expected: Expected | None, calibrations: MeterCalibrations
) -> Callable[[Sequence[Any]], Record]:
    watched = frozenset(kind.number for kind in prepared.watched)
    checked_columns = prepared.checked_columns
    slot_of = None if expected is None else _slot_finder(prepared, expected)
    is_correcting = prepared.rule.correction is not None

    def record(row: Sequence[Any]) -> Record:
        key, begin, end, created, group, is_asked, kind, asset, location, checked, *values = row
        captured = values.pop() if is_correcting else None
        column = checked_columns.get(kind)
        return Record(
            key,
            begin,
            end,
            created,
            tuple(group) if isinstance(group, list) else group,
            None if slot_of is None else slot_of(MeterKey(kind, asset, location), begin),
            begin >= start and is_asked and kind in watched,
            tuple(values),
            (None if column is None else column.position, checked, captured),
            calibrations.find_latest(kind, asset, begin),
        )

    return record


def _slot_finder(
    prepared: PreparedRule, expected: Expected
) -> Callable[[MeterKey, datetime], MeterSlot | None]:
    """Return a function that finds the slot of an event among those expected of its meter.

    Where a window looks at all meters together, what is expected of each of them is expected.
    """
    cadences = prepared.cadences
    is_of_own = prepared.version.window_meters == WindowMeters.OWN

    def slot_of(meter: MeterKey, moment: datetime) -> MeterSlot | None:
        cadence = cadences.get(meter.event_type)
        if cadence is None:
            return None
        among = expected.slots_of(meter if is_of_own else MeterKey(meter.event_type, 0, 0), cadence)
        return MeterSlot(cadence.holding(moment), among)

    return slot_of


async def widen_period(tx: Read, prepared: PreparedRule, changed: Interval) -> Period:
    """Where the events start whose result may have changed with events that start in a closed interval."""
    reached = find_affected(prepared.rule.window, changed, prepared.zone)
    count = _members_before(prepared)
    if not count:
        assert reached is not None  # noqa: S101 - a window that counts no members reaches over some time
        return Instant.of(reached.start), Instant.of(reached.end + MILLISECOND)
    start = changed.start if reached is None else reached.start
    around = Instant.of(changed.start), Instant.of(changed.end)
    last = await _member(tx, prepared, around, count, is_before=False)
    if last is not None and reached is not None:
        last = max(last, Instant.of(reached.end))
    return Instant.of(start), None if last is None else Instant.of(last + MILLISECOND)


async def first_member(tx: Read, prepared: PreparedRule, period: Period) -> Instant:
    """The start of the earliest event that a window of the period may hold."""
    start, end = period
    opening = reach(prepared.rule.window, start, prepared.zone)
    firsts = [start] if opening is None else [Instant.of(opening)]
    count = _members_before(prepared)
    if count:
        first = await _member(tx, prepared, (start, end), count, is_before=True)
        firsts.append(EARLIEST if first is None else first)
    return min(firsts)


def _members_before(prepared: PreparedRule) -> int:
    """How many members the rule looks back over, independent of their time."""
    window = prepared.rule.window
    counted = window.members or 0 if isinstance(window, Rolling) else 0
    misses = any(call.function == "missed_slots" for call in prepared.rule.aggregates)
    return 0 if prepared.rule.scope is MemberScope.EVENT else max(counted, int(misses))


async def _member(
    tx: Read, prepared: PreparedRule, around: Period, count: int, *, is_before: bool
) -> Instant | None:
    """The start of the so manieth member before or after a period, the farthest over all groups.

    None when the database cannot be asked the condition of the window, or what its members have in common,
    so that it may be anywhere.
    """
    where = prepared.rule.where
    if prepared.rule.same is not None:
        return None
    kinds = prepared.around
    # Events after the last member still use it, when not all events are members.
    if where is not None and (
        not is_before or len(kinds) > 1 or not _is_decided_in_database(prepared, where)
    ):
        return None
    is_member = SQL("true") if where is None else condition(where, _columns(prepared, kinds[0]))
    group = _group(prepared)
    start, end = around
    edge = start if is_before or end is None else end
    types = _one_of([kind.number for kind in kinds])
    statement = SQL(
        """
        SELECT {far}(farthest.start_time)
          FROM ({groups}) groups
         CROSS JOIN LATERAL (
               SELECT {far}(near.start_time) AS start_time FROM (
                   SELECT e.start_time FROM events e
                    WHERE e.project_id = {project} AND e.event_type_id {types} AND e.voided_at IS NULL
                      AND {beyond} AND {group} = groups.name AND {is_member}
                    ORDER BY e.start_time {direction} LIMIT {count}) near) farthest
        """
    ).format(
        far=SQL("min" if is_before else "max"),
        group=group,
        project=Literal(prepared.version.project),
        types=types,
        groups=_groups(prepared, (start, end if is_before else None)),
        beyond=SQL("e.start_time < {}" if is_before else "e.start_time > {}").format(Literal(edge)),
        is_member=is_member,
        direction=SQL("DESC" if is_before else ""),
        count=Literal(count),
    )
    member = await tx.value(statement)
    return edge if member is None else Instant.of(member)


def _is_decided_in_database(prepared: PreparedRule, where: Expression) -> bool:
    """Whether the database can tell the members; it knows current values, and not what no rule wrote."""
    return prepared.rule.correction is None and is_exact_in_database(where)


def _groups(prepared: PreparedRule, period: Period) -> Composable:
    """The groups that the events of a period may be of; an event that was moved away may have been of any."""
    match prepared.rule.scope, prepared.version.window_meters:
        case MemberScope.PROJECT, WindowMeters.ALL:
            return SQL("SELECT 0 AS name")
        case MemberScope.EVENT_TYPE, WindowMeters.ALL:
            return SQL("SELECT unnest({}::integer[]) AS name").format(
                Literal([kind.number for kind in prepared.around])
            )
        case _:
            return SQL("SELECT DISTINCT {} AS name FROM events e WHERE {}").format(
                _group(prepared), within(prepared.version.project, prepared.around, period)
            )


def _group(prepared: PreparedRule) -> Composable:
    """The attributes shared by events that are members of one another's windows."""
    is_of_own = prepared.version.window_meters == WindowMeters.OWN
    return (_GROUPS_OF_METERS if is_of_own else _GROUPS)[prepared.rule.scope]


def _event_value(prepared: PreparedRule, name: t.Name) -> Composable:
    if prepared.rule.is_tag(name):
        return SQL(TAGS[name.text])
    columns = prepared.reading[name]
    return by_type({number: value_of(prepared, column) for number, column in columns.items()})


def _checked(prepared: PreparedRule) -> Composable:
    return by_type(
        {number: checked_value(prepared, column) for number, column in prepared.checked_columns.items()}
    )


def _left_to_rules(prepared: PreparedRule) -> Composable:
    """The captured value that a rule may correct; NULL where there is none, or a person corrected it."""
    columns = prepared.checked_columns
    return by_type(
        {
            number: SQL(LEFT_TO_RULES[column.value_type]).format(Literal(column.position))
            for number, column in columns.items()
        }
    )


def by_type(values: Mapping[int, Composable]) -> Composable:
    """The value whose column differs between event types."""
    if not values:
        return SQL("NULL")
    cases = [SQL(" WHEN {} THEN {}").format(Literal(number), value) for number, value in values.items()]
    return SQL("CASE e.event_type_id{} END").format(SQL("").join(cases))


def _columns(prepared: PreparedRule, kind: EventKind) -> dict[str, ValueColumn]:
    """The columns of a type by the texts that the rule names them by."""
    columns = {name.text: kind.column(name) for name in prepared.rule.names if not prepared.rule.is_tag(name)}
    return {text: column for text, column in columns.items() if column is not None}


def _one_of(numbers: Sequence[int]) -> Composable:
    """A test against some numbers; of one, the plain test that an index answers in order."""
    if len(numbers) == 1:
        return SQL("= {}").format(Literal(numbers[0]))
    return SQL("= ANY ({})").format(Literal(list(numbers)))


# The model runs that a rule evaluates: those of batches, and those made on their own.
#
# Of the batches of a run only the newest is evaluated: it has what the run comes to. All runs of a model
# are members of one another's windows.
#
# Invariants: runs come in order of start, end, tracking id, feedstock and asset; deleted runs are neither
# evaluated nor members.


_RUNS: Final = SQL(
    """
    SELECT b.id AS key, b.start_time, b.end_time, b.created_at,
           b.id AS batch_id, NULL::bigint AS model_run_id, u.tracking_id, f.name AS feedstock, a.name AS asset
      FROM batches b
      JOIN runs u ON (u.project_id, u.id) = (b.project_id, b.run_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (u.project_id, u.feedstock_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (u.project_id, u.asset_id)
     WHERE b.project_id = {project} AND u.family_id = {family} AND {newest}
    UNION ALL
    SELECT -m.id, m.start_time, m.end_time, m.created_at, NULL, m.id, NULL, NULL, NULL
      FROM model_runs m JOIN models v ON v.id = m.model_id
     WHERE m.project_id = {project} AND v.family_id = {family} AND m.deleted_at IS NULL
       AND m.state = 'complete'
    """
)
_VALUE: Final = SQL(
    """
    coalesce((SELECT c.value FROM batch_calculations c
               WHERE (c.project_id, c.batch_id, c.slug) = ({project}, r.batch_id, {slug})),
             (SELECT c.value FROM model_run_calculations c
               WHERE (c.project_id, c.model_run_id, c.slug) = ({project}, r.model_run_id, {slug})))
    """
)


def stream_of_runs(prepared: PreparedRule, period: Period) -> RecordStream:
    """The runs to read so that every run that starts in the period can be evaluated."""
    start, end = period
    project = Literal(prepared.version.project)
    first = reach(prepared.rule.window, start, prepared.zone)
    statement = SQL(
        """
        SELECT r.key, r.start_time, r.end_time, r.created_at, r.batch_id, r.model_run_id{values}
          FROM ({runs}) r WHERE {times}
         ORDER BY r.start_time, r.end_time, r.tracking_id COLLATE "C", r.feedstock COLLATE "C",
                  r.asset COLLATE "C", r.key
        """
    ).format(
        values=SQL("").join(
            SQL(", {}").format(_node_value(prepared, name, project)) for name in prepared.program.names
        ),
        runs=_RUNS.format(project=project, family=Literal(prepared.version.family), newest=SQL(IS_NEWEST)),
        times=_times("r", None if first is None else Instant.of(first), end),
    )
    return RecordStream(statement, _run_record_maker(prepared, start))


def widened_runs(prepared: PreparedRule, changed: Interval) -> Period:
    """Where the runs start whose result may have changed with runs that start in a closed interval."""
    reached = find_affected(prepared.rule.window, changed, prepared.zone)
    if reached is None:
        return Instant.of(changed.start), None
    return Instant.of(reached.start), Instant.of(reached.end + MILLISECOND)


def covered_runs(period: Period) -> Composable:
    """The condition that a result `o` is about a run that starts in the period."""
    return SQL(
        """
        (EXISTS (SELECT FROM batches b
                  WHERE (b.project_id, b.id) = (o.project_id, o.batch_id) AND {of_batch})
         OR EXISTS (SELECT FROM model_runs m
                     WHERE (m.project_id, m.id) = (o.project_id, o.model_run_id) AND {of_run}))
        """
    ).format(of_batch=_times("b", *period), of_run=_times("m", *period))


def list_nodes(prepared: PreparedRule) -> list[str]:
    """The nodes that a rule reads."""
    return [_slug(name) for name in prepared.rule.own if not prepared.rule.is_tag(name)]


def _run_record_maker(prepared: PreparedRule, start: Instant) -> Callable[[Sequence[Any]], Record]:
    is_alone = prepared.rule.scope is MemberScope.EVENT
    first = next(
        (index for index, name in enumerate(prepared.program.names) if not prepared.rule.is_tag(name)), None
    )

    def record(row: Sequence[Any]) -> Record:
        key, begin, end, created, batch, run, *values = row
        checked = None if first is None or values[first] is None else plain(values[first])
        return Record(
            key, begin, end, created, key if is_alone else 0, None, begin >= start, tuple(values),
            (batch, run, checked),
        )  # fmt: skip

    return record


def _node_value(prepared: PreparedRule, name: Name, project: Composable) -> Composable:
    if prepared.rule.is_tag(name):
        return Identifier("r", name.text)
    return _VALUE.format(project=project, slug=Literal(_slug(name)))


def _slug(name: Name) -> str:
    """The slug of a node, which has underscores."""
    return name.path[-1].replace("-", "_")


def _times(alias: str, start: Instant | None, end: Instant | None) -> Composable:
    """The condition that a run starts between two moments; without one, there is no bound on that side."""
    column = Identifier(alias, "start_time")
    bounds: list[Composable] = [SQL("true")]
    if start is not None:
        bounds.append(SQL("{} >= {}").format(column, Literal(start)))
    if end is not None:
        bounds.append(SQL("{} < {}").format(column, Literal(end)))
    return SQL(" AND ").join(bounds)
