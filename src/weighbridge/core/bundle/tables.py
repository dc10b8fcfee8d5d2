"""The tables of a bundle: one entry for each, from which they are written, read, described and documented.

Invariants: a table has its header first, then its rows in the order of their keys, each key once.
"""

import re
import types
import typing
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeVar

from weighbridge.core.bundle import rows
from weighbridge.core.bundle.archive import UnreadableError
from weighbridge.core.bundle.rows import (
    LINE_BYTES_MAX,
    PATTERNS,
    WRITERS,
    TextKind,
    read,
    read_record,
    split_fields,
    write_line,
)
from weighbridge.core.identity import KEY_MAX
from weighbridge.core.time.calendar import Instant

_KINDS: Final[dict[Any, TextKind]] = {
    str: TextKind.TEXT,
    Decimal: TextKind.NUMBER,
    int: TextKind.WHOLE,
    Instant: TextKind.TIME,
    bool: TextKind.FLAG,
    rows.Digest: TextKind.DIGEST,
    list[str]: TextKind.LIST,
}


_UNIONS: Final = (types.UnionType, typing.Union)
_BLOCK: Final = 1 << 20
"""Bytes that are taken apart at a time."""


class BundleColumn(NamedTuple):
    """A column of a table."""

    name: str
    kind: TextKind
    is_optional: bool = False


def list_columns(row: type) -> tuple[BundleColumn, ...]:
    """The columns that the fields of a row make."""
    columns = []
    for name, hint in typing.get_type_hints(row).items():
        choices = typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)
        [kind] = [choice for choice in choices if choice is not types.NoneType]
        columns.append(BundleColumn(name, _KINDS[kind], len(choices) > 1))
    return tuple(columns)


@dataclass(frozen=True)
class BundleTable:
    """A table: its part, what a row is, and how many of its columns identify a row."""

    part: str
    row: Callable[..., Any]
    keys: int
    columns: tuple[BundleColumn, ...]

    @cached_property
    def header(self) -> str:
        """The first line."""
        return write_line(column.name for column in self.columns)

    @cached_property
    def _writers(self) -> list[Callable[[Any], str]]:
        return [WRITERS[column.kind] for column in self.columns]

    def line(self, row: Sequence[Any]) -> str:
        """A row as its line."""
        pairs = zip(self._writers, row, strict=True)
        return write_line([None if value is None else write(value) for write, value in pairs])

    def text(self, row_values: Iterable[Sequence[Any]]) -> Iterator[bytes]:
        """The table as bytes, its rows in the order of their keys."""
        yield self.header.encode()
        for row in row_values:
            yield self.line(row).encode()

    def values_of(self, line: str) -> list[Any]:
        """The values of a line; UnreadableError when it is none of this table."""
        try:
            fields = split_fields(line)
        except ValueError as error:
            raise UnreadableError(f"{line[:60]!r}: {error}.") from None
        if len(fields) != len(self.columns):
            raise UnreadableError(f"{line[:60]!r} has {len(fields)} fields in place of {len(self.columns)}.")
        return [
            read(column.kind, field, is_optional=column.is_optional, column=column.name)
            for column, field in zip(self.columns, fields, strict=True)
        ]


def split_lines(content: memoryview, part: str) -> Iterator[str]:
    """The lines of a text without their line ends; a line goes on within quotation marks."""
    rest, line = b"", ""
    for place in range(0, len(content), _BLOCK):
        *pieces, rest = (rest + bytes(content[place : place + _BLOCK])).split(b"\n")
        if max(len(rest), len(line)) > LINE_BYTES_MAX:
            raise UnreadableError(f"A line of {part} is longer than {LINE_BYTES_MAX:,} bytes.")
        for piece in pieces:
            try:
                line += piece.decode()
            except UnicodeDecodeError:
                raise UnreadableError(f"{part} is no UTF-8: {piece[:60]!r}.") from None
            if '"' in line and part.endswith(".csv") and line.count('"') % 2:
                line += "\n"
                continue
            yield line
            line = ""
    if rest or line:
        raise UnreadableError(f"{part} does not end with a line end.")


