"""What is decided of reports that were submitted: their receivers accept or reject them, their authors
withdraw them. Accepted ones are merged and split.

Invariant: a decision, what it posts and releases, and its row in the audit log are one transaction, which
holds the ledger.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import UNSET

from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import plain, shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import RESERVING, ReportStatus, ReportTrigger
from weighbridge.db.engine import Write
from weighbridge.errors import Conflict, Invalid
from weighbridge.platform import changes
from weighbridge.reporting import reports_queries as queries
from weighbridge.reporting.records.reports import (
    MERGED_REPORTS_MAX,
    REPORT_BATCHES_MAX,
    Report,
    ReportMerge,
    ReportSplit,
    SplitReports,
)
from weighbridge.reporting.records.submissions import Acceptance, ReportRejection, ReportWithdrawal
from weighbridge.reporting.submission.acceptance import (
    AcceptedAmounts,
    ClaimedAmounts,
    is_less,
    list_unclaimed,
    name_accepted,
    read_claim,
    share_amount,
)
from weighbridge.reporting.submission.amounts import check_size, read_accepted_together
from weighbridge.reporting.submission.moves import (
    MovingReport,
    ReportWord,
    accept,
    hand_over,
    hold_report,
    list_ledgers,
    lock_complete,
    refuse_unless,
    refuse_while_restated,
    reject,
    withdraw,
)
from weighbridge.reporting.submission.notices import queue_notices
from weighbridge.reporting.submission.succession import (
    check_parts,
    insert_successor,
    read_holding,
    split_amounts,
)


async def record_move(
    tx: Write, actor: Actor, before: Report, report: MovingReport, *, action: str
) -> Report:
    """Record that a report was moved, and return it as it is now."""
    after = await queries.report_numbered(tx, report.project, report.number)
    changes.record(
        tx, actor, action=action, target=after.id, project_id=report.project, before=before, after=after
    )
    return after


async def _lock_to_move(tx: Write, actor: Actor, friendly: str) -> tuple[Report, MovingReport]:
    key = await queries.find_report_key(tx, actor, friendly)
    report = await hold_report(tx, key.project, key.key)
    return await queries.report_numbered(tx, key.project, key.key), report


def _need_reason(reason: str, done: str) -> str:
    """The reason without space around it; Invalid for a blank one."""
    if reason.strip():
        return reason.strip()
    raise Invalid(
        [Problem(f"reason must not be blank. State why the report was {done}.", "reason", "required")]
    )


def _check_form(body: Acceptance) -> None:
    """Raise Invalid for what no receiver can say, whatever the report claims."""
    amounts = {} if body.amount is UNSET else {"amount": body.amount}
    if body.batches is not UNSET:
        amounts |= {f"batches[{index}].amount": taken.amount for index, taken in enumerate(body.batches)}
    problems = [problem for name, amount in amounts.items() if (problem := check_size(amount, name))]
    if body.amount is not UNSET and body.batches is not UNSET:
        message = "amount and batches cannot be sent together. Send one of them."
        problems.append(Problem(message, "batches", "conflict"))
    if problems:
        raise Invalid(problems)


def _find_accepted(claim: ClaimedAmounts, body: Acceptance) -> AcceptedAmounts | None:
    """How much of each batch is accepted; None for all that is claimed."""
    if body.amount is not UNSET:
        accepted = share_amount(claim, body.amount)
    elif body.batches is not UNSET:
        accepted = name_accepted(claim, body.batches)
    else:
        return None
    if is_less(accepted, claim) and not (body.reason or "").strip():
        message = "reason must say why less is accepted than the report claims."
        raise Invalid([Problem(message, "reason", "required")])
    return accepted


async def record_acceptance(tx: Write, actor: Actor, friendly: str, body: Acceptance) -> Report:
    """Post what the receiver accepted of a submitted report, and release the rest."""
    _check_form(body)
    before, report = await _lock_to_move(tx, actor, friendly)
    claim = await read_claim(tx, report)
    if body.batches is not UNSET and (
        problems := list_unclaimed(claim, body.batches, "batches", done="claims")
    ):
        raise Invalid(problems)
    refuse_unless(report, ReportTrigger.ACCEPT, "accepted")
    accepted = _find_accepted(claim, body)
    await accept(tx, report, ReportWord(actor, reason=body.reason, reference=body.reference), accepted)
    return await record_move(tx, actor, before, report, action="report.accept")


async def record_rejection(tx: Write, actor: Actor, friendly: str, body: ReportRejection) -> Report:
    """Give back what a report holds that was rejected, or was certainly not received."""
    before, report = await _lock_to_move(tx, actor, friendly)
    refuse_unless(report, ReportTrigger.REJECT, "rejected")
    reason = _need_reason(body.reason, "rejected")
    await reject(tx, report, ReportWord(actor, reason=reason, reference=body.reference))
    return await record_move(tx, actor, before, report, action="report.reject")


async def record_withdrawal(tx: Write, actor: Actor, friendly: str, body: ReportWithdrawal) -> Report:
    """Give back what a report holds whose claim is taken back, also what its acceptance posted."""
    before, report = await _lock_to_move(tx, actor, friendly)
    refuse_unless(report, ReportTrigger.WITHDRAW, "withdrawn")
    reason = _need_reason(body.reason, "withdrawn")
    was_certain = report.state is not ReportStatus.FAILED
    await withdraw(tx, report, ReportWord(actor, reason=reason, reference=body.reference))
    await queue_notices(tx, actor, report.project, [report.number], may_be_unknown=not was_certain)
    return await record_move(tx, actor, before, report, action="report.withdraw")


# Accepted reports are merged into one, and split into several: nothing is claimed anew, so nobody decides.


_RESTATING: Final = (ReportStatus.DRAFT, *RESERVING)
"""States of a restatement in which the report that it restates stays as it is."""


async def record_merge(tx: Write, actor: Actor, friendly: str, body: ReportMerge) -> Report:
    """Let one report take the place of several accepted ones, and return it."""
    reason = _need_reason(body.reason, "merged")
    key = await queries.find_report_key(tx, actor, friendly)
    first = await hold_report(tx, key.project, key.key)
    others, unknown = await _lock_merged(tx, first, body.report_ids)
    names = [(body.name, "A report", "name")]
    if body.report_type is not UNSET:
        names.append((body.report_type, "A report type", "report_type"))
    if problems := [*_check_names(names), *unknown]:
        raise Invalid(problems)
    await _refuse_unless_successible(tx, first, "merged")
    await _refuse_unmergeable(tx, first, others)
    predecessors = sorted([first, *others.values()], key=lambda report: report.number)
    amounts = await read_accepted_together(tx, key.project, [report.number for report in predecessors])
    if len(amounts) > REPORT_BATCHES_MAX:
        most = f"one takes from at most {REPORT_BATCHES_MAX:,}"
        message = f"report_ids names reports of {len(amounts):,} batches; {most}."
        raise Invalid([Problem(message, "report_ids", "too_many")])
    number = await insert_successor(
        tx,
        [first, *others.values()],
        amounts,
        body.name.strip(),
        None if body.report_type is UNSET else body.report_type.strip(),
    )
    word = ReportWord(actor, reason=reason, reference=body.reference)
    await hand_over(tx, predecessors, {number: amounts}, word)
    await queue_notices(tx, actor, key.project, [report.number for report in predecessors])
    [merged] = await _record_successors(tx, actor, key.project, [number], action="report.merge")
    return merged


def _check_count(named: Sequence[str]) -> Problem | None:
    if 1 <= len(named) < MERGED_REPORTS_MAX:
        return None
    allowed = f"1 to {MERGED_REPORTS_MAX - 1} others"
    message = f"report_ids names {len(named):,}; a report is merged with {allowed}."
    return Problem(message, "report_ids", "invalid")


async def record_split(tx: Write, actor: Actor, friendly: str, body: ReportSplit) -> SplitReports:
    """Let several reports take the place of an accepted one, and return them."""
    reason = _need_reason(body.reason, "split")
    key = await queries.find_report_key(tx, actor, friendly)
    report = await hold_report(tx, key.project, key.key)
    held = await read_holding(tx, report)
    fields = [f"parts[{index}]" for index in range(len(body.parts))]
    names = [(part.name, field, f"{field}.name") for part, field in zip(body.parts, fields, strict=True)]
    if problems := [*check_parts(held, body.parts), *_check_names(names)]:
        raise Invalid(problems)
    await _refuse_unless_successible(tx, report, "split")
    amounts = split_amounts(held, body.parts)
    successors = {
        await insert_successor(tx, [report], of_part, name=part.name.strip(), report_type=None): of_part
        for part, of_part in zip(body.parts, amounts, strict=True)
    }
    await hand_over(tx, [report], successors, ReportWord(actor, reason=reason, reference=body.reference))
    await queue_notices(tx, actor, key.project, [report.number])
    parts = await _record_successors(tx, actor, key.project, [*successors], action="report.split")
    return SplitReports(parts)


async def _record_successors(
    tx: Write, actor: Actor, project: int, numbers: Sequence[int], *, action: str
) -> list[Report]:
    made = [await queries.report_numbered(tx, project, number) for number in numbers]
    for one in made:
        changes.record(tx, actor, action=action, target=one.id, project_id=project, after=one)
    return made


async def _refuse_unless_successible(tx: Write, report: MovingReport, done: str) -> None:
    """Raise Conflict for a report that no other can take the place of."""
    if (problem := _check_successible(report, done)) is not None:
        raise Conflict([problem])
    await refuse_while_restated(tx, report.project, [report.number], done, _RESTATING)


async def _lock_merged(
    tx: Write, first: MovingReport, named: Sequence[str]
) -> tuple[dict[str, MovingReport], list[Problem]]:
    """The other reports that are merged with one whose ledger is held, by the fields that name them, and what
    is wrong with the others.
    """
    if (problem := _check_count(named)) is not None:
        return {}, [problem]
    numbers = [identity.number("report", text, first.project) for text in named]
    locked = await lock_complete(tx, first.project, first.ledger, numbers)
    found: dict[str, MovingReport] = {}
    problems = []
    merged: dict[int, str] = {}
    for index, (text, number) in enumerate(zip(named, numbers, strict=True)):
        field = f"report_ids[{index}]"
        named_by = f"{field} names {shorten(text)!r}, which"
        if number == first.number:
            message = f"{named_by} is the report of the path. Name only the others."
            problems.append(Problem(message, field, "twice", (shorten(text),)))
        elif number in merged:
            message = f"{named_by} {merged[number]} names, too."
            problems.append(Problem(message, field, "twice", (shorten(text),)))
        elif number not in locked:
            message = f"{named_by} is no report of the project."
            problems.append(Problem(message, field, "unknown", (shorten(text),)))
        else:
            found[field] = locked[number]
            merged[number] = field
    return found, problems


async def _refuse_unmergeable(tx: Write, first: MovingReport, others: Mapping[str, MovingReport]) -> None:
    """Raise Invalid with every other report that cannot be merged with the first, Conflict for one that is
    being restated.
    """
    problems = []
    ledgers = await list_ledgers(tx, first.project, first.number)
    for field, report in others.items():
        if (problem := _check_successible(report, "merged", field)) is not None:
            problems.append(problem)
        elif report.methodology != first.methodology or ledgers != await list_ledgers(
            tx, first.project, report.number
        ):
            name = identity.of("report", report.project, report.number)
            message = f"{field}: report {name} is of another ledger or follows another methodology."
            problems.append(Problem(message, field, "conflict", (name,)))
    if problems:
        raise Invalid(problems)
    numbers = [report.number for report in others.values()]
    await refuse_while_restated(tx, first.project, numbers, "merged", _RESTATING)


def _check_successible(report: MovingReport, done: str, field: str | None = None) -> Problem | None:
    friendly = identity.of("report", report.project, report.number)
    name = f"The report {friendly}" if field is None else f"{field}: report {friendly}"
    if report.state is not ReportStatus.COMPLETE:
        message = f"{name} is {report.status}, and cannot be {done}; only one that is complete can."
    elif report.liability is not None:
        message = f"{name} owes {plain(report.liability)}, and cannot be {done}: a liability is of one claim."
    else:
        return None
    return Problem(message, field, "report_state" if field is None else "not_accepted")


def _check_names(names: Iterable[tuple[str, str, str]]) -> list[Problem]:
    return [problem for text, noun, field in names if (problem := problem_of_name(text, noun, field))]
