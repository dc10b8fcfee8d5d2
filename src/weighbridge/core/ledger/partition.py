"""A partition is the part of a slot that makes one batch: a feedstock, a tracking id, or both.

Invariants: a partition has a value in every dimension of its type and in no other; partitions are
ordered by their values as people see them, never by id or arrival. An account is a partition of one ledger.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

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
"""What stands between the values of a partition."""


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
            mine is None or theirs is None or mine == theirs
            for mine, theirs in (
                (self.tracking_id, other.tracking_id),
                (self.feedstock, other.feedstock),
                (self.asset, other.asset),
            )
        )

    @property
    def named(self) -> dict[str, str]:
        """The values by dimension, as formulas name them: `partition.feedstock`."""
        named = {"tracking_id": self.tracking_id, "feedstock": self.feedstock, "asset": self.asset}
        return {dimension: value for dimension, value in named.items() if value is not None}

    @property
    def label(self) -> str:
        """The values for people, `LOT-7 / Wood chips`; empty for the partition of a slot that is not cut.

        No two partitions of a type have the same: of several values, one that holds a slash or a quotation
        mark is quoted, `"7/b" / Wood chips`, with its quotation marks doubled. A value alone stays as it is.
        """
        values = [value for value in (self.tracking_id, self.feedstock, self.asset) if value]
        return values[0] if len(values) == 1 else SEPARATOR.join(map(_quoted, values))


def _quoted(value: str) -> str:
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
