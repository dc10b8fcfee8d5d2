"""Tables of an export that PostgreSQL writes: data points and events, which may have a million rows.

Invariants: null is an empty cell, an empty text is quoted; a number has every digit; a time is written
as on the wire. With `guards`, a text that a spreadsheet would compute begins with an apostrophe.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString, Protocol, cast

import msgspec
from psycopg.sql import SQL, Composable, Composed

from weighbridge.collection.data_points_queries import DATA_POINTS
from weighbridge.collection.events import EVENTS, resolve_slug_filter
from weighbridge.collection.measurements.event_records import implied_by
from weighbridge.collection.measurements.values import BOOLEANS, NUMBERS, TEXTS
from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState, determine_value_source
from weighbridge.core.identity import KEY_BITS, POSITION_BITS, PREFIXES, PROJECT_BITS, STIR, Owner
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.platform.tasks import FORMULA_LEADS, ColumnKind, ExportColumn
from weighbridge.db.engine import Read
from weighbridge.db.lists.table import ListRequest, SortKey, compare
from weighbridge.db.statements import Literal

# The friendly id of a record as an expression of SQL, for files of a million rows.
#
# It is what `identity.of` writes, from whole numbers of 64 bits: the key has 96 bits, so it is stirred in
# four limbs of 24, as one multiplies on paper.


_LIMB: Final = 24
_LOW: Final = 2**_LIMB - 1
_HALF: Final = 2 * _LIMB
_HALF_MASK: Final = 2**_HALF - 1
_FACTORS: Final = [STIR >> _LIMB * index & _LOW for index in range(4)]


def friendly_id(
    kind: str,
    project: LiteralString,
    key: LiteralString = "0",
    position: LiteralString = "0",
    owner: Owner = Owner.EVENT,
) -> LiteralString:
    """The id of the record whose numbers these expressions give; null where one of them is."""
    limbs = _split_limbs(f"({project})::bigint", f"({key})::bigint", f"({position})::bigint", owner)
    sums = [
        " + ".join(f"{limbs[low]} * {_FACTORS[index - low]}" for low in range(index + 1))
        for index in range(4)
    ]
    low = f"({sums[0]} + ((({sums[1]}) & {_LOW}) << {_LIMB}))"
    carried = f"({low} >> {_HALF}) + (({sums[1]}) >> {_LIMB})"
    high = f"(({sums[2]} + {carried} + ((({sums[3]}) & {_LOW}) << {_LIMB})) & {_HALF_MASK})"
    stirred = f"(({low} & {_HALF_MASK}) # {high})"
    return f"('{PREFIXES[kind]}_' || {_write_digits(high)} || {_write_digits(stirred)})"


def _split_limbs(project: str, key: str, position: str, owner: Owner) -> list[str]:
    """The key in limbs, lowest first: project, key, position and owner stand beside each other in it."""
    of_project = PROJECT_BITS - _LIMB
    first = _LIMB - of_project
    second = first + _LIMB
    shift = KEY_BITS - second
    return [
        f"({project} & {_LOW})",
        f"(({project} >> {_LIMB}) | (({key} << {of_project}) & {_LOW}))",
        f"(({key} >> {first}) & {_LOW})",
        f"(({key} >> {second}) | ({position} << {shift}) | {int(owner) << (shift + POSITION_BITS)})",
    ]


def _write_digits(half: str) -> str:
    return f"lpad(to_hex({half}), {_HALF // 4}, '0')"


# A table of an export: its columns, and its rows as CSV (RFC 4180) with a header.
#
# Invariants: null is an empty cell, an empty text stands in quotes; a number has every digit; a moment is
# written as on the wire. With `guards`, a text that a spreadsheet would compute begins with an apostrophe.


class ExportTable(Protocol):
    """Rows that can be written as CSV."""

    @property
    def columns(self) -> Sequence[ExportColumn]:
        """The columns in their order."""

    def csv(self, tx: Read, *, guards: bool) -> AsyncIterator[bytes]:
        """The header and the rows, some at a time."""


@dataclass(frozen=True, slots=True)
class SelectedTable:
    """A table whose rows PostgreSQL writes: an expression for each column, and what it is selected from."""

    expressions: Mapping[ExportColumn, LiteralString]
    source: Composable
    """The statement after FROM, up to the order."""

    @property
    def columns(self) -> Sequence[ExportColumn]:
        return [*self.expressions]

    async def csv(self, tx: Read, *, guards: bool) -> AsyncIterator[bytes]:
        async for rows in tx.copied(self._build_statement(guards=guards)):
            yield rows

    def _build_statement(self, *, guards: bool) -> Composed:
        selected = [
            SQL("{} AS {}").format(
                SQL(_write_expression(sql, column.kind, guards=guards)), _quote(column.name)
            )
            for column, sql in self.expressions.items()
        ]
        return SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT csv, HEADER)").format(
            SQL(", ").join(selected), self.source
        )


_LEADS: Final = "{" + ",".join(str(ord(lead)) for lead in FORMULA_LEADS) + "}"


def moment(expression: LiteralString) -> LiteralString:
    """A moment in the wire form; the session's clock is UTC."""
    return f'to_char({expression}, \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\')'


