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
from weighbridge.accounting.records.ledgers import Ledger, SourceLedger
from weighbridge.collection.event_types import list_event_types
from weighbridge.collection.projects import create_project, get_project, list_projects, update_project
from weighbridge.collection.records.projects import PROJECT_BODIES
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import EVENT, MILLISECOND, Instant, find_slot, time_zone_names
from weighbridge.errors import Forbidden, Invalid
from weighbridge.packages.methodology_packages import create_methodology_package
from weighbridge.packages.package_installations import create_package_installation
from weighbridge.platform.async_tasks import list_async_tasks
from weighbridge.quality.rule_results import list_project_rule_results
from weighbridge.web.display.figures import format_month, to_instant, unit_text
from weighbridge.web.display.graph import Box, GraphEdge, graph
from weighbridge.web.forms.fields import FieldDeclaration, FormBody, fields_of, texts_of
from weighbridge.web.forms.pages import form_view, typed_texts
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.expiring import ExpiringCalibration, list_expiring
from weighbridge.web.pages.ledgers import LedgerYear, YearOfLedger, ledger_year
from weighbridge.web.pages.packages.catalogue import OF_ACCOUNT, OF_LIBRARY, list_offered

# What needs a person, oldest first: proposals, alerts, stale batches, events not counted yet, deficits,
# calibrations.


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
    places: int | None = None
    """To how many decimals the amount is rounded; None for six significant digits."""


async def list_open_items(visit: Visit, year: LedgerYear | None) -> list[OpenItem]:
    """What waits in the project that the visit is in, as far as the person may see it."""
    open_items: list[OpenItem] = []
    if visit.may("data_rules:read"):
        pending_proposals = await _results(visit, ("filter[approval_state]", "pending"))
        open_items += [_proposal(visit, item) for item in pending_proposals]
        alerts = await _results(visit, ("filter[status]", "fail"), ("filter[severity]", "fail"))
        open_items += [_alert(visit, alert) for alert in alerts if alert.approval_state != "pending"]
    if year is not None:
        open_items += [_stale(visit, item) for item in year.stale]
        open_items += [_not_counted(visit, item) for item in year.not_counted]
        for row in [row for row in year.rows if row.ledger.deficit][:SHORT_LEDGERS_MAX]:
            deficits = await visit.ask(list_deficits, ledger_id=row.ledger.id)
            open_items += [
                _deficit(visit, row.ledger, item) for item in deficits.data if item.settled_at is None
            ]
    if visit.may("data_collection:read"):
        open_items += [_calibration(visit, item) for item in await list_expiring(visit)]
    return sorted(open_items, key=lambda item: item.since)


async def _results(visit: Visit, *filters: tuple[str, str]) -> Sequence[Any]:
    query = (*filters, ("page_size", EACH_SHOWN), ("sort", "created_at"))
    try:
        listed_results = await visit.ask(list_project_rule_results, query)
    except Forbidden:
        return ()
    results: Sequence[Any] = listed_results.data
    return results


def _proposal(visit: Visit, proposal: Any) -> OpenItem:
    change = proposal.proposed_correction
    why = "for an interval without data" if change is None else ""
    if change is not None:
        before = change.get("from_value")
        why = f"{'no value' if before is None else before} → {change['to_value']}"
    return OpenItem(
        "proposal", "waits", proposal.rule_name, why,
        to_instant(proposal.created_at), f"{visit.frame.home}/rule_results/{proposal.id}", "Review proposal",
    )  # fmt: skip


def _alert(visit: Visit, alert: Any) -> OpenItem:
    return OpenItem(
        "alert", "short", alert.rule_name, alert.message or "",
        to_instant(alert.created_at), f"{visit.frame.home}/rule_results/{alert.id}", "Review alert",
    )  # fmt: skip


def _calibration(visit: Visit, expiring: ExpiringCalibration) -> OpenItem:
    calibration = expiring.calibration
    measured = calibration.data_point_type
    why = f"readings of {measured} arrive without one" if expiring.is_expired else f"{measured}, still holds"
    return OpenItem(
        "expired calibration" if expiring.is_expired else "calibration ends",
        "short" if expiring.is_expired else "waits",
        calibration.name,
        why,
        expiring.until,
        f"{visit.frame.home}/calibrations/{calibration.id}",
        "Review calibration",
    )


