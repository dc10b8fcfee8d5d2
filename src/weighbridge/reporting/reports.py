"""Reports: drafts that take amounts of a ledger's batches, and their way to their receiver.

A draft reserves nothing. Permission: production accounting.

Invariant: a draft includes amounts of batches of one ledger, or of those that play the roles of its
methodology.
"""

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import Any, Final

import msgspec
from msgspec import Struct
from psycopg.sql import SQL

from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import MEDIA_TYPES, RESTATABLE, ReportStatus, ReportTrigger
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.db.lists.listing import Page, list_request
from weighbridge.errors import Conflict, Invalid
from weighbridge.http.endpoints.endpoint import Answer, ReadCall, WriteCall, delete, get, patch, post
from weighbridge.http.messages.operation import REFUSALS_TOLD, Attachment, Spool
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import poll, queue_task
from weighbridge.platform.tenancy import key_named, name_download, of_key, project_for_record
from weighbridge.reporting import reports_queries as queries
from weighbridge.reporting.bundle.storage import (
    ANSWER_TYPE,
    MEDIA_TYPE,
    BundleResult,
    build_attachment,
    name_bundle,
)
from weighbridge.reporting.isometric.plans import render_for
from weighbridge.reporting.methodologies import limit_to_seen
from weighbridge.reporting.records.reports import (
    REPORT_BODIES,
    Report,
    ReportMerge,
    ReportSplit,
    SplitReports,
)
from weighbridge.reporting.records.submissions import (
    Acceptance,
    BundleOptions,
    NoticeResult,
    ReportRejection,
    ReportSubmission,
    ReportWithdrawal,
    StartedBundle,
    StoredSubmission,
    SubmissionResult,
    SubmittedReport,
)
from weighbridge.reporting.reports_decisions import (
    record_acceptance,
    record_merge,
    record_move,
    record_rejection,
    record_split,
    record_withdrawal,
)
from weighbridge.reporting.submission.amounts import (
    Amounts,
    check_amount,
    check_kept,
    choose_first,
    name_batches,
    name_whole_batches,
    read_accepted_amounts,
    read_amounts,
    read_holdings,
    store_amounts,
)
from weighbridge.reporting.submission.file import fill_spool, open_spool
from weighbridge.reporting.submission.ledgers import (
    LedgerRoles,
    WantedLedgers,
    choose_ledgers,
    read_ledger_roles,
    store_ledger_roles,
)
from weighbridge.reporting.submission.moves import (
    MovingReport,
    ReportWord,
    enter_submission,
    hold_report,
    refuse_unless,
    resume_submission,
)
from weighbridge.reporting.submission.receiver import find_receiver, read_usual_receiver
from weighbridge.reporting.submission.requirements import (
    UNMET,
    CheckedDraft,
    DraftBasis,
    build_no_batches,
    check_draft,
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
    ledger: int | None
    successors: list[int]
    """The reports that took the place of an accepted one of its chain."""


async def queue_submission(
    tx: Write, actor: Actor, friendly: str, request: ReportSubmission
) -> SubmittedReport:
    """Reserve what a draft takes and queue its way to the receiver; one that failed is sent off again.

    Raises Invalid with every requirement that it does not meet.
    """
    before = await queries.get_report(tx, actor, friendly)
    key = key_named("report", friendly)
    report = await hold_report(tx, key.project, key.key)
    refuse_unless(report, ReportTrigger.SUBMIT, "submitted")
    receiver = await find_receiver(tx, actor, report, request)
    word = ReportWord(actor)
    if report.state is ReportStatus.FAILED:
        await resume_submission(tx, report, word)
    else:
        draft = await _check_requirements(tx, report)
        await enter_submission(tx, report, draft.remaining, draft.amounts, word)
        # What would break its schema is refused while the report is still a draft.
        submitted = await queries.report_numbered(tx, key.project, key.key)
        await render_for(tx, submitted, receiver, is_checked=True)
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
    await record_move(tx, actor, before, report, action="report.submit")
    return SubmittedReport(before.id, ReportStatus.SUBMITTING, task.id, task)


async def queue_bundle(tx: Write, actor: Actor, friendly: str, options: BundleOptions) -> StartedBundle:
    """Queue the making of the proof bundle of a draft or a successor; one that is sent off has its own.

    Raises Conflict for a report that was sent off, Invalid for one without batches.
    """
    before, key = await _lock_report(tx, actor, friendly)
    if before.status != ReportStatus.DRAFT and not before.predecessors:
        message = f"The report is {before.status}; only a draft can be bundled anew."
        raise Conflict(message, "not_draft")
    if not before.inclusion_count:
        raise Invalid([build_no_batches()])
    args = {"project_id": key.project, "report_id": key.key, "redact": options.redact}
    lock = locks.jobs_of_report(key.project, key.key)
    task = await queue_task(tx, actor, kind=BUNDLE_TASK, project_id=key.project, args=args, lock=lock)
    changes.record(
        tx, actor, action="report.start_bundle", target=before.id, project_id=key.project, after=task
    )
    return StartedBundle(before.id, task.id, task)


async def _check_requirements(tx: Write, report: MovingReport) -> CheckedDraft:
    """A draft that meets every requirement; Invalid with those that it does not."""
    basis = DraftBasis(report.project, report.number, report.chain, report.methodology)
    draft, problems = await check_draft(tx, basis)
    if draft is None or problems:
        raise Invalid([UNMET, *problems])
    return draft


async def _lock_report(tx: Write, actor: Actor, friendly: str) -> tuple[Report, identity.Key]:
    """The report of this id, locked."""
    key = key_named("report", friendly)
    lock = SQL("SELECT FROM reports WHERE {} FOR UPDATE").format(of_key(actor, "project_id", "id"))
    tx.later(lock, (key.project, key.key))
    return await queries.get_report(tx, actor, friendly), key


async def _lock_draft(tx: Write, actor: Actor, friendly: str, done: str) -> tuple[Report, identity.Key]:
    """The draft of this id, locked; Conflict when it is no draft any more."""
    before, key = await _lock_report(tx, actor, friendly)
    if before.status != ReportStatus.DRAFT:
        raise Conflict(f"The report is {before.status}; only a draft can be {done}.", "not_draft")
    return before, key


def _check_names(name: str, report_type: str) -> list[Problem]:
    names = (("A report", name, "report.name"), ("A report type", report_type, "report.report_type"))
    return [problem for noun, text, field in names if (problem := problem_of_name(text, noun, field))]


async def _check_methodology(tx: Write, actor: Actor, number: int | None) -> list[Problem]:
    if number is None:
        return []
    statement = SQL("SELECT true FROM methodologies m WHERE {} AND m.id::bigint = %s::numeric")
    if await tx.value(statement.format(limit_to_seen(actor)), (number,)):
        return []
    message = f"methodology_id: methodology {number} does not exist in this account."
    return [Problem(message, "report.methodology_id", "unknown")]


async def _read_named_amounts(
    tx: Write, project: int, chain: int | None, sent: Mapping[str, Any], wanted: WantedLedgers
) -> Amounts | None:
    """The amounts that a request names; None when it names none."""
    if wanted.problems:
        return Amounts()
    if wanted.is_open and (sent.get("batch_ids") or sent.get("batches")):
        message = (
            "report.ledgers must name the ledger of each role of its methodology before it takes batches."
        )
        return Amounts(problems=[Problem(message, "report.ledgers", "required")])
    if "batch_ids" in sent and "batches" in sent:
        message = "report.batch_ids and report.batches cannot be sent together. Send one of them."
        return Amounts(problems=[Problem(message, "report.batches", "conflict")])
    if "batch_ids" in sent:
        return await name_whole_batches(tx, project, chain, sent["batch_ids"], wanted.roles)
    if "batches" in sent:
        return await name_batches(tx, project, chain, sent["batches"], wanted.roles)
    return None


async def _lock_restated(
    tx: Write, project: int, friendly: str | None
) -> tuple[Restated | None, list[Problem]]:
    """The report that a new one restates, locked so that it is restated once; and what is wrong with that."""
    if friendly is None:
        return None, []
    field = "report.supersedes"
    number = identity.number("report", friendly, project)
    # Locked by a statement of its own, so that the next one sees what another request made of it meanwhile.
    await tx.execute(
        "SELECT FROM reports WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", (project, number)
    )
    restated = await tx.row(
        Restated,
        """
        SELECT r.id, r.chain_id, r.status,
               (SELECT later.id FROM reports later
                 WHERE (later.project_id, later.supersedes) = (r.project_id, r.id)), r.ledger_id,
               ARRAY(SELECT s.report_id FROM report_successions s
                       JOIN reports own ON (own.project_id, own.id) = (s.project_id, s.predecessor_id)
                      WHERE (own.project_id, own.chain_id) = (r.project_id, r.chain_id) ORDER BY 1)
          FROM reports r WHERE r.project_id = %s AND r.id = %s
        """,
        (project, number),
    )
    if restated is None:
        message = f"supersedes: report {shorten(friendly)!r} does not exist in this project."
        return None, [Problem(message, field, "unknown")]
    if restated.successors:
        successors = tuple(identity.of("report", project, number) for number in restated.successors)
        message = f"supersedes: {', '.join(successors)} took the place of report {friendly}. Restate that."
        return restated, [Problem(message, field, "succeeded", successors)]
    if restated.restated_by is not None:
        later = identity.of("report", project, restated.restated_by)
        message = f"Report {friendly} was already restated by {later}. Restate that report."
        return restated, [Problem(message, field, "restated", (later,))]
    if restated.status not in RESTATABLE:
        states = ", ".join(RESTATABLE)
        message = f"The report {friendly} is {restated.status}; one that is {states} can be restated."
        return restated, [Problem(message, field, "not_restatable", (friendly,))]
    return restated, []


async def _read_chain(tx: Write, key: identity.Key) -> tuple[int | None, int | None]:
    """The chain that a draft would go on, and its ledger; None for one that restates nothing."""
    [(chain, ledger)] = await tx.tuples(
        """
        SELECT r.first_id, earlier.ledger_id
          FROM reports r
          LEFT JOIN reports earlier ON (earlier.project_id, earlier.id) = (r.project_id, r.supersedes)
         WHERE r.project_id = %s AND r.id = %s
        """,
        (key.project, key.key),
    )
    return chain, ledger


async def _check_liability(
    tx: Write, chain: identity.Key, ledger: int | None, desired: Report
) -> list[Problem]:
    """What is wrong with what a draft owes; `chain` has the number zero for a draft that restates nothing."""
    liability, reason, field = desired.liability, desired.liability_reason, "report.liability"
    if liability is None:
        if reason is None:
            return []
        message = "report.liability_reason needs report.liability: the amount that is owed."
        return [Problem(message, f"{field}_reason", "conflict")]
    problems = []
    if not (reason or "").strip():
        message = "report.liability_reason must say why the claim owes something."
        problems.append(Problem(message, f"{field}_reason", "required"))
    if (await read_holdings(tx, chain.project, chain.key)).accepted_from is None:
        message = "report.liability is for the restatement of a report that was once accepted."
        return [*problems, Problem(message, field, "invalid")]
    scale: int = await tx.value(
        "SELECT scale FROM ledgers WHERE project_id = %s AND id = %s", (chain.project, ledger)
    )
    problem = check_amount(liability, scale, field)
    return [*problems, *([problem] if problem else [])]


# Paths of reports.


_ONE = "/reports/{report_id}"


@get(
    "/reports",
    permission="production_accounting:read",
    returns=Page[Report],
    listing=queries.REPORTS,
    spans_projects=True,
)
async def list_reports(call: ReadCall) -> Page[Report]:
    """List the account's reports."""
    return await queries.list_reports(call.tx, call.actor, list_request(call.query, queries.REPORTS))


@post(
    "/reports",
    permission="production_accounting:write",
    body=REPORT_BODIES.new_body,
    returns=Report,
    spans_projects=True,
)
async def create_report(call: WriteCall, body: Struct) -> Report:
    """Create a report of a project as a draft; with `supersedes` it restates another one."""
    tx, actor = call.tx, call.actor
    new, sent = REPORT_BODIES.created(body), REPORT_BODIES.sent(body)
    project = await project_for_record(tx, actor, new.project_id)
    problems = _check_names(new.name, new.report_type)
    problems += await _check_methodology(tx, actor, new.methodology_id)
    restated, of_restated = await _lock_restated(tx, project, new.supersedes)
    problems += of_restated
    chain = restated.chain if restated else None
    kept = await read_ledger_roles(tx, project, restated.number) if restated else []
    wanted = await choose_ledgers(tx, project, new.methodology_id, sent.get("ledgers"), kept)
    problems += wanted.problems
    amounts = await _read_named_amounts(tx, project, chain, sent, wanted)
    if amounts is None:
        amounts = await read_accepted_amounts(tx, project, restated.number) if restated else _NO_BATCHES
        problems += await check_kept(tx, project, amounts, wanted)
    ledger = choose_first(wanted, amounts, restated.ledger if restated else None)
    problems += await _check_liability(tx, identity.Key(project, chain or 0), ledger, new)
    if problems := [*problems, *amounts.problems]:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO reports (project_id, name, report_type, methodology_id, ledger_id, supersedes, first_id,
                             liability, liability_reason)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, new.name, new.report_type, new.methodology_id, ledger, restated and restated.number,
            chain, new.liability, new.liability_reason,
        ),
    )  # fmt: skip
    await store_ledger_roles(tx, project, number, wanted.roles)
    await store_amounts(tx, project, number, amounts.by_batch)
    made = await queries.report_numbered(tx, project, number)
    changes.record(tx, actor, action="report.create", target=made.id, project_id=project, after=made)
    return made


