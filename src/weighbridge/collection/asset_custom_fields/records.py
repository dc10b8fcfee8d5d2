"""What a custom field looks like on the wire."""

from typing import Annotated, Final

import msgspec

from weighbridge.core.collection.custom_field import LABEL_LENGTH_MAX, VALUE_TYPES
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import at_most, one_of

CUSTOM_FIELDS_MAX: Final = 100
"""Custom fields of one project's assets, at most."""


class AssetCustomField(msgspec.Struct, frozen=True):
    """One column that a project adds to its assets."""

    id: int
    """The number of the custom field."""
    project_id: str
    label: str
    """What heads its column in the asset spreadsheet, such as `Calibrated on`, up to 100 characters."""
    value_type: Annotated[str, one_of(VALUE_TYPES)]
    """What its values are; a `date` is a text such as `2025-01-31`."""
    created_at: Instant


class NewAssetCustomField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a custom field; its value type is text, number, boolean or date."""

    label: Annotated[str, at_most(LABEL_LENGTH_MAX)]
    value_type: Annotated[str, one_of(VALUE_TYPES)]


class NewAssetCustomFieldBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/asset_custom_fields."""

    asset_custom_field: NewAssetCustomField
