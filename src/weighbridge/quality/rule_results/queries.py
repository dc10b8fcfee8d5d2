"""Read rule results: of a rule, of a project, and those to show with a page of records.

The results of a rule that was removed are kept and not shown.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, LiteralString

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.core.identity import ids
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.core.rule.result import ALERTS, ResultStatus
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    Wanted,
    among,
    page_of,
    read_int4,
    read_moment,
)
from weighbridge.db.literal import Literal
from weighbridge.quality.rule_results.records import (
    DataPointResult,
    ModelRunResult,
    RuleResult,
    RuleResultPage,
)


def read_rule(text: str) -> int:
    """The number of the rule that a filter names; ValueError for any other text."""
    key = ids.parse("rule", text)
    if key is None:
        raise ValueError(text)
    return key.key


_FILTERS: Final = {
    "status": Filter("r.status", among(ResultStatus), ", ".join(ResultStatus)),
    "approval_state": Filter("r.approval_state", among(ApprovalState), ", ".join(ApprovalState)),
    "rule_version": Filter("r.rule_version", read_int4, "a version's number"),
    "evaluated_at": Filter("r.evaluated_at", read_moment, MOMENT, BOUNDS),
    "created_at": Filter("r.created_at", read_moment, MOMENT, BOUNDS),
}
_SORTS: Final[dict[str, LiteralString]] = {
    "id": "r.id",
    "evaluated_at": "r.evaluated_at",
    "created_at": "r.created_at",
    "status": "r.status",
}

RULE_RESULTS: Final = Listing(
    sorts=_SORTS,
    default_sort="-id",
    key=("r.id",),
    filters=_FILTERS,
    plain={"status": ("status", "eq")},
)
"""The results of one rule."""

PROJECT_RULE_RESULTS: Final = Listing(
    sorts=_SORTS,
    default_sort="-id",
    key=("r.id",),
    filters={**_FILTERS, "rule_id": Filter("r.rule_id", read_rule, "an id rule_…")},
    plain={"status": ("status", "eq")},
)
"""The results of every rule of a project."""

_OF_DATA_POINTS: Final = """
    SELECT project_id, id, rule_id, rule_version, status, entered_value AS value, error_message,
           evaluated_at, created_at, closed_at, dismissed_at, dismissed_by, dismissal_reason, event_id,
           position, approval_state, proposed_correction, rejected_at, rejected_by, rejection_reason,
           NULL::bigint AS batch_id, NULL::bigint AS model_run_id, NULL::text[] AS node_ids
      FROM data_point_results
"""
_OF_MODEL_RUNS: Final = """
    SELECT project_id, id, rule_id, rule_version, status, checked_value, error_message,
           evaluated_at, created_at, closed_at, dismissed_at, dismissed_by, dismissal_reason, NULL,
           NULL, NULL, NULL, NULL, NULL, NULL,
           batch_id, model_run_id, node_ids
      FROM model_run_results
"""
_AROUND: Final = """
    JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
    LEFT JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
    LEFT JOIN data_point_types t
      ON (t.project_id, t.event_type_id, t.position) = (e.project_id, e.event_type_id, r.position)
    LEFT JOIN users d ON d.id = r.dismissed_by
    LEFT JOIN users j ON j.id = r.rejected_by
"""
_SOURCE: Final = f"({_OF_DATA_POINTS} UNION ALL {_OF_MODEL_RUNS}) r {_AROUND}"
_SHOWN: Final = """
    r.closed_at IS NULL AND r.rule_version = u.latest_version
    AND NOT EXISTS (SELECT FROM projects p JOIN feature_flags g ON g.account_id = p.account_id
                     WHERE p.id = %(project)s AND g.name = %(feature)s AND NOT g.is_on)
"""
_COLUMNS: Final = """
    r.project_id, r.id, r.status, r.value, r.error_message, r.rule_id, r.rule_version, u.name, u.message,
    r.evaluated_at, r.created_at, r.dismissed_at, d.name AS dismisser, r.dismissal_reason,
    r.event_id, r.position, t.slug, r.approval_state, r.proposed_correction, r.rejected_at,
    j.name AS rejecter, r.rejection_reason, r.batch_id, r.model_run_id, r.node_ids
"""


HAS_RESULTS: Final = """
    EXISTS (SELECT FROM data_point_results r
             WHERE (r.project_id, r.event_id) = (e.project_id, e.id) AND r.closed_at IS NULL)
