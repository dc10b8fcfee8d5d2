"""What is wrong with a body, in a sentence that names the field, what came and what the field takes.

The texts of the JSON library's complaints are taken apart here and nowhere else.

Refusals name a field by its path below the key that wraps the record of the body: `{"project": {"name": …}}`
has its name at `name`. In `{"events": [{…}, {…}]}` a value stands at `events[3].data_points[0].value`, for a
list wraps nothing: its positions tell which record is meant. Checks name fields from the top of the body, as
the body has them; the one convention is made here, for errors of shape and of rules alike.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any, Final

import msgspec
from msgspec.inspect import ListType, LiteralType, Metadata, StructType, UnionType, type_info

from weighbridge.core.identity.suggestion import did_you_mean
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten

TIME: Final = "a time with an offset or Z, as in 2025-01-01T00:00:00Z"

_TAKEN: Final[Mapping[str, str]] = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "datetime": TIME,
    "date": "a date, as in 2025-01-31",
}
"""What a field takes, by the library's name for it."""

_UNREADABLE: Final[Mapping[str, str]] = {
    "Invalid RFC3339 encoded datetime": "datetime",
    "Invalid RFC3339 encoded date": "date",
    "Invalid decimal string": "decimal",
}
"""A text that should be something else: the library's complaint, and its name for what is taken."""

_PATH: Final = re.compile(r" - at `\$\.?(?P<path>[^`]*)`$")
_STEP: Final = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_UNKNOWN: Final = re.compile(r"^Object contains unknown field `(?P<name>.*)`", re.DOTALL)
_MISSING: Final = re.compile(r"^Object missing required field `(.*)`$")
_WRONG_TYPE: Final = re.compile(r"^Expected `([^`]*)`, got `[^`]*`$")
_NO_WORD: Final = re.compile(r"^Invalid enum value ")
_TOO_LONG: Final = re.compile(r"Expected `str` of length <= (\d+)")
_NAIVE: Final = "Expected `datetime` with a timezone component"
_decoder: Final = msgspec.json.Decoder(float_hook=Decimal)
_object: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_list: Final = msgspec.json.Decoder(list[msgspec.Raw])

SHOWN_BYTES_MAX: Final = 10_000
"""Bytes of a value that a message shows in part; of a longer one it says what kind it is."""

_KINDS: Final = {b'"': "a longer text", b"[": "a list", b"{": "an object"}
_BEYOND: Final = "Integer value out of range"


def not_json(body: bytes, complaint: str) -> str:
    """Why a body is no JSON at all."""
    if not body.strip():
        return "The body is empty; this request needs a JSON object."
    if body.startswith(BOM_UTF8):
        return "The body begins with a byte order mark; send JSON as UTF-8 without one."
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return not_utf_8(error)
    said = complaint.removeprefix("JSON is malformed: ")
    return f"The body is not valid JSON: {said[:1].lower()}{said[1:]}."


def not_utf_8(error: UnicodeDecodeError) -> str:
    """Where a body is no text."""
    return f"The body is not UTF-8: byte {error.start + 1:,} does not fit."


def wrong_shape(complaint: str, body: bytes, kind: Any) -> Problem:
    """What is wrong with a body that is JSON, and not of the shape that the request takes."""
    location = _PATH.search(complaint)
    path = location["path"] if location else ""
    said = complaint[: location.start()] if location else complaint
    within = f"{path}." if path else ""
    if unknown := _UNKNOWN.match(said):
        name = within + unknown["name"]
        fields = _fields_at(kind, path)
        takes = ", ".join(fields) or "nothing"
        hint = did_you_mean(unknown["name"], fields) or _meant_inside(unknown["name"], kind, path)
        message = f"{name} is not a field of this request{hint}; {path or 'the body'} takes {takes}."
        return Problem(message, name, "unknown")
    if missing := _MISSING.match(said):
        name = within + missing[1]
        return Problem(f"{name} is required.", name, "required")
    if _NO_WORD.match(said) and (words := _words_at(kind, path)):
        message = f"{path} is {_shown_at(body, path)}; it takes {' or '.join(words)}."
        return Problem(message, path, "invalid")
    return Problem(_sentence(path, said, body), path or None, "invalid")


