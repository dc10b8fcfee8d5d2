"""Reports: all of a project, and one on its way to its receiver."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

from weighbridge.accounting.batches import list_ledger_batches
from weighbridge.accounting.ledgers import get_ledger, list_project_ledgers
from weighbridge.accounting.records.batches import Batch
from weighbridge.accounting.uncertainty_runs import start_report_uncertainty_run
from weighbridge.core import identity
from weighbridge.core.engagement.findings import DECISIONS, Assurance, Conclusion, FindingKind
from weighbridge.core.engagement.opinion import NAMESPACE
from weighbridge.core.engagement.sampling import SamplingMethod
from weighbridge.core.problem import Problem
from weighbridge.core.report import RESTATABLE, ReportStatus, ReportTrigger, may
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.platform.tenancy import key_named
from weighbridge.reporting.bundle.storage import kept_bundle, name_bundle
from weighbridge.reporting.engagements import list_engagements
from weighbridge.reporting.methodologies import get_methodology, list_methodologies
from weighbridge.reporting.records.links import LINK_SECONDS_DEFAULT
from weighbridge.reporting.records.registries import Methodology, Registry
from weighbridge.reporting.records.reports import MERGED_REPORTS_MAX, REPORT_BATCHES_MAX, Report
from weighbridge.reporting.registries import get_registry
from weighbridge.reporting.registry_statements import get_registry_statement
from weighbridge.reporting.report_links import (
    create_report_link,
    list_report_links,
    revoke_report_link,
)
from weighbridge.reporting.report_previews import preview_report
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
    merge_reports,
    reject_report,
    split_report,
    submit_report,
    update_report,
    withdraw_report,
)
from weighbridge.reporting.submission.requirements import requirements_of
from weighbridge.web.display.requirements import REQUIREMENT_NAMES
from weighbridge.web.forms.choices import leave_to_make, make_new_records
from weighbridge.web.forms.fields import FormField
from weighbridge.web.forms.pages import MORE, build_form_context
from weighbridge.web.framework.columns import build_tools, find_grouping
from weighbridge.web.framework.listing import ListQuery, ListView, build_query, sort_groups
from weighbridge.web.framework.page import action, download, form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.ledgers import LEDGERS_SHOWN
from weighbridge.web.pages.list_tables import REPORT_COLUMNS, REPORT_GROUPINGS
from weighbridge.web.pages.records import find_own_project_url
from weighbridge.web.pages.saved_views import ask_list, open_default_view, read_views
from weighbridge.web.pages.uncertainty import read_uncertainty_context, start_trials

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


def build_reports_query(visit: Visit) -> ListQuery:
    """The reports of the project that the visit is in, the newest first."""
    project = visit.frame.project
    of_project = (("filter[project_id]", project.id),) if project else ()
    query = build_query((*visit.query, *of_project), sort="-created_at")
    return sort_groups(query, find_grouping(visit.query, REPORT_GROUPINGS), "-created_at")


_REPORT_FIELDS: Final = (FormField("methodology_id", "Methodology", "record", of="methodology"),)


async def reports(visit: Visit) -> View | Redirect:
    """The reports of a project."""
    path = visit.url("reports")
    if not visit.typed and (default := await open_default_view(visit, "reports", path)):
        return default
    listed_reports, remarks = await ask_list(visit, list_reports, build_reports_query(visit))
    tools = build_tools(
        visit.query, REPORT_COLUMNS, REPORT_GROUPINGS, listed_reports.data, visit.moments, remarks
    )
    return view(
        "reports/reports.html", "Reports", call="/reports", has_csv=True,
        reports=listed_reports.data, tones=TONES, tools=tools,
        views=await read_views(visit, "reports", path),
        list=ListView(path, visit.query, listed_reports.info, tools.group_sort),
        statuses=tuple(ReportStatus), **await choices(visit),
        **await build_form_context(visit, _REPORT_FIELDS, {}, "report"), action=path, is_new=True,
    )  # fmt: skip


async def choices(visit: Visit) -> dict[str, Any]:
    """What the forms of a draft offer: ledgers and methodologies."""
    ledgers = await visit.ask(list_project_ledgers, (("page_size", LEDGERS_SHOWN), ("sort", "name")))
    methodologies = await visit.ask(list_methodologies, (("page_size", METHODOLOGIES_OFFERED),))
    return {"ledgers": ledgers.data, "methodologies": methodologies.data}


@form(REPORTS_PATH, permission="production_accounting:write", error_page=reports)
async def make_report(visit: Visit) -> Any:
    """Make a draft of the batches of a ledger's period; without a ledger, of none yet."""
    if visit.text(MORE):
        return await reports(visit)
    if leaving := leave_to_make(visit, _REPORT_FIELDS):
        return leaving
    visit = await make_new_records(visit, _REPORT_FIELDS)
    project = visit.frame.project
    new: dict[str, Any] = {
        "name": visit.text("name"),
        "report_type": visit.text("report_type"),
        "project_id": project.id if project else None,
    }
    if methodology := visit.text("methodology_id"):
        new["methodology_id"] = int(methodology) if methodology.isdecimal() else -1
    if visit.text("ledger_id"):
        batches = await read_batches_of_period(visit)
        new["batch_ids"] = name_batches(batches, list_empty(batches))
    created_report = await visit.do(create_report, {"report": new})
    return Redirect(
        f"/projects/{created_report.project_id}/reports/{created_report.id}",
        f"Draft {created_report.name} created.",
    )


