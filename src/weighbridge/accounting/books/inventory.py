"""Read the inventory that a generation may draw from, and the attributes and contributions carried along.

The inventory consists of the balances of source batches and of the amounts that the generation's own
runs already withdrew. A source run whose total was reduced may be overdrawn; only such runs are
checked.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final, Protocol

import msgspec
from psycopg.rows import TupleRow
from psycopg.sql import SQL

from weighbridge.accounting.books.balances import read_standings_after
from weighbridge.accounting.books.runs import RUN_COLUMNS, RUN_TAGS, RUNS_OF_SLOTS, RunRow, build_slot_columns
from weighbridge.core.engine.slot_computation import SourceLedgerView
from weighbridge.core.ledger.allocation import Account, Contributions, Partition, read_columns
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
from weighbridge.core.ledger.pool import Pool
from weighbridge.core.ledger.posting import Taken, order_latest_first
from weighbridge.core.number import EXACT, ZERO
from weighbridge.core.time.calendar import Instant, Interval, identify_slot
from weighbridge.core.uncertainty.effects import Uncertainty, read_uncertainty
from weighbridge.core.unit import Unit, parse_unit
from weighbridge.db.engine import Read

# Overdrawn runs: source runs of which more is drawn than they come to, or that took of others' batches.
#
# Only a run that fell can be one: the others are drawn of as far as their batches hold, which is their
# total.


async def read_source_runs(
    tx: Read, project: int, runs: Collection[tuple[int, int]]
) -> dict[tuple[int, int], SourceRun]:
    """Those of some runs, by ledger and number, that fell: what they come to, and what is drawn of them."""
    if not runs:
        return {}
    ledgers, numbers = zip(*sorted(runs), strict=True)
    values = {"project": project, "ledgers": list(ledgers), "runs": list(numbers)}
    rows = await tx.tuples(_OVERDRAWN, values)
    if not rows:
        return {}
    takings: dict[tuple[int, int], list[Taken]] = {}
    values |= {"ledgers": [row[0] for row in rows], "runs": [row[1] for row in rows]}
    for ledger, run, batch, amount, instant in await tx.tuples(_TAKEN_OF_OTHERS, values):
        takings.setdefault((ledger, run), []).append(Taken(batch, amount, instant))
    return {
        (ledger, run): SourceRun(
            total=total,
            drawn=drawn_amount,
            taken=[
                (taking.batch, taking.amount)
                for taking in order_latest_first(takings.get((ledger, run), ()), end)
                if isinstance(taking.batch, int)
            ],
            short=short_amount,
        )
        for ledger, run, end, total, drawn_amount, short_amount in rows
    }


_OVERDRAWN: Final = """
    WITH fallen AS (
        SELECT run.ledger_id, run.id
          FROM unnest(%(ledgers)s::integer[], %(runs)s::bigint[]) AS run (ledger_id, id)
         WHERE EXISTS (SELECT FROM ledger_entries e
                        WHERE (e.project_id, e.run_id, e.ledger_id) = (%(project)s, run.id, run.ledger_id)
                          AND e.node IS NULL AND e.kind = 'fall')
            OR EXISTS (SELECT FROM deficits d
                        WHERE (d.project_id, d.ledger_id, d.run_id) = (%(project)s, run.ledger_id, run.id)
                          AND d.amount > 0)
    )
    SELECT f.ledger_id, f.id, r.end_time,
           (SELECT coalesce(sum(e.amount), 0) FROM ledger_entries e
             WHERE (e.project_id, e.run_id, e.ledger_id) = (%(project)s, f.id, f.ledger_id)
               AND e.node IS NULL) - short.amount,
           (SELECT coalesce(- sum(e.amount), 0)
              FROM batches b
              JOIN ledger_entries e ON (e.project_id, e.batch_id) = (b.project_id, b.id)
             WHERE (b.project_id, b.run_id, b.ledger_id) = (%(project)s, f.id, f.ledger_id)
               AND e.kind NOT IN ('credit', 'fall', 'rise')),
           short.amount
      FROM fallen f
      JOIN runs r ON (r.project_id, r.id) = (%(project)s, f.id)
     CROSS JOIN LATERAL (
            SELECT coalesce(sum(d.amount), 0) AS amount FROM deficits d
             WHERE (d.project_id, d.ledger_id, d.run_id) = (%(project)s, f.ledger_id, f.id)) AS short
