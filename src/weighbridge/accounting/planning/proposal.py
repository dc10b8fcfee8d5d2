"""Build the proposal of a generation: runs, journal entries, deficits, exclusions and problems. Nothing is
written.

The preview shows a proposal and the task posts one, so the two cannot disagree. Updating the inputs of
a batch is a generation of its slot.

Journal entries are derived account by account. An account is one partition of a ledger over all slots. It
is posted to as a whole and for all versions of the model, because a downward adjustment may affect other
runs and a credit may settle another run's deficit. A run that withdraws more or less than before posts the
difference with the first of its new batches.

Invariants: a proposal is made from one snapshot; a proposal with problems has no entries. An update
that would leave less than was withdrawn is rejected. Each withdrawal and each return is posted once,
regardless of the number of batches.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import chain
from typing import Final

from weighbridge.accounting.books.allocation import ManualSources, require_balances, resolve_manual_sources
from weighbridge.accounting.books.balances import (
    HeldBatch,
    OpenDeficit,
    Shortage,
    add_slot_starts,
    apply_changes,
    compute_deepening,
    list_shortages,
    open_deficits,
    read_accounts,
    read_held_batches,
    read_posted_totals,
    read_standings,
    read_taken,
    read_takers,
)
from weighbridge.accounting.books.runs import (
    RUN_COLUMNS,
    RUN_TAGS,
    RunIdentity,
    RunRow,
    StaleSourceBatch,
    read_stale_sources,
)
from weighbridge.accounting.inputs.static_values import check_statics, read_statics
from weighbridge.accounting.inputs.streams import read_catalogue, resolve_streams
from weighbridge.accounting.planning.plan import Exclusion, NewBatch, Plan, Reason, RunDifference
from weighbridge.accounting.planning.planner import make_plans
from weighbridge.accounting.planning.scope import Scope, add_inputs, build_scopes
from weighbridge.accounting.records.model_runs import NewGeneration
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Account
from weighbridge.core.ledger.drawing import Drawer, Move, Released, RunKey, Standing
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.ledger.posting import (
    OF_REPORTS,
    BatchBalance,
    Deficit,
    DeficitEntry,
    Entry,
    EntryKind,
    Key,
    PartitionBooks,
    Taken,
    Total,
    post,
)
from weighbridge.core.number import EXACT, exact_total, plain
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Interval
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid


@dataclass(frozen=True, slots=True)
class ProposedEntries:
    """Everything that a generation posts to ledgers, each list in order."""

    entries: tuple[Entry, ...] = ()
    deficit_entries: tuple[DeficitEntry, ...] = ()
    changes: Mapping[Account, Mapping[datetime, Decimal]] = field(default_factory=dict)
    """By account and moment: what is produced more than before, less what is drawn more."""
    short: frozenset[Account] = frozenset()
    """The accounts in which deficits change."""

    @property
    def credits(self) -> Mapping[NewBatch, Decimal]:
        """What each new batch credits."""
        return {
            entry.batch: entry.amount
            for entry in self.entries
            if entry.kind is EntryKind.CREDIT and isinstance(entry.batch, NewBatch)
        }


@dataclass(frozen=True, slots=True)
class _AccountWork:
    """All that concerns one account."""

    differences: list[RunDifference] = field(default_factory=list)
    draws: list[Entry] = field(default_factory=list)
    deficits: list[OpenDeficit] = field(default_factory=list)
    held: list[HeldBatch] = field(default_factory=list)
    taken: dict[Key, Sequence[Taken]] = field(default_factory=dict)

    def changes(self, totals: Mapping[NewBatch, Total]) -> Mapping[datetime, Decimal]:
        """What is produced more than before, less what is drawn more, for each moment."""
        changes: dict[datetime, Decimal] = {}
        movements = [
            *((draw.effective_at, draw.amount) for draw in self.draws),
            *(
                change
                for difference in self.differences
                for change in totals[difference.batch].difference_by_moment.items()
            ),
        ]
        for instant, amount in movements:
            changes[instant] = EXACT.add(changes.get(instant, Decimal(0)), amount)
        return changes


async def derive_entries(
    tx: Read,
    project: int,
    plans: Sequence[Plan],
    draws: Sequence[Entry],
    released: Mapping[Account, Released],
    *,
    deficits: Sequence[OpenDeficit] | None = None,
) -> ProposedEntries:
    """Work out what plans post together; `draws` are what their runs take of other ledgers.

    What draws count upon to be released is released first, whatever else could be. The open deficits of the
    ledgers are asked for unless they are known.
    """
    work: dict[Account, _AccountWork] = {}
    for difference in sorted((one for plan in plans for one in plan.differences), key=_order):
        account = Account(difference.ledger.number, difference.run.partition)
        work.setdefault(account, _AccountWork()).differences.append(difference)
    accounts = await read_accounts(tx, project, _select_numbers(draw.batch for draw in draws))
    for draw in draws:
        if isinstance(draw.batch, int):
            work.setdefault(accounts[draw.batch], _AccountWork()).draws.append(draw)
    if deficits is None:
        deficits = await open_deficits(tx, project, {account.ledger for account in work})
    for deficit in deficits:
        if deficit.account in work:
            work[deficit.account].deficits.append(deficit)
    runs = {
        one.run_number
        for of_account in work.values()
        for one in of_account.differences
        if one.run_number is not None
    }
    # Downward adjustments of other runs may have to give way to the amounts that reports include.
    included = _select_numbers(draw.batch for draw in draws if draw.kind in OF_REPORTS)
    takers = await read_takers(tx, project, included)
    of_work = [difference for account_work in work.values() for difference in account_work.differences]
    totals, takings = await tx.together(
        _compute_totals(tx, project, of_work, runs), _read_taken(tx, project, runs | takers)
    )
    moved_accounts = await tx.in_thread(_find_moved_accounts, work, released, totals, takings)
    moved_work = {account: work[account] for account in moved_accounts}
    await _read_balances(tx, project, moved_work, set(accounts), takings)
    return await tx.in_thread(_post_all, work, moved_accounts, totals, draws, released)


async def _read_balances(
    tx: Read,
    project: int,
    work: Mapping[Account, _AccountWork],
    named_batches: set[int],
    takings: Mapping[RunKey, Sequence[Taken]],
) -> None:
    """Read the balances of the accounts' batches, and the takings of their runs and of the runs of those
    batches.

    `takings` has those of the posting runs and of the runs whose batches reports include.
    """
    takings = dict(takings)
    known_runs = {
        difference.run_number
        for account_work in work.values()
        for difference in account_work.differences
        if difference.run_number
    }
    known_runs |= {run for _, run in takings}
    while True:
        of_runs = chain.from_iterable(takings.values())
        batches = named_batches | {taking.batch for taking in of_runs if isinstance(taking.batch, int)}
        held_batches = await read_held_batches(tx, project, work, batches)
        runs = {held.run for held in held_batches if held.run is not None} - known_runs
        newly_taken = await read_taken(tx, project, runs) if runs else {}
        known_runs |= runs
        takings |= newly_taken
        if not {taking.batch for taking in chain.from_iterable(newly_taken.values())} - batches:
            break
    for batch in held_batches:
        work[batch.account].held.append(batch)
    # A run takes from its own partition, so its account is that of any batch it took from.
    accounts: dict[Key, Account] = {held.number: held.account for held in held_batches}
    for (_, run), of_run in takings.items():
        account = next((accounts[taking.batch] for taking in of_run if taking.batch in accounts), None)
        if account is not None:
            work[account].taken[run] = of_run


def _post_all(
    work: Mapping[Account, _AccountWork],
    moved_accounts: set[Account],
    totals: Mapping[NewBatch, Total],
    draws: Sequence[Entry],
    released: Mapping[Account, Released],
) -> ProposedEntries:
    entries: list[Entry] = [*draws]
    deficit_entries: list[DeficitEntry] = []
    changes, short_accounts = {}, set()
    for account, of_account in sorted(work.items(), key=lambda item: item[0].order):
        books = PartitionBooks(
            account.ledger,
            _list_balances(of_account),
            [Deficit(deficit.run, deficit.settled_from, deficit.amount) for deficit in of_account.deficits],
            of_account.taken,
            released.get(account, {}),
        )
        account_draws = of_account.draws if account in moved_accounts else ()
        partition_entries = post(
            books, [totals[difference.batch] for difference in of_account.differences], account_draws
        )
        entries += partition_entries.entries
        deficit_entries += partition_entries.deficit_entries
        changes[account] = of_account.changes(totals)
        if partition_entries.deficit_entries:
            short_accounts.add(account)
    return ProposedEntries(tuple(entries), tuple(deficit_entries), changes, frozenset(short_accounts))


def _list_balances(work: _AccountWork) -> list[BatchBalance]:
    """The batches of an account, oldest first; of a run, in the order they are made."""
    held_balances = [
        (
            (held_batch.start_time, held_batch.end_time, held_batch.name, 0),
            BatchBalance(held_batch.number, held_batch.run, held_batch.end_time, held_batch.balance),
        )
        for held_batch in work.held
    ]
    new = [
        (
            (*_order(difference), 1),
            BatchBalance(difference.batch, difference.run_key, difference.run.slot.end, Decimal(0)),
        )
        for difference in work.differences
    ]
    return [balance for _, balance in sorted(held_balances + new, key=lambda balance_entry: balance_entry[0])]


def _order(difference: RunDifference) -> tuple[object, ...]:
    return difference.run.slot.start, difference.run.slot.end, difference.run.name


def _find_moved_accounts(
    work: Mapping[Account, _AccountWork],
    released: Mapping[Account, Released],
    totals: Mapping[NewBatch, Total],
    takings: Mapping[RunKey, Sequence[Taken]],
) -> set[Account]:
    """The accounts of which other batches than those that are made change."""
    return {
        account
        for account, of_account in work.items()
        if account in released or _needs_balances(of_account, totals, takings)
    }


def _needs_balances(
    work: _AccountWork,
    totals: Mapping[NewBatch, Total],
    takings: Mapping[RunKey, Sequence[Taken]],
) -> bool:
    """Whether other batches of the account are touched; a run that only credits its own needs none.

    What a report gives back may be of a run that took from others in its place.
    """
    is_reported = any(draw.kind in OF_REPORTS for draw in work.draws)
    return (
        bool(work.deficits)
        or is_reported
        or any(
            totals[difference.batch].difference < 0
            or (difference.ledger.number, difference.run_number) in takings
            for difference in work.differences
        )
    )


async def _read_taken(tx: Read, project: int, runs: Collection[int]) -> Mapping[RunKey, Sequence[Taken]]:
    return await read_taken(tx, project, runs) if runs else {}


async def _compute_totals(
    tx: Read, project: int, differences: Sequence[RunDifference], runs: Collection[int]
) -> dict[NewBatch, Total]:
    """What each difference comes to, and what its run has posted before."""
    posted_totals = await read_posted_totals(tx, project, runs) if runs else {}
    return {
        difference.batch: Total(
            run=difference.run_key,
            batch=difference.batch,
            end=difference.run.slot.end,
            total=difference.total,
            posted=posted_totals.get((difference.ledger.number, difference.run_number or 0), {}),
        )
        for difference in differences
    }


def _select_numbers(batches: Iterable[object]) -> set[int]:
    return {batch for batch in batches if isinstance(batch, int)}


def draw_entries(plans: Sequence[Plan], pool: Pool) -> tuple[list[Entry], list[str]]:
    """The draws and returns of all plans, and why some cannot be posted.

    Entries name batches by number, and a run that has no batches yet and the new batch that posts them as
    its difference does.
    """
    posting: dict[RunIdentity, tuple[int, RunDifference]] = {}
    for number, plan in enumerate(plans):
        for difference in plan.differences:
            posting.setdefault(difference.run.identity, (number, difference))
    entries: list[list[Entry]] = [[] for _ in plans]
    problems = []
    for drawer, moves in pool.moved().items():
        if (poster := posting.get(RunIdentity(drawer.slot, drawer.partition))) is None:
            # An unchanged run has no batch that could post a change of its withdrawals' effective times.
            if not _is_only_redated(moves):
                problems.append(_explain_unposted(drawer))
            continue
        number, difference = poster
        entries[number] += _derive_move_entries(drawer, moves, difference)
    return [entry for of_plan in entries for entry in of_plan], problems


def _derive_move_entries(drawer: Drawer, moves: Sequence[Move], difference: RunDifference) -> list[Entry]:
    """What is given back counts for the moment for which it was drawn: in between, others may draw it."""
    return [
        Entry(
            ledger=move.source.ledger,
            kind=EntryKind.DRAW if move.amount > 0 else EntryKind.RETURN,
            run=difference.run_key,
            batch=move.source.number,
            posted_by=difference.batch,
            amount=EXACT.minus(move.amount),
            effective_at=move.effective_at,
            node=drawer.node,
        )
        for move in moves
    ]


def _is_only_redated(moves: Sequence[Move]) -> bool:
    """Whether a drawer holds as much of every source as before."""
    sums: dict[int, Decimal] = {}
    for move in moves:
        sums[move.source.number] = EXACT.add(sums.get(move.source.number, Decimal(0)), move.amount)
    return not any(sums.values())


def _explain_unposted(drawer: Drawer) -> str:
    of_run = f" for {drawer.partition.label}" if drawer.partition.label else ""
    return (
        f"Node {drawer.node!r}{of_run} gives back what it drew, and its run has batches on other ledgers of"
        " the model only; ask for generate_concurrent_ledgers."
    )


# The run of a batch that is given other inputs.


class UpdatedRun(RunRow, frozen=True):
    """The run of a batch that is given other inputs."""

    number: int
    family: int


async def read_updated_run(tx: Read, ledger: str, batch: int) -> UpdatedRun:
    """The run of a batch of the ledger; raise Invalid when none can be computed again."""
    key = identity.parse("ledger", ledger)
    run = await tx.row(UpdatedRun, _RUN, (key.project, key.key, batch)) if key else None
    if run is None:
        message = "The batch is an instrument or has been deleted; nothing can be computed for it."
        raise Invalid([Problem(message, "batch_id", "no_run")])
    return run


_RUN: Final = f"""
    SELECT {RUN_COLUMNS}, r.id, r.family_id
      FROM batches b
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
      {RUN_TAGS}
     WHERE b.project_id = %s AND b.ledger_id = %s AND b.id = %s AND b.deleted_at IS NULL
