"""The amounts that a report includes: as a caller names them, as they are stored, and what remains for them.

Batches are named with amounts, or by their ids alone, for all that remains of them. Of each batch there
remains what it has left, and of each account what was never drawn below.

Invariant: nothing is included beyond what remains, at any moment from the latest slot's end on.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.balances import apply_changes, read_standings_after
from weighbridge.accounting.books.runs import (
    RESTS_ON,
    RUN_TAGS,
    compute_measured_share,
    compute_value_source_shares,
)
from weighbridge.accounting.planning.proposal import ProposedEntries, derive_entries
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Account, Partition
from weighbridge.core.ledger.drawing import Standing
from weighbridge.core.ledger.posting import Entry, EntryKind, Key, Timeline
from weighbridge.core.number import EXACT, ZERO, NumberError, limit_number, plain, round_to, shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import Holdings, IncludedShare, Requirement, find_effective_time, list_changes
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.reporting.records.reports import REPORT_BATCHES_MAX, TakenBatch
from weighbridge.reporting.submission.ledgers import FACTOR, LedgerRoles, WantedLedgers, read_scales

# The batches that a report takes from, as they stand now.


class ReportedBatch(msgspec.Struct, frozen=True):
    """A batch, what it has left, and the account that it belongs to."""

    number: int
    ledger: int
    start_time: Instant
    end_time: Instant
    name: str
    balance: Decimal
    credited: Decimal
    """What it was credited with; zero of one by which its run fell, or only rose back to what it was."""
    is_deleted: bool
    tracking_id: str | None
    feedstock: str | None
    asset: str | None

    @property
    def account(self) -> Account:
        return Account(self.ledger, Partition(self.tracking_id, self.feedstock, self.asset))


async def read_batches(tx: Read, project: int, numbers: Collection[int]) -> dict[int, ReportedBatch]:
    """Those of some batches that the project has, oldest first; deleted ones are among them."""
    rows = await tx.rows(
        ReportedBatch,
        SQL("""
            SELECT b.id, b.ledger_id, b.start_time, b.end_time, b.tracking_id, b.balance, b.credited,
                   b.deleted_at IS NOT NULL, r.tracking_id, f.name, a.name
              FROM batches b LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) {}
             WHERE b.project_id = %s AND b.id = ANY (%s)
             ORDER BY b.start_time, b.end_time, b.tracking_id, b.id
        """).format(SQL(RUN_TAGS)),
        (project, sorted(numbers)),
    )
    return {row.number: row for row in rows}


# What a chain of reports holds of batches: what it has posted, and what it has reserved.


@dataclass(frozen=True, slots=True)
class ChainHoldings:
    """By batch and the moment from which on it counts."""

    posted: Holdings = field(default_factory=dict)
    reserved: Holdings = field(default_factory=dict)
    posted_from: datetime | None = None
    """The moment from which on the report counts that states what is posted; None while there is none."""
    accepted_from: datetime | None = None
    """The moment from which on the last report counted that was accepted, whatever became of it since."""


NOTHING_HELD: Final = ChainHoldings()
"""What a report holds that restates none and is a draft."""


async def read_holdings(tx: Read, project: int, chain: int | None) -> ChainHoldings:
    """What a chain holds, by the number of its first report; None for one that is not there yet."""
    if chain is None:
        return NOTHING_HELD
    posted: dict[tuple[int, datetime], Decimal] = {}
    reserved: dict[tuple[int, datetime], Decimal] = {}
    for is_reserve, batch, moment, amount in await tx.tuples(_HELD, (project, chain)):
        (reserved if is_reserve else posted)[batch, moment] = amount
    [(since, once)] = await tx.tuples(
        """
        SELECT max(r.effective_at) FILTER (WHERE r.status = 'complete'), max(r.effective_at)
          FROM reports r
         WHERE r.project_id = %s AND r.chain_id = %s
           AND EXISTS (SELECT FROM report_moves m WHERE (m.project_id, m.report_id, m.status)
                                                      = (r.project_id, r.id, 'complete'))
        """,
        (project, chain),
    )
    return ChainHoldings(posted, reserved, since, once)


_HELD: Final = """
    SELECT e.kind IN ('reserve', 'release'), e.batch_id, e.effective_at, - sum(e.amount)
      FROM reports r JOIN ledger_entries e ON (e.project_id, e.report_id) = (r.project_id, r.id)
     WHERE r.project_id = %s AND r.chain_id = %s AND e.kind IN ('reserve', 'release', 'report', 'restate')
     GROUP BY e.kind IN ('reserve', 'release'), e.batch_id, e.effective_at HAVING sum(e.amount) <> 0
