"""The reading of a feed's file: what its rows may name, and portions of them as checked events.

The file is opened and judged in a sandbox, and asked for portion after portion: unpacking, encodings, cells,
times and units are what foreign bytes can make slow or large.

Invariants: the event type is locked until the transaction ends, so nobody redefines what its rows are written
for; locations and tags are kept by the keys of the rows. A portion has at most `ROWS_OF_PORTION` rows; a row
is judged by the rules of the intake that every event goes through; keys are used up in order.
"""

import asyncio
import re
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from weighbridge.collection.event_types import read_event_type
from weighbridge.collection.intake.checking import EventVocabulary, copy_text, take_in
from weighbridge.collection.intake.lookup import look_up
from weighbridge.collection.records.data_points import EventType
from weighbridge.collection.records.events import LocationRef, NewEvent
from weighbridge.core import identity
from weighbridge.core.collection.data_feed import ReferenceRule
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import NotFound, Refusal
from weighbridge.exchange.records.data_feeds import DataFeed
from weighbridge.exchange.tables.cell import LimitRule, MissingMarks, NumberForm
from weighbridge.exchange.tables.columns import Columns, RowValues, build_clock, map_columns, take_units_line
from weighbridge.exchange.tables.corrected_rows import CorrectedTable
from weighbridge.exchange.tables.opening import open_table
from weighbridge.exchange.tables.rows import (
    GivenFields,
    NumberedEvent,
    RowMapping,
    list_given_fields,
    read_rows,
)
from weighbridge.exchange.tables.table import BadRow, CsvFile, RowProblem, RowTable
from weighbridge.exchange.tables.table_form import TableForm
from weighbridge.sandbox.sandbox import Sandbox
from weighbridge.sandbox.work import SandboxLimits

_NAMES: Final = {
    "location": "SELECT id, name FROM locations WHERE project_id = %s ORDER BY id",
    "feedstock": "SELECT id, name FROM feedstocks WHERE project_id = %s ORDER BY id",
    "asset": "SELECT id, name FROM assets WHERE project_id = %s ORDER BY id",
}


@dataclass(frozen=True, slots=True)
class FeedDestination:
    """The event type of a feed, and the records of its project that rows may name, by ids and by names."""

    event_type: EventType
    vocabulary: EventVocabulary
    by_name: Mapping[str, Mapping[str, str]]
    """By kind: ids by name, and by themselves."""


async def find_destination(tx: Write, actor: Actor, project: int, feed: DataFeed) -> FeedDestination:
    """Find and hold what the rows of a feed's file may name."""
    try:
        event_type = await read_event_type(tx, project, feed.event_type_id)
        names = await look_up(tx, actor, project, slugs=[event_type.slug], named={})
    except NotFound:
        raise Refusal("The event type of the data feed no longer exists.") from None
    numbers: dict[str, dict[str, int]] = {}
    by_name: dict[str, dict[str, str]] = {}
    for kind, statement in _NAMES.items():
        rows = [
            (identity.of(kind, project, number), number, name)
            for number, name in await tx.tuples(statement, (project,))
        ]
        numbers[kind] = {friendly: number for friendly, number, _ in rows}
        by_name[kind] = _index_names(rows)
    vocabulary = EventVocabulary(
        project, names.vocabulary.schemas, numbers["location"], numbers["feedstock"], numbers["asset"]
    )
    return FeedDestination(event_type, vocabulary, by_name)


def build_mapping(
    feed: DataFeed,
    columns: Columns,
    destination: FeedDestination,
    reference: str | None,
    after: datetime | None = None,
) -> RowMapping:
    """How the rows of a file become events."""
    numbers = NumberForm.of(feed.decimal_mark, feed.thousands_separator)
    places = destination.by_name["location"]
    values = RowValues.of(feed.columns)
    if unknown := [name for name in values.locations if name not in places]:
        raise Refusal(f"The data feed gives every row the location {unknown[0]!r}, which does not exist.")
    of_values = [places[name] for name in values.locations]
    return RowMapping(
        columns=columns,
        clock=build_clock(feed, after),
        event_type=destination.event_type.slug,
        locations=[LocationRef(friendly) for friendly in (*feed.location_ids, *of_values)],
        feedstocks=destination.by_name["feedstock"],
        assets=destination.by_name["asset"],
        reference=reference,
        is_known_by_time=feed.client_reference == ReferenceRule.TIME,
        places=places,
        feedstock=feed.feedstock_id,
        asset=feed.asset_id,
        numbers=numbers,
        limits=LimitRule(feed.below_limit, feed.above_limit),
        missing=MissingMarks.of(feed.missing, numbers),
    )


