"""Make locations, change and remove them."""

from datetime import datetime
from decimal import Decimal

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from weighbridge.collection.locations import queries
from weighbridge.collection.locations.records import (
    LATITUDE_MAX,
    LONGITUDE_MAX,
    Location,
    LocationChange,
    NewLocation,
)
from weighbridge.collection.named_records.kind import LOCATION
from weighbridge.collection.named_records.naming import problems_of_new_name, problems_of_renaming
from weighbridge.collection.named_records.time_in_service import sent_service, service_trace
from weighbridge.collection.named_records.writing import hold, remove
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, limited, shorten
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Invalid
from weighbridge.platform import changes


async def create_location(tx: Write, actor: Actor, project: int, new: NewLocation) -> Location:
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
    made = await queries.get_location(tx, project, number)
    changes.record(tx, actor, action="location.create", target=made.id, project_id=project, after=made)
    return made


async def update_location(
    tx: Write, actor: Actor, project: int, friendly: str, change: LocationChange
) -> Location:
    """Change a location; its name only until batches were made of its events."""
    number = ids.number("location", friendly, project)
    await hold(tx, LOCATION, project, number)
    before = await queries.get_location(tx, project, number)
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
    after = await queries.get_location(tx, project, number)
    changes.record(
        tx, actor, held, *of_service, action="location.update", target=after.id, project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


async def delete_location(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove a location that no event names; the database itself refuses the others."""
    number = ids.number("location", friendly, project)
    before = await queries.get_location(tx, project, number)
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
            limited(degrees)
        except NumberError as error:
            said = f": {error}"
        else:
            return None
    return Problem(f"location.{field}{said}", f"location.{field}", "invalid")
