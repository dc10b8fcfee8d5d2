"""Findings: what rules found in values, as it is shown with them.

That a value has findings is a fact about the value, so the record and the reads are here; the rules that
write the rows belong to quality. The statements speak of a finding as `r`, of its rule as `u` and of its
event as `e`.

Invariants: the findings of a rule that was removed are kept and not shown; with a value stand those of the
newest version of each rule only, and none while the feature is off.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from weighbridge.core.identity import ids
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.rule.result import ALERTS
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read

OF_DATA_POINTS: Final = """
    SELECT project_id, id, rule_id, rule_version, status, entered_value AS value, error_message,
           evaluated_at, created_at, closed_at, dismissed_at, dismissed_by, dismissal_reason, event_id,
           position, approval_state, proposed_correction, rejected_at, rejected_by, rejection_reason
      FROM data_point_results
"""
"""The findings of rules in data points."""

AROUND_FINDINGS: Final = """
    JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
    LEFT JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
    LEFT JOIN data_point_types t
      ON (t.project_id, t.event_type_id, t.position) = (e.project_id, e.event_type_id, r.position)
    LEFT JOIN users d ON d.id = r.dismissed_by
    LEFT JOIN users j ON j.id = r.rejected_by
"""
"""The rows with the names that are shown with a finding."""

SHOWN: Final = """
    r.closed_at IS NULL AND r.rule_version = u.latest_version
    AND NOT EXISTS (SELECT FROM projects p JOIN feature_flags g ON g.account_id = p.account_id
                     WHERE p.id = %(project)s AND g.name = %(feature)s AND NOT g.is_on)
"""
"""Whether a finding is shown with its record; it names the project and the feature of rules."""

FINDING_COLUMNS: Final = """
    r.project_id, r.id, r.status, r.value, r.error_message, r.rule_id, r.rule_version, u.name, u.message,
    r.evaluated_at, r.created_at, r.dismissed_at, d.name AS dismisser, r.dismissal_reason,
    r.event_id, r.position, t.slug, r.approval_state, r.proposed_correction, r.rejected_at,
    j.name AS rejecter, r.rejection_reason
"""
"""The columns of a `FindingRow`."""

HAS_RESULTS: Final = """
    EXISTS (SELECT FROM data_point_results r
             WHERE (r.project_id, r.event_id) = (e.project_id, e.id) AND r.closed_at IS NULL)
"""
"""Whether there may be something to show with an event `e`: a page without it asks no further."""


class DataPointResult(msgspec.Struct, frozen=True):
    """What a version of a rule found in one data point."""

    id: str
    status: str
    entered_value: str | None
    error_message: str | None
    rule_id: str
    rule_version: int
    rule_name: str
    message: str | None
    event_id: str
    data_point_id: str
    data_point_slug: str
    evaluated_at: Instant
    created_at: Instant
    dismissed_at: Instant | None
    dismissed_by: str | None
    dismissal_reason: str | None
    approval_state: str | None
    proposed_correction: dict[str, Any] | None
    rejected_at: Instant | None
    rejected_by: str | None
    rejection_reason: str | None


class FindingRow(msgspec.Struct, frozen=True):
    """A finding with the names around it; without an event it is of a record of another kind."""

    project: int
    number: int
    status: str
    value: str | None
    error_message: str | None
    rule: int
    rule_version: int
    rule_name: str
    message: str | None
    evaluated_at: Instant
    created_at: Instant
    dismissed_at: Instant | None
    dismissed_by: str | None
    dismissal_reason: str | None
    event: int | None
    position: int | None
    slug: str | None
    approval_state: str | None
    proposed_correction: dict[str, Any] | None
    rejected_at: Instant | None
    rejected_by: str | None
    rejection_reason: str | None


async def results_of_events(
    tx: Read, project: int, events: Sequence[int]
) -> dict[tuple[int, int], list[DataPointResult]]:
    """The results to show with the data points of a page of events, by event and position.

    Those of the newest version of each rule that fail or are dismissed; none while the feature is off.
    """
    if not events:
        return {}
    rows = await tx.rows(
        FindingRow,
        f"""
        SELECT {FINDING_COLUMNS} FROM ({OF_DATA_POINTS}) r {AROUND_FINDINGS}
         WHERE r.project_id = %(project)s AND r.event_id = ANY (%(records)s) AND {SHOWN}
         ORDER BY r.id
        """,
        {"project": project, "records": list(events), "feature": Feature.RULES_ENGINE},
    )
    shown: dict[tuple[int, int], list[DataPointResult]] = {}
    for row in rows:
        assert row.event is not None and row.position is not None  # noqa: S101, PT018 - they were asked for
        shown.setdefault((row.event, row.position), []).append(data_point_result(row))
    return shown


def is_alert(result: DataPointResult) -> bool:
    """Whether a result asks for someone's attention."""
    return result.status in ALERTS


def data_point_result(row: FindingRow) -> DataPointResult:
    """What is shown of a finding in a data point."""
    event = ids.Key(row.project, row.event or 0)
    return DataPointResult(
        id=ids.of("data_point_result", row.project, row.number),
        status=row.status,
        entered_value=row.value,
        error_message=row.error_message,
        rule_id=ids.of("rule", row.project, row.rule),
        rule_version=row.rule_version,
        rule_name=row.rule_name,
        message=row.message,
        event_id=ids.make("event", event),
        data_point_id=ids.make("data_point", replace(event, position=row.position or 0)),
        data_point_slug=row.slug or "",
        evaluated_at=row.evaluated_at,
        created_at=row.created_at,
        dismissed_at=row.dismissed_at,
        dismissed_by=row.dismissed_by,
        dismissal_reason=row.dismissal_reason,
        approval_state=row.approval_state,
        proposed_correction=row.proposed_correction,
        rejected_at=row.rejected_at,
        rejected_by=row.rejected_by,
        rejection_reason=row.rejection_reason,
    )
