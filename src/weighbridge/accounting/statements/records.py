"""What a statement looks like on the wire."""

from decimal import Decimal

import msgspec

from weighbridge.core.time.instant import Instant


class StandingAt(msgspec.Struct, frozen=True):
    """How a partition stands at a moment: one of the two is zero."""

    balance: Decimal
    """What was produced less what was drawn, if that is above nothing."""
    deficit: Decimal
    """What was drawn less what was produced, if that is above nothing."""


class DrawnIn(msgspec.Struct, frozen=True):
    """What the runs of a partition drew from another ledger, less what they gave back."""

    ledger: str
    name: str
    unit: str
    amount: Decimal


class PartitionStatement(msgspec.Struct, frozen=True):
    """One partition: opening, plus produced, less drawn out, is closing, deficits counted below zero."""

    partition: str | None
    opening: StandingAt
    produced: Decimal
    """What the runs whose slots end in the period come to; below zero where they take back."""
    of_which_fallen: Decimal
    """The part of it by which batches lost and were given back what runs turned out not to have made."""
    drawn_in: list[DrawnIn]
    """From other ledgers, in their units; it is no part of the sum."""
    drawn_out: Decimal
    """What others drew, less what they gave back."""
    closing: StandingAt


class Statement(msgspec.Struct, frozen=True):
    """A ledger's statement over a period, which has what counts after its start and up to its end."""

    ledger: str
    unit: str
    start_time: Instant
    end_time: Instant
    as_of: Instant | None
    data: list[PartitionStatement]
