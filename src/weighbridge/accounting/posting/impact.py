"""Compute what generations would change: carry them out, ledger after ledger, and undo the transaction.

A batch that draws from a run is generated after the run, as a user would do. So generations are carried
out in the order in which ledgers draw from each other. Each is posted before the next is planned where that
depends on it, and adds the slots that draw from what it adjusted.

A chain of generations is carried out once with a change and once without it. `compare_chains` compares the
two: batches, ledgers, reports and deficits.

Invariants: nothing of it is stored. Both sides equal the results of generations to the digit.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from typing import Any, Final, LiteralString, NamedTuple

from weighbridge.accounting.books.balances import (
    Shortage,
    list_shortages,
    lock_names,
    read_standings,
    show_deficit,
)
from weighbridge.accounting.books.runs import SLOT_COLUMNS, RunIdentity, SlotRow
from weighbridge.accounting.planning.proposal import Proposal, Request, propose, read_scopes
from weighbridge.accounting.planning.scope import CreditedLedger
from weighbridge.accounting.posting.posting_run import post_proposal
from weighbridge.accounting.posting.waiting_events import read_moment_before
from weighbridge.accounting.records.impact import (
    GenerationImpact,
    ImpactOnBatch,
    ImpactOnLedger,
    ImpactOnReport,
)
from weighbridge.accounting.records.ledgers import PartitionDeficit
from weighbridge.accounting.records.model_runs import NewGeneration
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Account, Partition
from weighbridge.core.number import EXACT, ZERO, exact_total
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import CLAIMING
from weighbridge.core.time.calendar import MILLISECOND, Instant, Interval, identify_slot
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import read_crediting_models
from weighbridge.platform.async_tasks import write_trial_task
from weighbridge.platform.staleness import IS_NEWEST

# Which model is generated after which: the one that draws after those that credit what it draws.


@dataclass(frozen=True, slots=True)
class LedgerChain:
    """How the models of a project draw from each other's ledgers, by their active versions."""

    depths: Mapping[int, int]
    """By model: how many models stand above it at most; models that draw from no other have 0."""
    drawn_from: Mapping[int, frozenset[int]]
    """By model: the models whose ledgers it draws from or sees."""

    def order(self, family: int) -> tuple[int, int]:
        """By what models are ordered, so that each comes after all that it draws from."""
        return self.depths.get(family, 0), family

    def are_connected(self, family: int, others: Iterable[int]) -> bool:
        """Whether a generation of a model may matter to that of another: one draws from a ledger of both."""
        touched = self._touched(family)
        return any(touched & self._touched(other) for other in others)

    def _touched(self, family: int) -> frozenset[int]:
        return self.drawn_from.get(family, frozenset()) | {family}


async def read_ledger_chain(tx: Read, project: int) -> LedgerChain:
    """How the models of a project draw from each other's ledgers."""
    crediting = await read_crediting_models(tx, project)
    drawn_from: dict[int, frozenset[int]] = {}
    for model in crediting.values():
        sources = {crediting[name].family for name in model.sources if name in crediting}
        drawn_from[model.family] = drawn_from.get(model.family, frozenset()) | (sources - {model.family})
    depths: dict[int, int] = {}
    # Activation refuses models that draw in a circle, so each round places one at least.
    while len(depths) < len(drawn_from):
        placed = {
            family: max((depths[source] + 1 for source in sources), default=0)
            for family, sources in drawn_from.items()
            if family not in depths and sources <= depths.keys()
        }
        if not placed:
            break
        depths |= placed
    return LedgerChain(depths, drawn_from)


# Carry out a chain.


class ChainStep(NamedTuple):
    """One generation of a chain, and whether it has to be posted for those after it."""

    family: int
    request: Request
    is_posted: bool


@dataclass(frozen=True, slots=True)
class Chain:
    """What generations would come to, one after the other."""

    steps: tuple[ChainStep, ...]
    proposals: tuple[Proposal, ...]
    refusals: tuple[Problem, ...] = ()
    """Why some generations could not begin."""
    not_followed: tuple[str, ...] = ()
    """What draws from the results and is not in the chain, in sentences."""

    @property
    def problems(self) -> list[str]:
        """What would fail the generations, each once."""
        of_proposals = [problem.message for proposal in self.proposals for problem in proposal.problems]
        return list(dict.fromkeys([*(refusal.message for refusal in self.refusals), *of_proposals]))

    @property
    def requests(self) -> dict[int, Request]:
        """The generations by model, of which there is one each."""
        return {step.family: step.request for step in self.steps}


