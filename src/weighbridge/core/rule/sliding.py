"""A sliding aggregate follows a window: members enter at its front and leave at its back, first in first out.

Each keeps just enough to tell its result at any moment, so that evaluating a million records costs a few
steps for each, however large their windows are.

Invariants: sums are exact, so nothing that left leaves a trace; only results are rounded; an aggregate of
nothing is missing, but a sum or a count is 0.

An example: deliveries of 10, 14, 12, 8 and 30 t, and a rolling window of two days. When a record comes, what
starts more than two days before it leaves; then the aggregates are told, and then the record enters.

    day  mass  leave  members  sum  average  max  kept for max
      1    10      -        -    0        -    -             -
      2    14      -       10   10       10   10            10
      3    12      -    10,14   24       12   14            14
      4     8     10    14,12   26       13   14         14,12
      6    30  14,12        8    8        8    8             8

`max` forgets the 10 as soon as the 14 enters, which stays longer and is larger. The rule
`{{mass}} > (2 * avg({{mass}}))` alerts on day 6 alone, where 30 is more than twice 8.
"""

from collections import Counter, deque
from decimal import Decimal
from typing import Any, Final, Protocol

from weighbridge.core.expression.value import Element
from weighbridge.core.quantity.number import CONTEXT, EXACT, ZERO
from weighbridge.core.rule.percentile import Ordered, percentile
from weighbridge.core.time.expectation import MeterSlot

DEFINITION: Final = "linear"
"""The definition of a percentile that names none, and of the median."""

_ONE: Final = Decimal(1)


class Sliding(Protocol):
    """An aggregate over the members of a window; it is given no missing values."""

    def enter(self, value: Any) -> None:
        """A member enters the window."""

    def leave(self, value: Any) -> None:
        """The member that entered first leaves."""

    def result(self, own: Any) -> Element:
        """The aggregate for a record whose own value this is."""


class Count:
    """How many members there are."""

    def __init__(self) -> None:
        self._count = 0

    def enter(self, _value: Any) -> None:
        self._count += 1

    def leave(self, _value: Any) -> None:
        self._count -= 1

    def result(self, _own: Any) -> Element:
        return Decimal(self._count)


class Sum:
    """The exact sum, rounded once."""

    def __init__(self) -> None:
        self.total = ZERO
        self.count = 0

    def enter(self, value: Decimal) -> None:
        self.total = EXACT.add(self.total, value)
        self.count += 1

    def leave(self, value: Decimal) -> None:
        self.total = EXACT.subtract(self.total, value)
        self.count -= 1

    def result(self, _own: Any) -> Element:
        return CONTEXT.plus(self.total)


class Average(Sum):
    """The arithmetic mean, rounded once."""

    def result(self, _own: Any) -> Element:
        return CONTEXT.divide(self.total, Decimal(self.count)) if self.count else None


class Deviation(Sum):
    """The sample standard deviation, from the exact sums of the values and of their squares."""

    def __init__(self) -> None:
        super().__init__()
        self._squares = ZERO

    def enter(self, value: Decimal) -> None:
        super().enter(value)
        self._squares = EXACT.add(self._squares, EXACT.multiply(value, value))

    def leave(self, value: Decimal) -> None:
        super().leave(value)
        self._squares = EXACT.subtract(self._squares, EXACT.multiply(value, value))

    def result(self, _own: Any) -> Element:
        if self.count < 2:
            return None
        count = Decimal(self.count)
        spread = EXACT.subtract(EXACT.multiply(count, self._squares), EXACT.multiply(self.total, self.total))
        return CONTEXT.sqrt(CONTEXT.divide(spread, EXACT.multiply(count, EXACT.subtract(count, _ONE))))


class Extreme:
    """The smallest or largest; values that a later one outdoes are forgotten at once."""

    def __init__(self, *, is_largest: bool) -> None:
        self._is_largest = is_largest
        self._candidates: deque[Decimal] = deque()

    def enter(self, value: Decimal) -> None:
        candidates = self._candidates
        if self._is_largest:
            while candidates and candidates[-1] < value:
                candidates.pop()
        else:
            while candidates and candidates[-1] > value:
                candidates.pop()
        candidates.append(value)

    def leave(self, value: Decimal) -> None:
        if self._candidates[0] == value:
            self._candidates.popleft()

    def result(self, _own: Any) -> Element:
        return self._candidates[0] if self._candidates else None


class Ranked:
    """A value by its rank: the median, or a percentile by a named definition."""

    def __init__(self, share: Decimal, definition: str) -> None:
        self._share = share
        self._definition = definition
        self._values = Ordered()

    def enter(self, value: Decimal) -> None:
        self._values.add(value)

    def leave(self, value: Decimal) -> None:
        self._values.remove(value)

    def result(self, _own: Any) -> Element:
        return percentile(self._values, self._share, self._definition) if len(self._values) else None


class Previous:
    """The value that entered last, while it has not left."""

    def __init__(self) -> None:
        self._last: Element = None
        self._count = 0

    def enter(self, value: Any) -> None:
        self._last = value
        self._count += 1

    def leave(self, _value: Any) -> None:
        self._count -= 1

    def result(self, _own: Any) -> Element:
        return self._last if self._count else None


class MissedSlots:
    """How many expected slots lie between the last member that entered, however long ago, and the record."""

    def __init__(self) -> None:
        self._last: MeterSlot | None = None

    def enter(self, value: MeterSlot) -> None:
        self._last = value

    def leave(self, _value: MeterSlot) -> None:
        """A member that left the window is still the last one before the record."""

    def result(self, own: MeterSlot | None) -> Element:
        if own is None or self._last is None:
            return None
        return Decimal(own.missed_since(self._last))


class Same:
    """How many members have the record's own values."""

    def __init__(self) -> None:
        self._members: Counter[Any] = Counter()

    def enter(self, value: Any) -> None:
        self._members[value] += 1

    def leave(self, value: Any) -> None:
        self._members[value] -= 1
        if not self._members[value]:
            del self._members[value]

    def result(self, own: Any) -> Element:
        return ZERO if own is None else Decimal(self._members[own])