def _index_names(rows: Sequence[tuple[str, int, str]]) -> dict[str, str]:
    """A name that two records have names neither."""
    times = Counter(name for _, _, name in rows)
    own = {name: friendly for friendly, _, name in rows if times[name] == 1}
    return own | {friendly: friendly for friendly, _, _ in rows}


VALUE_LENGTH_MAX: Final = 200
"""Characters of a value that the report shows."""

ROWS_OF_PORTION: Final = 4_096
"""Rows that are in memory at a time, twice: those that are read and those that are stored."""

PORTIONS_KEPT: Final = 2
"""Portions whose events may be asked for: the one that is stored, and the one that is read meanwhile."""

_VALUE: Final = re.compile(r"event\.data_points\[(\d+)\]")


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


@dataclass(frozen=True, slots=True)
class Portion:
    """Some rows of a file: the good ones, the bad ones, and the unused keys."""

    good: list[FedRow]
    bad: list[BadRow]
    keys_left: list[int]
    bytes_read: int


class RowFeed:
    """The rows of one table on their way, with what is known of the rows before.

    The events of rows stay here: only those are asked for whose references the project has already, and to
    hand all of them over takes as long as to read them.
    """

    def __init__(self, table: RowTable, mapping: RowMapping, vocabulary: EventVocabulary) -> None:
        self._table = table
        self._mapping = mapping
        self._vocabulary = vocabulary
        self._outcomes = read_rows(table, mapping)
        self._portions: deque[list[NumberedEvent]] = deque(maxlen=PORTIONS_KEPT)

    def events(self, lines: Sequence[int]) -> list[NewEvent]:
        """The events of rows of the last portions, by their lines."""
        found = {numbered.line: numbered.event for portion in self._portions for numbered in portion}
        return [found[line] for line in lines]

    def next(self, keys: Sequence[int]) -> Portion | None:
        """The next rows, at most one for each key; None after the last."""
        bad: list[BadRow] = []
        events: list[NumberedEvent] = []
        row_count = 0
        for outcome in islice(self._outcomes, len(keys)):
            row_count += 1
            if isinstance(outcome, NumberedEvent):
                events.append(outcome)
            else:
                bad.append(outcome)
        if not row_count:
            return None
        self._portions.append(events)
        good = self._judge_rows(events, keys, bad)
        bad = [self._name_columns(bad_row) for bad_row in sorted(bad, key=lambda bad_row: bad_row.line)]
        return Portion(good, bad, list(keys[len(good) :]), self._table.bytes_read)

    def _judge_rows(
        self, numbered: Sequence[NumberedEvent], keys: Sequence[int], bad: list[BadRow]
    ) -> list[FedRow]:
        """Ask the intake, of all rows at once and where that finds something, of each."""
        intake = take_in(
            [numbered_event.event for numbered_event in numbered],
            keys[: len(numbered)],
            self._vocabulary,
            "events",
        )
        if not intake.problems:
            return [
                _build_fed_row(numbered_event, key, copy_text((row,)), is_complete=row[-1] == "t")
                for numbered_event, key, row in zip(numbered, keys, intake.rows, strict=False)
            ]
        good: list[FedRow] = []
        for numbered_event in numbered:
            key = keys[len(good)]
            single = take_in([numbered_event.event], [key], self._vocabulary, "event")
            if single.problems:
                bad.append(
                    BadRow(
                        numbered_event.line,
                        tuple(self._explain_problem(numbered_event.event, item) for item in single.problems),
                    )
                )
            else:
                [row] = single.rows
                good.append(
                    _build_fed_row(numbered_event, key, copy_text((row,)), is_complete=row[-1] == "t")
                )
        return good

    def _explain_problem(self, event: NewEvent, problem: Problem) -> RowProblem:
        """A problem of an event as one of the column that it came from."""
        columns, field = self._mapping.columns, problem.field or ""
        if match := _VALUE.match(field):
            point = event.data_points[int(match[1])]
            index = next(column.index for column in columns.points if column.slug == point.slug)
            return RowProblem(_build_reason(problem, field), columns.header[index], str(point.value))
        name = field.removeprefix("event.").partition("[")[0].removesuffix("_id").removesuffix("s")
        indexes = columns.fields.get(field.removeprefix("event.")) or columns.fields.get(name)
        if not indexes:
            return RowProblem(problem.message.removeprefix("event.").rstrip("."))
        value = getattr(event, field.removeprefix("event."), None)
        cell_text = value if isinstance(value, str) else None
        return RowProblem(_build_reason(problem, "event."), columns.header[indexes[0]], cell_text)

    def _name_columns(self, bad: BadRow) -> BadRow:
        """Name the columns that the problems of a row are about, and cut what is shown of cells."""
        columns = self._mapping.columns
        problems = []
        for problem in bad.problems:
            indexes = columns.fields.get(problem.field or "", ()) if problem.column is None else ()
            column = ", ".join(columns.header[index] for index in indexes) or problem.column
            # A cell of a workbook is a text of its own; of a long one no more is passed on than is told.
            value = None if problem.value is None else str(problem.value[: VALUE_LENGTH_MAX + 1])
            problems.append(problem._replace(column=column, value=value))
        return BadRow(bad.line, tuple(problems))