NOTHING_GENERATED: Final = Chain((), ())
"""What is posted, as it is."""


class _DrawingSlot(SlotRow, frozen=True):
    """A slot of a model whose newest batches draw from some runs, and one of its ledgers."""

    family: int
    ledger: int


def build_slot_request(actor: Actor, project: int, ledger: int, slots: Iterable[Interval]) -> Request:
    """Ask for the generation of slots that were generated before, on all ledgers of the model."""
    distinct = tuple({identify_slot(slot): slot for slot in slots}.values())
    start = min(slot.start for slot in distinct)
    # A range ends after its start, even for a slot that is a single instant.
    end = max(*(slot.end for slot in distinct), start + MILLISECOND)
    generation = NewGeneration(Instant.of(start), Instant.of(end), generate_concurrent_ledgers=True)
    return Request(actor, identity.of("ledger", project, ledger), generation, slots=distinct)


async def follow_chain(tx: Write, project: int, requests: Mapping[int, Request]) -> Chain:
    """Carry out generations, by model, and those of all that draws from them; the transaction must be undone.

    A generation that has problems posts nothing. What draws from the results of a model that a task
    generates just now is not followed.
    """
    chain = await read_ledger_chain(tx, project)
    pending = dict(requests)
    steps: list[ChainStep] = []
    proposals: list[Proposal] = []
    refusals: list[Problem] = []
    not_followed: list[str] = []
    while pending:
        family = min(pending, key=chain.order)
        request = pending.pop(family)
        proposal = await _propose(tx, request, refusals)
        if proposal is None:
            continue
        drawing = await _list_drawing_slots(tx, project, proposal)
        is_posted = bool(drawing) or chain.are_connected(family, pending)
        if is_posted and not await _post(tx, proposal):
            not_followed.append(_explain_not_followed(proposal))
            is_posted, drawing = False, []
        steps.append(ChainStep(family, request, is_posted))
        proposals.append(proposal)
        for other, rows in groupby(drawing, key=lambda row: row.family):
            if other not in {step.family for step in steps}:
                pending[other] = _add_slots(project, request.actor, pending.get(other), list(rows))
    return Chain(tuple(steps), tuple(proposals), tuple(refusals), tuple(not_followed))


async def compute_generation_impact(tx: Write, request: Request) -> GenerationImpact:
    """What a generation would change of what is posted now; the transaction must be undone afterwards.

    Raises Invalid when there is nothing that could be generated.
    """
    scope = (await read_scopes(tx, request))[-1]
    async with tx.undone():
        after = await follow_chain(tx, scope.project, {scope.family: request})
    _require_begun(after, scope.family)
    return await compare_chains(tx, scope.project, NOTHING_GENERATED, after)


async def compare_trials(
    tx: Write, project: int, trials: Mapping[int, tuple[Request, Request]]
) -> tuple[Chain, Chain]:
    """Generate by two versions of models, each as if it were the active one; the first are compared with.

    `trials` are the generations by model. Both sides generate the same slots further down: those that draw
    from what either adjusts. The transaction must be undone afterwards. Raises Invalid when a version can
    generate nothing.
    """
    first = {family: requests[0] for family, requests in trials.items()}
    second = {family: requests[1] for family, requests in trials.items()}
    after = await _try_versions(tx, project, second, {})
    before = await _try_versions(tx, project, first, after.requests)
    if before.requests.keys() != after.requests.keys() or any(
        set(before.requests[other].slots) - set(request.slots)
        for other, request in after.requests.items()
        if other not in trials
    ):
        after = await _try_versions(tx, project, second, before.requests)
    return before, after


