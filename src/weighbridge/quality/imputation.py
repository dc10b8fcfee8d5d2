"""Create events for slots of a meter without captured events, with a value that is a correction of the
rule.

A slot that has an imputed event keeps it, whichever rule created it. A new one has the length and the
tags of the captured events around it: a feedstock or tracking ID only where both neighbours have the
same. With approval, the event is created when a user approves it; until then the proposal stores its
description.

Invariants: a slot that a person emptied since this version of the rule stays empty. Memory does not
grow.
"""

from collections.abc import Sequence
from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import MOMENT, PORTION
from weighbridge.collection.measurements.event_records import METER_ASSET, METER_LOCATION
from weighbridge.core import identity
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.db.statements import Literal
from weighbridge.quality import rule_corrections
from weighbridge.quality.rule_versions import StoredVersion


async def find_events(tx: Write, version: StoredVersion) -> set[int]:
    """Give each slot that was found a value its event, and put what was found of it among the findings;
    gives the event types in which it made events.

    Of a rule that needs approval only slots that have an event already are put there.
    """
    names = rule_corrections.of_version(version)
    await tx.execute(_LEAVE_TO_PEOPLE.format(**names))
    event_types = set() if version.requires_approval else await _make_events(tx, version.project)
    await tx.execute(_FIND.format(**names))
    return event_types


async def describe_slots(tx: Write, version: StoredVersion) -> None:
    """Say of each slot that is still to be proposed for how its event is described.

    Slots that have an event where a person took back the rule's value are left to the person.
    """
    await tx.execute(_LEAVE_VALUES_TO_PEOPLE.format(**rule_corrections.of_version(version)))
    await tx.execute(_DESCRIBE, {"project": version.project, "places": None, "moment": MOMENT})


async def create_imputed_events(
    tx: Write, project: int, results: Sequence[int]
) -> tuple[dict[int, int], set[int]]:
    """Give each slot that results propose for its event; gives these by result, which name them then, and
    the event types in which it made events.

    The slots that the transaction has found are forgotten.
    """
    await tx.execute("DELETE FROM rule_missing_slots")
    values = {"project": project, "results": list(results)}
    await tx.execute(_PROPOSED_SLOTS, values)
    event_types = await _make_events(tx, project)
    return dict(await tx.tuples(_NAME_EVENTS, values)), event_types


async def lock_imputed_events(tx: Write, project: int) -> None:
    """Lock the creation of imputed events until the transaction ends."""
    await tx.execute(*locks.hold(locks.imputing(project)))


async def _make_events(tx: Write, project: int) -> set[int]:
    """Make an event for each slot of the transaction's that has none, portion by portion; gives the types."""
    statement = _WITHOUT_EVENT.format(project=Literal(project), limit=Literal(PORTION))
    event_types: set[int] = set()
    if not await tx.tuples(statement):
        return event_types
    await lock_imputed_events(tx, project)
    while slots := await tx.tuples(statement):
        event_types |= {event_type for _, event_type in slots}
        keys = await tx.take_event_keys(len(slots))
        values = {
            "project": project,
            "keys": keys,
            "places": [place for place, _ in slots],
            "records": [identity.of("event", project, key) for key in keys],
            "moment": MOMENT,
        }
        await tx.execute(_DESCRIBE, values)
        await tx.execute(_INSERT_EVENTS, values)
        await tx.execute(_INSERT_IMPUTATIONS, values)
    return event_types


_SAME_SLOT: Final = """(m.project_id, m.event_type_id, m.asset_id, m.location_id, m.slot_start)
                     = ({project}, s.event_type_id, s.asset_id, s.location_id, s.slot_start)"""

_LEAVE_TO_PEOPLE: Final = SQL(
    f"""
    WITH emptied AS MATERIALIZED (
        SELECT s.place FROM (SELECT * FROM rule_missing_slots) s
          JOIN rule_versions v
            ON (v.project_id, v.rule_id, v.version) = ({{project}}, {{rule}}, {{version}})
         WHERE EXISTS (
               SELECT FROM imputations m
                 JOIN corrections c ON (c.project_id, c.event_id) = (m.project_id, m.event_id)
                  AND c.rule_id = {{rule}} AND c.position = s.position
                WHERE {_SAME_SLOT} AND m.withdrawn_at >= v.created_at AND m.captured_by IS NULL
                  AND (c.state = ANY ({{not_reverted}})
                       OR c.reverted_by IS NOT NULL AND c.reverted_at >= v.created_at
                          AND c.rejected_result IS NULL))
    )
    DELETE FROM rule_missing_slots s USING emptied WHERE s.place = emptied.place
    """
)
_LEAVE_VALUES_TO_PEOPLE: Final = SQL(
    f"""
    WITH taken_back AS MATERIALIZED (
        SELECT s.place
          FROM (SELECT * FROM rule_missing_slots) s
          JOIN imputations m ON {_SAME_SLOT} AND m.withdrawn_at IS NULL
          JOIN (SELECT * FROM rule_findings) f ON (f.event_id, f.position) = (m.event_id, s.position)
         WHERE f.to_value IS NULL
    )
    DELETE FROM rule_missing_slots s USING taken_back WHERE s.place = taken_back.place
    """
)
_WITHOUT_EVENT: Final = SQL(
    f"""
    SELECT s.place, s.event_type_id FROM (SELECT * FROM rule_missing_slots) s
     WHERE NOT EXISTS (SELECT FROM imputations m WHERE {_SAME_SLOT} AND m.withdrawn_at IS NULL)
     ORDER BY s.place LIMIT {{limit}}
    """
)


