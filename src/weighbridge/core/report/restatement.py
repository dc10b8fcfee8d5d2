"""What reports take from batches, and what a report that restates another one changes of that.

A holding is an amount of a batch, in the unit of its ledger, that counts from a moment on. What a chain of
reports has posted is a set of holdings, and so is what it has reserved; each is brought to another by posting
the difference and nothing else. A report under way reserves what it takes beyond what its chain has posted.

Worked example, in tonnes of one batch, for one moment. A report of 4,305 was accepted, and is restated to
3,874. While that is under way nothing more is reserved; once it is accepted, 431 are given back:

>>> from datetime import UTC, datetime
>>> end = datetime(2025, 4, 1, tzinfo=UTC)
>>> posted, restated = {(7, end): Decimal(4305)}, {(7, end): Decimal(3874)}
>>> reserve(restated, posted)
{}
>>> differences(posted, restated)
[HoldingChange(batch=7, effective_at=datetime.datetime(2025, 4, 1, 0, 0, tzinfo=datetime.timezone.utc), \
amount=Decimal('-431'))]

Invariants: what is held and the differences come to what is wanted, for every batch and moment; nothing is
reserved that is posted already.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from weighbridge.core.quantity.number import EXACT, ZERO

Holdings = Mapping[tuple[int, datetime], Decimal]
"""Amounts by batch and the moment from which on they count."""


@dataclass(frozen=True, slots=True)
class HoldingChange:
    """So much more of a batch is held from a moment on; below zero where it is less."""

    batch: int
    effective_at: datetime
    amount: Decimal


def moment_of(slot_ends: Iterable[datetime], restated: datetime | None = None) -> datetime:
    """From when on a report counts: the latest end of its batches' slots, and no earlier than what it
    restates.
    """
    return max([*slot_ends, *([] if restated is None else [restated])])


def differences(held: Holdings, wanted: Holdings) -> list[HoldingChange]:
    """What has to be posted so that what is held becomes what is wanted, in the order of moments and
    batches.
    """
    changes = [
        HoldingChange(batch, moment, EXACT.subtract(wanted.get((batch, moment), ZERO), amount))
        for (batch, moment), amount in {**dict.fromkeys(wanted, ZERO), **held}.items()
    ]
    return sorted((one for one in changes if one.amount), key=lambda one: (one.effective_at, one.batch))


def reserve(taken: Holdings, posted: Holdings) -> dict[tuple[int, datetime], Decimal]:
    """What a report under way reserves: of each batch what it takes beyond what its chain has posted."""
    stated: dict[int, Decimal] = {}
    for (batch, _), amount in posted.items():
        stated[batch] = EXACT.add(stated.get(batch, ZERO), amount)
    beyond = {key: EXACT.subtract(amount, stated.get(key[0], ZERO)) for key, amount in taken.items()}
    return {key: amount for key, amount in beyond.items() if amount > 0}
