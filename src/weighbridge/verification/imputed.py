"""Imputed events: invariants about what rules made for slots in which nothing was captured."""

from typing import Final

from weighbridge.collection.measurements.event_row import METER_ASSET, METER_LOCATION
from weighbridge.verification.invariant import Invariant

IMPUTED: Final = (
    Invariant(
        "no imputed event stands beside a captured one in its meter's slot",
        "event {id}: it was imputed, and {actual} captured events stand in its slot, of which {expected} may",
        f"""
        SELECT m.project_id, m.event_id, beside.count, 0
          FROM imputations m
          JOIN events made ON (made.project_id, made.id) = (m.project_id, m.event_id)
           AND made.voided_at IS NULL
         CROSS JOIN LATERAL (
               SELECT count(*) FROM events e
                WHERE e.project_id = m.project_id AND e.event_type_id = made.event_type_id
                  AND e.voided_at IS NULL AND NOT e.is_imputed
                  AND e.start_time >= m.slot_start AND e.start_time < m.slot_end
                  AND {METER_ASSET} = m.asset_id AND {METER_LOCATION} = m.location_id) AS beside
         WHERE beside.count > 0
        """,
        "event",
    ),
    Invariant(
        "every imputed event has a slot, and is voided when it is withdrawn from there, and not before",
        "event {id}: it is {actual}, and by its slot {expected}",
        """
        SELECT project_id, event_id,
               concat_ws(' and ', CASE WHEN e.is_imputed THEN 'imputed' ELSE 'captured' END,
                         CASE WHEN e.voided_at IS NOT NULL THEN 'voided' END),
               CASE WHEN m.slot_start IS NULL THEN 'not imputed'
                    WHEN m.withdrawn_at IS NULL THEN 'imputed' ELSE 'imputed and voided' END
          FROM (SELECT *, id AS event_id FROM events WHERE is_imputed) AS e
          FULL JOIN imputations m USING (project_id, event_id)
         WHERE e.is_imputed IS NULL OR m.slot_start IS NULL
            OR (e.voided_at IS NULL) <> (m.withdrawn_at IS NULL)
        """,
        "event",
    ),
)
"""Rules about the events that nobody captured."""
