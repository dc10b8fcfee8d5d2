"""All projects, and a project at a glance: its ledgers, the flow of its data, and what needs a person."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from litestar.handlers import HTTPRouteHandler
from markupsafe import Markup

from weighbridge.accounting.ledgers import list_deficits, list_required_inputs
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.projects import create_project, get_project, list_projects
from weighbridge.core.time.calendar import EVENT, MILLISECOND, Instant, find_slot
from weighbridge.errors import Forbidden
from weighbridge.platform.async_tasks import list_async_tasks
from weighbridge.quality.rule_results import list_project_rule_results
from weighbridge.web.display.figures import format_month, to_instant
from weighbridge.web.display.graph import Box, GraphEdge, graph
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.ledgers import LedgerYear, YearOfLedger, ledger_year

# What needs a person, oldest first: proposals, alerts, stale batches, events not counted yet, deficits.


EACH_SHOWN: Final = "10"
"""Records of each kind in the list."""

SHORT_LEDGERS_MAX: Final = 10
"""Ledgers with a deficit whose moments are looked up."""


@dataclass(frozen=True, slots=True)
class OpenItem:
    """One thing that waits: what it is, since when, and where it is settled."""

    kind: str
    tone: str
    what: str
    why: str
    since: Instant
    address: str
    button: str
    amount: Decimal | None = None
    unit: str = ""


async def list_open_items(visit: Visit, year: LedgerYear | None) -> list[OpenItem]:
    """What waits in the project that the visit is in, as far as the person may see it."""
    found: list[OpenItem] = []
    if visit.may("data_rules:read"):
        pending = await _results(visit, ("filter[approval_state]", "pending"))
        found += [_proposal(visit, one) for one in pending]
        alerts = await _results(visit, ("filter[status]", "fail"))
        found += [_alert(visit, one) for one in alerts if one.approval_state != "pending"]
    if year is not None:
        found += [_stale(visit, one) for one in year.stale]
        found += [_not_counted(visit, one) for one in year.not_counted]
        for row in [row for row in year.rows if row.ledger.deficit][:SHORT_LEDGERS_MAX]:
            deficits = await visit.ask(list_deficits, ledger_id=row.ledger.id)
            found += [_deficit(visit, row.ledger, one) for one in deficits.data if one.settled_at is None]
    return sorted(found, key=lambda one: one.since)


async def _results(visit: Visit, chosen: tuple[str, str]) -> Sequence[Any]:
    query = (chosen, ("page_size", EACH_SHOWN), ("sort", "created_at"))
    try:
        listed = await visit.ask(list_project_rule_results, query)
    except Forbidden:
        return ()
    results: Sequence[Any] = listed.data
    return results


def _proposal(visit: Visit, one: Any) -> OpenItem:
    change = one.proposed_correction
    why = "for an interval without data" if change is None else ""
    if change is not None:
        before = change.get("from_value")
        why = f"{'no value' if before is None else before} → {change['to_value']}"
    return OpenItem(
        "proposal", "waits", one.rule_name, why,
        to_instant(one.created_at), f"{visit.frame.home}/rule_results/{one.id}", "Review proposal",
    )  # fmt: skip


def _alert(visit: Visit, one: Any) -> OpenItem:
    return OpenItem(
        "alert", "short", one.rule_name, one.message or "",
        to_instant(one.created_at), f"{visit.frame.home}/rule_results/{one.id}", "Review alert",
    )  # fmt: skip


def _stale(visit: Visit, one: Any) -> OpenItem:
    reasons = ", ".join(sorted({reason.reason.replace("_", " ") for reason in one.stale_reasons}))
    return OpenItem(
        "out of date", "waits", one.tracking_id, reasons,
        to_instant(one.created_at), f"{visit.frame.home}/batches/{one.id}", "Review batch",
    )  # fmt: skip


def _not_counted(visit: Visit, ledger: Any) -> OpenItem:
    waiting = ledger.not_counted_yet
    count = f"more than {waiting.event_count}" if waiting.is_more else str(waiting.event_count)
    form = f"{visit.frame.home}/ledgers/{ledger.id}/generations"
    return OpenItem(
        "not counted yet", "waits", ledger.name, f"{count} events since the last generation",
        to_instant(waiting.start_time), f"{form}?{_slots_of(visit, ledger)}", "Generate batches",
    )  # fmt: skip


def _slots_of(visit: Visit, ledger: Any) -> str:
    """The period of the slots in which events wait, as the form of a generation takes it."""
    waiting, field = ledger.not_counted_yet, visit.moments.field
    start, end = to_instant(waiting.start_time), to_instant(waiting.end_time)
    if ledger.cadence == EVENT:
        return urlencode({"from": field(start), "until": field(Instant.of(end + timedelta(minutes=1)))})
    zone = ZoneInfo(visit.frame.zone)
    first = find_slot(ledger.cadence, start, zone)
    last = find_slot(ledger.cadence, max(start, end - MILLISECOND), zone)
    return urlencode({"from": field(first.start), "until": field(last.end)})


def _deficit(visit: Visit, ledger: Any, one: Any) -> OpenItem:
    return OpenItem(
        "deficit", "short", ledger.name, one.partition or "",
        to_instant(one.end_time), f"{visit.frame.home}/ledgers/{ledger.id}", "Review ledger",
        amount=-one.amount, unit=ledger.unit,
    )  # fmt: skip


# How data flow through a project as one picture: event types, the ledgers' models, ledgers.


LEDGERS_DRAWN_MAX: Final = 12
"""Ledgers that the picture shows."""


async def dataflow(visit: Visit, rows: Sequence[YearOfLedger]) -> Markup | None:
    """The picture; None where no ledger runs a model yet."""
    home = visit.frame.home
    drawn = [row.ledger for row in rows if row.ledger.latest_model is not None][:LEDGERS_DRAWN_MAX]
    boxes: dict[str, Box] = {}
    edges: dict[GraphEdge, None] = {}
    for ledger in drawn:
        model = ledger.latest_model
        if model is None:
            continue
        boxes[model.id] = Box(model.id, model.name, "model", "", f"{home}/models/{model.id}")
        boxes[ledger.id] = Box(ledger.id, ledger.name, ledger.unit, "chosen", f"{home}/ledgers/{ledger.id}")
        edges[GraphEdge(model.id, ledger.id)] = None
        needed = await visit.ask(list_required_inputs, ledger_id=ledger.id)
        for one in needed.data:
            if one.category == "event":
                key = f"events {one.subcategory}"
                address = f"{home}/events?filter[slug]={one.subcategory}"
                boxes.setdefault(key, Box(key, one.subcategory.replace("-", " "), "events", "", address))
                edges[GraphEdge(key, model.id)] = None
            for source in one.output_of_ledgers:
                address = f"{home}/ledgers/{source.id}"
                boxes.setdefault(source.id, Box(source.id, source.name, source.unit, "chosen", address))
                edges[GraphEdge(source.id, model.id)] = None
    if not boxes:
        return None
    return graph([*boxes.values()], [*edges], says="Data flow from event types through models to ledgers")


# All projects, and the overview of one.


TYPES_SHOWN: Final = "50"
"""Event types that are read to see whether there are any."""

TASKS_SHOWN: Final = "5"
"""The newest tasks of the project that are shown."""

SENTENCE_LEDGERS_MAX: Final = 2
"""Ledgers that the sentence of how things are names."""


@page("/")
async def front(visit: Visit) -> Redirect | View:
    """The only project of the account, or all of them."""
    if len(visit.frame.projects) == 1:
        return Redirect(f"/projects/{visit.frame.projects[0].id}")
    return Redirect("/projects")


async def projects(visit: Visit) -> View:
    """The projects of the account."""
    found = await visit.ask(list_projects, (("page_size", "100"), ("sort", "name")))
    return view("overview/projects.html", "Projects", call="/projects", has_csv=True, page=found)


@form("/projects", permission="administration:write", again=projects)
async def make_project(visit: Visit) -> Redirect:
    """Make a project, and open it."""
    named = {"name": visit.text("name"), "time_zone": visit.text("time_zone", "UTC") or "UTC"}
    made = await visit.do(create_project, {"project": named})
    return Redirect(f"/projects/{made.id}", f"Project {made.name} created.")


@page("/projects/{project_id}", of=get_project)
async def overview(visit: Visit) -> View:
    """A project at a glance."""
    project = await visit.ask(get_project)
    year = types = None
    if visit.may("production_accounting:read"):
        year = await ledger_year(visit)
    if visit.may("data_collection:read"):
        types = await visit.ask(list_event_types, (("page_size", TYPES_SHOWN), ("sort", "name")))
    of_project = ("filter[project_id]", project.id)
    tasks = await visit.ask(list_async_tasks, (of_project, ("page_size", TASKS_SHOWN), ("sort", "-id")))
    flow = await dataflow(visit, year.rows) if year is not None else None
    return view(
        "overview/project.html", project.name, call=f"/projects/{project.id}",
        project=project, year=year, types=types, tasks=tasks.data, flow=flow,
        waiting=await list_open_items(visit, year),
        month=format_month(year.edges[-2], visit.frame.zone) if year is not None else "",
        final=_final(year.rows) if year is not None else [],
    )  # fmt: skip


def _final(rows: Sequence[YearOfLedger]) -> list[YearOfLedger]:
    """Return the ledgers of the first sentence: with production that no other ledger withdraws."""
    made = [row for row in rows if row.newest]
    last = [row for row in made if not row.periods[-1].drawn] or made
    return last[:SENTENCE_LEDGERS_MAX]


PAGES: Final[list[HTTPRouteHandler]] = [
    *front,
    *page("/projects", of=list_projects)(projects),
    *make_project,
    *overview,
]
