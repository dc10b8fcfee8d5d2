"""Reports: all of a project, one on its way to its receiver, and what a verifier sees by a link.

Invariant: an error of the interface for a link is an error here, and the audit log records each use.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from weighbridge.accounting.batches import list_ledger_batches
from weighbridge.accounting.ledgers import get_ledger, list_project_ledgers
from weighbridge.collection.projects import read_project
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.report.state import RESTATABLE, ReportStatus, Requirement
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.caller import WebRequest, database, shares
from weighbridge.http.endpoints.links import open_link
from weighbridge.http.messages.operation import Attachment, AttachmentReply
from weighbridge.platform.tenancy import key_named
from weighbridge.reporting.bundle.storage import MEDIA_TYPE, KeptBundle, kept_bundle
from weighbridge.reporting.methodologies import get_methodology, list_methodologies
from weighbridge.reporting.records.report_links import LINK_SECONDS_DEFAULT
from weighbridge.reporting.records.reports import REPORT_BATCHES_MAX, Report
from weighbridge.reporting.report_links import (
    KEY,
    KEY_MEANING,
    create_report_link,
    list_report_links,
    report_entry,
    revoke_report_link,
)
from weighbridge.reporting.reports import (
    accept_report,
    create_report,
    delete_report,
    download_report_bundle,
    download_report_time_stamp,
    download_submission,
    get_report,
    get_submission,
    list_reports,
    make_report_bundle,
    reject_report,
    submit_report,
    update_report,
)
from weighbridge.reporting.reports_queries import report_numbered
from weighbridge.reporting.submission.requirements import requirements_of
from weighbridge.web.display.figures import Moments
from weighbridge.web.framework.listing import ListQuery, ListView, asked_for
from weighbridge.web.framework.page import Sent, form, open_page, page
from weighbridge.web.framework.rendering import rendered_alone
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.ledger_years import LEDGERS_SHOWN
from weighbridge.web.pages.records import own_project

# The reports of a project, and a form for a new draft.


REPORTS_PATH: Final = "/projects/{project_id}/reports"

METHODOLOGIES_OFFERED: Final = "100"
"""Methodologies that the form offers."""

_PAGE: Final = "200"
"""Batches that are read at once when a period is chosen."""

TONES: Final = {
    ReportStatus.COMPLETE: "good",
    ReportStatus.SUBMITTING: "waits",
    ReportStatus.SUBMITTED: "waits",
    ReportStatus.REJECTED: "short",
    ReportStatus.FAILED: "short",
}
"""The tone of a report's state; of the others, quiet."""


def asked_for_reports(visit: Visit) -> ListQuery:
    """The reports of the project that the visit is in, the newest first."""
    project = visit.frame.project
    of_project = (("filter[project_id]", project.id),) if project else ()
    return asked_for((*visit.query, *of_project), sort="-created_at")


async def reports(visit: Visit) -> View:
    """The reports of a project."""
    found = await visit.ask(list_reports, asked_for_reports(visit))
    path = f"{visit.frame.home}/reports"
    return view(
        "reports/reports.html", "Reports", call="/reports", has_csv=True,
        reports=found.data, list=ListView(path, visit.query, found.info), tones=TONES,
        statuses=tuple(ReportStatus), **await choices(visit),
    )  # fmt: skip


async def choices(visit: Visit) -> dict[str, Any]:
    """What the forms of a draft offer: ledgers and methodologies."""
    ledgers = await visit.ask(list_project_ledgers, (("page_size", LEDGERS_SHOWN), ("sort", "name")))
    methodologies = await visit.ask(list_methodologies, (("page_size", METHODOLOGIES_OFFERED),))
    return {"ledgers": ledgers.data, "methodologies": methodologies.data}


