"""Percentiles by the five definitions in use, which part wherever there are few values.

Of n values in ascending order, numbered from 1, and a share p from 0 to 1:

    nearest_rank   the one at p n, rounded up: the smallest with at least that share at or below it
    naaqs          the one after the whole part of p n (40 CFR 50, appendices N and S)
    eu_97_101      the one at p n, rounded to the nearest, halves up (Council Decision 97/101/EC)
    inclusive      at 1 + (n - 1) p, between the two nearest (a spreadsheet's PERCENTILE.INC)
    exclusive      at (n + 1) p, between the two nearest, at least the first and at most the last (NIST,
                   PERCENTILE.EXC)

`linear` is another name of `inclusive`.

`Ordered` keeps numbers in order while they come and go, in sorted chunks of bounded length, so that a change
moves few of them: a percentile of a sliding window costs no sorting.

Invariants: a percentile lies between the smallest and the largest value; equal values are interchangeable,
so it never depends on the order in which they came; every chunk but an only one holds at least one number,
and chunk after chunk the numbers ascend.

An example: of the values 1 to 10 the 90th percentile is 9, 10, 9, 9.1 and 9.9, in the order above.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal
from typing import Final, Protocol

from weighbridge.core.quantity.number import CONTEXT, EXACT

_ONE: Final = Decimal(1)
_CHUNK_MAX: Final = 512


class Ascending(Protocol):
    """Numbers in ascending order."""

    def __len__(self) -> int: ...

    def __getitem__(self, rank: int, /) -> Decimal: ...


def _nearest_rank(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.multiply(share, count).to_integral_value(ROUND_CEILING)


def _naaqs(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.add(EXACT.multiply(share, count).to_integral_value(ROUND_FLOOR), _ONE)


def _eu_97_101(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.multiply(share, count).to_integral_value(ROUND_HALF_UP)


def _inclusive(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.add(EXACT.multiply(share, EXACT.subtract(count, _ONE)), _ONE)


def _exclusive(share: Decimal, count: Decimal) -> Decimal:
    return EXACT.multiply(share, EXACT.add(count, _ONE))


_POSITIONS: Final[Mapping[str, Callable[[Decimal, Decimal], Decimal]]] = {
    "nearest_rank": _nearest_rank,
    "naaqs": _naaqs,
    "eu_97_101": _eu_97_101,
    "inclusive": _inclusive,
    "linear": _inclusive,
    "exclusive": _exclusive,
}
"""Where in the order a percentile stands, counted from 1, by its definition."""

DEFINITIONS: Final = tuple(_POSITIONS)
"""The definitions of a percentile, by name."""


def percentile(values: Ascending, share: Decimal, definition: str) -> Decimal:
    """The percentile of at least one value by a named definition, rounded once; the share is from 0 to 1."""
    count = len(values)
    position = _POSITIONS[definition](share, Decimal(count))
    below = int(position)
    if below < 1:
        return values[0]
    if below >= count:
        return values[count - 1]
    low = values[below - 1]
    fraction = EXACT.subtract(position, Decimal(below))
    if not fraction:
        return low
    step = EXACT.multiply(fraction, EXACT.subtract(values[below], low))
    return CONTEXT.plus(EXACT.add(low, step))


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
