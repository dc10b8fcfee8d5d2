"""Generations: running a ledger's model over collected data, slot by slot and partition by partition.

Preview shows a proposal and generation posts one, so they cannot disagree. A generation reconciles: it
posts the difference between what a run should have credited and what it has. Permission: production
accounting.

Invariants: everything is posted in one transaction that only the current attempt of a task can commit.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec
from msgspec import structs

from weighbridge.accounting.books.allocation import RunWithoutSource
from weighbridge.accounting.books.balances import lock_names, show_deficit
from weighbridge.accounting.books.runs import (
    clear,
    compute_measured_share,
    compute_value_source_shares,
    mark_changed_meanwhile,
)
from weighbridge.accounting.inputs.streams import CATALOGUE
from weighbridge.accounting.planning.explicit_inputs import ask_for_inputs
from weighbridge.accounting.planning.plan import (
    ExcludedDraw,
    ExcludedEvents,
    ExcludedSlot,
    Exclusion,
    Reason,
    RunDifference,
)
from weighbridge.accounting.planning.proposal import (
    Proposal,
    Request,
    check_early,
    propose,
    read_scopes,
)
from weighbridge.accounting.planning.scope import CreditedLedger, Scope
from weighbridge.accounting.posting.impact import compute_generation_impact
from weighbridge.accounting.posting.posting_run import (
    mark_consumers,
    mark_other_ledgers,
    post_proposal,
    read_written_digests,
)
from weighbridge.accounting.posting.provenance import PostedBatch
from weighbridge.accounting.posting.waiting_events import MOMENT_BEFORE
from weighbridge.accounting.records.impact import GenerationImpact
from weighbridge.accounting.records.ledgers import PartitionDeficit
from weighbridge.accounting.records.model_runs import (
    GenerationResult,
    LeftOut,
    NewGeneration,
    NotCounted,
    Preview,
    PreviewEntry,
    RoundedAwayDraw,
    StaleSource,
)
from weighbridge.concurrency import computing_for
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import (
    NO_CONTRIBUTIONS,
    add_contributions,
    spread,
    warn_of_coarse_scale,
    write_columns,
)
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant, Interval, label_slot
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.statements import as_record
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.dry_runs import attempt_with_body
from weighbridge.http.endpoints.endpoint import Answer, ReadCall, WriteCall, ask, post
from weighbridge.http.messages.body import LONG_BODY_BYTES_MAX
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform import changes
from weighbridge.platform.async_tasks import Attempt, AttemptSupersededError, accept_task, queue_task
from weighbridge.platform.records import AsyncTask

# Read what a generation would do, and say what one does or did as callers see it.


def list_not_counted(exclusions: Iterable[Exclusion]) -> list[NotCounted]:
    """The events that no run uses."""
    return [
        NotCounted(
            exclusion.sentence, exclusion.what.event_type, exclusion.what.count, list(exclusion.what.examples)
        )
        for exclusion in exclusions
        if isinstance(exclusion.what, ExcludedEvents)
    ]


def list_left_out(exclusions: Iterable[Exclusion]) -> list[LeftOut]:
    """The runs that are not made."""
    return [
        LeftOut(exclusion.what.slot, exclusion.what.partition.label or None, list(exclusion.what.nodes))
        for exclusion in exclusions
        if isinstance(exclusion.what, RunWithoutSource)
    ]


def list_rounded_away(proposal: Proposal) -> list[RoundedAwayDraw]:
    """The draws that come to nothing although something is needed."""
    project = proposal.scope.project
    return [
        RoundedAwayDraw(
            exclusion.what.slot,
            exclusion.what.draw.drawer.partition.label or None,
            exclusion.what.draw.drawer.node,
            identity.of("ledger", project, exclusion.what.draw.ledger.ledger),
            exclusion.what.draw.needed,
        )
        for exclusion in proposal.exclusions
        if isinstance(exclusion.what, ExcludedDraw)
    ]


def list_proposed_deficits(proposal: Proposal) -> list[PartitionDeficit]:
    """Every deficit of the ledgers and of those that they draw from, as it is afterwards."""
    return [show_deficit(proposal.scope.project, deficit) for deficit in proposal.deficits]


def _build_entry(proposal: Proposal, ledger: CreditedLedger) -> PreviewEntry:
    """What the plans of all versions do to one ledger."""
    scope, exclusions = proposal.scope, proposal.exclusions
    # What has problems posts nothing.
    differences = [
        difference
        for difference in proposal.differences
        if difference.ledger == ledger and not proposal.problems
    ]
    own = identity.of("ledger", scope.project, ledger.number)
    others = {identity.of("ledger", scope.project, one.number) for one in scope.ledgers} - {own}
    shares = compute_value_source_shares(_add_contributions(differences))
    return PreviewEntry(
        id=own,
        name=ledger.name,
        count=len(differences),
        adjustments=sum(difference.adjusts is not None for difference in differences),
        slots=_list_slot_labels(proposal),
        touched_slots=_list_labels(exclusions, Reason.MOSTLY_OUTSIDE),
        passed_over_slots=list_passed_over(exclusions),
        not_counted=list_not_counted(exclusions),
        pending_proposals=[one for plan in proposal.plans for one in plan.pending],
        pending_evaluations=[one for plan in proposal.plans for one in plan.unevaluated],
        pending_roll_ups=[one for plan in proposal.plans for one in plan.lagging],
        left_out=list_left_out(exclusions),
        rounded_away=list_rounded_away(proposal),
        measured_share=compute_measured_share(shares),
        value_source_shares=shares,
        deficits=[deficit for deficit in list_proposed_deficits(proposal) if deficit.ledger not in others],
        warnings=_list_scale_warnings(proposal, ledger),
        stale_sources=list_stale_sources(proposal),
        problems=[problem.message for problem in proposal.problems],
        passed_over_with_data=list_passed_over_with_data(exclusions),
    )


def _add_contributions(differences: Sequence[RunDifference]) -> list[Decimal] | None:
    """What contributes to the runs of a ledger, source by source; None where nobody knows."""
    found = [
        (difference.total, difference.run.contributions.get(difference.ledger.output, NO_CONTRIBUTIONS))
        for difference in differences
    ]
    known = [spread(total, contributions) for total, contributions in found if contributions is not None]
    return write_columns(add_contributions(known)) if len(known) == len(found) else None


def _list_scale_warnings(proposal: Proposal, ledger: CreditedLedger) -> list[str]:
    """What the ledger's scale may cost, by each version of the model that is computed."""
    warnings = [
        warn_of_coarse_scale(
            ledger.name, ledger.unit, ledger.scale, ledger.rounding, scope.model.share_places
        )
        for scope in proposal.scopes
        if scope.model.partition_type != "time"
    ]
    return list(dict.fromkeys(warning for warning in warnings if warning is not None))