@form(REPORTS_PATH, permission="production_accounting:write", again=reports)
async def make_report(visit: Visit) -> Redirect:
    """Make a draft of the batches of a ledger's period; without a ledger, of none yet."""
    project = visit.frame.project
    new: dict[str, Any] = {
        "name": visit.text("name"),
        "report_type": visit.text("report_type"),
        "project_id": project.id if project else None,
    }
    if methodology := visit.text("methodology_id"):
        new["methodology_id"] = int(methodology) if methodology.isdecimal() else -1
    if visit.text("ledger_id"):
        new["batch_ids"] = await batches_of_period(visit)
    made = await visit.do(create_report, {"report": new})
    return Redirect(f"/projects/{made.project_id}/reports/{made.id}", f"{made.name} is a draft.")


async def batches_of_period(visit: Visit) -> list[str]:
    """The batches of the chosen ledger that lie in the chosen period and have something left."""
    start, end = visit.moments.typed(visit.text("from")), visit.moments.typed(visit.text("until"))
    bounds = (("start_time][geq", start), ("end_time][leq", end))
    query = tuple((f"filter[{name}]", moment.text) for name, moment in bounds if moment is not None)
    cursor: str | None = ""
    found: list[str] = []
    while cursor is not None:
        walked = (("cursor", cursor),) if cursor else (("sort", "start_time"),)
        listed = await visit.ask(
            list_ledger_batches, (*query, ("page_size", _PAGE), *walked), ledger_id=visit.text("ledger_id")
        )
        found += [batch.id for batch in listed.data if batch.ledger_balance > 0]
        cursor = listed.info.next_cursor
        if len(found) > REPORT_BATCHES_MAX:
            break
    if not found:
        said = "No batch of this ledger lies in the period and has something left."
        raise Invalid([Problem(said, "report.batch_ids", "no_batches")])
    return found


# One report: what it takes, how far it is from its receiver, and what proves it.


REPORT_PATH: Final = "/projects/{project_id}/reports/{report_id}"

LINKS_SHOWN: Final = "100"
"""Links of a report that stand on its page."""

DAY_SECONDS: Final = 86_400

DAYS_DEFAULT: Final = LINK_SECONDS_DEFAULT // DAY_SECONDS

_READ: Final = "production_accounting:read"
_WRITE: Final = "production_accounting:write"

ASKED: Final[Mapping[Requirement, str]] = {
    Requirement.HAS_BATCHES: "It takes from at least one batch",
    Requirement.BATCHES_THERE: "All of its batches are there",
    Requirement.AMOUNTS_REMAIN: "What it takes remains",
    Requirement.NO_PENDING_PROPOSALS: "No correction behind it waits for approval",
    Requirement.NOT_STALE: "Its batches stand on the data as they are",
    Requirement.NO_LATE_DATA: "No data of its time wait to be generated",
    Requirement.NO_OPEN_DEFICITS: "Nothing is short in its period",
    Requirement.OF_ITS_MODELS: "Its batches are of the models of its methodology",
    Requirement.NO_OPEN_ALERTS: "No alert stands behind it",
    Requirement.MEASURED_ENOUGH: "Enough of it was measured",
    Requirement.HAS_EVIDENCE: "Each batch has evidence",
}
"""What each requirement asks, as the draft's page says it."""


async def report(visit: Visit) -> View | Redirect:
    """A report, whatever its state."""
    return await shown_report(visit)


async def shown_report(visit: Visit, **more: Any) -> View | Redirect:
    """The page of a report; with the address of a new link, which is shown this once."""
    found: Report = await visit.ask(get_report)
    if elsewhere := own_project(visit, found):
        return Redirect(elsewhere)
    is_draft = found.status == ReportStatus.DRAFT
    ledger = await visit.ask(get_ledger, ledger_id=found.ledger_id) if found.ledger_id else None
    methodology = (
        await visit.ask(get_methodology, methodology_id=str(found.methodology_id))
        if found.methodology_id is not None
        else None
    )
    links = await visit.ask(list_report_links, (("page_size", LINKS_SHOWN), ("sort", "-id")))
    key = key_named("report", found.id)
    context: dict[str, Any] = {"issued": None, **more}
    return view(
        "reports/report.html", found.name,
        call=f"/reports/{found.id}", crumbs=(("Reports", f"{visit.frame.home}/reports"),),
        report=found, tones=TONES, ledger=ledger, methodology=methodology, links=links.data,
        path=f"{visit.frame.home}/reports/{found.id}", days=DAYS_DEFAULT, asked=ASKED,
        requirements=await requirements_of(visit.reading, key) if is_draft else [],
        submission=None if is_draft else await visit.ask(get_submission),
        bundle=await bundle_of(visit.reading, key),
        is_restatable=found.status in RESTATABLE and found.superseded_by is None,
        choices=await choices(visit) if is_draft and visit.may(_WRITE) else None, **context,
    )  # fmt: skip


