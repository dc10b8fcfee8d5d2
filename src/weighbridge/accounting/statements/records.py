"""What a statement looks like on the wire."""

from decimal import Decimal

import msgspec

from weighbridge.core.time.instant import Instant


class StandingAt(msgspec.Struct, frozen=True):
    """How a partition stands at a moment: one of the two is zero."""

    balance: Decimal
    """What was produced less what was drawn, in the ledger's unit, if that is above nothing."""
    deficit: Decimal
    """What was drawn less what was produced, in the ledger's unit, if that is above nothing."""


class DrawnIn(msgspec.Struct, frozen=True):
    """What the runs of a partition drew from another ledger, less what they gave back."""

    ledger: str
    """The friendly id of the ledger that was drawn from."""
    name: str
    """What that ledger is called."""
    unit: str
    """The unit of that ledger, such as `t`."""
    amount: Decimal
    """How much was drawn, in `unit`."""


class PartitionStatement(msgspec.Struct, frozen=True):
    """One partition: opening, plus produced, less drawn out, is closing, deficits counted below zero."""

    partition: str | None
    opening: StandingAt
    """How it stood at the start of the period."""
    produced: Decimal
    """What the runs whose slots end in the period come to, in the ledger's unit; below zero where they take
    back.
    """
    of_which_fallen: Decimal
    """The part of it by which batches lost and were given back what runs turned out not to have made."""
    drawn_in: list[DrawnIn]
    """From other ledgers, in their units; it is no part of the sum."""
    drawn_out: Decimal
    """What others drew and reports took, less what they gave back, in the ledger's unit."""
    of_which_reported: Decimal
    """The part of it that reports hold, reserved or posted, less what they gave back."""
    closing: StandingAt
    """How it stood at the end of the period."""


class Statement(msgspec.Struct, frozen=True):
    """A ledger's statement over a period, which has what counts after its start and up to its end."""

    ledger: str
    """The friendly id of the ledger."""
    unit: str
    """The unit of the ledger, such as `t`."""
    start_time: Instant
    """The start of the period: what counts after it is in the statement."""
    end_time: Instant
    """The end of the period: what counts up to it is in the statement."""
    as_of: Instant | None
    """Read by what had been posted at this time; null for all that was posted by now."""
    data: list[PartitionStatement]
    """One entry for each partition of the ledger."""
