"""Any list as a table: its records one after the other, with what is nested in them in columns of its own.

A field of a nested record is named with a dot, `primary_output.value`; a list stands as JSON. What has a list
of its own, and would fill a cell with hundreds of rows, is left out.
"""

import csv
import io
import types
import typing
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, cast

import msgspec

from weighbridge.core.identity import Link
from weighbridge.core.platform.tasks import ColumnKind, ExportColumn, guard_cell
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import PAGE_SIZE_MAX
from weighbridge.db.lists.page import Page
from weighbridge.http.wire import Encode

LEFT_OUT: Final = frozenset({"input_data", "input_data_next", "allocations", "downstream_batch_allocations"})
"""Fields of batches that have lists of their own."""

_READ: Final = msgspec.json.Decoder(dict[str, Any], float_hook=Decimal).decode
_WRITE: Final = msgspec.json.Encoder(decimal_format="number").encode

Query = Sequence[tuple[str, str]]
ReadPage = Callable[[Read, Query], Awaitable[Page[Any]]]
"""Reads one page of a list, by its query."""


@dataclass(frozen=True, slots=True)
class RecordTable:
    """The records of a list that is walked from its first page to its last."""

    record: type[msgspec.Struct]
    read: ReadPage
    query: Query
    encode: Encode

    @property
    def columns(self) -> Sequence[ExportColumn]:
        return [ExportColumn(".".join(path), kind) for path, kind in self._paths()]

    async def csv(self, tx: Read, *, guards: bool) -> AsyncIterator[bytes]:
        paths = self._paths()
        yield _write_lines([[".".join(path) for path, _ in paths]])
        cursor: str | None = None
        while True:
            behind = () if cursor is None else (("cursor", cursor),)
            page = await self.read(tx, [*self.query, ("page_size", str(PAGE_SIZE_MAX)), *behind])
            yield _write_lines(self._build_cells(record, paths, guards=guards) for record in page.data)
            cursor = page.info.next_cursor
            if cursor is None:
                return

    def _paths(self) -> list[tuple[tuple[str, ...], ColumnKind]]:
        return [*_list_paths(self.record)]

    def _build_cells(
        self, record: msgspec.Struct, paths: Sequence[tuple[tuple[str, ...], ColumnKind]], *, guards: bool
    ) -> list[str | None]:
        fields = _READ(self.encode(record))
        return [_format_cell(_find_value(fields, path), kind, guards=guards) for path, kind in paths]


def _list_paths(record: type[msgspec.Struct]) -> Iterator[tuple[tuple[str, ...], ColumnKind]]:
    hints = typing.get_type_hints(record)
    for field in msgspec.structs.fields(record):
        if field.encode_name in LEFT_OUT:
            continue
        of_field = _strip_optional(hints[field.name])
        if isinstance(of_field, type) and issubclass(of_field, msgspec.Struct):
            for path, kind in _list_paths(of_field):
                yield (field.encode_name, *path), kind
        else:
            yield (field.encode_name,), _find_kind(field.encode_name, of_field)


def _strip_optional(hint: Any) -> Any:
    """A type without what may be in its place, where only one is left."""
    if typing.get_origin(hint) in {typing.Union, types.UnionType}:
        type_arguments = [
            type_argument
            for type_argument in typing.get_args(hint)
            if type_argument not in {type(None), msgspec.UnsetType}
        ]
        return _strip_optional(type_arguments[0]) if len(type_arguments) == 1 else None
    return hint


def _find_kind(name: str, of_field: Any) -> ColumnKind:
    if of_field in {Decimal, int}:
        return ColumnKind.NUMBER
    if of_field is bool:
        return ColumnKind.TRUTH
    if of_field is Instant:
        return ColumnKind.MOMENT
    return ColumnKind.WORD if of_field is Link or name == "id" or name.endswith("_id") else ColumnKind.TEXT


def _find_value(record: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = record
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _format_cell(value: Any, kind: ColumnKind, *, guards: bool) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return _WRITE(value).decode() if value else None
    text = format(value, "f") if isinstance(value, Decimal) else str(value)
    return guard_cell(text) if guards and kind is ColumnKind.TEXT else text


def _write_lines(rows: Any) -> bytes:
    """Rows as CSV, in which null is an empty cell and an empty text is quoted."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    for row in rows:
        if "" in row:
            output.write(",".join(map(_quote, row)) + "\n")
        else:
            writer.writerow(row)
    return output.getvalue().encode()


def _quote(cell: str | None) -> str:
    return "" if cell is None else '"' + cell.replace('"', '""') + '"'


def find_record(returns: Any) -> type[msgspec.Struct]:
    """The record of a list, of what its operation returns: `Page[Batch]` is of batches."""
    return cast("type[msgspec.Struct]", typing.get_args(returns)[0])
