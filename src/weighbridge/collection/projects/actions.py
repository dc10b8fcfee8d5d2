"""Make projects, and change them."""

from collections.abc import Iterator
from functools import cache
from zoneinfo import available_timezones

from weighbridge.accounting.books.locks import hold_off_generations
from weighbridge.collection.projects import queries
from weighbridge.collection.projects.records import STATUSES, NewProject, Project, ProjectChange
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.patch import changed
from weighbridge.errors import Invalid
from weighbridge.platform.audit_log import actions as audit


async def create_project(tx: Write, actor: Actor, asked: NewProject) -> Project:
    """Make a project in the actor's account."""
    problems = [*_problems_of(asked.name, asked.time_zone)]
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


async def update_project(tx: Write, actor: Actor, number: int, asked: ProjectChange) -> Project:
    """Change a project; its time zone only while it has no batches, whose slots were cut by it."""
    await tx.execute("SELECT FROM projects WHERE id = %s FOR UPDATE", (number,))
    before = await queries.get_project(tx, number)
    wanted = changed(before, asked)
    problems = [*_problems_of(wanted.name, wanted.time_zone)]
    if wanted.status not in STATUSES:
        problems.append(
            Problem(
                f"project.status is {wanted.status!r}; allowed are {', '.join(STATUSES)}.",
                "project.status",
                "invalid",
            )
        )
    if wanted.time_zone != before.time_zone and not problems:
        problems += await _problems_of_a_new_zone(tx, number, before.time_zone)
    if problems:
        raise Invalid(problems)
    if wanted == before:
        return before
    await tx.execute(
        """
        UPDATE projects SET name = %s, description = %s, time_zone = %s, status = %s, updated_at = now()
         WHERE id = %s
        """,
        (wanted.name, wanted.description, wanted.time_zone, wanted.status, number),
    )
    after = await queries.get_project(tx, number)
    await audit.record(
        tx, actor, action="project.update", target=after.id, project_id=number, before=before, after=after
    )
    return after


async def _problems_of_a_new_zone(tx: Write, number: int, zone: str) -> list[Problem]:
    await hold_off_generations(tx, number)
    has_batches = "SELECT EXISTS (SELECT FROM batches WHERE project_id = %s AND deleted_at IS NULL)"
    if not await tx.value(has_batches, (number,)):
        return []
    return [
        Problem(
            f"The project has batches, whose days and months begin in {zone}; "
            "its time zone is fixed while they exist.",
            "project.time_zone",
            "in_use",
        )
    ]


def _problems_of(name: str, time_zone: str) -> Iterator[Problem]:
    if wrong := problem_of_name(name, "A project", "project.name"):
        yield wrong
    if time_zone not in _time_zones():
        yield Problem(
            f"{time_zone!r} is not a time zone of the IANA list, such as Europe/Berlin or UTC.",
            "project.time_zone",
            "invalid",
        )


@cache
def _time_zones() -> frozenset[str]:
    """The IANA list. It is gathered from hundreds of files, so once for each process."""
    return frozenset(available_timezones())