"""


def check_shortfalls(scopes: Sequence[Scope], deepened: Mapping[Account, Decimal]) -> Iterator[Problem]:
    """Report the ledgers whose balance an update would make negative, if only for a while."""
    ledgers = {ledger.number: ledger for scope in scopes for ledger in scope.ledgers}
    for number in sorted({account.ledger for account in deepened} & ledgers.keys()):
        ledger = ledgers[number]
        shortfall = plain(
            exact_total(deepening for account, deepening in deepened.items() if account.ledger == number)
        )
        message = (
            f"With these inputs, {ledger.name!r} would lack {shortfall} {ledger.unit} of what was already"
            " withdrawn from it."
        )
        yield Problem(message, None, "drawn")


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
    """The generated slots that are computed, by their versions; none for all of the range.
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
    """Runs that no version makes, because the request names no source for them."""
    stale_sources: tuple[StaleSourceBatch, ...]
    """Batches that the runs draw from although their own runs are stale."""
    problems: tuple[Problem, ...]
    """Why nothing can be posted; empty when it can."""

    @property
    def scope(self) -> Scope:
        """That of the active version, which also names the ledgers and the slots that are not computed."""
        return self.plans[-1].scope

    @property
    def ledgers(self) -> set[int]:
        """The numbers of the ledgers whose deficits it knows: those that it credits or draws from."""
        return _list_ledgers(self.scopes)

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
        return [*(exclusion for plan in self.plans for exclusion in plan.exclusions), *self.without_source]


