"""Records as JSON: read into the class that says what there is, and written the one way there is.

Invariant: a record has every field of its class and no other, each of the kind that the class says.
"""

import json
import types
import typing
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar

from weighbridge.core.bundle.form.fault import UnreadableError
from weighbridge.core.proof.canonical import canonical_json

Record = TypeVar("Record")


def record_text(record: Any) -> bytes:
    """A record as a line of JSON, with its line end."""
    return canonical_json(asdict(record)) + b"\n"


def read_record(kind: type[Record], text: bytes) -> Record:
    """The record of a line; UnreadableError unless it is written as `record_text` writes it."""
    try:
        record = _value(kind, json.loads(text))
        if record_text(record) == text:
            return typing.cast("Record", record)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{_shown(text)} cannot be read: {error}.") from None
    raise UnreadableError(f"{_shown(text)} is not written as it should be.")


def _shown(text: bytes) -> str:
    return repr(text[:60].decode("utf-8", "replace"))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _value(kind: Any, value: Any) -> Any:
    """A value of a kind; ValueError for one of another."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in {types.UnionType, typing.Union}:
        [some] = [one for one in inner if one is not types.NoneType]
        return None if value is None else _value(some, value)
    if origin is list and isinstance(value, list):
        return [_value(inner[0], one) for one in value]
    if origin is dict and isinstance(value, dict):
        return {name: _value(inner[1], one) for name, one in value.items()}
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
        names = {one.name for one in fields(kind)}
        if value.keys() != names:
            raise ValueError(f"it has the fields {', '.join(sorted(value))}")
        return kind(
            **{name: _value(hint, value[name]) for name, hint in _hints(kind).items() if name in names}
        )
    if origin is None and type(value) is kind:
        return value
    raise ValueError(f"it has {str(value)[:40]!r} where {getattr(kind, '__name__', kind)} stands")
