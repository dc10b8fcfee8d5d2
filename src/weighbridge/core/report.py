"""Reports: who has one, and what of its amounts is reserved and posted, also when it restates another.

A draft reserves nothing. Submission reserves its amounts; they stay reserved until the receiver has
decided, and while it is not certain that nothing was received. What is accepted is posted, what is rejected
is given back. A report that is restated is superseded: by the submission of the next one while it waits
itself, by its acceptance once it is complete. A report that is withdrawn gives back what it holds: what it
has reserved while it waits, what its chain has posted once it is complete. Accepted reports are merged into
one, or one is split into several: the successors are complete at once, hold together what their predecessors
held, and begin chains of their own.

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
>>> [(change.batch, change.amount) for change in list_changes(posted, restated)]
[(7, Decimal('-431'))]

If the restatement is withdrawn while it waits, the 4,305 stay posted; if the accepted report is withdrawn,
nothing is left of them:

>>> keep_posted(ReportStatus.SUBMITTED, posted) == posted
True
>>> keep_posted(ReportStatus.COMPLETE, posted)
{}

A receiver may accept a part. If it accepts 2,000 of a report that claims 3,000 of one batch and 1,305 of
another, each has its share at the scale of the ledger, and a restatement is compared with these shares:

>>> share_accepted(Decimal(2000), {7: Decimal(3000), 8: Decimal(1305)}, 0)
{7: Decimal('1394'), 8: Decimal('606')}

A restatement of what was once accepted may include nothing, and state a liability: what the claim owes its
receiver where the truth is below zero. A claim of 4,608 that is restated to -8,789 gives the 4,608 back, and
owes 8,789. A liability is no amount of a batch, and touches no balance:

>>> compute_amount([], Decimal(8789))
Decimal('-8789')
>>> [change.amount for change in list_changes({(7, end): Decimal(4608)}, {})]
[Decimal('-4608')]

Invariants: there is no other move than those listed; of a chain at most one report holds amounts reserved,
and at most one states what is posted. What is held and the differences come to what is wanted, for every
batch and moment; nothing is reserved that is posted already. No more of a batch is accepted than is claimed.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

from weighbridge.core.ledger.allocation import SHARE_DIGITS, divide
from weighbridge.core.number import CONTEXT, EXACT, ZERO, exact_total, plain, round_to


class ReportStatus(StrEnum):
    """The state of a report."""

    DRAFT = "draft"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    COMPLETE = "complete"
    REJECTED = "rejected"
    FAILED = "failed"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


class ReportTrigger(StrEnum):
    """What moves a report."""

    SUBMIT = "submit"
    """A person sends it off, or sends off again what failed on its way."""

    DELIVER = "deliver"
    """The adapter says that it was received."""

    FAIL = "fail"
    """The adapter cannot say that it was received, nor that it was not."""

    ACCEPT = "accept"
    """The receiver accepts it."""

    REJECT = "reject"
    """The receiver rejects it, or it is certain that nothing was received."""

    SUPERSEDE = "supersede"
    """A report that restates it takes its place."""

    WITHDRAW = "withdraw"
    """Its author takes the claim back."""

    SUCCEED = "succeed"
    """It takes the place of accepted reports that are merged or split, and holds what they held."""


MOVES: Final = {
    (ReportStatus.DRAFT, ReportTrigger.SUBMIT): ReportStatus.SUBMITTING,
    (ReportStatus.FAILED, ReportTrigger.SUBMIT): ReportStatus.SUBMITTING,
    (ReportStatus.SUBMITTING, ReportTrigger.DELIVER): ReportStatus.SUBMITTED,
    (ReportStatus.SUBMITTING, ReportTrigger.FAIL): ReportStatus.FAILED,
    (ReportStatus.SUBMITTED, ReportTrigger.ACCEPT): ReportStatus.COMPLETE,
    (ReportStatus.SUBMITTED, ReportTrigger.REJECT): ReportStatus.REJECTED,
    (ReportStatus.FAILED, ReportTrigger.REJECT): ReportStatus.REJECTED,
    (ReportStatus.SUBMITTED, ReportTrigger.SUPERSEDE): ReportStatus.SUPERSEDED,
    (ReportStatus.COMPLETE, ReportTrigger.SUPERSEDE): ReportStatus.SUPERSEDED,
    (ReportStatus.SUBMITTED, ReportTrigger.WITHDRAW): ReportStatus.WITHDRAWN,
    (ReportStatus.FAILED, ReportTrigger.WITHDRAW): ReportStatus.WITHDRAWN,
    (ReportStatus.COMPLETE, ReportTrigger.WITHDRAW): ReportStatus.WITHDRAWN,
    (ReportStatus.DRAFT, ReportTrigger.SUCCEED): ReportStatus.COMPLETE,
}
"""From a state, by a trigger, to a state."""

RESERVING: Final = (ReportStatus.SUBMITTING, ReportStatus.SUBMITTED, ReportStatus.FAILED)
"""States in which a report holds its amounts reserved."""

CLAIMING: Final = tuple(
    status
    for status in ReportStatus
    if status not in (ReportStatus.REJECTED, ReportStatus.SUPERSEDED, ReportStatus.WITHDRAWN)
)
"""The states of a report in which it claims amounts, or is about to."""

RESTATABLE: Final = (
    ReportStatus.SUBMITTED, ReportStatus.COMPLETE, ReportStatus.REJECTED, ReportStatus.WITHDRAWN,
)  # fmt: skip
"""States in which the last report of a chain may be restated."""


def may(status: ReportStatus, trigger: ReportTrigger) -> bool:
    """Whether a trigger moves a report in this state."""
    return (status, trigger) in MOVES


def advance(status: ReportStatus, trigger: ReportTrigger) -> ReportStatus:
    """The state after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[status, trigger]
    except KeyError:
        raise ValueError(f"a report that is {status} does not {trigger}") from None


