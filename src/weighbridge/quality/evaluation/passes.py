"""Evaluate records in order and report findings: filling passes over series, single passes, and their
periods.

The worked example shows how a gap is filled. Records close to one another share a pass.

Invariants: findings do not depend on chunk sizes. Memory does not grow with the number of records.
Every instant at which the rule is effective lies in exactly one period.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from weighbridge.core.expression import Budget, Expression, ExpressionError
from weighbridge.core.expression.compiler import compile_row
from weighbridge.core.expression.value import Fault
from weighbridge.core.problem import Problem
from weighbridge.core.rule import Evaluation, Finding, RuleTarget
from weighbridge.core.rule.definition import AdjustedValue, Purpose, apply_adjustment
from weighbridge.core.rule.evaluation import COST_MAX, COST_OF_RECORD_MAX
from weighbridge.core.rule.substitution import (
    Absence,
    Filling,
    NoValue,
    SeriesSlot,
    SlotOutcome,
    list_series_slots,
    write_outcome,
)
from weighbridge.core.time.calendar import MILLISECOND, CadenceSlots, Instant, Interval
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.quality.evaluation.calibrated import MeterCalibrations, read_meter_calibrations
from weighbridge.quality.evaluation.findings import FindingTableRow, ImputedSlot, insert_findings
from weighbridge.quality.evaluation.record_streams import build_stream, first_member, stream_of_runs
from weighbridge.quality.evaluation.series import (
    MeterReading,
    build_reader,
    find_series_end,
    format_value,
    idle_statement,
    list_operating_names,
    series_range,
    series_statement,
)
from weighbridge.quality.rule_versions import EARLIEST, Period, PreparedRule, effective_period
from weighbridge.quality.slots.capture import Expected, MeterKey, read_expected_slots

# A pass over the series of meters fills the gaps of each, a portion at a time, and returns its findings.
#
# A value is wrong when the rule's expression is true of it; of each that is wrong, and for each slot of the
# cadence that has no event, the filling says what stands in its place. Readings of one meter follow one
# another, so one filling is at work at a time.
#
# An example, with an hourly meter, a rule that finds negative values wrong, and the mean of before and
# after:
#
#     hour      1   2   3   4
#     captured  10  -1      14
#     wrong         yes
#     found         12  (12)
#
# Hour 2 is substituted by a rule that substitutes, hour 3 imputed by one that imputes. An event that was
# rolled up and has no value, because too few of its readings are valid, is filled by either: nobody can
# complete it. Of several such events of one slot one is filled, and none where another has a value.
#
# Invariants: what is found depends on the series alone, not on the portions it comes in; memory holds what
# the filling holds.


READINGS_PORTION: Final = 5_000
"""Readings that are read at a time."""


class SeriesPass:
    """One pass of a rule over the series of its meters."""

    def __init__(
        self,
        prepared: PreparedRule,
        expected: Expected,
        calibrations: MeterCalibrations,
        period: Period,
        starts: Collection[datetime] | None = None,
        until: datetime | None = None,
    ) -> None:
        assert prepared.gaps is not None  # noqa: S101 - it fills gaps
        self._prepared = prepared
        self._program = prepared.gaps
        self._expected = expected
        self._period = period
        self._starts = starts
        self._until = until
        self._is_imputing = prepared.version.purpose == Purpose.IMPUTE
        self._fills_lacking = prepared.filling is not None and prepared.filling.fills_lacking
        self._cadences = prepared.cadences
        self._columns = prepared.checked_columns
        self._read = build_reader(prepared, calibrations)
        self._meter: MeterKey | None = None
        self._filling: Filling | None = None
        self._next: datetime | None = None
        self._last: MeterReading | None = None
        self._measured: set[int] = set()
        self._filled: int | None = None
        self.evaluated = 0
        """How many readings of the period there were."""

    def take(self, rows: Iterable[Sequence[Any]]) -> list[FindingTableRow]:
        """Take the next rows of the statement; return the findings that are decided."""
        table_rows: list[FindingTableRow] = []
        for key, meter_rows in groupby(rows, key=_METER):
            meter = MeterKey(*key)
            if meter != self._meter:
                table_rows += self.finish()
                self._meter = meter
                self._filling = Filling(self._program, self._prepared.zone, self._is_asked)
                self._next, self._last, self._filled = None, None, None
                self._measured.clear()
            table_rows += self._of_meter(meter, [self._read(row) for row in meter_rows])
        return table_rows

    def finish(self) -> list[FindingTableRow]:
        """Decide the remaining slots of the last meter from the readings so far."""
        if self._filling is None or self._meter is None:
            return []
        outcomes = [*self._filling.take(self._list_last_slots(self._meter)), *self._filling.finish()]
        table_rows = list(self._list_findings(self._meter, outcomes))
        self._filling = None
        return table_rows

    def _of_meter(self, meter: MeterKey, readings: list[MeterReading]) -> list[FindingTableRow]:
        assert self._filling is not None  # noqa: S101 - it was begun for the meter
        slots = [_slot_of(reading) for reading in readings]
        self.evaluated += sum(self._is_asked(reading.start) for reading in readings)
        manual_slots = [slot for slot in slots if slot.is_manual and _is_wrong(slot.about)]
        series = self._list_slots(meter, readings, slots)
        table_rows = list(self._list_findings(meter, self._filling.take(series)))
        return table_rows + [self._alert(slot) for slot in manual_slots if self._is_told(slot)]

    def _list_slots(
        self, meter: MeterKey, readings: Sequence[MeterReading], slots: Sequence[SeriesSlot]
    ) -> Iterable[SeriesSlot]:
        """The slots of a meter up to its last reading; without a cadence each reading is a slot."""
        clock = self._cadences.get(meter.event_type)
        if clock is None:
            return [one._replace(is_out=not self._expected.hold(meter, one.start)) for one in slots]
        self._note_shared(clock, readings)
        first, last = readings[0].start, readings[-1].start
        stretch = Interval(min(self._next or first, last), last + MILLISECOND)
        self._next = clock.start(clock.holding(last) + 1)
        return list_series_slots(slots, self._expected.slots_of(meter, clock), stretch)

    def _list_last_slots(self, meter: MeterKey) -> Iterable[SeriesSlot]:
        """The slots behind the last reading of a meter, as far as they are a gap."""
        clock = self._cadences.get(meter.event_type)
        if clock is None or self._next is None or self._until is None or self._until <= self._next:
            return ()
        expected = self._expected.slots_of(meter, clock)
        return list_series_slots((), expected, Interval(self._next, self._until))

    def _note_shared(self, clock: CadenceSlots, readings: Sequence[MeterReading]) -> None:
        """Keep which slots of several events have a value in one of them."""
        for reading in readings:
            before, self._last = self._last, reading
            if before is None or not (reading.is_rolled_up or self._fills_lacking):
                continue
            if clock.holding(before.start) != clock.holding(reading.start):
                continue
            if before.value is not None or reading.value is not None:
                self._measured.add(clock.holding(reading.start))

    def _is_filled_first(self, reading: MeterReading) -> bool:
        """Whether a reading is the one of its slot that a value is filled in for; asked in their order."""
        clock = self._cadences.get(reading.event_type)
        if clock is None:  # each event is a slot
            return True
        number = clock.holding(reading.start)
        if number in self._measured or number == self._filled:
            return False
        self._filled = number
        return True

    def _lacks_value(self, reading: MeterReading) -> bool:
        """Whether a reading came without its value, and the rule may fill that in."""
        return reading.value is None and (reading.is_rolled_up or self._fills_lacking)

    def _is_asked(self, start: datetime) -> bool:
        """Whether a slot that starts then is to be evaluated."""
        first, end = self._period
        if self._starts is not None and start not in self._starts:
            return False
        return start >= first and (end is None or start < end)

    def _is_told(self, slot: SeriesSlot) -> bool:
        """Whether a person's value that is wrong has an alert."""
        return not self._is_imputing and self._is_asked(slot.start) and self._program.is_operating(slot)

    def _alert(self, slot: SeriesSlot) -> FindingTableRow:
        reading: MeterReading = slot.about
        verdict = reading.verdict
        error = str(verdict.error) if isinstance(verdict, Fault) else None
        checked = None if reading.value is None else format_value(reading.value)
        position = self._columns[reading.event_type].position
        return FindingTableRow(reading.event, position, None, None, checked, error, None, None, reading.start)

    def _list_findings(self, meter: MeterKey, outcomes: Iterable[SlotOutcome]) -> Iterator[FindingTableRow]:
        for outcome in outcomes:
            reading: MeterReading | None = outcome.slot.about
            if reading is None:
                if self._is_imputing:
                    yield self._build_imputation(meter, outcome)
            elif not self._is_imputing:
                if _is_wrong(reading) or (self._fills_lacking and reading.value is None):
                    yield self._build_substitution(outcome, reading)
            elif self._lacks_value(reading):
                row = self._build_substitution(outcome, reading)
                if row.to_value is not None:
                    yield row

    def _build_substitution(self, outcome: SlotOutcome, reading: MeterReading) -> FindingTableRow:
        """The finding on an invalid reading: its substitute value, or why there is none."""
        alert = self._alert(outcome.slot)
        if self._is_imputing:  # the expression is about values that are there
            alert = alert._replace(error=None)
        if alert.error is not None:
            return alert
        if reading.value is None and not (self._lacks_value(reading) and self._is_filled_first(reading)):
            return alert
        value = outcome.result
        if isinstance(value, NoValue):
            waits = value.reason is Absence.PENDING_AFTER
            return alert._replace(
                error=None if waits else f"The correction has no result. {value.explanation}"
            )
        captured = reading.replaced
        return alert._replace(from_value=captured, to_value=value.value, substitution=write_outcome(outcome))

    def _build_imputation(self, meter: MeterKey, outcome: SlotOutcome) -> FindingTableRow:
        """The finding on a slot that has no event."""
        clock = self._cadences[meter.event_type]
        number = clock.holding(outcome.slot.start)
        slot = ImputedSlot(*meter, clock.start(number), clock.start(number + 1))
        value = outcome.result
        row = FindingTableRow(
            None, self._columns[meter.event_type].position, None, None, None, None, None, None,
            outcome.slot.start, slot=slot,
        )  # fmt: skip
        if isinstance(value, NoValue):
            return row
        return row._replace(to_value=value.value, substitution=write_outcome(outcome))