"""

_TAKEN_OF_OTHERS: Final = """
    SELECT e.ledger_id, e.run_id, e.batch_id, - sum(e.amount), e.effective_at
      FROM unnest(%(ledgers)s::integer[], %(runs)s::bigint[]) AS run (ledger_id, id)
      JOIN ledger_entries e ON (e.project_id, e.run_id, e.ledger_id)
                             = (%(project)s, run.id, run.ledger_id) AND e.kind IN ('fall', 'rise')
      JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
     WHERE b.run_id IS DISTINCT FROM e.run_id
     GROUP BY e.ledger_id, e.run_id, e.batch_id, e.effective_at HAVING sum(e.amount) < 0
     ORDER BY max(e.id) FILTER (WHERE e.kind = 'fall' AND e.reverses IS NULL)
"""


# Attributes: the values that travel along with what is drawn, as they are now and as they were then.


class Maker(Protocol):
    """A source batch, by what says what it came to."""

    @property
    def number(self) -> int: ...
    @property
    def ledger(self) -> int: ...
    @property
    def run(self) -> int | None: ...


async def read_source_attributes(
    tx: Read, project: int, slugs: Collection[str], sources: Sequence[Maker]
) -> Mapping[tuple[int, int], dict[str, tuple[Decimal, Unit]]]:
    """What the runs behind the sources came to, by ledger and run: their newest batch says it.

    An instrument states its own total, and serves as a run, by its own number below zero.
    """
    if not slugs or not sources:
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
            "project": project,
            "runs": sorted({batch.run for batch in sources if batch.run is not None}),
            "instruments": [batch.number for batch in sources if batch.run is None],
            "ledgers": sorted({batch.ledger for batch in sources}),
            "slugs": sorted(slugs),
        },
    )
    by_run: dict[tuple[int, int], dict[str, tuple[Decimal, Unit]]] = {}
    for ledger, run, slug, value, unit in rows:
        by_run.setdefault((ledger, run), {})[slug] = (value, parse_unit(unit))
    return by_run


@dataclass(frozen=True, slots=True)
class SourceBasis:
    """What a run behind sources rests on, as of now, by output; the entry without a name is what is drawn."""

    total: Decimal = ZERO
    contributions: dict[str, Contributions | None] = field(default_factory=dict)
    uncertainties: dict[str, tuple[Uncertainty, Unit]] = field(default_factory=dict)


async def read_source_bases(
    tx: Read, project: int, sources: Sequence[Maker]
) -> Mapping[tuple[int, int], SourceBasis]:
    """What the runs behind the sources rest on, by ledger and run; an instrument rests on nothing."""
    if not sources:
        return {}
    rows = await tx.tuples(
        """
        SELECT newest.ledger_id, newest.run_id, newest.total, c.slug, c.is_primary, c.contributions,
               c.uncertainty, c.unit
          FROM (SELECT DISTINCT ON (b.ledger_id, b.run_id) b.ledger_id, b.run_id, b.id, b.total
                  FROM batches b
                 WHERE b.project_id = %(project)s AND b.deleted_at IS NULL
                   AND b.run_id = ANY (%(runs)s) AND b.ledger_id = ANY (%(ledgers)s)
                 ORDER BY b.ledger_id, b.run_id, b.id DESC) AS newest
          JOIN batch_calculations c ON (c.project_id, c.batch_id) = (%(project)s, newest.id) AND c.is_output
        """,
        {
            "project": project,
            "runs": sorted({batch.run for batch in sources if batch.run is not None}),
            "ledgers": sorted({batch.ledger for batch in sources}),
        },
    )
    return await tx.in_thread(_build_source_bases, rows)


def _build_source_bases(rows: Sequence[TupleRow]) -> dict[tuple[int, int], SourceBasis]:
    by_run: dict[tuple[int, int], SourceBasis] = {}
    for ledger, run, total, slug, is_primary, columns, uncertainty, unit in rows:
        basis = by_run.setdefault((ledger, run), SourceBasis(total))
        for name in (slug, "") if is_primary else (slug,):
            basis.contributions[name] = None if columns is None else read_columns(columns)
            if uncertainty is not None:
                basis.uncertainties[name] = read_uncertainty(uncertainty), parse_unit(unit)
    return by_run


NO_SOURCE_BASIS: Final = SourceBasis()


class _DrawnRow(RunRow, frozen=True):
    """What a node of a run was last computed from, of one source."""

    slot_number: int
    """The position of its slot among those that are named, from 1."""
    node: str
    source: int
    values: list[Decimal]
    units: list[str]


@dataclass(frozen=True, slots=True)
class DrawnThen:
    """What is looked for: the runs of a model's slots, and sources that they hold something of."""

    project: int
    family: int
    slots: Sequence[Interval]
    sources: Collection[int]
    slugs: Mapping[str, Sequence[str]]
    """What travels along, by node."""


