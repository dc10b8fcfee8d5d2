"""The row of a location, by which both the list of locations and the answer of an event show one."""

from decimal import Decimal
from functools import partial
from typing import Final

import msgspec

from weighbridge.collection.locations.records import Address, Location
from weighbridge.core.identity import ids
from weighbridge.db.row import Column, row_of, unless_null


def _degrees(value: Decimal) -> str:
    return format(value, "f")


LOCATION_ROW: Final = row_of(
    Location,
    Column("id", ("project_id", "id"), partial(ids.of, "location")),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("name", "name"),
    Column("lat", "lat", unless_null(_degrees)),
    Column("long", "long", unless_null(_degrees)),
    Column("address", "address", unless_null(partial(msgspec.convert, type=Address))),
    Column("in_service_from", "in_service_from"),
    Column("in_service_until", "in_service_until"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)