def _stale(visit: Visit, stale_batches: Any) -> OpenItem:
    reasons = ", ".join(sorted({reason.reason.replace("_", " ") for reason in stale_batches.stale_reasons}))
    return OpenItem(
        "out of date",
        "waits",
        stale_batches.tracking_id,
        reasons,
        to_instant(stale_batches.created_at),
        f"{visit.frame.home}/batches/{stale_batches.id}",
        "Review batch",
    )


def _not_counted(visit: Visit, ledger: Any) -> OpenItem:
    not_counted = ledger.not_counted_yet
    count = f"more than {not_counted.event_count}" if not_counted.is_more else str(not_counted.event_count)
    form = f"{visit.frame.home}/ledgers/{ledger.id}/generations"
    return OpenItem(
        "not counted yet", "waits", ledger.name, f"{count} events since the last generation",
        to_instant(not_counted.start_time), f"{form}?{_slots_of(visit, ledger)}", "Generate batches",
    )  # fmt: skip


def _slots_of(visit: Visit, ledger: Any) -> str:
    """The period of the slots in which events wait, as the form of a generation takes it."""
    not_counted, field = ledger.not_counted_yet, visit.moments.field
    start, end = to_instant(not_counted.start_time), to_instant(not_counted.end_time)
    if ledger.cadence == EVENT:
        return urlencode({"from": field(start), "until": field(Instant.of(end + timedelta(minutes=1)))})
    zone = ZoneInfo(visit.frame.zone)
    first = find_slot(ledger.cadence, start, zone)
    last = find_slot(ledger.cadence, max(start, end - MILLISECOND), zone)
    return urlencode({"from": field(first.start), "until": field(last.end)})


def _deficit(visit: Visit, ledger: Any, deficit: Any) -> OpenItem:
    return OpenItem(
        "deficit", "short", ledger.name, deficit.partition or "",
        to_instant(deficit.end_time), f"{visit.frame.home}/ledgers/{ledger.id}", "Review ledger",
        amount=-deficit.amount, unit=ledger.unit, places=ledger.display_places,
    )  # fmt: skip


# How data flow through a project as one picture: event types, the ledgers' models, ledgers.


LEDGERS_DRAWN_MAX: Final = 12
"""Ledgers that the picture shows."""


async def dataflow(visit: Visit, rows: Sequence[YearOfLedger]) -> Markup | None:
    """The picture; None where no ledger runs a model yet."""
    home = visit.frame.home
    drawn_ledgers = [row.ledger for row in rows if row.ledger.latest_model is not None][:LEDGERS_DRAWN_MAX]
    boxes: dict[str, Box] = {}
    edges: dict[GraphEdge, None] = {}
    for ledger in drawn_ledgers:
        model = ledger.latest_model
        if model is None:
            continue
        boxes[model.id] = Box(model.id, model.name, "model", "", f"{home}/models/{model.id}")
        boxes[ledger.id] = _ledger_box(home, ledger)
        edges[GraphEdge(model.id, ledger.id)] = None
        required_inputs = await visit.ask(list_required_inputs, ledger_id=ledger.id)
        for required_input in required_inputs.data:
            if required_input.category == "event":
                key = f"events {required_input.subcategory}"
                address = f"{home}/events?filter[slug]={required_input.subcategory}"
                boxes.setdefault(
                    key, Box(key, required_input.subcategory.replace("-", " "), "events", "", address)
                )
                edges[GraphEdge(key, model.id)] = None
            for source in required_input.output_of_ledgers:
                boxes.setdefault(source.id, _ledger_box(home, source))
                edges[GraphEdge(source.id, model.id)] = None
    if not boxes:
        return None
    return graph([*boxes.values()], [*edges], alt_text="Data flow from event types through models to ledgers")


def _ledger_box(home: str, ledger: Ledger | SourceLedger) -> Box:
    return Box(ledger.id, ledger.name, unit_text(ledger.unit), "chosen", f"{home}/ledgers/{ledger.id}")


# All projects, and the overview of one.


TYPES_SHOWN: Final = "50"
"""Event types that are read to see whether there are any."""

TASKS_SHOWN: Final = "5"
"""The newest tasks of the project that are shown."""

