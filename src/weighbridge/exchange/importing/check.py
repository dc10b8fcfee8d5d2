"""The check of a file: every row is read and judged before anything is stored.

Invariants: memory does not grow with the rows, save for a hash of each client reference that a column
gives; the first bad rows are kept to be shown, the others are counted.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from weighbridge.collection.intake.checking import EventVocabulary
from weighbridge.core.quantity.number import shorten
from weighbridge.exchange.tabular.dating import outcomes
from weighbridge.exchange.tabular.row import (
    BadRow,
    NumberedEvent,
    RowMapping,
    RowProblem,
    check_event,
)
from weighbridge.exchange.tabular.table import RowTable

BAD_ROWS_SHOWN: Final = 20
"""Bad rows that are told of one by one."""

REPORT_ROWS: Final = 1_000
"""Rows from one report of progress to the next."""


@dataclass(slots=True)
class Checked:
    """What the check has found so far."""

    rows: int = 0
    bad_rows: int = 0
    shown: list[BadRow] = field(default_factory=list)
    incomplete: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    """How many events lack each required value."""
    first_start: datetime | None = None
    last_end: datetime | None = None


def check(
    opening: Callable[[], AbstractContextManager[RowTable]],
    mapping: RowMapping,
    vocabulary: EventVocabulary,
    advance: Callable[[int], None],
) -> Checked:
    """Read and judge every row; `advance` hears how many bytes of the file are read."""
    checked = Checked()
    references: set[int] = set()
    with opening() as pass_:
        for outcome in outcomes(pass_, mapping):
            checked.rows += 1
            if isinstance(outcome, BadRow):
                _add_bad(checked, outcome)
            else:
                _judge(checked, outcome, vocabulary, references if mapping.columns.has_references else None)
            if checked.rows % REPORT_ROWS == 0:
                advance(pass_.bytes_read)
        advance(pass_.bytes_read)
    return checked


def _judge(
    checked: Checked, numbered: NumberedEvent, vocabulary: EventVocabulary, references: set[int] | None
) -> None:
    reasons, missing = check_event(numbered, vocabulary)
    event = numbered.event
    if references is not None and event.client_reference is not None:
        mark = hash(event.client_reference)
        if mark in references:
            reasons.append(
                f"its client_reference {shorten(event.client_reference)!r} stands on an earlier row too"
            )
        references.add(mark)
    if reasons:
        _add_bad(checked, BadRow(numbered.line, tuple(map(RowProblem, reasons))))
        return
    checked.incomplete += bool(missing)
    checked.missing.update(missing)
    end = event.end_time or event.start_time
    checked.first_start = min(event.start_time, checked.first_start or event.start_time)
    checked.last_end = max(end, checked.last_end or end)


def _add_bad(checked: Checked, bad: BadRow) -> None:
    checked.bad_rows += 1
    if len(checked.shown) < BAD_ROWS_SHOWN:
        checked.shown.append(bad)