def list_passed_over(exclusions: Sequence[Exclusion]) -> list[str]:
    """What the slots are called that are left to batches of another cadence."""
    return _list_labels(exclusions, Reason.OTHER_CADENCE)


def list_passed_over_with_data(exclusions: Sequence[Exclusion]) -> list[str]:
    """What those of them are called in which the model reads events."""
    return [
        exclusion.what.label
        for exclusion in exclusions
        if exclusion.reason is Reason.OTHER_CADENCE
        and isinstance(exclusion.what, ExcludedSlot)
        and exclusion.what.has_data
    ]


def list_stale_sources(proposal: Proposal) -> list[StaleSource]:
    """The batches that runs would draw from although they are stale."""
    return [
        StaleSource(
            identity.of("batch", proposal.scope.project, source.batch),
            identity.of("ledger", proposal.scope.project, source.ledger),
            source.name,
            list(source.reasons),
        )
        for source in proposal.stale_sources
    ]


def _list_slot_labels(proposal: Proposal) -> list[str]:
    """What the slots that are computed are called, in their order."""
    slots = [
        (slot, label_slot(scope.model.cadence, slot, scope.zone))
        for scope in proposal.scopes
        for slot in scope.slots
    ]
    return [named for _, named in sorted(slots, key=_order_of_slot)]


def _list_labels(exclusions: Sequence[Exclusion], reason: Reason) -> list[str]:
    return [
        exclusion.what.label
        for exclusion in exclusions
        if exclusion.reason is reason and isinstance(exclusion.what, ExcludedSlot)
    ]


def _order_of_slot(slot: tuple[Interval, str]) -> tuple[datetime, datetime, str]:
    interval, named = slot
    return interval.start, interval.end, named


