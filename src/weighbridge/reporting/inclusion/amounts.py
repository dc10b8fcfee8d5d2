"""The amounts that a report takes: as a caller names them, and as they are stored.

Batches are named with amounts, or by their ids alone, for all that remains of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, limit_number, plain, round_to, shorten
from weighbridge.core.report.state import Requirement
from weighbridge.db.engine import Read, Write
from weighbridge.reporting.inclusion.remaining import (
    FIELD,
    ChainHoldings,
    Remaining,
    ReportedBatch,
    holdings_of_chain,
    remaining_for,
    reported_batches,
)
from weighbridge.reporting.records.reports import REPORT_BATCHES_MAX, TakenBatch


@dataclass(frozen=True, slots=True)
class Amounts:
    """What a report takes, by batch, all of one ledger; and what is wrong with how it was named."""

    ledger: int | None = None
    by_batch: Mapping[int, Decimal] = field(default_factory=dict)
    problems: Sequence[Problem] = ()


async def remaining_of(
    tx: Read, project: int, chain: int | None, batches: Mapping[int, ReportedBatch]
) -> tuple[Remaining, ChainHoldings]:
    """What a report of a chain may take of batches of one ledger, and what the chain holds."""
    held = await holdings_of_chain(tx, project, chain)
    others = {batch for holdings in (held.posted, held.reserved) for batch, _ in holdings} - {*batches}
    also = await reported_batches(tx, project, others)
    return await remaining_for(tx, project, batches, held, also), held


async def whole_batches(tx: Read, project: int, chain: int | None, named: Sequence[str]) -> Amounts:
    """All that remains of batches, which are named by their ids.

    Of a batch that was credited with nothing there is nothing to take: what its run comes to stands in others
    of its batches. It is left out, so that all batches of a run can be named; another one of which nothing
    remains is refused.
    """
    field_name = "report.batch_ids"
    batches, ledger, problems = await _known(tx, project, dict.fromkeys(named, field_name), field_name)
    if problems or not batches:
        return Amounts(ledger, {}, problems)
    remaining, _ = await remaining_of(tx, project, chain, batches)
    if problems := [*remaining.of_ledgers()]:
        return Amounts(ledger, {}, problems)
    whole = remaining.whole()
    taken = {one: left for one, left in whole.items() if left or batches[one].credited}
    return Amounts(
        ledger, taken, [_nothing_left(project, one) for one, left in (taken or whole).items() if not left]
    )


async def taken_batches(tx: Read, project: int, chain: int | None, named: Sequence[TakenBatch]) -> Amounts:
    """So much of each batch as the caller says."""
    texts = [one.batch_id for one in named]
    fields = {text: f"{FIELD}[{index}].batch_id" for index, text in enumerate(texts)}
    batches, ledger, problems = await _known(tx, project, fields, FIELD)
    twice = (
        [text for text in dict.fromkeys(texts) if texts.count(text) > 1] if len({*texts}) < len(texts) else []
    )
    problems += [_twice(shorten(text)) for text in twice]
    if problems or not batches:
        return Amounts(ledger, {}, problems)
    amounts = {ids.number("batch", one.batch_id): one.amount for one in named}
    scale: int = await tx.value(
        "SELECT scale FROM ledgers WHERE project_id = %s AND id = %s", (project, ledger)
    )
    problems = [
        problem
        for index, one in enumerate(named)
        if (problem := _wrong_amount(one.amount, scale, f"{FIELD}[{index}].amount"))
    ]
    if not problems:
        remaining, _ = await remaining_of(tx, project, chain, batches)
        problems = remaining.problems(amounts)
    return Amounts(ledger, amounts, problems)


async def amounts_of(tx: Read, project: int, report: int) -> Amounts:
    """What a report takes as it is stored."""
    rows = await tx.tuples(
        """
        SELECT r.ledger_id, i.batch_id, i.amount
          FROM reports r JOIN report_batches i ON (i.project_id, i.report_id) = (r.project_id, r.id)
         WHERE r.project_id = %s AND r.id = %s ORDER BY i.batch_id
        """,
        (project, report),
    )
    return Amounts(rows[0][0] if rows else None, {batch: amount for _, batch, amount in rows})


async def keep_amounts(tx: Write, project: int, report: int, amounts: Mapping[int, Decimal]) -> None:
    """Let a draft, which is on the ledger of these batches already, take these amounts."""
    await tx.execute("DELETE FROM report_batches WHERE project_id = %s AND report_id = %s", (project, report))
    await tx.execute(
        """
        INSERT INTO report_batches (project_id, report_id, batch_id, amount)
        SELECT %s, %s, * FROM unnest(%s::bigint[], %s::numeric[])
        """,
        (project, report, [*amounts], [*amounts.values()]),
    )


async def _known(
    tx: Read, project: int, texts: Mapping[str, str], field_name: str
) -> tuple[dict[int, ReportedBatch], int | None, list[Problem]]:
    """The batches that texts name and their ledger, or what is wrong with them; each text has its field."""
    if len(texts) > REPORT_BATCHES_MAX:
        message = (
            f"{field_name} names {len(texts)} batches; a report takes from at most {REPORT_BATCHES_MAX:,}."
        )
        return {}, None, [Problem(message, field_name, "too_many")]
    numbers = {text: ids.number("batch", text, project) for text in texts}
    known = await reported_batches(tx, project, numbers.values())
    batches = {number: batch for number, batch in known.items() if not batch.is_deleted}
    problems = [
        _unknown(shorten(text), texts[text]) for text, number in numbers.items() if number not in batches
    ]
    ledgers = sorted({batch.ledger for batch in batches.values()})
    if len(ledgers) > 1:
        named = tuple(ids.of("ledger", project, ledger) for ledger in ledgers)
        message = f"A report takes from batches of one ledger; these are of {', '.join(named)}."
        problems.append(Problem(message, field_name, "several_ledgers", named))
    return batches, ledgers[0] if ledgers else None, problems


def _twice(named: str) -> Problem:
    return Problem(f"report.batches names {named!r} more than once.", FIELD, "twice", (named,))


def _unknown(named: str, field_name: str) -> Problem:
    message = f"{field_name} names {named!r}, which is no batch of the project."
    return Problem(message, field_name, "unknown", (named,))


def _nothing_left(project: int, batch: int) -> Problem:
    name = ids.of("batch", project, batch)
    message = f"Nothing remains of the batch {name} that a report could take."
    return Problem(message, "report.batch_ids", Requirement.AMOUNTS_REMAIN, (name,))


def _wrong_amount(amount: Decimal, scale: int, field_name: str) -> Problem | None:
    try:
        limit_number(amount)
    except NumberError as error:
        return Problem(str(error), field_name, "invalid")
    if amount <= 0:
        return Problem(f"{field_name} is {plain(amount)}; it takes more than zero.", field_name, "invalid")
    if round_to(amount, scale) != amount:
        message = f"{field_name} is {plain(amount)}; the ledger keeps {scale} decimals."
        return Problem(message, field_name, "invalid")
    return None
