"""Answers on a terminal: tables for people, JSON and CSV for pipes.

Numbers keep every digit in all three; in CSV no text begins as a formula does.
"""

import csv
import sys
from typing import Any, Final, NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table

from weighbridge.core.collection.custom_field import quoted

COLUMNS_MAX: Final = 7
"""Columns of a table for people; `--json` and `--csv` have all."""
WIDE: Final = 1_000
"""How wide a table is that goes to no terminal."""

_encode: Final = msgspec.json.Encoder(decimal_format="number").encode
_LATER: Final = frozenset({"numeric_id", "ui_url", "created_at", "updated_at", "project_id"})
"""Fields that stand behind all others in a table, where there is room."""


class ShownForm(NamedTuple):
    """How an answer is shown."""

    as_json: bool
    as_csv: bool = False
    limit: int = 0


def show(answer: Any, form: ShownForm) -> None:
    """Write the answer to standard output."""
    if isinstance(answer, bytes):
        sys.stdout.buffer.write(answer)
    elif isinstance(answer, str):
        sys.stdout.write(answer)
    elif form.as_json:
        sys.stdout.write(msgspec.json.format(_encode(answer), indent=2).decode() + "\n")
    elif isinstance(answer, list):
        (_write_csv if form.as_csv else _write_table)([_fields(one) for one in answer])
    elif answer is not None:
        _write_record(_fields(answer))


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a record, those that hold others as JSON."""
    return {name: _cell(value) for name, value in msgspec.structs.asdict(record).items()}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return _encode(value).decode().strip('"')


def _write_csv(rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: quoted(cell) for name, cell in row.items()} for row in rows)


def _write_table(rows: list[dict[str, Any]]) -> None:
    if not rows:
        sys.stderr.write("There are none.\n")
        return
    console = Console(width=None if sys.stdout.isatty() else WIDE)
    table = Table(box=None, pad_edge=False, header_style="bold")
    names = _fitting(rows, console.width)
    for name in names:
        table.add_column(name, no_wrap=True)
    for row in rows:
        table.add_row(*(row[name] for name in names))
    console.print(table)


def _fitting(rows: list[dict[str, Any]], width: int) -> list[str]:
    """The columns that fit side by side, the first two in any case."""
    plain = [name for name, cell in rows[0].items() if not cell.startswith(("{", "["))]
    chosen: list[str] = []
    for name in sorted(plain, key=lambda one: one in _LATER)[:COLUMNS_MAX]:
        width -= 1 + max(len(name), *(len(row[name]) for row in rows))
        if width < 0 and len(chosen) > 1:
            break
        chosen.append(name)
    return chosen


def _write_record(row: dict[str, Any]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, cell in row.items():
        table.add_row(name, cell)
    Console().print(table)
