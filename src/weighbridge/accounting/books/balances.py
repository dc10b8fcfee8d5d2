"""Read the balances of ledgers, now and over time, and lock ledgers against concurrent generations.

An account is one partition of a ledger over all its slots.

Invariants: journal entries less deficit entries equal produced less withdrawn at every instant. Only
accounts with deficit entries can have a negative balance, so only these are searched for shortages.
"""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUN_TAGS
from weighbridge.accounting.records.ledgers import PartitionDeficit
from weighbridge.core import identity
from weighbridge.core.ledger.allocation import Account, Partition
from weighbridge.core.ledger.drawing import Standing
from weighbridge.core.ledger.posting import GENERATED, Taken, Timeline
from weighbridge.core.model import Available, Input, Model, Upstream
from weighbridge.core.number import EXACT, ZERO
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Conflict, NotFound

# The key of a ledger that a caller names, once it is sure that it is one of the caller's account.


def parse_ledger(ledger: str) -> identity.Key:
    """Parse the key of a ledger id, of any account; raise NotFound for another text."""
    key = identity.parse("ledger", ledger)
    if key is None:
        raise NotFound("ledger", ledger)
    return key


async def find_ledger_key(tx: Read, actor: Actor, ledger: str) -> identity.Key:
    """The key of a ledger of the actor's account; raise NotFound when it has none of that id."""
    key, seen = parse_ledger(ledger), actor.projects
    if (seen is not None and key.project not in seen) or not await tx.value(
        """
        SELECT true FROM ledgers l JOIN projects p ON p.id = l.project_id
         WHERE l.project_id = %s AND l.id = %s AND p.account_id = %s
        """,
        (key.project, key.key, actor.account_id),
    ):
        raise NotFound("ledger", ledger)
    return key


# Which locks a generation takes: a model in a project is run once at a time, because its ledgers share
# runs.
#
# A generation also locks its ledgers and those that it draws from, so two that draw from one ledger, or one
# that draws and one that credits, come one after the other.


async def lock_names(tx: Read, project: int, models: Mapping[int, Sequence[Model]]) -> list[str]:
    """The locks of a generation, in their order, by the model families that run and their versions.

    It is the last that a transaction which only reads asks for.
    """
    all_models = [model for versions in models.values() for model in versions]
    source_ledgers = {
        node.body.ledger
        for model in all_models
        for node in model.nodes
        if isinstance(node.body, Upstream | Available)
    }
    [rows] = await tx.lastly(
        (
            """
            SELECT id FROM ledgers
             WHERE project_id = %s AND (family_id = ANY (%s) OR name = ANY (%s)) ORDER BY id
            """,
            (project, sorted(models), sorted(source_ledgers)),
        )
    )
    families = [locks.generation(project, family) for family in sorted(models)]
    kinds = {
        node.body.event_type for model in all_models for node in model.nodes if isinstance(node.body, Input)
    }
    events = [locks.events(project, kind) for kind in sorted(kinds)]
    return families + events + [locks.ledger(project, number) for (number,) in rows]


async def hold_ledger(tx: Write, project: int, number: int) -> None:
    """Keep generations away from a ledger until the transaction ends, and others who post by hand waiting.

    Raises Conflict while a generation works with the ledger.
    """
    is_free = await tx.value(*locks.try_share([locks.ledger(project, number)]))
    if not is_free:
        raise Conflict("A task works with the ledger just now; try again when it has ended.")
    await tx.execute(
        "SELECT FROM ledgers WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", (project, number)
    )


# Balances: what the accounts of ledgers hold and lack, an account being one partition over all slots.


class HeldBatch(msgspec.Struct, frozen=True):
    """A batch of an account that is posted, and what it has left."""

    ledger: int
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    number: int
    run: int | None
    start_time: Instant
    end_time: Instant
    name: str
    balance: Decimal

    @property
    def order(self) -> tuple[object, ...]:
        """By what batches are ordered, oldest first."""
        return self.start_time, self.end_time, self.name, self.number

    @property
    def account(self) -> Account:
        return Account(self.ledger, Partition(self.tracking_id, self.feedstock, self.asset))


class OpenDeficit(msgspec.Struct, frozen=True):
    """What a run is short of."""

    ledger: int
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    run: int
    settled_from: Instant
    """The end of the run's slot, or the moment from which on all of it is open, when that is later."""
    amount: Decimal

    @property
    def account(self) -> Account:
        return Account(self.ledger, Partition(self.tracking_id, self.feedstock, self.asset))


