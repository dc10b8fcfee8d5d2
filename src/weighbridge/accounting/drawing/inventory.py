"""The stock that a generation may draw from: the balances of source batches, and what its runs hold."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

import msgspec

from weighbridge.core.engine.source_ledger import Outlet
from weighbridge.core.ledger.drawing import Drawer, Lot, Pool, Stock
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.quantity.number import EXACT
from weighbridge.core.quantity.unit import Unit, parse_unit
from weighbridge.core.time.cadence import EventSlot
from weighbridge.core.time.instant import Instant, Interval
from weighbridge.db.engine import Read


@dataclass(frozen=True, slots=True)
class Wanted:
    """The runs that may draw, and what they may draw from."""

    project: int
    family: int
    slots: Collection[Interval]
    outlets: Collection[Outlet]
    by_hand: Collection[str]
    """Nodes that draw what the caller names; what they hold is not lent."""
    named: Collection[int] = ()
    """Batches that the caller names."""


class _Entry(msgspec.Struct, frozen=True):
    """A draw, or what was given back of one."""

    start_time: Instant
    end_time: Instant
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    event: int | None
    node: str
    source: int
    amount: Decimal
    act: int
    effective_at: Instant


class _Batch(msgspec.Struct, frozen=True):
    """A source."""

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


async def read_pool(tx: Read, wanted: Wanted) -> Pool:
    """Everything that the runs may draw or hold."""
    held = await _held(tx, wanted)
    sources = {lot.source for lots in held.values() for lot in lots}.union(wanted.named)
    until = max(slot.end for slot in wanted.slots)
    batches = await _batches(tx, wanted, until, sources)
    attributes = await _attributes(tx, wanted, batches)
    stocks = [
        Stock(
            number=batch.number,
            ledger=batch.ledger,
            slot=Interval(batch.start_time, batch.end_time),
            tracking_id=batch.name,
            partition=Partition(batch.tracking_id, batch.feedstock, batch.asset),
            balance=batch.balance,
            attributes=attributes.get(batch.made_by, {}),
        )
        for batch in batches
    ]
    return Pool(stocks, held, [drawer for drawer in held if drawer.node not in wanted.by_hand])


async def _held(tx: Read, wanted: Wanted) -> dict[Drawer, list[Lot]]:
    """What the runs of the slots hold by now, act by act; what deletions undid is left out."""
    events = [slot for slot in wanted.slots if isinstance(slot, EventSlot)]
    rows = await tx.rows(
        _Entry,
        """
        SELECT r.start_time, r.end_time, r.tracking_id, f.name, a.name, r.event_id, e.node, e.batch_id,
               e.amount, e.posted_by, e.effective_at
          FROM runs r
          JOIN ledger_entries e ON (e.project_id, e.run_id) = (r.project_id, r.id) AND e.node IS NOT NULL
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
          LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
         WHERE r.project_id = %(project)s AND r.family_id = %(family)s
           AND (r.start_time = ANY (%(starts)s) OR r.event_id = ANY (%(events)s)
                OR r.tracking_id = ANY (%(tracking_ids)s))
           AND e.reverses IS NULL
           AND NOT EXISTS (SELECT FROM ledger_entries undone
                            WHERE (undone.project_id, undone.reverses) = (e.project_id, e.id))
         ORDER BY e.id
        """,
        {
            "project": wanted.project,
            "family": wanted.family,
            "starts": sorted({slot.start for slot in wanted.slots}),
            "events": [slot.event for slot in events if slot.event],
            "tracking_ids": [slot.tracking_id for slot in events if not slot.event],
        },
    )
    slots = {slot for slot in wanted.slots if not isinstance(slot, EventSlot)}
    by_identity = {slot.identity: slot for slot in events}
    found: dict[Drawer, list[_Entry]] = {}
    for row in rows:
        plain = Interval(row.start_time, row.end_time)
        identity = (row.event, "") if row.event else (0, row.tracking_id or "")
        slot = plain if plain in slots else by_identity.get(identity)
        if slot is not None:
            partition = Partition(row.tracking_id, row.feedstock, row.asset)
            found.setdefault(Drawer(slot, partition, row.node), []).append(row)
    return {drawer: _lots(entries) for drawer, entries in found.items()}


def _lots(entries: Sequence[_Entry]) -> list[Lot]:
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


async def _batches(tx: Read, wanted: Wanted, until: datetime, sources: Collection[int]) -> list[_Batch]:
    """The batches of the source ledgers that have something left, and those that the runs drew from."""
    if not sources and not wanted.outlets:
        return []
    return await tx.rows(
        _Batch,
        """
        SELECT b.id, b.ledger_id, b.run_id, b.start_time, b.end_time, b.tracking_id, r.tracking_id, f.name,
               a.name, b.balance
          FROM (SELECT id FROM batches
                 WHERE project_id = %(project)s AND ledger_id = ANY (%(ledgers)s) AND deleted_at IS NULL
                   AND balance > 0 AND start_time < %(until)s
                 UNION SELECT unnest(%(sources)s::bigint[])) AS wanted
          JOIN batches b ON (b.project_id, b.id) = (%(project)s, wanted.id)
          LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
          LEFT JOIN feedstocks f ON (f.project_id, f.id) = (r.project_id, r.feedstock_id)
          LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, r.asset_id)
        """,
        {
            "project": wanted.project,
            "ledgers": sorted({outlet.ledger for outlet in wanted.outlets}),
            "sources": sorted(sources),
            "until": until,
        },
    )


async def _attributes(
    tx: Read, wanted: Wanted, batches: Sequence[_Batch]
) -> Mapping[tuple[int, int], dict[str, tuple[Decimal, Unit]]]:
    """What the runs behind the sources came to, by ledger and run: their newest batch says it.

    An instrument says itself what it came to, and stands in the place of a run.
    """
    slugs = sorted({slug for outlet in wanted.outlets for slug in outlet.attributes})
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
            "project": wanted.project,
            "runs": sorted({batch.run for batch in batches if batch.run is not None}),
            "instruments": [batch.number for batch in batches if batch.run is None],
            "ledgers": sorted({batch.ledger for batch in batches}),
            "slugs": slugs,
        },
    )
    found: dict[tuple[int, int], dict[str, tuple[Decimal, Unit]]] = {}
    for ledger, run, slug, value, unit in rows:
        found.setdefault((ledger, run), {})[slug] = (value, parse_unit(unit))
    return found
