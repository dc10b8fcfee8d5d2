"""Compute the events of slots from their readings: the definition of a roll-up, and its SQL statement.

Readings with equal tags become one event of each slot. The share of valid readings is that of the
meter.

Invariants: sums are exact until they are rounded to 34 digits. The order in which readings arrived has
no effect. A slot without readings has no event.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final, LiteralString
from zoneinfo import ZoneInfo

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.values import ValueColumn, condition_without_rules, value_of
from weighbridge.core.expression import parse
from weighbridge.core.model import Aggregate
from weighbridge.core.time.calendar import EPOCH, CadenceSlots, Interval
from weighbridge.db.engine import Read, Write
from weighbridge.db.statements import Literal, moments
from weighbridge.quality.slots.capture import valid_measurement

# Of what the events of a type are made: its slots, its readings and which of them count, its values.


@dataclass(frozen=True, slots=True)
class RolledUpColumn:
    """A value of a rolled-up event: its position, its type, and the values of the readings it comes from."""

    position: int
    value_type: str
    required: bool
    aggregate: Aggregate
    read: ValueColumn


@dataclass(frozen=True, slots=True)
class RollUpDefinition:
    """A roll-up as it is stored."""

    project: int
    event_type: int
    source: int
    slots: CadenceSlots
    """For which an event is made."""
    readings: CadenceSlots | None
    """In which readings are expected; None where nothing is."""
    valid_share_min: Decimal | None
    valid: Composable
    """Whether the event `e` is a valid reading."""
    columns: Sequence[RolledUpColumn]


async def held_definition(tx: Write, project: int, event_type: int) -> RollUpDefinition | None:
    """The roll-up of an event type, locked until the transaction ends; None without one."""
    await tx.execute(_HOLD, (project, project, event_type, event_type))
    return await read_definition(tx, project, event_type)


async def read_definition(tx: Read, project: int, event_type: int) -> RollUpDefinition | None:
    """The roll-up of an event type; None without one."""
    rows = await tx.tuples(_DEFINITION, (project, event_type))
    if not rows:
        return None
    source, share, amount, unit, every, every_unit, valid_when, zone, points, values = rows[0]
    points_by_slug = {slug: ValueColumn(position, kind) for slug, position, kind in points or ()}
    is_valid = (
        SQL("true") if valid_when is None else condition_without_rules(parse(valid_when), points_by_slug)
    )
    return RollUpDefinition(
        project,
        event_type,
        source,
        CadenceSlots(amount, unit, ZoneInfo(zone)),
        None if every is None else CadenceSlots(every, every_unit, ZoneInfo(zone)),
        share,
        valid_measurement(is_valid),
        [
            RolledUpColumn(position, kind, required, Aggregate(aggregate), ValueColumn(read, read_kind))
            for position, kind, required, aggregate, read, read_kind in values or ()
        ],
    )


_HOLD: Final = """
    SELECT FROM event_types
     WHERE project_id = %s
       AND id IN (SELECT source_id FROM roll_ups WHERE project_id = %s AND event_type_id = %s
                  UNION ALL SELECT %s)
     ORDER BY id FOR KEY SHARE
"""
_DEFINITION: Final = """
    SELECT r.source_id, r.valid_share_min, own.cadence_amount, own.cadence_unit, source.cadence_amount,
           source.cadence_unit, source.valid_when, p.time_zone,
           (SELECT jsonb_agg(jsonb_build_array(d.slug, d.position, d.value_type)) FROM data_point_types d
             WHERE (d.project_id, d.event_type_id) = (r.project_id, r.source_id)),
           (SELECT jsonb_agg(jsonb_build_array(v.position, d.value_type, d.required, v.aggregate,
                                               v.source_position, s.value_type) ORDER BY v.position)
              FROM rolled_up_values v
              JOIN data_point_types d ON (d.project_id, d.event_type_id, d.position)
                                       = (v.project_id, v.event_type_id, v.position)
              JOIN data_point_types s ON (s.project_id, s.event_type_id, s.position)
                                       = (v.project_id, v.source_id, v.source_position)
             WHERE (v.project_id, v.event_type_id) = (r.project_id, r.event_type_id))
      FROM roll_ups r
      JOIN event_types own ON (own.project_id, own.id) = (r.project_id, r.event_type_id)
      JOIN event_types source ON (source.project_id, source.id) = (r.project_id, r.source_id)
      JOIN projects p ON p.id = r.project_id
     WHERE r.project_id = %s AND r.event_type_id = %s
