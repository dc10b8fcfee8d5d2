"""Read model versions."""

from functools import partial
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, read_int4, read_page
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.errors import NotFound
from weighbridge.modelling.models.records import Model
from weighbridge.platform.tenancy.scope import find, of_account

MODELS: Final = Listing(
    sorts={
        "id": "m.id",
        "name": "m.name",
        "order": "m.sort_order",
        "version": "m.version",
        "created_at": "m.created_at",
        "updated_at": "m.updated_at",
    },
    default_sort="id",
    key=("m.id",),
    filters={
        "name": Filter("m.name", str, "a name"),
        "project_id": Filter("f.project_id", read_int4, "a project's number"),
    },
)

VERSIONS: Final = Listing(
    sorts={"version": "m.version", "created_at": "m.created_at", "updated_at": "m.updated_at"},
    default_sort="version",
    key=("m.id",),
)

_SOURCE: Final = "models m JOIN model_families f ON f.id = m.family_id"


def _page_of_model(project: str | None, model: str) -> Link | None:
    return None if project is None else Link(f"/projects/{project}/models/{model}")


MODEL: Final = row_of(
    Model,
    Column("id", "m.id", partial(ids.of, "model", 0)),
    Column("project_id", "f.project_id", unless_null(partial(ids.of, "project"))),
    Column("name", "m.name"),
    Column("version", "m.version"),
    Column("version_label", "m.version_label"),
    Column("description", "m.description"),
    Column("is_latest", "m.version = (SELECT max(version) FROM models n WHERE n.family_id = m.family_id)"),
    Column("is_active", "m.id = f.active_model_id"),
    Column("cadence", "m.cadence"),
    Column("partition_type", "m.partition_type"),
    Column("order", "m.sort_order"),
    Column("sha256", "encode(m.sha256, 'hex')"),
    Column("created_at", "m.created_at"),
    Column("updated_at", "m.updated_at"),
    Derived("ui_url", ("project_id", "id"), _page_of_model),
)


class StoredModel(msgspec.Struct, frozen=True):
    """A version with what it takes to run it."""

    id: int
    family: int
    name: str
    version: int
    sha256: bytes
    document: str


class Kept(msgspec.Struct, frozen=True):
    """A version with what it takes to change it or look into it."""

    number: int
    family: int
    project: int | None
    version: int
    document: str


async def list_models(tx: Read, actor: Actor, request: ListRequest) -> Page[Model]:
    """Every version of the account's models."""
    return await read_page(
        tx, MODEL, MODELS, request, source=_SOURCE, where=[of_account(actor, "f.account_id")]
    )


async def get_model(tx: Read, actor: Actor, friendly: str) -> Model:
    """One version of the account's models."""
    numbered = SQL("{} AND m.id = %s").format(of_account(actor, "f.account_id"))
    return await find(tx, MODEL, _SOURCE, numbered, (ids.number("model", friendly),))


async def list_versions(tx: Read, actor: Actor, friendly: str, request: ListRequest) -> Page[Model]:
    """Every version of the model that a version belongs to."""
    kept = await kept_model(tx, actor, friendly)
    of_family = SQL("m.family_id = {}").format(Literal(kept.family))
    return await read_page(
        tx, MODEL, VERSIONS, request, source=_SOURCE, where=[of_account(actor, "f.account_id"), of_family]
    )


async def kept_model(tx: Read, actor: Actor, friendly: str, *, is_changed: bool = False) -> Kept:
    """A version of the account's models with its document, locked when it is going to be changed."""
    statement = SQL("""
        SELECT m.id, m.family_id, f.project_id, m.version, m.document FROM {} WHERE {} AND m.id = %s {}
    """).format(
        SQL(_SOURCE), of_account(actor, "f.account_id"), SQL("FOR NO KEY UPDATE OF m" if is_changed else "")
    )
    found = await tx.row(Kept, statement, (ids.number("model", friendly),))
    if found is None:
        raise NotFound
    return found


async def stored_model(tx: Read, number: int) -> StoredModel:
    """A version by its number, with its document."""
    found = await tx.row(
        StoredModel,
        "SELECT id, family_id, name, version, sha256, document FROM models WHERE id = %s",
        (number,),
    )
    if found is None:
        raise NotFound
    return found
