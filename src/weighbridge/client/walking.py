"""A list, walked by cursor: the next page is asked for when its first record is wanted.

Invariant: whoever walks a list to its end has met every record once that was there throughout.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic, TypeVar

from weighbridge.client.calls import Flow, execute_call
from weighbridge.client.flows import ExportFormat, File, Show, choose_progress, export_list
from weighbridge.client.frames import Numbers, Table, tabulate
from weighbridge.client.pages import Listing

T = TypeVar("T")


class Pages(Generic[T]):
    """A list for programs that wait: `for record in pages`."""

    def __init__(self, run: Callable[[Flow[Any]], Any], listing: Listing[T]) -> None:
        self._run = run
        self._listing = listing

    def __iter__(self) -> Iterator[T]:
        cursor = None
        while True:
            page = self._run(execute_call(self._listing.at(cursor)))
            yield from page.data
            cursor = page.info.next_cursor
            if cursor is None:
                return

    def page(self) -> Any:
        """The page that was asked for, with what `info` says of the list."""
        return self._run(execute_call(self._listing.call))

    def export(
        self,
        export_format: ExportFormat = "parquet",
        *,
        timeout: float | None = None,
        progress: bool | Show | None = None,
    ) -> File:
        """Have the service write the whole list to a file, and give that with its name.

        `timeout` and `progress` are as for `TaskHandle.wait`. Raises Invalid for a list that is no file.
        """
        show = choose_progress(progress)
        file: File = self._run(export_list(self._listing, export_format, timeout=timeout, show=show))
        return file

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

    def __init__(self, run: Callable[[Flow[Any]], Awaitable[Any]], listing: Listing[T]) -> None:
        self._run = run
        self._listing = listing

    async def __aiter__(self) -> AsyncIterator[T]:
        cursor = None
        while True:
            page = await self._run(execute_call(self._listing.at(cursor)))
            for record in page.data:
                yield record
            cursor = page.info.next_cursor
            if cursor is None:
                return

    async def page(self) -> Any:
        """The page that was asked for, with what `info` says of the list."""
        return await self._run(execute_call(self._listing.call))

    async def export(
        self,
        export_format: ExportFormat = "parquet",
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - as `wait` has it
        progress: bool | Show | None = None,
    ) -> File:
        """Have the service write the whole list to a file, and give that with its name.

        `timeout` and `progress` are as for `TaskHandle.wait`. Raises Invalid for a list that is no file.
        """
        show = choose_progress(progress)
        file: File = await self._run(export_list(self._listing, export_format, timeout=timeout, show=show))
        return file

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
