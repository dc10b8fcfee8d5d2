"""Make reports, change and remove those that are drafts, and write down how the others went on.

Invariant: a draft takes amounts of batches of one ledger, and reserves none of them.
"""

from typing import Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.collection.tenancy.project import project_for_record
from weighbridge.core.identity import ids
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.core.report.state import RESTATABLE, ReportStatus, ReportTrigger
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.errors import Conflict, Invalid
from weighbridge.platform import changes
from weighbridge.platform.async_tasks.actions import queue_task
from weighbridge.platform.tenancy.scope import key_named
from weighbridge.reporting.rendering.stated import rendered
from weighbridge.reporting.reports import queries
from weighbridge.reporting.reports.records import (
    Acceptance,
    BundleOptions,
    NewReport,
    Report,
    ReportChange,
    ReportRejection,
    ReportSubmission,
    StartedBundle,
    SubmittedReport,
    TakenBatch,
)
from weighbridge.reporting.submission.checking import DraftBasis, check_draft
from weighbridge.reporting.submission.receiver import receiver_of
from weighbridge.reporting.submission.requirements import UNMET, CheckedDraft, no_batches
from weighbridge.reporting.taking.amounts import (
    Amounts,
    amounts_of,
    keep_amounts,
    taken_batches,
    whole_batches,
)
from weighbridge.reporting.taking.moves import (
    MovingReport,
    ReportWord,
    accept,
    enter_submission,
    hold_report,
    refuse_unless,
    reject,
    resume_submission,
)

TASK: Final = "report_submission"
BUNDLE_TASK: Final = "report_bundle"

_NO_BATCHES: Final = Amounts()


class Restated(msgspec.Struct, frozen=True):
    """The report that another one restates: the last of its chain."""

    number: int
    chain: int
    status: str
    restated_by: int | None


async def create_report(tx: Write, actor: Actor, new: NewReport) -> Report:
    """Make a draft; one that restates another begins with what that one takes."""
    project = await project_for_record(tx, actor, new.project_id)
    problems = _wrong_names(new.name, new.report_type)
    problems += await _wrong_methodology(tx, actor, new.methodology_id)
    restated, of_restated = await _restated(tx, project, new.supersedes)
    problems += of_restated
    chain = restated.chain if restated else None
    amounts = await _named(tx, project, chain, new.batch_ids, new.batches)
    if amounts is None:
        amounts = await amounts_of(tx, project, restated.number) if restated else _NO_BATCHES
    if problems := [*problems, *amounts.problems]:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO reports (project_id, name, report_type, methodology_id, ledger_id, supersedes, first_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, new.name.strip(), new.report_type.strip(), new.methodology_id, amounts.ledger,
            restated and restated.number, chain,
        ),
    )  # fmt: skip
    await keep_amounts(tx, project, number, amounts.by_batch)
    made = await queries.report_numbered(tx, project, number)
    changes.record(tx, actor, action="report.create", target=made.id, project_id=project, after=made)
    return made


async def update_report(tx: Write, actor: Actor, friendly: str, change: ReportChange) -> Report:
    """Change a draft; what is left out stays."""
    before, key = await _draft(tx, actor, friendly, "changed")
    name = before.name if change.name is UNSET else change.name.strip()
    report_type = before.report_type if change.report_type is UNSET else change.report_type.strip()
    methodology = before.methodology_id if change.methodology_id is UNSET else change.methodology_id
    problems = _wrong_names(name, report_type) + await _wrong_methodology(tx, actor, methodology)
    chain = await _chain_before(tx, key)
    amounts = await _named(tx, key.project, chain, change.batch_ids, change.batches)
    if amounts is not None:
        problems += amounts.problems
    if problems:
        raise Invalid(problems)
    stored = await amounts_of(tx, key.project, key.key)
    after_amounts = stored if amounts is None else amounts
    is_same = (name, report_type, methodology) == (before.name, before.report_type, before.methodology_id)
    if is_same and after_amounts.by_batch == stored.by_batch:
        return before
    if after_amounts is not stored:
        await keep_amounts(tx, key.project, key.key, {})
    await tx.execute(
        """
        UPDATE reports SET name = %s, report_type = %s, methodology_id = %s, ledger_id = %s, updated_at =
        now()
         WHERE project_id = %s AND id = %s
        """,
        (name, report_type, methodology, after_amounts.ledger, key.project, key.key),
    )
    if after_amounts is not stored:
        await keep_amounts(tx, key.project, key.key, after_amounts.by_batch)
    after = await queries.report_numbered(tx, key.project, key.key)
    changes.record(
        tx, actor, action="report.update", target=after.id, project_id=key.project, before=before, after=after
    )
    return after


