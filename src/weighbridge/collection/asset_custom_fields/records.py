"""What a custom field looks like on the wire."""

from typing import Final

import msgspec

from weighbridge.core.time.instant import Instant

CUSTOM_FIELDS_MAX: Final = 100
"""Custom fields of one project's assets, at most."""


class AssetCustomField(msgspec.Struct, frozen=True):
    """One column that a project adds to its assets."""

    id: int
    project_id: str
    label: str
    value_type: str
    created_at: Instant


class NewAssetCustomField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a custom field; its value type is text, number, boolean or date."""

    label: str
    value_type: str


class NewAssetCustomFieldBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/asset_custom_fields."""

    asset_custom_field: NewAssetCustomField