"""


# How much of each batch that a report takes from was measured.


async def read_shares(tx: Read, report: identity.Key) -> list[IncludedShare]:
    """What a report takes of each batch, and how much of that was measured, where that is known.

    Of several ledgers it is in the unit of the report, and what is deducted counts as what is claimed.
    """
    rows = await tx.tuples(_RESTS_ON, (report.project, report.key))
    return [
        IncludedShare(batch, amount, compute_measured_share(compute_value_source_shares(contributions)))
        for batch, amount, contributions in rows
    ]


_RESTS_ON: Final = f"""
    SELECT i.batch_id, i.amount * abs({FACTOR}), {RESTS_ON}
      FROM report_batches i
      JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
      LEFT JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
     WHERE i.project_id = %s AND i.report_id = %s ORDER BY i.batch_id
"""


# Entries of reports: what makes that which a chain holds of batches that which it should hold.


async def compute_release(
    tx: Read, project: int, known: Mapping[int, ReportedBatch], held: ChainHoldings
) -> dict[int, Decimal]:
    """What batches would have more, or less, once a chain had given back all that it holds of them.

    That first settles what the partition is short of, and is free where falls took it.
    """
    ledgers = {number: batch.ledger for number, batch in known.items()}
    entries = [*build_entries(ledgers, "what is given back", held, {}, {})]
    proposed = await derive_entries(tx, project, [], entries, {}) if entries else ProposedEntries()
    changes: dict[int, Decimal] = {}
    for entry in proposed.entries:
        assert isinstance(entry.batch, int), "nothing is generated"  # noqa: S101
        changes[entry.batch] = EXACT.add(changes.get(entry.batch, ZERO), entry.amount)
    return changes


def build_entries(
    ledgers: Mapping[int, int], poster: Key, held: ChainHoldings, posted: Holdings, reserved: Holdings
) -> Iterator[Entry]:
    """The entries by which a chain comes to hold these amounts, each on the ledger of its batch."""
    changes = (
        (list_changes(held.reserved, reserved), EntryKind.RESERVE, EntryKind.RELEASE),
        (list_changes(held.posted, posted), EntryKind.REPORT, EntryKind.RESTATE),
    )
    for of_kind, taking, giving in changes:
        for change in of_kind:
            yield Entry(
                ledger=ledgers[change.batch],
                kind=taking if change.amount > 0 else giving,
                run=poster,
                batch=change.batch,
                posted_by=poster,
                amount=EXACT.minus(change.amount),
                effective_at=change.effective_at,
            )


# What remains for a report: of each batch what it has left, and of each account what was never drawn below.
#
# An account is one partition of the ledger. A report counts from the latest end of its batches' slots on,
# and takes no more of an account than what was produced less what was drawn stays at or above zero at that
# moment and every later one. What the report's own chain holds is there for it to take, less what that
# settles when it is given back; what falls took in its place they give back.
#
# Worked example, in tonnes. A report of 12 of a week was accepted; then its data were 11, and the month's.
# The month was credited with 11, of which the fall of the week took all, and 1 is open. Once the 12 are
# given back, the week's own batch covers its fall, the month has 11 left, and 11 of it may be reported.
#
# Invariant: once a report is accepted, it takes of no batch and no account what is not there.


FIELD = "report.batches"


@dataclass(frozen=True, slots=True)
class Remaining:
    """What a report over some batches may take."""

    project: int
    effective_at: datetime
    batches: Mapping[int, ReportedBatch]
    known: Mapping[int, ReportedBatch]
    """Those, and the others that its chain holds something of."""
    free: Mapping[int, Decimal]
    """What each batch has left, once all that the chain holds is given back."""
    standings: Mapping[Account, Standing]
    """How accounts stand then."""
    ledgers: frozenset[int] = frozenset()
    """The ledgers that the report takes of where it takes of several."""

    def whole(self) -> dict[int, Decimal]:
        """All that remains of each batch, oldest first, and of its account."""
        left = {account: self._lowest(account) for account in self._accounts()}
        amounts = {}
        for number, batch in self.batches.items():
            amounts[number] = max(ZERO, min(self.free[number], left[batch.account]))
            left[batch.account] = EXACT.subtract(left[batch.account], amounts[number])
        return amounts

    def problems(self, amounts: Mapping[int, Decimal]) -> list[Problem]:
        """What is wrong with taking so much of each batch: every batch and account of which less remains."""
        return [*self.of_ledgers(), *self._of_batches(amounts), *self._of_accounts(amounts)]

    def of_ledgers(self) -> Iterator[Problem]:
        """What is wrong when the chain holds something of another ledger than these batches are of."""
        ledgers = {batch.ledger for batch in self.known.values()}
        if self.ledgers and ledgers <= self.ledgers:
            return
        if len(ledgers) > 1:
            named = tuple(identity.of("ledger", self.project, ledger) for ledger in sorted(ledgers))
            message = f"A report takes from the ledger of what it restates; these are of {', '.join(named)}."
            yield Problem(message, FIELD, "several_ledgers", named)

    def taken(self, amounts: Mapping[int, Decimal]) -> Holdings:
        """What the report holds once it is accepted."""
        return {(batch, self.effective_at): amount for batch, amount in amounts.items()}

    def changes(
        self, amounts: Mapping[int, Decimal], held: ChainHoldings
    ) -> dict[Account, dict[datetime, Decimal]]:
        """What the acceptance of these amounts changes of accounts, by moment: given back less taken."""
        changes: dict[Account, dict[datetime, Decimal]] = {}
        for sign, holdings in ((1, held.posted), (1, held.reserved), (-1, self.taken(amounts))):
            for account, moments in _sum_by_account(holdings, self.known).items():
                for moment, amount in moments.items():
                    of_account = changes.setdefault(account, {})
                    signed = amount if sign > 0 else EXACT.minus(amount)
                    of_account[moment] = EXACT.add(of_account.get(moment, ZERO), signed)
        return changes

    def _of_batches(self, amounts: Mapping[int, Decimal]) -> Iterator[Problem]:
        for number, amount in amounts.items():
            free = self.free[number]
            if amount > free:
                name = identity.of("batch", self.project, number)
                short = plain(EXACT.subtract(amount, free))
                message = (
                    f"Of the batch {name} {plain(free)} remains, and the report takes {plain(amount)}, "
                    f"which is {short} more."
                )
                yield Problem(message, FIELD, Requirement.AMOUNTS_REMAIN, (name,))

    def _of_accounts(self, amounts: Mapping[int, Decimal]) -> Iterator[Problem]:
        for account, amount in self._by_account(self.taken(amounts)).items():
            left = self._lowest(account)
            if amount > left:
                yield self._short(account, amount, left)

    def _short(self, account: Account, amount: Decimal, left: Decimal) -> Problem:
        of_partition = f" of {account.partition.label}" if account.partition.label else ""
        records = tuple(
            identity.of("batch", self.project, batch.number)
            for batch in self.batches.values()
            if batch.account == account
        )
        since, short = Instant.of(self.effective_at).text, plain(EXACT.subtract(amount, left))
        ledger = "ledger"
        if self.ledgers:
            ledger += f" {identity.of('ledger', self.project, account.ledger)}"
        message = (
            f"From {since} on {plain(left)}{of_partition} remains on the {ledger} at its lowest, and the"
            f" report takes {plain(amount)}, which is {short} more."
        )
        return Problem(message, FIELD, Requirement.AMOUNTS_REMAIN, records)

    def _accounts(self) -> set[Account]:
        return {batch.account for batch in self.batches.values()}

    def _by_account(self, holdings: Holdings) -> dict[Account, Decimal]:
        sums: dict[Account, Decimal] = {}
        for (number, _), amount in holdings.items():
            account = self.batches[number].account
            sums[account] = EXACT.add(sums.get(account, ZERO), amount)
        return sums

    def _lowest(self, account: Account) -> Decimal:
        standing = self.standings.get(account, Standing(ZERO, {}))
        return max(ZERO, Timeline(standing.steps, opening=standing.opening).lowest_from(self.effective_at))


async def compute_remaining(
    tx: Read,
    project: int,
    batches: Mapping[int, ReportedBatch],
    held: ChainHoldings,
    also: Mapping[int, ReportedBatch],
    roles: LedgerRoles = (),
) -> Remaining:
    """What a report over batches of its ledgers may take; `also` are batches that its chain holds beside
    them.
    """
    of_roles = frozenset(one.ledger for one in roles)
    known = {**also, **batches}
    if not batches:
        # Nothing is taken, so nothing has to be there.
        assert held.accepted_from is not None, "only what was once accepted is restated to nothing"  # noqa: S101
        return Remaining(project, held.posted_from or held.accepted_from, batches, known, {}, {}, of_roles)
    moment = find_effective_time((batch.end_time for batch in batches.values()), held.posted_from)
    ledgers: Collection[int] = {batch.ledger for batch in batches.values()}
    standings = await read_standings_after(tx, project, ledgers, moment)
    for holdings in (held.reserved, held.posted):
        standings = apply_changes(standings, _sum_by_account(holdings, known))
    more = await compute_release(tx, project, known, held)
    return Remaining(
        project=project,
        effective_at=moment,
        batches=batches,
        known=known,
        free={number: EXACT.add(batch.balance, more.get(number, ZERO)) for number, batch in batches.items()},
        standings=standings,
        ledgers=of_roles,
    )


def _sum_by_account(
    held: Holdings, batches: Mapping[int, ReportedBatch]
) -> dict[Account, dict[datetime, Decimal]]:
    changes: dict[Account, dict[datetime, Decimal]] = {}
    for (number, moment), amount in held.items():
        if number in batches:
            of_account = changes.setdefault(batches[number].account, {})
            of_account[moment] = EXACT.add(of_account.get(moment, ZERO), amount)
    return changes


# The amounts of a report, as they are named and stored.


@dataclass(frozen=True, slots=True)
class Amounts:
    """What a report takes, by batch; and what is wrong with how it was named."""

    ledger: int | None = None
    """The ledger of all of them, or the first of the report's."""
    by_batch: Mapping[int, Decimal] = field(default_factory=dict)
    problems: Sequence[Problem] = ()


