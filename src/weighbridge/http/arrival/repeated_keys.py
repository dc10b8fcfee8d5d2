"""Repeated keys: two of the same name in one object of JSON, of which readers take the first or the last.

The JSON library takes the last and does not say so. To look at every key by itself costs more than to decode
a body of thousands of events, so of a large body it is first asked whether there can be any at all: when it
has as many keys as the records that were made of it have fields, there are none.

Invariant: a body that is let through has no key twice. One without any may be looked at twice, never refused.
"""

import json
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import chain
from operator import attrgetter
from typing import Any, Final

from msgspec import NODEFAULT
from msgspec.inspect import ListType, Metadata, NoneType, StructType, UnionType, type_info

from weighbridge.core.quantity.number import shorten
from weighbridge.errors import Malformed

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
        _decoder.decode(body.decode())
    except _RepeatedKeyError as repeated:
        key = shorten(str(repeated))
        raise Malformed(
            f"The key {key!r} stands twice in one object of the body; it takes each key once."
        ) from None


def _pairs(pairs: list[tuple[str, Any]]) -> None:
    if len(pairs) > 1 and len({name for name, _ in pairs}) < len(pairs):
        names = [name for name, _ in pairs]
        raise _RepeatedKeyError(next(name for index, name in enumerate(names) if name in names[:index]))


def _nothing(_: str) -> None:
    """Stand for a number, which nobody needs to read here."""


_decoder: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_nothing, parse_int=_nothing, strict=False
)


def _has_keys_of(body: bytes, value: Any, kind: Any) -> bool:
    """Whether the body has exactly the keys that the value was certainly written with."""
    if any(space in body and space + b":" in body for space in (b" ", b"\n", b"\t", b"\r")):
        return False  # a key that is not counted may be hidden by one that stands in a text
    return _counter(kind)([value]) == body.count(b'":')


@cache
def _counter(kind: Any) -> Counter:
    return _counter_of(type_info(kind)) or (lambda _: 0)


def _counter_of(kind: Any) -> Counter | None:
    """The counter of a type; None where nothing is certain."""
    if isinstance(kind, Metadata):
        return _counter_of(kind.type)
    if isinstance(kind, UnionType):
        others = [one for one in kind.types if not isinstance(one, NoneType)]
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
    if isinstance(kind, StructType) and all(one.required for one in kind.fields):
        return len(kind.fields) if not any(_counter_of(one.type) for one in kind.fields) else None
    return None


def _counter_of_records(kind: StructType) -> Counter:
    required = [one for one in kind.fields if one.required]
    inside = [(attrgetter(one.name), inner) for one in required if (inner := _counter_of(one.type))]
    optional = [
        (attrgetter(one.name), one.default, _counter_of(one.type)) for one in kind.fields if not one.required
    ]

    def count(values: Iterable[Any]) -> int:
        records = [*values]
        total = len(records) * len(required)
        total += sum(inner(map(get, records)) for get, inner in inside)
        for get, default, inner_of_optional in optional:
            if default is NODEFAULT:  # what is made anew for each record is made empty
                there = [*filter(None, map(get, records))]
            else:
                there = [value for value in map(get, records) if value is not default]
            total += len(there)
            if there and inner_of_optional:
                total += inner_of_optional(there)
        return total

    return count
