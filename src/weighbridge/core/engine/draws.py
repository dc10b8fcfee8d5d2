"""Draws: nodes that take from another ledger, or ask what it has, partition by partition.

Invariants: a draw is in its ledger's unit, rounded once, half to even, to the ledger's scale; the value of
the node is what was drawn, converted to the node's unit; its attributes are parallel to it.
"""

from collections.abc import Sequence
from decimal import Decimal

from weighbridge.core.engine.inputs import substitute
from weighbridge.core.engine.slot_computation import (
    MISSING,
    NOT_COMPUTABLE,
    NOT_DRAWN,
    Bench,
    NodeReading,
    of,
)
from weighbridge.core.engine.source_ledger import Drawing, Drawn, Outlet
from weighbridge.core.ledger.drawing import ZERO, Drawer, Need, Shortfall, SourceBatch
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Available, Model, Node, Upstream
from weighbridge.core.quantity.number import exact_total, plain, round_to
from weighbridge.core.quantity.unit import convert


def begin(drawing: Drawing, model: Model, partitions: tuple[Partition, ...]) -> dict[str, Decimal]:
    """Give back what runs and nodes hold that are no more; give what each `available` node finds."""
    running = {
        Drawer(drawing.slot, one, node.slug)
        for node in model.nodes
        if isinstance(node.body, Upstream)
        for one in partitions
    }
    for drawer in drawing.pool.holders(drawing.slot):
        if drawer not in running and drawer.partition not in drawing.untouched:
            drawing.pool.release(drawer)
    return {
        node.slug: drawing.pool.available(drawing.outlets[node.slug].ledger, drawing.slot)
        for node in model.nodes
        if isinstance(node.body, Available)
    }


def look(bench: Bench, drawing: Drawing, node: Node, available: Decimal) -> None:
    """Give an `available` node its value, which is the same for every partition of the slot."""
    found = convert(available, drawing.outlets[node.slug].unit, node.unit)
    for one in bench.partitions:
        seen = drawing.seen.get(Drawer(drawing.slot, one, node.slug), found)
        bench.keep(node, one, NodeReading(seen))


def go_without(bench: Bench, node: Node, body: Upstream | Available) -> None:
    """Give a node what stands in for it, where there is nothing to draw with."""
    for one in bench.partitions:
        if not node.is_optional and node.default is None:
            sentence = (
                f"Node {node.slug!r}{of(one)} draws from the ledger {body.ledger!r}; a run by itself draws "
                "from none, so the node must be optional or have a default."
            )
            bench.fail(node, one, sentence, NOT_DRAWN)
        bench.keep(node, one, NodeReading(substitute(bench, node)))
        for slug in body.attributes if isinstance(body, Upstream) else ():
            name = f"{node.slug}.{slug}"
            bench.keep_value(name, bench.setting.program.types[name].unit, one, ())


def draw(bench: Bench, drawing: Drawing, node: Node, body: Upstream) -> None:
    """Draw for a node in every partition, and keep what it holds then."""
    outlet = drawing.outlets[node.slug]
    for one in bench.partitions:
        drawer = Drawer(drawing.slot, one, node.slug)
        need = None if body.is_manual else _need(bench, drawing, node, body, one)
        if drawing.recorded is None:
            drawn = _draw(bench, drawing, drawer, need)
        else:
            drawn = drawing.recorded.get(drawer, ())
            _compare(bench, drawer, need, drawn)
        bench.keep(
            node, one, NodeReading(tuple(convert(each.amount, outlet.unit, node.unit) for each in drawn))
        )
        for place, (slug, unit) in enumerate(outlet.attributes.items()):
            column = tuple(each.attributes[place] for each in drawn)
            bench.keep_value(f"{node.slug}.{slug}", unit, one, column)
        bench.draws[one] += drawn


def _need(bench: Bench, drawing: Drawing, node: Node, body: Upstream, one: Partition) -> Need | None:
    """What a node needs of its ledger; None when the amount that it names is none."""
    outlet = drawing.outlets[node.slug]
    asked = amount_needed(bench, node, body, one)
    if asked is None:
        return None
    unit = bench.model.node(body.amount or "").unit
    return Need(
        ledger=outlet.ledger,
        scale=outlet.scale,
        amount=round_to(convert(asked, unit, outlet.unit), outlet.scale, "half_even"),
        until=drawing.slot.end,
        order=body.order,
        match=tuple((dimension, getattr(one, dimension)) for dimension in body.match),
    )


def amount_needed(bench: Bench, node: Node, body: Upstream, one: Partition) -> Decimal | None:
    """The value of the node whose amount is drawn, in its unit; None, and a problem, when it is no amount."""
    assert body.amount is not None, "the model was checked: a node names an amount or sources"  # noqa: S101
    asked = bench.number_of(one, body.amount)
    if asked is None and node.is_optional:
        asked = ZERO
    if asked is not None and asked >= 0:
        return asked
    found = "has no value" if asked is None else f"is {plain(asked)} and must not be negative"
    sentence = f"Node {node.slug!r}{of(one)} draws {body.amount!r}, which {found}."
    bench.note(node, sentence, MISSING if asked is None else NOT_COMPUTABLE)
    return None


def _draw(bench: Bench, drawing: Drawing, drawer: Drawer, need: Need | None) -> tuple[Drawn, ...]:
    """Bring what a node holds to what it needs; what was named by hand stays as it is."""
    outlet = drawing.outlets[drawer.node]
    if need is None:
        drawing.pool.settle(drawer, outlet.ledger)
    elif short := drawing.pool.draw(drawer, need):
        bench.note(bench.model.node(drawer.node), _too_little(drawer, outlet, short), NOT_DRAWN)
    return tuple(
        Drawn(
            drawer.node,
            source,
            amount,
            tuple(_attribute(bench, drawer, outlet, source, slug) for slug in outlet.attributes),
            tuple(outlet.attributes.values()),
        )
        for source, amount in drawing.pool.drawn(drawer)
    )


def _attribute(bench: Bench, drawer: Drawer, outlet: Outlet, source: SourceBatch, slug: str) -> Decimal:
    """What a source came to, in the unit that all sources of the node have."""
    found = source.attributes.get(slug)
    if found is not None:
        return convert(*found, outlet.attributes[slug])
    sentence = (
        f"Node {drawer.node!r}{of(drawer.partition)} draws from {source.tracking_id!r} of {outlet.name!r},"
        f" which has no value of {slug!r}."
    )
    bench.note(bench.model.node(drawer.node), sentence, MISSING)
    return ZERO


def _compare(bench: Bench, drawer: Drawer, need: Need | None, drawn: Sequence[Drawn]) -> None:
    """Note where a record of draws does not come to what was needed."""
    total = exact_total([each.amount for each in drawn])
    if need is not None and need.amount != total:
        sentence = (
            f"Node {drawer.node!r}{of(drawer.partition)} needs {plain(need.amount)} and drew {plain(total)}."
        )
        bench.note(bench.model.node(drawer.node), sentence, NOT_DRAWN)


def _too_little(drawer: Drawer, outlet: Outlet, short: Shortfall) -> str:
    missing = plain(short.needed - short.there)
    return (
        f"Node {drawer.node!r}{of(drawer.partition)} needs {plain(short.needed)} {outlet.unit} of"
        f" {outlet.name!r}, and {plain(short.there)} {outlet.unit} is there to draw: {missing}"
        f" {outlet.unit} too little."
    )