async def read_accounts(tx: Read, project: int, batches: Collection[int]) -> dict[int, Account]:
    """The accounts that batches belong to."""
    if not batches:
        return {}
    rows = await tx.tuples(
        SQL("""
            SELECT b.id, b.ledger_id, r.tracking_id, f.name, a.name
              FROM batches b LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) {}
             WHERE b.project_id = %s AND b.id = ANY (%s)
        """).format(SQL(RUN_TAGS)),
        (project, sorted(batches)),
    )
    return {number: Account(ledger, Partition(*partition)) for number, ledger, *partition in rows}


async def open_deficits(tx: Read, project: int, ledgers: Collection[int]) -> list[OpenDeficit]:
    """What runs of ledgers are short of, oldest first."""
    return await tx.rows(
        OpenDeficit,
        SQL("""
            SELECT d.ledger_id, r.tracking_id, f.name, a.name, d.run_id,
                   greatest(r.end_time, opened.at), d.amount
              FROM deficits d JOIN runs r ON (r.project_id, r.id) = (d.project_id, d.run_id) {}
              CROSS JOIN LATERAL (
                    SELECT max(history.next) FILTER (WHERE history.short < d.amount) AS at
                      FROM (SELECT sum(sum(e.amount)) OVER moments AS short,
                                   lead(e.effective_at) OVER moments AS next
                              FROM deficit_entries e
                             WHERE (e.project_id, e.ledger_id, e.run_id)
                                 = (d.project_id, d.ledger_id, d.run_id)
                             GROUP BY e.effective_at WINDOW moments AS (ORDER BY e.effective_at)
                           ) AS history) AS opened
             WHERE d.project_id = %s AND d.ledger_id = ANY (%s) AND d.amount > 0
             ORDER BY r.start_time, r.end_time, r.tracking_id, r.id
        """).format(SQL(RUN_TAGS)),
        (project, sorted(ledgers)),
    )


async def read_held_batches(
    tx: Read, project: int, accounts: Collection[Account], batches: Collection[int]
) -> list[HeldBatch]:
    """The batches of partitions that hold something, and these others, oldest first."""
    if not accounts:
        return []
    tags: Iterable[Sequence[str | None]] = zip(
        *(
            (account.partition.tracking_id, account.partition.feedstock, account.partition.asset)
            for account in accounts
        ),
        strict=True,
    )
    return await tx.rows(
        HeldBatch,
        SQL("""
            SELECT b.ledger_id, r.tracking_id, f.name, a.name, b.id, b.run_id, b.start_time, b.end_time,
                   b.tracking_id, b.balance
              FROM unnest(%s::integer[], %s::text[], %s::text[], %s::text[])
                   AS account (ledger_id, tracking_id, feedstock, asset)
              JOIN batches b ON b.ledger_id = account.ledger_id
              LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) {}
             WHERE b.project_id = %s AND b.deleted_at IS NULL AND (b.balance > 0 OR b.id = ANY (%s))
               AND coalesce(r.tracking_id, '') = coalesce(account.tracking_id, '')
               AND coalesce(f.name, '') = coalesce(account.feedstock, '')
               AND coalesce(a.name, '') = coalesce(account.asset, '')
             ORDER BY b.start_time, b.end_time, b.tracking_id, b.id
        """).format(SQL(RUN_TAGS)),
        (
            [account.ledger for account in accounts],
            *(list(column) for column in tags),
            project,
            sorted(batches),
        ),
    )


async def read_posted_totals(
    tx: Read, project: int, runs: Collection[int]
) -> dict[tuple[int, int], dict[datetime, Decimal]]:
    """What runs have posted for their totals, by ledger and run, for each moment."""
    rows = await tx.tuples(
        """
        SELECT ledger_id, run_id, effective_at, sum(amount)
          FROM (SELECT ledger_id, run_id, effective_at, amount FROM ledger_entries
                 WHERE project_id = %(project)s AND run_id = ANY (%(runs)s) AND kind = ANY (%(kinds)s)
                UNION ALL
                SELECT ledger_id, run_id, effective_at, - amount FROM deficit_entries
                 WHERE project_id = %(project)s AND run_id = ANY (%(runs)s)) AS posted
         GROUP BY ledger_id, run_id, effective_at HAVING sum(amount) <> 0
        """,
        {"project": project, "runs": sorted(runs), "kinds": list(GENERATED)},
    )
    posted_totals: dict[tuple[int, int], dict[datetime, Decimal]] = {}
    for ledger, run, instant, amount in rows:
        posted_totals.setdefault((ledger, run), {})[instant] = amount
    return posted_totals


