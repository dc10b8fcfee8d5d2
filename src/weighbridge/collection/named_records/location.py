"""The row of a location, by which both the list of locations and the answer of an event show one.

The questions are for the locations of events, and go out beside those for the events.
"""

from collections.abc import Collection, Sequence
from decimal import Decimal
from functools import partial
from typing import Final

import msgspec
from psycopg.rows import TupleRow

from weighbridge.collection.locations.records import Address, Location
from weighbridge.core.identity import ids
from weighbridge.db.engine import Command
from weighbridge.db.literal import numbers
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


def locations_numbered(project: int, wanted: Collection[int]) -> Command:
    """The question for several locations of a project, by their numbers."""
    return _NUMBERED, (project, numbers(wanted))


def locations_of_event(project: int, event: int) -> Command:
    """The question for the locations of one event."""
    return _OF_EVENT, (project, project, event)


def locations_by_number(rows: Sequence[TupleRow]) -> dict[int, Location]:
    """The locations that were asked for, by their numbers."""
    return {row[1]: LOCATION_ROW.make(*row) for row in rows}


_NUMBERED: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s AND id = ANY (%s::integer[])
"""
_OF_EVENT: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s
       AND id = ANY (ARRAY(SELECT unnest(location_ids) FROM events WHERE project_id = %s AND id = %s))
"""
