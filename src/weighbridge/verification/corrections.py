"""Corrections in the books: every value is the captured one or that of the correction which prevails."""

from typing import Final

from weighbridge.collection.measurements.corrections import PREVAILING_FIRST
from weighbridge.collection.measurements.value import CURRENT
from weighbridge.core.collection.correction import NOT_REVERTED, CorrectionOrigin, CorrectionState
from weighbridge.verification.rule import Rule

_STANDING: Final = ", ".join(f"'{state}'" for state in NOT_REVERTED)

CORRECTIONS: Final = (
    Rule(
        "every value is what was captured, or what the correction in force says",
        "event {id}: a value is {found}, and by its corrections it is {wanted}",
        f"""
        SELECT e.project_id, e.id, v.shown::text, coalesce(c.to_value, v.captured)::text
          FROM events e
         CROSS JOIN LATERAL (
               SELECT place, to_jsonb({CURRENT["number"].format("place")}) AS shown,
                      to_jsonb(e.numbers[place]) AS captured
                 FROM generate_series(1, cardinality(e.numbers)) AS place
               UNION ALL
               SELECT place, to_jsonb({CURRENT["string"].format("place")}),
                      to_jsonb(e.texts[place])
                 FROM generate_series(1, cardinality(e.texts)) AS place
               UNION ALL
               SELECT place, to_jsonb({CURRENT["boolean"].format("place")}),
                      to_jsonb(e.booleans[place])
                 FROM generate_series(1, cardinality(e.booleans)) AS place) AS v
          LEFT JOIN corrections c
            ON (c.project_id, c.event_id, c.position) = (e.project_id, e.id, v.place)
           AND c.state = '{CorrectionState.IN_FORCE}' AND c.source <> '{CorrectionOrigin.COMPLETION}'
         WHERE v.captured IS NOT NULL AND v.shown IS DISTINCT FROM coalesce(c.to_value, v.captured)
           AND (e.is_revised OR EXISTS (SELECT FROM corrections o
                                         WHERE (o.project_id, o.event_id) = (e.project_id, e.id)))
        """,
        "event",
    ),
    Rule(
        "of the corrections of a value the one that prevails is in force",
        "event {id}: correction {found} is in force, and {wanted} prevails",
        f"""
        SELECT project_id, event_id, coalesce(in_force::text, 'none'), prevails
          FROM (SELECT c.project_id, c.event_id,
                       max(c.id) FILTER (WHERE c.state = '{CorrectionState.IN_FORCE}') AS in_force,
                       (array_agg(c.id ORDER BY {PREVAILING_FIRST}))[1] AS prevails
                  FROM corrections c WHERE c.state IN ({_STANDING})
                 GROUP BY c.project_id, c.event_id, c.position, c.field) AS ranked
         WHERE in_force IS DISTINCT FROM prevails
        """,
        "event",
    ),
    Rule(
        "a rule corrects a value once",
        "event {id}: a rule has {found} corrections of one value that stand, and at most {wanted} may",
        f"""
        SELECT c.project_id, c.event_id, count(*)::text, 1
          FROM corrections c
         WHERE c.rule_id IS NOT NULL AND c.state IN ({_STANDING})
         GROUP BY c.project_id, c.event_id, c.position, c.field, c.rule_id
        HAVING count(*) > 1
        """,
        "event",
    ),
)
"""Rules about the corrections of events."""
