"""A timeline: what a partition of a ledger has produced less what was drawn of it, at every moment.

A step is an amount that counts from a moment on: a run's total from the end of its slot, a draw, negative,
from the moment for which it was made. What may still be drawn from a moment on is the lowest that the
timeline ever stands at from there: a later credit never hides an earlier shortage.

Worked example, in tonnes. January produced 5, of which 5 were drawn in February; then January turned out to
be 0 and March produced 8:

>>> from datetime import UTC, datetime
>>> january, february, march = (datetime(2025, month, 1, tzinfo=UTC) for month in (2, 3, 4))
>>> timeline = Timeline({january: Decimal(0), february: Decimal(-5), march: Decimal(8)})
>>> timeline.at(february), timeline.at(march), timeline.lowest_from(january)
(Decimal('-5'), Decimal('3'), Decimal('-5'))

Invariant: `lowest_from(t)` is the minimum of `at` over t and every later moment. Both, and a new step, take
a time that grows with the logarithm of the number of moments.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal

from weighbridge.core.quantity.number import EXACT, ZERO


class Timeline:
    """The sum of all steps up to each moment, with its lowest point from any moment on."""

    def __init__(
        self,
        steps: Mapping[datetime, Decimal],
        moments: Iterable[datetime] = (),
        opening: Decimal = ZERO,
    ) -> None:
        """Opening is what stood before the first step; naming moments that will have steps saves time."""
        self._opening = opening
        self._moments = sorted({*steps, *moments})
        self._build([steps.get(moment, ZERO) for moment in self._moments])

    def at(self, moment: datetime) -> Decimal:
        """What stands at a moment: a step counts at its own."""
        index = bisect_right(self._moments, moment) - 1
        if index < 0:
            return self._opening
        node = self._leaves + index
        total = self._sums[node]
        while node > 1:
            if node % 2:
                total = EXACT.add(total, self._sums[node - 1])
            node //= 2
        return EXACT.add(self._opening, total)

    def lowest_from(self, moment: datetime) -> Decimal:
        """The lowest that stands at a moment or at any later one."""
        index = bisect_right(self._moments, moment) - 1
        if index < 0:
            lowest = EXACT.add(self._opening, self._lows[1]) if self._moments else self._opening
            return min(self._opening, lowest)
        node = self._leaves + index
        before, total, low = self._opening, self._sums[node], self._lows[node]
        while node > 1:
            if node % 2:
                before = EXACT.add(before, self._sums[node - 1])
            else:
                low = min(low, EXACT.add(total, self._lows[node + 1]))
                total = EXACT.add(total, self._sums[node + 1])
            node //= 2
        return EXACT.add(before, low)

    def add(self, moment: datetime, amount: Decimal) -> None:
        """Let an amount count from a moment on."""
        index = bisect_right(self._moments, moment) - 1
        if index < 0 or self._moments[index] != moment:
            self._moments.insert(index + 1, moment)
            steps = self._sums[self._leaves : self._leaves + len(self._moments) - 1]
            self._build([*steps[: index + 1], ZERO, *steps[index + 1 :]])
            index += 1
        node = self._leaves + index
        self._sums[node] = self._lows[node] = EXACT.add(self._sums[node], amount)
        while node > 1:
            node //= 2
            self._join(node)

    def steps(self) -> list[tuple[datetime, Decimal]]:
        """Each moment at which something changes, and what stands from it on."""
        standing = self._opening
        changes = []
        for index, moment in enumerate(self._moments):
            if step := self._sums[self._leaves + index]:
                standing = EXACT.add(standing, step)
                changes.append((moment, standing))
        return changes

    def _build(self, steps: list[Decimal]) -> None:
        """Make the tree: of each node the sum of its steps, and the lowest of their running sums."""
        self._leaves = 1 << max(0, len(steps) - 1).bit_length()
        padded = [*steps, *[ZERO] * (self._leaves - len(steps))]
        self._sums = [ZERO] * self._leaves + padded
        self._lows = list(self._sums)
        for node in range(self._leaves - 1, 0, -1):
            self._join(node)

    def _join(self, node: int) -> None:
        left, right = 2 * node, 2 * node + 1
        self._sums[node] = EXACT.add(self._sums[left], self._sums[right])
        self._lows[node] = min(self._lows[left], EXACT.add(self._sums[left], self._lows[right]))
