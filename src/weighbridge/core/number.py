"""A number is a decimal of at most 34 significant digits with an exponent within 100 either way.

Arithmetic is IEEE 754 decimal128 arithmetic: 34 digits, half to even. It never passes through a
binary float and never yields NaN or infinity: what has no value raises an ArithmeticError. A result
that is smaller than the smallest number goes to zero, a result that is too large is refused.

Invariants: `parse_decimal(plain(number)) == number`; the same operands give the same digits on any
machine; a sum does not depend on the order of its terms, because it is taken exactly and rounded once.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    ROUND_UP,
    Context,
    Decimal,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    Overflow,
)
from typing import TYPE_CHECKING, Any, Final

ZERO: Final = Decimal(0)
"""Nothing, where an amount begins before anything is added to it."""

DIGITS_MAX: Final = 34
"""The most significant digits a number carries."""

EXPONENT_MAX: Final = 100
"""How far from 1 a number may be, in powers of ten, either way."""

PLACES_MAX: Final = 34
"""The most places before or after the point that a rounding may name."""

_PLACES_EVER: Final = EXPONENT_MAX + DIGITS_MAX - 1
"""Places of the smallest number with all its digits; zeros beyond them say nothing and fill the database."""

CONTEXT: Final = Context(
    prec=DIGITS_MAX,
    rounding=ROUND_HALF_EVEN,
    Emin=-EXPONENT_MAX,
    Emax=EXPONENT_MAX,
    traps=[InvalidOperation, DivisionByZero, Overflow],
)
"""The context of every rounded operation."""

EXACT: Final = Context(
    prec=20_000,
    Emin=MIN_EMIN,
    Emax=MAX_EMAX,
    traps=[InvalidOperation, DivisionByZero, Overflow, Inexact],
)
"""The context of intermediate results that are rounded once, later; it raises rather than round."""

_WIDE: Final = Context(prec=1_000, Emin=MIN_EMIN, Emax=MAX_EMAX)

ROUNDING_MODES: Final = {
    "half_even": ROUND_HALF_EVEN,
    "half_up": ROUND_HALF_UP,
    "half_down": ROUND_HALF_DOWN,
    "up": ROUND_UP,
    "down": ROUND_DOWN,
    "floor": ROUND_FLOOR,
    "ceiling": ROUND_CEILING,
}
"""The rounding rules by name; `half_*` decide only what lies exactly in the middle."""

_NUMBER: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,6})?", re.ASCII)
_TEXT_MAX: Final = 256
_LARGEST: Final = Decimal((0, (1,), EXPONENT_MAX))
_SMALLEST: Final = Decimal((0, (1,), -EXPONENT_MAX))


class NumberError(ValueError):
    """A text or a decimal is not a number of this service; the message is a full sentence."""


def parse_decimal(text: str) -> Decimal:
    """Read a number as people and JSON write it, to the last digit."""
    if len(text) > _TEXT_MAX or not _NUMBER.fullmatch(text):
        raise NumberError(f"{shorten(text)!r} is not a decimal number.")
    return limit_number(Decimal(text))


def limit_number(value: Decimal) -> Decimal:
    """Return the value when it is within the limits of a number, and refuse it otherwise."""
    if not value.is_finite():
        raise NumberError(f"{value} is not a number with a finite value.")
    digits = len(value.as_tuple().digits)
    if digits > DIGITS_MAX and count_significant_digits(value) > DIGITS_MAX:
        raise NumberError(f"{shorten(str(value))} has more than {DIGITS_MAX} significant digits.")
    if value and not _SMALLEST <= value.copy_abs() <= _LARGEST:
        raise NumberError(f"{shorten(str(value))} is outside 1e-{EXPONENT_MAX} to 1e{EXPONENT_MAX}.")
    if value.as_tuple().exponent < -_PLACES_EVER:  # type: ignore[operator] # finite, so a whole number
        raise NumberError(f"{shorten(str(value))} has more than {_PLACES_EVER} places after the point.")
    return value


def count_significant_digits(value: Decimal) -> int:
    """Count the digits from the first that is not zero to the last that is not zero."""
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    return len(digits)


def plain(value: Decimal) -> str:
    """Write a number exactly, in the fewest digits and without an exponent."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    return "0" if text == "-0" else text


def round_to(value: Decimal, places: int, mode: str = "half_even") -> Decimal:
    """Round to so many places after the point (before it when negative) by a named mode."""
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise NumberError(f"{value} cannot be rounded, for it is not finite.")
    if exponent >= -places:
        return value
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUNDING_MODES[mode], context=_WIDE)


def total(values: Iterable[Decimal]) -> Decimal:
    """Add the values exactly, then round once."""
    return CONTEXT.plus(exact_total(values))


def exact_total(values: Iterable[Decimal]) -> Decimal:
    """Add the values without rounding."""
    add = EXACT.add
    result = Decimal(0)
    for value in values:
        result = add(result, value)
    return result


def round_to_digits(value: Decimal, digits: int) -> Decimal:
    """Round half to even to so many significant digits."""
    return Context(prec=digits).plus(value)


def shorten(text: str, length: int = 60) -> str:
    """Cut a text that came from outside to a length that fits a sentence."""
    return text if len(text) <= length else text[: length - 1] + "…"


# An amount as text that is the same for the same amount; of many numbers, their count and their digest.


def digits(amount: Decimal | tuple[Decimal, ...] | None) -> str:
    """An amount as text that is the same for the same amount; of an array, its digest."""
    if amount is None:
        return ""
    if isinstance(amount, Decimal):
        return plain(amount)
    return f"[{len(amount)} {hash_numbers(amount).hex()}]"


def hash_numbers(amounts: Sequence[Decimal]) -> bytes:
    """The SHA-256 of an array's numbers, one to a line."""
    return hashlib.sha256("\n".join(map(plain, amounts)).encode()).digest()


# A number of JSON: a decimal with every digit that was sent, and never a text.
#
# Of a plain decimal the JSON library takes texts too, `NaN` among them; of a `JsonNumber` it asks here.
#
# Invariant: what is read is a finite decimal.


if TYPE_CHECKING:
    JsonNumber = Decimal
else:

    class _EveryDecimal(type):
        """Makes every decimal one of them."""

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, Decimal)

    class JsonNumber(metaclass=_EveryDecimal):
        """A decimal that comes as a number of JSON."""


def read_special(kind: type[Any], value: Any) -> Any:
    """Read a value of a type that the JSON library does not know by itself; TypeError says what it takes."""
    if kind is not JsonNumber:
        raise NotImplementedError(kind)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise TypeError(f"Expected `decimal`, got `{type(value).__name__}`")
    return Decimal(value)
