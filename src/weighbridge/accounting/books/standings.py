"""Standings: what accounts of ledgers have produced less what was drawn of them, moment by moment.

Entries less deficit entries are produced less drawn at every moment (`core/ledger/posting.py`), so both are
read from what was posted. An account is one partition of a ledger over all slots.

Invariant: an account stands below nothing only where deficit entries say so, so only accounts that have some
are looked at for shortages.
"""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUN_TAGS
from weighbridge.core.ledger.drawing import Standing
from weighbridge.core.ledger.partition import Account, Partition
from weighbridge.core.ledger.timeline import Timeline
from weighbridge.core.quantity.number import EXACT, ZERO
from weighbridge.db.engine import Read


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


async def standings_after(
    tx: Read, project: int, ledgers: Collection[int], moment: datetime
) -> dict[Account, Standing]:
    """How the accounts of ledgers stand at a moment, and how that changes afterwards."""
    rows = await tx.tuples(_AFTER, {"project": project, "ledgers": sorted(ledgers), "moment": moment})
    return _standings(rows)


async def standings_of(
    tx: Read, project: int, ledgers: Collection[int], also: Collection[Account] = ()
) -> dict[Account, Standing]:
    """How accounts of ledgers stood from the beginning: those that ever had a deficit, and these others."""
    rows = await tx.tuples(
        _SHORT_ONES, {"project": project, "ledgers": sorted(ledgers), **_account_columns(also)}
    )
    return {account: Standing(ZERO, {}) for account in also} | _standings(rows)


async def with_slot_starts(
    tx: Read, project: int, short: Sequence[Shortage], new_starts: SlotStarts = MappingProxyType({})
) -> list[Shortage]:
    """Shortages with the starts of the slots with whose ends they opened; those of new runs are given."""
    if not short:
        return []
    columns = _account_columns([one.account for one in short])
    moments = [one.opened_at for one in short]
    rows = await tx.tuples(_SLOT_STARTS, {"project": project, "moments": moments, **columns})
    starts = {
        (Account(ledger, Partition(tracking_id, feedstock, asset)), end): start
        for ledger, tracking_id, feedstock, asset, end, start in rows
    } | dict(new_starts)
    return [replace(one, slot_start=starts.get((one.account, one.opened_at))) for one in short]


def _account_columns(accounts: Collection[Account]) -> dict[str, list[Any]]:
    return {
        "account_ledgers": [one.ledger for one in accounts],
        "tracking_ids": [one.partition.tracking_id for one in accounts],
        "feedstocks": [one.partition.feedstock for one in accounts],
        "assets": [one.partition.asset for one in accounts],
    }


Changes = Mapping[Account, Mapping[datetime, Decimal]]
"""What is not posted yet, by account and moment: more produced, less what is drawn more."""


def changed(standings: Mapping[Account, Standing], changes: Changes) -> dict[Account, Standing]:
    """How accounts stand once changes are posted; of accounts that are not there nothing changes."""
    return {account: _with(one, changes.get(account, {})) for account, one in standings.items()}


def shortages(standings: Mapping[Account, Standing]) -> list[Shortage]:
    """Every shortage of accounts, in order."""
    return [
        shortage
        for account in sorted(standings, key=lambda one: one.order)
        for shortage in _shortages(account, standings[account])
    ]


def deepened(before: Mapping[Account, Standing], after: Mapping[Account, Standing]) -> dict[Account, Decimal]:
    """By how much accounts are short more than before, at the worst moment; others are left out."""
    worse = {}
    for account, standing in after.items():
        then = Timeline(before[account].steps, opening=before[account].opening)
        more = [
            EXACT.subtract(min(then.at(moment), ZERO), now)
            for moment, now in Timeline(standing.steps, opening=standing.opening).steps()
            if now < min(then.at(moment), ZERO)
        ]
        if more:
            worse[account] = max(more)
    return worse


def _with(standing: Standing, changes: Mapping[datetime, Decimal]) -> Standing:
    steps = dict(standing.steps)
    for moment, amount in changes.items():
        steps[moment] = EXACT.add(steps.get(moment, ZERO), amount)
    return Standing(standing.opening, steps)


def _shortages(account: Account, standing: Standing) -> list[Shortage]:
    """What opened and when it was settled, the oldest first: at every moment they sum to the deficit."""
    settled_ones: list[Shortage] = []
    still_open: deque[Shortage] = deque()
    short = max(ZERO, EXACT.minus(standing.opening))
    for moment, stands_at in Timeline(standing.steps, opening=standing.opening).steps():
        before, short = short, max(ZERO, EXACT.minus(stands_at))
        if short > before:
            still_open.append(Shortage(account, moment, None, EXACT.subtract(short, before)))
        left = EXACT.subtract(before, short)
        while left > 0 and still_open:
            oldest = still_open.popleft()
            settled = min(left, oldest.amount)
            settled_ones.append(replace(oldest, settled_at=moment, amount=settled))
            left = EXACT.subtract(left, settled)
            if settled < oldest.amount:
                still_open.appendleft(replace(oldest, amount=EXACT.subtract(oldest.amount, settled)))
    return sorted([*settled_ones, *still_open], key=lambda one: one.opened_at)


def _standings(rows: Iterable[tuple[Any, ...]]) -> dict[Account, Standing]:
    """Rows of account, moment and change; without a moment it is where the account stands in the end."""
    ends: dict[Account, Decimal] = {}
    steps: dict[Account, dict[datetime, Decimal]] = {}
    for ledger, tracking_id, feedstock, asset, moment, amount in rows:
        account = Account(ledger, Partition(tracking_id, feedstock, asset))
        if moment is None:
            ends[account] = amount
        else:
            steps.setdefault(account, {})[moment] = amount
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

# Beside what changes there is where the account stands in the end, which is the sum of all changes.
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
