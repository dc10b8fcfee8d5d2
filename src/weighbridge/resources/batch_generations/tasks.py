"""Carry out a generation: plan, then publish everything in one fenced transaction."""

from collections.abc import Sequence

from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database
from weighbridge.db.json import as_record
from weighbridge.errors import Invalid
from weighbridge.resources.async_tasks import actions as tasks
from weighbridge.resources.async_tasks.actions import Attempt
from weighbridge.resources.audit_log import actions as audit
from weighbridge.resources.batch_generations.lock import lock_name
from weighbridge.resources.batch_generations.plan import Plan
from weighbridge.resources.batch_generations.planner import make_plan
from weighbridge.resources.batch_generations.posted import Context, Posted
from weighbridge.resources.batch_generations.publish import publish
from weighbridge.resources.batch_generations.records import GenerationResult, NewGeneration
from weighbridge.resources.batch_generations.scope import scopes_of
from weighbridge.resources.batches.queries import batch_id
from weighbridge.resources.ledgers.queries import ledger_id


async def generate_batches(database: Database, attempt: Attempt) -> None:
    """Make the batches that a task asks for; safe to repeat, because only the newest attempt publishes."""
    ledger = ledger_id(attempt.project_id, attempt.args["ledger_id"])
    asked = as_record(
        {name: attempt.args[name] for name in NewGeneration.__struct_fields__ if name in attempt.args},
        NewGeneration,
    )
    # The lock is held before the snapshot is taken, so the snapshot shows what the last holder posted.
    async with database.snapshot(lock=await _lock(database, attempt)) as tx:
        await tasks.report(database, attempt, 10, "Reading the data and running the model")
        scopes = await scopes_of(tx, attempt.actor, ledger, asked)
        plans = [await make_plan(tx, scope) for scope in scopes]
        if problems := [Problem(problem) for plan in plans for problem in plan.problems]:
            raise Invalid(problems)
        count = sum(len(plan.changes) for plan in plans)
        await tasks.report(database, attempt, 60, f"Writing {count} batches and their lineage")
        feedstocks = await tx.tuples(
            "SELECT name, id FROM feedstocks WHERE project_id = %s", (attempt.project_id,)
        )
        assets = await tx.tuples("SELECT name, id FROM assets WHERE project_id = %s", (attempt.project_id,))
        posted = []
        for scope, plan in zip(scopes, plans, strict=True):
            context = Context(
                project=scope.project,
                family=scope.family,
                task_id=attempt.task_id,
                model_sha256=scope.model_sha256,
                feedstocks=dict(feedstocks),
                assets=dict(assets),
            )
            posted += await publish(tx, context, scope.model, plan)
        await tasks.hold_fence(tx, attempt)
        result = _result(attempt.project_id, plans, posted)
        await audit.record(
            tx,
            attempt.actor,
            action="batch_generation.finish",
            target=ledger,
            project_id=attempt.project_id,
            after=result,
        )
        await tasks.succeed(tx, attempt, result)


async def _lock(database: Database, attempt: Attempt) -> str:
    """One generation at a time for a model in a project: its ledgers share runs."""
    row = await database.single(
        "SELECT family_id FROM ledgers WHERE project_id = %s AND id = %s",
        (attempt.project_id, attempt.args["ledger_id"]),
    )
    return lock_name(attempt.project_id, row[0] if row else 0)


def _result(project: int, plans: Sequence[Plan], posted: Sequence[Posted]) -> GenerationResult:
    adjusted = sum(one.change.adjusts is not None for one in posted)
    return GenerationResult(
        batches=[batch_id(project, one.batch_id) for one in posted],
        created=len(posted) - adjusted,
        adjusted=adjusted,
        unchanged=sum(plan.unchanged for plan in plans),
        not_counted=[found for plan in plans for found in plan.not_counted],
    )
