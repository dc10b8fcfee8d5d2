"""What cells of a workbook refer to: shared texts, and the styles by which a number is a date.

Invariants: what is held in memory is bounded; a date is worked out of decimals, to the millisecond.
"""

import posixpath
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

from weighbridge.core.quantity.number import NumberError, parse_decimal, shorten
from weighbridge.errors import Refusal
from weighbridge.exchange.tabular.cell import ReadyCell
from weighbridge.exchange.tabular.workbook import Attributes, Workbook

STRINGS_MAX: Final = 1_000_000
"""Shared texts of one workbook."""

_MAIN: Final = "xl/workbook.xml"
_RELATIONS: Final = "xl/_rels/workbook.xml.rels"
_STYLES: Final = "xl/styles.xml"
_STRINGS: Final = "xl/sharedStrings.xml"

_DATES: Final = frozenset({*range(14, 18), 22, *range(27, 32), *range(34, 37), *range(50, 59)})
_TIMES_OF_DAY: Final = frozenset({*range(18, 22), 32, 33, *range(45, 48)})
"""Numbers of the forms of dates and times that every workbook has (ECMA-376 part 1, 18.8.30)."""

_NOT_LETTERS: Final = re.compile(r'"[^"]*(?:"|\Z)|\\.|\[[^\]]*(?:\]|\Z)|_.|\*.')
"""What of a form shows no date; a bracket or a quote that nothing closes goes to the end."""

_MILLISECONDS_OF_DAY: Final = Decimal(86_400_000)
_EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - a sheet knows no zones
_EPOCH_1904: Final = datetime(1904, 1, 1)  # noqa: DTZ001 - as above
_LEAP_DAY_THAT_WAS_NOT: Final = 60
_DAYS_MAX: Final = 2_958_466
"""The day after the last one of the year 9999."""


class WrongDateError(ValueError):
    """A number that is shown as a date is none."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The sheet that is read, and what its cells refer to."""

    sheet: str
    strings: list[str]
    dates: list[bool]
    """By the number of a style: whether numbers are dates or times there."""
    is_1904: bool

    def meaning(self, kind: str, style: int, raw: str) -> str:
        """What a cell says; WrongDateError where it is no date, ValueError where it is nothing at all."""
        if kind == "s":
            return self.strings[_index(raw)]
        if kind in {"str", "inlineStr", "e"} or not raw.strip():
            return raw
        if kind == "b":
            return ReadyCell("true" if raw.strip() == "1" else "false")
        if kind == "d":
            return ReadyCell(raw.strip())
        if style < len(self.dates) and self.dates[style]:
            return ReadyCell(self._moment(raw.strip()))
        return ReadyCell(raw.strip())

    def _moment(self, raw: str) -> str:
        """The time that a number means: days since the end of 1899, or since 1904."""
        try:
            days = parse_decimal(raw)
        except NumberError:
            raise WrongDateError(f"{shorten(raw)!r} is no date of a workbook") from None
        is_early = not self.is_1904 and days < _LEAP_DAY_THAT_WAS_NOT + 1
        if not 0 <= days < _DAYS_MAX or (is_early and days >= _LEAP_DAY_THAT_WAS_NOT):
            raise WrongDateError(f"{shorten(raw)!r} is no date of a workbook, which go from 1900 to 9999")
        whole = (days * _MILLISECONDS_OF_DAY).quantize(Decimal(1), ROUND_HALF_EVEN)
        if days < 1:
            return (_EPOCH + timedelta(milliseconds=int(whole))).time().isoformat()
        epoch = _EPOCH_1904 if self.is_1904 else _EPOCH + timedelta(days=is_early)
        try:
            moment = epoch + timedelta(milliseconds=int(whole))
        except OverflowError:
            raise WrongDateError(f"{shorten(raw)!r} lies behind the year 9999") from None
        is_day = days == days.to_integral_value()
        return moment.date().isoformat() if is_day else moment.isoformat()


