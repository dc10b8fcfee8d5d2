"""Contributions: how much of an amount rests on the values of each source, and the shares that follow.

A value contributes |x * df/dx|: what the amount changes by, at the rate that holds here, when the value
changes by all of itself. What contributes to a batch goes on with what is drawn of it.

A worked example. Of a net of 100 t measured less 15 t measured less 5 t substituted, 80 t, each input
contributes its own size: captured 115, substituted 5. Captured is 115/120 = 95.8333 %. A batch that draws
60 t of it, and has 20 t measured beside that, has captured 60 * 115/120 + 20 = 77.5 and substituted 2.5, so
captured is 96.875 %.

Invariants: contributions are not negative; shares are parts of 1 to the last digit, or there are none.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from weighbridge.core.ledger.allocation import divide
from weighbridge.core.quantity.number import CONTEXT, ZERO, exact_total, plain, total
from weighbridge.core.quantity.value_source import ValueSource

Contributions = Mapping[ValueSource, Decimal]
"""By source, in the unit of the amount; a source that is not there contributes nothing."""

NO_CONTRIBUTIONS: Final[Contributions] = {}
"""Those of constants and static inputs, and of what nobody measured."""

_SIZES: Final = Context(prec=28, rounding=ROUND_HALF_EVEN)
"""The context of sizes: only their proportions count, and kept batches have them with so many digits."""

SHARE_DIGITS: Final = 12
"""Places of a share of 1."""


def size_of(amount: Decimal) -> Decimal:
    """An amount without its sign, with 28 digits whatever the context of the thread is."""
    return _SIZES.abs(amount)


def together(parts: Iterable[Contributions]) -> Contributions:
    """What several come to together, added exactly and rounded once."""
    columns: dict[ValueSource, list[Decimal]] = {}
    for part in parts:
        for source, amount in part.items():
            columns.setdefault(source, []).append(amount)
    return {source: amount for source in ValueSource if (amount := total(columns.get(source, ())))}


def times(contributions: Contributions, rate: Decimal) -> Contributions:
    """What contributes to something that changes with the amount at a rate."""
    size = size_of(rate)
    return {source: CONTEXT.multiply(amount, size) for source, amount in contributions.items()}


def spread(amount: Decimal, contributions: Contributions) -> Contributions:
    """What an amount rests on that is part of what these contribute to; nothing where nothing does."""
    whole = exact_total(contributions.values())
    if not whole:
        return NO_CONTRIBUTIONS
    size = size_of(amount)
    return {
        source: CONTEXT.divide(CONTEXT.multiply(one, size), whole) for source, one in contributions.items()
    }


def shares_of(contributions: Contributions) -> Mapping[ValueSource, Decimal] | None:
    """Each source's part of 1, cut so that they add up to it; None where nothing contributes."""
    if not any(contributions.values()):
        return None
    amounts = as_columns(contributions)
    parts = divide(Decimal(1), amounts, SHARE_DIGITS)
    return {source: Decimal(plain(part)) for source, part in zip(ValueSource, parts, strict=True)}


def as_columns(contributions: Contributions) -> list[Decimal]:
    """One number for each source, in their order, as they are kept."""
    return [contributions.get(source, ZERO) for source in ValueSource]


def of_columns(columns: Sequence[Decimal]) -> Contributions:
    """What was kept as one number for each source."""
    return {source: amount for source, amount in zip(ValueSource, columns, strict=True) if amount}
