"""Make projects, and change them."""

from collections.abc import Iterator
from functools import cache
from zoneinfo import available_timezones

from weighbridge.collection.projects import queries
from weighbridge.collection.projects.records import STATUSES, NewProject, Project, ProjectChange
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.patch import changed
from weighbridge.errors import Invalid
from weighbridge.platform import changes


async def create_project(tx: Write, actor: Actor, new: NewProject) -> Project:
    """Make a project in the actor's account."""
    problems = [*_problems_of(new.name, new.time_zone)]
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO projects (account_id, name, description, time_zone)
        VALUES (%s, %s, %s, %s) RETURNING id
        """,
        (actor.account_id, new.name.strip(), new.description, new.time_zone),
    )
    project = await queries.get_project(tx, number)
    changes.record(tx, actor, action="project.create", target=project.id, project_id=number, after=project)
    return project


async def update_project(tx: Write, actor: Actor, number: int, change: ProjectChange) -> Project:
    """Change a project; its time zone only while it has no batches, whose slots were cut by it."""
    await tx.execute("SELECT FROM projects WHERE id = %s FOR UPDATE", (number,))
    before = await queries.get_project(tx, number)
    desired = changed(before, change)
    problems = [*_problems_of(desired.name, desired.time_zone)]
    if desired.status not in STATUSES:
        problems.append(
            Problem(
                f"project.status is {desired.status!r}; allowed are {', '.join(STATUSES)}.",
                "project.status",
                "invalid",
            )
        )
    held = None
    if desired.time_zone != before.time_zone and not problems:
        held = await changes.hold_off_generations(tx, number)
        problems += await _problems_of_a_new_zone(tx, held, before.time_zone)
    if problems:
        raise Invalid(problems)
    if desired == before:
        return before
    await tx.execute(
        """
        UPDATE projects SET name = %s, description = %s, time_zone = %s, status = %s, updated_at = now()
         WHERE id = %s
        """,
        (desired.name, desired.description, desired.time_zone, desired.status, number),
    )
    after = await queries.get_project(tx, number)
    changes.record(
        tx, actor, held, action="project.update", target=after.id, project_id=number,
        before=before, after=after,
    )  # fmt: skip
    return after


async def _problems_of_a_new_zone(tx: Write, held: changes.GenerationsHeldOff, zone: str) -> list[Problem]:
    has_batches = "SELECT EXISTS (SELECT FROM batches WHERE project_id = %s AND deleted_at IS NULL)"
    if not await tx.value(has_batches, (held.project,)):
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