async def read_takers(tx: Read, project: int, batches: Collection[int]) -> set[int]:
    """The runs whose falls ever took from batches."""
    if not batches:
        return set()
    rows = await tx.tuples(
        """
        SELECT DISTINCT run_id FROM ledger_entries
         WHERE project_id = %s AND batch_id = ANY (%s) AND kind = 'fall'
        """,
        (project, sorted(batches)),
    )
    return {run for (run,) in rows}


async def read_taken(tx: Read, project: int, runs: Collection[int]) -> dict[tuple[int, int], list[Taken]]:
    """What falls of runs took and have not given back, by ledger and run, in the order they took it."""
    rows = await tx.tuples(
        """
        SELECT e.ledger_id, e.run_id, e.batch_id, - sum(e.amount), e.effective_at
          FROM ledger_entries e
         WHERE e.project_id = %s AND e.run_id = ANY (%s) AND e.kind IN ('fall', 'rise') AND e.reverses IS NULL
           AND NOT EXISTS (SELECT FROM ledger_entries undone
                            WHERE (undone.project_id, undone.reverses) = (e.project_id, e.id))
         GROUP BY e.ledger_id, e.run_id, e.batch_id, e.effective_at HAVING sum(e.amount) < 0
         ORDER BY max(e.id) FILTER (WHERE e.kind = 'fall')
        """,
        (project, sorted(runs)),
    )
    taken_by_run: dict[tuple[int, int], list[Taken]] = {}
    for ledger, run, *taken_columns in rows:
        taken_by_run.setdefault((ledger, run), []).append(Taken(*taken_columns))
    return taken_by_run


# Standings: what accounts of ledgers have produced less what was drawn of them, moment by moment.
#
# Entries less deficit entries are produced less drawn at every moment (`core/ledger/posting.py`), so both
# are read from what was posted. An account is one partition of a ledger over all slots.
#
# Invariant: an account is below zero only where deficit entries say so, so only accounts that have
# some are looked at for shortages.


@dataclass(frozen=True, slots=True)
class Shortage:
    """An amount drawn from an account beyond what it had produced, from a moment until it is settled."""

    account: Account
    opened_at: datetime
    settled_at: datetime | None
    """None while it is open: nothing that was produced later covers it."""
    amount: Decimal
    slot_start: datetime | None = None
    """The start of the slot with whose end it opened; None when it did not open with a slot's end."""


SlotStarts = Mapping[tuple[Account, datetime], datetime]
"""The starts of slots, by account and end."""


async def read_standings_after(
    tx: Read, project: int, ledgers: Collection[int], instant: datetime
) -> dict[Account, Standing]:
    """Read the balances of the accounts of ledgers at an instant, and their later changes."""
    rows = await tx.tuples(_AFTER, {"project": project, "ledgers": sorted(ledgers), "moment": instant})
    return _build_standings(rows)


async def read_standings(
    tx: Read, project: int, ledgers: Collection[int], also: Collection[Account] = ()
) -> dict[Account, Standing]:
    """Read all balances of accounts of ledgers: those that ever had a deficit, and the given ones."""
    rows = await tx.tuples(
        _SHORT_ONES, {"project": project, "ledgers": sorted(ledgers), **_build_account_columns(also)}
    )
    return {account: Standing(ZERO, {}) for account in also} | _build_standings(rows)


async def add_slot_starts(
    tx: Read, project: int, shortages: Sequence[Shortage], new_starts: SlotStarts = MappingProxyType({})
) -> list[Shortage]:
    """Shortages with the starts of the slots with whose ends they opened; those of new runs are given."""
    if not shortages:
        return []
    columns = _build_account_columns([shortage.account for shortage in shortages])
    opening_times = [shortage.opened_at for shortage in shortages]
    rows = await tx.tuples(_SLOT_STARTS, {"project": project, "moments": opening_times, **columns})
    starts = {
        (Account(ledger, Partition(tracking_id, feedstock, asset)), end): start
        for ledger, tracking_id, feedstock, asset, end, start in rows
    } | dict(new_starts)
    return [
        replace(shortage, slot_start=starts.get((shortage.account, shortage.opened_at)))
        for shortage in shortages
    ]


def _build_account_columns(accounts: Collection[Account]) -> dict[str, list[Any]]:
    return {
        "account_ledgers": [account.ledger for account in accounts],
        "tracking_ids": [account.partition.tracking_id for account in accounts],
        "feedstocks": [account.partition.feedstock for account in accounts],
        "assets": [account.partition.asset for account in accounts],
    }


