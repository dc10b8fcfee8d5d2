"""Asset custom fields: what a project keeps of its assets beside the standard columns.

Label and value type never change, because values are kept by them; a field that no asset has a value
for can be removed. Permission: data collection.
"""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.named_records.nouns import value_types
from weighbridge.collection.records.projects import (
    CUSTOM_FIELDS_MAX,
    AssetCustomField,
    NewAssetCustomField,
    NewAssetCustomFieldBody,
)
from weighbridge.core import identity
from weighbridge.core.collection.custom_field import VALUE_TYPES, check_label
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Listing, ListRequest, Page, list_request, page_of, read_int4
from weighbridge.db.row import Column, remove_unused, row_of
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import project_named, project_to_read

# Read custom fields.


ASSET_CUSTOM_FIELDS: Final = Listing(
    sorts={"id": "id", "label": "label", "created_at": "created_at"}, default_sort="id", key=("id",)
)

CUSTOM_FIELD_ROW: Final = row_of(
    AssetCustomField,
    Column("id", "id"),
    Column("project_id", "project_id", partial(identity.of, "project")),
    Column("label", "label"),
    Column("value_type", "value_type"),
    Column("created_at", "created_at"),
)


async def select_asset_custom_fields(tx: Read, project: int, request: ListRequest) -> Page[AssetCustomField]:
    """The custom fields of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await page_of(
        tx, CUSTOM_FIELD_ROW.make, ASSET_CUSTOM_FIELDS, request,
        columns=CUSTOM_FIELD_ROW.columns, source="asset_custom_fields",
        where=[of_project],
    )  # fmt: skip


async def get_asset_custom_field(tx: Read, project: int, named: str) -> AssetCustomField:
    """One custom field by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    asset_custom_field = await tx.row(
        CUSTOM_FIELD_ROW.make,
        f"SELECT {CUSTOM_FIELD_ROW.columns} FROM asset_custom_fields WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if asset_custom_field is None:
        raise NotFound
    return asset_custom_field


# Make custom fields, and remove them.


_LABEL = "asset_custom_field.label"
_VALUE_TYPE = "asset_custom_field.value_type"


async def insert_asset_custom_field(
    tx: Write, actor: Actor, project: int, new: NewAssetCustomField
) -> AssetCustomField:
    """Make a custom field of a project's assets."""
    label = new.label.strip()
    problems = [*check_label(label, _LABEL)]
    if new.value_type not in VALUE_TYPES:
        message = f"{_VALUE_TYPE} is {new.value_type!r}; allowed are {', '.join(VALUE_TYPES)}."
        problems.append(Problem(message, _VALUE_TYPE, "invalid"))
    there = await value_types(tx, project)
    if label in there:
        problems.append(Problem(f"The project has a custom field {label!r} already.", _LABEL, "taken"))
    if len(there) >= CUSTOM_FIELDS_MAX:
        message = f"The project has {len(there)} custom fields; it can have {CUSTOM_FIELDS_MAX}."
        problems.append(Problem(message, _LABEL, "too_many"))
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        "INSERT INTO asset_custom_fields (project_id, label, value_type) VALUES (%s, %s, %s) RETURNING id",
        (project, label, new.value_type),
    )
    made = await get_asset_custom_field(tx, project, str(number))
    changes.record(
        tx, actor, action="asset_custom_field.create", target=str(number), project_id=project, after=made
    )
    return made


async def remove_asset_custom_field(tx: Write, actor: Actor, project: int, named: str) -> None:
    """Remove a custom field that no asset has a value for; the database itself refuses the others."""
    before = await get_asset_custom_field(tx, project, named)
    used = f"Assets have values for the custom field {before.label!r}; it stays."
    await remove_unused(tx, "asset_custom_fields", project, before.id, used=used)
    changes.record(
        tx,
        actor,
        action="asset_custom_field.delete",
        target=str(before.id),
        project_id=project,
        before=before,
    )


# Paths of custom fields.


_PATH = "/projects/{project_id}/asset_custom_fields"


@get(_PATH, permission="data_collection:read", returns=Page[AssetCustomField], listing=ASSET_CUSTOM_FIELDS)
async def list_asset_custom_fields(call: ReadCall) -> Page[AssetCustomField]:
    """List the custom fields of a project's assets."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await select_asset_custom_fields(call.tx, project, list_request(call.query, ASSET_CUSTOM_FIELDS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewAssetCustomFieldBody,
    returns=AssetCustomField,
    example={"asset_custom_field": {"label": "Commissioned on", "value_type": "date"}},
)
async def create_asset_custom_field(call: WriteCall, body: NewAssetCustomFieldBody) -> AssetCustomField:
    """Create a custom field of a project's assets.

    Its label is a column of the asset spreadsheet, so it cannot be that of a standard column: id, name,
    asset_type, serial_number, description. Its values are of the type text, number, boolean or date.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await insert_asset_custom_field(call.tx, call.actor, project, body.asset_custom_field)


@delete(_PATH + "/{asset_custom_field_id}", permission="data_collection:write")
async def delete_asset_custom_field(call: WriteCall) -> None:
    """Remove a custom field that no asset has a value for."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    named = call.path["asset_custom_field_id"]
    await remove_asset_custom_field(call.tx, call.actor, project, named)


ROUTES = [list_asset_custom_fields, create_asset_custom_field, delete_asset_custom_field]
