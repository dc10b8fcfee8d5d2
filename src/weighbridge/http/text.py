"""Texts of requests as types: the decoder holds their limits, and the OpenAPI document has them."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Annotated, Any, Final, get_type_hints

import msgspec

from weighbridge.core.collection.custom_field import TEXT_LENGTH_MAX
from weighbridge.core.identity import (
    NAME_LENGTH_MAX,
    NODE_SLUG_LENGTH_MAX,
    PREFIXES,
    SLUG_LENGTH_MAX,
    SLUG_PATTERN,
    Key,
    id_pattern,
    make,
)
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BeyondCalendarError, Instant
from weighbridge.core.unit import TEXT_MAX as UNIT_LENGTH_MAX

Description = Annotated[str, msgspec.Meta(max_length=TEXT_LENGTH_MAX)]
"""What people write about a record."""

Line = Annotated[str, msgspec.Meta(max_length=NAME_LENGTH_MAX)]
"""One line of an address and the like."""

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time with an offset or Z."""


TIMES_NAMED_MAX: Final = 100
"""Times outside the calendar that a refusal names."""


def outside_calendar(record: Any) -> list[Problem]:
    """The times of a body that UTC has no year for, by their paths."""
    return [*islice(_outside("", record), TIMES_NAMED_MAX)]


def _outside(path: str, value: Any) -> Iterator[Problem]:
    match value:
        case datetime():
            try:
                Instant.of(value)
            except BeyondCalendarError as error:
                yield Problem(f"{path} {error}.", path, "invalid")
        case msgspec.Struct():
            for field in msgspec.structs.fields(value):
                field_path = f"{path}.{field.encode_name}" if path else field.encode_name
                yield from _outside(field_path, getattr(value, field.name))
        case list() | tuple():
            for index, item in enumerate(value):
                yield from _outside(f"{path}[{index}]", item)


def one_of(words: Iterable[str]) -> msgspec.Meta:
    """The allowed words of a text, as listed in the OpenAPI document.

    The decoder takes any text: which words there are is a rule, and a value that breaks one is refused with
    422 and a sentence of its own, together with all other problems.
    """
    return msgspec.Meta(extra_json_schema={"enum": [str(word) for word in words]})


NEEDED: Final = msgspec.Meta(extra={"needed": True})
"""Marks a field as required whose absence is refused in words of its own, by `left_out`."""


@cache
def needed(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """The fields of a record that are marked so."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(name for name, hint in hints.items() if NEEDED in getattr(hint, "__metadata__", ()))


def left_out(record: msgspec.Struct) -> Iterator[Problem]:
    """The needed fields that were not sent."""
    for name in needed(type(record)):
        if getattr(record, name) is msgspec.UNSET:
            yield Problem(f"{name} is required", name, "required")


def told(**schema: Any) -> msgspec.Meta:
    """A limit that a rule enforces and the OpenAPI document states.

    The decoder takes any text or number: what is beyond is refused with 422 and a sentence of its own, beside
    everything else that is wrong. Both name the one constant.
    """
    return msgspec.Meta(extra_json_schema=schema)


def at_most(characters: int) -> msgspec.Meta:
    """How many characters a text has at most."""
    return told(maxLength=characters)


def several(most: int, *, least: int = 0) -> msgspec.Meta:
    """How many a list has at most, and at least."""
    return told(minItems=least, maxItems=most) if least else told(maxItems=most)


def id_of(kind: str) -> msgspec.Meta:
    """The form of the friendly id of a kind of record; a text of another form names none."""
    return told(pattern=f"^{id_pattern(kind)}$")


def between(least: int, most: int) -> msgspec.Meta:
    """Between which bounds a whole number lies, both included."""
    return told(minimum=least, maximum=most)


Name = Annotated[str, told(minLength=1, maxLength=NAME_LENGTH_MAX)]
"""What people call a record, and what is bounded like it."""

Text = Annotated[str, at_most(TEXT_LENGTH_MAX)]
"""What people write about a record."""

NewSlug = Annotated[str, told(maxLength=SLUG_LENGTH_MAX, pattern=f"^{SLUG_PATTERN}$")]
"""A slug that a record is given."""

Slug = Annotated[str, at_most(SLUG_LENGTH_MAX)]
"""A slug that names a record: none is longer."""

NodeSlug = Annotated[str, at_most(NODE_SLUG_LENGTH_MAX)]
"""A slug that names a node of a model: none is longer."""

UnitText = Annotated[str, at_most(UNIT_LENGTH_MAX)]
"""A unit as people write it."""


def shown_as(kind: Any) -> msgspec.Meta:
    """The type that the OpenAPI document shows in the place of the one that the decoder reads."""
    return msgspec.Meta(extra={"shown_as": kind})


ADDRESS_MAX: Final = 2_000
"""Characters of an address that is called."""


Schema = dict[str, Any]


def friendly_id(kind: str) -> Schema:
    """The schema of a kind of friendly id, with an id that the service could have made."""
    prefix = PREFIXES[kind]
    example = make(kind, Key(1, 0 if kind == "project" else 1))
    digits = len(example) - len(prefix) - 1
    noun = kind.replace("_", " ")
    return {
        "type": "string",
        "pattern": f"^{id_pattern(kind)}$",
        "description": f"The friendly id of the {noun}: {prefix}_ and {digits} hexadecimal digits.",
        "examples": [example],
    }