async def find_remaining(
    tx: Read,
    project: int,
    chain: int | None,
    batches: Mapping[int, ReportedBatch],
    roles: LedgerRoles = (),
) -> tuple[Remaining, ChainHoldings]:
    """What a report of a chain may take of batches of its ledgers, and what the chain holds."""
    held = await read_holdings(tx, project, chain)
    others = {batch for holdings in (held.posted, held.reserved) for batch, _ in holdings} - {*batches}
    also = await read_batches(tx, project, others)
    return await compute_remaining(tx, project, batches, held, also, roles), held


async def name_whole_batches(
    tx: Read, project: int, chain: int | None, named: Sequence[str], roles: LedgerRoles = ()
) -> Amounts:
    """All that remains of batches, which are named by their ids.

    Of a batch that was credited with nothing there is nothing to take: what its run comes to stands in others
    of its batches. It is left out, so that all batches of a run can be named; another one of which nothing
    remains is refused.
    """
    field_name = "report.batch_ids"
    fields = dict.fromkeys(named, field_name)
    batches, ledger, problems = await _find_batches(tx, project, fields, field_name, roles)
    if problems or not batches:
        return Amounts(ledger, {}, problems)
    remaining, _ = await find_remaining(tx, project, chain, batches, roles)
    if problems := [*remaining.of_ledgers()]:
        return Amounts(ledger, {}, problems)
    whole = remaining.whole()
    taken = {batch: left for batch, left in whole.items() if left or batches[batch].credited}
    return Amounts(
        ledger,
        taken,
        [_build_empty_problem(project, batch) for batch, left in (taken or whole).items() if not left],
    )


