"""Allotment: what a caller named is divided over the runs that draw by hand, and stays with them.

Each amount is the total of the whole generation and is divided evenly over the runs of the request that have
the node. What those runs held of it before counts as free, so the same request again moves nothing. A run
that holds nothing for such a node is left out, unless the node is optional.

Invariants: the parts of an amount sum to it; a run that is left out holds nothing that was named for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from weighbridge.accounting.batch_generations.records import LeftOut
from weighbridge.accounting.drawing.manual_sources import Choice, Choices, by_hand
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.ledger.drawing import Drawer, Pool
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Upstream
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import plain
from weighbridge.core.time.cadence import label
from weighbridge.core.time.instant import Interval


@dataclass(frozen=True, slots=True)
class SlotRuns:
    """The runs that the data of one slot call for."""

    scope: Scope
    slot: Interval
    partitions: tuple[Partition, ...]

    def drawers(self, node: str) -> list[Drawer]:
        """The runs as they draw for one node."""
        return [Drawer(self.slot, one, node) for one in self.partitions]


@dataclass(slots=True)
class Allotment:
    """What came of the choices, slot by slot."""

    left_out: dict[Interval, frozenset[Partition]] = field(default_factory=dict)
    untouched: dict[Interval, frozenset[Partition]] = field(default_factory=dict)
    """Those left out that held nothing before either, and stay as they are."""
    reported: list[LeftOut] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def allot(pool: Pool, slots: Sequence[SlotRuns], choices: Choices) -> Allotment:
    """Divide what was named, and say which runs are left out."""
    found = Allotment()
    before = {drawer for one in slots for drawer in pool.holders(one.slot)}
    for one in slots:
        touched = choices.touched(one.scope)
        for drawer in pool.holders(one.slot):
            if drawer.node in touched and choices.concern(drawer):
                pool.release(drawer)
    for choice in sorted(choices.made or (), key=lambda choice: pool.stocks[choice.source.number].place):
        drawers = [
            drawer for one in slots for drawer in _drawers(pool, one, choice) if choices.concern(drawer)
        ]
        drawers.sort(key=lambda drawer: drawer.place)
        found.problems += _divide(pool, choice, drawers)
    for one in slots:
        _leave_out(pool, one, before, found)
    return found


def beyond_balance(pool: Pool, scopes: Sequence[Scope], choices: Choices) -> Iterator[Problem]:
    """What is named beyond what its batch holds, with what the requested runs hold of it added."""
    free: dict[int, Decimal] = {}
    for choice in choices.made or ():
        named, source = choice.named, choice.source
        if source.number not in free:
            held = [
                amount
                for scope in scopes
                for slot in scope.selection.selected
                for drawer in pool.holders(slot)
                if drawer.node in choices.touched(scope) and choices.concern(drawer)
                for stock, amount in pool.drawn(drawer)
                if stock.number == source.number
            ]
            free[source.number] = sum(held, pool.free(source.number))
        there = free[source.number]
        amount = there if named.amount is None else named.amount
        free[source.number] = there - amount
        if amount > there or not amount:
            message = _too_much(choice, amount, there)
            yield Problem(message, named.field, "balance", (named.batch,))


def _drawers(pool: Pool, one: SlotRuns, choice: Choice) -> Iterator[Drawer]:
    """The runs of a slot that have the node of a choice and match its source."""
    partition = pool.stocks[choice.source.number].partition
    for node in choice.nodes(one.scope):
        match = node.body.match if isinstance(node.body, Upstream) else ()
        for drawer in one.drawers(node.slug):
            if all(getattr(drawer.partition, name) == getattr(partition, name) for name in match):
                yield drawer


def _divide(pool: Pool, choice: Choice, drawers: Sequence[Drawer]) -> Iterator[str]:
    source = choice.source
    there = pool.free(source.number)
    amount = there if choice.named.amount is None else choice.named.amount
    if not drawers:
        yield f"{choice.named.batch} was named as a source, and no run of the range can draw from it."
    elif not amount or not pool.divide(source.number, amount, drawers, source.scale):
        yield _too_much(choice, amount, there)


def _too_much(choice: Choice, amount: Decimal, there: Decimal) -> str:
    unit = choice.source.unit
    if not amount:
        return f"{choice.named.batch} was named as a source, and it holds nothing."
    return (
        f"{plain(amount)} {unit} of {choice.named.batch} were named, and it holds {plain(there)} {unit}:"
        f" {plain(amount - there)} {unit} too much."
    )


def _leave_out(pool: Pool, one: SlotRuns, before: set[Drawer], found: Allotment) -> None:
    """Note the runs of a slot that hold nothing for a node that needs something."""
    nodes = by_hand(one.scope)
    lacking: dict[Partition, list[str]] = {}
    for node in nodes:
        for drawer in one.drawers(node.slug):
            if not node.is_optional and not pool.held(drawer):
                lacking.setdefault(drawer.partition, []).append(node.slug)
    name = label(one.scope.model.cadence, one.slot, one.scope.zone)
    untouched = set()
    for partition, slugs in sorted(lacking.items()):
        drawers = [Drawer(one.slot, partition, node.slug) for node in nodes]
        found.reported.append(LeftOut(slot=name, partition=partition.label or None, nodes=slugs))
        if any(pool.held(drawer) for drawer in drawers if drawer not in before):
            of_run = f" {partition.label}" if partition.label else ""
            found.problems.append(
                f"{name}{of_run} was named for some of its nodes and not for {', '.join(slugs)}."
            )
        if not before.intersection(drawers):
            untouched.add(partition)
            for drawer in pool.holders(one.slot):
                if drawer.partition == partition:
                    pool.pin(drawer)
    found.left_out[one.slot] = frozenset(lacking)
    found.untouched[one.slot] = frozenset(untouched)


def of_slot(sets: Mapping[Interval, frozenset[Partition]], slot: Interval) -> frozenset[Partition]:
    """The partitions noted for a slot."""
    return sets.get(slot, frozenset())