_METER: Final = itemgetter(0, 1, 2)
"""Which meter a row is of."""


def _is_wrong(reading: MeterReading) -> bool:
    """Whether the rule finds a value wrong, or cannot tell."""
    return reading.verdict is True or isinstance(reading.verdict, Fault)


def _slot_of(reading: MeterReading) -> SeriesSlot:
    has_value, is_manual = reading.value is not None, reading.is_manual is True
    return SeriesSlot(
        reading.start,
        reading.value,
        has_value and not is_manual and not _is_wrong(reading),
        has_value and is_manual,
        False,  # noqa: FBT003 - positions, for a million of them
        reading.row,
        reading,
        reading.event,
    )


async def series_pass(
    tx: Read, prepared: PreparedRule, period: Period, starts: Collection[datetime] | None = None
) -> SeriesPass:
    """A pass over what has to be read to fill the gaps of a period, or of slots in it by when they start."""
    idle = await _read_idle_times(tx, prepared)
    expected = await read_expected_slots(tx, prepared.version.project, idle)
    calibrations = await read_meter_calibrations(tx, prepared)
    until = await find_series_end(tx, prepared)
    return SeriesPass(prepared, expected, calibrations, period, starts, until)


async def _read_idle_times(
    tx: Read, prepared: PreparedRule
) -> list[tuple[MeterKey, tuple[datetime, datetime]]]:
    """When meters were not operating, as events of the other type say that a rule asks.

    An event without a length says it of its slot, where its event type has a cadence. Events that name no
    meter say it of all. What a rule put in for a value says nothing.
    """
    filling, kind = prepared.filling, prepared.operating
    if filling is None or filling.operating_from is None or kind is None:
        return []
    source = filling.operating_from
    indexes: dict[Expression, int] = {name: index for index, name in enumerate(list_operating_names(source))}
    budget = Budget(COST_MAX)
    test = compile_row(source.where, indexes, lambda states: budget.spend(states, source.where.position))
    clock = None if kind.cadence is None else CadenceSlots(*kind.cadence, prepared.zone)

    def find_idle(rows: Sequence[Sequence[Any]]) -> list[tuple[MeterKey, tuple[datetime, datetime]]]:
        found: list[tuple[MeterKey, tuple[datetime, datetime]]] = []
        for asset, location, start, end, *values in rows:
            budget.limit += COST_OF_RECORD_MAX
            if test(values) is not False:
                continue
            if end <= start and clock is not None:
                number = clock.holding(start)
                found.append((MeterKey(0, asset, location), (clock.start(number), clock.start(number + 1))))
            elif end > start:
                found.append((MeterKey(0, asset, location), (start, end)))
        return found

    idle: list[tuple[MeterKey, tuple[datetime, datetime]]] = []
    async for rows in tx.portions(idle_statement(prepared, (EARLIEST, None)), READINGS_PORTION):
        idle += await tx.in_thread(find_idle, rows)
    return idle


