"""The reports of a project, and a form for a new draft."""

from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.batches.routes import list_ledger_batches
from weighbridge.accounting.ledgers.routes import list_project_ledgers
from weighbridge.core.problem import Problem
from weighbridge.core.report.state import ReportStatus
from weighbridge.errors import Invalid
from weighbridge.reporting.methodologies.routes import list_methodologies
from weighbridge.reporting.reports.records import REPORT_BATCHES_MAX
from weighbridge.reporting.reports.routes import create_report, list_reports
from weighbridge.web.ledgers.rows import LEDGERS_SHOWN
from weighbridge.web.listing import ListQuery, ListView, asked_for
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/reports"

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


@form(PATH, permission="production_accounting:write", again=reports)
async def make_report(visit: Visit) -> Moved:
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
    return Moved(f"/projects/{made.project_id}/reports/{made.id}", f"{made.name} is a draft.")


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


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="production_accounting:read", of=list_reports, asked=asked_for_reports)(reports),
    *make_report,
]
