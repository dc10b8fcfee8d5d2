"""Make locations."""

from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Invalid
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.locations import queries
from weighbridge.resources.locations.records import Location, NewLocation

LATITUDE_MAX = 90
LONGITUDE_MAX = 180


async def create_location(tx: Write, actor: Actor, project: int, asked: NewLocation) -> Location:
    """Make a location of a project."""
    name = asked.name.strip()
    problems = []
    if not name:
        problems.append(Problem("A location needs a name.", "location.name", "required"))
    for field, degrees, largest in (("lat", asked.lat, LATITUDE_MAX), ("long", asked.long, LONGITUDE_MAX)):
        if degrees is not None and not (degrees.is_finite() and abs(degrees) <= largest):
            problems.append(
                Problem(
                    f"{field} is {degrees}; it takes degrees from -{largest} to {largest}.",
                    f"location.{field}",
                    "invalid",
                )
            )
    if name and await tx.value("SELECT true FROM locations WHERE project_id = %s AND name = %s", (project, name)):
        problems.append(Problem(f"The project has a location {name!r} already.", "location.name", "taken"))
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        "INSERT INTO locations (project_id, name, lat, long, address) VALUES (%s, %s, %s, %s, %s) RETURNING id",
        (project, name, asked.lat, asked.long, jsonb(asked.address)),
    )
    made = await queries.get_location(tx, project, number)
    await audit.record(tx, actor, action="location.create", target=made.id, project_id=project, after=made)
    return made
