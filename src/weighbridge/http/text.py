"""Texts of requests as types: the decoder holds their limits, and the OpenAPI document tells them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

import msgspec

from weighbridge.core.collection.custom_field import TEXT_LENGTH_MAX
from weighbridge.core.identity.name import NAME_LENGTH_MAX

Description = Annotated[str, msgspec.Meta(max_length=TEXT_LENGTH_MAX)]
"""What people write about a record."""

Line = Annotated[str, msgspec.Meta(max_length=NAME_LENGTH_MAX)]
"""One line of an address and the like."""

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time with an offset or Z."""


def one_of(words: Iterable[str]) -> msgspec.Meta:
    """The words that a text may be, told in the OpenAPI document.

    The decoder takes any text: which words there are is a rule, and a value that breaks one is refused with
    422 and a sentence of its own, beside everything else that is wrong.
    """
    return msgspec.Meta(extra_json_schema={"enum": [str(word) for word in words]})


def shown_as(kind: Any) -> msgspec.Meta:
    """The type that the OpenAPI document shows in the place of the one that the decoder reads."""
    return msgspec.Meta(extra={"shown_as": kind})
