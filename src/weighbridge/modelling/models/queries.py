"""Read model versions as the interface shows them."""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, read_page
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.modelling.models.records import Model
from weighbridge.modelling.versions.stored import owned_model
from weighbridge.platform.tenancy.project_filter import project_filter
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
        "project_id": project_filter("f.project_id"),
    },
    is_exported=True,
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


async def list_models(tx: Read, actor: Actor, request: ListRequest) -> Page[Model]:
    """Every version of the account's models."""
    return await read_page(
        tx, MODEL, MODELS, request, source=_SOURCE, where=[of_account(actor, "f.account_id")]
    )


async def list_models_of_project(tx: Read, project: int, request: ListRequest) -> Page[Model]:
    """Every version of a project's models."""
    of_project = SQL("f.project_id = {}").format(Literal(project))
    return await read_page(tx, MODEL, MODELS, request, source=_SOURCE, where=[of_project])


async def get_model(tx: Read, actor: Actor, friendly: str) -> Model:
    """One version of the account's models."""
    numbered = SQL("{} AND m.id = %s").format(of_account(actor, "f.account_id"))
    return await find(tx, MODEL, _SOURCE, numbered, (ids.number("model", friendly),))


async def list_versions(tx: Read, actor: Actor, friendly: str, request: ListRequest) -> Page[Model]:
    """Every version of the model that a version belongs to."""
    version = await owned_model(tx, actor, friendly)
    of_family = SQL("m.family_id = {}").format(Literal(version.family))
    return await read_page(
        tx, MODEL, VERSIONS, request, source=_SOURCE, where=[of_account(actor, "f.account_id"), of_family]
    )