async def name_batches(
    tx: Read, project: int, chain: int | None, named: Sequence[TakenBatch], roles: LedgerRoles = ()
) -> Amounts:
    """So much of each batch as the caller says."""
    texts = [taken.batch_id for taken in named]
    fields = {text: f"{FIELD}[{index}].batch_id" for index, text in enumerate(texts)}
    batches, ledger, problems = await _find_batches(tx, project, fields, FIELD, roles)
    twice = (
        [text for text in dict.fromkeys(texts) if texts.count(text) > 1] if len({*texts}) < len(texts) else []
    )
    problems += [_build_twice_problem(shorten(text)) for text in twice]
    if problems or not batches:
        return Amounts(ledger, {}, problems)
    amounts = {identity.number("batch", taken.batch_id): taken.amount for taken in named}
    scales = await read_scales(tx, project, {batch.ledger for batch in batches.values()})
    scale_of = {number: scales[batch.ledger] for number, batch in batches.items()}
    problems = [
        problem
        for index, (number, amount) in enumerate(amounts.items())
        if (problem := check_amount(amount, scale_of[number], f"{FIELD}[{index}].amount"))
    ]
    if not problems:
        remaining, _ = await find_remaining(tx, project, chain, batches, roles)
        problems = remaining.problems(amounts)
    return Amounts(ledger, amounts, problems)


