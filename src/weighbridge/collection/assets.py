"""Assets: the equipment of a project, such as kilns, trucks and meters, by which events are tagged.

An asset has a name that is unique in its project and values for the project's custom fields. It is kept
one by one or as a spreadsheet. Permission: data collection.
"""

from typing import Final

from msgspec import Struct

from weighbridge.collection.named_records import exchange
from weighbridge.collection.named_records.nouns import ASSETS
from weighbridge.collection.named_records.spreadsheet import MEDIA_TYPE
from weighbridge.collection.records.projects import Asset, AssetImport
from weighbridge.db.lists.listing import Page
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.http.messages.body import LONG_BODY_BYTES_MAX
from weighbridge.http.messages.operation import Attachment
from weighbridge.platform.tenancy import project_of, project_to_read

_PATH: Final = "/projects/{project_id}/assets"
_ONE: Final = _PATH + "/{asset_id}"
_SPREADSHEET: Final = _PATH + "/spreadsheet"


@get(
    "/assets",
    permission="data_collection:read",
    returns=Page[Asset],
    listing=ASSETS.listing,
    spans_projects=True,
)
async def list_assets(call: ReadCall) -> Page[Asset]:
    """List the assets of all projects of the account."""
    return await ASSETS.list_of_account(call)


@get(_PATH, permission="data_collection:read", returns=Page[Asset], listing=ASSETS.listing)
async def list_assets_of_project(call: ReadCall) -> Page[Asset]:
    """List a project's assets."""
    return await ASSETS.list_of_project(call)


@post(
    _PATH,
    permission="data_collection:write",
    body=ASSETS.bodies.new_body,
    returns=Asset,
    example={"asset": {"name": "Kiln 1", "asset_type": "kiln"}},
)
async def create_asset(call: WriteCall, body: Struct) -> Asset:
    """Create an asset; its custom fields are those of the project, by label."""
    return await ASSETS.create(call, body)


@get(_SPREADSHEET, permission="data_collection:read", sends=(MEDIA_TYPE,))
async def export_assets(call: ReadCall) -> Attachment:
    """Download a project's assets as a CSV file.

    The columns are id, name, asset_type, serial_number, description, and then the custom fields by label. A
    text that begins like a formula has a single quote before it, which is taken away when it is sent back.
    """
    return await exchange.export_assets(call.tx, project_to_read(call))


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
    return await exchange.import_assets(call.tx, call.actor, await project_of(call), text)


@get(_ONE, permission="data_collection:read", returns=Asset)
async def get_asset(call: ReadCall) -> Asset:
    """Read one asset."""
    return await ASSETS.get(call)


@patch(_ONE, permission="data_collection:write", body=ASSETS.bodies.change_body, returns=Asset)
async def update_asset(call: WriteCall, body: Struct) -> Asset:
    """Change an asset; its name is fixed once batches were made of its events.

    A custom field that is left out keeps its value; null takes the value away.
    """
    return await ASSETS.update(call, body)


@delete(_ONE, permission="data_collection:write")
async def delete_asset(call: WriteCall) -> None:
    """Remove an asset that no event, static input or batch names."""
    await ASSETS.delete(call)


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