"""


# The statement that makes the events of some slots of their readings, in one scan.
#
# Readings with the same tags become one event of each slot, so partitions stay what they are; the share of
# valid readings is that of the meter, independent of the tags of its readings: a slot of their cadence that
# has valid readings of several tags is covered once.
#
# Invariants: sums are exact until they are rounded to 34 digits; nothing depends on the order in which
# readings came; a slot without readings makes no event.


SAME_SLOT_AND_TAGS: Final[LiteralString] = """
    (e.start_time = made.start_time AND e.end_time = made.end_time AND e.location_ids = made.location_ids
     AND e.asset_id IS NOT DISTINCT FROM made.asset_id
     AND e.feedstock_id IS NOT DISTINCT FROM made.feedstock_id
     AND e.tracking_id IS NOT DISTINCT FROM made.tracking_id)"""
"""Whether the event `e` is the one of what was `made`."""

MADE: Final[LiteralString] = """made (
    start_time, end_time, asset_id, location_ids, feedstock_id, tracking_id, readings, valid_readings,
    covered_readings, expected_readings, numbers, texts, booleans, is_complete)"""
"""The name of the query of events, with its columns."""

CONTENT: Final[LiteralString] = """(
    {0}.numbers, {0}.texts, {0}.booleans, {0}.is_complete, {0}.readings, {0}.valid_readings,
    {0}.covered_readings, {0}.expected_readings)"""
"""The values of an event, or those rolled up from its readings; format it with the name of either."""

_IN_TIME: Final = "ORDER BY r.start_time, r.end_time, {v}"
_BACK_IN_TIME: Final = "ORDER BY r.start_time DESC, r.end_time DESC, {v} DESC"
_AGGREGATES: Final[dict[Aggregate, LiteralString]] = {
    Aggregate.SUM: "to_34_digits(sum({v}))",
    Aggregate.AVERAGE: "quotient(sum({v}), count({v}))",
    Aggregate.MIN: "min({v})",
    Aggregate.MAX: "max({v})",
    Aggregate.COUNT: "count({v})::numeric",
    Aggregate.FIRST: f"(array_agg({{v}} {_IN_TIME}) FILTER (WHERE {{v}} IS NOT NULL))[1]",
    Aggregate.LAST: f"(array_agg({{v}} {_BACK_IN_TIME}) FILTER (WHERE {{v}} IS NOT NULL))[1]",
    Aggregate.MEDIAN: "median_of(array_agg({v} ORDER BY {v}) FILTER (WHERE {v} IS NOT NULL))",
}
"""Each aggregate of a value `v` of valid readings `r`."""

_ARRAYS: Final[dict[str, tuple[str, LiteralString]]] = {
    "numbers": ("number", "numeric"),
    "texts": ("string", "text"),
    "booleans": ("boolean", "boolean"),
}
"""The arrays of an event, with the types of their values."""


def events_of_slots(definition: RollUpDefinition, numbers: range) -> tuple[Composable, dict[str, Any]]:
    """A query for the rolled-up events of the slots, and its parameters."""
    starts = [definition.slots.start(number) for number in range(numbers.start, numbers.stop + 1)]
    slots = [Interval(*bounds) for bounds in pairwise(starts)]
    readings = definition.readings
    expected = [None if readings is None else len(readings.begun_in(slot)) for slot in slots]
    query = SQL(_EVENTS).format(
        slot=_slot_start(definition.slots, numbers),
        cadence=_cadence_slot(definition, starts[0], starts[-1]),
        valid=definition.valid,
        read=SQL("").join(_read(index, column) for index, column in enumerate(definition.columns)),
        aggregates=SQL("").join(_aggregate(index, column) for index, column in enumerate(definition.columns)),
        usable=_usable(definition),
        complete=SQL("").join(
            _required_condition(index, column) for index, column in enumerate(definition.columns)
        ),
        **{name: _array(definition, name) for name in _ARRAYS},
    )
    return query, {
        "project": definition.project,
        "source": definition.source,
        "first": starts[0],
        "last": starts[-1],
        "starts": moments(starts[:-1]),
        "ends": moments(starts[1:]),
        "expected": expected,
    }


def _slot_start(slots: CadenceSlots, numbers: range) -> Composable:
    """When the slot begins in which the event `e` does."""
    if slots.step is not None:
        return SQL("date_bin({}::interval, e.start_time, {})").format(Literal(slots.step), Literal(EPOCH))
    starts = Literal(moments(slots.start(number) for number in numbers))
    return SQL("({0}::timestamptz[])[width_bucket(e.start_time, {0}::timestamptz[])]").format(starts)


def _cadence_slot(definition: RollUpDefinition, start: Any, end: Any) -> Composable:
    """In which slot of the readings' cadence the event `e` begins, where readings are expected."""
    slots = definition.readings
    if slots is None:
        return SQL("NULL::timestamptz")
    if slots.step is not None:
        return _slot_start(slots, range(0))
    return _slot_start(slots, range(slots.holding(start), slots.holding(end) + 1))