Changes = Mapping[Account, Mapping[datetime, Decimal]]
"""What is not posted yet, by account and moment: more produced, less what is drawn more."""


def apply_changes(standings: Mapping[Account, Standing], changes: Changes) -> dict[Account, Standing]:
    """Return the balances after changes are posted; changes of absent accounts are ignored."""
    return {
        account: _apply_steps(standing, changes.get(account, {})) for account, standing in standings.items()
    }


def list_shortages(standings: Mapping[Account, Standing]) -> list[Shortage]:
    """Every shortage of accounts, in order."""
    return [
        shortage
        for account in sorted(standings, key=lambda account_: account_.order)
        for shortage in _list_account_shortages(account, standings[account])
    ]


def show_deficit(project: int, shortage: Shortage) -> PartitionDeficit:
    """A shortage as callers see it."""
    return PartitionDeficit(
        ledger=identity.of("ledger", project, shortage.account.ledger),
        partition=shortage.account.partition.label or None,
        start_time=None if shortage.slot_start is None else Instant.of(shortage.slot_start),
        end_time=Instant.of(shortage.opened_at),
        settled_at=None if shortage.settled_at is None else Instant.of(shortage.settled_at),
        amount=shortage.amount,
    )


def compute_deepening(
    before: Mapping[Account, Standing], after: Mapping[Account, Standing]
) -> dict[Account, Decimal]:
    """By how much accounts are short more than before, at the worst moment; others are left out."""
    worse = {}
    for account, standing in after.items():
        timeline_before = Timeline(before[account].steps, opening=before[account].opening)
        deepenings = [
            EXACT.subtract(min(timeline_before.at(instant), ZERO), now)
            for instant, now in Timeline(standing.steps, opening=standing.opening).steps()
            if now < min(timeline_before.at(instant), ZERO)
        ]
        if deepenings:
            worse[account] = max(deepenings)
    return worse


def _apply_steps(standing: Standing, changes: Mapping[datetime, Decimal]) -> Standing:
    steps = dict(standing.steps)
    for instant, amount in changes.items():
        steps[instant] = EXACT.add(steps.get(instant, ZERO), amount)
    return Standing(standing.opening, steps)


def _list_account_shortages(account: Account, standing: Standing) -> list[Shortage]:
    """What opened and when it was settled, the oldest first: at every moment they sum to the deficit."""
    settled_ones: list[Shortage] = []
    still_open: deque[Shortage] = deque()
    short_amount = max(ZERO, EXACT.minus(standing.opening))
    for instant, balance in Timeline(standing.steps, opening=standing.opening).steps():
        short_before, short_amount = short_amount, max(ZERO, EXACT.minus(balance))
        if short_amount > short_before:
            still_open.append(Shortage(account, instant, None, EXACT.subtract(short_amount, short_before)))
        settled_amount = EXACT.subtract(short_before, short_amount)
        while settled_amount > 0 and still_open:
            oldest = still_open.popleft()
            settled_part = min(settled_amount, oldest.amount)
            settled_ones.append(replace(oldest, settled_at=instant, amount=settled_part))
            settled_amount = EXACT.subtract(settled_amount, settled_part)
            if settled_part < oldest.amount:
                still_open.appendleft(replace(oldest, amount=EXACT.subtract(oldest.amount, settled_part)))
    return sorted([*settled_ones, *still_open], key=lambda shortage: shortage.opened_at)


def _build_standings(rows: Iterable[tuple[Any, ...]]) -> dict[Account, Standing]:
    """Build balances from rows of account, instant and change; without an instant it is the final balance."""
    ends: dict[Account, Decimal] = {}
    steps: dict[Account, dict[datetime, Decimal]] = {}
    for ledger, tracking_id, feedstock, asset, instant, amount in rows:
        account = Account(ledger, Partition(tracking_id, feedstock, asset))
        if instant is None:
            ends[account] = amount
        else:
            steps.setdefault(account, {})[instant] = amount
    standings = {}
    for account in {*ends, *steps}:
        changes = steps.get(account, {})
        opening = ends.get(account, ZERO)
        for amount in changes.values():
            opening = EXACT.subtract(opening, amount)
        standings[account] = Standing(opening, changes)
    return standings


