"""One report: what it takes, how far it is from its receiver, and what proves it."""

from collections.abc import Mapping
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.ledgers.routes import get_ledger
from weighbridge.core.identity import ids
from weighbridge.core.report.requirement import Requirement
from weighbridge.core.report.state import RESTATABLE, ReportStatus
from weighbridge.db.engine import Read
from weighbridge.http.attachment import Attachment, AttachmentReply
from weighbridge.platform.tenancy.scope import key_named
from weighbridge.reporting.bundle.keeping import KeptBundle, kept_bundle
from weighbridge.reporting.methodologies.routes import get_methodology
from weighbridge.reporting.report_links.records import LINK_SECONDS_DEFAULT
from weighbridge.reporting.report_links.routes import (
    create_report_link,
    list_report_links,
    revoke_report_link,
)
from weighbridge.reporting.reports.records import Report
from weighbridge.reporting.reports.routes import (
    accept_report,
    create_report,
    delete_report,
    download_report_bundle,
    download_report_time_stamp,
    download_submission,
    get_report,
    get_submission,
    make_report_bundle,
    reject_report,
    submit_report,
    update_report,
)
from weighbridge.reporting.submission.checking import requirements_of
from weighbridge.web.page import form, page
from weighbridge.web.records.plain import own_project
from weighbridge.web.reports.reports import TONES, batches_of_period, choices
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/reports/{report_id}"

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


async def report(visit: Visit) -> View | Moved:
    """A report, whatever its state."""
    return await shown_report(visit)


async def shown_report(visit: Visit, **more: Any) -> View | Moved:
    """The page of a report; with the address of a new link, which is shown this once."""
    found: Report = await visit.ask(get_report)
    if elsewhere := own_project(visit, found):
        return Moved(elsewhere)
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


@form(f"{PATH}/batches", permission=_WRITE, again=report)
async def take_batches(visit: Visit) -> Moved:
    """Have a draft take all that is left of a ledger's batches of a period, instead of what it takes."""
    body = {"report": {"batch_ids": await batches_of_period(visit)}}
    return _back(visit, await visit.do(update_report, body), "The draft takes other batches.")


@form(f"{PATH}/submit", permission=_WRITE, again=report)
async def submit(visit: Visit) -> Moved:
    """Send a draft off, or send off again what failed on its way."""
    await visit.do(submit_report, {})
    return Moved(_own(visit), "The report is on its way.")


@form(f"{PATH}/bundle", permission=_WRITE, again=report)
async def make_bundle(visit: Visit) -> Moved:
    """Have the proof bundle of a draft made."""
    await visit.do(make_report_bundle, {"redact": visit.text("redact") == "yes"})
    return Moved(_own(visit), "The bundle is being made; it stands here when it is.")


@form(f"{PATH}/accept", permission=_WRITE, again=report)
async def accept(visit: Visit) -> Moved:
    """Write down that the receiver accepted it."""
    said = {"reason": visit.text("reason") or None, "reference": visit.text("reference") or None}
    return _back(visit, await visit.do(accept_report, said), "The report is complete.")


@form(f"{PATH}/reject", permission=_WRITE, again=report)
async def reject(visit: Visit) -> Moved:
    """Write down that the receiver rejected it."""
    said = {"reason": visit.text("reason"), "reference": visit.text("reference") or None}
    return _back(visit, await visit.do(reject_report, said), "The report is rejected; what it held is free.")


@form(f"{PATH}/restate", permission=_WRITE, again=report)
async def restate(visit: Visit) -> Moved:
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


@form(f"{PATH}/delete", permission=_WRITE, again=report)
async def remove(visit: Visit) -> Moved:
    """Remove a draft."""
    await visit.do(delete_report)
    return Moved(f"{visit.frame.home}/reports", "The draft is gone.")


@form(f"{PATH}/links", permission=_WRITE, again=report)
async def make_link(visit: Visit) -> View | Moved:
    """Make a link for a verifier; its address is shown this once."""
    days = visit.text("days")
    seconds = int(days) * DAY_SECONDS if days.isdecimal() and len(days) <= len("366") else 0
    made = await visit.do(create_report_link, {"link": {"name": visit.text("name"), "expires_in": seconds}})
    address = str(made.url.path).rpartition("/reports/")[2]
    return await shown_report(visit, issued={"name": made.name, "path": f"/reports/{address}"})


@form(f"{PATH}/links/{{link_id}}/revoke", permission=_WRITE, again=report)
async def revoke_link(visit: Visit) -> Moved:
    """Make a link open nothing any more."""
    await visit.do(revoke_report_link)
    return Moved(_own(visit), "The link opens nothing any more.")


@page(f"{PATH}/bundle.zip", permission=_READ)
async def bundle_file(visit: Visit) -> AttachmentReply:
    """The proof bundle."""
    return _file(visit, await visit.ask(download_report_bundle))


@page(f"{PATH}/bundle.zip.tsr", permission=_READ)
async def time_stamp_file(visit: Visit) -> AttachmentReply:
    """The time stamp over the proof bundle."""
    return _file(visit, await visit.ask(download_report_time_stamp))


@page(f"{PATH}/submission_file", permission=_READ)
async def submission_file(visit: Visit) -> AttachmentReply:
    """The file that is handed on; of a draft, as it would be."""
    return _file(visit, await visit.ask(download_submission))


def _file(visit: Visit, attachment: Attachment) -> AttachmentReply:
    return attachment.reply(visit.request.app.state.downloads, visit.actor.account_id)


def _own(visit: Visit) -> str:
    return f"{visit.frame.home}/reports/{visit.path['report_id']}"


def _back(visit: Visit, changed: Report, said: str) -> Moved:
    return Moved(f"{visit.frame.home}/reports/{changed.id}", said)


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission=_READ, of=get_report)(report),
    *(*take_batches, *submit, *make_bundle, *accept, *reject, *restate, *remove),
    *(*make_link, *revoke_link, *bundle_file, *time_stamp_file, *submission_file),
]