def _build_reason(problem: Problem, prefix: str) -> str:
    return problem.message.removeprefix(prefix).strip().rstrip(".")


def _build_fed_row(numbered: NumberedEvent, key: int, text: str, *, is_complete: bool) -> FedRow:
    event = numbered.event
    return FedRow(
        numbered.line, key, event.client_reference, numbered.is_known_by_line, event.start_time,
        event.end_time or event.start_time, is_complete, text,
    )  # fmt: skip


FEED_LIMITS: Final = SandboxLimits(memory_bytes=1_610_612_736, cpu_seconds=90)
"""What reading a file of a feed may take: 1.5 GB, and 90 seconds for its opening and for each portion."""


class PortionSource(Protocol):
    """Where portions come from."""

    async def next(self, keys: Sequence[int]) -> Portion | None:
        """The next rows, at most one for each key; None after the last."""

    async def events(self, lines: Sequence[int]) -> list[NewEvent]:
        """The events of good rows of the last two portions, by their lines."""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """The properties of a file that its header gives."""

    mapping: dict[str, str]
    """The field of each column."""
    given: GivenFields


class FeedReading:
    """A file that is open, in the sandbox."""

    def __init__(
        self,
        file: CsvFile,
        feed: DataFeed,
        destination: FeedDestination,
        reference: str | None,
        corrected: Mapping[int, list[str]] = {},
        after: datetime | None = None,
    ) -> None:
        """Raises Refusal where the file as a whole cannot be read as the feed says."""
        opened = ExitStack()
        self._table = opened.enter_context(open_table(file, TableForm.of(feed)))
        self._opened = opened
        units = take_units_line(self._table) if feed.units_line else None
        columns = map_columns(self._table.header, feed, destination.event_type, units)
        mapping = build_mapping(feed, columns, destination, reference, after)
        table = CorrectedTable(self._table, corrected) if corrected else self._table
        self._rows = RowFeed(table, mapping, destination.vocabulary)
        self._file = OpenedFile(columns.as_mapping(), list_given_fields(mapping))

    def opened(self) -> OpenedFile:
        """The properties given by its header."""
        return self._file

    def next(self, keys: Sequence[int]) -> Portion | None:
        """The next portion."""
        return self._rows.next(keys)

    def events(self, lines: Sequence[int]) -> list[NewEvent]:
        """The events of rows of the last portions."""
        return self._rows.events(lines)

    def formulas(self) -> int:
        """Cells read so far whose value was saved with a formula."""
        return self._table.formulas


class SandboxedRows:
    """The rows of a file that is read in a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._asking = asyncio.Lock()
        """A sandbox answers one question at a time."""

    async def open(self, *arguments: Any) -> OpenedFile:
        """Open the file there, by the arguments of FeedReading."""
        await self._sandbox.keep(FeedReading, *arguments)
        opened: OpenedFile = await self._sandbox.of_kept("opened")
        return opened

    async def next(self, keys: Sequence[int]) -> Portion | None:
        """The next portion."""
        async with self._asking:
            portion: Portion | None = await self._sandbox.of_kept("next", [*keys])
        return portion

    async def events(self, lines: Sequence[int]) -> list[NewEvent]:
        """The events of good rows of the last two portions, by their lines."""
        async with self._asking:
            events: list[NewEvent] = await self._sandbox.of_kept("events", [*lines])
        return events

    async def formulas(self) -> int:
        """Cells read so far whose value was saved with a formula."""
        count: int = await self._sandbox.of_kept("formulas")
        return count
