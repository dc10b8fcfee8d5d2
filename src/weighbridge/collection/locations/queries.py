"""Read locations."""

from collections.abc import Collection, Sequence
from typing import Final

from psycopg.rows import TupleRow
from psycopg.sql import SQL, Literal

from weighbridge.collection.locations.records import Location
from weighbridge.collection.named_records.location import LOCATION_ROW
from weighbridge.db.engine import Command, Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, page_of
from weighbridge.errors import NotFound

LOCATIONS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
    filters={"name": Filter("name", str, "a name")},
)


async def list_locations(tx: Read, project: int, request: ListRequest) -> Page[Location]:
    """The locations of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await page_of(
        tx, LOCATION_ROW.make, LOCATIONS, request,
        columns=LOCATION_ROW.columns, source="locations", where=[of_project],
    )  # fmt: skip


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


def locations_numbered(project: int, numbers: Collection[int]) -> Command:
    """The question for several locations of a project, by their numbers."""
    return _NUMBERED, (project, list(numbers))


def locations_of_event(project: int, event: int) -> Command:
    """The question for the locations of one event."""
    return _OF_EVENT, (project, project, event)


def locations_by_number(rows: Sequence[TupleRow]) -> dict[int, Location]:
    """The locations that were asked for, by their numbers."""
    return {row[1]: LOCATION_ROW.make(*row) for row in rows}


_NUMBERED: Final = f"SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s AND id = ANY (%s)"
_OF_EVENT: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s
       AND id = ANY (ARRAY(SELECT unnest(location_ids) FROM events WHERE project_id = %s AND id = %s))
"""
