"""The inventory that a generation may draw from: balances of source batches, and what its own runs hold."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import RUN_COLUMNS, RUN_TAGS, RUNS_OF_SLOTS, RunRow, slot_columns
from weighbridge.core.engine.source_ledger import SourceLedgerView
from weighbridge.core.ledger.drawing import Drawer, Lot, Pool, SourceBatch
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.quantity.number import EXACT
from weighbridge.core.quantity.unit import Unit, parse_unit
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
    def made_by(self) -> tuple[int, int]:
        """Its ledger and its run; of an instrument, which has none, its own number below zero."""
        return self.ledger, -self.number if self.run is None else self.run


async def read_pool(tx: Read, request: InventoryRequest) -> Pool:
    """Everything that the runs may draw or hold."""
    held = await _held(tx, request)
    sources = {lot.source for lots in held.values() for lot in lots}.union(request.named)
    until = max(slot.end for slot in request.slots)
    rows = await _source_rows(tx, request, until, sources)
    attributes = await _attributes(tx, request, rows)
    batches = [
        SourceBatch(
            number=row.number,
            ledger=row.ledger,
            slot=Interval(row.start_time, row.end_time),
            tracking_id=row.name,
            partition=Partition(row.tracking_id, row.feedstock, row.asset),
            balance=row.balance,
            attributes=attributes.get(row.made_by, {}),
        )
        for row in rows
    ]
    return Pool(batches, held, [drawer for drawer in held if drawer.node not in request.manual_nodes])


async def _held(tx: Read, request: InventoryRequest) -> dict[Drawer, list[Lot]]:
    """What the runs of the slots hold by now, act by act; what deletions undid does not count."""
    slots = list({identity_of(slot): slot for slot in request.slots}.values())
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
    tx: Read, request: InventoryRequest, until: datetime, sources: Collection[int]
) -> list[_SourceRow]:
    """The batches of the source ledgers that have something left, and those that the runs drew from."""
    if not sources and not request.source_ledgers:
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
            "ledgers": sorted({ledger.ledger for ledger in request.source_ledgers}),
            "sources": sorted(sources),
            "until": until,
        },
    )


async def _attributes(
    tx: Read, request: InventoryRequest, sources: Sequence[_SourceRow]
) -> Mapping[tuple[int, int], dict[str, tuple[Decimal, Unit]]]:
    """What the runs behind the sources came to, by ledger and run: their newest batch says it.

    An instrument says itself what it came to, and stands in for a run.
    """
    slugs = sorted({slug for ledger in request.source_ledgers for slug in ledger.attributes})
    if not slugs:
        return {}
    rows = await tx.tuples(
        """
        SELECT newest.ledger_id, newest.run_id, c.slug, c.value, c.unit
          FROM ((SELECT DISTINCT ON (b.ledger_id, b.run_id) b.ledger_id, b.run_id, b.id
                   FROM batches b
                  WHERE b.project_id = %(project)s AND b.deleted_at IS NULL
                    AND b.run_id = ANY (%(runs)s) AND b.ledger_id = ANY (%(ledgers)s)
                  ORDER BY b.ledger_id, b.run_id, b.id DESC)
                UNION ALL
                SELECT b.ledger_id, - b.id, b.id FROM batches b
                 WHERE b.project_id = %(project)s AND b.id = ANY (%(instruments)s)) AS newest
          JOIN batch_calculations c ON (c.project_id, c.batch_id) = (%(project)s, newest.id)
           AND c.is_output AND c.slug = ANY (%(slugs)s) AND c.value IS NOT NULL
        """,
        {
            "project": request.project,
            "runs": sorted({batch.run for batch in sources if batch.run is not None}),
            "instruments": [batch.number for batch in sources if batch.run is None],
            "ledgers": sorted({batch.ledger for batch in sources}),
            "slugs": slugs,
        },
    )
    by_run: dict[tuple[int, int], dict[str, tuple[Decimal, Unit]]] = {}
    for ledger, run, slug, value, unit in rows:
        by_run.setdefault((ledger, run), {})[slug] = (value, parse_unit(unit))
    return by_run


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