async def delete_report(tx: Write, actor: Actor, friendly: str) -> None:
    """Remove a draft; what it would have restated may be restated anew."""
    before, key = await _draft(tx, actor, friendly, "removed")
    await tx.execute("DELETE FROM reports WHERE project_id = %s AND id = %s", (key.project, key.key))
    changes.record(tx, actor, action="report.delete", target=before.id, project_id=key.project, before=before)


async def submit_report(tx: Write, actor: Actor, friendly: str, request: ReportSubmission) -> SubmittedReport:
    """Reserve what a draft takes and queue its way to the receiver; one that failed is sent off again.

    Raises Invalid with every requirement that it does not meet.
    """
    before = await queries.get_report(tx, actor, friendly)
    key = key_named("report", friendly)
    report = await hold_report(tx, key.project, key.key)
    refuse_unless(report, ReportTrigger.SUBMIT, "submitted")
    receiver = await receiver_of(tx, actor, report, request)
    word = ReportWord(actor)
    if report.state is ReportStatus.FAILED:
        await resume_submission(tx, report, word)
    else:
        draft = await _checked(tx, report)
        await enter_submission(tx, report, draft.remaining, draft.amounts, word)
        # What would break its schema is refused while the report is still a draft.
        await rendered(tx, await queries.report_numbered(tx, key.project, key.key), is_checked=True)
    args = {
        "project_id": key.project,
        "ledger_id": report.ledger,
        "report_id": key.key,
        "adapter": receiver.adapter,
        "registry_id": receiver.registry,
    }
    lock = locks.jobs_of_report(key.project, key.key)
    task = await queue_task(tx, actor, kind=TASK, project_id=key.project, args=args, lock=lock)
    await tx.execute(
        "UPDATE reports SET async_task_id = %s WHERE project_id = %s AND id = %s",
        (task.id, key.project, key.key),
    )
    after = await queries.report_numbered(tx, key.project, key.key)
    changes.record(
        tx, actor, action="report.submit", target=after.id, project_id=key.project, before=before, after=after
    )
    return SubmittedReport(before.id, ReportStatus.SUBMITTING, task.id, task)


async def start_bundle(tx: Write, actor: Actor, friendly: str, options: BundleOptions) -> StartedBundle:
    """Queue the making of a draft's proof bundle; one that is sent off has its own.

    Raises Conflict for a report that is no draft, Invalid for one without batches.
    """
    before, key = await _draft(tx, actor, friendly, "bundled anew")
    if not before.inclusion_count:
        raise Invalid([no_batches()])
    args = {"project_id": key.project, "report_id": key.key, "redact": options.redact}
    lock = locks.jobs_of_report(key.project, key.key)
    task = await queue_task(tx, actor, kind=BUNDLE_TASK, project_id=key.project, args=args, lock=lock)
    changes.record(
        tx, actor, action="report.start_bundle", target=before.id, project_id=key.project, after=task
    )
    return StartedBundle(before.id, task.id, task)


async def accept_report(tx: Write, actor: Actor, friendly: str, said: Acceptance) -> Report:
    """Write down that the receiver accepted a report: what it takes is posted."""
    before, report = await _held(tx, actor, friendly)
    refuse_unless(report, ReportTrigger.ACCEPT, "accepted")
    await accept(tx, report, ReportWord(actor, reason=said.reason, reference=said.reference))
    after = await queries.report_numbered(tx, report.project, report.number)
    changes.record(
        tx,
        actor,
        action="report.accept",
        target=after.id,
        project_id=report.project,
        before=before,
        after=after,
    )
    return after


async def reject_report(tx: Write, actor: Actor, friendly: str, said: ReportRejection) -> Report:
    """Write down that a report was rejected, or was certainly not received: what it holds is given back."""
    before, report = await _held(tx, actor, friendly)
    refuse_unless(report, ReportTrigger.REJECT, "rejected")
    if not said.reason.strip():
        raise Invalid([Problem("A rejection needs a reason.", "reason", "required")])
    await reject(tx, report, ReportWord(actor, reason=said.reason.strip(), reference=said.reference))
    after = await queries.report_numbered(tx, report.project, report.number)
    changes.record(
        tx,
        actor,
        action="report.reject",
        target=after.id,
        project_id=report.project,
        before=before,
        after=after,
    )
    return after


