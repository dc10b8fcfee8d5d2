"""Read rule results: of a rule, of a project, and whether those of a page of batches ask for attention.

The results of a rule that was removed are kept and not shown.
"""

from collections.abc import Sequence
from typing import Final, LiteralString

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.findings import (
    AROUND_FINDINGS,
    FINDING_COLUMNS,
    OF_DATA_POINTS,
    FindingRow,
    data_point_result,
)
from weighbridge.core.identity import ids
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.core.rule.result import ResultStatus
from weighbridge.db.engine import Read
from weighbridge.db.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    among,
    page_of,
    read_int4,
    read_moment,
)
from weighbridge.db.literal import Literal
from weighbridge.quality.rule_results.records import ModelRunResult, RuleResult, RuleResultPage


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

_OF_MODEL_RUNS: Final = """
    SELECT project_id, id, rule_id, rule_version, status, checked_value, error_message,
           evaluated_at, created_at, closed_at, dismissed_at, dismissed_by, dismissal_reason, NULL,
           NULL, NULL, NULL, NULL, NULL, NULL,
           batch_id, model_run_id, node_ids
      FROM model_run_results
"""
_OF_BOTH: Final = f"""
    SELECT d.*, NULL::bigint AS batch_id, NULL::bigint AS model_run_id, NULL::text[] AS node_ids
      FROM ({OF_DATA_POINTS}) d
    UNION ALL {_OF_MODEL_RUNS}
"""
_SOURCE: Final = f"({_OF_BOTH}) r {AROUND_FINDINGS}"
_COLUMNS: Final = f"{FINDING_COLUMNS}, r.batch_id, r.model_run_id, r.node_ids"


class ResultRow(FindingRow, frozen=True):
    """A result of either kind with the names around it."""

    batch: int | None
    model_run: int | None
    node_ids: list[str] | None


async def list_project_rule_results(tx: Read, project: int, request: ListRequest) -> RuleResultPage:
    """The results of a project's rules, of both kinds."""
    return await _page(tx, PROJECT_RULE_RESULTS, request, _of_project(project))


async def list_rule_results(tx: Read, project: int, rule: int, request: ListRequest) -> RuleResultPage:
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


async def _page(tx: Read, listing: Listing, request: ListRequest, where: Composable) -> RuleResultPage:
    page = await page_of(tx, ResultRow, listing, request, columns=_COLUMNS, source=_SOURCE, where=[where])
    return RuleResultPage([_result(row) for row in page.data], page.info)


def _of_project(project: int) -> Composable:
    return SQL("r.project_id = {}").format(Literal(project))


def _result(row: ResultRow) -> RuleResult:
    return _model_run_result(row) if row.event is None else data_point_result(row)


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