_AFTER: Final = SQL("""
    WITH parts AS (
        SELECT e.ledger_id, b.run_id, e.effective_at AS at, sum(e.amount) AS amount
          FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
         WHERE e.project_id = %(project)s AND e.ledger_id = ANY (%(ledgers)s) AND e.effective_at > %(moment)s
         GROUP BY e.ledger_id, b.run_id, e.effective_at
        UNION ALL
        SELECT d.ledger_id, d.run_id, d.effective_at, - sum(d.amount) FROM deficit_entries d
         WHERE d.project_id = %(project)s AND d.ledger_id = ANY (%(ledgers)s) AND d.effective_at > %(moment)s
         GROUP BY d.ledger_id, d.run_id, d.effective_at
        UNION ALL
        SELECT b.ledger_id, b.run_id, NULL, sum(b.balance) FROM batches b
         WHERE b.project_id = %(project)s AND b.ledger_id = ANY (%(ledgers)s)
         GROUP BY b.ledger_id, b.run_id
        UNION ALL
        SELECT d.ledger_id, d.run_id, NULL, - d.amount FROM deficits d
         WHERE d.project_id = %(project)s AND d.ledger_id = ANY (%(ledgers)s) AND d.amount > 0
    )
    SELECT parts.ledger_id, r.tracking_id, f.name, a.name, parts.at, sum(parts.amount)
      FROM parts LEFT JOIN runs r ON (r.project_id, r.id) = (%(project)s, parts.run_id) {tags}
     GROUP BY parts.ledger_id, r.tracking_id, f.name, a.name, parts.at
""").format(tags=SQL(RUN_TAGS))

_ACCOUNTS: Final = """
    unnest(%(account_ledgers)s::integer[], %(tracking_ids)s::text[], %(feedstocks)s::text[],
           %(assets)s::text[])
"""

_IS_OF_ACCOUNT: Final = """
    coalesce(r.tracking_id, '') = coalesce(account.tracking_id, '')
    AND coalesce(f.name, '') = coalesce(account.feedstock, '')
    AND coalesce(a.name, '') = coalesce(account.asset, '')
"""

# In addition to the changes there is the final balance, which is the sum of all changes.
_SHORT_ONES: Final = SQL("""
    WITH account AS (
        SELECT d.ledger_id, r.tracking_id, f.name AS feedstock, a.name AS asset
          FROM (SELECT DISTINCT ledger_id, run_id FROM deficit_entries
                 WHERE project_id = %(project)s AND ledger_id = ANY (%(ledgers)s)) AS d
          JOIN runs r ON (r.project_id, r.id) = (%(project)s, d.run_id) {tags}
        UNION SELECT * FROM {accounts}
    ), parts AS (
        SELECT account.*, e.effective_at AS at, e.amount
          FROM account
          JOIN batches b ON (b.project_id, b.ledger_id) = (%(project)s, account.ledger_id)
          LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id) {tags}
          JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
         WHERE {is_of_account}
        UNION ALL
        SELECT account.*, d.effective_at, - d.amount
          FROM account
          JOIN deficit_entries d ON (d.project_id, d.ledger_id) = (%(project)s, account.ledger_id)
          JOIN runs r ON (r.project_id, r.id) = (d.project_id, d.run_id) {tags}
         WHERE {is_of_account}
    )
    SELECT ledger_id, tracking_id, feedstock, asset, at, sum(amount) FROM parts
     GROUP BY GROUPING SETS ((ledger_id, tracking_id, feedstock, asset, at),
                             (ledger_id, tracking_id, feedstock, asset))
""").format(tags=SQL(RUN_TAGS), accounts=SQL(_ACCOUNTS), is_of_account=SQL(_IS_OF_ACCOUNT))

_SLOT_STARTS: Final = SQL("""
    SELECT account.ledger_id, r.tracking_id, f.name, a.name, r.end_time, min(r.start_time)
      FROM unnest(%(account_ledgers)s::integer[], %(tracking_ids)s::text[], %(feedstocks)s::text[],
                  %(assets)s::text[], %(moments)s::timestamptz[])
           AS account (ledger_id, tracking_id, feedstock, asset, at)
      JOIN ledgers l ON (l.project_id, l.id) = (%(project)s, account.ledger_id)
      JOIN runs r ON (r.project_id, r.family_id, r.end_time) = (l.project_id, l.family_id, account.at) {tags}
     WHERE {is_of_account}
     GROUP BY account.ledger_id, r.tracking_id, f.name, a.name, r.end_time
""").format(tags=SQL(RUN_TAGS), is_of_account=SQL(_IS_OF_ACCOUNT))
