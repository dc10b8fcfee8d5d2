"""What a project looks like on the wire."""

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.link import Link
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Description

STATUSES = ("active", "archived")
"""What a project may be; `archived` is a label, and keeps nobody from reading or writing."""


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
    description: Description | None = None
    time_zone: str = "UTC"


class NewProjectBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects."""

    project: NewProject


class ProjectChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a project; what is left out stays as it is."""

    name: str | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    time_zone: str | UnsetType = UNSET
    status: str | UnsetType = UNSET


class ProjectChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}."""

    project: ProjectChange
