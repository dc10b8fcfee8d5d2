"""Make locations."""

from decimal import Decimal

from weighbridge.core.name import problem_of_name
from weighbridge.core.number import NumberError, limited, shorten
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
    problems = [
        problem
        for problem in (
            problem_of_name(name, "A location", "location.name"),
            _problem_of_degrees(asked.lat, LATITUDE_MAX, "lat"),
            _problem_of_degrees(asked.long, LONGITUDE_MAX, "long"),
        )
        if problem is not None
    ]
    if name and await tx.value(
        "SELECT true FROM locations WHERE project_id = %s AND name = %s", (project, name)
    ):
        problems.append(Problem(f"The project has a location {name!r} already.", "location.name", "taken"))
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
    await audit.record(tx, actor, action="location.create", target=made.id, project_id=project, after=made)
    return made


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
    return Problem(field + said, f"location.{field}", "invalid")
