"""JSON Lines as a table: each line is an object, its names are the columns, and a number keeps its digits.

Invariants: no number is a binary float; an object within an object gives columns such as `tag.name`; a name
that is twice in an object, a list, or a name that the first lines do not have makes its row bad.
"""

import io
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from typing import Any, BinaryIO, Final

from weighbridge.core.collection.data_feed import COLUMNS_MAX
from weighbridge.core.number import shorten
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.cell import ReadyCell
from weighbridge.exchange.tables.table import (
    BadRow,
    CsvFile,
    FileRow,
    RowProblem,
    find_codec,
    read_lines,
    reading_of,
)

LINES_FOR_COLUMNS: Final = 100
"""Lines whose names are the columns."""

_DEPTH_MAX: Final = 8
"""How deep objects may be nested."""


class _TwiceError(ValueError):
    """A name stands twice in an object."""


class JsonLines:
    """The objects of a file as rows."""

    formulas = 0

    def __init__(self, file: CsvFile, raw: BinaryIO, content: BinaryIO, opened: ExitStack) -> None:
        self._raw = raw
        self._title = file.title
        text = opened.enter_context(io.TextIOWrapper(content, find_codec(file), newline=""))
        lines = enumerate(reading_of(file, read_lines(file, text)), 1)
        head = [*islice(((at, line) for at, line in lines if line.strip()), LINES_FOR_COLUMNS)]
        objects = [self._parse(line) for _, line in head]
        self.header = [*dict.fromkeys(name for one in objects if isinstance(one, dict) for name in one)]
        if not self.header:
            raise Refusal(f"The file {file.title} has no object of JSON on its first lines.")
        if len(self.header) > COLUMNS_MAX:
            raise Refusal(f"The file {file.title} has more than {COLUMNS_MAX:,} names in its objects.")
        self._places = {name: at for at, name in enumerate(self.header)}
        self._problems: dict[int, str] = {}
        self.rows: Iterator[FileRow] = self._read(chain(head, lines))

    @property
    def bytes_read(self) -> int:
        """How far the reading has come, of the bytes of the file."""
        return self._raw.tell()

    def refusal(self, row: FileRow) -> BadRow | None:
        """Why a line is no row."""
        reason = self._problems.pop(row.line, None)
        return None if reason is None else BadRow(row.line, (RowProblem(reason),))

    def _read(self, lines: Iterator[tuple[int, str]]) -> Iterator[FileRow]:
        for number, line in lines:
            if not line.strip():
                continue
            one = self._parse(line)
            cells = [""] * len(self.header)
            if isinstance(one, str):
                self._problems[number] = one
            else:
                for name, cell in one.items():
                    at = self._places.get(name)
                    if at is None:
                        self._problems[number] = (
                            f"it has {shorten(name)!r}, which none of the first {LINES_FOR_COLUMNS} lines has"
                        )
                    else:
                        cells[at] = cell
            yield FileRow(number, cells)

    @staticmethod
    def _parse(line: str) -> dict[str, str] | str:
        """The cells of a line by their names, or why it has none."""
        try:
            found = json.loads(
                line, parse_float=ReadyCell, parse_int=ReadyCell, parse_constant=str, object_pairs_hook=_pair
            )
            if not isinstance(found, dict):
                return "it is no object of JSON"
            return dict(_flatten(found, "", 0))
        except _TwiceError as error:
            return f"its object has {shorten(str(error))!r} twice"
        except (ValueError, RecursionError) as error:
            return f"it is no object of JSON that can be read: {shorten(str(error), 100)}"


def _pair(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return found


def _flatten(found: dict[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, value in found.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict) and depth < _DEPTH_MAX:
            yield from _flatten(value, f"{path}.", depth + 1)
        elif isinstance(value, dict | list):
            raise ValueError(f"{shorten(path)!r} is a list or lies too deep")
        elif value is None:
            yield path, ""
        else:
            yield path, ReadyCell(str(value).lower()) if isinstance(value, bool) else value
