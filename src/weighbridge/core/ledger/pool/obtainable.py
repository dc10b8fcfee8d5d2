"""What could be had of a ledger: what is free, and what those hold whose turn is still to come.

Sources are added up as slots go by, so that every slot adds only what it sees more; what changes meanwhile is
carried in. What may be had of an account is no more than the room that it has.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

from weighbridge.core.ledger.allocation import Account
from weighbridge.core.ledger.drawing import RunKey, SourceBatch, SourceRun, Standing
from weighbridge.core.ledger.posting import Timeline
from weighbridge.core.quantity.number import EXACT, ZERO, exact_total

# Releases: what becomes free elsewhere when a batch is given back what its run no longer comes to.
#
# When a run's total falls while its batches are drawn, its falls take from other batches of its partition.
# What is given back to its own batches then does not stay there: the others are released instead.
# `posting.py` posts that; here it is worked out while a generation draws.
#
# What nothing was taken for is what the run is short of, and settles that.
#
# Invariant: no more is released than was taken.


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


# Room: how much may be drawn of each account, from which moment on, while a generation is worked out.
#
# A draw that counts from a moment on is granted only as far as what was produced, less what was drawn,
# stays at or above zero at that moment and at every later one. What runs hold whose turn is still to come
# counts as drawn, but can be had: it is lent.
#
# Invariant: drawing and giving back the same leaves everything as it was.


UNBOUNDED: Final = Decimal("Infinity")
"""The room of an account of which nothing is known."""


class Room:
    """The timelines of the accounts, with and without what is lent."""

    def __init__(
        self,
        standings: Mapping[Account, Standing],
        moments: Iterable[datetime],
    ) -> None:
        """Moments are those for which draws may count."""
        known = list(moments)
        self._standing = {
            account: Timeline(one.steps, known, one.opening) for account, one in standings.items()
        }
        self._firm = {account: Timeline(one.steps, known, one.opening) for account, one in standings.items()}

    def of(self, account: Account, moment: datetime) -> Decimal:
        """What may be drawn from a moment on as things stand."""
        timeline = self._standing.get(account)
        return UNBOUNDED if timeline is None else max(ZERO, timeline.lowest_from(moment))

    def with_lent(self, account: Account, moment: datetime) -> Decimal:
        """What may be drawn from a moment on if all that is lent is taken over."""
        timeline = self._firm.get(account)
        return UNBOUNDED if timeline is None else max(ZERO, timeline.lowest_from(moment))

    def draw(self, account: Account, moment: datetime, amount: Decimal) -> None:
        """Let a draw count; a negative amount is given back."""
        if timeline := self._standing.get(account):
            timeline.add(moment, EXACT.minus(amount))

    def firm(self, account: Account, moment: datetime, amount: Decimal) -> None:
        """Add to what can be had with all that is lent; a negative amount is lent no more."""
        if timeline := self._firm.get(account):
            timeline.add(moment, amount)


class Obtainable:
    """The sums over the first sources of one ledger, account by account."""

    def __init__(
        self,
        shelf: Sequence[SourceBatch],
        until: datetime,
        free: Callable[[int], Decimal],
        lent: Callable[[int], Decimal],
    ) -> None:
        self._shelf, self._free, self._lent = shelf, free, lent
        self._count = 0
        self._sums: dict[Account, Decimal] = {}
        self._last: list[SourceBatch] = []
        self.until = until
        self.move_on(until)

    def move_on(self, until: datetime) -> None:
        """See the sources that start before a later moment, too."""
        while self._count < len(self._shelf) and self._shelf[self._count].slot.start < until:
            batch = self._shelf[self._count]
            self._add(batch.account, self._there(batch.number))
            self._last.append(batch)
            self._count += 1
        # Their draws count for later moments than the slot's own.
        self._last = [batch for batch in self._last if batch.slot.end > until]
        self.until = until

    def change(self, batch: SourceBatch, amount: Decimal) -> None:
        """Carry in a change of what can be had of a source."""
        if batch.slot.start < self.until:
            self._add(batch.account, amount)

    def total(self, room: Room) -> Decimal:
        """What can be had in all, from the moment on until which sources are seen."""
        return exact_total(
            self._of_account(room, account, amount) for account, amount in self._sums.items() if amount
        )

    def _of_account(self, room: Room, account: Account, amount: Decimal) -> Decimal:
        later = [(batch, self._there(batch.number)) for batch in self._last if batch.account == account]
        amount = EXACT.subtract(amount, exact_total(there for _, there in later))
        had = min(amount, room.with_lent(account, self.until))
        for batch, there in sorted(later, key=lambda one: one[0].slot.end):
            left = EXACT.subtract(room.with_lent(account, batch.slot.end), had)
            had = EXACT.add(had, max(ZERO, min(there, left)))
        return had

    def _there(self, source: int) -> Decimal:
        return EXACT.add(self._free(source), self._lent(source))

    def _add(self, account: Account, amount: Decimal) -> None:
        self._sums[account] = EXACT.add(self._sums.get(account, ZERO), amount)