_PACKAGE_WRITES: Final = ("data_collection:write", "production_accounting:write")
"""What somebody may do who begins a project with a package."""

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
    listed_projects = await visit.ask(list_projects, (("page_size", "100"), ("sort", "name")))
    may_install = all(visit.may(permission) for permission in _PACKAGE_WRITES)
    return view(
        "overview/projects.html", "Projects", call="/projects", has_csv=True, page=listed_projects,
        packages=await list_offered(visit) if may_install else [],
        zones=sorted(time_zone_names()),
    )  # fmt: skip


@form("/projects", permission="administration:write", error_page=projects, computes=True)
async def make_project(visit: Visit) -> Redirect:
    """Make a project, with all that a package has where one was chosen, and open it."""
    chosen = _read_choice(visit.text("package"))
    body = {"name": visit.text("name"), "time_zone": visit.text("time_zone", "UTC") or "UTC"}
    created_project = await visit.do(create_project, {"project": body})
    if chosen is not None:
        await _install_package(visit, created_project.id, *chosen)
    return Redirect(f"/projects/{created_project.id}", f"Project {created_project.name} created.")


def _read_choice(choice: str) -> tuple[str, str] | None:
    """How a package was chosen, and its number or name; None where the project begins empty."""
    kind, separator, named = choice.partition(":")
    if not choice:
        return None
    if not separator or kind not in {OF_ACCOUNT, OF_LIBRARY}:
        message = (
            f"package must be empty, or {OF_LIBRARY}: and the name of a package that ships with the service,"
            f" or {OF_ACCOUNT}: and the number of one of the account, but is {shorten(choice)!r}."
        )
        raise Invalid([Problem(message, "package", "invalid")])
    return kind, named


async def _install_package(visit: Visit, project: str, kind: str, named: str) -> None:
    """Install a package of the account, by its number, or one of the library, by its name."""
    number: object = named
    if kind == OF_LIBRARY:
        taken = {"methodology_package": {"name": named}}
        number = (await visit.do(create_methodology_package, taken)).id
    body = {"package_installation": {"package_id": int(str(number)) if str(number).isdecimal() else 0}}
    await visit.do(create_package_installation, body, project_id=project)


PROJECT_FIELDS: Final = (
    *fields_of(
        PROJECT_BODIES.new,
        (
            FieldDeclaration("name", "Name"),
            FieldDeclaration("description", "Description", "", kind="text"),
            FieldDeclaration("time_zone", "Time zone", "where days and months begin; fixed by batches"),
        ),
    ),
    *fields_of(
        PROJECT_BODIES.change,
        (FieldDeclaration("status", "State", "archived is a label; it keeps nobody from writing"),),
    ),
)


async def edit_project(visit: Visit) -> View:
    """A project that is to be changed."""
    project = await visit.ask(get_project)
    path = f"/projects/{project.id}"
    return await form_view(
        visit, PROJECT_FIELDS, texts_of(PROJECT_FIELDS, project, visit.moments), "project", "Edit project",
        template="overview/project_form.html", call=path, method="PATCH", crumbs=((project.name, path),),
        action=f"{path}/edit", back=path, name=project.name, is_new=False, zones=sorted(time_zone_names()),
    )  # fmt: skip


@form("/projects/{project_id}/edit", permission="administration:write", error_page=edit_project)
async def change_project(visit: Visit) -> Redirect:
    """Change what a project is called, what it is, and its time zone."""
    project = await visit.ask(get_project)
    before = texts_of(PROJECT_FIELDS, project, visit.moments)
    reading = FormBody(visit.moments)
    body = reading.changed(PROJECT_FIELDS, typed_texts(visit), before)
    if body:
        await visit.do(update_project, {"project": body})
    return Redirect(f"/projects/{project.id}", "Project saved." if body else "No changes to save.")


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
    rows_with_batches = [row for row in rows if row.newest]
    last = [row for row in rows_with_batches if not row.periods[-1].drawn] or rows_with_batches
    return last[:SENTENCE_LEDGERS_MAX]


PAGES: Final[list[HTTPRouteHandler]] = [
    *front,
    *page("/projects", of=list_projects)(projects),
    *make_project,
    *page("/projects/{project_id}/edit", permission="administration:write")(edit_project),
    *change_project,
    *overview,
]