async def read_scopes(tx: Read, request: Request) -> tuple[Scope, ...]:
    """What each version of the model is to compute; raise Invalid when there is nothing to generate.

    What was named and skipped in its slots is not read.
    """
    _, only = await _run_and_slots(tx, request)
    return await _read_scopes(tx, request, only)


async def check_early(tx: Read, request: Request) -> Scope:
    """Raise Invalid for problems that need no measurements; return the scope of the active version."""
    scopes, run = await _read_scopes_and_run(tx, request)
    await _check_statics_and_streams(tx, scopes)
    sources = await _resolve_manual_sources(tx, request, scopes, run)
    await require_balances(tx, [scope.drawing for scope in scopes], sources)
    return scopes[-1]


async def propose(tx: Read, request: Request) -> Proposal:
    """Work out everything that a generation would post, and write nothing.

    Raises Invalid when the request cannot be understood; what would fail it later is in the proposal.
    """
    scopes, run = await _read_scopes_and_run(tx, request)
    sources = await _resolve_manual_sources(tx, request, scopes, run)
    ledgers = _list_ledgers(scopes)
    (plans, drawings), deficits, standings_before = await tx.together(
        make_plans(tx, scopes, sources),
        open_deficits(tx, scopes[0].project, ledgers),
        read_standings(tx, scopes[0].project, ledgers),
    )
    problems = [*(problem for plan in plans for problem in plan.problems), *drawings.allocation.problems]
    draws: list[Entry] = []
    if drawings.pool is not None and not problems:
        draws, problems = await tx.in_thread(draw_entries, plans, drawings.pool)
    # A slot without data makes no run that could fail, and the request is refused all the same.
    problems = problems or [static.message for static in await _check_missing_statics(tx, scopes)]
    entries = ProposedEntries()
    if not problems:
        released = drawings.pool.released if drawings.pool else {}
        entries = await derive_entries(tx, scopes[0].project, plans, draws, released, deficits=deficits)
    if not entries.short <= standings_before.keys():
        standings_before = await read_standings(tx, scopes[0].project, ledgers, entries.short)
    standings_after = apply_changes(standings_before, entries.changes)
    return Proposal(
        request=request,
        plans=tuple(plans),
        entries=entries,
        deficits=tuple(await _list_deficits(tx, scopes, plans, standings_after)),
        stale_sources=await _read_stale_sources(tx, scopes[0].project, plans),
        without_source=tuple(
            Exclusion(Reason.NO_SOURCE, drawing_without_source)
            for drawing_without_source in drawings.allocation.without_source
        ),
        problems=(
            *map(Problem, problems),
            *(check_shortfalls(scopes, compute_deepening(standings_before, standings_after)) if run else ()),
        ),
    )


