"""The line of units that stands below the header of many historians' exports: `;°C;bar;kg/h`.

Invariant: a line that holds anything of a row, a number or a time, is never taken for one of units.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from weighbridge.collection.records.data_points import DataPointType
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, parse_decimal, shorten
from weighbridge.core.quantity.unit import UnitError, conversion, parse_unit
from weighbridge.exchange.data_feeds.records import FeedColumn
from weighbridge.exchange.tabular.columns import TIME_FIELDS
from weighbridge.exchange.tabular.file import FileRow
from weighbridge.exchange.tabular.table import RowTable

_BRACKETED: Final = re.compile(r"\[(?P<square>[^\[\]]*)\]|\((?P<round>[^()]*)\)")
_DIGIT: Final = re.compile(r"\d")
_DIGITS_OF_TIME: Final = 6
"""Digits from which on a text is a time and no name of a zone, such as UTC+03:00."""


def taken_from(table: RowTable) -> FileRow | None:
    """The first line below the header that is not blank, which is no row any more."""
    return next((row for row in table.rows if row.cells), None)


def units_by_column(
    header: Sequence[str],
    fields: Sequence[str | None],
    line: FileRow | None,
    points: Mapping[str, DataPointType],
    said: Mapping[str, FeedColumn],
) -> tuple[dict[str, str], list[Problem]]:
    """The units of the columns of numbers by the line, and what is wrong with it.

    A unit that the data feed says as well has to be the same; where the line has one that is not known, what
    the data feed says stands.
    """
    if line is None:
        return {}, [Problem("The file has no line of units below its header.", "units_line", "required")]
    if len(line.cells) != len(header):
        text = f"Line {line.line} of units has {len(line.cells)} cells, but the header has {len(header)}."
        return {}, [Problem(text, "units_line", "invalid")]
    units: dict[str, str] = {}
    problems: list[Problem] = []
    for name, field, cell in zip(header, fields, line.cells, strict=True):
        text = unit_in(cell)
        point = points.get(field or "")
        if field in TIME_FIELDS and point is None and len(_DIGIT.findall(text)) >= _DIGITS_OF_TIME:
            problems.append(_problem(line, name, cell, "which is a time, so that the line is a row"))
        if point is None or point.value_type != "number" or not text:
            continue
        own = said[name].unit if name in said else None
        problem = _problem_of_unit(text, own, point.unit)
        if problem is not None:
            problems.append(_problem(line, name, cell, problem))
        elif own is None:
            units[name] = text
    return units, problems


def unit_in(cell: str) -> str:
    """What a cell of the line says: a unit, with brackets around it or without."""
    text = cell.strip()
    if match := _BRACKETED.fullmatch(text):
        return (match["square"] or match["round"] or "").strip()
    return text


def is_line_of_units(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Whether the first line of a sample looks like units: over numbers units, and no number itself."""
    over = [unit_in(cell) for cell, number in zip(cells, below, strict=False) if _is_number(number)]
    said = [text for text in over if text]
    return bool(said) and not any(map(_is_number, cells)) and all(_is_unit(text) for text in said)


def _problem_of_unit(text: str, own: str | None, target: str | None) -> str | None:
    if _is_number(text):
        return "which is a number, so that the line is a row"
    try:
        found = conversion(parse_unit(text), parse_unit(target or ""))
    except UnitError as error:
        return None if own is not None and not _is_unit(text) else str(error).rstrip(".")
    if own is not None and found != conversion(parse_unit(own), parse_unit(target or "")):
        return f"and the data feed says that it is in {own!r}"
    return None


def _problem(line: FileRow, name: str, cell: str, said: str) -> Problem:
    text = f"Line {line.line} of units has {shorten(cell)!r} for the column {shorten(name)!r}, {said}."
    return Problem(text, "units_line", "invalid")


def _is_number(text: str) -> bool:
    try:
        parse_decimal(text.strip().replace(",", ".", 1))
    except NumberError:
        return False
    return True


def _is_unit(text: str) -> bool:
    try:
        parse_unit(text)
    except UnitError:
        return False
    return True
