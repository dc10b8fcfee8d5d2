"""Read and write the asset spreadsheet: a CSV file (RFC 4180) with a line for each asset.

Its columns are the standard ones, then the custom fields of the project by label. A missing column
leaves values unchanged; a blank cell removes a value.

Invariants: reading what was written gives the same assets. A line is identified by the line of the file
where it begins.
"""

import csv
import io
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.collection.records.projects import Asset
from weighbridge.core.collection.custom_field import (
    STANDARD_COLUMNS,
    TEXT_LENGTH_MAX,
    CustomValueError,
    checked,
    checked_text,
    find_standard_column,
    quote_cell,
    read_cell,
    unquote_cell,
    write_cell,
)
from weighbridge.core.identity import NAME_LENGTH_MAX, explain_unseen, problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid

BLANK_LINES_MAX: Final = 10_000
"""Blank lines before and between the others."""

MEDIA_TYPE: Final = "text/csv"
MARK: Final = BOM_UTF8
"""What a file begins with, for spreadsheet programs to know UTF-8; without it they save other letters."""

OTHER_SEPARATORS: Final = (";", "\t")
"""What programs in some languages write between cells in place of a comma."""

ROWS_MAX: Final = 10_000
"""Lines of an asset spreadsheet that are taken in one request, beside its header."""

PROBLEMS_MAX: Final = 100
"""Problems named in one refusal of a spreadsheet."""

TEXT_FIELDS: Final[Mapping[str, int]] = {
    "asset_type": NAME_LENGTH_MAX,
    "serial_number": NAME_LENGTH_MAX,
    "description": TEXT_LENGTH_MAX,
}
"""The texts beside the name, and the most characters that each may have."""

CONTENT: Final = ("name", *TEXT_FIELDS, "custom_fields")
"""What a line says of an asset, by field."""

LINES: Final = frozenset({"asset_type", "serial_number"})
"""Those of them that are one line, of characters that are seen."""


@dataclass(frozen=True, slots=True)
class SheetLine:
    """What a line of a spreadsheet asks for: a change of the asset that it names, or a new one."""

    number: int
    id: str | None
    change: Mapping[str, Any]
    """The fields of the columns that the file has; of the custom fields, their values by label."""

    def problem(self, column: str, message: str, code: str = "invalid") -> Problem:
        """A problem of one of its cells; the message goes on from the column's name."""
        return _problem(self.number, column, message, code)


def write_header(value_types: Mapping[str, str]) -> list[str]:
    """The cells of the first line, in their order."""
    return [*STANDARD_COLUMNS, *map(quote_cell, value_types)]


def write_lines(rows: Sequence[Sequence[str]]) -> bytes:
    """Write lines of cells as RFC 4180 has them."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode()


def write_cells(asset: Asset, value_types: Mapping[str, str]) -> list[str]:
    """The cells of an asset's line."""
    texts = (asset.name, asset.asset_type, asset.serial_number, asset.description)
    values = (
        write_cell(value_type, asset.custom_fields[label]) if label in asset.custom_fields else ""
        for label, value_type in value_types.items()
    )
    return [asset.id, *(quote_cell(text or "") for text in texts), *values]


def read(text: str, value_types: Mapping[str, str]) -> tuple[list[SheetLine], list[Problem]]:
    """Read the lines of a spreadsheet, and what is wrong with those that are left out.

    Raises Invalid when the header or the form of the file is wrong.
    """
    records = _records(text)
    _, cells = next(records, (1, []))
    columns = _columns(cells, value_types)
    lines: list[SheetLine] = []
    problems: list[Problem] = []
    for count, (number, row) in enumerate(records, 1):
        if count > ROWS_MAX:
            message = f"The spreadsheet has more than {ROWS_MAX:,} lines; send it in parts."
            raise Invalid([Problem(message, f"lines[{number}]", "too_many")])
        if len(row) != len(columns):
            message = f"Line {number:,} has {len(row)} cells, but the header has {len(columns)}."
            problems.append(Problem(message, f"lines[{number}]", "invalid"))
        else:
            before = len(problems)
            line = _line(number, dict(zip(columns, row, strict=True)), value_types, problems)
            lines += [line] if len(problems) == before else []
        if len(problems) > PROBLEMS_MAX:
            break
    return lines, problems


