"""Make assets, change and remove them, one by one."""

from weighbridge.collection.assets import queries
from weighbridge.collection.assets.records import Asset, AssetChange, NewAsset
from weighbridge.collection.named_records.asset import locked_assets, value_types
from weighbridge.collection.spreadsheets.checking import (
    fixed_names,
    problems_of_custom_fields,
    problems_of_name,
    problems_of_texts,
    with_change,
)
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.json import jsonb
from weighbridge.db.patch import remove_unused
from weighbridge.errors import Invalid, NotFound
from weighbridge.platform.audit_log import actions as audit


async def create_asset(tx: Write, actor: Actor, project: int, asked: NewAsset) -> Asset:
    """Make an asset of a project."""
    name = asked.name.strip()
    problems = [
        *await problems_of_name(tx, project, name),
        *problems_of_texts(asked),
        *problems_of_custom_fields(asked.custom_fields, await value_types(tx, project)),
    ]
    if problems:
        raise Invalid(problems)
    values = {label: value for label, value in asked.custom_fields.items() if value is not None}
    number: int = await tx.value(
        """
        INSERT INTO assets (project_id, name, asset_type, serial_number, description, custom_values)
        VALUES (%s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (project, name, asked.asset_type, asked.serial_number, asked.description, jsonb(values)),
    )
    made = await queries.get_asset(tx, project, number)
    await audit.record(tx, actor, action="asset.create", target=made.id, project_id=project, after=made)
    return made


async def update_asset(tx: Write, actor: Actor, project: int, friendly: str, asked: AssetChange) -> Asset:
    """Change an asset; its name only until batches were made of its events."""
    number = ids.number("asset", friendly, project)
    found = await locked_assets(tx, project, [number], [])
    if not found:
        raise NotFound
    before = found[0]
    wanted = with_change(before, asked)
    problems = [
        *problems_of_texts(asked),
        *problems_of_custom_fields(asked.custom_fields, await value_types(tx, project)),
    ]
    if wanted.name != before.name:
        of_name = await problems_of_name(tx, project, wanted.name)
        problems += of_name or await _problems_of_renaming(tx, project, number)
    if problems:
        raise Invalid(problems)
    if wanted == before:
        return before
    await tx.execute(
        """
        UPDATE assets SET name = %s, asset_type = %s, serial_number = %s, description = %s,
                          custom_values = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            wanted.name, wanted.asset_type, wanted.serial_number, wanted.description,
            jsonb(wanted.custom_fields), project, number,
        ),
    )  # fmt: skip
    after = await queries.get_asset(tx, project, number)
    await audit.record(
        tx, actor, action="asset.update", target=after.id, project_id=project, before=before, after=after
    )
    return after


async def delete_asset(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove an asset that nothing names."""
    number = ids.number("asset", friendly, project)
    before = await queries.get_asset(tx, project, number)
    used = (
        "Events, voided ones and corrections included, or static inputs name the asset "
        f"{before.name!r}; it stays."
    )
    await remove_unused(tx, "assets", project, number, used=used)
    await audit.record(tx, actor, action="asset.delete", target=before.id, project_id=project, before=before)


async def _problems_of_renaming(tx: Write, project: int, number: int) -> list[Problem]:
    if not await fixed_names(tx, project, [number]):
        return []
    said = "Batches were made of events of this asset and depend on its name; the name is fixed."
    return [Problem(said, "asset.name", "in_use")]