@get(_ONE, permission="production_accounting:read", returns=Report)
async def get_report(call: ReadCall) -> Report:
    """Read one report, with all that it takes."""
    return await queries.get_report(call.tx, call.actor, call.path["report_id"])


@patch(
    _ONE,
    permission="production_accounting:write",
    body=REPORT_BODIES.change_body,
    returns=Report,
    example={"report": {"name": "First quarter of 2025"}},
)
async def update_report(call: WriteCall, body: Struct) -> Report:
    """Change a report while it is a draft."""
    tx, actor = call.tx, call.actor
    before, key = await _lock_draft(tx, actor, call.path["report_id"], "changed")
    desired = REPORT_BODIES.changed(before, body)
    problems = _check_names(desired.name, desired.report_type)
    problems += await _check_methodology(tx, actor, desired.methodology_id)
    chain, chain_ledger = await _read_chain(tx, key)
    sent = REPORT_BODIES.sent(body)
    kept = await read_ledger_roles(tx, key.project, key.key)
    wanted = await choose_ledgers(tx, key.project, desired.methodology_id, sent.get("ledgers"), kept)
    amounts = await _read_named_amounts(tx, key.project, chain, sent, wanted)
    problems += wanted.problems
    stored = await read_amounts(tx, key.project, key.key)
    after_amounts = stored if amounts is None else amounts
    problems += after_amounts.problems or await check_kept(tx, key.project, after_amounts, wanted)
    ledger = choose_first(wanted, after_amounts, chain_ledger)
    problems += await _check_liability(tx, identity.Key(key.project, chain or 0), ledger, desired)
    if problems:
        raise Invalid(problems)
    has_other_ledgers = [*wanted.roles] != kept
    if desired == before and after_amounts.by_batch == stored.by_batch and not has_other_ledgers:
        return before
    if is_taking_anew := after_amounts is not stored or has_other_ledgers:
        await _store_taken(tx, key, (), {})
    await tx.execute(
        """
        UPDATE reports
           SET name = %s, report_type = %s, methodology_id = %s, ledger_id = %s, liability = %s,
               liability_reason = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            desired.name,
            desired.report_type,
            desired.methodology_id,
            ledger,
            desired.liability,
            desired.liability_reason,
            key.project,
            key.key,
        ),
    )
    if is_taking_anew:
        await _store_taken(tx, key, wanted.roles, after_amounts.by_batch)
    after = await queries.report_numbered(tx, key.project, key.key)
    changes.record(
        tx, actor, action="report.update", target=after.id, project_id=key.project, before=before, after=after
    )
    return after


async def _store_taken(
    tx: Write, key: identity.Key, roles: LedgerRoles, amounts: Mapping[int, Decimal]
) -> None:
    """Let a draft take amounts of these ledgers, instead of those that it has."""
    await store_amounts(tx, key.project, key.key, {})
    await store_ledger_roles(tx, key.project, key.key, roles)
    await store_amounts(tx, key.project, key.key, amounts)


@delete(_ONE, permission="production_accounting:write")
async def delete_report(call: WriteCall) -> None:
    """Remove a report while it is a draft."""
    tx, actor = call.tx, call.actor
    before, key = await _lock_draft(tx, actor, call.path["report_id"], "removed")
    await tx.execute("DELETE FROM reports WHERE project_id = %s AND id = %s", (key.project, key.key))
    changes.record(tx, actor, action="report.delete", target=before.id, project_id=key.project, before=before)


@post(
    f"{_ONE}/submit",
    permission="production_accounting:write",
    body=ReportSubmission,
    returns=SubmittedReport,
    status=202,
    refusals_told=REFUSALS_TOLD | {Invalid.status},
    task_results={"report_submission": SubmissionResult},
)
async def submit_report(call: WriteCall, body: ReportSubmission) -> Answer:
    """Reserve what a report takes and send it off; refused with every requirement that it does not meet."""
    submitted = await queue_submission(call.tx, call.actor, call.path["report_id"], body)
    return Answer(submitted, poll(submitted.async_task))


@get(f"{_ONE}/submission", permission="production_accounting:read", returns=StoredSubmission)
async def get_submission(call: ReadCall) -> StoredSubmission:
    """Read what is kept of a report's submission: to whom it goes, under which key, and how far it came."""
    return await queries.get_submission(call.tx, call.actor, call.path["report_id"])


@get(
    f"{_ONE}/submission/download",
    permission="production_accounting:read",
    sends=tuple(MEDIA_TYPES.values()),
)
async def download_submission(call: ReadCall) -> Attachment:
    """Download the file of a report's submission, as it is handed on; of a draft, as it would be.

    What would be sent of a draft is not held against its schema: that is done when it is submitted.
    """
    report, kept = await queries.find_submission(call.tx, call.actor, call.path["report_id"])
    if kept is not None:
        name = await _name_submission(call, report, kept.name.rpartition(".")[2])
        return Attachment(name, kept.media_type, kept.size, partial(open_spool, call.files, kept))
    draft = await queries.report_numbered(call.tx, report.project, report.key)
    file = await render_for(call.tx, draft, await read_usual_receiver(call.tx, draft), is_checked=False)
    name = await _name_submission(call, report, file.extension)
    return Attachment(name, file.media_type, len(file.content), partial(fill_spool, file.content))


async def _name_submission(call: ReadCall, report: identity.Key, extension: str) -> str:
    statement = "SELECT name FROM reports WHERE (project_id, id) = (%s, %s)"
    name = await call.tx.value(statement, (report.project, report.key))
    friendly = call.path["report_id"]
    return await name_download(call.tx, report.project, extension, name, "submission", friendly=friendly)


@post(
    f"{_ONE}/bundle",
    permission="production_accounting:write",
    body=BundleOptions,
    returns=StartedBundle,
    status=202,
    task_results={"report_bundle": BundleResult},
)
async def make_report_bundle(call: WriteCall, body: BundleOptions) -> Answer:
    """Make the proof bundle of a draft, or of a report that others were merged or split into.

    It is one file with all that the report's amounts were computed from. A report that is sent off has one
    already, made before anything was handed on.
    """
    started = await queue_bundle(call.tx, call.actor, call.path["report_id"], body)
    return Answer(started, poll(started.async_task))


@get(f"{_ONE}/bundle", permission="production_accounting:read", sends=(MEDIA_TYPE,))
async def download_report_bundle(call: ReadCall) -> Attachment:
    """Download the proof bundle of a report: a ZIP file that `weighbridge bundle check` checks offline."""
    key = await queries.find_report_key(call.tx, call.actor, call.path["report_id"])
    kept = await queries.read_bundle(call.tx, call.actor, call.path["report_id"])
    return await build_attachment(call.tx, key.project, key.key, kept, call.files)


@get(f"{_ONE}/bundle/time_stamp", permission="production_accounting:read", sends=(ANSWER_TYPE,))
async def download_report_time_stamp(call: ReadCall) -> Attachment:
    """Download the time stamp (RFC 3161) over the proof bundle of a report, where an authority was asked."""
    stamp = await queries.read_time_stamp(call.tx, call.actor, call.path["report_id"])

    async def read() -> Spool:
        spool: Spool = SpooledTemporaryFile(max_size=len(stamp) + 1)  # noqa: SIM115 - whoever sends it closes it
        spool.write(stamp)
        spool.seek(0)
        return spool

    key = await queries.find_report_key(call.tx, call.actor, call.path["report_id"])
    name = await name_bundle(call.tx, key.project, key.key)
    return Attachment(f"{name}.tsr", ANSWER_TYPE, len(stamp), read)


@post(f"{_ONE}/accept", permission="production_accounting:write", body=Acceptance, returns=Report, status=200)
async def accept_report(call: WriteCall, body: Acceptance) -> Report:
    """Write down that the receiver accepted a submitted report, or a part of it; what it accepted is posted.

    What it did not accept is released.
    """
    return await record_acceptance(call.tx, call.actor, call.path["report_id"], body)


@post(
    f"{_ONE}/reject",
    permission="production_accounting:write",
    body=ReportRejection,
    returns=Report,
    status=200,
    example={"reason": "The certificate of the scale is missing."},
)
async def reject_report(call: WriteCall, body: ReportRejection) -> Report:
    """Write down that a report was rejected, or was certainly not received; what it holds is given back."""
    return await record_rejection(call.tx, call.actor, call.path["report_id"], body)


@post(
    f"{_ONE}/withdraw",
    permission="production_accounting:write",
    body=ReportWithdrawal,
    returns=Report,
    status=200,
    task_results={"report_notice": NoticeResult},
    example={"reason": "The deliveries of March were claimed under another programme."},
)
async def withdraw_report(call: WriteCall, body: ReportWithdrawal) -> Report:
    """Take back the claim of a report; what it holds is given back, also what was posted by its acceptance.

    Refused while a restatement of the report is under way.
    """
    return await record_withdrawal(call.tx, call.actor, call.path["report_id"], body)


@post(
    f"{_ONE}/merge",
    permission="production_accounting:write",
    body=ReportMerge,
    returns=Report,
    example={
        "report_ids": ["rpt_9e3779b97f4ae2228a25bf2b"],
        "name": "First quarter of 2025",
        "reason": "The registry asks for one claim for each quarter.",
    },
)
async def merge_reports(call: WriteCall, body: ReportMerge) -> Report:
    """Merge accepted reports of a ledger into one, which takes their place and holds all that they held.

    It is complete at once: nothing is claimed anew, and no balance changes.
    """
    return await record_merge(call.tx, call.actor, call.path["report_id"], body)


@post(
    f"{_ONE}/split",
    permission="production_accounting:write",
    body=ReportSplit,
    returns=SplitReports,
    example={
        "parts": [{"name": "For the buyer in Basel", "amount": 40}, {"name": "For the buyer in Turin"}],
        "reason": "The certificate was divided between two buyers.",
    },
)
async def split_report(call: WriteCall, body: ReportSplit) -> SplitReports:
    """Split an accepted report into several, which take its place and hold together all that it held.

    They are complete at once: nothing is claimed anew, and no balance changes.
    """
    return await record_split(call.tx, call.actor, call.path["report_id"], body)


ROUTES = [
    list_reports,
    create_report,
    get_report,
    update_report,
    delete_report,
    submit_report,
    get_submission,
    download_submission,
    make_report_bundle,
    download_report_bundle,
    download_report_time_stamp,
    accept_report,
    reject_report,
    withdraw_report,
    merge_reports,
    split_report,
]
