"""Paths of projects."""

from weighbridge.collection.projects import actions, queries
from weighbridge.collection.projects.records import NewProjectBody, Project, ProjectChangeBody
from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.platform.permission import ANY
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, get, patch, post


@get("/projects", permission=ANY, returns=Page[Project], listing=queries.PROJECTS)
async def list_projects(call: ReadCall) -> Page[Project]:
    """List the account's projects."""
    return await queries.list_projects(call.tx, call.actor, list_request(call.query, queries.PROJECTS))


@post("/projects", permission="administration:write", body=NewProjectBody, returns=Project)
async def create_project(call: WriteCall, body: NewProjectBody) -> Project:
    """Create a project."""
    return await actions.create_project(call.tx, call.actor, body.project)


@get("/projects/{project_id}", permission=ANY, returns=Project)
async def get_project(call: ReadCall) -> Project:
    """Read one project."""
    number = await project_named(call.tx, call.actor, call.path["project_id"])
    return await queries.get_project(call.tx, number)


@patch("/projects/{project_id}", permission="administration:write", body=ProjectChangeBody, returns=Project)
async def update_project(call: WriteCall, body: ProjectChangeBody) -> Project:
    """Change a project's name, description, status or, while it has no batches, its time zone.

    Its status is `active` or `archived`; an archived project can be read and written as before.
    """
    number = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.update_project(call.tx, call.actor, number, body.project)


ROUTES = [list_projects, create_project, get_project, update_project]