async def read_withdrawal_attributes(
    tx: Read, withdrawals: DrawnThen
) -> Mapping[tuple[Drawer, int], Attributes]:
    """What travelled along when runs last drew of sources."""
    slots, slugs = withdrawals.slots, withdrawals.slugs
    if not withdrawals.sources or not any(slugs.values()):
        return {}
    rows = await tx.rows(
        _DrawnRow,
        _DRAWN_THEN,
        {
            "project": withdrawals.project,
            "family": withdrawals.family,
            "sources": sorted(withdrawals.sources),
            **build_slot_columns(slots),
        },
    )
    attributes_by_draw: dict[tuple[Drawer, int], Attributes] = {}
    for row in rows:
        of_node = slugs.get(row.node, ())
        # Another version of the model may have had others.
        if len(of_node) == len(row.values):
            drawer = Drawer(slots[row.slot_number - 1], row.partition, row.node)
            units = map(parse_unit, row.units)
            attributes_by_draw[drawer, row.source] = dict(
                zip(of_node, zip(row.values, units, strict=True), strict=True)
            )
    return attributes_by_draw


_DRAWN_THEN: Final = SQL("""
    SELECT DISTINCT ON (r.id, d.node, d.source_batch_id)
           {columns}, r.slot, d.node, d.source_batch_id, d.attributes, d.units
      FROM {runs}
      JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
      JOIN batch_draws d ON (d.project_id, d.batch_id) = (b.project_id, b.id)
       AND d.source_batch_id = ANY (%(sources)s)
      {tags}
     ORDER BY r.id, d.node, d.source_batch_id, b.id DESC, d.place DESC
""").format(columns=SQL(RUN_COLUMNS), runs=RUNS_OF_SLOTS, tags=SQL(RUN_TAGS))


# The inventory that a generation may draw from: balances of source batches, and what its own runs hold.


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
        bases: Mapping[tuple[int, int], SourceBasis],
    ) -> SourceBatch:
        basis = bases.get(self.made_by, NO_SOURCE_BASIS)
        return SourceBatch(
            number=self.number,
            ledger=self.ledger,
            slot=Interval(self.start_time, self.end_time),
            tracking_id=self.name,
            partition=Partition(self.tracking_id, self.feedstock, self.asset),
            balance=self.balance,
            attributes=attributes.get(self.made_by, {}),
            run=self.run_key,
            rests_on=basis.contributions,
            run_total=basis.total,
            uncertainties=basis.uncertainties,
        )

    @property
    def made_by(self) -> tuple[int, int]:
        """Its ledger and its run; of an instrument, which has none, its own number below zero."""
        return self.ledger, -self.number if self.run is None else self.run


