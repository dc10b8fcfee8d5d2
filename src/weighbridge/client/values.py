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

_encoder: Final = msgspec.json.Encoder(decimal_format="number")


def written(body: Mapping[str, Any]) -> bytes:
    """The body as JSON, decimals as numbers with every digit.

    Raises TypeError for a binary float, which has no exact digits to send: give a Decimal.
    """
    return _encoder.encode(_exact(body))


def read(answer: bytes, kind: Any) -> Any:
    """The record that an answer holds; fields that this client does not know are left out.

    Raises msgspec.DecodeError and msgspec.ValidationError where the answer is no such record.
    """
    return _reader(kind).decode(answer)


@cache
def _reader(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, float_hook=Decimal)


def _exact(value: Any) -> Any:
    """The value as it is sent: left-out keys gone, floats refused, records as the objects that they are."""
    if isinstance(value, float):
        message = f"{value!r} is a binary float; send Decimal('{value!r}') if that is what was measured."
        raise TypeError(message)
    if isinstance(value, Mapping):
        return {key: _exact(each) for key, each in value.items() if each is not msgspec.UNSET}
    if isinstance(value, list | tuple):
        return [_exact(each) for each in value]
    return value


def of_query(value: Any) -> str:
    """A parameter of a query as the service reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return ",".join(of_query(each) for each in value)
    return str(value)
