"""Read rule runs, and find the run that a path names; those of a rule that was removed are found nowhere."""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.run import RunKind, RunState
from weighbridge.db.engine import Read
from weighbridge.db.listing import (
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    among,
    read_int4,
    read_page,
)
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.platform.tenancy.scope import find, of_projects
from weighbridge.quality.rule_runs.records import RuleRun

RULE_RUNS: Final = Listing(
    sorts={"id": "r.id", "created_at": "r.created_at"},
    default_sort="-id",
    key=("r.id",),
    filters={
        "state": Filter("r.state", among(RunState), ", ".join(RunState)),
        "kind": Filter("r.kind", among(RunKind), ", ".join(RunKind)),
    },
    indexes=(Index("id", "state"), Index("id", "kind"), Index("id")),
)

_JOINED: Final = """
    JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
"""
_SOURCE: Final = f"rule_runs r {_JOINED}"

RULE_RUN: Final = row_of(
    RuleRun,
    Column("id", "r.id"),
    Column("rule_id", ("r.project_id", "r.rule_id"), partial(ids.of, "rule")),
    Column("rule_version", "r.rule_version"),
    Column("rule_name", "u.name"),
    Column("kind", "r.kind"),
    Column("state", "r.state"),
    Column("start_time", "r.start_time"),
    Column("end_time", "r.end_time"),
    Column("evaluated", "r.evaluated"),
    Column("alerts", "r.alerts"),
    Column("corrections", "r.corrections"),
    Column("withdrawn", "r.withdrawn"),
    Column("proposals", "r.proposals"),
    Column("created_at", "r.created_at"),
    Column("started_at", "r.started_at"),
    Column("finished_at", "r.finished_at"),
    Column("duration_seconds", "extract(epoch FROM r.finished_at - r.started_at)"),
    Column("reversed_at", "r.reversed_at"),
    Column("error_message", "r.error_message"),
    Column("async_task_id", "r.async_task_id"),
)


async def list_rule_runs(tx: Read, project: int, rule: int, request: ListRequest) -> Page[RuleRun]:
    """The runs of a rule, of every version, newest first."""
    of_rule = SQL("r.project_id = {} AND r.rule_id = {}").format(Literal(project), Literal(rule))
    source = Source("rule_runs r", "r.*", _JOINED)
    return await read_page(tx, RULE_RUN, RULE_RUNS, request, source=source, where=[of_rule])


async def get_rule_run(tx: Read, project: int, number: int) -> RuleRun:
    """One run by its number."""
    return await find(tx, RULE_RUN, _SOURCE, SQL("r.project_id = %s AND r.id = %s"), (project, number))


async def rule_run_named(tx: Read, actor: Actor, text: str) -> tuple[int, int]:
    """The project and number of the run that a path names, of an account that has the rules engine."""
    await need_feature(tx, actor.account_id, Feature.RULES_ENGINE)
    try:
        number = read_int4(text)
    except ValueError:
        raise NotFound from None
    statement = SQL("SELECT r.project_id FROM {} WHERE {} AND r.id = %s").format(
        SQL(_SOURCE), of_projects(actor, "r.project_id")
    )
    project = await tx.value(statement, (number,))
    if project is None:
        raise NotFound
    return project, number