async def bundle_of(tx: Read, key: ids.Key) -> KeptBundle | None:
    """The bundle that is kept of a report that is known to be there; None while there is none."""
    return await kept_bundle(tx, key.project, key.key)


@form(f"{REPORT_PATH}/batches", permission=_WRITE, again=report)
async def take_batches(visit: Visit) -> Redirect:
    """Have a draft take all that is left of a ledger's batches of a period, instead of what it takes."""
    body = {"report": {"batch_ids": await batches_of_period(visit)}}
    return _back(visit, await visit.do(update_report, body), "The draft takes other batches.")


@form(f"{REPORT_PATH}/submit", permission=_WRITE, again=report)
async def submit(visit: Visit) -> Redirect:
    """Send a draft off, or send off again what failed on its way."""
    await visit.do(submit_report, {})
    return Redirect(_own(visit), "The report is on its way.")


@form(f"{REPORT_PATH}/bundle", permission=_WRITE, again=report)
async def make_bundle(visit: Visit) -> Redirect:
    """Have the proof bundle of a draft made."""
    await visit.do(make_report_bundle, {"redact": visit.text("redact") == "yes"})
    return Redirect(_own(visit), "The bundle is being made; it stands here when it is.")


@form(f"{REPORT_PATH}/accept", permission=_WRITE, again=report)
async def accept(visit: Visit) -> Redirect:
    """Write down that the receiver accepted it."""
    said = {"reason": visit.text("reason") or None, "reference": visit.text("reference") or None}
    return _back(visit, await visit.do(accept_report, said), "The report is complete.")


@form(f"{REPORT_PATH}/reject", permission=_WRITE, again=report)
async def reject(visit: Visit) -> Redirect:
    """Write down that the receiver rejected it."""
    said = {"reason": visit.text("reason"), "reference": visit.text("reference") or None}
    return _back(visit, await visit.do(reject_report, said), "The report is rejected; what it held is free.")


@form(f"{REPORT_PATH}/restate", permission=_WRITE, again=report)
async def restate(visit: Visit) -> Redirect:
    """Make the draft that restates it, which begins with what it takes."""
    before: Report = await visit.ask(get_report)
    new = {
        "name": visit.text("name") or f"{before.name}, restated",
        "report_type": before.report_type,
        "project_id": before.project_id,
        "methodology_id": before.methodology_id,
        "supersedes": before.id,
    }
    return _back(visit, await visit.do(create_report, {"report": new}), "The restatement is a draft.")


@form(f"{REPORT_PATH}/delete", permission=_WRITE, again=report)
async def remove(visit: Visit) -> Redirect:
    """Remove a draft."""
    await visit.do(delete_report)
    return Redirect(f"{visit.frame.home}/reports", "The draft is gone.")


@form(f"{REPORT_PATH}/links", permission=_WRITE, again=report)
async def make_link(visit: Visit) -> View | Redirect:
    """Make a link for a verifier; its address is shown this once."""
    days = visit.text("days")
    seconds = int(days) * DAY_SECONDS if days.isdecimal() and len(days) <= len("366") else 0
    made = await visit.do(create_report_link, {"link": {"name": visit.text("name"), "expires_in": seconds}})
    address = str(made.url.path).rpartition("/reports/")[2]
    return await shown_report(visit, issued={"name": made.name, "path": f"/reports/{address}"})


