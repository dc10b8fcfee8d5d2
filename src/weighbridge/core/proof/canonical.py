"""The bytes of a record that are hashed: JSON by RFC 8785, with decimals as texts.

RFC 8785 writes numbers as binary doubles, in which 34 digits do not survive. So before it every number
becomes a text that is no whole number, or is one beyond 2^53 - 1 in size: its digits as they are, without an
exponent. All other values are written as that standard says: no spaces, members in the order of the UTF-16
units of their names, and only what must be escaped is.

Invariant: equal records give equal bytes, whichever order their members came in.
"""

import json
from decimal import Decimal
from typing import Any, Final

WHOLE_NUMBER_MAX: Final = 2**53 - 1
"""The greatest whole number that stays one; every reader of JSON has it exactly (RFC 7493, section 2.2)."""

_encoder: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical_json(value: Any) -> bytes:
    """Write a value of objects, lists, texts, whole numbers, decimals, booleans and null."""
    return _encoder.encode(_without_decimals(value)).encode()


def _without_decimals(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_decimals(value[name]) for name in sorted(value, key=_utf_16)}
    if isinstance(value, list | tuple):
        return [_without_decimals(one) for one in value]
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int) and not -WHOLE_NUMBER_MAX <= value <= WHOLE_NUMBER_MAX:
        return str(value)
    return value


def _utf_16(name: str) -> bytes:
    return name.encode("utf-16-be")
