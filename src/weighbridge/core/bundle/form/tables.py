"""The tables of a bundle: one entry for each, from which they are written, read, described and documented.

Invariants: a table has its header first, then its rows in the order of their keys, each key once.
"""

import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, NamedTuple

from weighbridge.core.bundle.form import rows
from weighbridge.core.bundle.form.fault import UnreadableError
from weighbridge.core.bundle.form.text_form import LINE_BYTES_MAX, TextKind, fields_of, line_of, read, write
from weighbridge.core.time.instant import Instant

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


def columns_of(row: type) -> tuple[BundleColumn, ...]:
    """The columns that the fields of a row make."""
    made = []
    for name, hint in typing.get_type_hints(row).items():
        choices = typing.get_args(hint) if typing.get_origin(hint) in _UNIONS else (hint,)
        [kind] = [one for one in choices if one is not types.NoneType]
        made.append(BundleColumn(name, _KINDS[kind], len(choices) > 1))
    return tuple(made)


@dataclass(frozen=True)
class BundleTable:
    """A table: its part, what a row is, and how many of its columns tell rows apart."""

    part: str
    row: Callable[..., Any]
    keys: int
    columns: tuple[BundleColumn, ...]

    @cached_property
    def header(self) -> str:
        """The first line."""
        return line_of(column.name for column in self.columns)

    def line(self, row: Sequence[Any]) -> str:
        """A row as its line."""
        pairs = zip(self.columns, row, strict=True)
        return line_of(write(column.kind, value) for column, value in pairs)

    def text(self, written: Iterable[Sequence[Any]]) -> Iterator[bytes]:
        """The table as bytes, its rows in the order of their keys."""
        yield self.header.encode()
        for row in written:
            yield self.line(row).encode()

    def values_of(self, line: str) -> list[Any]:
        """The values of a line; UnreadableError when it is none of this table."""
        try:
            fields = fields_of(line)
        except ValueError as error:
            raise UnreadableError(f"{line[:60]!r}: {error}.") from None
        if len(fields) != len(self.columns):
            raise UnreadableError(f"{line[:60]!r} has {len(fields)} fields in place of {len(self.columns)}.")
        return [
            read(column.kind, field, is_optional=column.is_optional, column=column.name)
            for column, field in zip(self.columns, fields, strict=True)
        ]


def lines_of(content: memoryview, part: str) -> Iterator[str]:
    """The lines of a text without their line ends; a line goes on within quotation marks."""
    rest, held = b"", ""
    for place in range(0, len(content), _BLOCK):
        *pieces, rest = (rest + bytes(content[place : place + _BLOCK])).split(b"\n")
        if max(len(rest), len(held)) > LINE_BYTES_MAX:
            raise UnreadableError(f"A line of {part} is longer than {LINE_BYTES_MAX:,} bytes.")
        for piece in pieces:
            try:
                held += piece.decode()
            except UnicodeDecodeError:
                raise UnreadableError(f"{part} is no UTF-8: {piece[:60]!r}.") from None
            if '"' in held and part.endswith(".csv") and held.count('"') % 2:
                held += "\n"
                continue
            yield held
            held = ""
    if rest or held:
        raise UnreadableError(f"{part} does not end with a line end.")


def rows_in(table: BundleTable, content: memoryview) -> Iterator[Any]:
    """The rows of a table; UnreadableError when it is not written as it should be."""
    lines = lines_of(content, table.part)
    if (header := next(lines, "") + "\n") != table.header:
        raise UnreadableError(f"The first line of {table.part} is {header[:100]!r}, not its columns.")
    before: list[Any] | None = None
    for line in lines:
        try:
            values = table.values_of(line)
        except UnreadableError as error:
            raise UnreadableError(f"A row of {table.part} cannot be read: {error}") from None
        key = values[: table.keys]
        if before is not None and not before < key:
            raise UnreadableError(
                f"Rows of {table.part} are sorted, each once; {key} stands behind {before}."
            )
        before = key
        yield table.row(*values)


def _table(part: str, row: type, keys: int = 1) -> BundleTable:
    return BundleTable(part, row, keys, columns_of(row))


LEDGERS: Final = _table("ledgers.csv", rows.BundledLedgerRow)
MODELS: Final = _table("models.csv", rows.ModelRow)
BATCHES: Final = _table("batches.csv", rows.BatchRow)
NODE_VALUES: Final = _table("node_values.csv", rows.NodeValueRow, 2)
EVENT_TYPES: Final = _table("event_types.csv", rows.EventTypeRow, 2)
METERS: Final = _table("meters.csv", rows.MeterRow, 2)
CORRECTIONS: Final = _table("corrections.csv", rows.CorrectionRow)
STATIC_INPUTS: Final = _table("static_inputs.csv", rows.StaticInputRow)
EVIDENCE: Final = _table("evidence.csv", rows.EvidenceRow)

ENTRIES: Final = _table("entries.csv", rows.EntryRow)
DEFICITS: Final = _table("deficits.csv", rows.DeficitRow)

_FIRST: Final = (
    BATCHES, CORRECTIONS, EVENT_TYPES, EVIDENCE, LEDGERS, METERS, MODELS, NODE_VALUES, STATIC_INPUTS,
)  # fmt: skip
TABLES: Final = {1: _FIRST, 2: (*_FIRST, DEFICITS, ENTRIES)}
"""By format, every table but those of events, which have columns of their own."""

EVENTS: Final = "events/"
"""The folder of the tables of events, one for each event type: `events/delivery.csv`."""

_EVENT_COLUMNS: Final = columns_of(rows.BundledEventRow)
_OF_VALUES: Final = {"number": TextKind.NUMBER, "string": TextKind.TEXT, "boolean": TextKind.FLAG}


def events_part(event_type: str) -> str:
    """The part in which the events of a type stand."""
    return f"{EVENTS}{event_type}.csv"


def events_table(event_type: str, points: Sequence[rows.EventTypeRow]) -> BundleTable:
    """The table of the events of a type: what every event has, and a column for each data point.

    A column is called by the slug of its data point behind a dot, so that it is told from the others.
    """
    for point in points:
        if point.value_type not in _OF_VALUES:
            raise UnreadableError(f"{event_type}.{point.data_point} is of no type: {point.value_type!r}.")
    own = [
        BundleColumn(f".{point.data_point}", _OF_VALUES[point.value_type], is_optional=True)
        for point in points
    ]
    return BundleTable(events_part(event_type), lambda *values: values, 2, (*_EVENT_COLUMNS, *own))


VALUES_FROM: Final = len(_EVENT_COLUMNS)
"""The index of the first value in a row of events."""
