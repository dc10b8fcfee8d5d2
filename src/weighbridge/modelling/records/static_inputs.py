"""Define the records of static inputs."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated

import msgspec

from weighbridge.core.time.instant import Instant
from weighbridge.http.text import NewSlug, UnitText


class StaticInput(msgspec.Struct, frozen=True):
    """A value that holds from a moment on, for the project or for what it names."""

    id: int
    """The number of the value."""
    project_id: str
    slug: str
    """The name that models read it by, such as `grid_factor`."""
    value: Decimal
    """The value, in its `unit`."""
    unit: str | None
    """The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number."""
    effective_from: Instant
    """From when it holds, inclusive, until a later one of the same slug and keys."""
    asset_id: str | None
    """The friendly id of the asset that it holds for; null when it holds for every asset or none."""
    feedstock_id: str | None
    """The friendly id of the feedstock that it holds for; null when it holds for every feedstock."""
    location_id: str | None
    """The friendly id of the location that it holds for; null when it holds for every location."""
    created_at: Instant


class NewStaticInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to add a value; without a unit it is a plain number."""

    slug: NewSlug
    value: Decimal
    effective_from: Annotated[datetime, msgspec.Meta(tz=True)]
    unit: UnitText | None = None
    asset_id: str | None = None
    feedstock_id: str | None = None
    location_id: str | None = None


class NewStaticInputBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/static_inputs."""

    static_input: NewStaticInput
