"""What a project looks like on the wire."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.link import Link
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Description, Name, one_of

STATUSES = ("active", "archived")
"""What a project may be; `archived` is a label, and keeps nobody from reading or writing."""


class Project(msgspec.Struct, frozen=True):
    """One project."""

    id: str
    numeric_id: int
    """The number by which the `args` of tasks name it; paths and filters take it as well."""
    name: str
    """What people call it, such as `Plant North`."""
    description: str | None
    time_zone: str
    """The time zone that slots are cut in, by its IANA name."""
    status: Annotated[str, one_of(STATUSES)]
    """Whether it goes on; `archived` is a label, and keeps nobody from reading or writing."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class NewProject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a project."""

    name: Name
    description: Description | None = None
    time_zone: Name = "UTC"


class NewProjectBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects."""

    project: NewProject


class ProjectChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change a project; what is left out stays as it is."""

    name: Name | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    time_zone: Name | UnsetType = UNSET
    status: Annotated[str, one_of(STATUSES)] | UnsetType = UNSET


class ProjectChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}."""

    project: ProjectChange
