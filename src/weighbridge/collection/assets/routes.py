"""Paths of assets."""

from weighbridge.collection.assets import actions, queries
from weighbridge.collection.assets.records import Asset, AssetChangeBody, AssetImport, NewAssetBody
from weighbridge.collection.spreadsheets import exchange
from weighbridge.collection.spreadsheets.spreadsheet import MEDIA_TYPE
from weighbridge.collection.tenancy.project import project_named, project_to_read
from weighbridge.core.identity import ids
from weighbridge.db.listing import Page, list_request
from weighbridge.http.arrival.body import LONG_BODY_BYTES_MAX
from weighbridge.http.attachment import Attachment
from weighbridge.http.endpoint import ReadCall, WriteCall, delete, get, patch, post

_PATH = "/projects/{project_id}/assets"
_ONE = _PATH + "/{asset_id}"
_SPREADSHEET = _PATH + "/spreadsheet"


@get("/assets", permission="data_collection:read", returns=Page[Asset], listing=queries.ASSETS)
async def list_assets(call: ReadCall) -> Page[Asset]:
    """List the assets of all projects of the account."""
    return await queries.list_assets(call.tx, call.actor, list_request(call.query, queries.ASSETS))


@get(_PATH, permission="data_collection:read", returns=Page[Asset], listing=queries.ASSETS)
async def list_assets_of_project(call: ReadCall) -> Page[Asset]:
    """List a project's assets."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await queries.list_assets_of_project(call.tx, project, list_request(call.query, queries.ASSETS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewAssetBody,
    returns=Asset,
    example={"asset": {"name": "Kiln 1", "asset_type": "kiln"}},
)
async def create_asset(call: WriteCall, body: NewAssetBody) -> Asset:
    """Create an asset; its custom fields are those of the project, by label."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.create_asset(call.tx, call.actor, project, body.asset)


@get(_SPREADSHEET, permission="data_collection:read", sends=(MEDIA_TYPE,))
async def export_assets(call: ReadCall) -> Attachment:
    """Download a project's assets as a CSV file.

    The columns are id, name, asset_type, serial_number, description, and then the custom fields by label. A
    text that begins like a formula has a single quote before it, which is taken away when it is sent back.
    """
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await exchange.export_assets(call.tx, project)


@post(
    _SPREADSHEET,
    permission="data_collection:write",
    body=str,
    text=MEDIA_TYPE,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=AssetImport,
    status=200,
    example="id,name,asset_type\r\n,Kiln 1,kiln\r\n,Truck 7,truck\r\n",
)
async def import_assets(call: WriteCall, text: str) -> AssetImport:
    """Create and change assets from a CSV file: all lines are taken, or none.

    The columns are those of the download; each may be left out, and what stands in it then stays as it is. A
    line changes the asset of its id or, without one, of its name; when there is none of that name, it makes
    one. A blank cell takes a value away. Up to 10,000 lines; refusals name them by number.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await exchange.import_assets(call.tx, call.actor, project, text)


@get(_ONE, permission="data_collection:read", returns=Asset)
async def get_asset(call: ReadCall) -> Asset:
    """Read one asset."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    number = ids.number("asset", call.path["asset_id"], project)
    return await queries.get_asset(call.tx, project, number)


@patch(_ONE, permission="data_collection:write", body=AssetChangeBody, returns=Asset)
async def update_asset(call: WriteCall, body: AssetChangeBody) -> Asset:
    """Change an asset; its name is fixed once batches were made of its events.

    A custom field that is left out keeps its value; null takes the value away.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await actions.update_asset(call.tx, call.actor, project, call.path["asset_id"], body.asset)


@delete(_ONE, permission="data_collection:write")
async def delete_asset(call: WriteCall) -> None:
    """Remove an asset that no event, static input or batch names."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await actions.delete_asset(call.tx, call.actor, project, call.path["asset_id"])


ROUTES = [
    list_assets,
    list_assets_of_project,
    create_asset,
    export_assets,
    import_assets,
    get_asset,
    update_asset,
    delete_asset,
]
