"""Read projects."""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.projects.records import Project
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Listing, ListRequest, Page, read_page
from weighbridge.db.row import Column, Derived, row_of
from weighbridge.platform.tenancy.scope import find, of_account

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
    mine = of_account(actor, "account_id")
    return await read_page(tx, PROJECT_ROW, PROJECTS, request, source="projects", where=[mine], is_last=True)


async def get_project(tx: Read, project_id: int) -> Project:
    """One project by its number."""
    return await find(tx, PROJECT_ROW, "projects", SQL("id = %s"), (project_id,))
