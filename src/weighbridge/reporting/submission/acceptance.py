"""How much of a report its receiver accepts: all of it, a part that is shared over its batches, or so much of
batches that are named.

Invariants: more than zero is accepted, and no more of a batch than the report claims of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core import identity
from weighbridge.core.number import exact_total, plain, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import compute_amount, share_accepted
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.reporting.records import TakenBatch
from weighbridge.reporting.submission.amounts import check_amount, read_amounts
from weighbridge.reporting.submission.moves import MovingReport

AcceptedAmounts = Mapping[int, Decimal]
"""How much of each batch of a report is accepted; zero of those that are not."""


@dataclass(frozen=True, slots=True)
class ClaimedAmounts:
    """What a report claims, in the unit of its ledger."""

    project: int
    amounts: Mapping[int, Decimal]
    """How much of each batch."""
    liability: Decimal | None
    """What it owes its receiver."""
    scale: int
    """The decimals of the ledger."""

    @property
    def total(self) -> Decimal:
        """What the report states."""
        return compute_amount(self.amounts.values(), self.liability)


async def read_claim(tx: Read, report: MovingReport) -> ClaimedAmounts:
    """What a report claims."""
    amounts = await read_amounts(tx, report.project, report.number)
    return await build_claim(tx, report, amounts.by_batch)


async def build_claim(tx: Read, report: MovingReport, amounts: Mapping[int, Decimal]) -> ClaimedAmounts:
    """These amounts of a report, with the scale of its ledger."""
    scale: int = await tx.value(
        "SELECT scale FROM ledgers WHERE project_id = %s AND id = %s", (report.project, report.ledger)
    )
    return ClaimedAmounts(report.project, amounts, report.liability, scale)


def share_amount(claim: ClaimedAmounts, amount: Decimal) -> AcceptedAmounts:
    """So much of a claim, shared over its batches; Invalid for an amount that cannot be accepted of it."""
    if amount == claim.total:
        return claim.amounts
    if claim.liability is not None:
        message = "amount must be what the report states: a report with a liability is accepted whole."
        raise Invalid([Problem(message, "amount", "invalid")])
    problem = check_amount(amount, claim.scale, "amount")
    if problem is None and amount > claim.total:
        message = (
            f"amount is {plain(amount)}; the report claims {plain(claim.total)}, and no more is accepted."
        )
        problem = Problem(message, "amount", "invalid")
    if problem is not None:
        raise Invalid([problem])
    return share_accepted(amount, claim.amounts, claim.scale)


def refuse_unclaimed(claim: ClaimedAmounts, named: Sequence[TakenBatch]) -> None:
    """Raise Invalid with every named batch of which nothing is claimed."""
    problems = []
    for index, taken in enumerate(named):
        if identity.number("batch", taken.batch_id, claim.project) not in claim.amounts:
            field, text = f"batches[{index}].batch_id", shorten(taken.batch_id)
            message = f"{field} names {text!r}, of which the report claims nothing."
            problems.append(Problem(message, field, "unknown", (text,)))
    if problems:
        raise Invalid(problems)


def name_accepted(claim: ClaimedAmounts, named: Sequence[TakenBatch]) -> AcceptedAmounts:
    """So much of each batch as the receiver says, and nothing of the others; Invalid where that cannot be.

    Something is claimed of every one of them.
    """
    if claim.liability is not None:
        message = "batches must be left out: a report with a liability is accepted whole."
        raise Invalid([Problem(message, "batches", "invalid")])
    accepted: dict[int, Decimal] = {}
    problems = []
    for index, taken in enumerate(named):
        field, text = f"batches[{index}]", shorten(taken.batch_id)
        number = identity.number("batch", taken.batch_id, claim.project)
        if number in accepted:
            message = f"batches names {text!r} more than once."
            problems.append(Problem(message, "batches", "twice", (text,)))
        elif problem := check_amount(taken.amount, claim.scale, f"{field}.amount"):
            problems.append(problem)
        elif taken.amount > claim.amounts[number]:
            claimed = plain(claim.amounts[number])
            message = (
                f"{field}.amount is {plain(taken.amount)}; the report claims {claimed} of {text}, and no "
                "more is accepted."
            )
            problems.append(Problem(message, f"{field}.amount", "invalid"))
        accepted.setdefault(number, taken.amount)
    if not named:
        message = "batches names none. Reject a report of which nothing is accepted."
        problems.append(Problem(message, "batches", "required"))
    if problems:
        raise Invalid(problems)
    return dict.fromkeys(claim.amounts, Decimal(0)) | accepted


def is_less(accepted: AcceptedAmounts, claim: ClaimedAmounts) -> bool:
    """Whether less is accepted than the report claims."""
    return exact_total(accepted.values()) < exact_total(claim.amounts.values())
