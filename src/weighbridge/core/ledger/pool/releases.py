"""Releases: what becomes free elsewhere when a batch is given back what its run no longer comes to.

When a run's total falls while its batches are drawn, its falls take from other batches of its partition. What
is given back to its own batches then does not stay there: the others are released instead. `posting.py` posts
that; here it is worked out while a generation draws.

What nothing was taken for is what the run is short of, and settles that.

Invariant: no more is released than was taken.
"""

from collections.abc import Mapping
from decimal import Decimal

from weighbridge.core.ledger.drawing import RunKey, SourceRun
from weighbridge.core.quantity.number import EXACT, ZERO

_Owed = tuple[int | None, Decimal]
"""A batch of which was taken, or None for what the run is short of."""


class Releases:
    """What each run is overdrawn by, what it still has taken of others, and what it is short of."""

    def __init__(self, runs: Mapping[RunKey, SourceRun]) -> None:
        self._excess = {number: EXACT.subtract(run.drawn, run.total) for number, run in runs.items()}
        self._owed: dict[RunKey, list[_Owed]] = {
            number: [*run.taken, (None, run.short)] for number, run in runs.items()
        }
        self._repaid: dict[RunKey, list[_Owed]] = {}

    def excess(self, run: RunKey | None) -> Decimal:
        """What is drawn of a run's batches beyond what the run comes to."""
        return ZERO if run is None else max(ZERO, self._excess.get(run, ZERO))

    def draw(self, run: RunKey | None, amount: Decimal) -> None:
        """Note what is drawn of a run; a negative amount is given back, or not to be counted yet."""
        if run is not None and run in self._excess:
            self._excess[run] = EXACT.add(self._excess[run], amount)

    def owes(self, run: RunKey | None) -> bool:
        """Whether a run took of others' batches or is short of something."""
        return run in self._owed

    @property
    def released(self) -> Mapping[RunKey, Mapping[int, Decimal]]:
        """By run, what was repaid of others' batches and is not owed again."""
        released: dict[RunKey, dict[int, Decimal]] = {}
        for run, repaid in self._repaid.items():
            for batch, amount in repaid:
                if batch is not None and amount:
                    of_run = released.setdefault(run, {})
                    of_run[batch] = EXACT.add(of_run.get(batch, ZERO), amount)
        return released

    def repay(self, run: RunKey | None, amount: Decimal) -> list[_Owed]:
        """What becomes of an amount that is given back to a batch of a run: of others' first, then its own.

        What is said to go to no batch settles what the run is short of.
        """
        if run is None or run not in self._owed:
            return []
        owed, repaid = self._owed[run], []
        for index, (batch, there) in enumerate(owed):
            if part := min(amount, there):
                owed[index] = batch, EXACT.subtract(there, part)
                amount = EXACT.subtract(amount, part)
                repaid.append((batch, part))
        self._repaid.setdefault(run, []).extend(repaid)
        return repaid

    def repaid(self, run: RunKey | None) -> list[_Owed]:
        """What a run repaid and may take again, the last first."""
        return [] if run is None else self._repaid.get(run, [])[::-1]

    def owe_again(self, run: RunKey | None, batch: int | None, amount: Decimal) -> None:
        """Note that a run takes of a batch again what it repaid last of it."""
        if run is None or not amount:
            return
        repaid = self._repaid[run]
        index = max(index for index, one in enumerate(repaid) if one[0] == batch and one[1] >= amount)
        repaid[index] = batch, EXACT.subtract(repaid[index][1], amount)
        self._owed[run].append((batch, amount))
