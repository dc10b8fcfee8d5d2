"""Assets: the equipment of a project, such as kilns, trucks and meters, by which events are tagged.

An asset has a name that is unique in its project and values for the project's custom fields. It is kept
one by one or as a spreadsheet. Permission: data collection.
"""

from typing import Final

from msgspec.structs import replace
from psycopg.sql import SQL, Composable

from weighbridge.collection.named_records import exchange
from weighbridge.collection.named_records.names import (
    ASSET,
    ASSET_ROW,
    locked_assets,
    problems_of_new_name,
    problems_of_renaming,
    project_named,
    project_to_read,
    remove,
    sent_service,
    service_trace,
    value_types,
)
from weighbridge.collection.named_records.spreadsheet import (
    MEDIA_TYPE,
    problems_of_custom_fields,
    problems_of_texts,
    with_change,
)
from weighbridge.collection.records.projects import (
    Asset,
    AssetChange,
    AssetChangeBody,
    AssetImport,
    NewAsset,
    NewAssetBody,
)
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read, Write
from weighbridge.db.json import jsonb
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    read_moment,
    read_page,
)
from weighbridge.db.literal import Literal
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.http.messages.body import LONG_BODY_BYTES_MAX
from weighbridge.http.messages.operation import Attachment
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, of_projects, project_filter

# Read assets.


ASSETS: Final = Listing(
    sorts={"id": "id", "name": "name", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("project_id", "id"),
    filters={
        "name": Filter("name", str, "a name"),
        "project_id": project_filter("project_id"),
        "created_at": Filter("created_at", read_moment, MOMENT, BOUNDS),
    },
)


async def select_assets_of_project(tx: Read, project: int, request: ListRequest) -> Page[Asset]:
    """The assets of a project."""
    return await _page(tx, request, SQL("project_id = {}").format(Literal(project)))


async def select_assets(tx: Read, actor: Actor, request: ListRequest) -> Page[Asset]:
    """The assets of every project of the actor's account."""
    return await _page(tx, request, of_projects(actor, "project_id"))


async def read_asset(tx: Read, project: int, number: int) -> Asset:
    """One asset by its number."""
    return await find(tx, ASSET_ROW, "assets", SQL("project_id = %s AND id = %s"), (project, number))


async def _page(tx: Read, request: ListRequest, where: Composable) -> Page[Asset]:
    return await read_page(tx, ASSET_ROW, ASSETS, request, source="assets", where=[where])


# Make assets, change and remove them, one by one.


async def insert_asset(tx: Write, actor: Actor, project: int, new: NewAsset) -> Asset:
    """Make an asset of a project."""
    name = new.name.strip()
    service = sent_service(ASSET, new)
    problems = [
        *await problems_of_new_name(tx, ASSET, project, name),
        *service.problems,
        *problems_of_texts(new),
        *problems_of_custom_fields(new.custom_fields, await value_types(tx, project)),
    ]
    if problems:
        raise Invalid(problems)
    values = {label: value for label, value in new.custom_fields.items() if value is not None}
    number: int = await tx.value(
        """
        INSERT INTO assets (project_id, name, asset_type, serial_number, description, custom_values,
                            in_service_from, in_service_until)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, name, new.asset_type, new.serial_number, new.description, jsonb(values),
            service.start, service.end,
        ),
    )  # fmt: skip
    made = await read_asset(tx, project, number)
    changes.record(tx, actor, action="asset.create", target=made.id, project_id=project, after=made)
    return made


async def change_asset(tx: Write, actor: Actor, project: int, friendly: str, change: AssetChange) -> Asset:
    """Change an asset; its name only until batches were made of its events."""
    number = ids.number("asset", friendly, project)
    locked = await locked_assets(tx, project, [number], [])
    if not locked:
        raise NotFound
    before = locked[0]
    desired = with_change(before, change)
    service = sent_service(ASSET, desired)
    problems = [
        *service.problems,
        *problems_of_texts(change),
        *problems_of_custom_fields(change.custom_fields, await value_types(tx, project)),
    ]
    held = None
    if desired.name != before.name:
        of_name, held = await problems_of_renaming(tx, ASSET, project, number, desired.name)
        problems += of_name
    if problems:
        raise Invalid(problems)
    desired = replace(desired, in_service_from=service.start, in_service_until=service.end)
    if desired == before:
        return before
    of_service = await service_trace(tx, ASSET, project, number, before, service)
    await tx.execute(
        """
        UPDATE assets SET name = %s, asset_type = %s, serial_number = %s, description = %s,
                          custom_values = %s, in_service_from = %s, in_service_until = %s,
                          updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            desired.name, desired.asset_type, desired.serial_number, desired.description,
            jsonb(desired.custom_fields), service.start, service.end, project, number,
        ),
    )  # fmt: skip
    after = await read_asset(tx, project, number)
    changes.record(
        tx, actor, held, *of_service, action="asset.update", target=after.id, project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


async def remove_asset(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove an asset that nothing names."""
    number = ids.number("asset", friendly, project)
    before = await read_asset(tx, project, number)
    await remove(tx, ASSET, project, before)
    changes.record(tx, actor, action="asset.delete", target=before.id, project_id=project, before=before)


# Paths of assets.


_PATH = "/projects/{project_id}/assets"
_ONE = _PATH + "/{asset_id}"
_SPREADSHEET = _PATH + "/spreadsheet"


@get("/assets", permission="data_collection:read", returns=Page[Asset], listing=ASSETS)
async def list_assets(call: ReadCall) -> Page[Asset]:
    """List the assets of all projects of the account."""
    return await select_assets(call.tx, call.actor, list_request(call.query, ASSETS))


@get(_PATH, permission="data_collection:read", returns=Page[Asset], listing=ASSETS)
async def list_assets_of_project(call: ReadCall) -> Page[Asset]:
    """List a project's assets."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await select_assets_of_project(call.tx, project, list_request(call.query, ASSETS))


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
    return await insert_asset(call.tx, call.actor, project, body.asset)


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
    return await read_asset(call.tx, project, number)


@patch(_ONE, permission="data_collection:write", body=AssetChangeBody, returns=Asset)
async def update_asset(call: WriteCall, body: AssetChangeBody) -> Asset:
    """Change an asset; its name is fixed once batches were made of its events.

    A custom field that is left out keeps its value; null takes the value away.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await change_asset(call.tx, call.actor, project, call.path["asset_id"], body.asset)


@delete(_ONE, permission="data_collection:write")
async def delete_asset(call: WriteCall) -> None:
    """Remove an asset that no event, static input or batch names."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await remove_asset(call.tx, call.actor, project, call.path["asset_id"])


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
