"""Make feedstocks."""

from weighbridge.core.name import problem_of_name
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.feedstocks import queries
from weighbridge.resources.feedstocks.records import Feedstock, NewFeedstock


async def create_feedstock(tx: Write, actor: Actor, project: int, asked: NewFeedstock) -> Feedstock:
    """Make a feedstock of a project."""
    name = asked.name.strip()
    problems = []
    if wrong := problem_of_name(name, "A feedstock", "feedstock.name"):
        problems.append(wrong)
    elif await tx.value("SELECT true FROM feedstocks WHERE project_id = %s AND name = %s", (project, name)):
        problems.append(Problem(f"The project has a feedstock {name!r} already.", "feedstock.name", "taken"))
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        "INSERT INTO feedstocks (project_id, name, description) VALUES (%s, %s, %s) RETURNING id",
        (project, name, asked.description),
    )
    made = await queries.get_feedstock(tx, project, number)
    await audit.record(tx, actor, action="feedstock.create", target=made.id, project_id=project, after=made)
    return made
