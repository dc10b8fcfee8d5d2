"""Read projects."""

from typing import Final

from psycopg.sql import SQL, Literal

from weighbridge.collection.projects.records import Project
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Listing, ListRequest, Page, page_of
from weighbridge.errors import NotFound

PROJECTS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
)

_COLUMNS: Final = "id, name, description, time_zone, status, created_at, updated_at"


async def list_projects(tx: Read, actor: Actor, request: ListRequest) -> Page[Project]:
    """The projects of the actor's account."""
    mine = SQL("account_id = {}").format(Literal(actor.account_id))
    return await page_of(tx, _project, PROJECTS, request, columns=_COLUMNS, source="projects", where=[mine])


async def get_project(tx: Read, project_id: int) -> Project:
    """One project by its number."""
    project = await tx.row(_project, f"SELECT {_COLUMNS} FROM projects WHERE id = %s", (project_id,))
    if project is None:
        raise NotFound
    return project


def _project(
    number: int,
    name: str,
    description: str | None,
    time_zone: str,
    status: str,
    created: Instant,
    updated: Instant,
) -> Project:
    friendly = ids.of("project", number)
    return Project(
        friendly,
        number,
        name,
        description,
        time_zone,
        status,
        created,
        updated,
        Link(f"/projects/{friendly}"),
    )
