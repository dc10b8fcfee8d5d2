"""Read assets."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from psycopg.sql import SQL, Composable, Literal

from weighbridge.collection.assets.records import Asset
from weighbridge.collection.projects.queries import read_project
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.listing import Filter, Listing, Page, Wanted, page_of
from weighbridge.errors import NotFound

ASSETS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("project_id", "id"),
    filters={
        "name": Filter("name", str, "a name"),
        "project_id": Filter("project_id", read_project, "an id prj_… or a project's number"),
    },
)

_COLUMNS: Final = """
    project_id, id, name, asset_type, serial_number, description, custom_values, created_at, updated_at
"""


async def list_assets_of_project(tx: Read, project: int, wanted: Wanted) -> Page[Asset]:
    """The assets of a project."""
    return await _page(tx, wanted, SQL("project_id = {}").format(Literal(project)))


async def list_assets(tx: Read, actor: Actor, wanted: Wanted) -> Page[Asset]:
    """The assets of every project of the actor's account."""
    mine = SQL("project_id IN (SELECT id FROM projects WHERE account_id = {})").format(
        Literal(actor.account_id)
    )
    return await _page(tx, wanted, mine)


async def get_asset(tx: Read, project: int, number: int) -> Asset:
    """One asset by its number."""
    found = await tx.row(
        _asset, f"SELECT {_COLUMNS} FROM assets WHERE project_id = %s AND id = %s", (project, number)
    )
    if found is None:
        raise NotFound
    return found


async def assets_behind(tx: Read, project: int, number: int, count: int) -> Sequence[Asset]:
    """So many assets of a project in the order of their numbers, behind one of them."""
    return await tx.rows(
        _asset,
        f"SELECT {_COLUMNS} FROM assets WHERE project_id = %s AND id > %s ORDER BY id LIMIT %s",
        (project, number, count),
    )


async def locked_assets(
    tx: Write, project: int, numbers: Sequence[int], names: Sequence[str]
) -> Sequence[Asset]:
    """The assets of these numbers or names, which nobody else changes until the transaction ends."""
    return await tx.rows(
        _asset,
        f"""
        SELECT {_COLUMNS} FROM assets
         WHERE project_id = %s AND (id = ANY (%s) OR name = ANY (%s)) ORDER BY id FOR UPDATE
        """,
        (project, list(numbers), list(names)),
    )


async def _page(tx: Read, wanted: Wanted, where: Composable) -> Page[Asset]:
    return await page_of(tx, _asset, ASSETS, wanted, columns=_COLUMNS, source="assets", where=[where])


def _asset(
    project: int, number: int, name: str, asset_type: str | None, serial_number: str | None,
    description: str | None, custom_values: Mapping[str, Any], created: Instant, updated: Instant,
) -> Asset:  # fmt: skip
    return Asset(
        ids.of("asset", project, number),
        ids.of("project", project),
        name,
        asset_type,
        serial_number,
        description,
        dict(sorted(custom_values.items())),
        created,
        updated,
    )
