"""A custom field is a column that a project adds to its assets; its values are checked like other fields.

A custom field has a label, and the type of its values. The checks of the fields that every named record has
(texts, lines, degrees and instants) take the value and the path of its field, and yield what is wrong.

Invariants: a label is not that of a standard column of the asset spreadsheet, in any case
and with anything between its words; a value that was checked comes back from its cell as it was, numbers to
the last digit.
"""

import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from types import NoneType
from typing import Final

from weighbridge.core.identity import problem_of_unseen
from weighbridge.core.number import NumberError, limit_number, parse_decimal, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant

VALUE_TYPES: Final = ("text", "number", "boolean", "date")
"""What the values of a custom field may be."""

STANDARD_COLUMNS: Final = ("id", "name", "asset_type", "serial_number", "description")
"""The columns that every asset spreadsheet has, in their order."""

LABEL_LENGTH_MAX: Final = 100
"""Characters of the label of a custom field."""

TEXT_LENGTH_MAX: Final = 10_000
"""Characters of a description, of a text that was measured, or of a text in a custom field."""

CustomValue = str | Decimal | int | bool

_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")

_BOOLEANS: Final = {"true": True, "false": False}
_TAKES: Final = {
    "text": "a text that is not blank",
    "number": "a number",
    "boolean": "true or false",
    "date": "a date such as 2025-01-31",
}


class CustomValueError(ValueError):
    """A value does not fit its custom field; the message goes on from the field's name."""


def check_label(label: str, field: str) -> Iterator[Problem]:
    """What is wrong with the label of a custom field, if anything is."""
    if not label:
        yield Problem("A custom field needs a label.", field, "required")
    elif len(label) > LABEL_LENGTH_MAX:
        message = f"{field} has {len(label)} characters; a label has at most {LABEL_LENGTH_MAX}."
        yield Problem(message, field, "invalid")
    elif unseen := problem_of_unseen(label, field):
        yield unseen
    elif find_standard_column(label):
        message = (
            f"{field} is {label!r}, a standard column of the asset spreadsheet; "
            f"its standard columns are {', '.join(STANDARD_COLUMNS)}."
        )
        yield Problem(message, field, "reserved")


def find_standard_column(label: str) -> str | None:
    """The standard column that the label reads as, as `Asset Type` reads as `asset_type`; None for others."""
    name = _BETWEEN_WORDS.sub("_", label.strip().casefold())
    return name if name in STANDARD_COLUMNS else None


def checked(value_type: str, value: object) -> CustomValue:
    """The value, when it is one of its type; CustomValueError otherwise."""
    match value_type, value:
        case "boolean", bool():
            return value
        case "number", bool():
            pass
        case "number", int() | Decimal():
            return _limit_number(Decimal(value))
        case "text", str() if value.strip():
            return checked_text(value, TEXT_LENGTH_MAX)
        case "date", str() if _is_date(value):
            return value
    raise CustomValueError(f"is {_describe_kind(value)}; it takes {_TAKES[value_type]}.")


def checked_text(value: str, longest: int) -> str:
    """The text, when it is not too long; CustomValueError otherwise."""
    if len(value) > longest:
        raise CustomValueError(f"has {len(value)} characters; allowed are {longest:,}.")
    return value


def write_cell(value_type: str, value: CustomValue) -> str:
    """Write a value as the cell of a spreadsheet."""
    match value:
        case bool():
            return str(value).lower()
        case Decimal():
            return format(value, "f")
        case str() if value_type == "text":
            return quote_cell(value)
    return str(value)


def read_cell(value_type: str, cell: str) -> CustomValue:
    """Read a value from the cell of a spreadsheet that is not blank."""
    text = cell.strip()
    match value_type:
        case "number":
            try:
                return parse_decimal(text)
            except NumberError as error:
                raise CustomValueError(f"is no number: {error}") from None
        case "boolean" if text.lower() in _BOOLEANS:
            return _BOOLEANS[text.lower()]
        case "text":
            return checked("text", unquote_cell(cell))
    return checked(value_type, text)


def _limit_number(value: Decimal) -> Decimal:
    try:
        return limit_number(value)
    except NumberError as error:
        raise CustomValueError(f"is out of limits: {error}") from None


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _describe_kind(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return repr(shorten(value)) if value.strip() else "blank"
        case int() | Decimal():
            return shorten(str(value))
    return {NoneType: "null", list: "a list"}.get(type(value), "an object")


# A spreadsheet is a table of texts that people open in a spreadsheet program; what they see is what we
# hold.
#
# A spreadsheet program computes a text that begins like a formula, even if the file quotes it.
# Such a text gets a leading single quote, which makes it a text again. Numbers are never quoted: what gets
# a quote is decided by the type of a column, not by the look of its cells.
#
# Invariants: `unquoted(quoted(text)) == text` for every text, and no quoted text begins with a formula
# start. A text that begins with quotes and then a formula start gets one more, so that reading takes only
# that away.


FORMULA_STARTS: Final = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""What makes a program take a text for a formula, also in full width."""

QUOTE: Final = "'"

_TO_QUOTE: Final = re.compile(f"{QUOTE}*[{re.escape(FORMULA_STARTS)}]")
_QUOTED: Final = re.compile(f"{QUOTE}+[{re.escape(FORMULA_STARTS)}]")


def quote_cell(text: str) -> str:
    """Write a text so that no program takes it for a formula."""
    return QUOTE + text if _TO_QUOTE.match(text) else text


def unquote_cell(cell: str) -> str:
    """Read a text that may have been quoted."""
    return cell[len(QUOTE) :] if _QUOTED.match(cell) else cell


LATITUDE_MAX: Final = 90
LONGITUDE_MAX: Final = 180


def problems_of_text(longest: int, text: str, field: str) -> Iterator[Problem]:
    """A text must not be blank, and has at most so many characters."""
    if not text.strip():
        yield Problem(f"{field} is blank; send null instead.", field, "invalid")
    try:
        checked_text(text, longest)
    except CustomValueError as error:
        yield Problem(f"{field} {error}", field, "invalid")


def problems_of_line(longest: int, text: str, field: str) -> Iterator[Problem]:
    """A line is a text of visible characters."""
    yield from problems_of_text(longest, text, field)
    if unseen := problem_of_unseen(text, field):
        yield unseen


def problems_of_degrees(limit: int, degrees: Decimal, field: str) -> Iterator[Problem]:
    """Degrees lie between a limit and its negative, and have no more digits than a number may have."""
    if not (degrees.is_finite() and degrees.copy_abs() <= limit):
        message = f"{field} is {shorten(str(degrees))}; it takes degrees from -{limit} to {limit}."
        yield Problem(message, field, "invalid")
        return
    try:
        limit_number(degrees)
    except NumberError as error:
        yield Problem(f"{field}: {error}", field, "invalid")


def problems_of_instant(moment: datetime, field: str) -> Iterator[Problem]:
    """A moment has a place in the calendar of UTC."""
    try:
        Instant.of(moment)
    except OverflowError:
        message = f"{field} is {moment}, which in UTC is outside the years 1 to 9999."
        yield Problem(message, field, "invalid")
