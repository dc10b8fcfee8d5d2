"""Availability is the share of operating slots with a valid captured value, up to a slot and with it.

It is taken over the last so many operating slots, or over all while there are fewer (40 CFR 75.32, equations
8 and 9, with 8,760 hours). What a person or a rule put in counts as not captured.

Invariants: slots in which the meter was not operating count neither way; the share is divided once, to 34
digits, so that 8,322 of 8,760 hours are 0.95 and 8,321 are less.
"""

from collections import deque
from decimal import Decimal

from weighbridge.core.quantity.number import CONTEXT


class Availability:
    """The running share of one series."""

    def __init__(self, slots: int | None) -> None:
        self._slots = slots
        self._last: deque[bool] = deque()
        self._operating = 0
        self._valid = 0

    def count(self, *, is_valid: bool) -> None:
        """The next operating slot passes."""
        self._operating += 1
        self._valid += is_valid
        if self._slots is None:
            return
        self._last.append(is_valid)
        if self._operating > self._slots:
            self._operating -= 1
            self._valid -= self._last.popleft()

    @property
    def share(self) -> Decimal:
        """The share as it stands, from 0 to 1; at least one slot has passed."""
        return CONTEXT.divide(Decimal(self._valid), Decimal(self._operating))
