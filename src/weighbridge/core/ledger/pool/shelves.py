"""Shelves: the sources of a ledger that have the tags that a need matches, in the order of drawing.

Invariant: a shelf has every source of its ledger and tags once, in the order of sources.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import islice

from weighbridge.core.ledger.drawing import Match, SourceBatch


class Shelves:
    """Sources by ledger and tags; sorted once, and walked through from the first that is not used up."""

    def __init__(self, ordered: Sequence[SourceBatch]) -> None:
        self._ordered = ordered
        self._shelves: dict[tuple[int, Match], list[SourceBatch]] = {}
        self._cut_by: set[tuple[int, tuple[str, ...]]] = set()
        self._first: dict[tuple[int, Match], int] = {}

    def of(self, ledger: int, match: Match) -> Sequence[SourceBatch]:
        """The sources of a ledger with these tags, in order."""
        dimensions = tuple(dimension for dimension, _ in match)
        if (ledger, dimensions) not in self._cut_by:
            self._cut_by.add((ledger, dimensions))
            for batch in self._ordered:
                if batch.ledger == ledger:
                    tags = tuple((name, getattr(batch.partition, name)) for name in dimensions)
                    self._shelves.setdefault((ledger, tags), []).append(batch)
        return self._shelves.get((ledger, match), [])

    def holding(
        self, ledger: int, match: Match, until: datetime, free: Mapping[int, Decimal]
    ) -> Iterator[SourceBatch]:
        """Those that start before a moment and have something free, in order."""
        shelf = self.of(ledger, match)
        first = self._first.get((ledger, match), 0)
        # What is used up at the head of a shelf is not looked at again until something returns.
        while first < len(shelf) and not free[shelf[first].number]:
            first += 1
        self._first[ledger, match] = first
        for batch in islice(shelf, first, None):
            if batch.slot.start >= until:
                return
            if free[batch.number]:
                yield batch

    def something_returned(self) -> None:
        """What was used up may not be."""
        self._first.clear()
