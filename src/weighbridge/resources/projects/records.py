"""What a project looks like on the wire."""

import msgspec

from weighbridge.core.instant import Instant
from weighbridge.core.link import Link


class Project(msgspec.Struct, frozen=True):
    """One project."""

    id: str
    numeric_id: int
    name: str
    description: str | None
    time_zone: str
    status: str
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class NewProject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a project."""

    name: str
    description: str | None = None
    time_zone: str = "UTC"


class NewProjectBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects."""

    project: NewProject
