"""A run of an import: check the whole file, then store its events batch by batch.

Invariants: nothing is stored while a row is bad; each batch is one transaction; when a run ends early, what
its earlier batches stored stays, and the refusal says how much that is.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Refusal
from weighbridge.importing.columns import Columns
from weighbridge.importing.file import CsvFile, Pass, fingerprint, reading
from weighbridge.importing.row import BadRow, NumberedEvent, Plan, check_event, read_row
from weighbridge.importing.store import Destination, Store
from weighbridge.resources.events.intake import Known

BAD_ROWS_SHOWN: Final = 20
"""Bad rows that are told of one by one; the rest is counted."""

REPORT_ROWS: Final = 1_000
"""Rows between two reports of progress."""


@dataclass(slots=True)
class Checked:
    """What the check of the file found."""

    rows: int = 0
    incomplete: int = 0
    bad_rows: int = 0
    shown: list[BadRow] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)
    """How many events lack each required value."""
    first_start: datetime | None = None
    last_end: datetime | None = None

    def problems(self) -> list[Problem]:
        """The bad rows as a person reads of them."""
        told = [Problem(str(bad)) for bad in self.shown]
        left = self.bad_rows - len(self.shown)
        if left:
            told.append(Problem(f"{left:,} more rows are bad, {self.bad_rows:,} of {self.rows:,} in all."))
        return told


@dataclass(slots=True)
class Stored:
    """How far the storing has come."""

    stored: int = 0
    already_there: int = 0


def check(
    file: CsvFile, plan: Plan, destination: Destination, advance: Callable[[int], None]
) -> Checked:
    """Read every row and ask the rules of events about it; `advance` hears how many bytes are read."""
    found, known, references = Checked(), destination.known(), set[int]()
    with reading(file) as pass_:
        for outcome in _outcomes(pass_, plan):
            found.rows += 1
            if isinstance(outcome, NumberedEvent):
                outcome = _checked(outcome, known, references, found)  # noqa: PLW2901 - the row, judged further
            if isinstance(outcome, BadRow):
                found.bad_rows += 1
                if len(found.shown) < BAD_ROWS_SHOWN:
                    found.shown.append(outcome)
            if found.rows % REPORT_ROWS == 0:
                advance(pass_.bytes_read)
        advance(pass_.bytes_read)
    return found


def store(
    file: CsvFile,
    plan: Plan,
    destination: Store,
    batch_size: int,
    advance: Callable[[int], None],
) -> Stored:
    """Store the events of a checked file; `advance` hears how many rows are done."""
    done = Stored()
    with reading(file) as pass_:
        for batch in _batches(pass_, plan, batch_size):
            with _progress_in_refusal(done):
                kept = destination.keep(batch)
            done.stored += kept.stored
            done.already_there += kept.already_there
            advance(done.stored + done.already_there)
    return done


@contextmanager
def unchanged(file: CsvFile) -> Iterator[None]:
    """Refuse in the end when somebody wrote to the file meanwhile."""
    before = fingerprint(file)
    yield
    if fingerprint(file) != before:
        raise Refusal(f"The file {file.path} changed while it was imported; import a file that stays as it is.")


def header_of(file: CsvFile) -> list[str]:
    """Read the names of the columns."""
    with reading(file) as pass_:
        return pass_.header


def lacking(destination: Destination, columns: Columns) -> list[str]:
    """Name the required data points that no column gives."""
    given = {point.slug for point in columns.points}
    points = destination.event_type.data_point_types
    return [point.slug for point in points if point.required and point.slug not in given]


def _outcomes(pass_: Pass, plan: Plan) -> Iterator[NumberedEvent | BadRow]:
    order = 0
    for row in pass_.rows:
        outcome = read_row(plan, row, order)
        if outcome is not None:
            order += 1
            yield outcome


def _checked(
    numbered: NumberedEvent, known: Known, references: set[int], found: Checked
) -> NumberedEvent | BadRow:
    reasons, missing = check_event(numbered, known)
    event = numbered.event
    if event.client_reference is not None and "client_reference" in found_columns:
        pass
    return numbered


def _batches(pass_: Pass, plan: Plan, batch_size: int) -> Iterator[Sequence[NumberedEvent]]:
    batch: list[NumberedEvent] = []
    for outcome in _outcomes(pass_, plan):
        if isinstance(outcome, BadRow):
            raise Refusal(f"The file changed after it was checked. {outcome}")
        batch.append(outcome)
        if len(batch) == batch_size:
            yield batch
            batch = []
    if batch:
        yield batch


@contextmanager
def _progress_in_refusal(done: Stored) -> Iterator[None]:
    """Say in a refusal of a batch what earlier batches have stored."""
    try:
        yield
    except Refusal as refusal:
        so_far = f"{done.stored:,} events of earlier batches are stored"
        there = f", {done.already_there:,} were there already" if done.already_there else ""
        shown = refusal.problems[:BAD_ROWS_SHOWN]
        left = len(refusal.problems) - len(shown)
        more = [Problem(f"{left} more problems are not shown.")] if left else []
        raise Invalid([*shown, *more, Problem(f"The import stopped: {so_far}{there}.")]) from refusal
