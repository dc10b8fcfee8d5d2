"""Portions: so many rows of a file at a time, read, judged and written as the database takes them.

This is the hot path of feeding, and runs in a sandbox. Invariants: a portion holds at most `ROWS_OF_PORTION`
rows; a row is judged by the rules of the intake that every event goes through; keys are used up in order.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final, NamedTuple

from weighbridge.collection.intake.checking import EventVocabulary, copy_text, take_in
from weighbridge.collection.records.events import NewEvent
from weighbridge.core.problem import Problem
from weighbridge.exchange.feeding.report import VALUE_LENGTH_MAX
from weighbridge.exchange.tabular.dating import outcomes
from weighbridge.exchange.tabular.row import BadRow, NumberedEvent, RowMapping, RowProblem
from weighbridge.exchange.tabular.table import RowTable

ROWS_OF_PORTION: Final = 4_096
"""Rows that are in memory at a time, twice: those that are read and those that are stored."""

_VALUE: Final = re.compile(r"event\.data_points\[(\d+)\]")
_OPTIONS: Final = {
    "name its zone with --time-zone": "the data feed has no time_zone",
    "say --in-order when": "let rows_in_order be true when",
    "for decimal commas there is --decimal-comma": "for decimal commas there is decimal_mark",
}
"""What the reader of rows says to those who import by a command, in the words of a data feed."""


class FedRow(NamedTuple):
    """A good row: its line, what it is known by, when it is, and how the database takes it."""

    line: int
    key: int
    reference: str | None
    is_known_by_line: bool
    start: datetime
    end: datetime
    is_complete: bool
    text: str
    event: NewEvent


@dataclass(frozen=True, slots=True)
class Portion:
    """Some rows of a file: the good ones, the bad ones, and the keys that nobody took."""

    good: list[FedRow]
    bad: list[BadRow]
    keys_left: list[int]
    bytes_read: int


class RowFeed:
    """The rows of one table on their way, with what is known of the rows before."""

    def __init__(self, table: RowTable, mapping: RowMapping, vocabulary: EventVocabulary) -> None:
        self._table = table
        self._mapping = mapping
        self._vocabulary = vocabulary
        self._outcomes = outcomes(table, mapping)

    def next(self, keys: Sequence[int]) -> Portion | None:
        """The next rows, at most one for each key; None behind the last."""
        bad: list[BadRow] = []
        events: list[NumberedEvent] = []
        some = 0
        for outcome in islice(self._outcomes, len(keys)):
            some += 1
            if isinstance(outcome, NumberedEvent):
                events.append(outcome)
            else:
                bad.append(outcome)
        if not some:
            return None
        good = self._judged(events, keys, bad)
        bad = [self._in_words_of_feeds(one) for one in sorted(bad, key=lambda one: one.line)]
        return Portion(good, bad, list(keys[len(good) :]), self._table.bytes_read)

    def _judged(
        self, numbered: Sequence[NumberedEvent], keys: Sequence[int], bad: list[BadRow]
    ) -> list[FedRow]:
        """Ask the intake, of all rows at once and where that finds something, of each."""
        intake = take_in([one.event for one in numbered], keys[: len(numbered)], self._vocabulary, "events")
        if not intake.problems:
            return [
                _fed(one, key, copy_text((row,)), is_complete=row[-1] == "t")
                for one, key, row in zip(numbered, keys, intake.rows, strict=False)
            ]
        good: list[FedRow] = []
        for one in numbered:
            key = keys[len(good)]
            single = take_in([one.event], [key], self._vocabulary, "event")
            if single.problems:
                bad.append(BadRow(one.line, tuple(self._told(one.event, item) for item in single.problems)))
            else:
                [row] = single.rows
                good.append(_fed(one, key, copy_text((row,)), is_complete=row[-1] == "t"))
        return good

    def _told(self, event: NewEvent, problem: Problem) -> RowProblem:
        """A problem of an event as one of the column that it came from."""
        columns, field = self._mapping.columns, problem.field or ""
        if match := _VALUE.match(field):
            point = event.data_points[int(match[1])]
            index = next(one.index for one in columns.points if one.slug == point.slug)
            return RowProblem(_reason(problem, field), columns.header[index], str(point.value))
        name = field.removeprefix("event.").partition("[")[0].removesuffix("_id").removesuffix("s")
        indexes = columns.fields.get(field.removeprefix("event.")) or columns.fields.get(name)
        if not indexes:
            return RowProblem(problem.message.removeprefix("event.").rstrip("."))
        value = getattr(event, field.removeprefix("event."), None)
        shown = value if isinstance(value, str) else None
        return RowProblem(_reason(problem, "event."), columns.header[indexes[0]], shown)

    def _in_words_of_feeds(self, bad: BadRow) -> BadRow:
        """The same by the names of columns, and in the words of data feeds."""
        columns = self._mapping.columns
        problems = []
        for one in bad.problems:
            indexes = columns.fields.get(one.field or "", ()) if one.column is None else ()
            column = ", ".join(columns.header[index] for index in indexes) or one.column
            # A cell of a workbook is a text of its own; of a long one no more is passed on than is told.
            value = None if one.value is None else str(one.value[: VALUE_LENGTH_MAX + 1])
            problems.append(one._replace(reason=_in_words(one.reason), column=column, value=value))
        return BadRow(bad.line, tuple(problems))


def _reason(problem: Problem, prefix: str) -> str:
    return problem.message.removeprefix(prefix).strip().rstrip(".")


def _fed(numbered: NumberedEvent, key: int, text: str, *, is_complete: bool) -> FedRow:
    event = numbered.event
    return FedRow(
        numbered.line, key, event.client_reference, numbered.is_known_by_line, event.start_time,
        event.end_time or event.start_time, is_complete, text, event,
    )  # fmt: skip


def _in_words(reason: str) -> str:
    for said, word in _OPTIONS.items():
        reason = reason.replace(said, word)
    return reason