def _records(text: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that hold anything, each with the number where it begins; cells may hold line breaks."""
    reader = csv.reader(io.StringIO(_without_blank_end(text), newline=""), strict=True)
    begin, blank = 1, 0
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            message = f"Line {begin:,} is not CSV: {error}."
            raise Invalid([Problem(message, f"lines[{begin}]", "invalid")]) from None
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield begin, cells
        else:
            blank += 1
            if blank > BLANK_LINES_MAX:
                message = f"The spreadsheet has more than {BLANK_LINES_MAX:,} blank lines; leave them out."
                raise Invalid([Problem(message, f"lines[{begin}]", "too_many")])
        begin = reader.line_num + 1


def _without_blank_end(text: str) -> str:
    """The text up to the end of its last line that holds anything: programs append any number of blank ones.

    What is cut off has no quotes, so it begins in no cell that a quote has opened.
    """
    end = text.find("\n", len(text.rstrip("\r\n\t ,")))
    return text if end < 0 else text[: end + 1]


def _columns(cells: Sequence[str], value_types: Mapping[str, str]) -> list[str]:
    """The columns that a header names, checked against those that the project's spreadsheet has."""
    if len(cells) == 1 and (others := [mark for mark in OTHER_SEPARATORS if mark in cells[0]]):
        message = (
            f"The first line is one cell, {shorten(cells[0])!r}; separate cells by commas, not {others[0]!r}."
        )
        raise Invalid([Problem(message, "header", "invalid")])
    named = [_column(cell, value_types) for cell in cells]
    problems = [
        Problem(f"The column {name!r} is given {times} times; give it once.", name, "conflict")
        for name, times in Counter(named).items()
        if times > 1
    ]
    unknown = list(
        dict.fromkeys(name for name in named if not (find_standard_column(name) or name in value_types))
    )
    if unknown:
        allowed = ", ".join(map(repr, [*STANDARD_COLUMNS, *value_types]))
        message = ", ".join(map(repr, unknown))
        problems.append(
            Problem(f"The asset spreadsheet has no column {message}; it has {allowed}.", "header", "unknown")
        )
    if not {"id", "name"}.intersection(named):
        message = "The first line names neither the column 'id' nor 'name', by one of which assets are found."
        problems.append(Problem(message, "header", "required"))
    if problems:
        raise Invalid(problems)
    return named


def _column(cell: str, value_types: Mapping[str, str]) -> str:
    name = unquote_cell(cell).strip()
    return name if name in value_types else find_standard_column(name) or name


def _line(
    number: int, cells: Mapping[str, str], value_types: Mapping[str, str], problems: list[Problem]
) -> SheetLine:
    friendly = cells.get("id", "").strip() or None
    fields: dict[str, Any] = {}
    if "name" in cells:
        fields["name"] = unquote_cell(cells["name"]).strip()
        if wrong := problem_of_name(fields["name"], f"The asset of line {number:,}", f"lines[{number}].name"):
            problems.append(wrong)
    elif friendly is None:
        problems.append(_problem(number, "id", "is blank, and there is no column 'name'", "required"))
    for name, longest in TEXT_FIELDS.items():
        if name in cells:
            fields[name] = _text(number, name, cells[name], longest, problems)
    custom = {label: cell for label, cell in cells.items() if label in value_types}
    values = {
        label: _value(number, label, value_types[label], cell, problems) for label, cell in custom.items()
    }
    return SheetLine(number, friendly, {**fields, "custom_fields": values})


def _text(number: int, name: str, cell: str, longest: int, problems: list[Problem]) -> str | None:
    text = unquote_cell(cell)
    if name in LINES and (unseen := explain_unseen(text)):
        problems.append(_problem(number, name, unseen))
        return None
    try:
        return checked_text(text, longest) if text.strip() else None
    except CustomValueError as error:
        problems.append(_problem(number, name, str(error).removesuffix(".")))
        return None


def _value(number: int, label: str, value_type: str, cell: str, problems: list[Problem]) -> Any:
    if not cell.strip():
        return None
    try:
        return read_cell(value_type, cell)
    except CustomValueError as error:
        problems.append(_problem(number, label, str(error).removesuffix(".")))
        return None


def _problem(number: int, column: str, message: str, code: str = "invalid") -> Problem:
    return Problem(f"Line {number:,}, column {column!r}: it {message}.", f"lines[{number}].{column}", code)


# What becomes of an asset by a line, and which values its custom fields take.


def problems_of_custom_fields(values: Mapping[str, Any], value_types: Mapping[str, str]) -> Iterator[Problem]:
    """What is wrong with values by label; null stands for no value."""
    for label, value in values.items():
        field = f"asset.custom_fields.{label}"
        if label not in value_types:
            allowed = ", ".join(map(repr, value_types)) or "none"
            message = f"{label!r} is no custom field of the project's assets, which have {allowed}."
            yield Problem(message, field, "unknown")
        elif value is not None:
            try:
                checked(value_types[label], value)
            except CustomValueError as error:
                yield Problem(f"{field} {error}", field, "invalid")


def merge_change(before: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The content of an asset after a line; a custom field without a column keeps its value."""
    values = {**before["custom_fields"], **change["custom_fields"]}
    custom = {label: value for label, value in sorted(values.items()) if value is not None}
    return {**before, **change, "custom_fields": custom}
