"""Read rule runs, and find the run that a path names; those of a rule that was removed are found nowhere."""

from decimal import Decimal
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.run import RunKind, RunState
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, among, page_of, read_int4
from weighbridge.db.literal import Literal
from weighbridge.errors import NotFound
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.quality.rule_runs.records import RuleRun

RULE_RUNS: Final = Listing(
    sorts={"id": "r.id", "created_at": "r.created_at"},
    default_sort="-id",
    key=("r.id",),
    filters={
        "state": Filter("r.state", among(RunState), ", ".join(RunState)),
        "kind": Filter("r.kind", among(RunKind), ", ".join(RunKind)),
    },
)

_SOURCE: Final = """
    rule_runs r JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
"""
_COLUMNS: Final = """
    r.project_id, r.id, r.rule_id, r.rule_version, u.name, r.kind, r.state, r.start_time, r.end_time,
    r.evaluated, r.alerts, r.corrections, r.withdrawn, r.proposals, r.created_at, r.started_at, r.finished_at,
    extract(epoch FROM r.finished_at - r.started_at) AS duration, r.reversed_at, r.error_message,
    r.async_task_id
"""


async def list_rule_runs(tx: Read, project: int, rule: int, query: Wanted) -> Page[RuleRun]:
    """The runs of a rule, of every version, newest first."""
    of_rule = SQL("r.project_id = {} AND r.rule_id = {}").format(Literal(project), Literal(rule))
    return await page_of(tx, _run, RULE_RUNS, query, columns=_COLUMNS, source=_SOURCE, where=[of_rule])


async def get_rule_run(tx: Read, number: int) -> RuleRun:
    """One run by its number."""
    run = await tx.row(_run, f"SELECT {_COLUMNS} FROM {_SOURCE} WHERE r.id = %s", (number,))
    if run is None:
        raise NotFound
    return run


async def rule_run_named(tx: Read, actor: Actor, text: str) -> tuple[int, int]:
    """The project and number of the run that a path names, of an account that has the rules engine."""
    await need_feature(tx, actor.account_id, Feature.RULES_ENGINE)
    try:
        number = read_int4(text)
    except ValueError:
        raise NotFound from None
    rows = await tx.tuples(
        """
        SELECT r.project_id FROM rule_runs r
          JOIN projects p ON p.id = r.project_id AND p.account_id = %s
          JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
         WHERE r.id = %s
        """,
        (actor.account_id, number),
    )
    if not rows:
        raise NotFound
    return rows[0][0], number


def _run(
    project: int, number: int, rule: int, rule_version: int, rule_name: str, kind: str, state: str,
    start: Instant | None, end: Instant | None, evaluated: int, alerts: int, corrections: int,
    withdrawn: int, proposals: int, created: Instant, started: Instant | None, finished: Instant | None,
    duration: Decimal | None, reversed_at: Instant | None, error_message: str | None, task: int | None,
) -> RuleRun:  # fmt: skip
    return RuleRun(
        number,
        ids.of("rule", project, rule),
        rule_version,
        rule_name,
        kind,
        state,
        start,
        end,
        evaluated,
        alerts,
        corrections,
        withdrawn,
        proposals,
        created,
        started,
        finished,
        duration,
        reversed_at,
        error_message,
        task,
    )
