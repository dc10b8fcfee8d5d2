"""Decode a large body of JSON record by record, giving way to other requests every few milliseconds.

Invariants: no step works on more than `PIECE_BYTES_MAX`; the result and the errors are those of
decoding at once.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import GenericAlias
from typing import Annotated, Any, Final, TypeVar, cast, get_args, get_origin

import msgspec
from msgspec.inspect import ListType, Metadata, StructType, UnionType, type_info

from weighbridge.concurrency import Turns
from weighbridge.core.problem import Problem
from weighbridge.errors import Malformed, TooLarge

# Pieces: a large body of JSON is decoded record by record, in turns, and comes to what one decoding gives.
#
# The records of a list at the top of the body are cut out unparsed, which takes little; some at a time
# are then decoded. What is left, the body with empty lists, is decoded as any small body is.
#
# Invariants: no step works on more than `PIECE_BYTES_MAX`, so none holds the event loop for long; a body is
# refused in the words of one that is decoded at once.


T = TypeVar("T")
Decode = Callable[[bytes, Any], Any]
"""Decodes a small body as a type, or raises Malformed."""

PIECE_BYTES_MAX: Final = 1_048_576
"""The largest body that is decoded at once, in bytes, and the largest record of a longer one."""

TOGETHER_BYTES: Final = 262_144
"""Bytes of records that are decoded together, at most."""

ELEMENTS_MAX: Final = 100_000
"""Elements of one list of a long body, at most; most lists take fewer."""

RECORDS_MAX: Final = 20_000
"""Elements of one list of a long body that are records, at most."""

KEYS_MAX: Final = 100
"""Keys at the top of a body that is decoded in pieces, at most."""

BEGINNING_BYTES: Final = 8
"""Bytes that distinguish the start of a record from those of inner records."""

_SPACES: Final = b" \t\r\n"
_SPACE: Final = re.compile(rb"[ \t\r\n]*")
_TRAILING: Final = re.compile(r"trailing characters \(byte (\d+)\)")
_BYTE: Final = re.compile(r" \(byte \d+\)")
_raw: Final = msgspec.json.Decoder(msgspec.Raw)
_name: Final = msgspec.json.Decoder(str)


async def decode_in_pieces(body: bytes, kind: type[T], decode: Decode) -> T:
    """Decode a body of any length; `decode` does so with each of its pieces."""
    return cast("T", await _PiecewiseBody(body, kind, decode).record())


@cache
def list_fields(kind: Any) -> dict[str, Any]:
    """The fields of a record that take a list, each with the type of its elements."""
    record = type_info(kind) if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None
    if not isinstance(record, StructType):
        return {}
    return {
        field.encode_name: hints.__args__[0]
        for field in record.fields
        if (hints := _list_of(field.type, msgspec.structs.fields(kind), field.name)) is not None
    }


def _list_of(kind: Any, fields: tuple[msgspec.structs.FieldInfo, ...], name: str) -> Any:
    """The list among the types that a field takes, as it is annotated."""
    if isinstance(kind, Metadata):
        return _list_of(kind.type, fields, name)
    kinds = kind.types if isinstance(kind, UnionType) else (kind,)
    if not any(isinstance(take, ListType) for take in kinds):
        return None
    annotated = next(field.type for field in fields if field.name == name)
    options = [annotated, *get_args(annotated)]
    plain = (get_args(option)[0] if get_origin(option) is Annotated else option for option in options)
    return next((plain_kind for plain_kind in plain if get_origin(plain_kind) is list), None)


class _PiecewiseBody:
    """A body on its way; `_at` is the byte that comes next."""

    def __init__(self, body: bytes, kind: Any, decode: Decode) -> None:
        self._body = body
        self._view = memoryview(body)
        self._kind = kind
        self._decode = decode
        self._at = 0
        self._turns = Turns()

    async def record(self) -> Any:
        """The record that the body holds."""
        lists: dict[str, list[Any]] = {}
        other_parts: list[bytes] = []
        if await self._next() != b"{":
            raise Malformed("The body is a list or a plain value; this request needs a JSON object.")
        self._at += 1
        while await self._next() != b"}":
            raw = await self._value("the body")
            name = self._name(raw)
            await self._expect(b":")
            if len(other_parts) >= KEYS_MAX:
                raise Malformed(f"The body has more than {KEYS_MAX} keys, the most that a long one takes.")
            if name in list_fields(self._kind) and await self._next() == b"[":
                lists[name] = await self._elements(name)
                other_parts.append(raw + b":[]")
            else:
                other_parts.append(raw + b":" + await self._value(name))
            if await self._follows(b"}"):
                break
        self._at += 1
        if await self._next():
            raise self._unreadable("something follows behind its end")
        small = b"{" + b",".join(other_parts) + b"}"
        if len(small) > PIECE_BYTES_MAX:
            raise _too_large("The body without its lists")
        record = self._decode(small, self._kind)
        return msgspec.structs.replace(record, **lists) if lists else record

    async def _elements(self, name: str) -> list[Any]:
        """The elements of a list, from its bracket on."""
        self._at += 1
        elements: list[Any] = []
        if await self._next() == b"]":
            self._at += 1
            return elements
        between: bytes | None = b""
        while True:
            together = self._together(name, between, len(elements)) if between else []
            if together is None:
                between, together = None, []  # records of this list do not begin alike
            if not together:
                raw = await self._value(f"{name}[{len(elements)}]")
                together = self._decoded(name, raw, len(elements))
            elements += together
            if len(elements) > (
                most := RECORDS_MAX if isinstance(elements[0], msgspec.Struct) else ELEMENTS_MAX
            ):
                raise _too_many(name, most)
            end = self._at
            if await self._follows(b"]"):
                self._at += 1
                return elements
            if between == b"":
                last = self._body[max(0, end - BEGINNING_BYTES) : end].rstrip(_SPACES)[-1:]
                between = last + self._body[end : self._at + BEGINNING_BYTES]

    def _together(self, name: str, between: bytes, before: int) -> list[Any] | None:
        """The elements before the last that seems to begin in sight; None when none begins there."""
        last = self._body.rfind(between, self._at, self._at + TOGETHER_BYTES)
        if last < 0:
            return []
        elements = self._body[self._at : last + 1]
        try:
            _raw.decode(b"[" + elements + b"]")
        except (msgspec.DecodeError, RecursionError):
            return None
        decoded = self._decoded(name, elements, before)
        self._at = last + 1
        return decoded

    def _decoded(self, name: str, elements: bytes, before: int) -> list[Any]:
        """Return some elements of a list, after `before` elements."""
        kind = GenericAlias(list, (list_fields(self._kind)[name],))
        try:
            return cast("list[Any]", self._decode(b"[" + elements + b"]", kind))
        except Malformed as refusal:
            problems = self._in_words_of_the_body(b'{"' + name.encode() + b'":[' + elements + b"]}", refusal)
            raise Malformed([_shift_position(problem, name, before) for problem in problems]) from None

    def _in_words_of_the_body(self, small: bytes, refusal: Malformed) -> tuple[Problem, ...]:
        """The problems of some elements as a small body with them alone has them."""
        try:
            self._decode(small, self._kind)
        except Malformed as error:
            return error.problems
        return refusal.problems

    async def _value(self, called: str) -> bytes:
        """Return the next value unparsed, with the white space after it."""
        await self._next()
        window = self._view[self._at : self._at + PIECE_BYTES_MAX]
        is_cut = self._at + len(window) < len(self._view)
        try:
            value = _raw.decode(window)
            length = len(window)
            if is_cut:
                raise _too_large(called)
            raw = bytes(value)
        except msgspec.DecodeError as error:
            trailing = _TRAILING.search(str(error))
            if trailing is None:
                if is_cut and "truncated" in str(error):
                    raise _too_large(called) from None
                message = _BYTE.sub("", str(error).removeprefix("JSON is malformed: "))
                raise self._unreadable(f"{message[:1].lower()}{message[1:]}, in what begins there") from None
            length = int(trailing[1]) - 1
            raw = bytes(window[:length])
        except RecursionError:
            raise Malformed("The body is nested too deeply.") from None
        self._at += length
        return raw

    def _name(self, raw: bytes) -> str:
        try:
            return _name.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise self._unreadable("a key is a text in quotes") from None

    async def _next(self) -> bytes:
        """The byte that comes next behind any space; empty at the end."""
        await self._turns.next()
        while True:
            end = min(self._at + PIECE_BYTES_MAX, len(self._view))
            space = _SPACE.match(self._view, self._at, end)
            assert space is not None  # noqa: S101 - no space is a match as well
            self._at = space.end()
            if self._at < end or end == len(self._view):
                return bytes(self._view[self._at : self._at + 1])
            await self._turns.next()

    async def _expect(self, byte: bytes) -> None:
        if (next_byte := await self._next()) != byte:
            message = f"expected '{byte.decode()}'" if next_byte else "input data was truncated"
            raise self._unreadable(message)
        self._at += 1

    async def _follows(self, end: bytes) -> bool:
        """Whether the end comes next; if not, a comma, and something behind it."""
        if await self._next() == end:
            return True
        await self._expect(b",")
        if await self._next() in {b"}", b"]"}:
            raise self._unreadable("trailing comma")
        return False

    def _unreadable(self, sentence: str) -> Malformed:
        return Malformed(f"The body is not valid JSON: {sentence} (byte {self._at + 1}).")


def _shift_position(problem: Problem, name: str, before: int) -> Problem:
    """The problem of an element, by the position that it has in the whole list."""
    first = re.compile(rf"^{re.escape(name)}\[(\d+)\]")

    def move(text: str) -> str:
        return first.sub(lambda matched: f"{name}[{int(matched[1]) + before}]", text)

    field = None if problem.field is None else move(problem.field)
    return replace(problem, message=move(problem.message), field=field)


def _too_many(name: str, most: int) -> TooLarge:
    message = f"{name} holds more than {most:,} elements, the most that a list of a request takes."
    return TooLarge([Problem(message, name, "too_large")])


def _too_large(called: str) -> TooLarge:
    message = (
        f"{called} is longer than {PIECE_BYTES_MAX:,} bytes, the most that one record of a request takes."
    )
    return TooLarge([Problem(message, called if "[" in called else None, "too_large")])
