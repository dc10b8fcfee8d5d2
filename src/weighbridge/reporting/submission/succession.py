"""How much successors of accepted reports take: one all that several held, or several what one held.

Invariant: of every batch the successors take together what their predecessors hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from msgspec import UNSET

from weighbridge.core.number import EXACT, ZERO, plain
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.reporting.records.reports import (
    REPORT_BATCHES_MAX,
    SPLIT_PARTS_MAX,
    SPLIT_PARTS_MIN,
    ReportPart,
    TakenBatch,
)
from weighbridge.reporting.submission.acceptance import (
    ClaimedAmounts,
    build_claim,
    list_unclaimed,
    share_over,
    take_named,
)
from weighbridge.reporting.submission.amounts import (
    check_amount,
    check_size,
    read_accepted_together,
    store_amounts,
    store_basis_of_predecessors,
)
from weighbridge.reporting.submission.ledgers import read_ledger_roles, store_ledger_roles
from weighbridge.reporting.submission.moves import MovingReport

PartAmounts = dict[int, Decimal]
"""How much a report takes of each batch, always above zero."""


async def read_holding(tx: Read, report: MovingReport) -> ClaimedAmounts:
    """What an accepted report holds of batches."""
    held = await read_accepted_together(tx, report.project, [report.number])
    return await build_claim(tx, report, held)


def check_parts(held: ClaimedAmounts, parts: Sequence[ReportPart]) -> list[Problem]:
    """What is wrong with the form of the parts of a split, and with the batches that they name."""
    problems = []
    if not SPLIT_PARTS_MIN <= len(parts) <= SPLIT_PARTS_MAX:
        allowed = f"{SPLIT_PARTS_MIN} to {SPLIT_PARTS_MAX}"
        message = f"parts names {len(parts):,}; a report is split into {allowed}."
        problems.append(Problem(message, "parts", "invalid"))
    for index, part in enumerate(parts):
        field = f"parts[{index}]"
        if part.amount is not UNSET and (problem := check_size(part.amount, f"{field}.amount")):
            problems.append(problem)
        if part.batches is not UNSET:
            problems += _check_batches(held, f"{field}.batches", part.batches)
        if part.amount is not UNSET and part.batches is not UNSET:
            message = f"{field}.batches and {field}.amount cannot be sent together. Send one of them."
            problems.append(Problem(message, f"{field}.batches", "conflict"))
    return problems


def _check_batches(held: ClaimedAmounts, field: str, batches: Sequence[TakenBatch]) -> list[Problem]:
    if len(batches) > REPORT_BATCHES_MAX:
        most = f"a report takes from at most {REPORT_BATCHES_MAX:,}"
        return [Problem(f"{field} names {len(batches):,}; {most}.", field, "too_many")]
    sizes = (check_size(taken.amount, f"{field}[{index}].amount") for index, taken in enumerate(batches))
    return [*list_unclaimed(held, batches, field, done="holds"), *filter(None, sizes)]


def split_amounts(held: ClaimedAmounts, parts: Sequence[ReportPart]) -> list[PartAmounts]:
    """How much each part takes; Invalid unless they take together what is held, and each of them something.

    The parts are such that `check_parts` finds nothing. Batches that parts name go to them first. Then each
    `amount`, in the order of the parts, is shared over what is left of the batches. A part with neither takes
    the rest.
    """
    sharing = _Sharing(held, dict(held.amounts), [], {})
    for index, part in enumerate(parts):
        if part.batches is not UNSET:
            sharing.take_batches(index, part.batches)
    for index, part in enumerate(parts):
        if part.amount is not UNSET and part.batches is UNSET:
            sharing.take_amount(index, part.amount)
    rest = [index for index, part in enumerate(parts) if part.amount is UNSET and part.batches is UNSET]
    sharing.take_rest(rest)
    if problems := sharing.problems or sharing.check_total():
        raise Invalid(problems)
    return [sharing.taken[index] for index in range(len(parts))]


@dataclass(slots=True)
class _Sharing:
    """What is left of a holding while parts take from it."""

    held: ClaimedAmounts
    left: dict[int, Decimal]
    problems: list[Problem]
    taken: dict[int, PartAmounts]

    def take_batches(self, index: int, named: Sequence[TakenBatch]) -> None:
        """Give a part so much of the batches that it names."""
        part, problems = take_named(
            self.held,
            self.left,
            named,
            f"parts[{index}].batches",
            lambda left, batch: f"of {batch} {left} is left to this part.",
        )
        self.problems += problems
        self._reduce(part)
        self._give(index, part)

    def take_amount(self, index: int, amount: Decimal) -> None:
        """Give a part so much, in proportion to what is left of each batch."""
        field = f"parts[{index}].amount"
        left = self.held.sum(self.left)
        problem = check_amount(amount, self.held.scale, field)
        if problem is None and amount > left:
            message = f"{field} is {plain(amount)}; {plain(left)} of the report is left to this part."
            problem = Problem(message, field, "invalid")
        if problem is not None:
            self.problems.append(problem)
            return
        open_amounts = {batch: rest for batch, rest in self.left.items() if rest}
        part = open_amounts if amount == left else share_over(self.held.keep(open_amounts), amount, field)
        if isinstance(part, Problem):
            self.problems.append(part)
            return
        self._reduce(part)
        self._give(index, part)

    def take_rest(self, indexes: Sequence[int]) -> None:
        """Give what is left to the one part that names nothing."""
        if len(indexes) > 1:
            message = "Only one part can take the rest. State `amount` or `batches` of the others."
            self.problems.append(Problem(message, f"parts[{indexes[1]}]", "conflict"))
        for index in indexes[:1]:
            self._give(index, self.left)
            self.left = dict.fromkeys(self.left, ZERO)

    def check_total(self) -> list[Problem]:
        """What is wrong with what all parts came to."""
        problems = []
        for index, part in sorted(self.taken.items()):
            if not part:
                message = f"parts[{index}] takes nothing of the report. Leave it out."
                problems.append(Problem(message, f"parts[{index}]", "required"))
            elif (total := self.held.sum(part)) < ZERO:
                message = f"parts[{index}] comes to {plain(total)}, and no report states less than zero."
                problems.append(Problem(message, f"parts[{index}]", "below_zero"))
        if any(self.left.values()):
            total, left = self.held.sum(self.held.amounts), self.held.sum(self.left)
            message = (
                f"The parts come to {plain(EXACT.subtract(total, left))}, and the report holds "
                f"{plain(total)}. "
                "A part without amounts takes the rest."
            )
            problems.append(Problem(message, "parts", "not_whole"))
        return problems

    def _reduce(self, part: Mapping[int, Decimal]) -> None:
        self.left |= {batch: EXACT.subtract(self.left[batch], amount) for batch, amount in part.items()}

    def _give(self, index: int, part: Mapping[int, Decimal]) -> None:
        self.taken[index] = {batch: amount for batch, amount in part.items() if amount}


# The reports that take the place of others: drafts of their ledger and methodology, until all is handed over.


async def insert_successor(
    tx: Write,
    predecessors: Sequence[MovingReport],
    amounts: PartAmounts,
    name: str,
    report_type: str | None,
) -> int:
    """Insert a draft that is about to succeed reports, of the ledger and methodology of the first of them."""
    first = predecessors[0]
    number: int = await tx.value(
        """
        INSERT INTO reports (project_id, name, report_type, methodology_id, ledger_id)
        SELECT project_id, %s, coalesce(%s, report_type), methodology_id, ledger_id
          FROM reports WHERE project_id = %s AND id = %s RETURNING id
        """,
        (name, report_type, first.project, first.number),
    )
    await tx.execute(
        """
        INSERT INTO report_successions (project_id, report_id, predecessor_id)
        SELECT %s, %s, unnest(%s::bigint[])
        """,
        (first.project, number, [report.number for report in predecessors]),
    )
    roles = await read_ledger_roles(tx, first.project, first.number)
    await store_ledger_roles(tx, first.project, number, roles)
    await store_amounts(tx, first.project, number, amounts)
    await store_basis_of_predecessors(tx, first.project, number)
    return number
