"""Projects: everything that is measured, computed and accounted for belongs to one.

A project belongs to an account and answers to its friendly id or its number. Its time zone decides
where days and months begin, so it is fixed while batches exist. Permission: administration.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from msgspec import UNSET, Struct
from psycopg.sql import SQL

from weighbridge.collection.records.projects import (
    PROJECT_BODIES,
    STATUSES,
    Project,
)
from weighbridge.core import identity
from weighbridge.core.identity import Link, problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import ANY
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import find_time_zones, time_zone_names
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Listing, Page, list_request, read_page
from weighbridge.db.row import Column, Derived, row_of
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, patch, post
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import find, project_of, seen_of_account

# Read projects.


PROJECTS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
    is_exported=True,
)


def _page_of_project(friendly: str) -> Link:
    return Link(f"/projects/{friendly}")


PROJECT_ROW: Final = row_of(
    Project,
    Column("id", "id", partial(identity.of, "project")),
    Column("numeric_id", "id"),
    Column("name", "name"),
    Column("description", "description"),
    Column("time_zone", "time_zone"),
    Column("status", "status"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
    Derived("ui_url", ("id",), _page_of_project),
)


async def read_project(tx: Read, project_id: int) -> Project:
    """One project by its number."""
    return await find(tx, PROJECT_ROW, "projects", SQL("id = %s"), (project_id,))


# What a project must be like.


async def _problems_of_a_new_zone(tx: Write, held: staleness.GenerationsHeldOff, zone: str) -> list[Problem]:
    has_batches = "SELECT EXISTS (SELECT FROM batches WHERE project_id = %s AND deleted_at IS NULL)"
    if not await tx.value(has_batches, (held.project,)):
        return []
    return [
        Problem(
            f"The project has batches, whose days and months begin in {zone}; "
            "its time zone is fixed while they exist.",
            "project.time_zone",
            "in_use",
        )
    ]


def _problems_of(project: Project) -> Iterator[Problem]:
    if wrong := problem_of_name(project.name, "A project", "project.name"):
        yield wrong
    if project.time_zone not in time_zone_names():
        offered = find_time_zones(project.time_zone)
        meant = f"; write {offered[0]!r} if that is meant" if offered else ", such as Europe/Berlin or UTC"
        yield Problem(
            f"{shorten(project.time_zone)!r} is not a time zone of the IANA list{meant}.",
            "project.time_zone",
            "invalid",
        )
    if project.status not in {*STATUSES, UNSET}:
        message = f"project.status is {project.status!r}; allowed are {', '.join(STATUSES)}."
        yield Problem(message, "project.status", "invalid")


# Make projects, and change them.


@get("/projects", permission=ANY, returns=Page[Project], listing=PROJECTS)
async def list_projects(call: ReadCall) -> Page[Project]:
    """List the account's projects."""
    request = list_request(call.query, PROJECTS)
    mine = seen_of_account(call.actor, "account_id", "id")
    return await read_page(
        call.tx, PROJECT_ROW, PROJECTS, request, source="projects", where=[mine], is_last=True
    )


@post("/projects", permission="administration:write", body=PROJECT_BODIES.new_body, returns=Project)
async def create_project(call: WriteCall, body: Struct) -> Project:
    """Create a project."""
    tx, actor, new = call.tx, call.actor, PROJECT_BODIES.created(body)
    if problems := [*_problems_of(new)]:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO projects (account_id, name, description, time_zone)
        VALUES (%s, %s, %s, %s) RETURNING id
        """,
        (actor.account_id, new.name, new.description, new.time_zone),
    )
    project = await read_project(tx, number)
    changes.record(tx, actor, action="project.create", target=project.id, project_id=number, after=project)
    return project


@get("/projects/{project_id}", permission=ANY, returns=Project)
async def get_project(call: ReadCall) -> Project:
    """Read one project."""
    number = await project_of(call)
    return await read_project(call.tx, number)


@patch(
    "/projects/{project_id}",
    permission="administration:write",
    body=PROJECT_BODIES.change_body,
    returns=Project,
)
async def update_project(call: WriteCall, body: Struct) -> Project:
    """Change a project's name, description, status or, while it has no batches, its time zone.

    Its status is `active` or `archived`; an archived project can be read and written as before.
    """
    number = await project_of(call)
    tx = call.tx
    await tx.execute("SELECT FROM projects WHERE id = %s FOR UPDATE", (number,))
    before = await read_project(tx, number)
    desired = PROJECT_BODIES.changed(before, body)
    problems = [*_problems_of(desired)]
    held = None
    if desired.time_zone != before.time_zone and not problems:
        held = await staleness.hold_off_generations(tx, number)
        problems += await _problems_of_a_new_zone(tx, held, before.time_zone)
    if problems:
        raise Invalid(problems)
    if desired == before:
        return before
    await tx.execute(
        """
        UPDATE projects SET name = %s, description = %s, time_zone = %s, status = %s, updated_at = now()
         WHERE id = %s
        """,
        (desired.name, desired.description, desired.time_zone, desired.status, number),
    )
    after = await read_project(tx, number)
    changes.record(
        tx, call.actor, held, action="project.update", target=after.id, project_id=number,
        before=before, after=after,
    )  # fmt: skip
    return after


ROUTES = [list_projects, create_project, get_project, update_project]