def _read(index: int, column: RolledUpColumn) -> Composable:
    return SQL(", CASE WHEN {} THEN {} END AS {}").format(
        SQL("v.is_valid"), value_of(column.read), _name(index)
    )


def _name(index: int) -> SQL:
    return SQL(f"v{index}")


def _aggregate(index: int, column: RolledUpColumn) -> Composable:
    aggregate = SQL(_AGGREGATES[column.aggregate]).format(v=SQL("r.{}").format(_name(index)))
    return SQL(", {} AS {}").format(aggregate, _name(index))


def _usable(definition: RollUpDefinition) -> Composable:
    """Whether enough of the readings of a slot are valid."""
    if definition.valid_share_min is None:
        return SQL("true")
    share = Literal(definition.valid_share_min)
    return SQL("coalesce(m.covered_by_meter >= {}::numeric * m.expected, true)").format(share)


def _value(index: int, column: RolledUpColumn) -> Composable:
    """A value of the event; a count includes invalid readings."""
    if column.aggregate is Aggregate.COUNT:
        return SQL("u.{}").format(_name(index))
    return SQL("CASE WHEN u.is_usable THEN u.{} END").format(_name(index))


def _required_condition(index: int, column: RolledUpColumn) -> Composable:
    return SQL(" AND u.{} IS NOT NULL").format(_name(index)) if column.required else SQL("")


def _array(definition: RollUpDefinition, name: str) -> Composable:
    """The array of the event's values of one type, by their positions."""
    kind, sql_type = _ARRAYS[name]
    expressions = {column.position: _value(index, column) for index, column in _of_type(definition, kind)}
    values = [
        expressions.get(position, SQL("NULL")) for position in range(1, max(expressions, default=0) + 1)
    ]
    return SQL("ARRAY[{}]::{}[]").format(SQL(", ").join(values), SQL(sql_type))


def _of_type(definition: RollUpDefinition, kind: str) -> Iterator[tuple[int, RolledUpColumn]]:
    return ((index, column) for index, column in enumerate(definition.columns) if column.value_type == kind)


_EVENTS: Final = """
    WITH grouped AS (
        SELECT r.slot, r.asset_id, r.location_ids, r.feedstock_id, r.tracking_id,
               count(*)::integer AS readings, count(*) FILTER (WHERE r.is_valid)::integer AS valid_readings,
               array_agg(DISTINCT r.cadence_slot) FILTER (WHERE r.is_valid) AS covered{aggregates}
          FROM (SELECT {slot} AS slot, {cadence} AS cadence_slot, e.start_time, e.end_time, e.asset_id,
                       e.location_ids, e.feedstock_id, e.tracking_id, v.is_valid{read}
                  FROM events e CROSS JOIN LATERAL (SELECT {valid} AS is_valid) AS v
                 WHERE e.project_id = %(project)s AND e.event_type_id = %(source)s AND e.voided_at IS NULL
                   AND e.start_time >= %(first)s AND e.start_time < %(last)s) AS r
         GROUP BY r.slot, r.asset_id, r.location_ids, r.feedstock_id, r.tracking_id
    ), of_meters AS (
        SELECT g.*, m.meter, count(*) OVER (PARTITION BY g.slot, m.meter) AS tags
          FROM grouped g
         CROSS JOIN LATERAL (
               SELECT CASE WHEN g.asset_id IS NULL THEN ARRAY[0, coalesce(g.location_ids[1], 0)]
                           ELSE ARRAY[g.asset_id, 0] END AS meter) m
    ), shared AS (
        SELECT o.slot, o.meter, count(DISTINCT one.slot) AS covered
          FROM of_meters o CROSS JOIN unnest(o.covered) AS one (slot)
         WHERE o.tags > 1
         GROUP BY o.slot, o.meter
    ), measured AS (
        SELECT g.*, slot.end_time, slot.expected,
               CASE WHEN slot.expected IS NOT NULL THEN least(slot.expected, coalesce(
                   CASE WHEN g.tags = 1 THEN cardinality(g.covered) ELSE s.covered END, 0))::integer
               END AS covered_by_meter
          FROM of_meters g
          LEFT JOIN shared s ON (s.slot, s.meter) = (g.slot, g.meter)
          JOIN unnest(%(starts)s::timestamptz[], %(ends)s::timestamptz[], %(expected)s::integer[])
               AS slot (start_time, end_time, expected) ON slot.start_time = g.slot
    ), usable AS (
        SELECT m.*, {usable} AS is_usable FROM measured m
    )
    SELECT u.slot, u.end_time, u.asset_id, u.location_ids, u.feedstock_id, u.tracking_id, u.readings,
           u.valid_readings, u.covered_by_meter, u.expected, {numbers}, {texts}, {booleans},
           u.is_usable{complete}
      FROM usable u
"""
