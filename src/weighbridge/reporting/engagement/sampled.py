"""The records of a sample with what a verifier looks at: readings, evidence, calibration, authors, changes.

Invariant: every record that was drawn is shown, also if it was voided since, or lacks everything else.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from weighbridge.collection.events import read_numbered_events
from weighbridge.collection.measurements.annotations import CAPTURED_BY
from weighbridge.collection.records.events import Event
from weighbridge.core import identity
from weighbridge.core.number import plain
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.reporting.engagement.forms import Adjustment, RecordChange, SampledRecord
from weighbridge.reporting.engagement.storage import StoredEngagement

_RECORDED: Final = f"""
    SELECT e.id, ({CAPTURED_BY}), e.created_at, s.serial_number
      FROM unnest(%(numbers)s::bigint[], %(names)s::text[]) AS named (number, id)
      JOIN events e ON e.project_id = %(project)s AND e.id = named.number
      LEFT JOIN assets s ON (s.project_id, s.id) = (e.project_id, e.asset_id)
"""
_CALIBRATIONS: Final = """
    SELECT c.event_id, CASE WHEN c.position = 0 THEN c.field ELSE p.slug END, r.name, c.rule_version,
           c.from_value #>> '{}', c.to_value #>> '{}'
      FROM corrections c
      JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id)
      JOIN rules r ON (r.project_id, r.id) = (c.project_id, c.rule_id)
      LEFT JOIN data_point_types p ON (p.project_id, p.event_type_id, p.position)
                                    = (e.project_id, e.event_type_id, c.position)
     WHERE c.project_id = %(project)s AND c.event_id = ANY (%(numbers)s) AND c.source = 'adjustment'
       AND c.state = 'in_force'
     ORDER BY c.event_id, c.id
"""
_CHANGES: Final = """
    WITH changed AS (
        SELECT c.event_id, CASE WHEN c.position = 0 THEN c.field ELSE p.slug END AS what,
               c.from_value #>> '{}' AS before, c.to_value #>> '{}' AS after, c.created_at AS at, c.user_id,
               c.reason
          FROM corrections c
          JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id)
          LEFT JOIN data_point_types p ON (p.project_id, p.event_type_id, p.position)
                                        = (e.project_id, e.event_type_id, c.position)
         WHERE c.project_id = %(project)s AND c.event_id = ANY (%(numbers)s) AND c.created_at > %(since)s
        UNION ALL
        SELECT c.event_id, CASE WHEN c.position = 0 THEN c.field ELSE p.slug END, c.to_value #>> '{}',
               c.from_value #>> '{}', c.reverted_at, coalesce(c.reverted_by, c.user_id), 'reverted'
          FROM corrections c
          JOIN events e ON (e.project_id, e.id) = (c.project_id, c.event_id)
          LEFT JOIN data_point_types p ON (p.project_id, p.event_type_id, p.position)
                                        = (e.project_id, e.event_type_id, c.position)
         WHERE c.project_id = %(project)s AND c.event_id = ANY (%(numbers)s) AND c.reverted_at > %(since)s
        UNION ALL
        SELECT v.event_id, 'evidence', NULL, v.name, v.created_at, v.created_by, NULL
          FROM evidence v
         WHERE v.project_id = %(project)s AND v.event_id = ANY (%(numbers)s) AND v.created_at > %(since)s
        UNION ALL
        SELECT e.id, 'voided', NULL, NULL, e.voided_at, a.user_id, NULL
          FROM events e
          LEFT JOIN LATERAL (
               SELECT l.user_id FROM audit_log l
                WHERE l.account_id = %(account)s AND l.project_id = e.project_id AND l.at = e.voided_at
                  AND l.action = 'event.void' ORDER BY l.id LIMIT 1) AS a ON true
         WHERE e.project_id = %(project)s AND e.id = ANY (%(numbers)s) AND e.voided_at > %(since)s
    )
    SELECT c.event_id, c.what, c.before, c.after, c.at, coalesce(u.name, ''), c.reason
      FROM changed c LEFT JOIN users u ON u.id = c.user_id ORDER BY c.event_id, c.at, c.what
"""


async def read_sampled_records(tx: Read, account: int, stored: StoredEngagement) -> list[SampledRecord]:
    """The records that were drawn, with everything that is known of each now."""
    project = stored.project
    numbers = sorted({drawn.record for drawn in stored.sample})
    events = await read_numbered_events(tx, project, numbers)
    by_number = dict(zip(numbers, events, strict=True))
    values: dict[str, Any] = {
        "project": project,
        "account": account,
        "numbers": numbers,
        "names": [identity.of("event", project, number) for number in numbers],
        "since": stored.row.created_at,
    }
    recorded = {number: rest for number, *rest in await tx.tuples(_RECORDED, values)}
    calibrations: dict[int, list[Adjustment]] = {}
    for number, *rest in await tx.tuples(_CALIBRATIONS, values):
        calibrations.setdefault(number, []).append(Adjustment(*rest))
    changes: dict[int, list[RecordChange]] = {}
    for number, what, before, after, at, by, reason in await tx.tuples(_CHANGES, values):
        changes.setdefault(number, []).append(RecordChange(what, before, after, Instant.of(at), by, reason))
    return [
        _build_record(
            drawn.stratum, drawn.amount, drawn.is_certain, by_number[drawn.record], recorded[drawn.record],
            calibrations.get(drawn.record, []), changes.get(drawn.record, []),
        )
        for drawn in stored.sample
    ]  # fmt: skip


def _build_record(
    stratum: int,
    amount: Decimal | None,
    is_certain: bool,  # noqa: FBT001 - a field of the record
    event: Event,
    recorded: Sequence[Any],
    calibration: list[Adjustment],
    changes: list[RecordChange],
) -> SampledRecord:
    author, recorded_at, serial_number = recorded
    assert isinstance(recorded_at, datetime)  # noqa: S101 - a column that is never null
    return SampledRecord(
        stratum=stratum,
        amount=None if amount is None else Decimal(plain(amount)),
        is_certain=is_certain,
        event=event,
        serial_number=serial_number,
        calibration=calibration,
        missing=list_missing(event),
        recorded_by=author,
        recorded_at=Instant.of(recorded_at),
        changes=changes,
    )


def list_missing(event: Event) -> list[str]:
    """What a record lacks: evidence, required data points, a meter."""
    missing = [] if event.evidences else ["evidence"]
    missing += event.missing
    if event.asset is None and not event.locations:
        missing.append("meter")
    return missing
