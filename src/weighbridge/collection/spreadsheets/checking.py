"""What an asset must be like, whether it is made, changed or read from a spreadsheet."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.collection.assets.records import Asset, AssetChange, NewAsset
from weighbridge.collection.spreadsheets.spreadsheet import LINES, TEXT_FIELDS
from weighbridge.core.collection.custom_field import CustomValueError, checked, checked_text
from weighbridge.core.identity.unseen import problem_of_unseen
from weighbridge.core.problem import Problem
from weighbridge.db.patch import changed

AssetContent = TypeVar("AssetContent", Asset, NewAsset)


def problems_of_texts(request: NewAsset | AssetChange) -> Iterator[Problem]:
    """What is wrong with the texts beside the name."""
    for name, longest in TEXT_FIELDS.items():
        text: str | UnsetType | None = getattr(request, name)
        if text is UNSET or text is None:
            continue
        if not text.strip():
            yield Problem(f"asset.{name} is blank; send null instead.", f"asset.{name}", "invalid")
        if name in LINES and (unseen := problem_of_unseen(text, f"asset.{name}")):
            yield unseen
        try:
            checked_text(text, longest)
        except CustomValueError as error:
            yield Problem(f"asset.{name} {error}", f"asset.{name}", "invalid")


def problems_of_custom_fields(values: Mapping[str, Any], value_types: Mapping[str, str]) -> Iterator[Problem]:
    """What is wrong with values by label; null stands for no value."""
    for label, value in values.items():
        field = f"asset.custom_fields.{label}"
        if label not in value_types:
            allowed = ", ".join(map(repr, value_types)) or "none"
            said = f"{label!r} is no custom field of the project's assets, which have {allowed}."
            yield Problem(said, field, "unknown")
        elif value is not None:
            try:
                checked(value_types[label], value)
            except CustomValueError as error:
                yield Problem(f"{field} {error}", field, "invalid")


def with_change(before: AssetContent, change: AssetChange) -> AssetContent:
    """The asset as the caller wants it; custom fields that are left out keep their values."""
    values = {**before.custom_fields, **change.custom_fields}
    kept = {label: value for label, value in sorted(values.items()) if value is not None}
    return msgspec.structs.replace(changed(before, change), custom_fields=kept)
