"""How much of a report its receiver accepts: all of it, a part that is shared over its batches, or so much of
batches that are named.

Invariants: more than zero is accepted, and no more of a batch than the report claims of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from weighbridge.core import identity
from weighbridge.core.number import EXACT, ZERO, plain, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report_ledgers import ClaimedLedger, share_net, sum_net
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.reporting.records.reports import TakenBatch
from weighbridge.reporting.submission.amounts import check_amount, read_amounts, read_batches
from weighbridge.reporting.submission.ledgers import read_ledger_roles, read_scales
from weighbridge.reporting.submission.moves import MovingReport

AcceptedAmounts = Mapping[int, Decimal]
"""How much of each batch of a report is accepted; zero of those that are not."""


@dataclass(frozen=True, slots=True)
class ClaimedAmounts:
    """What a report claims, of each ledger in its unit."""

    project: int
    ledgers: Sequence[ClaimedLedger]
    """Of one ledger, or of several, the first of which gives the unit of the report."""
    liability: Decimal | None
    """What it owes its receiver."""

    @property
    def amounts(self) -> dict[int, Decimal]:
        """How much of each batch."""
        return {batch: amount for one in self.ledgers for batch, amount in one.amounts.items()}

    @property
    def scale(self) -> int:
        """The decimals of the first ledger, which those of the report are."""
        return self.ledgers[0].scale

    @property
    def total(self) -> Decimal:
        """What the report states."""
        return EXACT.subtract(self.sum(self.amounts), self.liability or ZERO)

    def sum(self, amounts: Mapping[int, Decimal]) -> Decimal:
        """What amounts of its batches come to, in the unit of the report."""
        return sum_net(
            (amounts[batch], one.factor) for one in self.ledgers for batch in one.amounts if batch in amounts
        )

    def find_scale(self, batch: int) -> int:
        """The decimals of the ledger of one of its batches."""
        return next(one.scale for one in self.ledgers if batch in one.amounts)

    def keep(self, amounts: Mapping[int, Decimal]) -> "ClaimedAmounts":
        """The claim with other amounts of its batches, of some or all of them."""
        ledgers = [
            replace(one, amounts={batch: amounts[batch] for batch in one.amounts if batch in amounts})
            for one in self.ledgers
        ]
        return replace(self, ledgers=ledgers)


async def read_claim(tx: Read, report: MovingReport) -> ClaimedAmounts:
    """What a report claims."""
    amounts = await read_amounts(tx, report.project, report.number)
    return await build_claim(tx, report, amounts.by_batch)


async def build_claim(tx: Read, report: MovingReport, amounts: Mapping[int, Decimal]) -> ClaimedAmounts:
    """These amounts of a report, by its ledgers."""
    assert report.ledger is not None, "a report that was submitted has a ledger"  # noqa: S101
    roles = await read_ledger_roles(tx, report.project, report.number)
    factors = {one.ledger: one.factor for one in roles} or {report.ledger: Decimal(1)}
    scales = await read_scales(tx, report.project, factors)
    batches = await read_batches(tx, report.project, amounts)
    ledgers = [
        ClaimedLedger(
            {batch: amount for batch, amount in amounts.items() if batches[batch].ledger == ledger},
            factor,
            scales[ledger],
        )
        for ledger, factor in factors.items()
    ]
    return ClaimedAmounts(report.project, ledgers, report.liability)


def share_over(claim: ClaimedAmounts, amount: Decimal, field: str) -> AcceptedAmounts | Problem:
    """So much of what a claim comes to, shared over its batches, or why that cannot be."""
    shared = share_net(amount, claim.ledgers)
    if shared is None:
        message = (
            f"{field} is {plain(amount)}, which cannot be shared over the ledgers. Name batches instead."
        )
        return Problem(message, field, "invalid")
    return shared


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
    shared = problem or share_over(claim, amount, "amount")
    if isinstance(shared, Problem):
        raise Invalid([shared])
    return shared


def list_unclaimed(
    claim: ClaimedAmounts, named: Sequence[TakenBatch], field: str, done: str
) -> list[Problem]:
    """A problem for each named batch that is none of the claim; `done` is what the report does with those."""
    problems = []
    claimed = claim.amounts
    for index, taken in enumerate(named):
        if identity.number("batch", taken.batch_id, claim.project) not in claimed:
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
        elif problem := check_amount(one.amount, claim.find_scale(number), place):
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
    if named and not problems and not ZERO <= (total := claim.sum(accepted)) <= claim.total:
        message = (
            f"batches come to {plain(total)}; of a report of {plain(claim.total)} no more than that is"
            " accepted, and nothing below zero."
        )
        problems.append(Problem(message, "batches", "invalid"))
    if problems:
        raise Invalid(problems)
    return dict.fromkeys(claim.amounts, Decimal(0)) | accepted


def is_less(accepted: AcceptedAmounts, claim: ClaimedAmounts) -> bool:
    """Whether less is accepted than the report claims."""
    claimed = claim.amounts
    return any(amount < claimed[batch] for batch, amount in accepted.items())