def parts_of(workbook: Workbook, sheet: str | None) -> Parts:
    """Find a sheet by its name, or the first, and read what its cells refer to."""
    sheets: list[tuple[str, str]] = []
    is_1904 = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal is_1904
        if name == "sheet":
            relation = next((attributes[one] for one in attributes if one.endswith(" id")), "")
            sheets.append((attributes.get("name", ""), relation))
        elif name == "workbookPr":
            is_1904 = attributes.get("date1904", "0") in {"1", "true"}

    if not workbook.has(_MAIN):
        raise Refusal(f"The file {workbook.name} is a ZIP archive, and no workbook of the form XLSX.")
    workbook.parse(_MAIN, start)
    targets: dict[str, str] = {}
    workbook.parse(
        _RELATIONS,
        lambda name, attributes: (
            targets.update({attributes.get("Id", ""): attributes.get("Target", "")})
            if name == "Relationship"
            else None
        ),
    )
    relation = next((one for name, one in sheets if sheet in {None, name}), None)
    if relation is None:
        there = shorten(", ".join(repr(name) for name, _ in sheets), 300) or "none"
        raise Refusal(f"The workbook {workbook.name} has no sheet {sheet!r}; it has {there}.")
    target = targets.get(relation, "")
    path = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
    if not workbook.has(path):
        raise Refusal(f"The workbook {workbook.name} lacks its sheet; it is damaged.")
    return Parts(path, _strings(workbook), _date_styles(workbook), is_1904)


def _index(raw: str) -> int:
    number = int(raw)
    if number < 0:
        raise ValueError
    return number


class _SharedTexts:
    """Gathers the shared texts; what is only read aloud beside one (rPh) is no part of it."""

    def __init__(self, name: str) -> None:
        self.texts: list[str] = []
        self._name = name
        self._pieces: list[str] = []
        self._is_text = self._is_aloud = False

    def start(self, name: str, _: Attributes) -> None:
        """Begin an element."""
        if name == "si":
            self._pieces = []
        elif name == "t":
            self._is_text = True
        elif name == "rPh":
            self._is_aloud = True

    def end(self, name: str) -> None:
        """End an element."""
        if name == "t":
            self._is_text = False
        elif name == "rPh":
            self._is_aloud = False
        elif name == "si":
            self.texts.append("".join(self._pieces))
            if len(self.texts) > STRINGS_MAX:
                raise Refusal(f"The workbook {self._name} has more than {STRINGS_MAX:,} shared texts.")

    def text(self, said: str) -> None:
        """Take some characters."""
        if self._is_text and not self._is_aloud:
            self._pieces.append(said)


def _strings(workbook: Workbook) -> list[str]:
    shared = _SharedTexts(workbook.name)
    if workbook.has(_STRINGS):
        workbook.parse(_STRINGS, shared.start, shared.end, shared.text)
    return shared.texts


def _date_styles(workbook: Workbook) -> list[bool]:
    """By the number of a style: whether it shows a number as a date or a time of day."""
    dates = {str(number): True for number in _DATES | _TIMES_OF_DAY}
    forms: list[str] = []
    is_inside = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal is_inside
        if name == "numFmt":
            dates[attributes.get("numFmtId", "")] = _is_date(attributes.get("formatCode", ""))
        elif name == "cellXfs":
            is_inside = True
        elif name == "xf" and is_inside:
            forms.append(attributes.get("numFmtId", "0"))

    def end(name: str) -> None:
        nonlocal is_inside
        if name == "cellXfs":
            is_inside = False

    if workbook.has(_STYLES):
        workbook.parse(_STYLES, start, end)
    return [dates.get(form, False) for form in forms]


def _is_date(form: str) -> bool:
    letters = _NOT_LETTERS.sub("", form).partition(";")[0].lower()
    return letters != "general" and bool(re.search("[dmyhs]", letters))