async def series_findings(
    tx: Read, prepared: PreparedRule, series_pass: SeriesPass, period: Period
) -> AsyncIterator[list[FindingTableRow]]:
    """The findings of a period, portion by portion."""
    full_range = await series_range(tx, prepared, period)
    async for rows in tx.portions(series_statement(prepared, full_range), READINGS_PORTION):
        yield await tx.in_thread(series_pass.take, rows)
    yield await tx.in_thread(series_pass.finish)


# A single pass reads the records of a rule in their order, a portion at a time, and returns its findings.
#
# An evaluation puts the findings into the table of its transaction, from which statements go on; a preview
# looks at them as they come.
#
# Invariants: memory does not grow with the number of records; records are evaluated in a thread.


RECORDS_PORTION: Final = 2_000
"""Records that are read and evaluated at a time."""


async def collect(tx: Write, prepared: PreparedRule, period: Period) -> int:
    """Insert the findings of a period into their table; return how many records were evaluated."""
    evaluation = await begin_evaluation(tx, prepared, period)
    async for portion in read_findings(tx, prepared, evaluation, period):
        await insert_findings(tx, portion)
    await tx.execute("ANALYZE rule_findings")
    return evaluation.evaluated


async def begin_evaluation(
    tx: Read, prepared: PreparedRule, period: Period, starts: Collection[datetime] | None = None
) -> Evaluation | SeriesPass:
    """An evaluation that has taken no record yet; one that fills gaps fills those slots alone, if given."""
    if prepared.gaps is not None:
        return await series_pass(tx, prepared, period, starts)
    return Evaluation(prepared.program, prepared.zone)


