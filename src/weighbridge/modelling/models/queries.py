"""Read model versions as the interface shows them."""

from typing import Final

from psycopg.sql import SQL, Composable, Literal

from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, page_of, read_int4
from weighbridge.errors import NotFound
from weighbridge.modelling.models.records import Model
from weighbridge.modelling.versions.stored import owned_model

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
_COLUMNS: Final = """
    f.project_id, m.id, m.name, m.version, m.version_label, m.description,
    m.version = (SELECT max(version) FROM models n WHERE n.family_id = m.family_id),
    m.id = f.active_model_id, m.cadence, m.partition_type, m.sort_order, encode(m.sha256, 'hex'),
    m.created_at, m.updated_at
"""


async def list_models(tx: Read, actor: Actor, wanted: Wanted) -> Page[Model]:
    """Every version of the account's models."""
    return await page_of(tx, _model, MODELS, wanted, columns=_COLUMNS, source=_SOURCE, where=[_mine(actor)])


async def get_model(tx: Read, actor: Actor, friendly: str) -> Model:
    """One version of the account's models."""
    found = await tx.row(
        _model,
        SQL("SELECT {} FROM {} WHERE {} AND m.id = %s").format(SQL(_COLUMNS), SQL(_SOURCE), _mine(actor)),
        (ids.number("model", friendly),),
    )
    if found is None:
        raise NotFound
    return found


async def list_versions(tx: Read, actor: Actor, friendly: str, wanted: Wanted) -> Page[Model]:
    """Every version of the model that a version belongs to."""
    version = await owned_model(tx, actor, friendly)
    of_family = SQL("m.family_id = {}").format(Literal(version.family))
    return await page_of(
        tx, _model, VERSIONS, wanted, columns=_COLUMNS, source=_SOURCE, where=[_mine(actor), of_family]
    )


def _mine(actor: Actor) -> Composable:
    return SQL("f.account_id = {}").format(Literal(actor.account_id))


def _model(
    project: int | None, number: int, name: str, version: int, version_label: str | None,
    description: str | None,
    is_latest: bool, is_active: bool, cadence: str, partition_type: str, order: int, sha256: str,  # noqa: FBT001
    created: Instant, updated: Instant,
) -> Model:  # fmt: skip
    friendly = ids.of("model", 0, number)
    return Model(
        id=friendly,
        project_id=None if project is None else ids.of("project", project),
        name=name,
        version=version,
        version_label=version_label,
        description=description,
        is_latest=is_latest,
        is_active=is_active,
        cadence=cadence,
        partition_type=partition_type,
        order=order,
        sha256=sha256,
        created_at=created,
        updated_at=updated,
        ui_url=None if project is None else Link(f"/projects/{ids.of('project', project)}/models/{friendly}"),
    )
