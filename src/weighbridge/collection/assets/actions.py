"""Make assets, change and remove them, one by one."""

from msgspec.structs import replace

from weighbridge.collection.assets import queries
from weighbridge.collection.assets.records import Asset, AssetChange, NewAsset
from weighbridge.collection.named_records.asset import locked_assets, value_types
from weighbridge.collection.named_records.kind import ASSET
from weighbridge.collection.named_records.naming import problems_of_new_name, problems_of_renaming
from weighbridge.collection.named_records.time_in_service import sent_service, service_trace
from weighbridge.collection.named_records.writing import remove
from weighbridge.collection.spreadsheets.checking import (
    problems_of_custom_fields,
    problems_of_texts,
    with_change,
)
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Invalid, NotFound
from weighbridge.platform import changes


async def create_asset(tx: Write, actor: Actor, project: int, new: NewAsset) -> Asset:
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
    made = await queries.get_asset(tx, project, number)
    changes.record(tx, actor, action="asset.create", target=made.id, project_id=project, after=made)
    return made


async def update_asset(tx: Write, actor: Actor, project: int, friendly: str, change: AssetChange) -> Asset:
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
    after = await queries.get_asset(tx, project, number)
    changes.record(
        tx, actor, held, *of_service, action="asset.update", target=after.id, project_id=project,
        before=before, after=after,
    )  # fmt: skip
    return after


async def delete_asset(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove an asset that nothing names."""
    number = ids.number("asset", friendly, project)
    before = await queries.get_asset(tx, project, number)
    await remove(tx, ASSET, project, before)
    changes.record(tx, actor, action="asset.delete", target=before.id, project_id=project, before=before)
