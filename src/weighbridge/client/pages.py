"""A list, walked by cursor: the next page is asked for when its first record is wanted.

Invariant: whoever walks a list to its end has met every record once that was there throughout.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Generic, TypeVar

import msgspec

from weighbridge.client.calls import Call
from weighbridge.client.made.records import Info

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One page of a list."""

    data: list[T]
    info: Info


_KEPT: Final = (Decimal, datetime)
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


def to_objects(records: list[Any]) -> list[dict[str, Any]]:
    """Records as plain objects, one level deep, for a table."""
    return [msgspec.structs.asdict(record) for record in records]


class Frames(Generic[T]):
    """What becomes of a list in a table; the library has to be installed."""

    @staticmethod
    def polars(records: list[T]) -> Any:
        """The records as a polars data frame, decimals as decimals."""
        import polars as pl  # noqa: PLC0415 - only for those who have it

        return pl.DataFrame(msgspec.to_builtins(to_objects(records), builtin_types=_KEPT))

    @staticmethod
    def pandas(records: list[T]) -> Any:
        """The records as a pandas data frame, decimals as objects."""
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(msgspec.to_builtins(to_objects(records), builtin_types=_KEPT))


class Pages(Generic[T]):
    """A list for programs that wait: `for record in pages`."""

    def __init__(self, carry: Callable[[Call[Any]], Any], listing: Listing[T]) -> None:
        self._carry = carry
        self._listing = listing

    def __iter__(self) -> Iterator[T]:
        cursor = None
        while True:
            page = self._carry(self._listing.at(cursor))
            yield from page.data
            cursor = page.info.next_cursor
            if cursor is None:
                return

    def page(self) -> Any:
        """The page that was asked for, with what `info` says of the list."""
        return self._carry(self._listing.call)

    def to_polars(self) -> Any:
        """The whole list as a polars data frame."""
        return Frames.polars(list(self))

    def to_pandas(self) -> Any:
        """The whole list as a pandas data frame."""
        return Frames.pandas(list(self))


class AsyncPages(Generic[T]):
    """A list for programs that await: `async for record in pages`."""

    def __init__(self, carry: Callable[[Call[Any]], Awaitable[Any]], listing: Listing[T]) -> None:
        self._carry = carry
        self._listing = listing

    async def __aiter__(self) -> AsyncIterator[T]:
        cursor = None
        while True:
            page = await self._carry(self._listing.at(cursor))
            for record in page.data:
                yield record
            cursor = page.info.next_cursor
            if cursor is None:
                return

    async def page(self) -> Any:
        """The page that was asked for, with what `info` says of the list."""
        return await self._carry(self._listing.call)

    async def to_polars(self) -> Any:
        """The whole list as a polars data frame."""
        return Frames.polars([record async for record in self])

    async def to_pandas(self) -> Any:
        """The whole list as a pandas data frame."""
        return Frames.pandas([record async for record in self])
