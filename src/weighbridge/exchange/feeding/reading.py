"""The reading of a feed's file: opened and judged in a sandbox, asked for portion after portion.

What foreign bytes can make slow or large stands here: unpacking, encodings, cells, times, units.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final, Protocol

from weighbridge.core.collection.data_feed import Formulas
from weighbridge.exchange.data_feeds.records import DataFeed
from weighbridge.exchange.feeding.destination import FeedDestination, mapping_of
from weighbridge.exchange.feeding.mapping import columns_of
from weighbridge.exchange.feeding.portions import Portion, RowFeed
from weighbridge.exchange.feeding.units_line import taken_from
from weighbridge.exchange.tabular.file import CsvFile
from weighbridge.exchange.tabular.given import GivenFields, fields_given
from weighbridge.exchange.tabular.opening import reading_table
from weighbridge.sandbox.sandbox import Sandbox
from weighbridge.sandbox.work import SandboxLimits

FEED_LIMITS: Final = SandboxLimits(memory_bytes=1_610_612_736, cpu_seconds=90)
"""What reading a file of a feed may take: 1.5 GB, and 90 seconds for its opening and for each portion."""


class PortionSource(Protocol):
    """Where portions come from."""

    async def next(self, keys: Sequence[int]) -> Portion | None:
        """The next rows, at most one for each key; None behind the last."""


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """What is known of a file once its header is read."""

    mapping: dict[str, str]
    """What each column gives."""
    given: GivenFields


class FeedReading:
    """A file that is open, in the sandbox."""

    def __init__(self, file: CsvFile, feed: DataFeed, destination: FeedDestination, reference: str) -> None:
        """Raises Refusal where the file as a whole cannot be read as the feed says."""
        opened = ExitStack()
        takes_stored = feed.formulas == Formulas.TAKE_STORED
        self._table = opened.enter_context(reading_table(file, sheet=feed.sheet, takes_stored=takes_stored))
        self._opened = opened
        units = taken_from(self._table) if feed.units_line else None
        columns = columns_of(self._table.header, feed, destination.event_type, units)
        mapping = mapping_of(feed, columns, destination, reference)
        self._rows = RowFeed(self._table, mapping, destination.vocabulary)
        self._file = OpenedFile(columns.as_mapping(), fields_given(mapping))

    def opened(self) -> OpenedFile:
        """What its header says."""
        return self._file

    def next(self, keys: Sequence[int]) -> Portion | None:
        """The next portion."""
        return self._rows.next(keys)

    def formulas(self) -> int:
        """Cells read so far whose value was saved with a formula."""
        return self._table.formulas


class SandboxedRows:
    """The rows of a file that is read in a sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def open(self, *arguments: Any) -> OpenedFile:
        """Open the file there, by the arguments of FeedReading."""
        await self._sandbox.keep(FeedReading, *arguments)
        opened: OpenedFile = await self._sandbox.of_kept("opened")
        return opened

    async def next(self, keys: Sequence[int]) -> Portion | None:
        """The next portion."""
        portion: Portion | None = await self._sandbox.of_kept("next", [*keys])
        return portion

    async def formulas(self) -> int:
        """Cells read so far whose value was saved with a formula."""
        count: int = await self._sandbox.of_kept("formulas")
        return count
