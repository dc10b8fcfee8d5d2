"""How a whole is divided: partitions of a slot, parts of an amount, and the rounding of both.

A partition is the part of a slot that makes one batch: a feedstock, a tracking id, or both. An
allocation divides a whole into parts that sum to it, to the last digit. Contributions say how much of
an amount rests on the values of each source, from measured to estimated; they are stored in the order of the
sources, so a new source goes to the end.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum
from typing import Final, Literal, NamedTuple

from weighbridge.core.number import (
    CONTEXT,
    DIGITS_MAX,
    EXACT,
    ZERO,
    count_significant_digits,
    exact_total,
    plain,
    round_to,
    total,
)

# The sources of values, from measured to estimated; contributions are stored in this order.


class ValueSource(StrEnum):
    """Where the value in force comes from."""

    CAPTURED = "captured"
    """It is as it was captured, or was given later for a missing value."""
    MANUAL = "manual"
    """A person put it in the place of another."""
    ADJUSTED = "adjusted"
    """A rule put it in the place of a captured one, by a calibration."""
    SUBSTITUTED = "substituted"
    """A rule put it in the place of a captured one that is not to count."""
    IMPUTED = "imputed"
    """A rule put it where nothing was captured."""


# An allocation divides a whole into parts that sum to it, to the last digit.
#
# The whole is cut toward zero at so many places, and so is each part of that. The units left over go one
# each to the parts of the largest remainders, of equal ones to the first in the order given, which is fixed
# by the caller and never by id or arrival. What the whole has beyond the places goes with the first part of
# a weight.
#
# So 10 over three at 2 places is 3.34, 3.33, 3.33; 0.00001 over two at 2 places is 0.00001 and 0; and 4 in
# the proportion 3 : 6 at whole units is 1 and 3, for 1.33 loses less than 2.67 would.
#
# Invariants: `sum(divide(whole, weights, places)) == whole`; a part of weight zero is zero; neither zeros
# at the end of the whole nor the unit of the weights changes a part; equal weights give parts that differ
# by at most one unit, but for what the first has beyond the places; parts have the sign of the whole, and
# no more digits than a number has.


SHARE_PLACES_DEFAULT: Final = 6
"""Places at which a model cuts shares that names none: those that ledgers keep by default."""

SHARE_PLACES_MAX: Final = 12
"""The most places at which a model may cut shares: far below the resolution of any meter."""


class AllocationError(ValueError):
    """A whole cannot be divided by these weights; the message is a full sentence."""


def divide(amount: Decimal, weights: Sequence[Decimal], places: int) -> list[Decimal]:
    """Divide a whole in proportion to weights, at so many places.

    Raises AllocationError when a weight is negative, all are zero, or a part has more digits than a number.
    """
    shares, total = _scale_to_whole(weights)
    units = int(amount.scaleb(places, context=EXACT))
    cut = [divmod(abs(units) * share, total) for share in shares]
    counts = [count for count, _ in cut]
    # The remainders sum to the units left over times the total, so a part without one never gets a unit.
    by_remainder = sorted(range(len(cut)), key=lambda index: -cut[index][1])
    for index in by_remainder[: abs(units) - sum(counts)]:
        counts[index] += 1
    step = -1 if units < 0 else 1
    parts = [Decimal(step * count).scaleb(-places, context=EXACT) for count in counts]
    beyond = EXACT.subtract(amount, Decimal(units).scaleb(-places, context=EXACT))
    if beyond:
        first = next(index for index, share in enumerate(shares) if share)
        parts[first] = EXACT.add(parts[first], beyond.normalize(EXACT))
    assert exact_total(parts) == amount, "parts sum to the whole"  # noqa: S101 - the promise itself
    _require_digits(parts, places)
    return parts


def divide_evenly(amount: Decimal, count: int, places: int) -> list[Decimal]:
    """Divide a whole into equal parts."""
    return divide(amount, [Decimal(1)] * count, places)


def _scale_to_whole(weights: Sequence[Decimal]) -> tuple[list[int], int]:
    """The weights as whole numbers, and their sum: fractions are slow where a thousand sources are drawn."""
    if any(weight < 0 for weight in weights):
        raise AllocationError("A weight is negative, so there is no proportion to divide by.")
    fineness = max(map(_count_places, weights), default=0)
    shares = [int(weight.scaleb(fineness, context=EXACT)) for weight in weights]
    total = sum(shares)
    if not total:
        raise AllocationError("The weights sum to zero, so there is no proportion to divide by.")
    return shares, total


def _require_digits(parts: Sequence[Decimal], places: int) -> None:
    """Raise AllocationError when a part would lose digits wherever it is computed with."""
    long = [part for part in parts if len(part.as_tuple().digits) > DIGITS_MAX]
    longest = max(map(count_significant_digits, long), default=0)
    if longest > DIGITS_MAX:
        raise AllocationError(
            f"A part cut at {places} places has {longest} digits, and a number holds {DIGITS_MAX}."
        )


def _count_places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int), "numbers are finite"  # noqa: S101
    return max(0, -exponent)


# A partition is the part of a slot that makes one batch: a feedstock, a tracking id, or both.
#
# Invariants: a partition has a value in every dimension of its type and in no other; partitions are ordered
# by their values as people see them, never by id or arrival. An account is a partition of one ledger.


DIMENSIONS: Final = {
    "time": (),
    "feedstock": ("feedstock",),
    "tracking_id": ("tracking_id",),
    "asset": ("asset",),
    "tracking_id_and_feedstock": ("tracking_id", "feedstock"),
    "tracking_id_and_asset": ("tracking_id", "asset"),
}
"""The dimensions that each partition type cuts by."""


SEPARATOR: Final = " / "
"""The separator between the values of a partition."""


@dataclass(frozen=True, slots=True, order=True)
class Partition:
    """The values of one partition, by name; None where the type has no such dimension or a datum no tag."""

    tracking_id: str | None = None
    feedstock: str | None = None
    asset: str | None = None

    def is_whole(self, partition_type: str) -> bool:
        """Whether every dimension of the type has a value."""
        return all(getattr(self, dimension) is not None for dimension in DIMENSIONS[partition_type])

    def agrees_with(self, other: "Partition") -> bool:
        """Whether no dimension has two different values: untagged data agree with every partition."""
        return all(
            own_tag is None or other_tag is None or own_tag == other_tag
            for own_tag, other_tag in (
                (self.tracking_id, other.tracking_id),
                (self.feedstock, other.feedstock),
                (self.asset, other.asset),
            )
        )

    @property
    def named(self) -> dict[str, str]:
        """The values by dimension, as formulas name them: `partition.feedstock`."""
        tags = {"tracking_id": self.tracking_id, "feedstock": self.feedstock, "asset": self.asset}
        return {dimension: value for dimension, value in tags.items() if value is not None}

    @property
    def label(self) -> str:
        """The values for people, `LOT-7 / Wood chips`; empty for the partition of a slot that is not cut.

        No two partitions of a type have the same: of several values, one that holds a slash or a quotation
        mark is quoted, `"7/b" / Wood chips`, with its quotation marks doubled. A value alone stays as it is.
        """
        values = [value for value in (self.tracking_id, self.feedstock, self.asset) if value]
        return values[0] if len(values) == 1 else SEPARATOR.join(map(_quote_label, values))


def _quote_label(value: str) -> str:
    if "/" not in value and '"' not in value:
        return value
    doubled = value.replace('"', '""')
    return f'"{doubled}"'


class Account(NamedTuple):
    """A partition of a ledger, over all slots."""

    ledger: int
    partition: Partition

    @property
    def order(self) -> tuple[object, ...]:
        """By what accounts are ordered."""
        return self.ledger, self.partition.label


# How a ledger rounds: a run's total once, when it is posted, and what is drawn of it once, when it is
# drawn.
#
# `half_even` errs to neither side. `down` goes toward minus infinity, so that no total exceeds what was
# computed; what is drawn of such a ledger is rounded up, so that no use counts for less than it took.
#
# Every partition's total is rounded for itself, because each is a batch that is drawn, reported and
# corrected by itself, and must not move when a neighbour does. So the rounded parts of n partitions may
# differ from the rounded sum: with `half_even` by at most (n + 1) / 2 units of the last place, for n + 1
# roundings are off by half a unit each at most; with `down` they are below it, by less than n units.


LedgerRounding = Literal["half_even", "down"]
"""How a ledger rounds what is posted to it."""

HALF_EVEN: Final = "half_even"
DOWN: Final = "down"


def round_total(value: Decimal, scale: int, rounding: LedgerRounding) -> Decimal:
    """A run's total on a ledger, in the ledger's unit."""
    return round_to(value, scale, "floor" if rounding == DOWN else "half_even")


def round_draw(value: Decimal, scale: int, rounding: LedgerRounding) -> Decimal:
    """What is drawn of a ledger where a node needs so much of its unit."""
    return round_to(value, scale, "ceiling" if rounding == DOWN else "half_even")


def warn_of_coarse_scale(
    ledger: str, unit: str, scale: int, rounding: LedgerRounding, share_places: int
) -> str | None:
    """The warning that a ledger is coarser than its model cuts shares; None when it is not."""
    if scale >= share_places:
        return None
    last_place = f"{plain(Decimal(1).scaleb(-scale))} {unit}".strip()
    off = (
        f"be below their rounded sum by less than n x {last_place}"
        if rounding == DOWN
        else f"differ from their rounded sum by up to (n + 1) / 2 x {last_place}"
    )
    return (
        f"{ledger!r} keeps {scale} decimals and its model cuts shares at {share_places}:"
        f" the rounded totals of n partitions may {off}."
    )


# Contributions: how much of an amount rests on the values of each source, and the shares that follow.
#
# A value contributes |x * df/dx|: what the amount changes by, at the rate that holds here, when the value
# changes by all of itself. What contributes to a batch goes on with what is drawn of it.
#
# A worked example. Of a net of 100 t measured less 15 t measured less 5 t substituted, 80 t, each input
# contributes its own size: captured 115, substituted 5. Captured is 115/120 = 95.8333 %. A batch that draws
# 60 t of it, and 20 t more that are measured, has captured 60 * 115/120 + 20 = 77.5 and substituted 2.5,
# so captured is 96.875 %.
#
# Invariants: contributions are not negative; shares are parts of 1 to the last digit, or there are none.


Contributions = Mapping[ValueSource, Decimal]
"""By source, in the unit of the amount; a source that is not there contributes nothing."""

NO_CONTRIBUTIONS: Final[Contributions] = {}
"""Contributions of constants and static inputs, and of other unmeasured values."""

_SIZES: Final = Context(prec=28, rounding=ROUND_HALF_EVEN)
"""The context of sizes: only their proportions count, and kept batches have them with so many digits."""

SHARE_DIGITS: Final = 12
"""Places of a share of 1."""


def find_magnitude(amount: Decimal) -> Decimal:
    """An amount without its sign, with 28 digits in any context of the thread."""
    return _SIZES.abs(amount)


def add_contributions(parts: Iterable[Contributions]) -> Contributions:
    """Return the sum of several, added exactly and rounded once."""
    columns: dict[ValueSource, list[Decimal]] = {}
    for part in parts:
        for source, amount in part.items():
            columns.setdefault(source, []).append(amount)
    return {source: amount for source in ValueSource if (amount := total(columns.get(source, ())))}


def multiply_contributions(contributions: Contributions, rate: Decimal) -> Contributions:
    """What contributes to something that changes with the amount at a rate."""
    size = find_magnitude(rate)
    return {source: CONTEXT.multiply(amount, size) for source, amount in contributions.items()}


def spread(amount: Decimal, contributions: Contributions) -> Contributions:
    """What an amount rests on that is part of what these contribute to; nothing where nothing does."""
    sum_of_contributions = exact_total(contributions.values())
    if not sum_of_contributions:
        return NO_CONTRIBUTIONS
    size = find_magnitude(amount)
    return {
        source: CONTEXT.divide(CONTEXT.multiply(contribution, size), sum_of_contributions)
        for source, contribution in contributions.items()
    }


def compute_shares(contributions: Contributions) -> Mapping[ValueSource, Decimal] | None:
    """Each source's part of 1, cut so that they add up to it; None where nothing contributes."""
    if not any(contributions.values()):
        return None
    amounts = write_columns(contributions)
    parts = divide(Decimal(1), amounts, SHARE_DIGITS)
    return {source: Decimal(plain(part)) for source, part in zip(ValueSource, parts, strict=True)}


def write_columns(contributions: Contributions) -> list[Decimal]:
    """One number for each source, in their order, as they are kept."""
    return [contributions.get(source, ZERO) for source in ValueSource]


def read_columns(columns: Sequence[Decimal]) -> Contributions:
    """What was kept as one number for each source."""
    return {source: amount for source, amount in zip(ValueSource, columns, strict=True) if amount}
