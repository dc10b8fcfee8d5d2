"""An ordered bag of numbers that tells the one at any rank while numbers come and go.

The numbers stand in sorted chunks of bounded length, so a change moves few of them.

Invariants: every chunk but an only one holds at least one number; chunk after chunk, the numbers ascend.
"""

from bisect import bisect_left, insort
from decimal import Decimal
from typing import Final

_CHUNK_MAX: Final = 512


class Ordered:
    """Numbers in ascending order, each as often as it was added."""

    __slots__ = ("_chunks", "_count", "_tops")

    def __init__(self) -> None:
        self._chunks: list[list[Decimal]] = [[]]
        self._tops: list[Decimal] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, rank: int) -> Decimal:
        for chunk in self._chunks:
            if rank < len(chunk):
                return chunk[rank]
            rank -= len(chunk)
        raise IndexError(rank)

    def add(self, value: Decimal) -> None:
        """Put a number in."""
        index = min(bisect_left(self._tops, value), len(self._chunks) - 1)
        chunk = self._chunks[index]
        insort(chunk, value)
        if len(chunk) > _CHUNK_MAX:
            half = len(chunk) // 2
            self._chunks[index : index + 1] = [chunk[:half], chunk[half:]]
            self._tops[index : index + 1] = [chunk[half - 1], chunk[-1]]
        else:
            self._tops[index : index + 1] = [chunk[-1]]
        self._count += 1

    def remove(self, value: Decimal) -> None:
        """Take a number out that was put in."""
        index = bisect_left(self._tops, value)
        chunk = self._chunks[index]
        del chunk[bisect_left(chunk, value)]
        if chunk:
            self._tops[index] = chunk[-1]
        else:
            del self._tops[index]
            if len(self._chunks) > 1:
                del self._chunks[index]
        self._count -= 1