async def _try_versions(
    tx: Write, project: int, trials: Mapping[int, Request], others: Mapping[int, Request]
) -> Chain:
    async with tx.undone():
        # What draws from their ledgers asks the active versions for their outputs.
        await tx.execute(
            """
            UPDATE model_families f SET active_model_id = trial.version
              FROM unnest(%s::integer[], %s::integer[]) AS trial (family, version) WHERE f.id = trial.family
            """,
            ([*trials], [request.trial_version for request in trials.values()]),
        )
        chain = await follow_chain(tx, project, {**others, **trials})
    for family in trials:
        _require_begun(chain, family)
    return chain


def _require_begun(chain: Chain, family: int) -> None:
    """Raise Invalid when the generation that was asked for was refused, whatever others came to."""
    if family not in chain.requests:
        raise Invalid(list(chain.refusals))


async def repeat_chain(tx: Write, steps: Sequence[ChainStep]) -> Chain:
    """Carry out the generations of a chain again, on other data; the transaction must be undone."""
    proposals: list[Proposal] = []
    refusals: list[Problem] = []
    for step in steps:
        proposal = await _propose(tx, step.request, refusals)
        if proposal is not None:
            proposals.append(proposal)
            if step.is_posted:
                await _post(tx, proposal)
    return Chain(tuple(steps), tuple(proposals), tuple(refusals))


async def _propose(tx: Write, request: Request, refusals: list[Problem]) -> Proposal | None:
    """What a generation would post; None where it is refused, and adds why to the refusals."""
    try:
        return await propose(tx, request)
    except Invalid as error:
        # Slots that others have replaced since have nothing to be generated.
        refusals += [problem for problem in error.problems if problem.code != "replaced"]
        return None


async def _post(tx: Write, proposal: Proposal) -> bool:
    """Post what can be posted; False while a task works with one of the ledgers."""
    if proposal.problems or not proposal.differences:
        return True
    scope = proposal.scope
    models = {scope.family: [one.model for one in proposal.scopes]}
    names = await lock_names(tx, scope.project, models)
    if not await tx.value(*locks.try_hold_all(names)):
        return False
    actor = proposal.request.actor
    task = await write_trial_task(tx, actor, kind="batch_generation", project_id=scope.project)
    await post_proposal(tx, proposal, task, await read_moment_before(tx))
    return True


def _explain_not_followed(proposal: Proposal) -> str:
    names = ", ".join(repr(ledger.name) for ledger in proposal.scope.ledgers)
    return (
        f"A task works with {names} just now, so what draws from it is not included; try again when the task"
        " has ended."
    )


def _add_slots(project: int, actor: Actor, pending: Request | None, rows: Sequence[_DrawingSlot]) -> Request:
    slots = [*(pending.slots if pending else ()), *(row.slot for row in rows)]
    return build_slot_request(actor, project, rows[0].ledger, slots)


async def _list_drawing_slots(tx: Read, project: int, proposal: Proposal) -> list[_DrawingSlot]:
    """The slots that draw from runs which a generation adjusts, by model: they are generated after it."""
    adjusting = [one for one in proposal.differences if one.adjusts is not None and not proposal.problems]
    if not adjusting:
        return []
    values = {
        "project": project,
        "runs": [difference.run_number for difference in adjusting],
        "ledgers": [difference.ledger.number for difference in adjusting],
    }
    return await tx.rows(_DrawingSlot, _DRAWING, values)


_DRAWING: Final[LiteralString] = f"""
    SELECT DISTINCT {SLOT_COLUMNS}, r.family_id, min(b.ledger_id) OVER (PARTITION BY r.family_id)
      FROM unnest(%(runs)s::bigint[], %(ledgers)s::integer[]) AS adjusted (run_id, ledger_id)
      JOIN batches source ON (source.project_id, source.run_id, source.ledger_id)
                           = (%(project)s, adjusted.run_id, adjusted.ledger_id)
      JOIN batch_draws d ON (d.project_id, d.source_batch_id) = (source.project_id, source.id)
      JOIN batches b ON (b.project_id, b.id) = (d.project_id, d.batch_id) AND {IS_NEWEST}
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
     ORDER BY r.family_id, r.start_time, r.end_time
"""


# Compare what two chains come to.


class _Total(NamedTuple):
    """The total of a run on a ledger, and its first batch there, if it has one."""

    ledger: CreditedLedger
    run: RunIdentity
    number: int | None
    batch: int | None
    total: Decimal