async def read_batches_of_period(visit: Visit, ledger_id: str | None = None) -> list[Batch]:
    """Return the batches of a ledger, or of the selected one, in the selected period, the oldest first."""
    start, end = visit.moments.typed(visit.text("from")), visit.moments.typed(visit.text("until"))
    bounds = (("start_time][geq", start), ("end_time][leq", end))
    query = tuple((f"filter[{name}]", moment.text) for name, moment in bounds if moment is not None)
    cursor: str | None = ""
    batches: list[Batch] = []
    while cursor is not None and sum(batch.ledger_balance > 0 for batch in batches) <= REPORT_BATCHES_MAX:
        position = (("cursor", cursor),) if cursor else (("sort", "start_time"),)
        listed_batches = await visit.ask(
            list_ledger_batches,
            (*query, ("page_size", _PAGE), *position),
            ledger_id=ledger_id or visit.text("ledger_id"),
        )
        batches += listed_batches.data
        cursor = listed_batches.info.next_cursor
    return batches


def name_batches(batches: Iterable[Batch], excluded_ids: AbstractSet[str]) -> list[str]:
    """Return the IDs of batches except some; Invalid if no batch remains."""
    if batch_ids := [batch.id for batch in batches if batch.id not in excluded_ids]:
        return batch_ids
    message = "The ledger must have a batch with a balance above zero in the period. Select another period."
    raise Invalid([Problem(message, "report.batch_ids", "no_batches")])


def list_empty(batches: Iterable[Batch]) -> set[str]:
    """Return the IDs of the batches without a balance."""
    return {batch.id for batch in batches if batch.ledger_balance <= 0}


# What a report would be sent as, by the mapping of its methodology or of another one.


async def preview(visit: Visit) -> View | Redirect:
    """The file of a report with its flaws, and what of it is rounded."""
    report_record: Report = await visit.ask(get_report)
    if elsewhere := find_own_project_url(visit, report_record):
        return Redirect(f"{elsewhere}/preview")
    chosen = visit.asked("methodology_id") or str(report_record.methodology_id or "")
    asked = {"methodology_id": int(chosen)} if chosen.isdecimal() and len(chosen) <= _DIGITS_MAX else {}
    listed = await visit.ask(list_methodologies, (("page_size", METHODOLOGIES_OFFERED),))
    home = f"{visit.frame.home}/reports"
    return view(
        "reports/preview.html",
        f"Preview of {report_record.name}",
        call=f"/reports/{report_record.id}/submission/preview",
        crumbs=(("Reports", home), (report_record.name, f"{home}/{report_record.id}")),
        report=report_record,
        path=f"{home}/{report_record.id}/preview",
        chosen=chosen,
        methodologies=listed.data,
        found=await visit.do(preview_report, asked),
    )


_DIGITS_MAX: Final = 9
"""Digits of the number of a methodology that are read."""


# One report: its batches, its submission and its proof bundle.


