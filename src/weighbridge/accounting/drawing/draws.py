"""Draws: what the runs of a generation take from the batches of other ledgers.

One pool serves all plans of a generation, in the order of slots, nodes and partitions. What a run holds
more or less than before is posted as draws and returns; what its nodes were computed from is kept with each
of its batches, as it was at that moment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from weighbridge.accounting.drawing.inventory import Wanted, read_pool
from weighbridge.accounting.drawing.manual_allocation import (
    Allotment,
    SlotRuns,
    allot,
    beyond_balance,
    of_slot,
)
from weighbridge.accounting.drawing.manual_sources import Choices, by_hand
from weighbridge.accounting.planning.plan import Change, Plan, RunKey
from weighbridge.accounting.planning.scope import Scope
from weighbridge.accounting.posting.posted import Posted
from weighbridge.core.engine.source_ledger import Drawing, Outlet
from weighbridge.core.ledger.drawing import Drawer, Pool, Stock
from weighbridge.core.ledger.posting import Entry, Kind
from weighbridge.core.quantity.number import EXACT
from weighbridge.core.time.instant import Interval
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid


@dataclass(frozen=True, slots=True)
class Drawings:
    """What all plans of a generation draw with; without a pool none of their models draws."""

    pool: Pool | None
    outlets: Mapping[int, Mapping[str, Outlet]]
    """By model version and node."""
    allotment: Allotment = field(default_factory=Allotment)

    def of(self, model: int, slot: Interval) -> Drawing | None:
        """What the nodes of one slot draw with."""
        if self.pool is None:
            return None
        return Drawing(
            slot=slot,
            pool=self.pool,
            outlets=self.outlets[model],
            left_out=of_slot(self.allotment.left_out, slot),
            untouched=of_slot(self.allotment.untouched, slot),
        )

    def untouched(self, slots: Sequence[Interval]) -> set[RunKey]:
        """The runs that are left out and stay as they are."""
        return {RunKey(slot, one) for slot in slots for one in of_slot(self.allotment.untouched, slot)}

    def allotted(self, slots: Sequence[SlotRuns], choices: Choices) -> "Drawings":
        """The same, once what was named by hand is divided over the runs."""
        if self.pool is None:
            return self
        return replace(self, allotment=allot(self.pool, slots, choices))


async def drawings_of(tx: Read, scopes: Sequence[Scope], choices: Choices) -> Drawings:
    """Read what the runs of one generation may draw from and hold."""
    outlets = {scope.model_id: scope.outlets for scope in scopes}
    wanted = Wanted(
        project=scopes[0].project,
        family=scopes[0].family,
        slots=[slot for scope in scopes for slot in (*scope.selection.selected, *scope.replaced)],
        outlets=[outlet for of_model in outlets.values() for outlet in of_model.values()],
        by_hand={node.slug for scope in scopes for node in by_hand(scope)},
        named={choice.source.number for choice in choices.made or ()},
    )
    pool = await read_pool(tx, wanted)
    for drawer in [drawer for scope in scopes for slot in scope.replaced for drawer in pool.holders(slot)]:
        pool.release(drawer)
    return Drawings(pool if wanted.outlets or pool.stocks else None, outlets)


def with_draws(plans: Sequence[Plan], drawings: Drawings) -> list[Plan]:
    """The plans with what their runs draw and return, which the first of their new batches posts."""
    if drawings.pool is None:
        return [*plans]
    changes: dict[RunKey, tuple[int, Change]] = {}
    for number, plan in enumerate(plans):
        for change in plan.changes:
            changes.setdefault(change.run.key, (number, change))
    draws: list[list[Entry]] = [[] for _ in plans]
    problems = [*drawings.allotment.problems]
    is_failing = bool(problems) or any(plan.problems for plan in plans)
    moved = {} if is_failing else drawings.pool.moved()
    for drawer, moves in moved.items():
        found = changes.get(RunKey(drawer.slot, drawer.partition))
        if found is None:
            problems.append(_unposted(drawer))
            continue
        number, change = found
        draws[number] += [
            Entry(
                ledger=stock.ledger,
                kind=Kind.DRAW if amount > 0 else Kind.RETURN,
                run=change.run_name,
                batch=stock.number,
                posted_by=change.batch,
                amount=-part,
                effective_at=at,
                node=drawer.node,
            )
            for stock, amount in moves
            for at, part in _moments(drawings.pool, drawer, stock, amount)
        ]
    return [
        replace(
            plan,
            draws=tuple(draws[number]),
            problems=(*plan.problems, *(problems if plan is plans[-1] else ())),
            left_out=tuple(drawings.allotment.reported) if plan is plans[-1] else (),
        )
        for number, plan in enumerate(plans)
    ]


def _moments(pool: Pool, drawer: Drawer, stock: Stock, amount: Decimal) -> list[tuple[datetime, Decimal]]:
    """The moments that a draw or a return counts for, and how much for each.

    What is given back counts for the moment for which it was drawn, the last drawn first: in between, others
    may draw what is there.
    """
    if amount > 0:
        return [(max(drawer.slot.end, stock.slot.end), amount)]
    given: dict[datetime, Decimal] = {}
    left = EXACT.minus(amount)
    for lot in sorted(pool.lots_before[drawer], key=lambda lot: lot.act, reverse=True):
        if lot.source == stock.number and lot.effective_at is not None and left:
            part = min(left, lot.amount)
            given[lot.effective_at] = EXACT.subtract(given.get(lot.effective_at, Decimal(0)), part)
            left = EXACT.subtract(left, part)
    assert not left, "nothing is given back that was not drawn"  # noqa: S101 - an invariant
    return list(given.items())


async def refuse_beyond_balance(tx: Read, scopes: Sequence[Scope], choices: Choices) -> None:
    """Raise Invalid naming each source of which more is asked than it holds; the task looks again."""
    if choices.made:
        pool = (await drawings_of(tx, scopes, choices)).pool
        assert pool is not None, "what was chosen is in the pool"  # noqa: S101
        if problems := list(beyond_balance(pool, scopes, choices)):
            raise Invalid(problems)


def _unposted(drawer: Drawer) -> str:
    of_run = f" for {drawer.partition.label}" if drawer.partition.label else ""
    return (
        f"Node {drawer.node!r}{of_run} gives back what it drew, and its run has batches on other ledgers of"
        " the model only; ask for generate_concurrent_ledgers."
    )


async def insert_draws(tx: Write, project: int, posted: Sequence[Posted]) -> None:
    """Keep with each batch what its nodes had drawn when its values were computed."""
    rows = [
        (one.batch_id, draw.node, place, draw.source.number, draw.amount, draw)
        for one in posted
        for place, draw in enumerate(one.change.run.draws)
    ]
    if not rows:
        return
    # An array of arrays must be rectangular, so attributes stand one below the other.
    attributes = [
        (row, index, value, str(unit))
        for row, (*_, draw) in enumerate(rows, start=1)
        for index, (value, unit) in enumerate(zip(draw.attributes, draw.units, strict=True))
    ]
    await tx.execute(
        """
        INSERT INTO batch_draws (project_id, batch_id, node, place, source_batch_id, amount, attributes,
                                 units)
        SELECT %s, batch_id, node, place, source_batch_id, amount, coalesce(named.attributes, '{}'),
               coalesce(named.units, '{}')
          FROM unnest(%s::bigint[], %s::text[], %s::integer[], %s::bigint[], %s::numeric[])
               WITH ORDINALITY AS asked (batch_id, node, place, source_batch_id, amount, row)
          LEFT JOIN (SELECT row, array_agg(value ORDER BY index) AS attributes,
                            array_agg(unit ORDER BY index) AS units
                       FROM unnest(%s::integer[], %s::integer[], %s::numeric[], %s::text[])
                            AS one (row, index, value, unit)
                      GROUP BY row) AS named USING (row)
        """,
        (
            project,
            *([row[column] for row in rows] for column in range(5)),
            *([row[column] for row in attributes] for column in range(4)),
        ),
    )