async def read_pool(tx: Read, request: InventoryRequest) -> Pool:
    """Everything that the runs may draw or hold."""
    held_lots = await _read_held(tx, request)
    sources = {lot.source for lots in held_lots.values() for lot in lots}.union(request.named)
    until = max(slot.end for slot in request.slots)
    rows = {row.number: row for row in await _read_source_rows(tx, request, until, sources)}
    runs = await _add_fallen_runs(tx, request, until, rows)
    slugs = {slug for ledger in request.source_ledgers for slug in ledger.attributes}
    attributes = await read_source_attributes(tx, request.project, slugs, [*rows.values()])
    bases = await read_source_bases(tx, request.project, [*rows.values()])
    fallen_batches = {row.number for row in rows.values() if row.run_key in runs}
    slots = _remove_duplicates(request.slots)
    withdrawals = DrawnThen(
        request.project, request.family, slots, fallen_batches & sources, request.attributes_of
    )
    books = SourceBooks(
        standings=await _read_source_standings(tx, request, [*rows.values()]),
        runs=runs,
        attributes_then=await read_withdrawal_attributes(tx, withdrawals),
    )
    lenders = [drawer for drawer in held_lots if drawer.node not in request.manual_nodes]
    return Pool([row.batch(attributes, bases) for row in rows.values()], held_lots, lenders, books)


async def _add_fallen_runs(
    tx: Read, request: InventoryRequest, until: datetime, rows: dict[int, _SourceRow]
) -> dict[RunKey, SourceRun]:
    """The runs of sources that fell; what these took is added to the sources, and what its runs took, too."""
    runs: dict[RunKey, SourceRun] = {}
    known_runs: set[RunKey] = set()
    while keys := {row.run_key for row in rows.values() if row.run_key} - known_runs:
        fallen_runs = await read_source_runs(tx, request.project, keys)
        runs |= fallen_runs
        known_runs |= keys
        if others := {batch for run in fallen_runs.values() for batch, _ in run.taken} - rows.keys():
            more_rows = await _read_source_rows(tx, request, until, others, named_only=True)
            rows |= {row.number: row for row in more_rows}
    return runs


async def _read_source_standings(
    tx: Read, request: InventoryRequest, rows: Sequence[_SourceRow]
) -> Mapping[Account, Standing]:
    """Read the balances of the sources' accounts from the first instant on that a withdrawal may have."""
    if not rows:
        return {}
    since = min(slot.end for slot in request.slots)
    return await read_standings_after(tx, request.project, {row.ledger for row in rows}, since)


async def _read_held(tx: Read, request: InventoryRequest) -> dict[Drawer, list[Lot]]:
    """What the runs of the slots hold by now, act by act; what deletions undid does not count."""
    slots = _remove_duplicates(request.slots)
    rows = await tx.rows(
        _DrawRow,
        _DRAWS,
        {"project": request.project, "family": request.family, **build_slot_columns(slots)},
    )
    by_drawer: dict[Drawer, list[_DrawRow]] = {}
    for row in rows:
        drawer = Drawer(slots[row.slot_number - 1], row.partition, row.node)
        by_drawer.setdefault(drawer, []).append(row)
    return {drawer: _subtract_returns(draws) for drawer, draws in by_drawer.items()}


def _remove_duplicates(slots: Iterable[Interval]) -> list[Interval]:
    return list({identify_slot(slot): slot for slot in slots}.values())


def _subtract_returns(entries: Sequence[_DrawRow]) -> list[Lot]:
    """What is left of draws, once each return has taken from the last draws of its source."""
    lots: dict[tuple[int, int], Decimal] = {}
    instants: dict[tuple[int, int], Instant] = {}
    for entry in entries:
        key = entry.act, entry.source
        if entry.amount < 0:
            instants[key] = entry.effective_at
            lots[key] = EXACT.subtract(lots.get(key, Decimal(0)), entry.amount)
            continue
        remaining = entry.amount
        for lot in [lot for lot in reversed(lots) if lot[1] == entry.source]:
            back = min(remaining, lots[lot])
            lots[lot] = EXACT.subtract(lots[lot], back)
            remaining = EXACT.subtract(remaining, back)
    return [Lot(key[1], amount, key[0], instants[key]) for key, amount in lots.items() if amount]


async def _read_source_rows(
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
