"""Read locations."""

from collections.abc import Collection
from decimal import Decimal
from typing import Any, Final

import msgspec
from psycopg.sql import SQL, Literal

from weighbridge.collection.locations.records import Address, Location
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, page_of
from weighbridge.errors import NotFound

LOCATIONS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
    filters={"name": Filter("name", str, "a name")},
)

LOCATION_COLUMNS: Final = "project_id, id, name, lat, long, address, created_at, updated_at"


async def list_locations(tx: Read, project: int, wanted: Wanted) -> Page[Location]:
    """The locations of a project."""
    return await page_of(
        tx, location_of, LOCATIONS, wanted,
        columns=LOCATION_COLUMNS, source="locations", where=[SQL("project_id = {}").format(Literal(project))],
    )  # fmt: skip


async def get_location(tx: Read, project: int, number: int) -> Location:
    """One location by its number."""
    found = await tx.row(
        location_of,
        f"SELECT {LOCATION_COLUMNS} FROM locations WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if found is None:
        raise NotFound
    return found


async def locations_by_number(tx: Read, project: int, numbers: Collection[int]) -> dict[int, Location]:
    """Several locations of a project, by their numbers."""
    if not numbers:
        return {}
    rows = await tx.tuples(
        f"SELECT {LOCATION_COLUMNS} FROM locations WHERE project_id = %s AND id = ANY (%s)",
        (project, list(numbers)),
    )
    return {row[1]: location_of(*row) for row in rows}


def location_of(
    project: int, number: int, name: str, lat: Decimal | None, long: Decimal | None, address: Any,
    created: Instant, updated: Instant,
) -> Location:  # fmt: skip
    """A location from its columns."""
    return Location(
        ids.of("location", project, number),
        name,
        None if lat is None else format(lat, "f"),
        None if long is None else format(long, "f"),
        None if address is None else msgspec.convert(address, Address),
        created,
        updated,
    )
