"""Make locations, change and remove them."""

from decimal import Decimal

from msgspec import UNSET

from weighbridge.collection.locations import queries
from weighbridge.collection.locations.records import Location, LocationChange, NewLocation
from weighbridge.core.identity import ids
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import NumberError, limited, shorten
from weighbridge.db.engine import Write
from weighbridge.db.json import jsonb
from weighbridge.db.patch import remove_unused
from weighbridge.errors import Invalid
from weighbridge.platform import changes

LATITUDE_MAX = 90
LONGITUDE_MAX = 180


async def create_location(tx: Write, actor: Actor, project: int, asked: NewLocation) -> Location:
    """Make a location of a project."""
    name = asked.name.strip()
    problems = [*await _problems_of_name(tx, project, name), *_problems_of_place(asked.lat, asked.long)]
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO locations (project_id, name, lat, long, address)
        VALUES (%s, %s, %s, %s, %s) RETURNING id
        """,
        (project, name, asked.lat, asked.long, jsonb(asked.address)),
    )
    made = await queries.get_location(tx, project, number)
    changes.record(tx, actor, action="location.create", target=made.id, project_id=project, after=made)
    return made


async def update_location(
    tx: Write, actor: Actor, project: int, friendly: str, asked: LocationChange
) -> Location:
    """Change a location; its name only until batches were made of its events."""
    number = ids.number("location", friendly, project)
    await tx.execute("SELECT FROM locations WHERE project_id = %s AND id = %s FOR UPDATE", (project, number))
    before = await queries.get_location(tx, project, number)
    wanted = _wanted(before, asked)
    problems = [*_problems_of_place(wanted.lat, wanted.long)]
    held = None
    if wanted.name != before.name:
        of_name = await _problems_of_name(tx, project, wanted.name)
        if not of_name:
            held = await changes.hold_off_generations(tx, project)
            of_name = await _problems_of_renaming(tx, held, number)
        problems += of_name
    if problems:
        raise Invalid(problems)
    if wanted == _wanted(before, LocationChange()):
        return before
    await tx.execute(
        """
        UPDATE locations SET name = %s, lat = %s, long = %s, address = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (wanted.name, wanted.lat, wanted.long, jsonb(wanted.address), project, number),
    )
    after = await queries.get_location(tx, project, number)
    changes.record(
        tx, actor, held, action="location.update", target=after.id, project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


async def delete_location(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove a location that no event names; the database itself refuses the others."""
    number = ids.number("location", friendly, project)
    before = await queries.get_location(tx, project, number)
    used = f"Events, voided ones included, or static inputs name the location {before.name!r}; it stays."
    await remove_unused(tx, "locations", project, number, used=used)
    changes.record(tx, actor, action="location.delete", target=before.id, project_id=project, before=before)


def _wanted(before: Location, asked: LocationChange) -> NewLocation:
    """The location as the caller wants it, with degrees as numbers."""
    return NewLocation(
        name=before.name if asked.name is UNSET else asked.name.strip(),
        lat=_degrees(before.lat) if asked.lat is UNSET else asked.lat,
        long=_degrees(before.long) if asked.long is UNSET else asked.long,
        address=before.address if asked.address is UNSET else asked.address,
    )


def _degrees(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


async def _problems_of_name(tx: Write, project: int, name: str) -> list[Problem]:
    if wrong := problem_of_name(name, "A location", "location.name"):
        return [wrong]
    if await tx.value("SELECT true FROM locations WHERE project_id = %s AND name = %s", (project, name)):
        return [Problem(f"The project has a location {name!r} already.", "location.name", "taken")]
    return []


async def _problems_of_renaming(tx: Write, held: changes.GenerationsHeldOff, number: int) -> list[Problem]:
    """Models filter events by the names of their locations: a result depends on them."""
    is_read = await tx.value(
        """
        SELECT EXISTS (SELECT FROM events
                        WHERE project_id = %(project)s AND %(location)s = ANY (location_ids)
                          AND event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                                 WHERE project_id = %(project)s))
        """,
        {"project": held.project, "location": number},
    )
    if not is_read:
        return []
    return [
        Problem(
            "Batches were made of events at this location and may depend on its name; the name is fixed.",
            "location.name",
            "in_use",
        )
    ]


def _problems_of_place(lat: Decimal | None, long: Decimal | None) -> list[Problem]:
    found = (_problem_of_degrees(lat, LATITUDE_MAX, "lat"), _problem_of_degrees(long, LONGITUDE_MAX, "long"))
    return [problem for problem in found if problem is not None]


def _problem_of_degrees(degrees: Decimal | None, largest: int, field: str) -> Problem | None:
    if degrees is None:
        return None
    if not (degrees.is_finite() and abs(degrees) <= largest):
        said = f" is {shorten(str(degrees))}; it takes degrees from -{largest} to {largest}."
    else:
        try:
            limited(degrees)
        except NumberError as error:
            said = f": {error}"
        else:
            return None
    return Problem(f"location.{field}{said}", f"location.{field}", "invalid")
