"""Asset custom fields: what a project keeps of its assets beside the standard columns.

Label and value type never change, because values are kept by them; a field that no asset has a value
for can be removed. Permission: data collection.
"""

from typing import Final

from msgspec import Struct

from weighbridge.collection.named_records.noun import ProjectNoun
from weighbridge.collection.named_records.nouns import value_types
from weighbridge.collection.records.projects import (
    CUSTOM_FIELD_BODIES,
    CUSTOM_FIELDS_MAX,
    AssetCustomField,
)
from weighbridge.core.collection.custom_field import VALUE_TYPES, check_label
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.lists.listing import Page
from weighbridge.db.row import remove_unused
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import project_of

CUSTOM_FIELDS: Final = ProjectNoun(CUSTOM_FIELD_BODIES, "asset_custom_fields")

# Make custom fields, and remove them.


_LABEL = "asset_custom_field.label"
_VALUE_TYPE = "asset_custom_field.value_type"


async def remove_asset_custom_field(tx: Write, actor: Actor, project: int, named: str) -> None:
    """Remove a custom field that no asset has a value for; the database itself refuses the others."""
    before = await CUSTOM_FIELDS.read(tx, project, named)
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


@get(
    _PATH,
    permission="data_collection:read",
    returns=Page[AssetCustomField],
    listing=CUSTOM_FIELDS.listing,
)
async def list_asset_custom_fields(call: ReadCall) -> Page[AssetCustomField]:
    """List the custom fields of a project's assets."""
    return await CUSTOM_FIELDS.list_of_project(call)


@post(
    _PATH,
    permission="data_collection:write",
    body=CUSTOM_FIELD_BODIES.new_body,
    returns=AssetCustomField,
    example={"asset_custom_field": {"label": "Commissioned on", "value_type": "date"}},
)
async def create_asset_custom_field(call: WriteCall, body: Struct) -> AssetCustomField:
    """Create a custom field of a project's assets.

    Its label is a column of the asset spreadsheet, so it cannot be that of a standard column: id, name,
    asset_type, serial_number, description. Its values are of the type text, number, boolean or date.
    """
    tx, project, new = call.tx, await project_of(call), CUSTOM_FIELD_BODIES.created(body)
    problems = [*check_label(new.label, _LABEL)]
    if new.value_type not in VALUE_TYPES:
        message = f"{_VALUE_TYPE} is {new.value_type!r}; allowed are {', '.join(VALUE_TYPES)}."
        problems.append(Problem(message, _VALUE_TYPE, "invalid"))
    there = await value_types(tx, project)
    if new.label in there:
        problems.append(Problem(f"The project has a custom field {new.label!r} already.", _LABEL, "taken"))
    if len(there) >= CUSTOM_FIELDS_MAX:
        message = f"The project has {len(there)} custom fields; it can have {CUSTOM_FIELDS_MAX}."
        problems.append(Problem(message, _LABEL, "too_many"))
    if problems:
        raise Invalid(problems)
    made = await CUSTOM_FIELDS.insert(tx, project, new)
    changes.record(
        tx, call.actor, action="asset_custom_field.create", target=str(made.id), project_id=project,
        after=made,
    )  # fmt: skip
    return made


@delete(_PATH + "/{asset_custom_field_id}", permission="data_collection:write")
async def delete_asset_custom_field(call: WriteCall) -> None:
    """Remove a custom field that no asset has a value for."""
    project = await project_of(call)
    named = call.path["asset_custom_field_id"]
    await remove_asset_custom_field(call.tx, call.actor, project, named)


ROUTES = [list_asset_custom_fields, create_asset_custom_field, delete_asset_custom_field]
