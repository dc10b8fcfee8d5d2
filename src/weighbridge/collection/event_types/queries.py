"""Read event types."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.collection.event_schema.roll_up import roll_ups_of
from weighbridge.collection.event_types.records import DataPointType, EventType
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, page_of
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound

EVENT_TYPES: Final = Listing(
    sorts={
        "id": "id",
        "name": "name",
        "slug": "slug",
        "created_at": "created_at",
        "updated_at": "updated_at",
    },
    default_sort="id",
    key=("id",),
    filters={"slug": Filter("slug", str, "a slug")},
    is_exported=True,
)


def _nothing() -> None:
    """What is read for a whole page at once."""


def _page_of_event_type(project: int, number: int) -> Link:
    return Link(f"/projects/{ids.of('project', project)}/event_types/{ids.of('event_type', project, number)}")


EVENT_TYPE_ROW: Final = row_of(
    EventType,
    Column("id", ("project_id", "id"), partial(ids.of, "event_type")),
    Column("slug", "slug"),
    Column("name", "name"),
    Column("description", "description"),
    Column("cadence_amount", "cadence_amount"),
    Column("cadence_unit", "cadence_unit"),
    Column("valid_when", "valid_when"),
    Column("reusable_in_batches", "reusable_in_batches"),
    Column("expected_locations", "expected_locations"),
    Column("requires_tracking_id", "requires_tracking_id"),
    Column("is_static", "false"),
    Column("data_point_types", (), list),
    Column("rolled_up_from", (), _nothing),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
    Column("ui_url", ("project_id", "id"), _page_of_event_type),
)
"""Without its data point types and roll-up, which are read for a whole page at once."""


async def list_event_types(tx: Read, project: int, request: ListRequest) -> Page[EventType]:
    """The event types of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    page = await page_of(
        tx, EVENT_TYPE_ROW.make, EVENT_TYPES, request,
        columns=EVENT_TYPE_ROW.columns, source="event_types", where=[of_project],
    )  # fmt: skip
    return Page(await _with_data_point_types(tx, project, page.data), page.info)


async def get_event_type(tx: Read, project: int, friendly: str) -> EventType:
    """One event type by its friendly id; a number names none."""
    event_type = await tx.row(
        EVENT_TYPE_ROW.make,
        f"SELECT {EVENT_TYPE_ROW.columns} FROM event_types WHERE project_id = %s AND id = %s",
        (project, ids.number("event_type", friendly, project)),
    )
    if event_type is None:
        raise NotFound
    return (await _with_data_point_types(tx, project, [event_type]))[0]


async def _with_data_point_types(tx: Read, project: int, event_types: Sequence[EventType]) -> list[EventType]:
    numbers = [key.key for one in event_types if (key := ids.parse("event_type", one.id))]
    rows = await tx.rows(
        DataPointType,
        """
        SELECT id, slug, name, value_type, unit, required, false AS is_static,
               event_type_id AS nexus_event_type_id, created_at, updated_at
          FROM data_point_types WHERE project_id = %s AND event_type_id = ANY (%s)
         ORDER BY event_type_id, position
        """,
        (project, numbers),
    )
    roll_ups = await roll_ups_of(tx, project, numbers)
    by_type: dict[int, list[DataPointType]] = defaultdict(list)
    for row in rows:
        by_type[row.nexus_event_type_id].append(row)
    return [
        msgspec.structs.replace(one, data_point_types=by_type[number], rolled_up_from=roll_ups.get(number))
        for one, number in zip(event_types, numbers, strict=True)
    ]