class _Change(NamedTuple):
    """A run that comes to something else on a ledger."""

    before: Decimal
    after: _Total

    @property
    def difference(self) -> Decimal:
        return EXACT.subtract(self.after.total, self.before)


_RunKey = tuple[int, Hashable, Partition]
"""A ledger, a slot wherever it is, and a partition."""


async def compare_chains(tx: Read, project: int, before: Chain, after: Chain) -> GenerationImpact:
    """What generations change: their results after a change, against those before it.

    Runs that one side does not generate come to what they have posted.
    """
    changes = await _list_changes(tx, project, before.proposals, after.proposals)
    by_ledger = [list(group) for _, group in groupby(changes, key=lambda one: one.after.ledger.number)]
    return GenerationImpact(
        batches=[_show_batch(project, change) for change in changes],
        ledgers=[_show_ledger(project, of_ledger) for of_ledger in by_ledger],
        reports=await _list_reports(tx, project, changes),
        deficits=await _list_deepened_deficits(tx, project, before, after),
        problems=after.problems,
        not_followed=list(after.not_followed),
    )


async def _list_changes(
    tx: Read, project: int, before: Sequence[Proposal], after: Sequence[Proposal]
) -> list[_Change]:
    """The changed totals: ledgers in the order of the chain, then slots and partitions."""
    totals_before, totals_after = _list_totals(before), _list_totals(after)
    posted_totals = await _read_posted(tx, project, [*totals_before.values(), *totals_after.values()])
    changes = []
    for key, total in (totals_before | totals_after).items():
        posted = posted_totals.get((total.number, key[0]), ZERO)
        total_before = totals_before[key].total if key in totals_before else posted
        total_after = totals_after[key].total if key in totals_after else posted
        if total_before != total_after:
            changes.append(_Change(total_before, total._replace(total=total_after)))
    places = {
        ledger.number: (place, ledger.number)
        for place, proposal in reversed([*enumerate([*before, *after])])
        for ledger in proposal.scope.ledgers
    }
    return sorted(changes, key=lambda one: (places[one.after.ledger.number], one.after.run.order))


def _list_totals(proposals: Sequence[Proposal]) -> dict[_RunKey, _Total]:
    """The totals of the runs that generations would post; one with problems posts nothing."""
    return {
        (difference.ledger.number, identify_slot(difference.run.slot), difference.run.partition): _Total(
            difference.ledger,
            difference.run.identity,
            difference.run_number,
            difference.adjusts,
            difference.total,
        )
        for proposal in proposals
        if not proposal.problems
        for difference in proposal.differences
    }


async def _read_posted(
    tx: Read, project: int, totals: Sequence[_Total]
) -> Mapping[tuple[int | None, int], Decimal]:
    """The posted totals, by run and ledger."""
    runs = [total.number for total in totals if total.number is not None]
    rows = await tx.tuples(
        f"""
        SELECT b.run_id, b.ledger_id, b.total FROM batches b
         WHERE b.project_id = %s AND b.run_id = ANY (%s) AND {IS_NEWEST}
        """,
        (project, runs),
    )
    return {(run, ledger): total for run, ledger, total in rows}


def _show_batch(project: int, change: _Change) -> ImpactOnBatch:
    now = change.after
    slot = now.run.slot
    return ImpactOnBatch(
        None if now.batch is None else identity.of("batch", project, now.batch),
        identity.of("ledger", project, now.ledger.number),
        now.run.partition.label or None,
        Instant.of(slot.start),
        Instant.of(slot.end),
        change.before,
        now.total,
        now.ledger.unit,
    )


def _show_ledger(project: int, changes: Sequence[_Change]) -> ImpactOnLedger:
    ledger = changes[0].after.ledger
    return ImpactOnLedger(
        identity.of("ledger", project, ledger.number),
        ledger.name,
        len(changes),
        exact_total(change.difference for change in changes),
        ledger.unit,
        exact_total(change.before for change in changes),
        exact_total(change.after.total for change in changes),
    )


# The reports that include amounts of changed runs.