def read_rows(table: BundleTable, content: memoryview) -> Iterator[Any]:
    """The rows of a table; UnreadableError when it is not written as it should be."""
    lines = split_lines(content, table.part)
    if (header := next(lines, "") + "\n") != table.header:
        raise UnreadableError(f"The first line of {table.part} is {header[:100]!r}, not its columns.")
    previous_key: list[Any] | None = None
    for line in lines:
        try:
            values = table.values_of(line)
        except UnreadableError as error:
            raise UnreadableError(f"A row of {table.part} cannot be read: {error}") from None
        key = values[: table.keys]
        if previous_key is not None and not previous_key < key:
            raise UnreadableError(
                f"Rows of {table.part} are sorted, each once; {key} is after {previous_key}."
            )
        previous_key = key
        yield table.row(*values)


def _define_table(part: str, row: type, keys: int = 1) -> BundleTable:
    return BundleTable(part, row, keys, list_columns(row))


LEDGERS: Final = _define_table("ledgers.csv", rows.BundledLedgerRow)
MODELS: Final = _define_table("models.csv", rows.ModelRow)
BATCHES: Final = _define_table("batches.csv", rows.BatchRow)
NODE_VALUES: Final = _define_table("node_values.csv", rows.NodeValueRow, 2)
EVENT_TYPES: Final = _define_table("event_types.csv", rows.EventTypeRow, 2)
METERS: Final = _define_table("meters.csv", rows.MeterRow, 2)
CORRECTIONS: Final = _define_table("corrections.csv", rows.CorrectionRow)
STATIC_INPUTS: Final = _define_table("static_inputs.csv", rows.StaticInputRow)
EVIDENCE: Final = _define_table("evidence.csv", rows.EvidenceRow)

ENTRIES: Final = _define_table("entries.csv", rows.EntryRow)
DEFICITS: Final = _define_table("deficits.csv", rows.DeficitRow)

LATE_EVENTS: Final = _define_table("late_events.csv", rows.LateEventRow)
OUTAGES: Final = _define_table("outages.csv", rows.OutageRow)
FINDINGS: Final = _define_table("findings.csv", rows.DismissedFindingRow)
NAMES: Final = _define_table("names.csv", rows.NameRow, 2)

CALIBRATIONS: Final = _define_table("calibrations.csv", rows.CalibrationRow, 2)
STATEMENTS: Final = _define_table("statements.csv", rows.StatementRow, 4)
SOURCES: Final = _define_table("sources.csv", rows.SourceRow, 3)

_FIRST: Final = (
    BATCHES, CORRECTIONS, EVENT_TYPES, EVIDENCE, LEDGERS, METERS, MODELS, NODE_VALUES, STATIC_INPUTS,
)  # fmt: skip
_WITH_ENTRIES: Final = (*_FIRST, DEFICITS, ENTRIES)
_CLOSED: Final = (*_WITH_ENTRIES, FINDINGS, LATE_EVENTS, NAMES, OUTAGES)
_UNCERTAIN: Final = (*_CLOSED, CALIBRATIONS, SOURCES, STATEMENTS)
TABLES: Final = {1: _FIRST, 2: _WITH_ENTRIES, 3: _WITH_ENTRIES, 4: _CLOSED, 5: _UNCERTAIN}
"""By format, every table but those of events, which have columns of their own."""

EVENTS: Final = "events/"
"""The folder of the tables of events, one for each event type: `events/delivery.csv`."""

_EVENT_COLUMNS: Final = list_columns(rows.BundledEventRow)
_OF_VALUES: Final = {"number": TextKind.NUMBER, "string": TextKind.TEXT, "boolean": TextKind.FLAG}


def name_events_part(event_type: str) -> str:
    """Return the name of the part with the events of a type."""
    return f"{EVENTS}{event_type}.csv"


