"""Feedstocks: the raw materials of a project, by which events are tagged and batches partitioned.

Permission: data collection.
"""

from functools import partial
from typing import Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.named_records.names import (
    FEEDSTOCK,
    hold,
    problems_of_new_name,
    problems_of_renaming,
    project_named,
    project_to_read,
    remove,
)
from weighbridge.collection.records.projects import (
    Feedstock,
    FeedstockChange,
    FeedstockChangeBody,
    NewFeedstock,
    NewFeedstockBody,
)
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    read_moment,
    read_page,
)
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, changed, row_of
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, of_projects, project_filter

# Read feedstocks.


FEEDSTOCKS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("project_id", "id"),
    filters={
        "name": Filter("name", str, "a name"),
        "project_id": project_filter("project_id"),
        "created_at": Filter("created_at", read_moment, MOMENT, BOUNDS),
    },
    is_exported=True,
)

FEEDSTOCK_ROW: Final = row_of(
    Feedstock,
    Column("id", ("project_id", "id"), partial(ids.of, "feedstock")),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("name", "name"),
    Column("description", "description"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def select_feedstocks_of_project(tx: Read, project: int, request: ListRequest) -> Page[Feedstock]:
    """The feedstocks of a project."""
    return await _page(tx, request, SQL("project_id = {}").format(Literal(project)))


async def select_feedstocks(tx: Read, actor: Actor, request: ListRequest) -> Page[Feedstock]:
    """The feedstocks of every project of the actor's account."""
    return await _page(tx, request, of_projects(actor, "project_id"))


async def read_feedstock(tx: Read, project: int, number: int) -> Feedstock:
    """One feedstock by its number."""
    return await find(tx, FEEDSTOCK_ROW, "feedstocks", SQL("project_id = %s AND id = %s"), (project, number))


async def _page(tx: Read, request: ListRequest, where: Composable) -> Page[Feedstock]:
    return await read_page(tx, FEEDSTOCK_ROW, FEEDSTOCKS, request, source="feedstocks", where=[where])


# Make feedstocks, change and remove them.


async def insert_feedstock(tx: Write, actor: Actor, project: int, new: NewFeedstock) -> Feedstock:
    """Make a feedstock of a project."""
    name = new.name.strip()
    if problems := await problems_of_new_name(tx, FEEDSTOCK, project, name):
        raise Invalid(problems)
    number: int = await tx.value(
        "INSERT INTO feedstocks (project_id, name, description) VALUES (%s, %s, %s) RETURNING id",
        (project, name, new.description),
    )
    made = await read_feedstock(tx, project, number)
    changes.record(tx, actor, action="feedstock.create", target=made.id, project_id=project, after=made)
    return made


async def change_feedstock(
    tx: Write, actor: Actor, project: int, friendly: str, change: FeedstockChange
) -> Feedstock:
    """Change a feedstock; its name only until batches were made of its events."""
    number = ids.number("feedstock", friendly, project)
    await hold(tx, FEEDSTOCK, project, number)
    before = await read_feedstock(tx, project, number)
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
    after = await read_feedstock(tx, project, number)
    changes.record(
        tx, actor, held, action="feedstock.update", target=after.id, project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


async def remove_feedstock(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove a feedstock that nothing names."""
    number = ids.number("feedstock", friendly, project)
    before = await read_feedstock(tx, project, number)
    await remove(tx, FEEDSTOCK, project, before)
    changes.record(tx, actor, action="feedstock.delete", target=before.id, project_id=project, before=before)


# Paths of feedstocks.


_PATH = "/projects/{project_id}/feedstocks"
_ONE = _PATH + "/{feedstock_id}"


@get("/feedstocks", permission="data_collection:read", returns=Page[Feedstock], listing=FEEDSTOCKS)
async def list_feedstocks(call: ReadCall) -> Page[Feedstock]:
    """List the feedstocks of all projects of the account."""
    return await select_feedstocks(call.tx, call.actor, list_request(call.query, FEEDSTOCKS))


@get(_PATH, permission="data_collection:read", returns=Page[Feedstock], listing=FEEDSTOCKS)
async def list_feedstocks_of_project(call: ReadCall) -> Page[Feedstock]:
    """List a project's feedstocks."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await select_feedstocks_of_project(call.tx, project, list_request(call.query, FEEDSTOCKS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewFeedstockBody,
    returns=Feedstock,
    example={"feedstock": {"name": "Forest residues"}},
)
async def create_feedstock(call: WriteCall, body: NewFeedstockBody) -> Feedstock:
    """Create a feedstock."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await insert_feedstock(call.tx, call.actor, project, body.feedstock)


@get(_ONE, permission="data_collection:read", returns=Feedstock)
async def get_feedstock(call: ReadCall) -> Feedstock:
    """Read one feedstock."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    number = ids.number("feedstock", call.path["feedstock_id"], project)
    return await read_feedstock(call.tx, project, number)


@patch(_ONE, permission="data_collection:write", body=FeedstockChangeBody, returns=Feedstock)
async def update_feedstock(call: WriteCall, body: FeedstockChangeBody) -> Feedstock:
    """Change a feedstock; its name is fixed once batches were made of its events."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    named = call.path["feedstock_id"]
    return await change_feedstock(call.tx, call.actor, project, named, body.feedstock)


@delete(_ONE, permission="data_collection:write")
async def delete_feedstock(call: WriteCall) -> None:
    """Remove a feedstock that no event and no batch names."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await remove_feedstock(call.tx, call.actor, project, call.path["feedstock_id"])


ROUTES = [
    list_feedstocks,
    list_feedstocks_of_project,
    create_feedstock,
    get_feedstock,
    update_feedstock,
    delete_feedstock,
]
