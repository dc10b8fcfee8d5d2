"""Room: how much may be drawn of each account, from which moment on, while a generation is worked out.

A draw that counts from a moment on is granted only as far as what was produced, less what was drawn, stays
at or above zero at that moment and at every later one. What runs hold whose turn is still to come counts as
drawn, but can be had: it is lent.

Invariant: drawing and giving back the same leaves everything as it was.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Final

from weighbridge.core.ledger.drawing import Standing
from weighbridge.core.ledger.partition import Account
from weighbridge.core.ledger.timeline import Timeline
from weighbridge.core.quantity.number import EXACT, ZERO

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
