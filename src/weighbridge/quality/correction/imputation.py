"""Imputation: the events that a rule makes for slots of a meter in which none came.

What was found for such slots stands in a table of the transaction. A slot that has an imputed event keeps it,
whichever rule made it; any other has a new one, as long and tagged as the captured events beside it are: a
feedstock or tracking id only where both have the same. Its value is a correction of the rule like any other.

Invariants: a slot that a person emptied since this version of the rule stays empty; memory stays flat.
"""

from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import PORTION
from weighbridge.core.identity import ids
from weighbridge.db.engine import Write
from weighbridge.db.literal import Literal
from weighbridge.quality.correction import placeholders
from weighbridge.quality.versions.stored_version import StoredVersion


async def find_events(tx: Write, version: StoredVersion) -> None:
    """Give each slot that was found a value its event, and put what was found of it among the findings."""
    names = placeholders.of_version(version) | {"limit": Literal(PORTION)}
    await tx.execute(_LEAVE_TO_PEOPLE.format(**names))
    while slots := await tx.tuples(_WITHOUT_EVENT.format(**names)):
        keys = await tx.take_event_keys(len(slots))
        values = {
            "project": version.project,
            "keys": keys,
            "places": [place for (place,) in slots],
            "records": [ids.of("event", version.project, key) for key in keys],
        }
        await tx.execute(_INSERT_EVENTS, values)
        await tx.execute(_INSERT_IMPUTATIONS, values)
    await tx.execute(_FIND.format(**names))


_SAME_SLOT: Final = """(m.project_id, m.event_type_id, m.asset_id, m.location_id, m.slot_start)
                     = ({project}, s.event_type_id, s.asset_id, s.location_id, s.slot_start)"""

_LEAVE_TO_PEOPLE: Final = SQL(
    f"""
    DELETE FROM rule_missing_slots s
     USING rule_versions v
     WHERE (v.project_id, v.rule_id, v.version) = ({{project}}, {{rule}}, {{version}}) AND EXISTS (
           SELECT FROM imputations m
             JOIN corrections c ON (c.project_id, c.event_id) = (m.project_id, m.event_id)
              AND c.rule_id = {{rule}} AND c.position = s.position
            WHERE {_SAME_SLOT} AND m.withdrawn_at >= v.created_at AND m.captured_by IS NULL
              AND (c.state = ANY ({{not_reverted}})
                   OR c.reverted_by IS NOT NULL AND c.reverted_at >= v.created_at))
    """
)
_WITHOUT_EVENT: Final = SQL(
    f"""
    SELECT s.place FROM rule_missing_slots s
     WHERE NOT EXISTS (SELECT FROM imputations m WHERE {_SAME_SLOT} AND m.withdrawn_at IS NULL)
     ORDER BY s.place LIMIT {{limit}}
    """
)


def _beside(name: str, side: str) -> str:
    """The captured event of the meter that stands next before or after the slot."""
    return f"""
      LEFT JOIN LATERAL (
           SELECT e.id, e.feedstock_id, e.tracking_id, e.location_ids, e.end_time > e.start_time AS lasts
             FROM events e
            WHERE e.project_id = %(project)s AND e.event_type_id = s.event_type_id AND e.voided_at IS NULL
              AND NOT e.is_imputed AND coalesce(e.asset_id, 0) = s.asset_id
              AND CASE WHEN e.asset_id IS NULL THEN coalesce(e.location_ids[1], 0) ELSE 0 END = s.location_id
              AND e.start_time {side} LIMIT 1) AS {name} ON true"""


def _shared(tag: str) -> str:
    return f"""CASE WHEN after.id IS NULL OR before.{tag} = after.{tag} THEN before.{tag}
                    WHEN before.id IS NULL THEN after.{tag} END"""


_INSERT_EVENTS: Final = f"""
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, tracking_id, feedstock_id,
                        asset_id, location_ids, numbers, is_complete, is_imputed)
    SELECT %(project)s, new.key, s.event_type_id, s.slot_start,
           CASE WHEN coalesce(before.lasts, after.lasts) THEN s.slot_end ELSE s.slot_start END,
           {_shared("tracking_id")}, {_shared("feedstock_id")}, nullif(s.asset_id, 0),
           coalesce(before.location_ids, after.location_ids, array_remove(ARRAY[s.location_id], 0)),
           array_fill(NULL::numeric, ARRAY[(
               SELECT max(t.position)::integer FROM data_point_types t
                WHERE (t.project_id, t.event_type_id, t.value_type)
                    = (%(project)s, s.event_type_id, 'number'))]),
           false, true
      FROM unnest(%(keys)s::bigint[], %(places)s::bigint[]) AS new (key, place)
      JOIN rule_missing_slots s USING (place)
      {_beside("before", "< s.slot_start ORDER BY e.start_time DESC, e.id DESC")}
      {_beside("after", ">= s.slot_end ORDER BY e.start_time, e.id")}
"""
_INSERT_IMPUTATIONS: Final = """
    INSERT INTO imputations (project_id, event_id, event_type_id, asset_id, location_id, slot_start, slot_end,
                             record)
    SELECT %(project)s, new.key, s.event_type_id, s.asset_id, s.location_id, s.slot_start, s.slot_end,
           new.record
      FROM unnest(%(keys)s::bigint[], %(places)s::bigint[], %(records)s::text[]) AS new (key, place, record)
      JOIN rule_missing_slots s USING (place)
"""
_FIND: Final = SQL(
    f"""
    INSERT INTO rule_findings (event_id, position, to_value, substitution)
    SELECT m.event_id, s.position, s.to_value, s.substitution
      FROM rule_missing_slots s JOIN imputations m ON {_SAME_SLOT} AND m.withdrawn_at IS NULL
    """
)
