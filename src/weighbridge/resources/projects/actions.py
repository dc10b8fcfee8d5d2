"""Make projects."""

from zoneinfo import available_timezones

from weighbridge.core.name import problem_of_name
from weighbridge.core.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.projects import queries
from weighbridge.resources.projects.records import NewProject, Project


async def create_project(tx: Write, actor: Actor, asked: NewProject) -> Project:
    """Make a project in the actor's account."""
    problems = []
    if wrong := problem_of_name(asked.name, "A project", "project.name"):
        problems.append(wrong)
    if asked.time_zone not in available_timezones():
        problems.append(
            Problem(
                f"{asked.time_zone!r} is not a time zone of the IANA list, such as Europe/Berlin or UTC.",
                "project.time_zone",
                "invalid",
            )
        )
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO projects (account_id, name, description, time_zone)
        VALUES (%s, %s, %s, %s) RETURNING id
        """,
        (actor.account_id, asked.name.strip(), asked.description, asked.time_zone),
    )
    project = await queries.get_project(tx, number)
    await audit.record(
        tx, actor, action="project.create", target=project.id, project_id=number, after=project
    )
    return project
