"""Build the proposal of a generation: runs, entries, deficits, exclusions and problems. Nothing is
written.

The preview shows a proposal and the task posts one, so the two cannot disagree. Updating the inputs of
a batch is a generation of its slot.

Invariants: a proposal is made from one snapshot; a proposal with problems has no entries. An update
that would leave less than was withdrawn is rejected.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Final

from weighbridge.accounting.books.balances import (
    Shortage,
    changed,
    deepened,
    open_deficits,
    shortages,
    standings_of,
    with_slot_starts,
)
from weighbridge.accounting.books.runs import RUN_COLUMNS, RUN_TAGS, RunRow
from weighbridge.accounting.books.staleness import StaleSourceBatch, stale_sources_of
from weighbridge.accounting.inputs.slot_data import problems_of_statics, statics_of
from weighbridge.accounting.inputs.streams import catalogue_of, streams_of
from weighbridge.accounting.planning.entries import ProposedEntries, draw_entries, entries_of
from weighbridge.accounting.planning.plan import Exclusion, Plan, Reason, RunDifference
from weighbridge.accounting.planning.planner import make_plans
from weighbridge.accounting.planning.scope import Scope, scopes_of, with_inputs
from weighbridge.accounting.records.model_runs import NewGeneration, UpdatedInputs
from weighbridge.accounting.withdrawals.allocation import refuse_beyond_balance
from weighbridge.accounting.withdrawals.manual_sources import ManualSources, manual_sources_of
from weighbridge.core.identity import ids
from weighbridge.core.ledger.allocation import Account
from weighbridge.core.ledger.drawing import Standing
from weighbridge.core.ledger.posting import Entry
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import exact_total, plain
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

# Updates: a batch's slot is generated again with inputs that the caller names for the batch.
#
# What is named replaces what stayed with the slot, list by list. Amounts of sources are for the batch's
# run. Data points are the complete set of the batch: of the types that they touch, what batches of the
# slot's other partitions were made of stays with the slot, so that those do not change.
#
# Invariants: an update that would leave less than was drawn is refused, and one that fails changes nothing.
# While its task is at work the batch is `processing`; why it failed is the batch's `error_message`.


_SHORTEST: Final = timedelta(milliseconds=1)
"""How long a range is at least, where the slot is a reading."""


class UpdatedRun(RunRow, frozen=True):
    """The run of a batch that is given other inputs."""

    number: int
    family: int


async def updated_run(tx: Read, ledger: str, batch: int) -> UpdatedRun:
    """The run of a batch of the ledger; raise Invalid when none can be computed again."""
    key = ids.parse("ledger", ledger)
    run = await tx.row(UpdatedRun, _RUN, (key.project, key.key, batch)) if key else None
    if run is None:
        message = "The batch is an instrument or has been deleted; nothing can be computed for it."
        raise Invalid([Problem(message, "batch_id", "no_run")])
    return run


async def generation_for(tx: Read, project: int, run: UpdatedRun, inputs: UpdatedInputs) -> NewGeneration:
    """The generation that gives a run its other inputs."""
    data_points = inputs.data_point_ids
    if data_points:
        data_points = list(dict.fromkeys([*data_points, *await _of_others(tx, project, run, data_points)]))
    return NewGeneration(
        start_time=run.start_time,
        end_time=max(run.end_time, run.start_time + _SHORTEST),
        batch_amounts=inputs.batch_amounts,
        data_point_ids=data_points,
        skipped_data_point_type_ids=inputs.skipped_data_point_type_ids,
    )


async def _of_others(tx: Read, project: int, run: UpdatedRun, named: Sequence[str]) -> list[str]:
    """What the slot's other partitions are made of, of the types that are named."""
    keys = [ids.parse("data_point", text) for text in named]
    mine = [key for key in keys if key and key.project == project and key.owner is ids.Owner.EVENT]
    rows = await tx.tuples(
        _OF_OTHERS,
        {
            "project": project,
            "run": run.number,
            "events": [key.key for key in mine],
            "positions": [key.position for key in mine],
        },
    )
    return [ids.of("data_point", project, event, position) for event, position in rows]


def shortfalls(scopes: Sequence[Scope], deepened: Mapping[Account, Decimal]) -> Iterator[Problem]:
    """Why an update is refused: it would take away what has been drawn already, if only for a while."""
    ledgers = {ledger.number: ledger for scope in scopes for ledger in scope.ledgers}
    for number in sorted({account.ledger for account in deepened} & ledgers.keys()):
        ledger = ledgers[number]
        short = plain(exact_total(more for account, more in deepened.items() if account.ledger == number))
        message = (
            f"With these inputs {ledger.name!r} would be {short} {ledger.unit} short of what was drawn from"
            " it already."
        )
        yield Problem(message, None, "drawn")


