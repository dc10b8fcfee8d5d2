"""JSON in and out, exactly: decimals keep every digit, times are UTC with milliseconds.

The framework's own decoder goes through binary floats, so bodies are read here from raw bytes.
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeVar, cast

import msgspec

from weighbridge.core.identity.link import Link
from weighbridge.core.quantity.json_number import read_special
from weighbridge.core.time.instant import Instant
from weighbridge.db.json import written
from weighbridge.errors import Malformed
from weighbridge.http import shape
from weighbridge.http.arrival.nul import refuse_nul
from weighbridge.http.arrival.pieces import PIECE_BYTES_MAX, decode_in_pieces, list_fields
from weighbridge.http.arrival.repeated_keys import refuse_repeated_keys

T = TypeVar("T")

MEDIA_TYPE: Final = "application/json"

_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


Encode = Callable[[Any], bytes]


def encoder(base_url: str) -> Encode:
    """Make the function that writes answers; links begin with the address of the service."""

    def on_the_wire(value: object) -> object:
        if isinstance(value, Instant):
            return value.text
        return value.below(base_url) if isinstance(value, Link) else written(value)

    return msgspec.json.Encoder(enc_hook=on_the_wire, decimal_format="number").encode


def decode(body: bytes, kind: type[T]) -> T:
    """Read a request body; raise Malformed naming the field when it has the wrong shape."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind, float_hook=Decimal, dec_hook=read_special)
    try:
        value = cast("T", decoder.decode(body))
    except msgspec.ValidationError as error:
        raise Malformed([shape.wrong_shape(str(error), body, kind)]) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(shape.not_json(body, str(error))) from None
    except InvalidOperation:
        raise Malformed("The body holds a number whose exponent is beyond any that can be read.") from None
    except RecursionError:
        raise Malformed("The body is nested too deeply.") from None
    refuse_nul(body)
    refuse_repeated_keys(body, value, kind)
    return value


async def read(body: bytes, kind: type[T]) -> T:
    """Read a request body of any length, giving way to other requests while it is a long one."""
    if len(body) <= PIECE_BYTES_MAX or not list_fields(cast("Any", kind)):
        return decode(body, kind)
    return await decode_in_pieces(body, kind, decode)


def decode_text(body: bytes) -> str:
    """Read a body that is a text; a mark of its byte order, as some programs write, is no part of it."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(shape.not_utf_8(error)) from None
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise Malformed(f"Line {line:,} of the body holds a NUL character, which no text may.")
    return text
