"""A pass over the series of meters fills the gaps of each, a portion at a time, and tells what it finds.

A value is wrong when the rule's expression is true of it; of each that is wrong, and for each slot of the
cadence that has no event, the filling says what stands in its place. Readings of one meter follow one
another, so one filling is at work at a time.

An example, with an hourly meter, a rule that finds negative values wrong, and the mean of before and after:

    hour      1   2   3   4
    captured  10  -1      14
    wrong         yes
    found         12  (12)

Hour 2 is substituted by a rule that substitutes, hour 3 imputed by one that imputes. An event that was
rolled up and has no value, because too few of its readings are valid, is filled by either: nobody can
complete it. Of several such events of one slot one is filled, and none where another has a value.

Invariants: what is found depends on the series alone, not on the portions it comes in; memory holds what the
filling holds.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from weighbridge.core.expression.value import Fault
from weighbridge.core.rule.correction import Purpose
from weighbridge.core.rule.substitution import (
    Absence,
    Absent,
    Filling,
    SeriesSlot,
    SlotOutcome,
    series_slots,
    write_outcome,
)
from weighbridge.core.time.cadence_slots import CadenceSlots
from weighbridge.core.time.instant import MILLISECOND, Interval
from weighbridge.db.engine import Read
from weighbridge.quality.capture.expected_slots import Expected, MeterKey, expected_of
from weighbridge.quality.evaluation.prepared_rule import PreparedRule
from weighbridge.quality.evaluation.series_reach import series_range
from weighbridge.quality.evaluation.series_records import (
    MeterReading,
    reader_of,
    series_statement,
    shown,
)
from weighbridge.quality.findings.table import FindingTableRow, ImputedSlot
from weighbridge.quality.versions.period import Period

PORTION: Final = 5_000
"""Readings that are read at a time."""


class SeriesPass:
    """One pass of a rule over the series of its meters."""

    def __init__(
        self,
        prepared: PreparedRule,
        expected: Expected,
        period: Period,
        starts: Collection[datetime] | None = None,
    ) -> None:
        assert prepared.gaps is not None  # noqa: S101 - it fills gaps
        self._prepared = prepared
        self._program = prepared.gaps
        self._expected = expected
        self._period = period
        self._starts = starts
        self._is_imputing = prepared.version.purpose == Purpose.IMPUTE
        self._cadences = prepared.cadences
        self._columns = prepared.checked_columns
        self._read = reader_of(prepared)
        self._meter: MeterKey | None = None
        self._filling: Filling | None = None
        self._next: datetime | None = None
        self._last: MeterReading | None = None
        self._measured: set[int] = set()
        self._filled: int | None = None
        self.evaluated = 0
        """How many readings of the period there were."""

    def take(self, rows: Iterable[Sequence[Any]]) -> list[FindingTableRow]:
        """Take the next rows of the statement; give what is decided by now."""
        found: list[FindingTableRow] = []
        for key, some in groupby(rows, key=_METER):
            meter = MeterKey(*key)
            if meter != self._meter:
                found += self.finish()
                self._meter = meter
                self._filling = Filling(self._program, self._prepared.zone, self._is_asked)
                self._next, self._last, self._filled = None, None, None
                self._measured.clear()
            found += self._of_meter(meter, [self._read(row) for row in some])
        return found

    def finish(self) -> list[FindingTableRow]:
        """Decide what is left of the last meter as it stands."""
        if self._filling is None or self._meter is None:
            return []
        found = list(self._found(self._meter, self._filling.finish()))
        self._filling = None
        return found

    def _of_meter(self, meter: MeterKey, readings: list[MeterReading]) -> list[FindingTableRow]:
        assert self._filling is not None  # noqa: S101 - it was begun for the meter
        clock = self._cadences[meter.event_type]
        slots = [_slot_of(reading) for reading in readings]
        self._note_shared(clock, readings)
        self.evaluated += sum(self._is_asked(reading.start) for reading in readings)
        beside = [slot for slot in slots if slot.is_manual and _is_wrong(slot.about)]
        first, last = readings[0].start, readings[-1].start
        stretch = Interval(min(self._next or first, last), last + MILLISECOND)
        self._next = clock.start(clock.holding(last) + 1)
        series = series_slots(slots, self._expected.slots_of(meter, clock), stretch)
        found = list(self._found(meter, self._filling.take(series)))
        return found + [self._alert(slot) for slot in beside if self._is_told(slot)]

    def _note_shared(self, clock: CadenceSlots, readings: list[MeterReading]) -> None:
        """Keep which slots of several rolled-up events have a value in one of them."""
        for reading in readings:
            before, self._last = self._last, reading
            if before is None or not reading.is_rolled_up or before.start != reading.start:
                continue
            if before.value is not None or reading.value is not None:
                self._measured.add(clock.holding(reading.start))

    def _is_filled_first(self, reading: MeterReading) -> bool:
        """Whether a reading is the one of its slot that a value is filled in for; asked in their order."""
        number = self._cadences[reading.event_type].holding(reading.start)
        if number in self._measured or number == self._filled:
            return False
        self._filled = number
        return True

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
        checked = None if reading.value is None else shown(reading.value)
        position = self._columns[reading.event_type].position
        return FindingTableRow(reading.event, position, None, None, checked, error, None, None, reading.start)

    def _found(self, meter: MeterKey, outcomes: Iterable[SlotOutcome]) -> Iterator[FindingTableRow]:
        for outcome in outcomes:
            reading: MeterReading | None = outcome.slot.about
            if reading is None:
                if self._is_imputing:
                    yield self._imputed(meter, outcome)
            elif not self._is_imputing:
                if _is_wrong(reading):
                    yield self._substituted(outcome, reading)
            elif reading.lacks_value:
                row = self._substituted(outcome, reading)
                if row.to_value is not None:
                    yield row

    def _substituted(self, outcome: SlotOutcome, reading: MeterReading) -> FindingTableRow:
        """What is found of a reading that is wrong: what stands in its place, or why nothing does."""
        alert = self._alert(outcome.slot)
        if self._is_imputing:  # the expression is about values that are there
            alert = alert._replace(error=None)
        if alert.error is not None:
            return alert
        if reading.value is None and not (reading.lacks_value and self._is_filled_first(reading)):
            return alert
        found = outcome.found
        if isinstance(found, Absent):
            waits = found.reason is Absence.PENDING_AFTER
            return alert._replace(error=None if waits else f"The correction has no result. {found.says}")
        captured = reading.replaced
        return alert._replace(from_value=captured, to_value=found.value, substitution=write_outcome(outcome))

    def _imputed(self, meter: MeterKey, outcome: SlotOutcome) -> FindingTableRow:
        """What is found for a slot that has no event."""
        clock = self._cadences[meter.event_type]
        number = clock.holding(outcome.slot.start)
        slot = ImputedSlot(*meter, clock.start(number), clock.start(number + 1))
        found = outcome.found
        row = FindingTableRow(
            None, self._columns[meter.event_type].position, None, None, None, None, None, None,
            outcome.slot.start, slot=slot,
        )  # fmt: skip
        if isinstance(found, Absent):
            return row
        return row._replace(to_value=found.value, substitution=write_outcome(outcome))


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
    )


async def series_pass(
    tx: Read, prepared: PreparedRule, period: Period, starts: Collection[datetime] | None = None
) -> SeriesPass:
    """A pass over what has to be read to fill the gaps of a period, or of slots in it by when they start."""
    return SeriesPass(prepared, await expected_of(tx, prepared.version.project), period, starts)


async def series_findings(
    tx: Read, prepared: PreparedRule, begun: SeriesPass, period: Period
) -> AsyncIterator[list[FindingTableRow]]:
    """What is found in a period, portion by portion."""
    whole = await series_range(tx, prepared, period)
    async for rows in tx.portions(series_statement(prepared, whole), PORTION):
        yield await tx.in_thread(begun.take, rows)
    yield await tx.in_thread(begun.finish)
