"""A list as it is asked for, and one page of it."""

from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar, get_args

import msgspec

from weighbridge.client.calls import Call
from weighbridge.client.made.records import Info

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One page of a list."""

    data: list[T]
    info: Info


PAGE_SIZE: Final = 200
"""How many records are asked for at a time, the most that a page holds."""


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """The call of a list; its answer is a page with `data` and `info`."""

    call: Call[Any]

    def at(self, cursor: str | None) -> Call[Any]:
        """The call of the page behind a cursor, or of the first."""
        kept = tuple((name, value) for name, value in self.call.query if name not in ("cursor", "page"))
        if not any(name == "page_size" for name, _ in kept):
            kept = (*kept, ("page_size", str(PAGE_SIZE)))
        return replace(self.call, query=kept if cursor is None else (*kept, ("cursor", cursor)))

    @property
    def record(self) -> type[msgspec.Struct] | None:
        """The kind of its records, where its pages are plain ones."""
        kinds = get_args(self.call.kind)
        return kinds[0] if kinds else None