"""
"""Whether there may be something to show with an event `e`: a page without it asks no further."""


class ResultRow(msgspec.Struct, frozen=True):
    """A result of either kind with the names around it."""

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
    batch: int | None
    model_run: int | None
    node_ids: list[str] | None


async def list_project_rule_results(tx: Read, project: int, request: Wanted) -> RuleResultPage:
    """The results of a project's rules, of both kinds."""
    return await _page(tx, PROJECT_RULE_RESULTS, request, _of_project(project))


async def list_rule_results(tx: Read, project: int, rule: int, request: Wanted) -> RuleResultPage:
    """The results of one rule, of every version."""
    of_rule = SQL("r.project_id = {} AND r.rule_id = {}").format(Literal(project), Literal(rule))
    return await _page(tx, RULE_RESULTS, request, of_rule)


async def rule_results_named(tx: Read, project: int, keys: Sequence[int]) -> list[RuleResult]:
    """The results of these keys, in the order of the keys."""
    statement = SQL("""
        SELECT {} FROM {}
         WHERE r.project_id = %(project)s AND r.id = ANY (%(keys)s) ORDER BY array_position(%(keys)s, r.id)
    """).format(SQL(_COLUMNS), SQL(_SOURCE))
    rows = await tx.rows(ResultRow, statement, {"project": project, "keys": list(keys)})
    return [_result(row) for row in rows]


async def results_of_events(
    tx: Read, project: int, events: Sequence[int]
) -> dict[tuple[int, int], list[DataPointResult]]:
    """The results to show with the data points of a page of events, by event and position.

    Those of the newest version of each rule that fail or are dismissed; none while the feature is off.
    """
    if not events:
        return {}
    rows = await tx.rows(
        ResultRow,
        f"""
        SELECT {_COLUMNS} FROM ({_OF_DATA_POINTS}) r {_AROUND}
         WHERE r.project_id = %(project)s AND r.event_id = ANY (%(records)s) AND {_SHOWN}
         ORDER BY r.id
        """,
        {"project": project, "records": list(events), "feature": Feature.RULES_ENGINE},
    )
    shown: dict[tuple[int, int], list[DataPointResult]] = {}
    for row in rows:
        assert row.event is not None and row.position is not None  # noqa: S101, PT018 - they were asked for
        shown.setdefault((row.event, row.position), []).append(_data_point_result(row))
    return shown


async def batches_with_alerts(tx: Read, project: int, batches: Sequence[int]) -> set[int]:
    """The batches of a page whose runs fail the newest version of a rule; none while the feature is off."""
    rows = await tx.tuples(
        f"""
        SELECT DISTINCT r.batch_id
          FROM model_run_results r
          JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
         WHERE r.project_id = %(project)s AND r.batch_id = ANY (%(records)s) AND r.status = ANY (%(alerts)s)
           AND {_SHOWN}
        """,
        {
            "project": project,
            "records": list(batches),
            "alerts": sorted(ALERTS),
            "feature": Feature.RULES_ENGINE,
        },
    )
    return {batch for (batch,) in rows}


def is_alert(result: RuleResult) -> bool:
    """Whether a result asks for someone's attention."""
    return result.status in ALERTS


async def _page(tx: Read, listing: Listing, request: Wanted, where: Composable) -> RuleResultPage:
    page = await page_of(tx, ResultRow, listing, request, columns=_COLUMNS, source=_SOURCE, where=[where])
    return RuleResultPage([_result(row) for row in page.data], page.info)


def _of_project(project: int) -> Composable:
    return SQL("r.project_id = {}").format(Literal(project))


def _result(row: ResultRow) -> RuleResult:
    return _model_run_result(row) if row.event is None else _data_point_result(row)


def _data_point_result(row: ResultRow) -> DataPointResult:
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


def _model_run_result(row: ResultRow) -> ModelRunResult:
    owner = ids.Owner.MODEL_RUN if row.batch is None else ids.Owner.BATCH
    run = ids.Key(row.project, row.batch or row.model_run or 0, owner=owner)
    return ModelRunResult(
        id=ids.of("model_run_result", row.project, row.number),
        status=row.status,
        checked_value=row.value,
        error_message=row.error_message,
        rule_id=ids.of("rule", row.project, row.rule),
        rule_version=row.rule_version,
        rule_name=row.rule_name,
        message=row.message,
        node_ids=row.node_ids or [],
        model_run_id=ids.make("model_run", run),
        batch_id=None if row.batch is None else ids.of("batch", row.project, row.batch),
        evaluated_at=row.evaluated_at,
        created_at=row.created_at,
        dismissed_at=row.dismissed_at,
        dismissed_by=row.dismissed_by,
        dismissal_reason=row.dismissal_reason,
    )
