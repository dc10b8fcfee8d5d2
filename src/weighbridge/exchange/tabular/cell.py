"""A cell is the text of one value; here it is read as the number, the yes or no, or the text that it says.

Invariants: a number is taken to the last digit or refused; nothing is guessed, neither a thousands
separator nor a word for zero. The quick test of a number accepts only what the full rule accepts too.
"""

import re
from decimal import Decimal
from typing import Final

from weighbridge.core.quantity.number import DIGITS_MAX, NumberError, parse_decimal, shorten

TRUE_WORDS: Final = frozenset({"true", "yes", "1"})
FALSE_WORDS: Final = frozenset({"false", "no", "0"})

_QUICK_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class ReadyCell(str):
    """What a workbook says by itself: a number with a point, or a time in ISO 8601."""

    __slots__ = ()


class CellError(ValueError):
    """A cell does not say what its column takes; the message continues a sentence after the column."""


def read_number(text: str, *, decimal_comma: bool = False) -> Decimal:
    """Read a number with a decimal point, or with a decimal comma."""
    said = text
    if decimal_comma and not isinstance(text, ReadyCell):
        if "." in text:
            raise CellError(f"{shorten(text)!r} has a point, but the file has decimal commas")
        text = text.replace(",", ".", 1)
    if len(text) <= DIGITS_MAX and _QUICK_NUMBER.fullmatch(text):
        return Decimal(text)
    try:
        return parse_decimal(text)
    except NumberError as error:
        raise CellError(_clause(error, said)) from None


def read_boolean(text: str) -> bool:
    """Read a yes or no."""
    word = text.lower()
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise CellError(f"{shorten(text)!r} is neither true, yes, 1 nor false, no, 0")


def _clause(error: NumberError, said: str) -> str:
    sentence = str(error).rstrip(".")
    if not sentence.endswith("is not a decimal number"):
        return sentence
    hint = "; for decimal commas there is --decimal-comma" if re.fullmatch(r"-?\d+,\d+", said) else ""
    return f"{shorten(said)!r} is not a decimal number{hint}"
