"""How much of a report its receiver accepts: all of it, a part that is shared over its batches, or so much of
batches that are named.

Invariants: more than zero is accepted, and no more of a batch than the report claims of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from weighbridge.core import identity
from weighbridge.core.number import exact_total, plain, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import compute_amount, share_accepted
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.reporting.records.reports import TakenBatch
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


def list_unclaimed(
    claim: ClaimedAmounts, named: Sequence[TakenBatch], field: str, done: str
) -> list[Problem]:
    """A problem for each named batch that is none of the claim; `done` is what the report does with those."""
    problems = []
    for index, taken in enumerate(named):
        if identity.number("batch", taken.batch_id, claim.project) not in claim.amounts:
            place, text = f"{field}[{index}].batch_id", shorten(taken.batch_id)
            message = f"{place} names {text!r}, of which the report {done} nothing."
            problems.append(Problem(message, place, "unknown", (text,)))
    return problems


def take_named(
    claim: ClaimedAmounts,
    left: Mapping[int, Decimal],
    named: Sequence[TakenBatch],
    field: str,
    explain: Callable[[str, str], str],
) -> tuple[dict[int, Decimal], list[Problem]]:
    """So much of each named batch of a claim, and what is wrong with the others.

    Something is claimed of every one of them; `explain` says of what is left of a batch, and of its name, why
    no more can be taken.
    """
    taken: dict[int, Decimal] = {}
    problems: list[Problem] = []
    seen = set[int]()
    for index, one in enumerate(named):
        place, text = f"{field}[{index}].amount", shorten(one.batch_id)
        number = identity.number("batch", one.batch_id, claim.project)
        if number in seen:
            problems.append(Problem(f"{field} names {text!r} more than once.", field, "twice", (text,)))
        elif problem := check_amount(one.amount, claim.scale, place):
            problems.append(problem)
        elif one.amount > left[number]:
            message = f"{place} is {plain(one.amount)}; {explain(plain(left[number]), text)}"
            problems.append(Problem(message, place, "invalid"))
        else:
            taken[number] = one.amount
        seen.add(number)
    return taken, problems


def name_accepted(claim: ClaimedAmounts, named: Sequence[TakenBatch]) -> AcceptedAmounts:
    """So much of each batch as the receiver says, and nothing of the others; Invalid where that cannot be.

    Something is claimed of every one of them.
    """
    if claim.liability is not None:
        message = "batches must be left out: a report with a liability is accepted whole."
        raise Invalid([Problem(message, "batches", "invalid")])

    def explain(claimed: str, batch: str) -> str:
        return f"the report claims {claimed} of {batch}, and no more is accepted."

    accepted, problems = take_named(claim, claim.amounts, named, "batches", explain)
    if not named:
        message = "batches names none. Reject a report of which nothing is accepted."
        problems.append(Problem(message, "batches", "required"))
    if problems:
        raise Invalid(problems)
    return dict.fromkeys(claim.amounts, Decimal(0)) | accepted


def is_less(accepted: AcceptedAmounts, claim: ClaimedAmounts) -> bool:
    """Whether less is accepted than the report claims."""
    return exact_total(accepted.values()) < exact_total(claim.amounts.values())
