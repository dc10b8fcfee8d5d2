"""The inventory that a generation may draw from: balances of source batches, and what its own runs hold."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUN_COLUMNS, RUN_TAGS, RUNS_OF_SLOTS, RunRow, slot_columns
from weighbridge.accounting.books.standings import standings_after
from weighbridge.accounting.drawing.attributes import (
    DrawnThen,
    attributes_now,
    attributes_then,
    contributions_now,
)
from weighbridge.accounting.drawing.overdrawn import source_runs
from weighbridge.core.engine.source_ledger import SourceLedgerView
from weighbridge.core.ledger.contributions import Contributions
from weighbridge.core.ledger.drawing import (
    Attributes,
    Drawer,
    Lot,
    RunKey,
    SourceBatch,
    SourceBooks,
    SourceRun,
    Standing,
)
from weighbridge.core.ledger.partition import Account, Partition
from weighbridge.core.ledger.pool.pool import Pool
from weighbridge.core.quantity.number import EXACT
from weighbridge.core.time.cadence import identity_of
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class InventoryRequest:
    """The runs that may draw, and what they may draw from."""

    project: int
    family: int
    slots: Collection[Interval]
    source_ledgers: Collection[SourceLedgerView]
    manual_nodes: Collection[str]
    """Nodes that draw what the caller names; what they hold is not lent."""
    attributes_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What travels along with what each node draws."""
    named: Collection[int] = ()
    """Batches that the caller names."""


class _DrawRow(RunRow, frozen=True):
    """A draw, or what was given back of one."""

    slot_number: int
    """The position of its slot among those of the request, from 1."""
    node: str
    source: int
    amount: Decimal
    act: int
    effective_at: Instant


class _SourceRow(msgspec.Struct, frozen=True):
    """A source batch."""

    number: int
    ledger: int
    run: int | None
    start_time: Instant
    end_time: Instant
    name: str
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    balance: Decimal

    @property
    def run_key(self) -> tuple[int, int] | None:
        """Its run on its ledger."""
        return None if self.run is None else (self.ledger, self.run)

    def batch(
        self,
        attributes: Mapping[tuple[int, int], Attributes],
        contributions: Mapping[tuple[int, int], Mapping[str, Contributions | None]],
    ) -> SourceBatch:
        return SourceBatch(
            number=self.number,
            ledger=self.ledger,
            slot=Interval(self.start_time, self.end_time),
            tracking_id=self.name,
            partition=Partition(self.tracking_id, self.feedstock, self.asset),
            balance=self.balance,
            attributes=attributes.get(self.made_by, {}),
            run=self.run_key,
            rests_on=contributions.get(self.made_by, {}),
        )

    @property
    def made_by(self) -> tuple[int, int]:
        """Its ledger and its run; of an instrument, which has none, its own number below zero."""
        return self.ledger, -self.number if self.run is None else self.run


async def read_pool(tx: Read, request: InventoryRequest) -> Pool:
    """Everything that the runs may draw or hold."""
    held = await _held(tx, request)
    sources = {lot.source for lots in held.values() for lot in lots}.union(request.named)
    until = max(slot.end for slot in request.slots)
    rows = {row.number: row for row in await _source_rows(tx, request, until, sources)}
    runs = await _with_all_they_took(tx, request, until, rows)
    slugs = {slug for ledger in request.source_ledgers for slug in ledger.attributes}
    attributes = await attributes_now(tx, request.project, slugs, [*rows.values()])
    contributions = await contributions_now(tx, request.project, [*rows.values()])
    fallen = {row.number for row in rows.values() if row.run_key in runs}
    slots = _each_once(request.slots)
    then = DrawnThen(request.project, request.family, slots, fallen & sources, request.attributes_of)
    books = SourceBooks(
        standings=await _standings(tx, request, [*rows.values()]),
        runs=runs,
        attributes_then=await attributes_then(tx, then),
    )
    lenders = [drawer for drawer in held if drawer.node not in request.manual_nodes]
    return Pool([row.batch(attributes, contributions) for row in rows.values()], held, lenders, books)


