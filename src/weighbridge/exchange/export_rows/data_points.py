"""The data points of a project as a table: a row for each value, with what it is in force by."""

from collections.abc import Mapping
from typing import Final, LiteralString

from psycopg.sql import SQL

from weighbridge.collection.data_points.queries import DATA_POINTS
from weighbridge.collection.measurements.event_list import implied_by
from weighbridge.collection.measurements.value import BOOLEANS, NUMBERS, TEXTS
from weighbridge.core.collection.correction import (
    CorrectionOrigin,
    CorrectionState,
    value_source,
)
from weighbridge.core.platform.export_format import ColumnKind, ExportColumn
from weighbridge.core.quantity.value_source import ValueSource
from weighbridge.db.list_table import ListRequest, comparison
from weighbridge.db.literal import Literal
from weighbridge.exchange.export_rows.friendly_id import friendly_id
from weighbridge.exchange.export_rows.table import SelectedTable, every, moment, ordered

# What is the same for all values of an event is written once for each, and put in the order of the list
# there: unnesting keeps to that, and putting a million values in order takes longer than all the rest.
_OF_EVENTS: Final = f"""
    (SELECT e.*, t.*, {friendly_id("project", "e.project_id")} AS project_text,
            {friendly_id("event", "e.project_id", "e.id")} AS event_text,
            {moment("e.start_time")} AS start_text, {moment("e.end_time")} AS end_text,
            {moment("e.created_at")} AS created_text, {moment("e.updated_at")} AS updated_text
       FROM events e
       JOIN (SELECT et.id AS type_id, et.slug AS type_slug,
                    array_agg(d.slug ORDER BY p.position) AS slugs,
                    array_agg(d.name ORDER BY p.position) AS names,
                    array_agg(d.unit ORDER BY p.position) AS units
               FROM event_types et
              CROSS JOIN LATERAL generate_series(1, (SELECT max(position) FROM data_point_types
                     WHERE (project_id, event_type_id) = (et.project_id, et.id))) AS p (position)
               LEFT JOIN data_point_types d
                 ON (d.project_id, d.event_type_id, d.position) = (et.project_id, et.id, p.position)
              WHERE et.project_id = {{project}} GROUP BY et.id, et.slug) AS t ON t.type_id = e.event_type_id
      WHERE e.project_id = {{project}} AND e.voided_at IS NULL AND {{of_events}} {{order_of_events}}
     OFFSET 0) AS e
"""

_SOURCE: Final = SQL(f"""
    {_OF_EVENTS}
    CROSS JOIN LATERAL unnest({NUMBERS}, {TEXTS}, {BOOLEANS})
      WITH ORDINALITY AS v (number, text, boolean, position)
   WHERE num_nonnulls(v.number, v.text, v.boolean) > 0 AND {{of_values}} {{order_of_values}}
""")

_ORIGIN: Final = f"""
    (SELECT c.source FROM corrections c
      WHERE (c.project_id, c.event_id, c.position) = (e.project_id, e.id, v.position)
        AND c.state = '{CorrectionState.IN_FORCE.value}')
"""


def source_case(origin: LiteralString, is_imputed: LiteralString) -> LiteralString:
    """Where a value comes from, by the origin of its correction in force."""
    cases = " ".join(
        f"WHEN '{one.value}' THEN '{value_source(one, is_imputed=False).value}'" for one in CorrectionOrigin
    )
    imputed, captured = ValueSource.IMPUTED.value, ValueSource.CAPTURED.value
    return (
        f"CASE WHEN e.is_revised OR {is_imputed} THEN CASE {origin} {cases} "
        f"ELSE CASE WHEN {is_imputed} THEN '{imputed}' ELSE '{captured}' END END ELSE '{captured}' END"
    )


_EXPRESSIONS: Final[Mapping[ExportColumn, LiteralString]] = {
    ExportColumn("id", ColumnKind.WORD): friendly_id("data_point", "e.project_id", "e.id", "v.position"),
    ExportColumn("project_id", ColumnKind.WORD): "e.project_text",
    ExportColumn("event_id", ColumnKind.WORD): "e.event_text",
    ExportColumn("event_type", ColumnKind.WORD): "e.type_slug",
    ExportColumn("slug", ColumnKind.WORD): "e.slugs[v.position]",
    ExportColumn("name"): "e.names[v.position]",
    ExportColumn("value", ColumnKind.NUMBER): "v.number",
    ExportColumn(
        "text_value"
    ): "coalesce(v.text, CASE WHEN v.boolean THEN 'true' WHEN NOT v.boolean THEN 'false' END)",
    ExportColumn("unit"): "e.units[v.position]",
    ExportColumn("raw_value", ColumnKind.NUMBER): "CASE WHEN NOT e.is_imputed THEN e.numbers[v.position] END",
    ExportColumn("value_source", ColumnKind.WORD): source_case(_ORIGIN, "e.is_imputed"),
    ExportColumn("tracking_id"): "e.tracking_id",
    ExportColumn("start_time", ColumnKind.MOMENT): "e.start_text",
    ExportColumn("end_time", ColumnKind.MOMENT): "e.end_text",
    ExportColumn("created_at", ColumnKind.MOMENT): "e.created_text",
    ExportColumn("updated_at", ColumnKind.MOMENT): "e.updated_text",
}


def data_points_table(project: int, request: ListRequest) -> SelectedTable:
    """The values that a request to the list asks for, in its order."""
    of_events, of_values = [*implied_by(project, request)], []
    for name, comparator, value in request.conditions:
        if name == "slug":
            of_events.append(SQL("{} = ANY (t.slugs)").format(Literal(value)))
            of_values.append(SQL("e.slugs[v.position] = {}").format(Literal(value)))
        else:
            of_events.append(comparison(DATA_POINTS.filters[name], comparator, value))
    by_value = "value" in {name.removeprefix("-") for name in request.sort}
    order = request.order(DATA_POINTS)
    return SelectedTable(
        _EXPRESSIONS,
        _SOURCE.format(
            project=Literal(project),
            of_events=every(of_events),
            of_values=every(of_values),
            order_of_events=SQL("") if by_value else ordered(order[:-1]),
            order_of_values=ordered(order) if by_value else SQL(""),
        ),
    )
