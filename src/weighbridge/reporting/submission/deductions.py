"""What must hold of a report of several ledgers: it deducts no more than it claims, and all that there is.

A claim below zero is none. What is left out of a deduction would be claimed: so a report takes all that
remains of its deducted ledgers up to the end of its own time, also what an earlier report left there.

Worked example, in tonnes. A report of the first quarter claims 100 t of removal. Of process emissions 3 t
remain of January to March, and 1 t of April. It deducts the 3 t, or is not sent off.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Account
from weighbridge.core.number import EXACT, ZERO, plain
from weighbridge.core.problem import Problem
from weighbridge.core.report import Requirement
from weighbridge.core.report_ledgers import sum_net
from weighbridge.db.engine import Read
from weighbridge.reporting.submission.amounts import (
    ChainHoldings,
    Remaining,
    ReportedBatch,
    compute_remaining,
    read_batches,
)
from weighbridge.reporting.submission.ledgers import LedgerRoles

RECORDS_MAX: Final = 20
"""Batches that a refusal names; there may be more."""


async def check_deductions(
    tx: Read,
    project: int,
    roles: LedgerRoles,
    amounts: Mapping[int, Decimal],
    books: tuple[Remaining, ChainHoldings],
) -> list[Problem]:
    """What is wrong with what a report of several ledgers claims and deducts; nothing for one ledger."""
    remaining, held = books
    if not roles:
        return []
    problems = _check_total(roles, amounts, remaining.batches)
    deducted = [one.ledger for one in roles if one.factor < 0]
    left = await _find_left(tx, project, deducted, remaining, held)
    whole, of_accounts = left.whole(), _sum_by_account(amounts, remaining.batches)
    short = {
        account
        for account, amount in _sum_by_account(whole, left.batches).items()
        if amount > of_accounts.get(account, ZERO)
    }
    missing = [
        number
        for number, batch in left.batches.items()
        if batch.account in short and whole[number] > amounts.get(number, ZERO)
    ]
    return [*problems, *([_build_left_problem(project, missing)] if missing else [])]


def _check_total(
    roles: LedgerRoles, amounts: Mapping[int, Decimal], batches: Mapping[int, ReportedBatch]
) -> list[Problem]:
    factors = {one.ledger: one.factor for one in roles}
    counted = {
        one.role: sum_net(
            (amount, one.factor) for batch, amount in amounts.items() if batches[batch].ledger == one.ledger
        )
        for one in roles
    }
    net = sum_net((amount, factors[batches[batch].ledger]) for batch, amount in amounts.items())
    if net >= ZERO:
        return []
    parts = ", ".join(f"{role} {plain(amount)}" for role, amount in counted.items())
    message = (
        f"It comes to {plain(net)} {roles[0].unit}, and no claim is below zero: it deducts more than it"
        f" claims ({parts})."
    )
    return [Problem(message, "report.batches", Requirement.NOT_BELOW_ZERO)]


async def _find_left(
    tx: Read, project: int, ledgers: list[int], remaining: Remaining, held: ChainHoldings
) -> Remaining:
    """What remains of ledgers up to the end of a report's time, with what the report's chain holds of it."""
    end = max(batch.end_time for batch in remaining.batches.values())
    of_chain = {batch for holdings in (held.posted, held.reserved) for batch, _ in holdings}
    rows = await tx.tuples(_OPEN, (project, ledgers, end, [*remaining.known, *of_chain]))
    batches = await read_batches(tx, project, [number for (number,) in rows])
    if not batches:
        return Remaining(project, remaining.effective_at, {}, remaining.known, {}, {})
    return await compute_remaining(tx, project, batches, held, remaining.known)


def _sum_by_account(
    amounts: Mapping[int, Decimal], batches: Mapping[int, ReportedBatch]
) -> dict[Account, Decimal]:
    sums: dict[Account, Decimal] = {}
    for number, amount in amounts.items():
        account = batches[number].account
        sums[account] = EXACT.add(sums.get(account, ZERO), amount)
    return sums


def _build_left_problem(project: int, missing: list[int]) -> Problem:
    named = tuple(identity.of("batch", project, number) for number in missing[:RECORDS_MAX])
    message = (
        f"Of {len(missing)} batches of its deducted ledgers more remains, up to its end, than it takes:"
        f" {', '.join(named)}. A report takes all of what is deducted."
    )
    return Problem(message, "report.batches", Requirement.DEDUCTED_WHOLE, named)


_OPEN: Final = """
    SELECT id FROM batches
     WHERE project_id = %s AND ledger_id = ANY (%s) AND start_time < %s AND deleted_at IS NULL
       AND (balance > 0 OR id = ANY (%s))
"""
