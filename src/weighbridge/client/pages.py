"""A list, walked by cursor: the next page is asked for when its first record is wanted.

Invariant: whoever walks a list to its end has met every record once that was there throughout.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, TypeVar, get_args

import msgspec

from weighbridge.client.calls import Call
from weighbridge.client.frames import Numbers, Table, tabulate
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

    def table(self) -> Table:
        """The whole list as a table of columns, with their units."""
        return tabulate(self, self._listing.record)

    def to_arrow(self, *, numbers: Numbers = "decimal") -> Any:
        """The whole list as a table of Arrow: `Table.to_arrow`."""
        return self.table().to_arrow(numbers=numbers)

    def to_pandas(self, *, numbers: Numbers = "decimal") -> Any:
        """The whole list as a data frame of pandas: `Table.to_pandas`."""
        return self.table().to_pandas(numbers=numbers)

    def to_polars(self, *, numbers: Numbers = "decimal") -> Any:
        """The whole list as a data frame of polars: `Table.to_polars`."""
        return self.table().to_polars(numbers=numbers)


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

    async def table(self) -> Table:
        """The whole list as a table of columns, with their units."""
        return tabulate([record async for record in self], self._listing.record)

    async def to_arrow(self, *, numbers: Numbers = "decimal") -> Any:
        """The whole list as a table of Arrow: `Table.to_arrow`."""
        return (await self.table()).to_arrow(numbers=numbers)

    async def to_pandas(self, *, numbers: Numbers = "decimal") -> Any:
        """The whole list as a data frame of pandas: `Table.to_pandas`."""
        return (await self.table()).to_pandas(numbers=numbers)

    async def to_polars(self, *, numbers: Numbers = "decimal") -> Any:
        """The whole list as a data frame of polars: `Table.to_polars`."""
        return (await self.table()).to_polars(numbers=numbers)
