"""Read static inputs."""

from decimal import Decimal
from typing import Final

from psycopg.sql import SQL, Literal

from weighbridge.collection.static_inputs.records import StaticInput
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import MOMENT, Filter, Listing, ListRequest, Page, page_of, read_int4, read_moment
from weighbridge.errors import NotFound

STATIC_INPUTS: Final = Listing(
    sorts={"id": "id", "slug": "slug", "effective_from": "effective_from", "created_at": "created_at"},
    default_sort="id",
    key=("id",),
    filters={
        "slug": Filter("slug", str, "a slug"),
        "effective_from": Filter("effective_from", read_moment, MOMENT, ("eq", "geq", "leq")),
    },
)

_COLUMNS: Final = """
    project_id, id, slug, value, unit, effective_from, asset_id, feedstock_id, location_id, created_at
"""


async def list_static_inputs(tx: Read, project: int, request: ListRequest) -> Page[StaticInput]:
    """The static inputs of a project."""
    return await page_of(
        tx, _static_input, STATIC_INPUTS, request,
        columns=_COLUMNS, source="static_inputs", where=[SQL("project_id = {}").format(Literal(project))],
    )  # fmt: skip


async def get_static_input(tx: Read, project: int, named: str) -> StaticInput:
    """One static input by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    static_input = await tx.row(
        _static_input,
        f"SELECT {_COLUMNS} FROM static_inputs WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if static_input is None:
        raise NotFound
    return static_input


def _static_input(
    project: int, number: int, slug: str, value: Decimal, unit: str | None, effective_from: Instant,
    asset: int | None, feedstock: int | None, location: int | None, created: Instant,
) -> StaticInput:  # fmt: skip
    return StaticInput(
        number,
        ids.of("project", project),
        slug,
        value,
        unit,
        effective_from,
        None if asset is None else ids.of("asset", project, asset),
        None if feedstock is None else ids.of("feedstock", project, feedstock),
        None if location is None else ids.of("location", project, location),
        created,
    )