async def _check_statics_and_streams(tx: Read, scopes: Sequence[Scope]) -> None:
    """Raise Invalid with everything that a version needs of the project and that fails each of its runs."""
    problems: dict[Problem, None] = {}
    catalogue = await read_catalogue(tx, scopes[0].project)
    for scope in scopes:
        try:
            resolve_streams(scope.model, catalogue, scope.inputs.nodes)
        except Invalid as error:
            problems |= dict.fromkeys(error.problems)
        try:
            problems |= dict.fromkeys(await _check_missing_statics(tx, [scope]))
        except Invalid as error:
            problems |= dict.fromkeys(error.problems)
    if problems:
        raise Invalid(list(problems))


async def _check_missing_statics(tx: Read, scopes: Sequence[Scope]) -> list[Problem]:
    """The static inputs that no run of a version can have; raise Invalid for a unit that does not fit."""
    return [
        problem
        for scope in scopes
        for problem in check_statics(
            scope.model, await read_statics(tx, scope.project, scope.model), scope.slots
        )
    ]


def _list_ledgers(scopes: Sequence[Scope]) -> set[int]:
    """The ledgers whose accounts may be short before or after all is posted, touched or not."""
    ledgers = {ledger.number for scope in scopes for ledger in scope.ledgers}
    return ledgers | {ledger.ledger for scope in scopes for ledger in scope.source_ledgers.values()}


