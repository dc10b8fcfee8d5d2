"""Findings: what rules found in values, as it is shown with them.

That a value has findings is a fact about the value, so the record and the reads are here; the rules that
write the rows belong to quality. The statements speak of a finding as `r`, of its rule as `u` and of its
event as `e`.

Invariants: the findings of a rule that was removed are kept and not shown; with a value stand those of the
newest version of each rule only, and none while the feature is off.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Final

import msgspec

from weighbridge.core.identity import ids
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.core.rule.result import ALERTS, ResultStatus
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.http.text import one_of, shown_as

OF_DATA_POINTS: Final = """
    SELECT project_id, id, rule_id, rule_version, status, entered_value AS value, error_message,
           evaluated_at, created_at, closed_at, superseded_by_version, dismissed_at, dismissed_by,
           dismissal_reason, event_id, position, approval_state, proposed_correction, rejected_at,
           rejected_by, rejection_reason, approved_at, approved_by, event_type_id, asset_id, slot_start,
           slot_end, proposed_event
      FROM data_point_results
"""
"""The findings of rules in data points."""

AROUND_FINDINGS: Final = """
    JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
    LEFT JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
    LEFT JOIN data_point_types t
      ON (t.project_id, t.event_type_id, t.position)
       = (r.project_id, coalesce(r.event_type_id, e.event_type_id), r.position)
    LEFT JOIN users d ON d.id = r.dismissed_by
    LEFT JOIN users j ON j.id = r.rejected_by
    LEFT JOIN users g ON g.id = r.approved_by
"""
"""The rows with the names that are shown with a finding."""

SHOWN: Final = """
    r.closed_at IS NULL AND r.rule_version = u.latest_version
    AND NOT EXISTS (SELECT FROM projects p JOIN feature_flags g ON g.account_id = p.account_id
                     WHERE p.id = %(project)s AND g.name = %(feature)s AND NOT g.is_on)
"""
"""Whether a finding is shown with its record; it names the project and the feature of rules."""

HAS_RESULTS: Final = """
    EXISTS (SELECT FROM data_point_results r
             WHERE (r.project_id, r.event_id) = (e.project_id, e.id) AND r.closed_at IS NULL)
"""
"""Whether there may be something to show with an event `e`: a page without it asks no further."""


class ProposedCorrection(msgspec.Struct, frozen=True):
    """The correction that a rule proposes for a value."""

    from_value: Decimal | str | bool | None
    """The value in force when it was proposed."""
    to_value: Decimal | str | bool
    """What it would become."""
    substitution: dict[str, Any] | None = None
    """How a value that fills a gap was found: method, tier, code, window, members, length of the gap."""


class ProposedEvent(msgspec.Struct, frozen=True):
    """The event that a rule makes for a slot of a meter in which none came, once someone approves it."""

    event_type_id: str
    """The friendly id of the event type whose cadence has the slot."""
    slot_start: Instant
    """When the slot begins, and the event would."""
    slot_end: Instant
    """When the slot ends, exclusive."""
    end_time: Instant
    """When the event would end: with its slot, or at its start where the meter's events are moments."""
    asset_id: str | None
    """The friendly id of the asset that is the meter; null when none is."""
    location_ids: list[str]
    """The friendly ids of the locations that it would have."""
    feedstock_id: str | None
    """The friendly id of the feedstock that the events beside it share; null when they share none."""
    tracking_id: str | None
    """The tracking id that the events beside it share; null when they share none."""


class DataPointResult(msgspec.Struct, frozen=True):
    """What a version of a rule found in one data point."""

    id: str
    status: Annotated[str, one_of(ResultStatus)]
    """Where the result stands; `pass` for one whose record has passed since."""
    entered_value: str | None
    """The value that was checked, as a text such as `12.5`; null when there was none."""
    error_message: str | None
    """Why the expression has no value for the record; null unless `status` is `error`."""
    rule_id: str
    rule_version: int
    rule_name: str
    message: str | None
    """What the rule says to people; null when it says nothing."""
    event_id: str | None
    """The friendly id of the event; null for a slot in which none came, until someone approves one."""
    data_point_id: str | None
    """The friendly id of the data point; null as long as there is no event."""
    data_point_slug: str
    """The slug of its data point type, such as `wet_mass`."""
    evaluated_at: Instant
    """When the record was last evaluated."""
    created_at: Instant
    """When the result was found first."""
    superseded_by_version: int | None
    """The version of the rule that has evaluated the record since; null for a result of the newest."""
    dismissed_at: Instant | None
    dismissed_by: str | None
    dismissal_reason: str | None
    approval_state: Annotated[str, one_of(ApprovalState)] | None
    """Where the correction stands that the rule proposes; null when it proposes none."""
    proposed_correction: Annotated[dict[str, Any], shown_as(ProposedCorrection)] | None
    """What the value would become; null when nothing is proposed."""
    rejected_at: Instant | None
    """When the proposal was rejected; null unless it was."""
    rejected_by: str | None
    """The name of the user who rejected it; null unless someone did."""
    rejection_reason: str | None
    """Why it was rejected; null unless it was."""
    proposed_event: Annotated[dict[str, Any], shown_as(ProposedEvent)] | None = None
    """The event that is proposed for a slot in which none came; null of a result on a captured event."""
    approved_at: Instant | None = None
    """When the proposal was approved; null unless it was."""
    approved_by: str | None = None
    """The name of the user who approved it; null unless someone did."""