def _sentence(path: str, said: str, body: bytes) -> str:
    field = path or "The body"
    if said == _NAIVE:
        return f"{field} needs an offset or Z, as in 2025-01-01T00:00:00Z."
    if said == _BEYOND:
        return f"{field} has more digits than any number that is taken."
    if longest := _TOO_LONG.fullmatch(said):
        return f"{field} is too long; it takes {int(longest[1]):,} characters at most."
    if said in _UNREADABLE:
        return f"{field} is {_shown_at(body, path)}; it takes {_TAKEN[_UNREADABLE[said]]}."
    if (wrong := _WRONG_TYPE.match(said)) and set(kinds := wrong[1].split(" | ")) <= set(_TAKEN):
        return f"{field} is {_shown_at(body, path)}; it takes {' or '.join(_TAKEN[one] for one in kinds)}."
    return f"{field}: {said[:1].lower()}{said[1:].replace('`', '')}."


_UNSHOWABLE: Final = (
    ArithmeticError, LookupError, RecursionError, TypeError, UnicodeDecodeError, msgspec.MsgspecError,
)  # fmt: skip
"""What reading a value again may end with that is to be shown as it came."""


def _shown_at(body: bytes, path: str) -> str:
    """What stands at a path of a body, as a message shows it."""
    try:
        raw = msgspec.Raw(body)
        for index, name in _STEP.findall(path):
            raw = _list.decode(raw)[int(index)] if index else _object.decode(raw)[name]
        if len(raw) > SHOWN_BYTES_MAX:
            return _KINDS.get(bytes(raw).lstrip()[:1], "a number with too many digits")
        value: Any = _decoder.decode(raw)
    except _UNSHOWABLE:
        return "something else"  # such as beside a number that cannot be read
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            return repr(shorten(value))
        case list() | dict():
            return "a list" if isinstance(value, list) else "an object"
        case _:
            return shorten(str(value))


def _fields_at(kind: Any, path: str) -> tuple[str, ...]:
    """The fields of the record at a path."""
    record = _record(_type_at(kind, path))
    return tuple(one.encode_name for one in record.fields) if isinstance(record, StructType) else ()


def _meant_inside(name: str, kind: Any, path: str) -> str:
    """Where a field belongs that stands beside the record, at the top of the body."""
    if path:
        return ""
    inside = (key for key in sorted(wrapping_keys(kind)) if name in _fields_at(kind, key))
    return next((f" (did you mean {key}.{name}?)" for key in inside), "")


def _words_at(kind: Any, path: str) -> list[str]:
    """The words that are taken at a path, where only some are."""
    taken = _type_at(kind, path)
    kinds = taken.types if isinstance(taken, UnionType) else (taken,)
    return [repr(word) for one in kinds if isinstance(one, LiteralType) for word in one.values]


def _type_at(kind: Any, path: str) -> Any:
    reached: Any = type_info(kind)
    for _, name in _STEP.findall(path):
        around = _record(reached)
        if isinstance(around, StructType) and name:
            reached = next((one.type for one in around.fields if one.encode_name == name), None)
        elif isinstance(around, ListType):
            reached = around.item_type
    return reached


def _record(kind: Any) -> Any:
    """The record or the list of a type that may be something else too."""
    if isinstance(kind, Metadata):
        return _record(kind.type)
    if isinstance(kind, UnionType):
        kinds = map(_record, kind.types)
        return next((one for one in kinds if isinstance(one, StructType | ListType)), None)
    return kind


def below_wrapping(field: str | None, body: Any) -> str | None:
    """The path of a field of a body of this kind, without the key that wraps the record."""
    head, dot, rest = (field or "").partition(".")
    return rest if dot and head in wrapping_keys(body) else field


@cache
def wrapping_keys(body: Any) -> frozenset[str]:
    """The keys of a body that wrap the record that it is about."""
    if not (isinstance(body, type) and issubclass(body, msgspec.Struct)):
        return frozenset()
    record = type_info(body)
    fields = record.fields if isinstance(record, StructType) else ()
    return frozenset(one.encode_name for one in fields if _is_record(one.type))


def _is_record(kind: Any) -> bool:
    kinds = kind.types if isinstance(kind, UnionType) else (kind,)
    return any(isinstance(one, StructType) for one in kinds)
