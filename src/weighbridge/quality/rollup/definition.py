"""Of what the events of a type are made: its slots, its readings and which of them count, its values."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.condition import condition_without_rules
from weighbridge.collection.measurements.value import ValueColumn
from weighbridge.core.expression import parse
from weighbridge.core.model import Aggregate
from weighbridge.core.time.cadence_slots import CadenceSlots
from weighbridge.db.engine import Read, Write
from weighbridge.quality.capture.seen import valid_measurement


@dataclass(frozen=True, slots=True)
class RolledUpColumn:
    """A value of a rolled-up event: where it stands, what it is, and of which values of the readings."""

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
    """The roll-up of an event type, which nobody changes until the transaction ends; None without one."""
    await tx.execute(_HOLD, (project, project, event_type, event_type))
    return await definition_of(tx, project, event_type)


async def definition_of(tx: Read, project: int, event_type: int) -> RollUpDefinition | None:
    """The roll-up of an event type; None without one."""
    rows = await tx.tuples(_DEFINITION, (project, event_type))
    if not rows:
        return None
    source, share, amount, unit, every, every_unit, valid_when, zone, points, values = rows[0]
    known = {slug: ValueColumn(position, kind) for slug, position, kind in points or ()}
    is_valid = SQL("true") if valid_when is None else condition_without_rules(parse(valid_when), known)
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