def define_events_table(event_type: str, points: Sequence[rows.EventTypeRow]) -> BundleTable:
    """The table of the events of a type: what every event has, and a column for each data point.

    A column is called by the slug of its data point after a dot, which distinguishes it from the others.
    """
    for point in points:
        if point.value_type not in _OF_VALUES:
            raise UnreadableError(f"{event_type}.{point.data_point} is of no type: {point.value_type!r}.")
    columns = [
        BundleColumn(f".{point.data_point}", _OF_VALUES[point.value_type], is_optional=True)
        for point in points
    ]
    return BundleTable(name_events_part(event_type), lambda *values: values, 2, (*_EVENT_COLUMNS, *columns))


VALUES_FROM: Final = len(_EVENT_COLUMNS)
"""The index of the first value in a row of events."""


# The events of one type: found by their numbers in the file where they lie, some at a time.
#
# A line is read by one pattern for the whole table, and a value becomes a number only when a node asks for
# it, so that a million of them pass quickly; only the place of each is kept.
#
# Invariants: every line is looked at as a whole when it is read; which ones were ever read is known at the
# end.


VERSION_BITS: Final = 12
_VERSION_MAX: Final = (1 << VERSION_BITS) - 1

Texts = Sequence[str | None]
"""The fields of an event, as texts."""


class EventFile:
    """The table of the events of one type, over its content."""

    def __init__(self, table: BundleTable, content: memoryview) -> None:
        """Find the place of each event; UnreadableError when they are not in order."""
        self.table = table
        self.value_of = {
            column.name[1:]: index for index, column in enumerate(table.columns) if index >= VALUES_FROM
        }
        """By slug of a data point the index of its field."""
        self._content = content
        self._keys, self._places = array("q"), array("q")
        self._pattern = re.compile(
            ",".join(
                f"({PATTERNS[column.kind]}){'?' if column.is_optional else ''}" for column in table.columns
            )
        )
        self._index()
        self._read = bytearray(len(self._keys))

    def _index(self) -> None:
        place, last = 0, -1
        for number, line in enumerate(split_lines(self._content, self.table.part)):
            if number:
                last = self._add(line, place, last)
            elif line + "\n" != self.table.header:
                raise UnreadableError(
                    f"The first line of {self.table.part} is {line[:100]!r}, not its columns."
                )
            place += len(line.encode() if not line.isascii() else line) + 1
        self._places.append(place)

    def _add(self, line: str, place: int, last: int) -> int:
        event, version = [*line.split(",", 2), "", ""][:2]
        if not (event.isdecimal() and version.isdecimal()) or not (
            int(event) <= KEY_MAX and int(version) <= _VERSION_MAX
        ):
            raise UnreadableError(f"A row of {self.table.part} does not begin with an event: {line[:60]!r}.")
        key = int(event) << VERSION_BITS | int(version)
        if key <= last:
            raise UnreadableError(f"Rows of {self.table.part} are sorted, each once; event {event} is not.")
        self._keys.append(key)
        self._places.append(place)
        return key

    def __len__(self) -> int:
        return len(self._keys)

    def rows(self, keys: Sequence[int]) -> Iterator[Texts]:
        """The fields of events by ascending keys, made of number and version; UnreadableError for one that is
        not there.
        """
        index = 0
        while index < len(keys):
            at = bisect_left(self._keys, keys[index])
            count = 0
            while (
                index + count < len(keys)
                and at + count < len(self._keys)
                and self._keys[at + count] == keys[index + count]
            ):
                count += 1
            if not count:
                raise UnreadableError(f"Event {keys[index] >> VERSION_BITS} is not in {self.table.part}.")
            self._read[at : at + count] = b"\x01" * count
            yield from self._lines(at, count)
            index += count

    def _lines(self, at: int, count: int) -> Iterator[Texts]:
        block = self._content[self._places[at] : self._places[at + count]]
        match = self._pattern.fullmatch
        for line in split_lines(block, self.table.part):
            matched = match(line)
            if matched is not None:
                yield matched.groups()
                continue
            self.table.values_of(line)
            yield split_fields(line)

    def every(self) -> Iterator[Texts]:
        """The fields of all events, in their order, without any being read by a batch."""
        return self._lines(0, len(self._keys))

    def has(self, event: int) -> bool:
        """Whether an event is there, in any state."""
        at = bisect_left(self._keys, event << VERSION_BITS)
        return at < len(self._keys) and self._keys[at] >> VERSION_BITS == event

    @property
    def numbers(self) -> Iterator[int]:
        """The events, each once, in their order."""
        last = -1
        for key in self._keys:
            if key >> VERSION_BITS != last:
                last = key >> VERSION_BITS
                yield last

    @property
    def unread(self) -> list[int]:
        """The first events that were never read."""
        missing: list[int] = []
        place = self._read.find(0)
        while place >= 0 and len(missing) < 5:
            missing.append(self._keys[place] >> VERSION_BITS)
            place = self._read.find(0, place + 1)
        return missing