_RUN: Final = f"""
    SELECT {RUN_COLUMNS}, r.id, r.family_id
      FROM batches b
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
      {RUN_TAGS}
     WHERE b.project_id = %s AND b.ledger_id = %s AND b.id = %s AND b.deleted_at IS NULL
"""
# The newest batch of a run says what the run is made of.
_OF_OTHERS: Final = """
    WITH named AS (
        SELECT DISTINCT e.event_type_id, point.position
          FROM unnest(%(events)s::bigint[], %(positions)s::integer[]) AS point (event_id, position)
          JOIN events e ON e.project_id = %(project)s AND e.id = point.event_id
    ), others AS (
        SELECT DISTINCT ON (b.run_id) b.id
          FROM runs mine
          JOIN runs r ON (r.project_id, r.family_id, r.start_time, r.end_time)
                       = (mine.project_id, mine.family_id, mine.start_time, mine.end_time) AND r.id <> mine.id
           AND r.by_event = mine.by_event AND r.event_id IS NOT DISTINCT FROM mine.event_id
           AND (NOT mine.by_event OR r.tracking_id IS NOT DISTINCT FROM mine.tracking_id)
          JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
         WHERE mine.project_id = %(project)s AND mine.id = %(run)s
         ORDER BY b.run_id, b.id DESC
    )
    SELECT DISTINCT used.id, named.position
      FROM others
      JOIN batch_input_sets s ON s.project_id = %(project)s AND s.batch_id = others.id
      JOIN named ON named.event_type_id = s.event_type_id AND named.position = ANY (s.positions)
      JOIN batch_inputs i ON (i.project_id, i.batch_id, i.set_number)
                           = (s.project_id, s.batch_id, s.set_number)
      CROSS JOIN unnest(i.event_ids) AS used (id)
     ORDER BY 1, 2
"""


# What a generation would post, all of it, without a write: runs, entries, deficits, exclusions and
# problems.
#
# Preview shows a proposal and the task posts one, so the two cannot disagree. Whatever else wants to know
# what would come of a request asks here too.
#
# Invariants: a proposal is made from one snapshot; a proposal with problems has no entries.


Standings = Mapping[Account, Standing]


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be generated: a range of a ledger, slots of it, or that of a batch with other inputs."""

    actor: Actor
    ledger: str
    generation: NewGeneration
    updated_batch: int | None = None
    """The number of the batch that is given other inputs."""
    slots: tuple[Interval, ...] = ()
    """The generated slots that are computed, by the versions that they stand at; none for all of the range.
    """
    trial_version: int | None = None
    """The number of the version that is computed as if it were the active one, with every run kept."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Everything that a generation would post, version by version of its model, the active one last."""

    request: Request
    plans: tuple[Plan, ...]
    entries: ProposedEntries
    deficits: tuple[Shortage, ...]
    """Every deficit of its ledgers and of those that they draw from, as it is afterwards."""
    without_source: tuple[Exclusion, ...]
    """Runs that no version makes, because nobody named a source for them."""
    stale_sources: tuple[StaleSourceBatch, ...]
    """Batches that the runs draw from although their own runs are stale."""
    problems: tuple[Problem, ...]
    """Why nothing can be posted; empty when it can."""

    @property
    def scope(self) -> Scope:
        """That of the active version, which also names the ledgers and the slots that nobody computes."""
        return self.plans[-1].scope

    @property
    def scopes(self) -> list[Scope]:
        """Of every version."""
        return [plan.scope for plan in self.plans]

    @property
    def differences(self) -> list[RunDifference]:
        """The batches that would be made."""
        return [difference for plan in self.plans for difference in plan.differences]

    @property
    def exclusions(self) -> list[Exclusion]:
        """What would not be counted or made, and why."""
        return [*(one for plan in self.plans for one in plan.exclusions), *self.without_source]


async def scopes_for(tx: Read, request: Request) -> tuple[Scope, ...]:
    """What each version of the model is to compute; raise Invalid when there is nothing to generate.

    What was named and skipped in its slots is not read.
    """
    _, only = await _run_and_slots(tx, request)
    return await _scopes(tx, request, only)


async def refuse_early(tx: Read, request: Request) -> Scope:
    """Raise Invalid with what can be told without measurements; give the scope of the active version."""
    scopes, run = await _scopes_and_run(tx, request)
    await _refuse_what_never_runs(tx, scopes)
    sources = await _manual_sources(tx, request, scopes, run)
    await refuse_beyond_balance(tx, [scope.drawing for scope in scopes], sources)
    return scopes[-1]


