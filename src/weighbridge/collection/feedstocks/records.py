"""What a feedstock looks like on the wire."""

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Description, Name


class Feedstock(msgspec.Struct, frozen=True):
    """One raw material of a project."""

    id: str
    project_id: str
    name: str
    """What people call it, once in the project, such as `Wood chips`."""
    description: str | None
    created_at: Instant
    updated_at: Instant


class NewFeedstock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a feedstock."""

    name: Name
    description: Description | None = None


class NewFeedstockBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/feedstocks."""

    feedstock: NewFeedstock


class FeedstockChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a feedstock; what is left out stays as it is."""

    name: Name | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET


class FeedstockChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/feedstocks/{feedstock_id}."""

    feedstock: FeedstockChange
