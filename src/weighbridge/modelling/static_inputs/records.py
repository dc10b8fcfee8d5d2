"""What a static input looks like on the wire."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated

import msgspec

from weighbridge.core.time.instant import Instant


class StaticInput(msgspec.Struct, frozen=True):
    """A value that holds from a moment on, for the project or for what it names."""

    id: int
    project_id: str
    slug: str
    value: Decimal
    unit: str | None
    effective_from: Instant
    asset_id: str | None
    feedstock_id: str | None
    location_id: str | None
    created_at: Instant


class NewStaticInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to add a value; without a unit it is a plain number."""

    slug: str
    value: Decimal
    effective_from: Annotated[datetime, msgspec.Meta(tz=True)]
    unit: str | None = None
    asset_id: str | None = None
    feedstock_id: str | None = None
    location_id: str | None = None


class NewStaticInputBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/static_inputs."""

    static_input: NewStaticInput
