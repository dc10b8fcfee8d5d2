"""Read and write JSON exactly, and explain what is wrong with a body.

Decimals keep every digit; times are UTC with milliseconds. The framework's own decoder goes through
binary floats, so bodies are read here from raw bytes. Read `encoder` and `decode` first.

Invariants: a body that passes has no NUL and no key twice in one object; an error names its field, the
value that came and what the field takes.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from itertools import chain
from operator import attrgetter
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import NODEFAULT
from msgspec.inspect import ListType, LiteralType, Metadata, NoneType, StructType, UnionType, type_info

from weighbridge.core.identity import Link, did_you_mean
from weighbridge.core.number import read_special, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.statements import to_json_form
from weighbridge.errors import Malformed
from weighbridge.http.pieces import PIECE_BYTES_MAX, decode_in_pieces, list_fields

# What is wrong with a body, in a sentence that names the field, what came and what the field takes.
#
# The texts of the JSON library's complaints are taken apart here and nowhere else.
#
# Refusals name a field by its path below the key that wraps the record of the body: `{"project": {"name":
# …}}` has its name at `name`. In `{"events": [{…}, {…}]}` a value is at
# `events[3].data_points[0].value`, for a list wraps nothing: its positions identify the record.
# Checks name fields from the top of the body, as the body has them; the one convention is made here, for
# errors of shape and of rules alike.


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


def explain_no_json(body: bytes, complaint: str) -> str:
    """Why a body is no JSON at all."""
    if not body.strip():
        return "The body is empty; this request needs a JSON object."
    if body.startswith(BOM_UTF8):
        return "The body begins with a byte order mark; send JSON as UTF-8 without one."
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return explain_no_utf_8(error)
    message = complaint.removeprefix("JSON is malformed: ")
    return f"The body is not valid JSON: {message[:1].lower()}{message[1:]}."


def explain_no_utf_8(error: UnicodeDecodeError) -> str:
    """Where a body is no text."""
    return f"The body is not UTF-8: byte {error.start + 1:,} does not fit."


def explain_wrong_shape(complaint: str, body: bytes, kind: Any) -> Problem:
    """What is wrong with a body that is JSON, and not of the shape that the request takes."""
    location = _PATH.search(complaint)
    path = location["path"] if location else ""
    sentence = complaint[: location.start()] if location else complaint
    prefix = f"{path}." if path else ""
    if unknown := _UNKNOWN.match(sentence):
        name = prefix + unknown["name"]
        fields = _fields_at(kind, path)
        field_names = ", ".join(fields) or "nothing"
        hint = did_you_mean(unknown["name"], fields) or _meant_inside(unknown["name"], kind, path)
        message = f"{name} is not a field of this request{hint}; {path or 'the body'} takes {field_names}."
        return Problem(message, name, "unknown")
    if missing := _MISSING.match(sentence):
        name = prefix + missing[1]
        return Problem(f"{name} is required.", name, "required")
    if _NO_WORD.match(sentence) and (words := _words_at(kind, path)):
        message = f"{path} is {_shown_at(body, path)}; it takes {' or '.join(words)}."
        return Problem(message, path, "invalid")
    return Problem(_sentence(path, sentence, body), path or None, "invalid")


def _sentence(path: str, text: str, body: bytes) -> str:
    field = path or "The body"
    if text == _NAIVE:
        return f"{field} needs an offset or Z, as in 2025-01-01T00:00:00Z."
    if text == _BEYOND:
        return f"{field} has more digits than any number that is taken."
    if longest := _TOO_LONG.fullmatch(text):
        return f"{field} is too long; it takes {int(longest[1]):,} characters at most."
    if text in _UNREADABLE:
        return f"{field} is {_shown_at(body, path)}; it takes {_TAKEN[_UNREADABLE[text]]}."
    if (wrong := _WRONG_TYPE.match(text)) and set(kinds := wrong[1].split(" | ")) <= set(_TAKEN):
        return f"{field} is {_shown_at(body, path)}; it takes {' or '.join(_TAKEN[kind] for kind in kinds)}."
    return f"{field}: {text[:1].lower()}{text[1:].replace('`', '')}."


_UNSHOWABLE: Final = (
    ArithmeticError, LookupError, RecursionError, TypeError, UnicodeDecodeError, msgspec.MsgspecError,
)  # fmt: skip
"""What reading a value again may end with that is to be shown as it came."""


def _shown_at(body: bytes, path: str) -> str:
    """Return the value at a path of a body, as a message shows it."""
    try:
        raw = msgspec.Raw(body)
        for index, name in _STEP.findall(path):
            raw = _list.decode(raw)[int(index)] if index else _object.decode(raw)[name]
        if len(raw) > SHOWN_BYTES_MAX:
            return _KINDS.get(bytes(raw).lstrip()[:1], "a number with too many digits")
        value: Any = _decoder.decode(raw)
    except _UNSHOWABLE:
        return "something else"  # such as next to a number that cannot be read
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
    return tuple(field.encode_name for field in record.fields) if isinstance(record, StructType) else ()


def _meant_inside(name: str, kind: Any, path: str) -> str:
    """Return where a field belongs that is next to the record, at the top of the body."""
    if path:
        return ""
    inside = (key for key in sorted(wrapping_keys(kind)) if name in _fields_at(kind, key))
    return next((f" (did you mean {key}.{name}?)" for key in inside), "")


def _words_at(kind: Any, path: str) -> list[str]:
    """The words that are taken at a path, where only some are."""
    type_taken = _type_at(kind, path)
    kinds = type_taken.types if isinstance(type_taken, UnionType) else (type_taken,)
    return [repr(word) for member in kinds if isinstance(member, LiteralType) for word in member.values]


def _type_at(kind: Any, path: str) -> Any:
    reached: Any = type_info(kind)
    for _, name in _STEP.findall(path):
        outer_record = _record(reached)
        if isinstance(outer_record, StructType) and name:
            reached = next((field.type for field in outer_record.fields if field.encode_name == name), None)
        elif isinstance(outer_record, ListType):
            reached = outer_record.item_type
    return reached


def _record(kind: Any) -> Any:
    """The record or the list of a type that may be something else too."""
    if isinstance(kind, Metadata):
        return _record(kind.type)
    if isinstance(kind, UnionType):
        kinds = map(_record, kind.types)
        return next((member for member in kinds if isinstance(member, StructType | ListType)), None)
    return kind


def below_wrapping(field: str | None, body: Any) -> str | None:
    """The path of a field of a body of this kind, without the key that wraps the record."""
    head, dot, inner_path = (field or "").partition(".")
    return inner_path if dot and head in wrapping_keys(body) else field


@cache
def wrapping_keys(body: Any) -> frozenset[str]:
    """The keys of a body that wrap the record that it is about."""
    if not (isinstance(body, type) and issubclass(body, msgspec.Struct)):
        return frozenset()
    record = type_info(body)
    fields = record.fields if isinstance(record, StructType) else ()
    return frozenset(field.encode_name for field in fields if _is_record(field.type))


def _is_record(kind: Any) -> bool:
    kinds = kind.types if isinstance(kind, UnionType) else (kind,)
    return any(isinstance(member, StructType) for member in kinds)


# NUL: the character that no text may hold, since the database cannot, found in JSON where it is escaped.
#
# Invariant: the work is in proportion to the body, however deep it is nested and wherever the character
# stands.


DEPTH_NAMED_MAX: Final = 16
"""Objects and lists around a text that its path names; the rest of a longer path is left out."""

_ESCAPED: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST: Final = msgspec.json.Decoder(list[msgspec.Raw])


def refuse_nul(body: bytes) -> None:
    """Raise Malformed when a text of valid JSON holds a NUL character, naming its place."""
    if b"\\" not in body or rb"\u0000" not in body or not _ESCAPED.search(body):
        return
    path = _path_in(body)
    raise Malformed(
        [Problem(f"{path or 'The body'} holds a NUL character, which no text may.", path or None, "invalid")]
    )


def _path_in(body: bytes) -> str:
    """The path of the first text with the character, or of the object that has it in a key."""
    path, outer_body = "", body
    for _ in range(DEPTH_NAMED_MAX):
        inside = _inside(outer_body)
        step = next((step for step, raw in inside if _ESCAPED.search(raw)), None)
        if step is None:
            break
        path = f"{path}[{step}]" if isinstance(step, int) else f"{path}.{step}" if path else step
        outer_body = next(raw for name, raw in inside if name == step)
    return path


def _inside(value: bytes) -> list[tuple[Any, bytes]]:
    match value.lstrip()[:1]:
        case b"{":
            return [(name, bytes(raw)) for name, raw in _OBJECT.decode(value).items()]
        case b"[":
            return [(index, bytes(raw)) for index, raw in enumerate(_LIST.decode(value))]
        case _:
            return []


# Repeated keys: two of the same name in one object of JSON, of which readers take the first or the last.
#
# The JSON library takes the last and does not say so. To look at every key by itself costs more than to
# decode a body of thousands of events, so of a large body it is first asked whether there can be any at
# all: when it has as many keys as the records that were made of it have fields, there are none.
#
# Invariant: a body that is let through has no key twice. One without any may be looked at twice, never
# refused.


SHORT_BYTES_MAX: Final = 4_096
"""Bytes of a body that is looked at key by key at once."""

Counter = Callable[[Iterable[Any]], int]
"""Counts the keys that values of one type were certainly written with; there may have been more."""


class _RepeatedKeyError(Exception):
    """Carries the name."""


def refuse_repeated_keys(body: bytes, value: Any, kind: Any) -> None:
    """Raise Malformed when an object of the body has two keys of one name; `value` is what was read of it."""
    if len(body) > SHORT_BYTES_MAX and _has_keys_of(body, value, kind):
        return
    try:
        _key_reader.decode(body.decode())
    except _RepeatedKeyError as repeated:
        key = shorten(str(repeated))
        raise Malformed(
            f"The key {key!r} occurs twice in one object of the body; it must occur once."
        ) from None


def _pairs(pairs: list[tuple[str, Any]]) -> None:
    if len(pairs) > 1 and len({name for name, _ in pairs}) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedKeyError(next(name for index, name in enumerate(names) if name in names[:index]))


def _ignore_number(_: str) -> None:
    """Replace a number, whose value is not needed here."""


_key_reader: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_ignore_number, parse_int=_ignore_number, strict=False
)


def _has_keys_of(body: bytes, value: Any, kind: Any) -> bool:
    """Whether the body has exactly the keys that the value was certainly written with."""
    if any(space in body and space + b":" in body for space in (b" ", b"\n", b"\t", b"\r")):
        return False  # a key that is not counted may be hidden by one in a text
    return _counter(kind)([value]) == body.count(b'":')


@cache
def _counter(kind: Any) -> Counter:
    return _counter_of(type_info(kind)) or (lambda _: 0)


def _counter_of(kind: Any) -> Counter | None:
    """The counter of a type; None where nothing is certain."""
    if isinstance(kind, Metadata):
        return _counter_of(kind.type)
    if isinstance(kind, UnionType):
        others = [member for member in kind.types if not isinstance(member, NoneType)]
        inner = _counter_of(others[0]) if len(others) == 1 else None
        return inner and partial(_count_optional, inner)
    if isinstance(kind, ListType):
        always = _always(kind.item_type)
        of_item = _counter_of(kind.item_type)
        if always is not None:
            return lambda lists: sum(map(len, lists)) * always
        return of_item and (lambda lists: of_item(chain.from_iterable(lists)))
    if isinstance(kind, StructType):
        return _counter_of_records(kind)
    return None


def _count_optional(inner: Counter, values: Iterable[Any]) -> int:
    return inner([value for value in values if value is not None])


def _always(kind: Any) -> int | None:
    """How many keys every record of a type has, where that is the same for all."""
    if isinstance(kind, StructType) and all(field.required for field in kind.fields):
        return len(kind.fields) if not any(_counter_of(field.type) for field in kind.fields) else None
    return None


def _counter_of_records(kind: StructType) -> Counter:
    required = [field for field in kind.fields if field.required]
    inside = [
        (attrgetter(required_field.name), inner)
        for required_field in required
        if (inner := _counter_of(required_field.type))
    ]
    optional = [
        (attrgetter(field.name), field.default, _counter_of(field.type))
        for field in kind.fields
        if not field.required
    ]

    def count(values: Iterable[Any]) -> int:
        records = [*values]
        total = len(records) * len(required)
        total += sum(inner(map(get, records)) for get, inner in inside)
        for get, default, inner_of_optional in optional:
            if default is NODEFAULT:  # what is made anew for each record is made empty
                present_values = [*filter(None, map(get, records))]
            else:
                present_values = [value for value in map(get, records) if value is not default]
            total += len(present_values)
            if present_values and inner_of_optional:
                total += inner_of_optional(present_values)
        return total

    return count


# JSON in and out, exactly: decimals keep every digit, times are UTC with milliseconds.
#
# The framework's own decoder goes through binary floats, so bodies are read here from raw bytes.


T = TypeVar("T")

MEDIA_TYPE: Final = "application/json"

_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


Encode = Callable[[Any], bytes]


def encoder(base_url: str) -> Encode:
    """Make the function that writes answers; links begin with the address of the service."""

    def on_the_wire(value: object) -> object:
        if isinstance(value, Instant):
            return value.text
        return value.below(base_url) if isinstance(value, Link) else to_json_form(value)

    return msgspec.json.Encoder(enc_hook=on_the_wire, decimal_format="number").encode


def decode(body: bytes, kind: type[T]) -> T:
    """Read a request body; raise Malformed naming the field when it has the wrong shape."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind, float_hook=Decimal, dec_hook=read_special)
    try:
        value = cast("T", decoder.decode(body))
    except msgspec.ValidationError as error:
        raise Malformed([explain_wrong_shape(str(error), body, kind)]) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(explain_no_json(body, str(error))) from None
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
        raise Malformed(explain_no_utf_8(error)) from None
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise Malformed(f"Line {line:,} of the body holds a NUL character, which no text may.")
    return text