async def read_amounts(tx: Read, project: int, report: int) -> Amounts:
    """What a report takes as it is stored."""
    rows = await tx.tuples(
        """
        SELECT r.ledger_id, i.batch_id, i.amount
          FROM reports r JOIN report_batches i ON (i.project_id, i.report_id) = (r.project_id, r.id)
         WHERE r.project_id = %s AND r.id = %s ORDER BY i.batch_id
        """,
        (project, report),
    )
    return Amounts(rows[0][0] if rows else None, {batch: amount for _, batch, amount in rows})


async def read_accepted_amounts(tx: Read, project: int, report: int) -> Amounts:
    """What stays of a report for one that restates it: of one that was accepted what was, or else all."""
    rows = await tx.tuples(
        """
        SELECT r.ledger_id, i.batch_id, coalesce(i.accepted_amount, i.amount)
          FROM reports r JOIN report_batches i ON (i.project_id, i.report_id) = (r.project_id, r.id)
         WHERE r.project_id = %s AND r.id = %s AND i.accepted_amount IS DISTINCT FROM 0 ORDER BY i.batch_id
        """,
        (project, report),
    )
    return Amounts(rows[0][0] if rows else None, {batch: amount for _, batch, amount in rows})


async def read_accepted_together(tx: Read, project: int, reports: Collection[int]) -> dict[int, Decimal]:
    """How much of each batch was accepted of several accepted reports."""
    rows = await tx.tuples(
        """
        SELECT batch_id, sum(coalesce(accepted_amount, amount)) FROM report_batches
         WHERE project_id = %s AND report_id = ANY (%s) AND accepted_amount IS DISTINCT FROM 0
         GROUP BY batch_id ORDER BY batch_id
        """,
        (project, [*reports]),
    )
    return dict(rows)


async def store_basis_of_predecessors(tx: Write, project: int, report: int) -> None:
    """Let a report stand on what its predecessors stood on; where several include a batch, on the oldest."""
    await tx.execute(
        """
        UPDATE report_batches i SET basis = earlier.basis
          FROM (SELECT own.batch_id, min(own.basis) AS basis
                  FROM report_successions s
                  JOIN report_batches own
                    ON (own.project_id, own.report_id) = (s.project_id, s.predecessor_id)
                 WHERE (s.project_id, s.report_id) = (%s, %s) GROUP BY own.batch_id) AS earlier
         WHERE (i.project_id, i.report_id, i.batch_id) = (%s, %s, earlier.batch_id)
        """,
        (project, report, project, report),
    )


async def store_accepted(tx: Write, project: int, report: int, accepted: Mapping[int, Decimal]) -> None:
    """Write down how much of each batch was accepted, where that is less than is claimed."""
    await tx.execute(
        """
        UPDATE report_batches i SET accepted_amount = given.amount
          FROM unnest(%s::bigint[], %s::numeric[]) AS given (batch_id, amount)
         WHERE (i.project_id, i.report_id, i.batch_id) = (%s, %s, given.batch_id) AND i.amount <> given.amount
        """,
        ([*accepted], [*accepted.values()], project, report),
    )


async def store_amounts(tx: Write, project: int, report: int, amounts: Mapping[int, Decimal]) -> None:
    """Let a draft, which is on the ledger of these batches already, take these amounts."""
    await tx.execute("DELETE FROM report_batches WHERE project_id = %s AND report_id = %s", (project, report))
    await tx.execute(
        """
        INSERT INTO report_batches (project_id, report_id, batch_id, amount)
        SELECT %s, %s, * FROM unnest(%s::bigint[], %s::numeric[])
        """,
        (project, report, [*amounts], [*amounts.values()]),
    )


