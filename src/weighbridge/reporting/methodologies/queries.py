"""Read methodologies."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, read_int4, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy.scope import find, of_account
from weighbridge.reporting.methodologies.records import Methodology, MethodologyModel

METHODOLOGIES: Final = Listing(
    sorts={"id": "m.id", "name": "m.name", "created_at": "m.created_at"},
    default_sort="id",
    key=("m.id",),
    filters={"name": Filter("m.name", str, "a name")},
)


def _none() -> None:
    return None


METHODOLOGY: Final = row_of(
    Methodology,
    Column("id", "m.id"),
    Column("name", "m.name"),
    Column("version", "m.version"),
    Column("report_type", "m.report_type"),
    Column("models", (), list),
    Column("submission_requirements", "m.submission_requirements"),
    Column("measured_share_min", "m.measured_share_min"),
    Column("registry_id", "m.registry_id"),
    Column("mapping", (), _none),
    Column("created_at", "m.created_at"),
)

_model_id: Final = partial(ids.of, "model", 0)


async def list_methodologies(tx: Read, actor: Actor, request: ListRequest) -> Page[Methodology]:
    """The methodologies of the actor's account."""
    page = await read_page(
        tx, METHODOLOGY, METHODOLOGIES, request, source="methodologies m", where=[_owned(actor)]
    )
    return Page(await _with_models(tx, page.data), page.info)


async def get_methodology(tx: Read, actor: Actor, text: str) -> Methodology:
    """One methodology of the actor's account, by its number; NotFound for any other text."""
    try:
        number = read_int4(text)
    except ValueError:
        raise NotFound("methodology", text) from None
    numbered = SQL("{} AND m.id = %s").format(_owned(actor))
    found = await find(tx, METHODOLOGY, "methodologies m", numbered, (number,))
    [methodology] = await _with_models(tx, [found])
    mapping = await tx.value("SELECT mapping FROM methodologies WHERE id = %s", (number,))
    return msgspec.structs.replace(methodology, mapping=mapping)


def _owned(actor: Actor) -> Composable:
    return of_account(actor, "m.account_id")


async def _with_models(tx: Read, methodologies: Sequence[Methodology]) -> list[Methodology]:
    models: dict[int, list[MethodologyModel]] = {one.id: [] for one in methodologies}
    for methodology, number, name, version in await tx.tuples(
        """
        SELECT i.methodology_id, m.id, m.name, m.version
          FROM methodology_models i JOIN models m ON m.id = i.model_id
         WHERE i.methodology_id = ANY (%s) ORDER BY i.methodology_id, m.id
        """,
        ([*models],),
    ):
        models[methodology].append(MethodologyModel(_model_id(number), name, version))
    return [msgspec.structs.replace(one, models=models[one.id]) for one in methodologies]