# Carry out a generation: propose, then post everything in one fenced transaction.


MANY_ROWS_WRITTEN: Final = 1_000
"""So many batches and events of their lineage take long enough to write that somebody may look."""


async def generate_batches(database: Database, attempt: Attempt) -> None:
    """Make the batches that a task asks for; safe to repeat, because only the newest attempt posts."""
    with computing_for(attempt.actor.account_id):
        await _post_generation(database, attempt)


async def _post_generation(database: Database, attempt: Attempt) -> None:
    request = _read_request(attempt)
    async with database.read() as before:
        with before.noted() as asked:
            scopes = await read_scopes(before, request)
            locks = await _list_locks(before, scopes)
    reading = tasks.progress_statement(attempt, 10, "Reading the data and running the model", MOMENT_BEFORE)
    # The locks are held before the snapshot is taken, so the snapshot shows what their last holders posted.
    async with database.snapshot(locks=locks, first=reading) as tx:
        if tx.first is None:
            raise AttemptSupersededError
        [seen_until] = tx.first
        # The same is asked again as before the locks, and then what is known of its slots: in one message.
        of_slots = [ask_for_inputs(scope.project, scope.family, scope.slots) for scope in scopes]
        async with tx.foreseen([*asked, (CATALOGUE, (attempt.project_id,)), *of_slots]):
            proposal = await propose(tx, request)
            await _require_postable(tx, proposal, locks)
        if _is_long(proposal):
            count = len(proposal.differences)
            await tasks.report_progress(database, attempt, 60, f"Writing {count} batches and their lineage")
        posted = await post_proposal(tx, proposal, attempt.task_id, seen_until)
        _mark(tx, proposal, posted)
        await mark_changed_meanwhile(database, tx, attempt.project_id)
        batches = [one.batch_id for one in posted]
        _, digests = await tx.together(
            tasks.lock_current_attempt(tx, attempt),
            read_written_digests(tx, attempt.project_id, attempt.task_id, batches),
        )
        result = _build_result(proposal, posted)
        changes.record(
            tx,
            attempt.actor,
            changes.ChangedBatches(batches),
            action="batch_generation.finish",
            target=request.ledger,
            project_id=attempt.project_id,
            after=structs.asdict(result) | {"written": digests, "seen_until": str(seen_until)},
        )
        await tasks.complete_task(tx, attempt, result)


def _read_request(attempt: Attempt) -> Request:
    """The request that the task was queued for."""
    given = {name: attempt.args[name] for name in NewGeneration.__struct_fields__ if name in attempt.args}
    ledger = identity.of("ledger", attempt.project_id, attempt.args["ledger_id"])
    return Request(attempt.actor, ledger, as_record(given, NewGeneration), attempt.args.get("batch_id"))


async def _list_locks(tx: Read, scopes: Sequence[Scope]) -> list[str]:
    """One generation at a time for a model in a project, and for each ledger that it posts to."""
    models = {scopes[0].family: [scope.model for scope in scopes]}
    return await lock_names(tx, scopes[0].project, models)


async def _require_postable(tx: Read, proposal: Proposal, locks: Sequence[str]) -> None:
    """Raise Invalid when what is proposed cannot be posted, or touches more than is locked."""
    if not set(locks).issuperset(await _list_locks(tx, proposal.scopes)):
        raise Invalid([Problem("The model draws from other ledgers since a moment ago; start again.")])
    if proposal.problems:
        raise Invalid(proposal.problems)


def _is_long(proposal: Proposal) -> bool:
    """Whether writing takes so long that somebody may look how far it is."""
    written_rows = sum(1 + sum(difference.run.event_counts.values()) for difference in proposal.differences)
    return written_rows > MANY_ROWS_WRITTEN


def _mark(tx: Write, proposal: Proposal, posted: Sequence[PostedBatch]) -> None:
    """Take the marks off what is fresh now, and leave them on what has not seen it."""
    project, ledgers = proposal.scope.project, [ledger.number for ledger in proposal.scope.ledgers]
    for scope in proposal.scopes:
        clear(tx, project, scope.family, ledgers, (*scope.slots, *scope.replaced))
    if posted:
        mark_consumers(tx, project, posted)
        if proposal.request.generation.names_inputs:
            mark_other_ledgers(tx, project, posted, ledgers)


