"""Make feedstocks, change and remove them."""

from weighbridge.collection.feedstocks import queries
from weighbridge.collection.feedstocks.records import Feedstock, FeedstockChange, NewFeedstock
from weighbridge.collection.named_records.kind import FEEDSTOCK
from weighbridge.collection.named_records.naming import problems_of_new_name, problems_of_renaming
from weighbridge.collection.named_records.writing import hold, remove
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.db.patch import changed
from weighbridge.errors import Invalid
from weighbridge.platform import changes


async def create_feedstock(tx: Write, actor: Actor, project: int, new: NewFeedstock) -> Feedstock:
    """Make a feedstock of a project."""
    name = new.name.strip()
    if problems := await problems_of_new_name(tx, FEEDSTOCK, project, name):
        raise Invalid(problems)
    number: int = await tx.value(
        "INSERT INTO feedstocks (project_id, name, description) VALUES (%s, %s, %s) RETURNING id",
        (project, name, new.description),
    )
    made = await queries.get_feedstock(tx, project, number)
    changes.record(tx, actor, action="feedstock.create", target=made.id, project_id=project, after=made)
    return made


async def update_feedstock(
    tx: Write, actor: Actor, project: int, friendly: str, change: FeedstockChange
) -> Feedstock:
    """Change a feedstock; its name only until batches were made of its events."""
    number = ids.number("feedstock", friendly, project)
    await hold(tx, FEEDSTOCK, project, number)
    before = await queries.get_feedstock(tx, project, number)
    desired = changed(before, change)
    if desired == before:
        return before
    held = None
    if desired.name != before.name:
        problems, held = await problems_of_renaming(tx, FEEDSTOCK, project, number, desired.name)
        if problems:
            raise Invalid(problems)
    await tx.execute(
        """
        UPDATE feedstocks SET name = %s, description = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (desired.name, desired.description, project, number),
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
    await remove(tx, FEEDSTOCK, project, before)
    changes.record(tx, actor, action="feedstock.delete", target=before.id, project_id=project, before=before)
