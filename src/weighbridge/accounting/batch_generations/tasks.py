"""Carry out a generation: plan, then publish everything in one fenced transaction."""

from collections.abc import Sequence

from weighbridge.accounting.batch_generations.records import GenerationResult, NewGeneration
from weighbridge.accounting.books.locks import lock_names
from weighbridge.accounting.books.staleness import clear, mark_changed_meanwhile
from weighbridge.accounting.drawing.manual_sources import choices_in
from weighbridge.accounting.planning.kept_inputs import keep_inputs
from weighbridge.accounting.planning.plan import Plan
from weighbridge.accounting.planning.planner import make_plans
from weighbridge.accounting.planning.scope import Scope, scopes_of
from weighbridge.accounting.planning.unchanged import keep_digests
from weighbridge.accounting.planning.updates import UpdatedRun, refuse_to_fall_short, updated_run
from weighbridge.accounting.posting.adjustments import Postings, postings_of
from weighbridge.accounting.posting.consumers import mark_consumers, mark_other_ledgers
from weighbridge.accounting.posting.entries import insert_entries
from weighbridge.accounting.posting.posted import Context, Posted
from weighbridge.accounting.posting.publication import publish
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.json import as_record
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import actions as tasks
from weighbridge.platform.async_tasks.actions import Attempt


async def generate_batches(database: Database, attempt: Attempt) -> None:
    """Make the batches that a task asks for; safe to repeat, because only the newest attempt publishes."""
    ledger = ids.of("ledger", attempt.project_id, attempt.args["ledger_id"])
    asked = as_record(
        {name: attempt.args[name] for name in NewGeneration.__struct_fields__ if name in attempt.args},
        NewGeneration,
    )
    async with database.read() as before:
        updated = await _updated(before, attempt)
        locks = await _locks(before, await scopes_of(before, attempt.actor, ledger, asked, _only(updated)))
    # The locks are held before the snapshot is taken, so the snapshot shows what their last holders posted.
    async with database.snapshot(locks=locks) as tx:
        await tasks.report(database, attempt, 10, "Reading the data and running the model")
        updated = await _updated(tx, attempt)
        scopes = await scopes_of(tx, attempt.actor, ledger, asked, _only(updated))
        if not set(locks).issuperset(await _locks(tx, scopes)):
            raise Invalid([Problem("The model draws from other ledgers since a moment ago; start again.")])
        partition = updated.partition if updated else None
        plans = await make_plans(tx, scopes, await choices_in(tx, scopes, asked, partition))
        if problems := [Problem(problem) for plan in plans for problem in plan.problems]:
            raise Invalid(problems)
        postings = await postings_of(tx, attempt.project_id, plans)
        if partition is not None:
            refuse_to_fall_short(scopes, postings)
        count = sum(len(plan.changes) for plan in plans)
        await tasks.report(database, attempt, 60, f"Writing {count} batches and their lineage")
        posted = await _publish(tx, attempt, scopes, plans, postings)
        if posted:
            await insert_entries(tx, attempt.project_id, attempt.task_id, postings, posted)
            await mark_consumers(tx, attempt.project_id, posted)
            if asked.names_inputs:
                ledgers = [target.number for target in scopes[-1].targets]
                await mark_other_ledgers(tx, attempt.project_id, posted, ledgers)
        await mark_changed_meanwhile(database, tx, attempt.project_id)
        await tasks.hold_fence(tx, attempt)
        result = _result(attempt.project_id, plans, posted, postings)
        changes.record(
            tx,
            attempt.actor,
            changes.ChangedBatches([one.batch_id for one in posted]),
            action="batch_generation.finish",
            target=ledger,
            project_id=attempt.project_id,
            after=result,
        )
        await tasks.succeed(tx, attempt, result)


async def _updated(tx: Read, attempt: Attempt) -> UpdatedRun | None:
    """The run of the batch that is given other inputs; None when none is."""
    batch = attempt.args.get("batch_id")
    if batch is None:
        return None
    return await updated_run(tx, attempt.project_id, attempt.args["ledger_id"], batch)


def _only(updated: UpdatedRun | None) -> Interval | None:
    return updated.slot if updated else None


async def _publish(
    tx: Write, attempt: Attempt, scopes: Sequence[Scope], plans: Sequence[Plan], postings: Postings
) -> list[Posted]:
    """Write the batches of every version, and what stays with their slots."""
    project = attempt.project_id
    feedstocks = await tx.tuples("SELECT name, id FROM feedstocks WHERE project_id = %s", (project,))
    assets = await tx.tuples("SELECT name, id FROM assets WHERE project_id = %s", (project,))
    posted = []
    for scope, plan in zip(scopes, plans, strict=True):
        context = Context(
            project=project,
            family=scope.family,
            task_id=attempt.task_id,
            model_sha256=scope.model_sha256,
            feedstocks=dict(feedstocks),
            assets=dict(assets),
        )
        posted += await publish(tx, context, scope.model, plan, postings.credits)
        await keep_digests(tx, scope, plan.digests)
        await keep_inputs(tx, project, scope.family, scope.selection.selected, scope.inputs)
        ledgers = [target.number for target in scope.targets]
        await clear(tx, project, scope.family, ledgers, plan.slots)
    return posted


async def _locks(tx: Read, scopes: Sequence[Scope]) -> list[str]:
    """One generation at a time for a model in a project, and for each ledger that it posts to."""
    models = {scopes[0].family: [scope.model for scope in scopes]}
    return await lock_names(tx, scopes[0].project, models)


def _result(
    project: int, plans: Sequence[Plan], posted: Sequence[Posted], postings: Postings
) -> GenerationResult:
    adjusted = sum(one.change.adjusts is not None for one in posted)
    return GenerationResult(
        batches=[ids.of("batch", project, one.batch_id) for one in posted],
        created=len(posted) - adjusted,
        adjusted=adjusted,
        unchanged=sum(plan.unchanged for plan in plans),
        not_counted=[found for plan in plans for found in plan.not_counted],
        pending_proposals=[found for plan in plans for found in plan.pending],
        left_out=[run for plan in plans for run in plan.left_out],
        deficits=postings.named_deficits(project),
    )
