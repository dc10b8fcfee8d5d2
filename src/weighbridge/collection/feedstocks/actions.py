"""Make feedstocks, change and remove them."""

from weighbridge.collection.feedstocks import queries
from weighbridge.collection.feedstocks.records import Feedstock, FeedstockChange, NewFeedstock
from weighbridge.core.identity import ids
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.patch import changed, remove_unused
from weighbridge.errors import Invalid
from weighbridge.platform import changes


async def create_feedstock(tx: Write, actor: Actor, project: int, asked: NewFeedstock) -> Feedstock:
    """Make a feedstock of a project."""
    name = asked.name.strip()
    if problems := await _problems_of_name(tx, project, name):
        raise Invalid(problems)
    number: int = await tx.value(
        "INSERT INTO feedstocks (project_id, name, description) VALUES (%s, %s, %s) RETURNING id",
        (project, name, asked.description),
    )
    made = await queries.get_feedstock(tx, project, number)
    changes.record(tx, actor, action="feedstock.create", target=made.id, project_id=project, after=made)
    return made


async def update_feedstock(
    tx: Write, actor: Actor, project: int, friendly: str, asked: FeedstockChange
) -> Feedstock:
    """Change a feedstock; its name only until batches were made of its events."""
    number = ids.number("feedstock", friendly, project)
    await tx.execute("SELECT FROM feedstocks WHERE project_id = %s AND id = %s FOR UPDATE", (project, number))
    before = await queries.get_feedstock(tx, project, number)
    wanted = changed(before, asked)
    if wanted == before:
        return before
    held = None
    if wanted.name != before.name:
        if problems := await _problems_of_name(tx, project, wanted.name):
            raise Invalid(problems)
        held = await changes.hold_off_generations(tx, project)
        if problems := await _problems_of_renaming(tx, held, number):
            raise Invalid(problems)
    await tx.execute(
        """
        UPDATE feedstocks SET name = %s, description = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (wanted.name, wanted.description, project, number),
    )
    after = await queries.get_feedstock(tx, project, number)
    changes.record(
        tx, actor, held, action="feedstock.update", target=after.id, project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


async def delete_feedstock(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove a feedstock that nothing names."""
    number = ids.number("feedstock", friendly, project)
    before = await queries.get_feedstock(tx, project, number)
    used = (
        "Events, voided ones and corrections included, or static inputs name the feedstock "
        f"{before.name!r}; it stays."
    )
    await remove_unused(tx, "feedstocks", project, number, used=used)
    changes.record(tx, actor, action="feedstock.delete", target=before.id, project_id=project, before=before)


async def _problems_of_name(tx: Write, project: int, name: str) -> list[Problem]:
    if wrong := problem_of_name(name, "A feedstock", "feedstock.name"):
        return [wrong]
    if await tx.value("SELECT true FROM feedstocks WHERE project_id = %s AND name = %s", (project, name)):
        return [Problem(f"The project has a feedstock {name!r} already.", "feedstock.name", "taken")]
    return []


async def _problems_of_renaming(tx: Write, held: changes.GenerationsHeldOff, number: int) -> list[Problem]:
    """Partitions are ordered and filtered by the names of feedstocks: results depend on them."""
    is_read = await tx.value(
        """
        SELECT EXISTS (SELECT FROM runs WHERE project_id = %(project)s AND feedstock_id = %(feedstock)s)
            OR EXISTS (SELECT FROM events
                        WHERE project_id = %(project)s AND feedstock_id = %(feedstock)s
                          AND event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                                 WHERE project_id = %(project)s))
        """,
        {"project": held.project, "feedstock": number},
    )
    if not is_read:
        return []
    return [
        Problem(
            "Batches were made of events of this feedstock and depend on its name; the name is fixed.",
            "feedstock.name",
            "in_use",
        )
    ]
