"""What a report states otherwise than an earlier one, by the run whose batches it takes from, and why.

A run is what makes batches: adjusting ones among them. What a report takes of a run may change because the
run came to something else, by late data, by a correction or by another version of its model, or because
another amount was chosen.

Invariant: the changes come to the difference of the two reports.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from weighbridge.core.quantity.number import EXACT, ZERO


class ChangeCause(StrEnum):
    """Why a report takes more or less of a run than an earlier one did."""

    NEW_VERSION = "new_version"
    """Another version of the model computed the run."""

    CORRECTION = "correction"
    """Data that the run had used were corrected, or a correction was taken back."""

    LATE_DATA = "late_data"
    """The run uses other events than before."""

    OTHER_INPUTS = "other_inputs"
    """The run was computed anew, with other draws or static inputs."""

    SELECTION = "selection"
    """The run stands as it did; the report takes another amount of it."""


@dataclass(frozen=True, slots=True)
class RunBasis:
    """What a run stood on when a report took from it: its newest batch, and what that was made of."""

    batch: int
    model: int | None = None
    corrections: frozenset[int] = frozenset()
    events: tuple[int, int | None, int | None] = (0, None, None)
    """How many there are, the first and the last by number."""


@dataclass(frozen=True, slots=True)
class TakenOfRun:
    """What a report takes of one run, and what that stood on."""

    amount: Decimal
    basis: RunBasis


@dataclass(frozen=True, slots=True)
class RunChange:
    """So much was taken of a run before, so much is now, and why."""

    run: Hashable
    before: Decimal
    after: Decimal
    causes: tuple[ChangeCause, ...]


def changes_between(
    before: Mapping[Hashable, TakenOfRun], after: Mapping[Hashable, TakenOfRun]
) -> list[RunChange]:
    """What of each run two reports take differently, in the order of the runs; the same is left out."""
    changes = []
    for run in dict.fromkeys([*before, *after]):
        old, new = before.get(run), after.get(run)
        amounts = old.amount if old else ZERO, new.amount if new else ZERO
        if amounts[0] != amounts[1]:
            causes = causes_between(old.basis, new.basis) if old and new else (ChangeCause.SELECTION,)
            changes.append(RunChange(run, *amounts, causes))
    return changes


def causes_between(old: RunBasis, new: RunBasis) -> tuple[ChangeCause, ...]:
    """Why a run stands otherwise than it did; that it stands as it did leaves the choice of the amount."""
    if old.batch == new.batch:
        return (ChangeCause.SELECTION,)
    causes = [
        cause
        for cause, is_so in (
            (ChangeCause.NEW_VERSION, old.model != new.model),
            (ChangeCause.CORRECTION, old.corrections != new.corrections),
            (ChangeCause.LATE_DATA, old.events != new.events),
        )
        if is_so
    ]
    return tuple(causes) or (ChangeCause.OTHER_INPUTS,)


def total_change(changes: list[RunChange]) -> Decimal:
    """By how much the later report takes more, all in all."""
    total = ZERO
    for change in changes:
        total = EXACT.add(total, EXACT.subtract(change.after, change.before))
    return total
