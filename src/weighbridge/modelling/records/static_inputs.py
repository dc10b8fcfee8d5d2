"""Define the records of static inputs."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.core.time.instant import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.db.lists.listing import MOMENT, Filter, read_key, read_moment
from weighbridge.http.text import Moment, NewSlug, UnitText


def _trim(unit: str) -> str | None:
    return unit.strip() or None


class StaticInput(msgspec.Struct, frozen=True):
    """A value that holds from a moment on, for the project or for what it names."""

    id: int
    """The number of the value."""
    project_id: str
    slug: Annotated[str, Sent(NewSlug, filter=Filter("slug", str, "a slug"), is_sorted=True)]
    """The name that models read it by, such as `grid_factor`."""
    value: Annotated[Decimal, Sent(Decimal)]
    """The value, in its `unit`."""
    unit: Annotated[str | None, Sent(UnitText, write=_trim)]
    """The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number."""
    effective_from: Annotated[
        Instant,
        Sent(
            Moment,
            write=Instant.of,
            filter=Filter("effective_from", read_moment, MOMENT, ("eq", "geq", "leq")),
            is_sorted=True,
        ),
    ]
    """From when it holds, inclusive, until a later one of the same slug and keys."""
    asset_id: Annotated[
        str | None,
        Sent(str, of="asset", filter=Filter("asset_id", read_key("asset"), "an id ast_…")),
    ]
    """The friendly id of the asset that it holds for; null when it holds for every asset or none."""
    feedstock_id: Annotated[
        str | None,
        Sent(str, of="feedstock", filter=Filter("feedstock_id", read_key("feedstock"), "an id fs_…")),
    ]
    """The friendly id of the feedstock that it holds for; null when it holds for every feedstock."""
    location_id: Annotated[
        str | None,
        Sent(str, of="location", filter=Filter("location_id", read_key("location"), "an id loc_…")),
    ]
    """The friendly id of the location that it holds for; null when it holds for every location."""
    created_at: Instant


STATIC_INPUT_BODIES: Final = RequestBodies(
    StaticInput,
    "static_input",
    "/projects/{project_id}/static_inputs",
    first=("slug", "value", "effective_from"),
    about_new="What a caller sends to add a value; without a unit it is a plain number.",
)