# Lineage: what each batch was made of, and which batches were computed together, line by line.
#
# A line of `lineage.jsonl` is a batch: the events that its nodes read, static inputs, draws, inputs set
# aside, and the corrections that were in force. A line of `slots.jsonl` is a slot as one generation
# computed it by one version: the batches that it made, and earlier ones with them that have a
# part of what was shared.
#
# Invariants: a line is written one way only; numbers of events are ranges, `3-7,9`, ascending and as few as
# can be.


LINEAGE: Final = "lineage.jsonl"
SLOTS: Final = "slots.jsonl"

EVENTS_MAX: Final = 100_000_000
"""Events that the ranges of one line may name."""


@dataclass(frozen=True, slots=True)
class SetRead:
    """Events of one type that some nodes read alike."""

    event_type: str
    nodes: list[str]
    events: str
    """As ranges."""
    versions: dict[str, int]
    """By event the state in which the batch saw it, where that is not its state 0."""


@dataclass(frozen=True, slots=True)
class DrawRead:
    """What a node drew of one batch of another ledger, in that ledger's unit."""

    node: str
    source: int
    amount: str
    attributes: list[str]
    """What travelled along, in the order in which the node lists it."""
    units: list[str]
    contributions: list[str | None] | None


@dataclass(frozen=True, slots=True)
class BatchLineage:
    """What a batch was made of."""

    batch: int
    inputs: list[SetRead]
    static_inputs: dict[str, list[int]]
    """The values that each node read."""
    skipped: list[str]
    """Inputs whose data were set aside."""
    draws: list[DrawRead]
    corrections: str
    """As ranges."""


@dataclass(frozen=True, slots=True)
class SlotLine:
    """A slot as one generation computed it by one version of a model."""

    generation: int
    model: int
    batches: list[int]
    """Those that it made there."""
    alongside: list[int]
    """The newest of the slot's other runs, and of its runs on other ledgers, when the generation ended."""


Line = TypeVar("Line")


def read_lines(kind: type[Line], content: memoryview, part: str) -> Iterator[Line]:
    """The lines of a part; UnreadableError when one is not written as it should be."""
    for text in split_lines(content, part):
        try:
            yield read_record(kind, text.encode() + b"\n")
        except UnreadableError as error:
            raise UnreadableError(f"A line of {part} is wrong: {error}") from None


def write_ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers as ranges."""
    ranges: list[str] = []
    first = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue
        if first is not None:
            ranges.append(_write_range(first, last))
        first = last = number
    if first is not None:
        ranges.append(_write_range(first, last))
    return ",".join(ranges)


def _write_range(first: int, last: int | None) -> str:
    return str(first) if first == last else f"{first}-{last}"


def parse_ranges(ranges: str) -> list[int]:
    """The numbers of ranges; UnreadableError when they are not written as they should be."""
    numbers: list[int] = []
    try:
        for piece in ranges.split(",") if ranges else ():
            first, _, last = piece.partition("-")
            start, end = int(first), int(last or first)
            if end - start + len(numbers) >= EVENTS_MAX:
                raise UnreadableError(f"{ranges[:60]!r} are more than {EVENTS_MAX:,} numbers.")
            numbers += range(start, end + 1)
    except ValueError:
        raise UnreadableError(f"{ranges[:60]!r} are no ranges of numbers.") from None
    if write_ranges(numbers) != ranges or any(after <= before for before, after in pairwise(numbers)):
        raise UnreadableError(f"{ranges[:60]!r} are not written as ranges are.")
    return numbers
