"""The named nouns: feedstocks, locations and assets, and how other parts of the service read them.

Models read events by the names of their tags and places, so a name is fixed once batches depend on it.
"""

from collections.abc import Collection, Sequence
from typing import Final, LiteralString

from psycopg.rows import TupleRow

from weighbridge.collection.named_records.noun import NamedNoun, Values
from weighbridge.collection.named_records.spreadsheet import problems_of_custom_fields
from weighbridge.collection.records.projects import Asset, Feedstock, Location
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Command, Read, Write
from weighbridge.db.statements import numbers

_READ_BY_TAG: Final[LiteralString] = """
    EXISTS (SELECT FROM runs r WHERE r.project_id = %(project)s AND r.{tag} = number)
    OR EXISTS (SELECT FROM events e
                WHERE e.project_id = %(project)s AND e.{tag} = number
                  AND e.event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                           WHERE project_id = %(project)s))
"""
"""Partitions are ordered and filtered by the names of their tags: results depend on them."""

_READ_BY_PLACE: Final[LiteralString] = """
    EXISTS (SELECT FROM events e
             WHERE e.project_id = %(project)s AND number = ANY (e.location_ids)
               AND e.event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                        WHERE project_id = %(project)s))
"""
"""Models filter events by the names of their locations: a result depends on them."""

_EVERYTHING: Final = "Events, voided ones and corrections included, static inputs, outages or data feeds"
_OF_ASSET: Final = (
    "Events, voided ones and corrections included, static inputs, outages, calibrations or data feeds"
)


async def value_types(tx: Read, project: int) -> dict[str, str]:
    """The type of the values of each custom field of a project, by label and in the order of the labels."""
    rows = await tx.tuples(
        "SELECT label, value_type FROM asset_custom_fields WHERE project_id = %s", (project,)
    )
    return dict(sorted(rows))


async def _problems_of_asset(tx: Read, project: int, sent: Values) -> list[Problem]:
    values = sent.get("custom_fields")
    return [*problems_of_custom_fields(values, await value_types(tx, project))] if values else []


FEEDSTOCKS: Final = NamedNoun(
    Feedstock,
    "feedstock",
    "feedstocks",
    read_by=_READ_BY_TAG.format(tag="feedstock_id"),
    fixed="Batches were made of events of this feedstock and depend on its name; the name is fixed.",
    named_by=_EVERYTHING,
    is_exported=True,
)
LOCATIONS: Final = NamedNoun(
    Location,
    "location",
    "locations",
    read_by=_READ_BY_PLACE,
    fixed="Batches were made of events at this location and may depend on its name; the name is fixed.",
    named_by="Events, voided ones included, static inputs or outages",
    is_exported=True,
)
ASSETS: Final = NamedNoun(
    Asset,
    "asset",
    "assets",
    read_by=_READ_BY_TAG.format(tag="asset_id"),
    fixed="Batches were made of events of this asset and depend on its name; the name is fixed.",
    named_by=_OF_ASSET,
    check=_problems_of_asset,
)

# Locations of events: these statements go out together with those for the events.

LOCATION_ROW: Final = LOCATIONS.table.row


def locations_numbered(project: int, wanted: Collection[int]) -> Command:
    """The statement for several locations of a project, by their numbers."""
    return _NUMBERED, (project, numbers(wanted))


def locations_of_event(project: int, event: int) -> Command:
    """The statement for the locations of one event."""
    return _OF_EVENT, (project, project, event)


def locations_by_number(rows: Sequence[TupleRow]) -> dict[int, Location]:
    """The locations of rows, by their numbers."""
    return {row[1]: LOCATION_ROW.make(*row) for row in rows}


_NUMBERED: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s AND id = ANY (%s::integer[])
"""
_OF_EVENT: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s
       AND id = ANY (ARRAY(SELECT unnest(location_ids) FROM events WHERE project_id = %s AND id = %s))
"""

# Assets of a spreadsheet.


async def assets_behind(tx: Read, project: int, number: int, count: int) -> Sequence[Asset]:
    """The next assets of a project after one of them, in the order of their numbers."""
    row = ASSETS.table.row
    return await tx.rows(
        row.make,
        f"SELECT {row.columns} FROM assets WHERE project_id = %s AND id > %s ORDER BY id LIMIT %s",
        (project, number, count),
    )


async def locked_assets(
    tx: Write, project: int, numbers: Sequence[int], names: Sequence[str]
) -> Sequence[Asset]:
    """The assets of these numbers or names, which nobody else changes until the transaction ends."""
    row = ASSETS.table.row
    return await tx.rows(
        row.make,
        f"""
        SELECT {row.columns} FROM assets
         WHERE project_id = %s AND (id = ANY (%s) OR name = ANY (%s)) ORDER BY id FOR UPDATE
        """,
        (project, list(numbers), list(names)),
    )
