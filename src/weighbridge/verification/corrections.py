"""Corrections in the books: every value is the captured one or that of the correction which prevails."""

from typing import Final

from weighbridge.collection.measurements.corrections import PREVAILING_FIRST
from weighbridge.collection.measurements.value import CURRENT
from weighbridge.core.collection.correction import NOT_REVERTED, CorrectionOrigin, CorrectionState
from weighbridge.verification.invariant import Invariant

_NOT_REVERTED: Final = ", ".join(f"'{state}'" for state in NOT_REVERTED)

CORRECTIONS: Final = (
    Invariant(
        "every value is what was captured, or what the correction in force says",
        "event {id}: a value is {actual}, and by its corrections it is {expected}",
        f"""
        SELECT e.project_id, e.id, v.shown::text, coalesce(c.to_value, v.captured)::text
          FROM events e
         CROSS JOIN LATERAL (
               SELECT position, 'number' AS type, to_jsonb({CURRENT["number"].format("position")}) AS shown,
                      to_jsonb(e.numbers[position]) AS captured
                 FROM generate_series(1, cardinality(e.numbers)) AS position
               UNION ALL
               SELECT position, 'string', to_jsonb({CURRENT["string"].format("position")}),
                      to_jsonb(e.texts[position])
                 FROM generate_series(1, cardinality(e.texts)) AS position
               UNION ALL
               SELECT position, 'boolean', to_jsonb({CURRENT["boolean"].format("position")}),
                      to_jsonb(e.booleans[position])
                 FROM generate_series(1, cardinality(e.booleans)) AS position) AS v
          LEFT JOIN corrections c
            ON (c.project_id, c.event_id, c.position) = (e.project_id, e.id, v.position)
           AND c.state = '{CorrectionState.IN_FORCE}' AND c.source <> '{CorrectionOrigin.COMPLETION}'
           AND (v.captured IS NOT NULL OR jsonb_typeof(c.to_value) = v.type)
         WHERE v.shown IS DISTINCT FROM coalesce(c.to_value, v.captured)
           AND (e.is_revised OR EXISTS (SELECT FROM corrections o
                                         WHERE (o.project_id, o.event_id) = (e.project_id, e.id)))
        """,
        "event",
    ),
    Invariant(
        "of the corrections of a value the one that prevails is in force",
        "event {id}: correction {actual} is in force, and {expected} prevails",
        f"""
        SELECT project_id, event_id, coalesce(in_force::text, 'none'), prevails
          FROM (SELECT c.project_id, c.event_id,
                       max(c.id) FILTER (WHERE c.state = '{CorrectionState.IN_FORCE}') AS in_force,
                       (array_agg(c.id ORDER BY {PREVAILING_FIRST}))[1] AS prevails
                  FROM corrections c WHERE c.state IN ({_NOT_REVERTED})
                 GROUP BY c.project_id, c.event_id, c.position, c.field) AS ranked
         WHERE in_force IS DISTINCT FROM prevails
        """,
        "event",
    ),
    Invariant(
        "a rule corrects a value once",
        "event {id}: a rule has {actual} corrections of one value that stand, and at most {expected} may",
        f"""
        SELECT c.project_id, c.event_id, count(*)::text, 1
          FROM corrections c
         WHERE c.rule_id IS NOT NULL AND c.state IN ({_NOT_REVERTED})
         GROUP BY c.project_id, c.event_id, c.position, c.field, c.rule_id
        HAVING count(*) > 1
        """,
        "event",
    ),
)
"""Rules about the corrections of events."""