async def _list_deficits(
    tx: Read, scopes: Sequence[Scope], plans: Sequence[Plan], standings_after: Standings
) -> list[Shortage]:
    """Where more is drawn than produced once all is posted."""
    new_starts = {
        (
            Account(difference.ledger.number, difference.run.partition),
            difference.run.slot.end,
        ): difference.run.slot.start
        for plan in plans
        for difference in plan.differences
    }
    return await add_slot_starts(tx, scopes[0].project, list_shortages(standings_after), new_starts)


async def _read_stale_sources(tx: Read, project: int, plans: Sequence[Plan]) -> tuple[StaleSourceBatch, ...]:
    """Of what the new batches draw from, that which is stale."""
    runs = [difference.run for plan in plans for difference in plan.differences]
    drawn_sources = {draw.source.number for run in runs for draw in run.draws if draw.amount > 0}
    return tuple(await read_stale_sources(tx, project, drawn_sources))


async def _resolve_manual_sources(
    tx: Read, request: Request, scopes: Sequence[Scope], run: UpdatedRun | None
) -> ManualSources:
    """What the request says of sources by hand; an update speaks of its run only."""
    partition = run.partition if run else None
    return await resolve_manual_sources(
        tx, [scope.drawing for scope in scopes], request.generation, partition
    )


async def _read_scopes_and_run(tx: Read, request: Request) -> tuple[tuple[Scope, ...], UpdatedRun | None]:
    """The scopes of a request, and the run of the batch that is given other inputs, if one is."""
    run, only = await _run_and_slots(tx, request)
    return await add_inputs(tx, await _read_scopes(tx, request, only), request.generation), run


async def _run_and_slots(tx: Read, request: Request) -> tuple[UpdatedRun | None, tuple[Interval, ...]]:
    """The run of the batch that is given other inputs, and the only slots that are computed, if any are."""
    if request.updated_batch is None:
        return None, request.slots
    run = await read_updated_run(tx, request.ledger, request.updated_batch)
    return run, (run.slot,)


async def _read_scopes(tx: Read, request: Request, only: tuple[Interval, ...]) -> tuple[Scope, ...]:
    return await build_scopes(
        tx,
        request.actor,
        request.ledger,
        request.generation,
        only=only,
        trial_version=request.trial_version,
    )
