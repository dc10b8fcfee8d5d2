"""The events of a project as a table: a row for each event, with a column for each of its values.

The columns of values are those of the event types that the list is filtered by, or of all: `value.wet_mass`.
Types that share a slug share its column.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, LiteralString, cast

import msgspec
from psycopg.sql import SQL

from weighbridge.collection.events.queries import EVENTS, typed
from weighbridge.collection.measurements.event_list import implied_by
from weighbridge.collection.measurements.value import BOOLEANS, NUMBERS, TEXTS
from weighbridge.core.platform.export_format import ColumnKind, ExportColumn
from weighbridge.db.engine import Read
from weighbridge.db.list_table import ListRequest
from weighbridge.db.literal import Literal
from weighbridge.exchange.export_rows.friendly_id import friendly_id
from weighbridge.exchange.export_rows.table import SelectedTable, every, moment, ordered

VALUE: Final = "value."
"""What stands before the slug in the name of a column of values."""

_OF_EVENT: Final[Mapping[ExportColumn, LiteralString]] = {
    ExportColumn("id", ColumnKind.WORD): friendly_id("event", "e.project_id", "e.id"),
    ExportColumn("project_id", ColumnKind.WORD): friendly_id("project", "e.project_id"),
    ExportColumn("event_type", ColumnKind.WORD): "et.slug",
    ExportColumn("status", ColumnKind.WORD): "CASE WHEN e.is_complete THEN 'complete' ELSE 'incomplete' END",
    ExportColumn("start_time", ColumnKind.MOMENT): moment("e.start_time"),
    ExportColumn("end_time", ColumnKind.MOMENT): moment("e.end_time"),
    ExportColumn("tracking_id"): "e.tracking_id",
    ExportColumn("client_reference"): "e.client_reference",
    ExportColumn("feedstock_id", ColumnKind.WORD): friendly_id("feedstock", "e.project_id", "e.feedstock_id"),
    ExportColumn("asset_id", ColumnKind.WORD): friendly_id("asset", "e.project_id", "e.asset_id"),
    ExportColumn("location_ids", ColumnKind.WORD): f"""
        (SELECT string_agg({friendly_id("location", "e.project_id", "l.id")}, ' ' ORDER BY l.position)
           FROM unnest(e.location_ids) WITH ORDINALITY AS l (id, position))
        """,
    ExportColumn("notes"): "e.notes",
    ExportColumn("imputed", ColumnKind.TRUTH): "e.is_imputed",
    ExportColumn("created_at", ColumnKind.MOMENT): moment("e.created_at"),
    ExportColumn("updated_at", ColumnKind.MOMENT): moment("e.updated_at"),
}

_SOURCE: Final = SQL("""
    events e JOIN event_types et ON (et.project_id, et.id) = (e.project_id, e.event_type_id)
   WHERE e.project_id = {project} AND e.voided_at IS NULL AND {conditions} {order}
""")

_KINDS: Final = {"number": ColumnKind.NUMBER, "boolean": ColumnKind.TRUTH}
_ARRAYS: Final = {"number": NUMBERS, "string": TEXTS, "boolean": BOOLEANS}


class _ValueType(msgspec.Struct, frozen=True):
    event_type: int
    position: int
    slug: str
    value_type: str


async def events_table(tx: Read, project: int, request: ListRequest) -> SelectedTable:
    """The events that a request to the list asks for, in its order."""
    request = await typed(tx, project, request)
    named = [value for name, _, value in request.conditions if name in _TYPES]
    types = await tx.rows(
        _ValueType,
        """
        SELECT event_type_id, position, slug, value_type FROM data_point_types
         WHERE project_id = %s AND (%s::integer[] = '{}' OR event_type_id = ANY (%s::integer[]))
         ORDER BY event_type_id, position
        """,
        (project, named, named),
    )
    conditions = every([*implied_by(project, request), *request.where(EVENTS)])
    return SelectedTable(
        {**_OF_EVENT, **_values(types)},
        _SOURCE.format(project=Literal(project), conditions=conditions, order=ordered(request.order(EVENTS))),
    )


_TYPES: Final = frozenset({"event_type_id", "nexus_event_type_id", "slug"})


def _values(types: Sequence[_ValueType]) -> dict[ExportColumn, LiteralString]:
    """A column for each slug, in the order in which types first have it."""
    by_slug: dict[str, list[_ValueType]] = {}
    for one in types:
        by_slug.setdefault(one.slug, []).append(one)
    return dict(_column(slug, ones) for slug, ones in by_slug.items())


def _column(slug: str, types: Sequence[_ValueType]) -> tuple[ExportColumn, LiteralString]:
    """The values of a slug: by their type where all types agree on it, else as texts."""
    value_types = {one.value_type for one in types}
    agreed = value_types.pop() if len(value_types) == 1 else None
    cast_to = "" if agreed else "::text"
    cases = " ".join(
        f"WHEN {one.event_type:d} THEN ({_ARRAYS[one.value_type]})[{one.position:d}]{cast_to}"
        for one in types
    )
    kind = _KINDS.get(cast("Any", agreed), ColumnKind.TEXT)
    return ExportColumn(f"{VALUE}{slug}", kind), f"(CASE e.event_type_id {cases} END)"
