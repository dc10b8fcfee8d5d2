"""Locations: the places of a project that its events name.

A location that events name is not removed. Permission: data collection.
"""

from datetime import datetime
from decimal import Decimal
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from psycopg.sql import SQL, Composable

from weighbridge.collection.named_records.names import (
    LOCATION,
    LOCATION_ROW,
    hold,
    problems_of_new_name,
    problems_of_renaming,
    project_named,
    project_to_read,
    remove,
    sent_service,
    service_trace,
)
from weighbridge.collection.records.projects import (
    LATITUDE_MAX,
    LONGITUDE_MAX,
    Location,
    LocationChange,
    LocationChangeBody,
    NewLocation,
    NewLocationBody,
)
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, limit_number, shorten
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.json import jsonb
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    read_moment,
    read_page,
)
from weighbridge.db.literal import Literal
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import of_projects, project_filter

# Read locations.


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


async def select_locations(tx: Read, project: int, request: ListRequest) -> Page[Location]:
    """The locations of a project."""
    return await _page(tx, request, SQL("project_id = {}").format(Literal(project)))


async def select_locations_of_account(tx: Read, actor: Actor, request: ListRequest) -> Page[Location]:
    """The locations of every project of the actor's account."""
    return await _page(tx, request, of_projects(actor, "project_id"))


async def read_location(tx: Read, project: int, number: int) -> Location:
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


# Make locations, change and remove them.


async def insert_location(tx: Write, actor: Actor, project: int, new: NewLocation) -> Location:
    """Make a location of a project."""
    name = new.name.strip()
    service = sent_service(LOCATION, new)
    problems = [
        *await problems_of_new_name(tx, LOCATION, project, name),
        *service.problems,
        *_problems_of_coordinates(new.lat, new.long),
    ]
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO locations (project_id, name, lat, long, address, in_service_from, in_service_until)
        VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (project, name, new.lat, new.long, jsonb(new.address), service.start, service.end),
    )
    made = await read_location(tx, project, number)
    changes.record(tx, actor, action="location.create", target=made.id, project_id=project, after=made)
    return made


async def change_location(
    tx: Write, actor: Actor, project: int, friendly: str, change: LocationChange
) -> Location:
    """Change a location; its name only until batches were made of its events."""
    number = ids.number("location", friendly, project)
    await hold(tx, LOCATION, project, number)
    before = await read_location(tx, project, number)
    desired = _desired(before, change)
    service = sent_service(LOCATION, desired)
    problems = [*service.problems, *_problems_of_coordinates(desired.lat, desired.long)]
    held = None
    if desired.name != before.name:
        of_name, held = await problems_of_renaming(tx, LOCATION, project, number, desired.name)
        problems += of_name
    if problems:
        raise Invalid(problems)
    desired = replace(desired, in_service_from=service.start, in_service_until=service.end)
    if desired == _desired(before, LocationChange()):
        return before
    of_service = await service_trace(tx, LOCATION, project, number, before, service)
    await tx.execute(
        """
        UPDATE locations SET name = %s, lat = %s, long = %s, address = %s, in_service_from = %s,
                             in_service_until = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            desired.name, desired.lat, desired.long, jsonb(desired.address), service.start, service.end,
            project, number,
        ),
    )  # fmt: skip
    after = await read_location(tx, project, number)
    changes.record(
        tx, actor, held, *of_service, action="location.update", target=after.id, project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


async def remove_location(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove a location that no event names; the database itself refuses the others."""
    number = ids.number("location", friendly, project)
    before = await read_location(tx, project, number)
    await remove(tx, LOCATION, project, before)
    changes.record(tx, actor, action="location.delete", target=before.id, project_id=project, before=before)


def _desired(before: Location, change: LocationChange) -> NewLocation:
    """The location as the caller wants it, with degrees as numbers."""
    return NewLocation(
        name=before.name if change.name is UNSET else change.name.strip(),
        lat=_degrees(before.lat) if change.lat is UNSET else change.lat,
        long=_degrees(before.long) if change.long is UNSET else change.long,
        address=before.address if change.address is UNSET else change.address,
        in_service_from=_kept(before.in_service_from, change.in_service_from),
        in_service_until=_kept(before.in_service_until, change.in_service_until),
    )


def _kept(before: Instant | None, moment: datetime | UnsetType | None) -> datetime | None:
    return before if moment is UNSET else moment


def _degrees(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _problems_of_coordinates(lat: Decimal | None, long: Decimal | None) -> list[Problem]:
    problems = (
        _problem_of_degrees(lat, LATITUDE_MAX, "lat"),
        _problem_of_degrees(long, LONGITUDE_MAX, "long"),
    )
    return [problem for problem in problems if problem is not None]


def _problem_of_degrees(degrees: Decimal | None, largest: int, field: str) -> Problem | None:
    if degrees is None:
        return None
    if not (degrees.is_finite() and degrees.copy_abs() <= largest):
        said = f" is {shorten(str(degrees))}; it takes degrees from -{largest} to {largest}."
    else:
        try:
            limit_number(degrees)
        except NumberError as error:
            said = f": {error}"
        else:
            return None
    return Problem(f"location.{field}{said}", f"location.{field}", "invalid")


# Paths of locations.


_PATH = "/projects/{project_id}/locations"
_ONE = _PATH + "/{location_id}"


@get("/locations", permission="data_collection:read", returns=Page[Location], listing=LOCATIONS)
async def list_locations_of_account(call: ReadCall) -> Page[Location]:
    """List the locations of all projects of the account."""
    return await select_locations_of_account(call.tx, call.actor, list_request(call.query, LOCATIONS))


@get(_PATH, permission="data_collection:read", returns=Page[Location], listing=LOCATIONS)
async def list_locations(call: ReadCall) -> Page[Location]:
    """List a project's locations; events name them by id."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await select_locations(call.tx, project, list_request(call.query, LOCATIONS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewLocationBody,
    returns=Location,
    example={"location": {"name": "North yard"}},
)
async def create_location(call: WriteCall, body: NewLocationBody) -> Location:
    """Create a location."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await insert_location(call.tx, call.actor, project, body.location)


@get(_ONE, permission="data_collection:read", returns=Location)
async def get_location(call: ReadCall) -> Location:
    """Read one location."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    number = ids.number("location", call.path["location_id"], project)
    return await read_location(call.tx, project, number)


@patch(_ONE, permission="data_collection:write", body=LocationChangeBody, returns=Location)
async def update_location(call: WriteCall, body: LocationChangeBody) -> Location:
    """Change a location; its name is fixed once batches were made of its events."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    named = call.path["location_id"]
    return await change_location(call.tx, call.actor, project, named, body.location)


@delete(_ONE, permission="data_collection:write")
async def delete_location(call: WriteCall) -> None:
    """Remove a location that no event names."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await remove_location(call.tx, call.actor, project, call.path["location_id"])


ROUTES = [
    list_locations_of_account,
    list_locations,
    create_location,
    get_location,
    update_location,
    delete_location,
]
