"""The row of an asset, and the types of what the project's custom fields keep of it.

Assets come one by one and as a spreadsheet; both read and hold them here.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from weighbridge.collection.assets.records import Asset
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read, Write
from weighbridge.db.row import Column, row_of


def _by_label(values: Mapping[str, Any]) -> dict[str, Any]:
    return dict(sorted(values.items()))


ASSET_ROW: Final = row_of(
    Asset,
    Column("id", ("project_id", "id"), partial(ids.of, "asset")),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("name", "name"),
    Column("asset_type", "asset_type"),
    Column("serial_number", "serial_number"),
    Column("description", "description"),
    Column("custom_fields", "custom_values", _by_label),
    Column("in_service_from", "in_service_from"),
    Column("in_service_until", "in_service_until"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def assets_behind(tx: Read, project: int, number: int, count: int) -> Sequence[Asset]:
    """So many assets of a project in the order of their numbers, behind one of them."""
    return await tx.rows(
        ASSET_ROW.make,
        f"SELECT {ASSET_ROW.columns} FROM assets WHERE project_id = %s AND id > %s ORDER BY id LIMIT %s",
        (project, number, count),
    )


async def locked_assets(
    tx: Write, project: int, numbers: Sequence[int], names: Sequence[str]
) -> Sequence[Asset]:
    """The assets of these numbers or names, which nobody else changes until the transaction ends."""
    return await tx.rows(
        ASSET_ROW.make,
        f"""
        SELECT {ASSET_ROW.columns} FROM assets
         WHERE project_id = %s AND (id = ANY (%s) OR name = ANY (%s)) ORDER BY id FOR UPDATE
        """,
        (project, list(numbers), list(names)),
    )


async def value_types(tx: Read, project: int) -> dict[str, str]:
    """The type of the values of each custom field of a project, by label and in the order of the labels."""
    rows = await tx.tuples(
        "SELECT label, value_type FROM asset_custom_fields WHERE project_id = %s", (project,)
    )
    return dict(sorted(rows))