# Adapters by their names, how a report gets to its receiver; and the formats that it is written in.


class AdapterName(StrEnum):
    """How a report gets to its receiver."""

    FILE = "file"
    """It is kept for people, who fetch it and hand it on."""

    HTTP = "http"
    """It is posted to the address of a registry."""

    ISOMETRIC_CERTIFY = "isometric_certify"
    """It becomes records of Isometric Certify, with a statement that is submitted there."""


CALLED_ADAPTERS: Final = (AdapterName.HTTP, AdapterName.ISOMETRIC_CERTIFY)
"""The adapters of registries that the service calls."""


class ReportFormat(StrEnum):
    """What a report is written as."""

    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    XML = "xml"


MEDIA_TYPES: Final = {
    ReportFormat.JSON: "application/json",
    ReportFormat.CSV: "text/csv; charset=utf-8",
    ReportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ReportFormat.XML: "application/xml",
}
"""What each format is called on its way."""


# Delivery: the steps of a report's submission, and what they make certain.
#
# Each step is recorded, and sending is recorded before anything leaves. So the steps show whether
# the receiver may have the report: from the record of sending on, unless that attempt certainly failed
# before anything arrived.
#
# >>> step = DeliveryStep
# >>> may_have_been_received([step.SENDING, step.NOT_SENT])
# False
# >>> may_have_been_received([step.SENDING, step.UNANSWERED, step.SENDING, step.REFUSED])
# True
#
# Invariants: what may have been received stays so until a person decides; a step that is missing, because
# the process died, counts as one without an answer.


class DeliveryStep(StrEnum):
    """What was done, or what came of it."""

    SENDING = "sending"
    """It is about to be handed on: from here on the receiver may have it."""

    RECEIVED = "received"
    """The receiver says that it has it."""

    REFUSED = "refused"
    """The receiver answered that it does not take it."""

    NOT_SENT = "not_sent"
    """No connection was made; nothing was sent."""

    UNANSWERED = "unanswered"
    """It may have been received: no answer came, or one that says nothing."""

    ABSENT = "absent"
    """Asked for it, the receiver says that it does not know it; what is still on its way may arrive."""


NOTHING_ARRIVED: Final = (DeliveryStep.REFUSED, DeliveryStep.NOT_SENT)
"""Steps after which it is certain that the attempt before them brought nothing."""


def may_have_been_received(steps: Sequence[DeliveryStep]) -> bool:
    """Whether the receiver may have a report that was handed on in these steps."""
    for index, step in enumerate(steps):
        if step is DeliveryStep.RECEIVED:
            return True
        last_step = next(
            (later_step for later_step in steps[index + 1 :] if later_step is not DeliveryStep.ABSENT), None
        )
        if step is DeliveryStep.SENDING and last_step not in NOTHING_ARRIVED:
            return True
    return False


# Submission requirements: what must hold of a report before it is sent off.
#
# Some hold for every report; a methodology may ask for more by their names.


class Requirement(StrEnum):
    """What must hold; each is the code of the refusal that names it."""

    HAS_BATCHES = "no_batches"
    """The report takes from at least one batch."""

    BATCHES_THERE = "batch_gone"
    """None of its batches was deleted."""

    AMOUNTS_REMAIN = "not_remaining"
    """What it takes remains, at every moment from the latest slot's end on."""

    NOT_BELOW_ZERO = "below_zero"
    """Of several ledgers it deducts no more than it claims."""

    DEDUCTED_WHOLE = "not_deducted"
    """Of several ledgers it takes all that remains, up to its end, of those that are deducted."""

    NO_PENDING_PROPOSALS = "pending_proposals"
    """No correction of the data behind it waits for approval."""

    NOT_STALE = "stale_batches"
    """Its batches are up to date with their data."""

    NO_LATE_DATA = "late_data"
    """No data of its time wait for a generation to look at them."""

    NO_OPEN_DEFICITS = "open_deficits"
    """At no moment of its period more was drawn of its ledger than produced."""

    OF_ITS_MODELS = "another_model"
    """Its batches were made by models that implement its methodology."""

    OF_ITS_VERSIONS = "another_version"
    """Its batches were made by versions of models that its methodology names."""

    NO_OPEN_ALERTS = "open_alerts"
    """No alert concerns its data or runs: no open result of the severity `fail`; warnings may stay."""

    MEASURED_ENOUGH = "measured_share"
    """Of what it takes, as much was measured as its methodology asks for."""

    HAS_EVIDENCE = "no_evidence"
    """Each of its batches has evidence on an event that it was made of."""