def _build_result(proposal: Proposal, posted: Sequence[PostedBatch]) -> GenerationResult:
    adjusted = sum(one.difference.adjusts is not None for one in posted)
    return GenerationResult(
        batches=[identity.of("batch", proposal.scope.project, one.batch_id) for one in posted],
        created=len(posted) - adjusted,
        adjusted=adjusted,
        unchanged=sum(plan.unchanged for plan in proposal.plans),
        passed_over_slots=list_passed_over(proposal.exclusions),
        not_counted=list_not_counted(proposal.exclusions),
        pending_proposals=[one for plan in proposal.plans for one in plan.pending],
        pending_evaluations=[one for plan in proposal.plans for one in plan.unevaluated],
        pending_roll_ups=[one for plan in proposal.plans for one in plan.lagging],
        left_out=list_left_out(proposal.exclusions),
        rounded_away=list_rounded_away(proposal),
        deficits=list_proposed_deficits(proposal),
        stale_sources=list_stale_sources(proposal),
        passed_over_with_data=list_passed_over_with_data(proposal.exclusions),
    )


# Start a generation.


TASK = "batch_generation"


async def queue_generation(tx: Write, actor: Actor, ledger: str, generation: NewGeneration) -> AsyncTask:
    """Queue a generation as a task; what cannot run at all is refused at once."""
    request = Request(actor, ledger, generation)
    scope = await check_early(tx, request)
    task = await queue_request(tx, request, scope)
    changes.record(
        tx, actor, action="batch_generation.start", target=ledger, project_id=scope.project, after=task
    )
    return task


async def queue_request(tx: Write, request: Request, scope: Scope) -> AsyncTask:
    """Queue the task of a generation, which reads the request from its arguments again."""
    generation = request.generation
    given = {name: value for name, value in msgspec.structs.asdict(generation).items() if value is not None}
    times = {"start_time": Instant.of(generation.start_time), "end_time": Instant.of(generation.end_time)}
    args = {
        **given,
        **times,
        "project_id": scope.project,
        "ledger_id": identity.number("ledger", request.ledger),
    }
    if request.updated_batch is not None:
        args["batch_id"] = request.updated_batch
    lock = locks.generation(scope.project, scope.family)
    return await queue_task(tx, request.actor, kind=TASK, project_id=scope.project, args=args, lock=lock)


# Paths of generation: hung below the ledger whose batches are made.


_EXAMPLE = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-12-31T23:59:59Z"}


@ask(
    "/ledgers/{ledger_id}/generate_preview",
    permission="production_accounting:read",
    body=NewGeneration,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=Preview,
    of_one_snapshot=True,
    example=_EXAMPLE,
)
async def generate_preview(call: ReadCall, body: NewGeneration) -> Preview:
    """Say how many batches generation would create, without creating any."""
    tx = call.tx
    proposal = await propose(tx, Request(call.actor, call.path["ledger_id"], body))
    return await tx.in_thread(
        lambda: Preview([_build_entry(proposal, one) for one in proposal.scope.ledgers])
    )


@attempt_with_body(
    "/ledgers/{ledger_id}/generate_impact",
    permission="production_accounting:read",
    body=NewGeneration,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=GenerationImpact,
    example=_EXAMPLE,
)
async def generate_impact(call: WriteCall, body: NewGeneration) -> GenerationImpact:
    """Say what generation would change, ledger after ledger down to reports, without storing anything.

    The generation is carried out, then those of all batches that draw from what it adjusts, and everything is
    undone. What each comes to now is what is posted.
    """
    return await compute_generation_impact(call.tx, Request(call.actor, call.path["ledger_id"], body))


@post(
    "/ledgers/{ledger_id}/batch_generations",
    permission="production_accounting:write",
    body=NewGeneration,
    body_bytes_max=LONG_BODY_BYTES_MAX,
    returns=AsyncTask,
    status=202,
    task_results={"batch_generation": GenerationResult},
    example=_EXAMPLE,
    computes=True,
)
async def create_batch_generation(call: WriteCall, body: NewGeneration) -> Answer:
    """Start generating batches on a ledger; poll the task in the answer."""
    return accept_task(await queue_generation(call.tx, call.actor, call.path["ledger_id"], body))


ROUTES = [generate_preview, generate_impact, create_batch_generation]