def every(conditions: Sequence[Composable]) -> Composable:
    """All conditions together; none is always true."""
    return SQL(" AND ").join([SQL("true"), *conditions])


def ordered(keys: Sequence[SortKey]) -> Composable:
    """The ORDER BY clause of a list."""
    return SQL("ORDER BY ") + SQL(", ").join(
        SQL(f"{key.expression}{' DESC' if key.descends else ''}") for key in keys
    )


def _write_expression(expression: LiteralString, kind: ColumnKind, *, guards: bool) -> LiteralString:
    if kind is ColumnKind.TRUTH:
        return f"CASE WHEN {expression} THEN 'true' WHEN NOT {expression} THEN 'false' END"
    if kind is ColumnKind.TEXT and guards:
        leads = f"ascii({expression}) = ANY ('{_LEADS}')"
        return f"CASE WHEN {leads} THEN '''' || ({expression}) ELSE {expression} END"
    return expression


def _quote(name: str) -> Composable:
    """A column's name, which may come from a slug, as a quoted identifier."""
    return SQL('"' + name.replace('"', '""').replace("%", "%%") + '"')


# The data points of a project as a table: a row for each value, with what it is in force by.


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

_DATA_POINTS_SOURCE: Final = SQL(f"""
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
        f"WHEN '{source.value}' THEN '{determine_value_source(source, is_imputed=False).value}'"
        for source in CorrectionOrigin
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


def build_data_points_table(project: int, request: ListRequest) -> SelectedTable:
    """The values that a request to the list asks for, in its order."""
    of_events, of_values = [*implied_by(project, request)], []
    for name, comparator, value in request.conditions:
        if name == "slug":
            of_events.append(SQL("{} = ANY (t.slugs)").format(Literal(value)))
            of_values.append(SQL("e.slugs[v.position] = {}").format(Literal(value)))
        else:
            of_events.append(compare(DATA_POINTS.filters[name], comparator, value))
    by_value = "value" in {name.removeprefix("-") for name in request.sort}
    order = request.order(DATA_POINTS)
    return SelectedTable(
        _EXPRESSIONS,
        _DATA_POINTS_SOURCE.format(
            project=Literal(project),
            of_events=every(of_events),
            of_values=every(of_values),
            order_of_events=SQL("") if by_value else ordered(order[:-1]),
            order_of_values=ordered(order) if by_value else SQL(""),
        ),
    )


# The events of a project as a table: a row for each event, with a column for each of its values.
#
# The columns of values are those of the event types that the list is filtered by, or of all:
# `value.wet_mass`. Types that share a slug share its column.


VALUE: Final = "value."
"""The prefix of the slug in the name of a column of values."""

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

_EVENTS_SOURCE: Final = SQL("""
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


async def build_events_table(tx: Read, project: int, request: ListRequest) -> SelectedTable:
    """The events that a request to the list asks for, in its order."""
    request = await resolve_slug_filter(tx, project, request)
    event_types = [value for name, _, value in request.conditions if name in _TYPES]
    types = await tx.rows(
        _ValueType,
        """
        SELECT event_type_id, position, slug, value_type FROM data_point_types
         WHERE project_id = %s AND (%s::integer[] = '{}' OR event_type_id = ANY (%s::integer[]))
         ORDER BY event_type_id, position
        """,
        (project, event_types, event_types),
    )
    conditions = every([*implied_by(project, request), *request.where(EVENTS)])
    return SelectedTable(
        {**_OF_EVENT, **_list_value_columns(types)},
        _EVENTS_SOURCE.format(
            project=Literal(project), conditions=conditions, order=ordered(request.order(EVENTS))
        ),
    )


_TYPES: Final = frozenset({"event_type_id", "nexus_event_type_id", "slug"})


def _list_value_columns(types: Sequence[_ValueType]) -> dict[ExportColumn, LiteralString]:
    """A column for each slug, in the order in which types first have it."""
    by_slug: dict[str, list[_ValueType]] = {}
    for value_type in types:
        by_slug.setdefault(value_type.slug, []).append(value_type)
    return dict(_build_column(slug, ones) for slug, ones in by_slug.items())


def _build_column(slug: str, types: Sequence[_ValueType]) -> tuple[ExportColumn, LiteralString]:
    """The values of a slug: by their type where all types agree on it, else as texts."""
    value_types = {point.value_type for point in types}
    agreed = value_types.pop() if len(value_types) == 1 else None
    cast_to = "" if agreed else "::text"
    cases = " ".join(
        f"WHEN {point.event_type:d} THEN ({_ARRAYS[point.value_type]})[{point.position:d}]{cast_to}"
        for point in types
    )
    kind = _KINDS.get(cast("Any", agreed), ColumnKind.TEXT)
    return ExportColumn(f"{VALUE}{slug}", kind), f"(CASE e.event_type_id {cases} END)"