async def _find_batches(
    tx: Read, project: int, texts: Mapping[str, str], field_name: str, roles: LedgerRoles
) -> tuple[dict[int, ReportedBatch], int | None, list[Problem]]:
    """The batches that texts name and their ledger, or the first of the report's; and what is wrong with
    them. Each text has its field.
    """
    if len(texts) > REPORT_BATCHES_MAX:
        message = (
            f"{field_name} names {len(texts)} batches; a report takes from at most {REPORT_BATCHES_MAX:,}."
        )
        return {}, None, [Problem(message, field_name, "too_many")]
    numbers = {text: identity.number("batch", text, project) for text in texts}
    known = await read_batches(tx, project, numbers.values())
    batches = {number: batch for number, batch in known.items() if not batch.is_deleted}
    problems = [
        _build_unknown_problem(shorten(text), texts[text])
        for text, number in numbers.items()
        if number not in batches
    ]
    ledgers = {batch.ledger for batch in batches.values()}
    if problem := check_ledgers(project, ledgers, roles, field_name):
        problems.append(problem)
    if roles:
        return batches, roles[0].ledger, problems
    return batches, min(ledgers, default=None), problems


def check_ledgers(
    project: int, ledgers: Collection[int], roles: LedgerRoles, field_name: str
) -> Problem | None:
    """What is wrong with a report that takes of batches of some ledgers."""
    if roles:
        others = {*ledgers} - {one.ledger for one in roles}
        named = tuple(identity.of("ledger", project, ledger) for ledger in sorted(others))
        message = f"The report takes from batches of the ledgers of its roles; {', '.join(named)} has none."
        return Problem(message, field_name, "another_ledger", named) if others else None
    if len(ledgers) <= 1:
        return None
    named = tuple(identity.of("ledger", project, ledger) for ledger in sorted(ledgers))
    message = f"A report takes from batches of one ledger; these are of {', '.join(named)}."
    return Problem(message, field_name, "several_ledgers", named)


async def check_kept(tx: Read, project: int, amounts: Amounts, wanted: WantedLedgers) -> list[Problem]:
    """What is wrong with batches that a draft keeps, or takes over, under the ledgers that it is to have."""
    if not amounts.by_batch or wanted.problems:
        return []
    batches = await read_batches(tx, project, amounts.by_batch)
    ledgers = {batch.ledger for batch in batches.values()}
    if wanted.is_open:
        message = "report.ledgers must name the ledger of each role of its methodology."
        return [Problem(message, "report.ledgers", "required")]
    problem = check_ledgers(project, ledgers, wanted.roles, "report.batches")
    return [problem] if problem else []


def choose_first(wanted: WantedLedgers, amounts: Amounts, of_chain: int | None) -> int | None:
    """The ledger of a report, or the first of its several."""
    return wanted.roles[0].ledger if wanted.roles else amounts.ledger or of_chain


def _build_twice_problem(named: str) -> Problem:
    return Problem(f"report.batches names {named!r} more than once.", FIELD, "twice", (named,))


def _build_unknown_problem(named: str, field_name: str) -> Problem:
    message = f"{field_name} names {named!r}, which is no batch of the project."
    return Problem(message, field_name, "unknown", (named,))


def _build_empty_problem(project: int, batch: int) -> Problem:
    name = identity.of("batch", project, batch)
    message = f"Nothing remains of the batch {name} that a report could take."
    return Problem(message, "report.batch_ids", Requirement.AMOUNTS_REMAIN, (name,))


def check_size(amount: Decimal, field_name: str) -> Problem | None:
    """What makes an amount one that no ledger could keep."""
    try:
        limit_number(amount)
    except NumberError as error:
        return Problem(f"{field_name}: {error}", field_name, "invalid")
    return None


def check_amount(amount: Decimal, scale: int, field_name: str) -> Problem | None:
    """What makes an amount one that no report takes of a ledger of this scale."""
    if problem := check_size(amount, field_name):
        return problem
    if amount <= 0:
        return Problem(f"{field_name} is {plain(amount)}; it takes more than zero.", field_name, "invalid")
    if round_to(amount, scale) != amount:
        message = f"{field_name} is {plain(amount)}; the ledger keeps {scale} decimals."
        return Problem(message, field_name, "invalid")
    return None
