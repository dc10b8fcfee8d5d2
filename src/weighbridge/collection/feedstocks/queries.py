"""Read feedstocks."""

from typing import Final

from psycopg.sql import SQL, Composable, Literal

from weighbridge.collection.feedstocks.records import Feedstock
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, page_of, read_int4
from weighbridge.errors import NotFound

FEEDSTOCKS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("project_id", "id"),
    filters={
        "name": Filter("name", str, "a name"),
        "project_id": Filter("project_id", read_int4, "a project's number"),
    },
)

_COLUMNS: Final = "project_id, id, name, description, created_at, updated_at"


async def list_feedstocks_of_project(tx: Read, project: int, wanted: Wanted) -> Page[Feedstock]:
    """The feedstocks of a project."""
    return await _page(tx, wanted, SQL("project_id = {}").format(Literal(project)))


async def list_feedstocks(tx: Read, actor: Actor, wanted: Wanted) -> Page[Feedstock]:
    """The feedstocks of every project of the actor's account."""
    mine = SQL("project_id IN (SELECT id FROM projects WHERE account_id = {})").format(
        Literal(actor.account_id)
    )
    return await _page(tx, wanted, mine)


async def get_feedstock(tx: Read, project: int, number: int) -> Feedstock:
    """One feedstock by its number."""
    found = await tx.row(
        _feedstock, f"SELECT {_COLUMNS} FROM feedstocks WHERE project_id = %s AND id = %s", (project, number)
    )
    if found is None:
        raise NotFound
    return found


async def _page(tx: Read, wanted: Wanted, where: Composable) -> Page[Feedstock]:
    return await page_of(
        tx, _feedstock, FEEDSTOCKS, wanted, columns=_COLUMNS, source="feedstocks", where=[where]
    )


def _feedstock(
    project: int, number: int, name: str, description: str | None, created: Instant, updated: Instant
) -> Feedstock:
    return Feedstock(
        ids.of("feedstock", project, number), ids.of("project", project), name, description, created, updated
    )
