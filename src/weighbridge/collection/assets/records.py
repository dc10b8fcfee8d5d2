"""What an asset looks like on the wire."""

from decimal import Decimal
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Moment, Name, Text


class Asset(msgspec.Struct, frozen=True):
    """One piece of equipment; its custom fields by label, those without a value left out.

    As a meter it is expected to measure from `in_service_from` until `in_service_until`; null says nothing.
    """

    id: str
    project_id: str
    name: str
    """What people call it, once in the project, such as `Truck scale 2`."""
    asset_type: str | None
    """What sort of equipment it is, in the project's own words, such as `scale`; null when not said."""
    serial_number: str | None
    """The maker's number on its plate; null when not said."""
    description: str | None
    custom_fields: dict[str, Decimal | str | bool]
    """Values by the label of the custom field, such as `{"Calibrated on": "2025-01-31"}`."""
    in_service_from: Instant | None
    """From when it is expected to measure, inclusive; null says nothing."""
    in_service_until: Instant | None
    created_at: Instant
    updated_at: Instant


class NewAsset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make an asset."""

    name: Name
    asset_type: Name | None = None
    serial_number: Name | None = None
    description: Text | None = None
    custom_fields: dict[str, Any] = {}
    in_service_from: Moment | None = None
    in_service_until: Moment | None = None


class NewAssetBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/assets."""

    asset: NewAsset


class AssetChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change an asset; what is left out stays as it is.

    Of the custom fields, too: one that is left out keeps its value, and null takes the value away.
    """

    name: Name | UnsetType = UNSET
    asset_type: Name | UnsetType | None = UNSET
    serial_number: Name | UnsetType | None = UNSET
    description: Text | UnsetType | None = UNSET
    custom_fields: dict[str, Any] = {}
    """Values by label; one that is left out keeps its value, and null takes the value away."""
    in_service_from: Moment | UnsetType | None = UNSET
    in_service_until: Moment | UnsetType | None = UNSET


class AssetChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/assets/{asset_id}."""

    asset: AssetChange


class AssetImport(msgspec.Struct, frozen=True):
    """What became of the lines of a spreadsheet."""

    created: int
    """How many lines made an asset."""
    updated: int
    """How many lines changed one."""
    unchanged: int
    """How many lines say what an asset is already."""
