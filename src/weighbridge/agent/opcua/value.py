"""Values of OPC UA as the exact values that the service keeps.

A Float has 32 bits and a Double 64; the digits that were meant are the fewest that come to the same bits
again, so 21.1 of a Float is 21.1 and not 21.100000381469727.
"""

import math
import struct
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from weighbridge.agent.clock import text_of
from weighbridge.agent.reading import Measured, ReadingError

FLOAT_DIGITS: Final = 9
"""Digits that tell any two numbers of 32 bits apart."""


def exact(value: Any, *, is_single: bool) -> Measured | None:
    """The value as it was meant; None where there is none, and for what is no number (NaN, infinity).

    `is_single` says that it came as 32 bits. Raises ReadingError for lists and structures.
    """
    match value:
        case None:
            return None
        case bool() | int() | Decimal():
            return value
        case float():
            return _of_binary(value, is_single=is_single) if math.isfinite(value) else None
        case str():
            return value if value.strip() else None
        case datetime():
            return text_of(value)
    raise ReadingError(f"is of the type {type(value).__name__}; a reading is one number, text or truth.")


def _of_binary(value: float, *, is_single: bool) -> Decimal:
    if not is_single:
        return Decimal(repr(value))
    bits = struct.pack("<f", value)
    for digits in range(1, FLOAT_DIGITS):
        text = f"{value:.{digits}g}"
        if _packed(text) == bits:
            return Decimal(text)
    return Decimal(f"{value:.{FLOAT_DIGITS}g}")


def _packed(text: str) -> bytes:
    try:
        return struct.pack("<f", float(text))
    except OverflowError:  # rounded up, the largest numbers of 32 bits have no place among them
        return b""
