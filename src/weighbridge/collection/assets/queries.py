"""Read assets."""

from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.assets.records import Asset
from weighbridge.collection.named_records.asset import ASSET_ROW
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import BOUNDS, MOMENT, Filter, Listing, ListRequest, Page, read_moment, read_page
from weighbridge.db.literal import Literal
from weighbridge.platform.tenancy.project_filter import project_filter
from weighbridge.platform.tenancy.scope import find, of_projects

ASSETS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("project_id", "id"),
    filters={
        "name": Filter("name", str, "a name"),
        "project_id": project_filter("project_id"),
        "created_at": Filter("created_at", read_moment, MOMENT, BOUNDS),
    },
)


async def list_assets_of_project(tx: Read, project: int, request: ListRequest) -> Page[Asset]:
    """The assets of a project."""
    return await _page(tx, request, SQL("project_id = {}").format(Literal(project)))


async def list_assets(tx: Read, actor: Actor, request: ListRequest) -> Page[Asset]:
    """The assets of every project of the actor's account."""
    return await _page(tx, request, of_projects(actor, "project_id"))


async def get_asset(tx: Read, project: int, number: int) -> Asset:
    """One asset by its number."""
    return await find(tx, ASSET_ROW, "assets", SQL("project_id = %s AND id = %s"), (project, number))


async def _page(tx: Read, request: ListRequest, where: Composable) -> Page[Asset]:
    return await read_page(tx, ASSET_ROW, ASSETS, request, source="assets", where=[where])
