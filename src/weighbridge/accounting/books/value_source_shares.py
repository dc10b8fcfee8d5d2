"""Shares of value sources: how much of what a run comes to was measured, and how much was not."""

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from weighbridge.core.ledger.contributions import of_columns, shares_of
from weighbridge.core.quantity.value_source import ValueSource


class ValueSourceShares(msgspec.Struct, frozen=True):
    """How much of what a run comes to rests on values of each source: parts of 1 that add up to it.

    A value counts by |x * df/dx|: its size times the rate at which the output changes with it.
    """

    captured: Decimal
    """On values that stand as they were measured."""
    manual: Decimal
    """On values that a person put in the place of others."""
    adjusted: Decimal
    """On values that a rule has calibrated."""
    substituted: Decimal
    """On values that a rule put in the place of captured ones that are not to count."""
    imputed: Decimal
    """On values that a rule put where nothing was captured."""


def value_source_shares(contributions: Sequence[Decimal] | None) -> ValueSourceShares | None:
    """The shares that follow from what contributes, source by source; None where nothing does."""
    shares = None if contributions is None else shares_of(of_columns(contributions))
    return None if shares is None else ValueSourceShares(*(shares[source] for source in ValueSource))


def measured_share(shares: ValueSourceShares | None) -> Decimal | None:
    """The share of what was measured."""
    return None if shares is None else shares.captured