async def _list_reports(tx: Read, project: int, changes: Sequence[_Change]) -> list[ImpactOnReport]:
    by_run = {
        (change.after.number, change.after.ledger.number): change
        for change in changes
        if change.after.number is not None
    }
    if not by_run:
        return []
    rows = await tx.tuples(
        _REPORTS,
        {
            "project": project,
            "runs": [run for run, _ in by_run],
            "ledgers": [ledger for _, ledger in by_run],
            "statuses": [*CLAIMING],
        },
    )
    included = [(report, (by_run[run, report[3]], amount, batches)) for *report, run, amount, batches in rows]
    return [
        _show_report(project, report, [one for _, one in of_report])
        for report, of_report in groupby(included, key=lambda row: row[0])
    ]


def _show_report(
    project: int,
    report: Sequence[Any],
    included: Sequence[tuple[_Change, Decimal, Sequence[int]]],
) -> ImpactOnReport:
    number, name, status, ledger, role, sign = report
    return ImpactOnReport(
        report_id=identity.of("report", project, number),
        name=name,
        status=status,
        ledger_id=identity.of("ledger", project, ledger),
        batch_ids=[identity.of("batch", project, batch) for _, _, batches in included for batch in batches],
        included=exact_total(amount for _, amount, _ in included),
        primary_output_before=exact_total(change.before for change, _, _ in included),
        primary_output_after=exact_total(change.after.total for change, _, _ in included),
        uncovered=exact_total(
            max(ZERO, EXACT.subtract(amount, max(ZERO, change.after.total))) for change, amount, _ in included
        ),
        unit=included[0][0].after.ledger.unit,
        role=role,
        sign=sign,
    )


_REPORTS: Final[LiteralString] = """
    SELECT r.id, r.name, r.status, b.ledger_id, g.role, coalesce(sign(g.factor), 1)::integer, b.run_id,
           sum(i.amount), array_agg(b.id ORDER BY b.id)
      FROM unnest(%(runs)s::bigint[], %(ledgers)s::integer[]) AS changed (run_id, ledger_id)
      JOIN batches b ON (b.project_id, b.run_id, b.ledger_id)
                      = (%(project)s, changed.run_id, changed.ledger_id)
      JOIN report_batches i ON (i.project_id, i.batch_id) = (b.project_id, b.id)
      JOIN reports r ON (r.project_id, r.id) = (i.project_id, i.report_id)
      LEFT JOIN report_ledgers g
             ON (g.project_id, g.report_id, g.ledger_id) = (r.project_id, r.id, b.ledger_id)
     WHERE r.status = ANY (%(statuses)s)
     GROUP BY r.id, r.name, r.status, b.ledger_id, g.role, g.factor, g.position, b.run_id
     ORDER BY r.id, g.position, b.ledger_id, min(b.id)
"""


# Deficits.


_Deficits = dict[tuple[Account, datetime], Shortage]


async def _list_deepened_deficits(
    tx: Read, project: int, before: Chain, after: Chain
) -> list[PartitionDeficit]:
    """The open deficits that there would not be without the change, or less of."""
    shortages_before = _list_open_deficits(before.proposals)
    shortages_after = _list_open_deficits(after.proposals)
    known_before = {ledger for proposal in before.proposals for ledger in proposal.ledgers}
    uncovered = {account.ledger for account, _ in shortages_after} - known_before
    if uncovered:
        shortages_before |= {
            (shortage.account, shortage.opened_at): shortage
            for shortage in list_shortages(await read_standings(tx, project, uncovered))
            if shortage.settled_at is None
        }
    return [
        show_deficit(project, shortage)
        for key, shortage in shortages_after.items()
        if key not in shortages_before or shortage.amount > shortages_before[key].amount
    ]


def _list_open_deficits(proposals: Sequence[Proposal]) -> _Deficits:
    """The open deficits once all is posted: of each ledger, what the last generation that touches it says."""
    shortages: _Deficits = {}
    for proposal in proposals:
        shortages = {key: one for key, one in shortages.items() if key[0].ledger not in proposal.ledgers}
        shortages |= {
            (deficit.account, deficit.opened_at): deficit
            for deficit in proposal.deficits
            if deficit.settled_at is None
        }
    return shortages
