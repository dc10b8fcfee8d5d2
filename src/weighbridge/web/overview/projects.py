"""All projects, and the overview of one."""

from collections.abc import Sequence
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.event_types.routes import list_event_types
from weighbridge.collection.projects.routes import create_project, get_project, list_projects
from weighbridge.platform.async_tasks.routes import list_async_tasks
from weighbridge.web.ledgers.rows import YearOfLedger, ledger_year
from weighbridge.web.overview.dataflow import dataflow
from weighbridge.web.overview.waiting import waiting_for_people
from weighbridge.web.page import form, page
from weighbridge.web.showing.months import month_of
from weighbridge.web.visit import Moved, View, Visit, view

TYPES_SHOWN: Final = "50"
"""Event types that are read to see whether there are any."""

TASKS_SHOWN: Final = "5"
"""The newest tasks of the project that are shown."""

SENTENCE_LEDGERS_MAX: Final = 2
"""Ledgers that the sentence of how things are names."""


@page("/")
async def front(visit: Visit) -> Moved | View:
    """The only project of the account, or all of them."""
    if len(visit.frame.projects) == 1:
        return Moved(f"/projects/{visit.frame.projects[0].id}")
    return Moved("/projects")


async def projects(visit: Visit) -> View:
    """The projects of the account."""
    found = await visit.ask(list_projects, (("page_size", "100"), ("sort", "name")))
    return view("overview/projects.html", "Projects", call="/projects", has_csv=True, page=found)


@form("/projects", permission="administration:write", again=projects)
async def make_project(visit: Visit) -> Moved:
    """Make a project, and open it."""
    named = {"name": visit.text("name"), "time_zone": visit.text("time_zone", "UTC") or "UTC"}
    made = await visit.do(create_project, {"project": named})
    return Moved(f"/projects/{made.id}", f"{made.name} is made.")


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
        waiting=await waiting_for_people(visit, year),
        month=month_of(year.edges[-2], visit.frame.zone) if year is not None else "",
        final=_final(year.rows) if year is not None else [],
    )  # fmt: skip


def _final(rows: Sequence[YearOfLedger]) -> list[YearOfLedger]:
    """What the newest month is told by: ledgers that made something, of which none draws another link."""
    made = [row for row in rows if row.newest]
    last = [row for row in made if not row.periods[-1].drawn] or made
    return last[:SENTENCE_LEDGERS_MAX]


PAGES: Final[list[HTTPRouteHandler]] = [
    *front,
    *page("/projects", of=list_projects)(projects),
    *make_project,
    *overview,
]