async def propose(tx: Read, request: Request) -> Proposal:
    """Work out everything that a generation would post, and write nothing.

    Raises Invalid when the request cannot be understood; what would fail it later is in the proposal.
    """
    scopes, run = await _scopes_and_run(tx, request)
    sources = await _manual_sources(tx, request, scopes, run)
    ledgers = _ledgers_of(scopes)
    (plans, drawings), deficits, before = await tx.together(
        make_plans(tx, scopes, sources),
        open_deficits(tx, scopes[0].project, ledgers),
        standings_of(tx, scopes[0].project, ledgers),
    )
    problems = [*(problem for plan in plans for problem in plan.problems), *drawings.allocation.problems]
    draws: list[Entry] = []
    if drawings.pool is not None and not problems:
        draws, problems = draw_entries(plans, drawings.pool)
    # A slot without data makes no run that could fail, and the request is refused all the same.
    problems = problems or [one.message for one in await _missing_statics(tx, scopes)]
    entries = ProposedEntries()
    if not problems:
        released = drawings.pool.released if drawings.pool else {}
        entries = await entries_of(tx, scopes[0].project, plans, draws, released, deficits=deficits)
    if not entries.short <= before.keys():
        before = await standings_of(tx, scopes[0].project, ledgers, entries.short)
    after = changed(before, entries.changes)
    return Proposal(
        request=request,
        plans=tuple(plans),
        entries=entries,
        deficits=tuple(await _deficits(tx, scopes, plans, after)),
        stale_sources=await _stale_sources(tx, scopes[0].project, plans),
        without_source=tuple(Exclusion(Reason.NO_SOURCE, one) for one in drawings.allocation.without_source),
        problems=(*map(Problem, problems), *(shortfalls(scopes, deepened(before, after)) if run else ())),
    )


async def _refuse_what_never_runs(tx: Read, scopes: Sequence[Scope]) -> None:
    """Raise Invalid with everything that a version needs of the project and that fails each of its runs."""
    problems: dict[Problem, None] = {}
    catalogue = await catalogue_of(tx, scopes[0].project)
    for scope in scopes:
        try:
            streams_of(scope.model, catalogue, scope.inputs.nodes)
        except Invalid as error:
            problems |= dict.fromkeys(error.problems)
        try:
            problems |= dict.fromkeys(await _missing_statics(tx, [scope]))
        except Invalid as error:
            problems |= dict.fromkeys(error.problems)
    if problems:
        raise Invalid(list(problems))


async def _missing_statics(tx: Read, scopes: Sequence[Scope]) -> list[Problem]:
    """The static inputs that no run of a version can have; raise Invalid for a unit that does not fit."""
    return [
        problem
        for scope in scopes
        for problem in problems_of_statics(
            scope.model, await statics_of(tx, scope.project, scope.model), scope.slots
        )
    ]


def _ledgers_of(scopes: Sequence[Scope]) -> set[int]:
    """The ledgers whose accounts may be short before or after all is posted, touched or not."""
    ledgers = {ledger.number for scope in scopes for ledger in scope.ledgers}
    return ledgers | {ledger.ledger for scope in scopes for ledger in scope.source_ledgers.values()}


async def _deficits(
    tx: Read, scopes: Sequence[Scope], plans: Sequence[Plan], after: Standings
) -> list[Shortage]:
    """Where more is drawn than produced once all is posted."""
    new_starts = {
        (Account(one.ledger.number, one.run.partition), one.run.slot.end): one.run.slot.start
        for plan in plans
        for one in plan.differences
    }
    return await with_slot_starts(tx, scopes[0].project, shortages(after), new_starts)


async def _stale_sources(tx: Read, project: int, plans: Sequence[Plan]) -> tuple[StaleSourceBatch, ...]:
    """Of what the new batches draw from, that which is stale."""
    runs = [difference.run for plan in plans for difference in plan.differences]
    drawn = {draw.source.number for run in runs for draw in run.draws if draw.amount > 0}
    return tuple(await stale_sources_of(tx, project, drawn))


async def _manual_sources(
    tx: Read, request: Request, scopes: Sequence[Scope], run: UpdatedRun | None
) -> ManualSources:
    """What the request says of sources by hand; an update speaks of its run only."""
    partition = run.partition if run else None
    return await manual_sources_of(tx, [scope.drawing for scope in scopes], request.generation, partition)


async def _scopes_and_run(tx: Read, request: Request) -> tuple[tuple[Scope, ...], UpdatedRun | None]:
    """The scopes of a request, and the run of the batch that is given other inputs, if one is."""
    run, only = await _run_and_slots(tx, request)
    return await with_inputs(tx, await _scopes(tx, request, only), request.generation), run


async def _run_and_slots(tx: Read, request: Request) -> tuple[UpdatedRun | None, tuple[Interval, ...]]:
    """The run of the batch that is given other inputs, and the only slots that are computed, if any are."""
    if request.updated_batch is None:
        return None, request.slots
    run = await updated_run(tx, request.ledger, request.updated_batch)
    return run, (run.slot,)


async def _scopes(tx: Read, request: Request, only: tuple[Interval, ...]) -> tuple[Scope, ...]:
    return await scopes_of(
        tx,
        request.actor,
        request.ledger,
        request.generation,
        only=only,
        trial_version=request.trial_version,
    )
