"""What travels: times, decimals and values of more than one type, the same in requests and answers.

Invariant: no number becomes a binary float on its way, in either direction.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    Value = Decimal | int | str | bool | None
    """A value of a data point: a number, a text, true or false."""
else:
    Value = Any

Time = datetime | str
"""A moment in a request: a time with an offset, or a text that names one."""

_PLAIN: Final = frozenset({str, Decimal, int, bool, datetime, type(None)})
_encoder: Final = msgspec.json.Encoder(decimal_format="number")


def written(body: Mapping[str, Any]) -> bytes:
    """The body as JSON, decimals as numbers with every digit.

    Raises TypeError for a binary float, which has no exact digits to send: give a Decimal.
    """
    given = _given(body)
    _refuse_floats(given)
    return _encoder.encode(given)


def read(answer: bytes, kind: Any) -> Any:
    """The record that an answer holds; fields that this client does not know are left out.

    Raises msgspec.DecodeError and msgspec.ValidationError where the answer is no such record.
    """
    return _reader(kind).decode(answer)


@cache
def _reader(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, float_hook=Decimal)


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body without what was left out, which stands in it and in the record that it wraps."""
    return {
        key: _given(value) if isinstance(value, dict) else value
        for key, value in body.items()
        if value is not msgspec.UNSET
    }


def _refuse_floats(value: Any) -> None:
    """Go through all that is sent without copying any of it: bodies have tens of thousands of values."""
    rest = [value]
    while rest:
        one = rest.pop()
        for each in one.values() if isinstance(one, Mapping) else one:
            kind = type(each)
            if kind in _PLAIN:
                continue
            if isinstance(each, float):
                message = (
                    f"{each!r} is a binary float; send Decimal('{each!r}') if that is what was measured."
                )
                raise TypeError(message)
            if isinstance(each, Mapping | list | tuple):
                rest.append(each)


def of_query(value: Any) -> str:
    """A parameter of a query as the service reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return ",".join(of_query(each) for each in value)
    return str(value)
