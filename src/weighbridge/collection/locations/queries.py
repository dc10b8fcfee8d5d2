"""Read locations."""

from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.locations.records import Location
from weighbridge.collection.named_records.location import LOCATION_ROW
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import BOUNDS, MOMENT, Filter, Listing, ListRequest, Page, read_moment, read_page
from weighbridge.db.literal import Literal
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy.project_filter import project_filter
from weighbridge.platform.tenancy.scope import of_projects

LOCATIONS: Final = Listing(
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


async def list_locations(tx: Read, project: int, request: ListRequest) -> Page[Location]:
    """The locations of a project."""
    return await _page(tx, request, SQL("project_id = {}").format(Literal(project)))


async def list_locations_of_account(tx: Read, actor: Actor, request: ListRequest) -> Page[Location]:
    """The locations of every project of the actor's account."""
    return await _page(tx, request, of_projects(actor, "project_id"))


async def get_location(tx: Read, project: int, number: int) -> Location:
    """One location by its number."""
    location = await tx.row(
        LOCATION_ROW.make,
        f"SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if location is None:
        raise NotFound
    return location


async def _page(tx: Read, request: ListRequest, where: Composable) -> Page[Location]:
    return await read_page(tx, LOCATION_ROW, LOCATIONS, request, source="locations", where=[where])
