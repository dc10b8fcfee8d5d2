"""What could be had of a ledger: what is free, and what those hold whose turn is still to come.

Sources are added up as slots go by, so that every slot adds only what it sees more; what changes meanwhile is
carried in. What may be had of an account is no more than the room that it has.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal

from weighbridge.core.ledger.drawing import SourceBatch
from weighbridge.core.ledger.partition import Account
from weighbridge.core.ledger.pool.room import Room
from weighbridge.core.quantity.number import EXACT, ZERO, exact_total


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
