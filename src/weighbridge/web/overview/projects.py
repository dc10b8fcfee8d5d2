"""All projects, and the overview of one."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.ledgers.routes import list_project_ledgers
from weighbridge.collection.event_types.routes import list_event_types
from weighbridge.collection.projects.routes import create_project, get_project, list_projects
from weighbridge.web.page import form, page
from weighbridge.web.visit import Moved, View, Visit, view


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
    ledgers = types = None
    if visit.may("production_accounting:read"):
        ledgers = await visit.ask(list_project_ledgers, (("page_size", "50"), ("sort", "name")))
    if visit.may("data_collection:read"):
        types = await visit.ask(list_event_types, (("page_size", "50"), ("sort", "name")))
    return view(
        "overview/project.html", project.name, call=f"/projects/{project.id}",
        project=project, ledgers=ledgers, types=types,
    )  # fmt: skip


PAGES: Final[list[HTTPRouteHandler]] = [
    *front,
    *page("/projects", of=list_projects)(projects),
    *make_project,
    *overview,
]
