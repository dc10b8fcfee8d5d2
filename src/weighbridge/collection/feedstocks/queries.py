"""Read feedstocks."""

from functools import partial
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.feedstocks.records import Feedstock
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import BOUNDS, MOMENT, Filter, Listing, ListRequest, Page, read_moment, read_page
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of
from weighbridge.platform.tenancy.project_filter import project_filter
from weighbridge.platform.tenancy.scope import find, of_projects

FEEDSTOCKS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("project_id", "id"),
    filters={
        "name": Filter("name", str, "a name"),
        "project_id": project_filter("project_id"),
        "created_at": Filter("created_at", read_moment, MOMENT, BOUNDS),
    },
    is_exported=True,
)

FEEDSTOCK_ROW: Final = row_of(
    Feedstock,
    Column("id", ("project_id", "id"), partial(ids.of, "feedstock")),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("name", "name"),
    Column("description", "description"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def list_feedstocks_of_project(tx: Read, project: int, request: ListRequest) -> Page[Feedstock]:
    """The feedstocks of a project."""
    return await _page(tx, request, SQL("project_id = {}").format(Literal(project)))


async def list_feedstocks(tx: Read, actor: Actor, request: ListRequest) -> Page[Feedstock]:
    """The feedstocks of every project of the actor's account."""
    return await _page(tx, request, of_projects(actor, "project_id"))


async def get_feedstock(tx: Read, project: int, number: int) -> Feedstock:
    """One feedstock by its number."""
    return await find(tx, FEEDSTOCK_ROW, "feedstocks", SQL("project_id = %s AND id = %s"), (project, number))


async def _page(tx: Read, request: ListRequest, where: Composable) -> Page[Feedstock]:
    return await read_page(tx, FEEDSTOCK_ROW, FEEDSTOCKS, request, source="feedstocks", where=[where])