async def read_findings(
    tx: Read, prepared: PreparedRule, evaluation: Evaluation | SeriesPass, period: Period
) -> AsyncIterator[list[FindingTableRow]]:
    """The findings on the records of a period, portion by portion."""
    try:
        if isinstance(evaluation, SeriesPass):
            async for portion in series_findings(tx, prepared, evaluation, period):
                yield portion
        else:
            async for portion in _record_findings(tx, prepared, evaluation, period):
                yield portion
    except ExpressionError as error:
        message = f"The rule cannot be evaluated: {error.message}"
        raise Invalid([Problem(message, None, "too_costly")]) from None


async def _record_findings(
    tx: Read, prepared: PreparedRule, evaluation: Evaluation, period: Period
) -> AsyncIterator[list[FindingTableRow]]:
    of_runs = prepared.rule.target is RuleTarget.MODEL_RUN
    make = _of_run if of_runs else _of_data_point
    stream = stream_of_runs(prepared, period) if of_runs else await build_stream(tx, prepared, period)

    def take(rows: Sequence[Sequence[Any]]) -> list[FindingTableRow]:
        return list(map(make, evaluation.take(map(stream.record, rows))))

    async for rows in tx.portions(stream.statement, RECORDS_PORTION):
        yield await tx.in_thread(take, rows)
    yield await tx.in_thread(lambda: list(map(make, evaluation.finish())))