FINDING: Final = (
    Column("status", "r.status"),
    Column("error_message", "r.error_message"),
    Column("rule_id", ("r.project_id", "r.rule_id"), partial(ids.of, "rule")),
    Column("rule_version", "r.rule_version"),
    Column("rule_name", "u.name"),
    Column("message", "u.message"),
    Column("evaluated_at", "r.evaluated_at"),
    Column("created_at", "r.created_at"),
    Column("superseded_by_version", "r.superseded_by_version"),
    Column("dismissed_at", "r.dismissed_at"),
    Column("dismissed_by", "d.name"),
    Column("dismissal_reason", "r.dismissal_reason"),
)
"""What a finding in a record of any kind says."""

_EVENT: Final = ("r.project_id", "r.event_id")


def _proposed_event(
    project: int, event_type: int, asset: int, slot: Sequence[datetime], described: dict[str, Any] | None
) -> dict[str, Any] | None:
    """The event of a slot as it is shown; none while nothing was ever proposed for it."""
    if described is None:
        return None
    (start, end), feedstock = slot, described["feedstock_id"]
    return {
        "event_type_id": ids.of("event_type", project, event_type),
        "slot_start": Instant.of(start),
        "slot_end": Instant.of(end),
        "end_time": described["end_time"],
        "asset_id": ids.of("asset", project, asset) if asset else None,
        "location_ids": [ids.of("location", project, one) for one in described["location_ids"]],
        "feedstock_id": None if feedstock is None else ids.of("feedstock", project, feedstock),
        "tracking_id": described["tracking_id"],
    }


_SLOT: Final = ("r.event_type_id", "r.asset_id", "ARRAY[r.slot_start, r.slot_end]", "r.proposed_event")

DATA_POINT_RESULT: Final = row_of(
    DataPointResult,
    Column("id", ("r.project_id", "r.id"), partial(ids.of, "data_point_result")),
    *FINDING,
    Column("entered_value", "r.value"),
    Column("event_id", _EVENT, unless_null(partial(ids.of, "event"))),
    Column("data_point_id", (*_EVENT, "r.position"), unless_null(partial(ids.of, "data_point"))),
    Column("data_point_slug", "coalesce(t.slug, '')"),
    Column("approval_state", "r.approval_state"),
    Column("proposed_correction", "r.proposed_correction"),
    Column("rejected_at", "r.rejected_at"),
    Column("rejected_by", "j.name"),
    Column("rejection_reason", "r.rejection_reason"),
    Column("proposed_event", ("r.project_id", *_SLOT), _proposed_event),
    Column("approved_at", "r.approved_at"),
    Column("approved_by", "g.name"),
)


async def results_of_events(
    tx: Read, project: int, events: Sequence[int]
) -> dict[tuple[int, int], list[DataPointResult]]:
    """The results to show with the data points of a page of events, by event and position.

    Those of the newest version of each rule that fail or are dismissed; none while the feature is off.
    """
    if not events:
        return {}
    rows = await tx.tuples(
        f"""
        SELECT r.event_id, r.position, {DATA_POINT_RESULT.columns}
          FROM ({OF_DATA_POINTS}) r {AROUND_FINDINGS}
         WHERE r.project_id = %(project)s AND r.event_id = ANY (%(records)s) AND {SHOWN}
         ORDER BY r.id
        """,
        {"project": project, "records": list(events), "feature": Feature.RULES_ENGINE},
    )
    shown: dict[tuple[int, int], list[DataPointResult]] = {}
    for event, position, *row in rows:
        shown.setdefault((event, position), []).append(DATA_POINT_RESULT.make(*row))
    return shown


def is_alert(result: DataPointResult) -> bool:
    """Whether a result asks for someone's attention."""
    return result.status in ALERTS
