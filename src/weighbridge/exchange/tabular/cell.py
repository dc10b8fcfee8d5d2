"""A cell is the text of one value; here it is read as the number, the yes or no, or the text that it says.

Invariants: a number is taken to the last digit or refused; nothing is guessed, neither a thousands
separator nor a word for zero. The quick test of a number accepts only what the full rule accepts too.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class MissingMarks:
    """The cells that say that there is no value; a mark that is a number, such as -9999, is one however it is
    written: -9999.0 says the same.
    """

    texts: frozenset[str] = frozenset({""})
    numbers: frozenset[Decimal] = frozenset()

    @classmethod
    def of(cls, texts: Iterable[str], *, decimal_comma: bool = False) -> "MissingMarks":
        """The marks as a file has them; an empty cell is always one."""
        kept = frozenset(text.strip() for text in texts) | {""}
        return cls(kept, frozenset(_numbers_among(kept, decimal_comma=decimal_comma)))


def _numbers_among(texts: Iterable[str], *, decimal_comma: bool) -> Iterable[Decimal]:
    for text in texts:
        # A mark may be written in either way, whatever the file has.
        for comma in {decimal_comma, False}:
            try:
                yield read_number(text, decimal_comma=comma)
            except CellError:
                continue


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
