"""Carry out a generation: propose, then post everything in one fenced transaction."""

from collections.abc import Sequence

from msgspec import structs

from weighbridge.accounting.batch_generations.queries import (
    deficits,
    left_out,
    not_counted,
    passed_over,
    passed_over_with_data,
    rounded_away,
    stale_sources,
)
from weighbridge.accounting.batch_generations.records import GenerationResult, NewGeneration
from weighbridge.accounting.books.locks import lock_names
from weighbridge.accounting.books.staleness import clear, mark_changed_meanwhile
from weighbridge.accounting.planning.propose import Proposal, Request, propose, scopes_for
from weighbridge.accounting.planning.scope import Scope
from weighbridge.accounting.posting.consumers import mark_consumers, mark_other_ledgers
from weighbridge.accounting.posting.generated_slots import moment_before
from weighbridge.accounting.posting.post import post
from weighbridge.accounting.posting.posted import Posted
from weighbridge.accounting.posting.written import written
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.json import as_record
from weighbridge.db.threads import computing_for
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import actions as tasks
from weighbridge.platform.async_tasks.actions import Attempt


async def generate_batches(database: Database, attempt: Attempt) -> None:
    """Make the batches that a task asks for; safe to repeat, because only the newest attempt posts."""
    with computing_for(attempt.actor.account_id):
        await _generate(database, attempt)


async def _generate(database: Database, attempt: Attempt) -> None:
    request = _request(attempt)
    async with database.read() as before:
        locks = await _locks(before, await scopes_for(before, request))
    # The locks are held before the snapshot is taken, so the snapshot shows what their last holders posted.
    async with database.snapshot(locks=locks) as tx:
        async with database.read() as fresh:
            seen_until = await moment_before(fresh)
        await tasks.report(database, attempt, 10, "Reading the data and running the model")
        proposal = await propose(tx, request)
        await _refuse(tx, proposal, locks)
        count = len(proposal.differences)
        await tasks.report(database, attempt, 60, f"Writing {count} batches and their lineage")
        posted = await post(tx, proposal, attempt.task_id, seen_until)
        await _mark(tx, proposal, posted)
        await mark_changed_meanwhile(database, tx, attempt.project_id)
        batches = [one.batch_id for one in posted]
        digests = await written(tx, attempt.project_id, attempt.task_id, batches)
        await tasks.hold_fence(tx, attempt)
        result = _result(proposal, posted)
        changes.record(
            tx,
            attempt.actor,
            changes.ChangedBatches(batches),
            action="batch_generation.finish",
            target=request.ledger,
            project_id=attempt.project_id,
            after=structs.asdict(result) | {"written": digests},
        )
        await tasks.succeed(tx, attempt, result)


def _request(attempt: Attempt) -> Request:
    """The request that the task was queued for."""
    given = {name: attempt.args[name] for name in NewGeneration.__struct_fields__ if name in attempt.args}
    ledger = ids.of("ledger", attempt.project_id, attempt.args["ledger_id"])
    return Request(attempt.actor, ledger, as_record(given, NewGeneration), attempt.args.get("batch_id"))


async def _locks(tx: Read, scopes: Sequence[Scope]) -> list[str]:
    """One generation at a time for a model in a project, and for each ledger that it posts to."""
    models = {scopes[0].family: [scope.model for scope in scopes]}
    return await lock_names(tx, scopes[0].project, models)


async def _refuse(tx: Read, proposal: Proposal, locks: Sequence[str]) -> None:
    """Raise Invalid when what is proposed cannot be posted, or touches more than is locked."""
    if not set(locks).issuperset(await _locks(tx, proposal.scopes)):
        raise Invalid([Problem("The model draws from other ledgers since a moment ago; start again.")])
    if proposal.problems:
        raise Invalid(proposal.problems)


async def _mark(tx: Write, proposal: Proposal, posted: Sequence[Posted]) -> None:
    """Take the marks off what is fresh now, and leave them on what has not seen it."""
    project, ledgers = proposal.scope.project, [ledger.number for ledger in proposal.scope.ledgers]
    for scope in proposal.scopes:
        await clear(tx, project, scope.family, ledgers, (*scope.slots, *scope.replaced))
    if posted:
        await mark_consumers(tx, project, posted)
        if proposal.request.generation.names_inputs:
            await mark_other_ledgers(tx, project, posted, ledgers)


def _result(proposal: Proposal, posted: Sequence[Posted]) -> GenerationResult:
    adjusted = sum(one.difference.adjusts is not None for one in posted)
    return GenerationResult(
        batches=[ids.of("batch", proposal.scope.project, one.batch_id) for one in posted],
        created=len(posted) - adjusted,
        adjusted=adjusted,
        unchanged=sum(plan.unchanged for plan in proposal.plans),
        passed_over_slots=passed_over(proposal.exclusions),
        not_counted=not_counted(proposal.exclusions),
        pending_proposals=[one for plan in proposal.plans for one in plan.pending],
        pending_evaluations=[one for plan in proposal.plans for one in plan.unevaluated],
        pending_roll_ups=[one for plan in proposal.plans for one in plan.lagging],
        left_out=left_out(proposal.exclusions),
        rounded_away=rounded_away(proposal),
        deficits=deficits(proposal),
        stale_sources=stale_sources(proposal),
        passed_over_with_data=passed_over_with_data(proposal.exclusions),
    )