async def _with_all_they_took(
    tx: Read, request: InventoryRequest, until: datetime, rows: dict[int, _SourceRow]
) -> dict[RunKey, SourceRun]:
    """The runs of sources that fell; what these took is added to the sources, and what its runs took, too."""
    runs: dict[RunKey, SourceRun] = {}
    known: set[RunKey] = set()
    while keys := {row.run_key for row in rows.values() if row.run_key} - known:
        fallen = await source_runs(tx, request.project, keys)
        runs |= fallen
        known |= keys
        if others := {batch for run in fallen.values() for batch, _ in run.taken} - rows.keys():
            more = await _source_rows(tx, request, until, others, named_only=True)
            rows |= {row.number: row for row in more}
    return runs


async def _standings(
    tx: Read, request: InventoryRequest, rows: Sequence[_SourceRow]
) -> Mapping[Account, Standing]:
    """How the accounts of the sources stand from the first moment on for which anything may be drawn."""
    if not rows:
        return {}
    since = min(slot.end for slot in request.slots)
    return await standings_after(tx, request.project, {row.ledger for row in rows}, since)


async def _held(tx: Read, request: InventoryRequest) -> dict[Drawer, list[Lot]]:
    """What the runs of the slots hold by now, act by act; what deletions undid does not count."""
    slots = _each_once(request.slots)
    rows = await tx.rows(
        _DrawRow,
        _DRAWS,
        {"project": request.project, "family": request.family, **slot_columns(slots)},
    )
    by_drawer: dict[Drawer, list[_DrawRow]] = {}
    for row in rows:
        drawer = Drawer(slots[row.slot_number - 1], row.partition, row.node)
        by_drawer.setdefault(drawer, []).append(row)
    return {drawer: _lots(draws) for drawer, draws in by_drawer.items()}


def _each_once(slots: Iterable[Interval]) -> list[Interval]:
    return list({identity_of(slot): slot for slot in slots}.values())


def _lots(entries: Sequence[_DrawRow]) -> list[Lot]:
    """What is left of draws, once each return has taken from the last draws of its source."""
    lots: dict[tuple[int, int], Decimal] = {}
    moments: dict[tuple[int, int], Instant] = {}
    for entry in entries:
        key = entry.act, entry.source
        if entry.amount < 0:
            moments[key] = entry.effective_at
            lots[key] = EXACT.subtract(lots.get(key, Decimal(0)), entry.amount)
            continue
        left = entry.amount
        for lot in [lot for lot in reversed(lots) if lot[1] == entry.source]:
            back = min(left, lots[lot])
            lots[lot] = EXACT.subtract(lots[lot], back)
            left = EXACT.subtract(left, back)
    return [Lot(key[1], amount, key[0], moments[key]) for key, amount in lots.items() if amount]


async def _source_rows(
    tx: Read,
    request: InventoryRequest,
    until: datetime,
    sources: Collection[int],
    *,
    named_only: bool = False,
) -> list[_SourceRow]:
    """The batches of the source ledgers that have something left, and those that the runs drew from."""
    ledgers = set() if named_only else {ledger.ledger for ledger in request.source_ledgers}
    if not sources and not ledgers:
        return []
    return await tx.rows(
        _SourceRow,
        """
        SELECT b.id, b.ledger_id, b.run_id, b.start_time, b.end_time, b.tracking_id, r.tracking_id, f.name,
               a.name, b.balance
          FROM (SELECT id FROM batches
                 WHERE project_id = %(project)s AND ledger_id = ANY (%(ledgers)s) AND deleted_at IS NULL
                   AND balance > 0 AND start_time < %(until)s
                 UNION SELECT unnest(%(sources)s::bigint[])) AS source
          JOIN batches b ON (b.project_id, b.id) = (%(project)s, source.id)
          LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
        """
        + RUN_TAGS,
        {
            "project": request.project,
            "ledgers": sorted(ledgers),
            "sources": sorted(sources),
            "until": until,
        },
    )


_DRAWS: Final = SQL("""
    SELECT {columns}, r.slot, e.node, e.batch_id, e.amount, e.posted_by, e.effective_at
      FROM {runs}
      JOIN ledger_entries e ON (e.project_id, e.run_id) = (r.project_id, r.id) AND e.node IS NOT NULL
      {tags}
     WHERE e.reverses IS NULL
       AND NOT EXISTS (SELECT FROM ledger_entries undone
                        WHERE (undone.project_id, undone.reverses) = (e.project_id, e.id))
     ORDER BY e.id
""").format(columns=SQL(RUN_COLUMNS), runs=RUNS_OF_SLOTS, tags=SQL(RUN_TAGS))
