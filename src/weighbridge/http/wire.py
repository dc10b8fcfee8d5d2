"""JSON in and out, exactly: decimals keep every digit, times are UTC with milliseconds.

The framework's own decoder goes through binary floats, so bodies are read here from raw bytes. The
texts of the JSON library's complaints are taken apart here and nowhere else.
"""

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeVar, cast

import msgspec

from weighbridge.core.link import Link
from weighbridge.core.problem import Problem
from weighbridge.db.json import written
from weighbridge.errors import Malformed

T = TypeVar("T")

MEDIA_TYPE: Final = "application/json"

_PATH = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_UNKNOWN = re.compile(r"^Object contains unknown field `(?P<name>.*)`", re.DOTALL)
_TOO_LONG = re.compile(r"Expected `str` of length <= (\d+)")
_NAIVE = "Expected `datetime` with a timezone component"
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


Encode = Callable[[Any], bytes]


def encoder(base_url: str) -> Encode:
    """Make the function that writes answers; links begin with the address of the service."""

    def on_the_wire(value: object) -> object:
        return value.below(base_url) if isinstance(value, Link) else written(value)

    return msgspec.json.Encoder(enc_hook=on_the_wire, decimal_format="number").encode


def decode(body: bytes, kind: type[T]) -> T:
    """Read a request body; raise Malformed naming the field when it has the wrong shape."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind, float_hook=Decimal)
    _refuse_nul(body)
    try:
        return cast("T", decoder.decode(body))
    except msgspec.ValidationError as error:
        raise Malformed([_shape_problem(str(error), body)]) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(f"The body is not valid JSON: {error}.") from None
    except InvalidOperation:
        raise Malformed("The body holds a number whose exponent is beyond any that can be read.") from None
    except RecursionError:
        raise Malformed("The body is nested too deeply.") from None


def decode_text(body: bytes) -> str:
    """Read a body that is a text; a mark of its byte order, as some programs write, is no part of it."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"The body is not UTF-8: byte {error.start + 1:,} does not fit.") from None
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise Malformed(f"Line {line:,} of the body holds a NUL character, which no text may.")
    return text


def _refuse_nul(body: bytes) -> None:
    """Refuse a text with a NUL character, which the database cannot hold, naming where it stands."""
    if rb"\u0000" not in body:
        return
    try:
        waiting: list[tuple[str, Any]] = [("", msgspec.json.decode(body))]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return  # the decoder that knows the expected shape says what is wrong
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str) and "\x00" in value:
            raise Malformed([Problem(f"{path} holds a NUL character, which no text may.", path, "invalid")])
        if isinstance(value, dict):
            waiting += [(f"{path}.{key}" if path else key, inner) for key, inner in value.items()]
            waiting += [(path, key) for key in value]
        elif isinstance(value, list):
            waiting += [(f"{path}[{index}]", inner) for index, inner in enumerate(value)]


def _shape_problem(text: str, body: bytes) -> Problem:
    found = _PATH.search(text)
    path = found["path"] if found else ""
    said = text[: found.start()] if found else text
    if not body:
        return Problem("The body is empty; this request needs a JSON object.")
    if unknown := _UNKNOWN.match(said):
        name = f"{path}.{unknown['name']}" if path else unknown["name"]
        return Problem(f"{name} is not a field of this request.", name, "unknown")
    if said == _NAIVE:
        return Problem(f"{path} needs an offset or Z, as in 2025-01-01T00:00:00Z.", path, "invalid")
    if missing := re.match(r"^Object missing required field `(.*)`$", said):
        name = f"{path}.{missing[1]}" if path else missing[1]
        return Problem(f"{name} is required.", name, "required")
    if longest := _TOO_LONG.fullmatch(said):
        return Problem(
            f"{path} is too long; it takes {int(longest[1]):,} characters at most.", path, "invalid"
        )
    return Problem(
        f"{path or 'The body'}: {said[:1].lower()}{said[1:].replace('`', '')}.", path or None, "invalid"
    )
