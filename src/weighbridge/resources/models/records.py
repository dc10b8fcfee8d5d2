"""What a model version looks like on the wire."""

import msgspec

from weighbridge.core.instant import Instant
from weighbridge.core.link import Link


class Model(msgspec.Struct, frozen=True):
    """One version of a model."""

    id: str
    project_id: str | None
    name: str
    version: int
    version_label: str | None
    description: str | None
    is_latest: bool
    is_active: bool
    cadence: str
    partition_type: str
    order: int
    sha256: str
    created_at: Instant
    updated_at: Instant
    ui_url: Link | None


class NewModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a model: its document, and the project when it belongs to one."""

    yaml: str
    project_id: str | int | None = None


class NewModelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /models."""

    model: NewModel
