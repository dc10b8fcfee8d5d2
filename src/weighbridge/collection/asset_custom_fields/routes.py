"""Paths of custom fields."""

from weighbridge.collection.asset_custom_fields import actions, queries
from weighbridge.collection.asset_custom_fields.queries import ASSET_CUSTOM_FIELDS
from weighbridge.collection.asset_custom_fields.records import AssetCustomField, NewAssetCustomFieldBody
from weighbridge.collection.tenancy.project import project_named, project_to_read
from weighbridge.db.listing import Page, list_request
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, post

_PATH = "/projects/{project_id}/asset_custom_fields"


@get(_PATH, permission="data_collection:read", returns=Page[AssetCustomField], listing=ASSET_CUSTOM_FIELDS)
async def list_asset_custom_fields(call: ReadCall) -> Page[AssetCustomField]:
    """List the custom fields of a project's assets."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_asset_custom_fields(
        call.tx, project, list_request(call.query, ASSET_CUSTOM_FIELDS)
    )


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
    return await actions.create_asset_custom_field(call.tx, call.actor, project, body.asset_custom_field)


@delete(_PATH + "/{asset_custom_field_id}", permission="data_collection:write")
async def delete_asset_custom_field(call: WriteCall) -> None:
    """Remove a custom field that no asset has a value for."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    named = call.path["asset_custom_field_id"]
    await actions.delete_asset_custom_field(call.tx, call.actor, project, named)


ROUTES = [list_asset_custom_fields, create_asset_custom_field, delete_asset_custom_field]