def _of_data_point(finding: Finding) -> FindingTableRow:
    position, value, captured = finding.record.about
    becomes = AdjustedValue() if finding.error else apply_adjustment(captured, finding.correction)
    error = finding.error or becomes.error
    replaced = None if becomes.value is None else captured
    return FindingTableRow(
        finding.record.key, position, None, None, value, error, replaced, becomes.value, finding.record.start
    )


def _of_run(finding: Finding) -> FindingTableRow:
    batch, run, value = finding.record.about
    return FindingTableRow(None, None, batch, run, value, finding.error, None, None, finding.record.start)


# Passes: over which periods a rule is evaluated to say something of some records, and not of all between.
#
# Records that start near each other are read in one pass, with what lies between them; those that are far
# from all others have a pass of their own, unless what the two read overlaps. So the cost follows what has
# to be read, and not the number of records.
#
# Invariant: each moment for which the rule is effective lies in exactly one period, and what two passes
# read does not overlap.


NEAR_SLOTS: Final = 1_000
"""Slots of a cadence that are read between two records sooner than two passes are begun."""

NEAR_WITHOUT_CADENCE: Final = timedelta(days=1)
"""The same where the number of records per time is unknown."""


async def passes(tx: Read, prepared: PreparedRule, starts: Collection[Instant]) -> list[Period]:
    """The periods to evaluate a rule over for the records that start at these moments."""
    near = _near(prepared)
    stretches: list[list[Instant]] = []
    for start in sorted(starts):
        if effective_period(prepared.version, start, Instant.of(start + MILLISECOND)) is None:
            continue
        if stretches and start - stretches[-1][-1] <= near:
            stretches[-1].append(start)
        else:
            stretches.append([start])
    periods: list[Period] = [(stretch[0], Instant.of(stretch[-1] + MILLISECOND)) for stretch in stretches]
    return await _apart(tx, prepared, periods) if periods[1:] else periods


def _near(prepared: PreparedRule) -> timedelta:
    """How far two records may lie apart that are read in one pass."""
    cadences = [kind.cadence for kind in prepared.watched if kind.cadence is not None]
    if len(cadences) < len(prepared.watched):
        return NEAR_WITHOUT_CADENCE
    clocks = [CadenceSlots(*cadence, prepared.zone) for cadence in cadences]
    return NEAR_SLOTS * min(clock.start(1) - clock.start(0) for clock in clocks)


async def _apart(tx: Read, prepared: PreparedRule, periods: list[Period]) -> list[Period]:
    """The periods, joined where the records read for one are also read for the next."""
    joined: list[Period] = []
    read_until: Instant | None = None
    for start, end in periods:
        first, last = await _read(tx, prepared, (start, end))
        if joined and (read_until is None or first < read_until):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
        read_until = last
    return joined


async def _read(tx: Read, prepared: PreparedRule, period: Period) -> Period:
    """The period whose records are read to evaluate a rule over a period."""
    if prepared.gaps is not None:
        return await series_range(tx, prepared, period)
    return await first_member(tx, prepared, period), period[1]