@form(f"{REPORT_PATH}/links/{{link_id}}/revoke", permission=_WRITE, again=report)
async def revoke_link(visit: Visit) -> Redirect:
    """Make a link open nothing any more."""
    await visit.do(revoke_report_link)
    return Redirect(_own(visit), "The link opens nothing any more.")


@page(f"{REPORT_PATH}/bundle.zip", permission=_READ)
async def bundle_file(visit: Visit) -> AttachmentReply:
    """The proof bundle."""
    return _file(visit, await visit.ask(download_report_bundle))


@page(f"{REPORT_PATH}/bundle.zip.tsr", permission=_READ)
async def time_stamp_file(visit: Visit) -> AttachmentReply:
    """The time stamp over the proof bundle."""
    return _file(visit, await visit.ask(download_report_time_stamp))


@page(f"{REPORT_PATH}/submission_file", permission=_READ)
async def submission_file(visit: Visit) -> AttachmentReply:
    """The file that is handed on; of a draft, as it would be."""
    return _file(visit, await visit.ask(download_submission))


def _file(visit: Visit, attachment: Attachment) -> AttachmentReply:
    return attachment.reply(visit.request.app.state.downloads, visit.actor.account_id)


def _own(visit: Visit) -> str:
    return f"{visit.frame.home}/reports/{visit.path['report_id']}"


def _back(visit: Visit, changed: Report, said: str) -> Redirect:
    return Redirect(f"{visit.frame.home}/reports/{changed.id}", said)


# What a verifier sees behind a link: the report as it is, and its bundle; nobody signs in.
#
# Invariant: what the interface refuses of a link is refused here, and each use is told by the audit log.


VERIFIER_PATH: Final = "/reports/{report_id}/by_link"


@open_page("GET", VERIFIER_PATH, query={KEY: KEY_MEANING})
async def report_by_link(request: WebRequest) -> Sent:
    """A report, read-only, by a link that somebody was given."""
    entry = await open_link(request, report_entry)
    opened = entry.behind
    async with shares(request).request(entry.account), database(request).read() as tx:
        report = await report_numbered(tx, opened.project, opened.report)
        project = await read_project(tx, opened.project)
        bundle = await kept_bundle(tx, opened.project, opened.report)
        now = await tx.value("SELECT now()")
        await tx.settle()
    key = request.query_params[KEY]
    return rendered_alone(
        request, "reports/by_link.html", report=report, project=project, bundle=bundle,
        tones=TONES, when=Moments(project.time_zone, now),
        bundle_address=f"{request.url.path}/bundle?{KEY}={key}",
    )  # fmt: skip


@open_page("GET", f"{VERIFIER_PATH}/bundle", query={KEY: KEY_MEANING})
async def bundle_by_link(request: WebRequest) -> Sent:
    """The proof bundle of the report behind a link."""
    entry = await open_link(request, report_entry)
    opened = entry.behind
    async with shares(request).request(entry.account), database(request).read() as tx:
        kept = await kept_bundle(tx, opened.project, opened.report)
    name = request.path_params["report_id"]
    if kept is None:
        raise NotFound("report", name, message="The report has no bundle yet.", code="bundle_missing")
    read = partial(request.app.state.files.get, kept.storage_key, kept.size, kept.sha256)
    file = Attachment(f"{name}.zip", MEDIA_TYPE, kept.size, read)
    return file.reply(request.app.state.downloads, entry.account)


PAGES = [
    *page(REPORTS_PATH, permission="production_accounting:read", of=list_reports, asked=asked_for_reports)(
        reports
    ),
    *make_report,
    *page(REPORT_PATH, permission=_READ, of=get_report)(report),
    *(*take_batches, *submit, *make_bundle, *accept, *reject, *restate, *remove),
    *(*make_link, *revoke_link, *bundle_file, *time_stamp_file, *submission_file),
    *report_by_link,
    *bundle_by_link,
]