def _neighbour_event(name: str, side: str) -> str:
    """The captured event of the meter that comes next before or after the slot."""
    return f"""
      LEFT JOIN LATERAL (
           SELECT e.id, e.feedstock_id, e.tracking_id, e.location_ids, e.end_time > e.start_time AS lasts
             FROM events e
            WHERE e.project_id = %(project)s AND e.event_type_id = s.event_type_id AND e.voided_at IS NULL
              AND NOT e.is_imputed AND {METER_ASSET} = s.asset_id
              AND {METER_LOCATION} = s.location_id
              AND e.start_time {side} LIMIT 1) AS {name} ON true"""


def _shared_tag(tag: str) -> str:
    return f"""CASE WHEN after.id IS NULL OR before.{tag} = after.{tag} THEN before.{tag}
                    WHEN before.id IS NULL THEN after.{tag} END"""


_DESCRIBE: Final = f"""
    WITH described AS MATERIALIZED (
        SELECT s.place, jsonb_build_object(
               'end_time', to_char(CASE WHEN coalesce(before.lasts, after.lasts) THEN slot_end
                                        ELSE slot_start END AT TIME ZONE 'UTC', %(moment)s),
               'tracking_id', {_shared_tag("tracking_id")},
               'feedstock_id', {_shared_tag("feedstock_id")},
               'location_ids', to_jsonb(coalesce(before.location_ids, after.location_ids,
                                                 array_remove(ARRAY[s.location_id], 0)))) AS event
          FROM (SELECT * FROM rule_missing_slots) s
          {_neighbour_event("before", "< s.slot_start ORDER BY e.start_time DESC, e.id DESC")}
          {_neighbour_event("after", ">= s.slot_end ORDER BY e.start_time, e.id")}
         WHERE s.event IS NULL
           AND (%(places)s::bigint[] IS NULL OR s.place = ANY (%(places)s::bigint[]))
    )
    UPDATE rule_missing_slots s SET event = described.event FROM described WHERE s.place = described.place
"""
"""How an imputed event is described: its length and tags are those of its neighbours. A description stays."""

_INSERT_EVENTS: Final = """
    WITH made AS MATERIALIZED (
        SELECT %(project)s::integer, new.key, s.event_type_id, s.slot_start,
               (s.event ->> 'end_time')::timestamptz, s.event ->> 'tracking_id',
               (s.event ->> 'feedstock_id')::integer, nullif(s.asset_id, 0),
               ARRAY(SELECT one::integer FROM jsonb_array_elements_text(s.event -> 'location_ids')
                                              WITH ORDINALITY AS listed (one, place) ORDER BY listed.place),
               array_fill(NULL::numeric, ARRAY[(
                   SELECT max(t.position)::integer FROM data_point_types t
                    WHERE (t.project_id, t.event_type_id, t.value_type)
                        = (%(project)s, s.event_type_id, 'number'))]),
               false, true
          FROM unnest(%(keys)s::bigint[], %(places)s::bigint[]) AS new (key, place)
          JOIN (SELECT * FROM rule_missing_slots) s USING (place))
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, tracking_id, feedstock_id,
                        asset_id, location_ids, numbers, is_complete, is_imputed)
    SELECT * FROM made
"""
_INSERT_IMPUTATIONS: Final = """
    INSERT INTO imputations (project_id, event_id, event_type_id, asset_id, location_id, slot_start, slot_end,
                             record)
    SELECT %(project)s, new.key, s.event_type_id, s.asset_id, s.location_id, s.slot_start, s.slot_end,
           new.record
      FROM unnest(%(keys)s::bigint[], %(places)s::bigint[], %(records)s::text[]) AS new (key, place, record)
      JOIN (SELECT * FROM rule_missing_slots) s USING (place)
"""
_FIND: Final = SQL(
    f"""
    INSERT INTO rule_findings (event_id, position, to_value, substitution)
    SELECT m.event_id, s.position, s.to_value, s.substitution
      FROM (SELECT * FROM rule_missing_slots) s JOIN imputations m ON {_SAME_SLOT} AND m.withdrawn_at IS NULL
    """
)
_PROPOSED_SLOTS: Final = """
    INSERT INTO rule_missing_slots (event_type_id, asset_id, location_id, slot_start, slot_end, position,
                                    event)
    SELECT DISTINCT ON (event_type_id, asset_id, location_id, slot_start)
           event_type_id, asset_id, location_id, slot_start, slot_end, position, proposed_event
      FROM data_point_results
     WHERE project_id = %(project)s AND id = ANY (%(results)s)
     ORDER BY event_type_id, asset_id, location_id, slot_start, id
"""
_NAME_EVENTS: Final = """
    UPDATE data_point_results r SET event_id = m.event_id
      FROM imputations m
     WHERE (m.project_id, m.event_type_id, m.asset_id, m.location_id, m.slot_start)
         = (r.project_id, r.event_type_id, r.asset_id, r.location_id, r.slot_start)
       AND m.withdrawn_at IS NULL AND r.project_id = %(project)s AND r.id = ANY (%(results)s)
    RETURNING r.id, r.event_id
"""
