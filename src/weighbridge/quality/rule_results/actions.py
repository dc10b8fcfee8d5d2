"""Dismiss rule results: all that are named, or none."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, LiteralString

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.rule.proposal import ApprovalState, ProposalTrigger, states_before
from weighbridge.core.rule.result import ResultStatus, ResultTrigger, statuses_before, statuses_changed_by
from weighbridge.db.engine import Write
from weighbridge.db.json import canonical_sha256
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.quality.rule_results import queries
from weighbridge.quality.rule_results.records import RESULTS_MAX, Dismissal, Dismissed

_TABLES: Final[Mapping[str, LiteralString]] = {
    "data_point_result": "data_point_results",
    "model_run_result": "model_run_results",
}
"""Where the results of each kind stand."""

_PENDING: Final = ", ".join(f"'{state}'" for state in states_before(ProposalTrigger.WITHDRAW))
_BESIDE: Final[Mapping[str, LiteralString]] = {
    "data_point_results": f""",
               approval_state = CASE WHEN approval_state IN ({_PENDING}) THEN '{ApprovalState.WITHDRAWN}'
                                     ELSE approval_state END""",
    "model_run_results": "",
}
"""What changes beside the status: what a dismissed result proposes is withdrawn."""


async def bulk_dismiss(tx: Write, actor: Actor, project: int, request: Dismissal) -> Dismissed:
    """Dismiss results of either kind with one reason; those that are dismissed already stay as they are."""
    named = list(dict.fromkeys(request.result_ids))
    problems = [*_problems_of_shape(named, request.reason)]
    keys: dict[str, int] = {}
    if len(named) <= RESULTS_MAX:
        keys = {one: key for one in named if (key := _key_of(project, one)) is not None}
        problems += _problems_of_results(request.result_ids, named, await _locked(tx, project, keys))
    if problems:
        raise Invalid(problems)
    dismissed = 0
    for kind, table in _TABLES.items():
        dismissed += await _dismiss(
            tx, actor, project, table, keys=_of_kind(keys, kind), reason=request.reason.strip()
        )
    if dismissed:
        changes.record(
            tx,
            actor,
            action="rule_result.bulk_dismiss",
            target=f"{dismissed} rule results",
            project_id=project,
            after={
                "count": dismissed,
                "result_ids": named,
                "reason": request.reason.strip(),
                "sha256": canonical_sha256(request),
            },
        )
    return Dismissed(await queries.rule_results_named(tx, project, [keys[one] for one in named]))


def _problems_of_shape(named: Sequence[str], reason: str) -> Iterator[Problem]:
    if not reason.strip():
        yield Problem("reason is blank; say why the results are dismissed.", "reason", "required")
    if not named:
        yield Problem("result_ids is empty; name at least one rule result.", "result_ids", "required")
    if len(named) > RESULTS_MAX:
        yield Problem(
            f"result_ids names {len(named):,} rule results; one request dismisses at most {RESULTS_MAX:,}.",
            "result_ids",
            "too_many",
        )


def _problems_of_results(
    sent: Sequence[str], named: Sequence[str], statuses: Mapping[str, str]
) -> Iterator[Problem]:
    movable = statuses_before(ResultTrigger.DISMISSED)
    for one in named:
        field = f"result_ids[{sent.index(one)}]"
        status = statuses.get(one)
        if status is None:
            yield Problem(f"{field} is {one!r}, which is no rule result of the project.", field, "unknown")
        elif status not in movable:
            yield Problem(f"{field} is {one!r}, which passes; there is nothing to dismiss.", field, status)


def _key_of(project: int, friendly: str) -> int | None:
    """The key in the id of a result of the project; None for any other text."""
    kind = ids.kind_of(friendly)
    key = ids.parse(kind, friendly) if kind and kind in _TABLES else None
    return None if key is None or key != ids.Key(project, key.key) else key.key


def _of_kind(keys: Mapping[str, int], kind: str) -> list[int]:
    return [key for friendly, key in keys.items() if ids.kind_of(friendly) == kind]


async def _locked(tx: Write, project: int, keys: Mapping[str, int]) -> dict[str, str]:
    """The statuses of the results that there are, which nobody else changes until the transaction ends."""
    statuses: dict[str, str] = {}
    for kind, table in _TABLES.items():
        rows = await tx.tuples(
            f"""
            SELECT r.id, r.status FROM {table} r
              JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
             WHERE r.project_id = %s AND r.id = ANY (%s) ORDER BY r.id FOR NO KEY UPDATE OF r
            """,
            (project, _of_kind(keys, kind)),
        )
        by_key: dict[int, str] = dict(rows)
        statuses |= {
            friendly: by_key[key]
            for friendly, key in keys.items()
            if ids.kind_of(friendly) == kind and key in by_key
        }
    return statuses


async def _dismiss(
    tx: Write, actor: Actor, project: int, table: LiteralString, *, keys: list[int], reason: str
) -> int:
    """Dismiss the results of one table, in one statement; gives how many were not dismissed before."""
    if not keys:
        return 0
    return await tx.execute(
        f"""
        UPDATE {table}
           SET status = %s, dismissed_at = now(), dismissed_by = %s, dismissal_reason = %s{_BESIDE[table]}
         WHERE project_id = %s AND id = ANY (%s) AND status = ANY (%s)
        """,
        (
            ResultStatus.DISMISSED, actor.user_id, reason, project, keys,
            statuses_changed_by(ResultTrigger.DISMISSED),
        ),
    )  # fmt: skip