CHOICES: Final[dict[str, Any]] = {
    "assurances": tuple(Assurance),
    "methods": tuple(SamplingMethod),
    "kinds": tuple(FindingKind),
    "decisions": DECISIONS,
    "conclusions": tuple(Conclusion),
    "namespace": NAMESPACE,
    "engagement_tones": {
        "open": "waits", "answered": "waits", "resolved": "good", "withdrawn": "quiet", "concluded": "good",
    },
}  # fmt: skip
"""What forms of engagements offer, and the tones of their states."""

REPORT_PATH: Final = "/projects/{project_id}/reports/{report_id}"

LINKS_SHOWN: Final = "100"
"""Links on the page of a report."""

DAY_SECONDS: Final = 86_400

DAYS_DEFAULT: Final = LINK_SECONDS_DEFAULT // DAY_SECONDS

_READ: Final = "production_accounting:read"
_WRITE: Final = "production_accounting:write"


async def report(visit: Visit) -> View | Redirect:
    """Show a report."""
    return await show_report(visit)


async def show_report(visit: Visit, **more_context: Any) -> View | Redirect:
    """The page of a report; with the address of a new link, which is shown this once."""
    report_record: Report = await visit.ask(get_report)
    if elsewhere := find_own_project_url(visit, report_record):
        return Redirect(elsewhere)
    is_draft = report_record.status == ReportStatus.DRAFT
    ledger = (
        await visit.ask(get_ledger, ledger_id=report_record.ledger_id) if report_record.ledger_id else None
    )
    methodology = (
        await visit.ask(get_methodology, methodology_id=str(report_record.methodology_id))
        if report_record.methodology_id is not None
        else None
    )
    links = await visit.ask(list_report_links, (("page_size", LINKS_SHOWN), ("sort", "-id")))
    key = key_named("report", report_record.id)
    context: dict[str, Any] = {
        "issued": None,
        **await read_bundle_context(visit.reading, key),
        **await read_uncertainty_context(visit, report_record),
        **more_context,
    }
    return view(
        "reports/report.html",
        report_record.name,
        call=f"/reports/{report_record.id}",
        crumbs=(("Reports", visit.url("reports")),),
        report=report_record,
        tones=TONES,
        ledger=ledger,
        methodology=methodology,
        registry=await _read_registry(visit, methodology),
        links=links.data,
        path=f"{visit.frame.home}/reports/{report_record.id}",
        days=DAYS_DEFAULT,
        requirement_names=REQUIREMENT_NAMES,
        engagements=(await visit.ask(list_engagements)).data,
        engagement_tones=CHOICES["engagement_tones"],
        requirements=await requirements_of(visit.reading, key) if is_draft else [],
        submission=None if is_draft else await visit.ask(get_submission),
        statement=None if is_draft else await visit.ask(get_registry_statement),
        is_withdrawable=may(ReportStatus(report_record.status), ReportTrigger.WITHDRAW),
        is_restatable=report_record.status in RESTATABLE
        and report_record.superseded_by is None
        and not report_record.successors,
        is_divisible=report_record.status == ReportStatus.COMPLETE and report_record.liability is None,
        mergeable=await _list_mergeable(visit, report_record),
        choices=await choices(visit) if is_draft and visit.may(_WRITE) else None,
        **context,
    )


async def _read_registry(visit: Visit, methodology: Methodology | None) -> Registry | None:
    """The registry that reports of a methodology go to; None where people hand them on."""
    if methodology is None or methodology.registry_id is None:
        return None
    registry: Registry = await visit.ask(get_registry, registry_id=str(methodology.registry_id))
    return registry


async def _list_mergeable(visit: Visit, report_record: Report) -> list[Report]:
    """The other accepted reports that can become one with an accepted report; the newest come first."""
    if report_record.status != ReportStatus.COMPLETE or not visit.may(_WRITE):
        return []
    query = (
        ("filter[ledger_id]", str(report_record.ledger_id)),
        ("filter[status]", ReportStatus.COMPLETE),
        ("sort", "-id"),
        ("page_size", str(MERGED_REPORTS_MAX)),
    )
    return [
        one
        for one in (await visit.ask(list_reports, query)).data
        if one.id != report_record.id
        and one.liability is None
        and one.methodology_id == report_record.methodology_id
    ]


