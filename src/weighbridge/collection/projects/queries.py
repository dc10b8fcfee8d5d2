"""Read projects."""

from functools import partial
from typing import Final

from psycopg.sql import SQL, Literal

from weighbridge.collection.projects.records import Project
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Listing, ListRequest, Page, page_of
from weighbridge.db.row import Column, Derived, row_of
from weighbridge.errors import NotFound

PROJECTS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
)


def _page_of_project(friendly: str) -> Link:
    return Link(f"/projects/{friendly}")


PROJECT_ROW: Final = row_of(
    Project,
    Column("id", "id", partial(ids.of, "project")),
    Column("numeric_id", "id"),
    Column("name", "name"),
    Column("description", "description"),
    Column("time_zone", "time_zone"),
    Column("status", "status"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
    Derived("ui_url", ("id",), _page_of_project),
)


async def list_projects(tx: Read, actor: Actor, request: ListRequest) -> Page[Project]:
    """The projects of the actor's account."""
    mine = SQL("account_id = {}").format(Literal(actor.account_id))
    return await page_of(
        tx, PROJECT_ROW.make, PROJECTS, request, columns=PROJECT_ROW.columns, source="projects",
        where=[mine], is_last=True,
    )  # fmt: skip


async def get_project(tx: Read, project_id: int) -> Project:
    """One project by its number."""
    project = await tx.row(
        PROJECT_ROW.make, f"SELECT {PROJECT_ROW.columns} FROM projects WHERE id = %s", (project_id,)
    )
    if project is None:
        raise NotFound
    return project