async def _held(tx: Write, actor: Actor, friendly: str) -> tuple[Report, MovingReport]:
    await queries.get_report(tx, actor, friendly)
    key = key_named("report", friendly)
    report = await hold_report(tx, key.project, key.key)
    return await queries.report_numbered(tx, key.project, key.key), report


async def _checked(tx: Write, report: MovingReport) -> CheckedDraft:
    """A draft that meets every requirement; Invalid with those that it does not."""
    basis = DraftBasis(report.project, report.number, report.chain, report.methodology)
    draft, problems = await check_draft(tx, basis)
    if draft is None or problems:
        raise Invalid([UNMET, *problems])
    return draft


async def _draft(tx: Write, actor: Actor, friendly: str, done: str) -> tuple[Report, ids.Key]:
    """The draft of this id, locked; Conflict when it is no draft any more."""
    await queries.get_report(tx, actor, friendly)
    key = key_named("report", friendly)
    await tx.execute(
        "SELECT FROM reports WHERE project_id = %s AND id = %s FOR UPDATE", (key.project, key.key)
    )
    before = await queries.get_report(tx, actor, friendly)
    if before.status != ReportStatus.DRAFT:
        raise Conflict(f"The report is {before.status}; only a draft can be {done}.", "not_draft")
    return before, key


def _wrong_names(name: str, report_type: str) -> list[Problem]:
    said = (("A report", name, "report.name"), ("A report type", report_type, "report.report_type"))
    return [problem for noun, text, field in said if (problem := problem_of_name(text, noun, field))]


async def _wrong_methodology(tx: Write, actor: Actor, number: int | None) -> list[Problem]:
    if number is None:
        return []
    known = await tx.value(
        "SELECT true FROM methodologies WHERE account_id = %s AND id::bigint = %s::numeric",
        (actor.account_id, number),
    )
    if known:
        return []
    message = f"methodology_id is {number}, which is no methodology of the account."
    return [Problem(message, "report.methodology_id", "unknown")]


async def _named(
    tx: Write,
    project: int,
    chain: int | None,
    batch_ids: list[str] | UnsetType,
    batches: list[TakenBatch] | UnsetType,
) -> Amounts | None:
    """The amounts that a request names; None when it names none."""
    if batch_ids is not UNSET and batches is not UNSET:
        message = "report.batch_ids and report.batches say the same in two ways; send one of them."
        return Amounts(problems=[Problem(message, "report.batches", "conflict")])
    if batch_ids is not UNSET:
        return await whole_batches(tx, project, chain, batch_ids)
    return None if batches is UNSET else await taken_batches(tx, project, chain, batches)


async def _restated(tx: Write, project: int, friendly: str | None) -> tuple[Restated | None, list[Problem]]:
    """The report that a new one restates, locked so that it is restated once; and what is wrong with that."""
    if friendly is None:
        return None, []
    field = "report.supersedes"
    number = ids.number("report", friendly, project)
    # Locked by a statement of its own, so that the next one sees what another request made of it meanwhile.
    await tx.execute(
        "SELECT FROM reports WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", (project, number)
    )
    restated = await tx.row(
        Restated,
        """
        SELECT r.id, r.chain_id, r.status,
               (SELECT later.id FROM reports later
                 WHERE (later.project_id, later.supersedes) = (r.project_id, r.id))
          FROM reports r WHERE r.project_id = %s AND r.id = %s
        """,
        (project, number),
    )
    if restated is None:
        message = f"supersedes is {shorten(friendly)!r}, which is no report of the project."
        return None, [Problem(message, field, "unknown")]
    if restated.restated_by is not None:
        later = ids.of("report", project, restated.restated_by)
        message = f"The report {friendly} is restated by {later} already; restate that one."
        return restated, [Problem(message, field, "restated", (later,))]
    if restated.status not in RESTATABLE:
        states = ", ".join(RESTATABLE)
        message = f"The report {friendly} is {restated.status}; one that is {states} can be restated."
        return restated, [Problem(message, field, "not_restatable", (friendly,))]
    return restated, []


async def _chain_before(tx: Write, key: ids.Key) -> int | None:
    """The chain that a draft would go on; None for one that restates nothing."""
    chain: int | None = await tx.value(
        "SELECT first_id FROM reports WHERE project_id = %s AND id = %s", (key.project, key.key)
    )
    return chain