async def read_bundle_context(tx: Read, key: identity.Key) -> dict[str, Any]:
    """Return the stored bundle of a report, None without one, and what its file is called."""
    bundle = await kept_bundle(tx, key.project, key.key)
    return {
        "bundle": bundle,
        "bundle_name": await name_bundle(tx, key.project, key.key) if bundle else "",
    }


@form(f"{REPORT_PATH}/batches", permission=_WRITE, error_page=report)
async def replace_batches(visit: Visit) -> Redirect:
    """Replace the batches of a draft with those of a period, each with its entire balance.

    What the restated report reserves is available to its restatement, so a restatement also includes
    batches without a balance, except those of which nothing is available.
    """
    report_record: Report = await visit.ask(get_report)
    ledgers = await _read_roles(visit, report_record)
    chosen = {one["ledger_id"] for one in ledgers} - {""} or {visit.text("ledger_id")}
    batches = [batch for ledger in sorted(chosen) for batch in await read_batches_of_period(visit, ledger)]
    empty = list_empty(batches)
    try:
        changed_report = await _update_batches(
            visit, name_batches(batches, set() if report_record.supersedes else empty), ledgers
        )
    except Invalid as refusal:
        unavailable = empty & {record for problem in refusal.problems for record in problem.records}
        if not unavailable:
            raise
        changed_report = await _update_batches(visit, name_batches(batches, unavailable), ledgers)
    return _redirect_to_report(visit, changed_report, "Batches of the draft replaced.")


async def _read_roles(visit: Visit, report_record: Report) -> list[dict[str, str]]:
    """Return the ledgers that are selected for the roles of the report's methodology; none without roles."""
    if report_record.methodology_id is None:
        return []
    methodology: Methodology = await visit.ask(
        get_methodology, methodology_id=str(report_record.methodology_id)
    )
    return [
        {"role": one.role, "ledger_id": visit.text(f"ledger-{place}")}
        for place, one in enumerate(methodology.ledgers)
    ]


async def _update_batches(
    visit: Visit, batch_ids: Sequence[str], ledgers: Sequence[dict[str, str]]
) -> Report:
    change: dict[str, Any] = {"batch_ids": batch_ids} | ({"ledgers": ledgers} if ledgers else {})
    changed_report: Report = await visit.do(update_report, {"report": change})
    return changed_report


@form(f"{REPORT_PATH}/liability", permission=_WRITE, error_page=report)
async def set_liability(visit: Visit) -> Redirect:
    """Let a draft that restates what was accepted owe something, and include no batch if asked to."""
    change: dict[str, Any] = {
        "liability": visit.text("liability") or None,
        "liability_reason": visit.text("liability_reason") or None,
    }
    if visit.text("is_empty") == "yes":
        change["batches"] = []
    return _redirect_to_report(visit, await visit.do(update_report, {"report": change}), "Draft changed.")


@form(f"{REPORT_PATH}/bundle", permission=_WRITE, error_page=report)
async def make_bundle(visit: Visit) -> Redirect:
    """Have the proof bundle of a draft made."""
    await visit.do(make_report_bundle, {"redact": visit.text("redact") == "yes"})
    return Redirect(
        visit.url("reports/{report_id}"), "Bundle requested. It appears here when it is complete."
    )


@form(f"{REPORT_PATH}/uncertainty_runs", permission=_WRITE, error_page=report)
async def run_report_trials(visit: Visit) -> Redirect:
    """Start trials of a report with as many as the form says."""
    return await start_trials(visit, start_report_uncertainty_run, page="reports/{report_id}")


@form(f"{REPORT_PATH}/accept", permission=_WRITE, error_page=report)
async def accept(visit: Visit) -> Redirect:
    """Write down that the receiver accepted it, or a part of it."""
    decision: dict[str, Any] = {
        "reason": visit.text("reason") or None,
        "reference": visit.text("reference") or None,
    }
    if amount := visit.text("amount"):
        decision["amount"] = amount
    return _redirect_to_report(
        visit, await visit.do(accept_report, decision), "Acceptance recorded. The report is complete."
    )


@form(f"{REPORT_PATH}/reject", permission=_WRITE, error_page=report)
async def reject(visit: Visit) -> Redirect:
    """Write down that the receiver rejected it."""
    decision = {"reason": visit.text("reason"), "reference": visit.text("reference") or None}
    return _redirect_to_report(
        visit,
        await visit.do(reject_report, decision),
        "Rejection recorded. The reservation is released.",
    )