OPTIONAL_REQUIREMENTS: Final = {
    "no_open_alerts": Requirement.NO_OPEN_ALERTS,
    "evidence": Requirement.HAS_EVIDENCE,
}
"""What a methodology may ask for, by name."""


class OtherVersions(StrEnum):
    """What becomes of a report with batches of versions that its methodology does not name."""

    REFUSE = "refuse"
    """It is not sent off."""
    NOTE = "note"
    """It is sent off, and says how many they are."""


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
        (change for change in changes if change.amount),
        key=lambda change: (change.effective_at, change.batch),
    )


def keep_posted(withdrawn: ReportStatus, posted: Holdings) -> Holdings:
    """What a chain still has posted once a report of it in this state is withdrawn: nothing of a complete
    one, for that states all that its chain has posted.
    """
    return {} if withdrawn is ReportStatus.COMPLETE else posted


def reserve(taken_amounts: Holdings, posted_amounts: Holdings) -> dict[tuple[int, datetime], Decimal]:
    """What a report under way reserves: of each batch what it takes beyond what its chain has posted."""
    stated: dict[int, Decimal] = {}
    for (batch, _), amount in posted_amounts.items():
        stated[batch] = EXACT.add(stated.get(batch, ZERO), amount)
    beyond = {key: EXACT.subtract(amount, stated.get(key[0], ZERO)) for key, amount in taken_amounts.items()}
    return {key: amount for key, amount in beyond.items() if amount > 0}


def compute_amount(taken: Iterable[Decimal], liability: Decimal | None) -> Decimal:
    """What a report states all in all: what it takes of batches, less what it owes."""
    return EXACT.subtract(exact_total(taken), liability or ZERO)


def share_accepted(accepted: Decimal, claimed: Mapping[int, Decimal], scale: int) -> dict[int, Decimal]:
    """How much of each batch is accepted where so much of all that is claimed is.

    In proportion to what is claimed, at the scale of the ledger, or finer where the amounts are. No part is
    above its claim, because what is cut off is below one unit.
    """
    places = max(scale, *(-_find_exponent(amount) for amount in (accepted, *claimed.values())))
    return dict(zip(claimed, divide(accepted, [*claimed.values()], places), strict=True))


def _find_exponent(amount: Decimal) -> int:
    exponent = amount.normalize(EXACT).as_tuple().exponent
    assert isinstance(exponent, int), "amounts are finite"  # noqa: S101
    return exponent


# How much of what a report takes was measured: the shares of its batches, each by how much it takes of it.
#
# Worked example: 3 t of a batch that was measured as a whole, and 1 t of one of which half was, are 0.875.
#
# Invariant: a share is between 0 and 1, or None, if it is unknown for some batch.


class IncludedShare(NamedTuple):
    """An amount of a batch, and the measured share of it; None if unknown."""

    batch: int
    amount: Decimal
    share: Decimal | None


def compute_measured_share(shares: Sequence[IncludedShare]) -> Decimal | None:
    """The part of all amounts that was measured, cut after twelve places."""
    total, measured = ZERO, ZERO
    for share in shares:
        if share.share is None:
            return None
        total = EXACT.add(total, share.amount)
        measured = EXACT.add(measured, EXACT.multiply(share.amount, share.share))
    if not total:
        return None
    return Decimal(plain(round_to(CONTEXT.divide(measured, total), SHARE_DIGITS, "down")))


# The changes of a report from an earlier one, by run, and their reasons.
#
# A run is what makes batches: adjusting ones among them. The amount that a report includes of a run may
# change because the run has another total, by late data, by a correction or by another version of its model,
# or because another amount was chosen.
#
# Invariant: the changes add up to the difference of the two reports.


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
    """The run is unchanged; the report includes another amount of it."""


@dataclass(frozen=True, slots=True)
class RunBasis:
    """The basis of a run when a report included it: its newest batch, and the inputs of that batch."""

    batch: int
    model: int | None = None
    corrections: frozenset[int] = frozenset()
    events: tuple[int, int | None, int | None] = (0, None, None)
    """How many there are, the first and the last by number."""


@dataclass(frozen=True, slots=True)
class InclusionOfRun:
    """The amount that a report includes of one run, and its basis."""

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
    before: Mapping[Hashable, InclusionOfRun], after: Mapping[Hashable, InclusionOfRun]
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
    """Return why a run changed; if it did not, only the included amount was changed."""
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
