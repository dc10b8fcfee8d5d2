"""Make custom fields, and remove them."""

from weighbridge.collection.asset_custom_fields import queries
from weighbridge.collection.asset_custom_fields.records import (
    CUSTOM_FIELDS_MAX,
    AssetCustomField,
    NewAssetCustomField,
)
from weighbridge.collection.named_records.asset import value_types
from weighbridge.core.collection.custom_field import VALUE_TYPES, problems_of_label
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.db.patch import remove_unused
from weighbridge.errors import Invalid
from weighbridge.platform import changes

_LABEL = "asset_custom_field.label"
_VALUE_TYPE = "asset_custom_field.value_type"


async def create_asset_custom_field(
    tx: Write, actor: Actor, project: int, new: NewAssetCustomField
) -> AssetCustomField:
    """Make a custom field of a project's assets."""
    label = new.label.strip()
    problems = [*problems_of_label(label, _LABEL)]
    if new.value_type not in VALUE_TYPES:
        said = f"{_VALUE_TYPE} is {new.value_type!r}; allowed are {', '.join(VALUE_TYPES)}."
        problems.append(Problem(said, _VALUE_TYPE, "invalid"))
    there = await value_types(tx, project)
    if label in there:
        problems.append(Problem(f"The project has a custom field {label!r} already.", _LABEL, "taken"))
    if len(there) >= CUSTOM_FIELDS_MAX:
        said = f"The project has {len(there)} custom fields; it can have {CUSTOM_FIELDS_MAX}."
        problems.append(Problem(said, _LABEL, "too_many"))
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        "INSERT INTO asset_custom_fields (project_id, label, value_type) VALUES (%s, %s, %s) RETURNING id",
        (project, label, new.value_type),
    )
    made = await queries.get_asset_custom_field(tx, project, str(number))
    changes.record(
        tx, actor, action="asset_custom_field.create", target=str(number), project_id=project, after=made
    )
    return made


async def delete_asset_custom_field(tx: Write, actor: Actor, project: int, named: str) -> None:
    """Remove a custom field that no asset has a value for; the database itself refuses the others."""
    before = await queries.get_asset_custom_field(tx, project, named)
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