@form(f"{REPORT_PATH}/withdraw", permission=_WRITE, error_page=report)
async def withdraw(visit: Visit) -> Redirect:
    """Take its claim back."""
    decision = {"reason": visit.text("reason"), "reference": visit.text("reference") or None}
    return _redirect_to_report(
        visit,
        await visit.do(withdraw_report, decision),
        "Report withdrawn. Everything that it held is available again.",
    )


@form(f"{REPORT_PATH}/merge", permission=_WRITE, error_page=report)
async def merge(visit: Visit) -> Redirect:
    """Let one report take its place and that of others that were accepted."""
    merging = {
        "report_ids": list(visit.texts("report_ids")),
        "name": visit.text("merged_name"),
        "reason": visit.text("merge_reason"),
        "reference": visit.text("merge_reference") or None,
    }
    merged = await visit.do(merge_reports, merging)
    return _redirect_to_report(visit, merged, "Reports merged. This one holds all that they held.")


@form(f"{REPORT_PATH}/split", permission=_WRITE, error_page=report)
async def split(visit: Visit) -> Redirect:
    """Let two reports take its place: one of an amount, and one of the rest."""
    parts = [
        {"name": visit.text("first_name"), "amount": visit.text("first_amount")},
        {"name": visit.text("second_name")},
    ]
    splitting = {
        "parts": parts,
        "reason": visit.text("split_reason"),
        "reference": visit.text("split_reference") or None,
    }
    await visit.do(split_report, splitting)
    return Redirect(visit.url("reports/{report_id}"), "Report split. Its parts hold all that it held.")


@form(f"{REPORT_PATH}/restate", permission=_WRITE, error_page=report)
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
    return _redirect_to_report(
        visit, await visit.do(create_report, {"report": new}), "Draft of the restatement created."
    )


@form(f"{REPORT_PATH}/links", permission=_WRITE, error_page=report)
async def make_link(visit: Visit) -> View | Redirect:
    """Make a link for a verifier; its address is shown this once."""
    days = visit.text("days")
    seconds = int(days) * DAY_SECONDS if days.isdecimal() and len(days) <= len("366") else 0
    created_link = await visit.do(
        create_report_link,
        {
            "link": {
                "name": visit.text("name"),
                "expires_in": seconds,
                "is_of_verifier": visit.text("is_of_verifier") == "yes",
            }
        },
    )
    address = str(created_link.url.path).rpartition("/reports/")[2]
    return await show_report(visit, issued={"name": created_link.name, "path": f"/reports/{address}"})


def _redirect_to_report(visit: Visit, changed_report: Report, notice: str) -> Redirect:
    return Redirect(f"{visit.frame.home}/reports/{changed_report.id}", notice)


PAGES = [
    *page(
        REPORTS_PATH, permission="production_accounting:read", of=list_reports, query_of=build_reports_query
    )(reports),
    *make_report,
    *page(REPORT_PATH, permission=_READ, of=get_report)(report),
    *page(f"{REPORT_PATH}/preview", permission=_READ, computes=True)(preview),
    *(
        *replace_batches,
        *set_liability,
        *make_bundle,
        *run_report_trials,
        *accept,
        *reject,
        *withdraw,
        *merge,
        *split,
        *restate,
        *make_link,
    ),
    *action(
        f"{REPORT_PATH}/submit",
        submit_report,
        permission=_WRITE,
        error_page=report,
        back="reports/{report_id}",
        notice="Report submitted.",
    ),
    *action(
        f"{REPORT_PATH}/delete",
        delete_report,
        permission=_WRITE,
        error_page=report,
        back="reports",
        notice="Draft deleted.",
    ),
    *action(
        f"{REPORT_PATH}/links/{{link_id}}/revoke",
        revoke_report_link,
        permission=_WRITE,
        error_page=report,
        back="reports/{report_id}",
        notice="Link revoked.",
    ),
    *download(f"{REPORT_PATH}/bundle.zip", download_report_bundle, permission=_READ),
    *download(f"{REPORT_PATH}/bundle.zip.tsr", download_report_time_stamp, permission=_READ),
    *download(f"{REPORT_PATH}/submission_file", download_submission, permission=_READ),
]
