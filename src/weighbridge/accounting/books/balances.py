"""Balances: what the accounts of ledgers hold and lack, an account being one partition over all slots."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from decimal import Decimal

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUN_TAGS
from weighbridge.core.ledger.partition import Account, Partition
from weighbridge.core.ledger.posting import GENERATED, Taken
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read


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


async def accounts_of(tx: Read, project: int, batches: Collection[int]) -> dict[int, Account]:
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


async def held_batches(
    tx: Read, project: int, accounts: Collection[Account], batches: Collection[int]
) -> list[HeldBatch]:
    """The batches of partitions that hold something, and these others, oldest first."""
    if not accounts:
        return []
    tags: Iterable[Sequence[str | None]] = zip(
        *((one.partition.tracking_id, one.partition.feedstock, one.partition.asset) for one in accounts),
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
        ([one.ledger for one in accounts], *(list(column) for column in tags), project, sorted(batches)),
    )


async def posted_by(
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
    posted: dict[tuple[int, int], dict[datetime, Decimal]] = {}
    for ledger, run, moment, amount in rows:
        posted.setdefault((ledger, run), {})[moment] = amount
    return posted


async def taken_by(tx: Read, project: int, runs: Collection[int]) -> dict[tuple[int, int], list[Taken]]:
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
    for ledger, run, *taken in rows:
        taken_by_run.setdefault((ledger, run), []).append(Taken(*taken))
    return taken_by_run
