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

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple

from weighbridge.core.ledger.allocation import SHARE_DIGITS
from weighbridge.core.quantity.number import CONTEXT, EXACT, ZERO, plain, round_to

Holdings = Mapping[tuple[int, datetime], Decimal]
"""Amounts by batch and the moment from which on they count."""


@dataclass(frozen=True, slots=True)
class HoldingChange:
    """So much more of a batch is held from a moment on; below zero where it is less."""

    batch: int
    effective_at: datetime
    amount: Decimal


def find_effective_time(slot_ends: Iterable[datetime], restated: datetime | None = None) -> datetime:
    """From when on a report counts: the latest end of its batches' slots, and no earlier than what it
    restates.
    """
    return max([*slot_ends, *([] if restated is None else [restated])])


def list_changes(held: Holdings, wanted: Holdings) -> list[HoldingChange]:
    """What has to be posted so that what is held becomes what is wanted, in the order of moments and
    batches.
    """
    changes = [
        HoldingChange(batch, moment, EXACT.subtract(wanted.get((batch, moment), ZERO), amount))
        for (batch, moment), amount in {**dict.fromkeys(wanted, ZERO), **held}.items()
    ]
    return sorted(
        (change for change in changes if change.amount), key=lambda one: (one.effective_at, one.batch)
    )


def reserve(taken: Holdings, posted: Holdings) -> dict[tuple[int, datetime], Decimal]:
    """What a report under way reserves: of each batch what it takes beyond what its chain has posted."""
    stated: dict[int, Decimal] = {}
    for (batch, _), amount in posted.items():
        stated[batch] = EXACT.add(stated.get(batch, ZERO), amount)
    beyond = {key: EXACT.subtract(amount, stated.get(key[0], ZERO)) for key, amount in taken.items()}
    return {key: amount for key, amount in beyond.items() if amount > 0}


# How much of what a report takes was measured: the shares of its batches, each by how much it takes of it.
#
# Worked example: 3 t of a batch that was measured as a whole, and 1 t of one of which half was, are 0.875.
#
# Invariant: a share is between 0 and 1, or there is none, where nobody knows it of some batch.


class TakenShare(NamedTuple):
    """An amount of a batch, and which part of it was measured; None where nobody knows."""

    batch: int
    amount: Decimal
    share: Decimal | None


def compute_measured_share(taken: Sequence[TakenShare]) -> Decimal | None:
    """The part of all amounts that was measured, cut after twelve places."""
    whole, measured = ZERO, ZERO
    for one in taken:
        if one.share is None:
            return None
        whole = EXACT.add(whole, one.amount)
        measured = EXACT.add(measured, EXACT.multiply(one.amount, one.share))
    if not whole:
        return None
    return Decimal(plain(round_to(CONTEXT.divide(measured, whole), SHARE_DIGITS, "down")))


# What a report states otherwise than an earlier one, by the run whose batches it takes from, and why.
#
# A run is what makes batches: adjusting ones among them. What a report takes of a run may change because
# the run came to something else, by late data, by a correction or by another version of its model, or
# because another amount was chosen.
#
# Invariant: the changes come to the difference of the two reports.


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


def compare_reports(
    before: Mapping[Hashable, TakenOfRun], after: Mapping[Hashable, TakenOfRun]
) -> list[RunChange]:
    """What of each run two reports take differently, in the order of the runs; the same is left out."""
    changes = []
    for run in dict.fromkeys([*before, *after]):
        old, new = before.get(run), after.get(run)
        amounts = old.amount if old else ZERO, new.amount if new else ZERO
        if amounts[0] != amounts[1]:
            causes = list_causes(old.basis, new.basis) if old and new else (ChangeCause.SELECTION,)
            changes.append(RunChange(run, *amounts, causes))
    return changes


def list_causes(old: RunBasis, new: RunBasis) -> tuple[ChangeCause, ...]:
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
