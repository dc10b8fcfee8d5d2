"""Paths of reports."""

from functools import partial
from tempfile import SpooledTemporaryFile

from weighbridge.core.report.adapter import MEDIA_TYPES
from weighbridge.db.listing import Page, list_request
from weighbridge.errors import Invalid
from weighbridge.http.attachment import Attachment, Spool
from weighbridge.http.endpoint import Answer, ReadCall, WriteCall, delete, get, patch, post
from weighbridge.http.operation import REFUSALS_TOLD
from weighbridge.platform.queue.polling import poll
from weighbridge.reporting.bundle.authority import ANSWER_TYPE
from weighbridge.reporting.bundle.keeping import MEDIA_TYPE, BundleResult, attached
from weighbridge.reporting.rendering.stated import rendered
from weighbridge.reporting.reports import actions, queries
from weighbridge.reporting.reports.records import (
    Acceptance,
    BundleOptions,
    NewReportBody,
    Report,
    ReportChangeBody,
    ReportRejection,
    ReportSubmission,
    StartedBundle,
    StoredSubmission,
    SubmissionResult,
    SubmittedReport,
)
from weighbridge.reporting.submission.kept import spool_of, spool_with

_ONE = "/reports/{report_id}"


@get("/reports", permission="production_accounting:read", returns=Page[Report], listing=queries.REPORTS)
async def list_reports(call: ReadCall) -> Page[Report]:
    """List the account's reports."""
    return await queries.list_reports(call.tx, call.actor, list_request(call.query, queries.REPORTS))


@post("/reports", permission="production_accounting:write", body=NewReportBody, returns=Report)
async def create_report(call: WriteCall, body: NewReportBody) -> Report:
    """Create a report of a project as a draft; with `supersedes` it restates another one."""
    return await actions.create_report(call.tx, call.actor, body.report)


@get(_ONE, permission="production_accounting:read", returns=Report)
async def get_report(call: ReadCall) -> Report:
    """Read one report, with all that it takes."""
    return await queries.get_report(call.tx, call.actor, call.path["report_id"])


@patch(
    _ONE,
    permission="production_accounting:write",
    body=ReportChangeBody,
    returns=Report,
    example={"report": {"name": "First quarter of 2025"}},
)
async def update_report(call: WriteCall, body: ReportChangeBody) -> Report:
    """Change a report while it is a draft."""
    return await actions.update_report(call.tx, call.actor, call.path["report_id"], body.report)


@delete(_ONE, permission="production_accounting:write")
async def delete_report(call: WriteCall) -> None:
    """Remove a report while it is a draft."""
    await actions.delete_report(call.tx, call.actor, call.path["report_id"])


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
    submitted = await actions.submit_report(call.tx, call.actor, call.path["report_id"], body)
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
    report, kept = await queries.submission_to_send(call.tx, call.actor, call.path["report_id"])
    if kept is not None:
        return Attachment(kept.name, kept.media_type, kept.size, partial(spool_of, call.files, kept))
    file = await rendered(
        call.tx, await queries.report_numbered(call.tx, report.project, report.key), is_checked=False
    )
    name = f"{call.path['report_id']}.{file.extension}"
    return Attachment(name, file.media_type, len(file.content), partial(spool_with, file.content))


@post(
    f"{_ONE}/bundle",
    permission="production_accounting:write",
    body=BundleOptions,
    returns=StartedBundle,
    status=202,
    task_results={"report_bundle": BundleResult},
)
async def make_report_bundle(call: WriteCall, body: BundleOptions) -> Answer:
    """Make the proof bundle of a draft: one file with all that its amounts were computed from.

    A report that is sent off has one already, made before anything was handed on.
    """
    started = await actions.start_bundle(call.tx, call.actor, call.path["report_id"], body)
    return Answer(started, poll(started.async_task))


@get(f"{_ONE}/bundle", permission="production_accounting:read", sends=(MEDIA_TYPE,))
async def download_report_bundle(call: ReadCall) -> Attachment:
    """Download the proof bundle of a report: a ZIP file that `weighbridge bundle check` checks offline."""
    report = call.path["report_id"]
    return attached(report, await queries.bundle_of(call.tx, call.actor, report), call.files)


@get(f"{_ONE}/bundle/time_stamp", permission="production_accounting:read", sends=(ANSWER_TYPE,))
async def download_report_time_stamp(call: ReadCall) -> Attachment:
    """Download the time stamp (RFC 3161) over the proof bundle of a report, where an authority was asked."""
    stamp = await queries.time_stamp_of(call.tx, call.actor, call.path["report_id"])

    async def read() -> Spool:
        spool: Spool = SpooledTemporaryFile(max_size=len(stamp) + 1)  # noqa: SIM115 - whoever sends it closes it
        spool.write(stamp)
        spool.seek(0)
        return spool

    return Attachment(f"{call.path['report_id']}.zip.tsr", ANSWER_TYPE, len(stamp), read)


@post(f"{_ONE}/accept", permission="production_accounting:write", body=Acceptance, returns=Report, status=200)
async def accept_report(call: WriteCall, body: Acceptance) -> Report:
    """Write down that the receiver accepted a submitted report; what it takes is posted."""
    return await actions.accept_report(call.tx, call.actor, call.path["report_id"], body)


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
    return await actions.reject_report(call.tx, call.actor, call.path["report_id"], body)


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
]
