"""Texts of requests as types: the decoder holds their limits, and the OpenAPI document tells them."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Final

import msgspec

from weighbridge.core.collection.custom_field import TEXT_LENGTH_MAX
from weighbridge.core.identity.name import NAME_LENGTH_MAX
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import BeyondCalendarError, Instant

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
            for one in msgspec.structs.fields(value):
                within = f"{path}.{one.encode_name}" if path else one.encode_name
                yield from _outside(within, getattr(value, one.name))
        case list() | tuple():
            for index, one in enumerate(value):
                yield from _outside(f"{path}[{index}]", one)


def one_of(words: Iterable[str]) -> msgspec.Meta:
    """The words that a text may be, told in the OpenAPI document.

    The decoder takes any text: which words there are is a rule, and a value that breaks one is refused with
    422 and a sentence of its own, beside everything else that is wrong.
    """
    return msgspec.Meta(extra_json_schema={"enum": [str(word) for word in words]})


def shown_as(kind: Any) -> msgspec.Meta:
    """The type that the OpenAPI document shows in the place of the one that the decoder reads."""
    return msgspec.Meta(extra={"shown_as": kind})
