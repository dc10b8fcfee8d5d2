"""Draws: nodes that take from another ledger, or ask what it has, partition by partition.

Invariants: a draw is in its ledger's unit, rounded once, as the ledger says, to the ledger's scale; the value
of the node is what was drawn, converted to the node's unit; its attributes are parallel to it. A draw of
nothing where something is needed is told.
"""

from collections.abc import Sequence
from decimal import Decimal

from weighbridge.core.engine.inputs import substitute
from weighbridge.core.engine.slot_computation import (
    MISSING,
    NOT_COMPUTABLE,
    NOT_DRAWN,
    Drawing,
    Drawn,
    NodeReading,
    RoundedAway,
    SlotComputation,
    SourceLedgerView,
    of,
)
from weighbridge.core.ledger.allocation import AllocationError, Partition, rounded_draw
from weighbridge.core.ledger.drawing import Drawer, Need, Shortfall, SourceBatch
from weighbridge.core.model import Available, Model, Node, Upstream
from weighbridge.core.quantity.number import ZERO, exact_total, plain
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
        if drawer not in running and drawer.partition not in drawing.unchanged:
            drawing.pool.release(drawer)
    return {
        node.slug: drawing.pool.available(drawing.source_ledgers[node.slug].ledger, drawing.slot)
        for node in model.nodes
        if isinstance(node.body, Available)
    }


def look(computation: SlotComputation, drawing: Drawing, node: Node, available: Decimal) -> None:
    """Give an `available` node its value, which is the same for every partition of the slot."""
    inventory = convert(available, drawing.source_ledgers[node.slug].unit, node.unit)
    for one in computation.partitions:
        seen = drawing.seen.get(Drawer(drawing.slot, one, node.slug), inventory)
        computation.keep(node, one, NodeReading(seen))


def go_without(computation: SlotComputation, node: Node, body: Upstream | Available) -> None:
    """Give a node what stands in for it, where there is nothing to draw with."""
    for one in computation.partitions:
        if not node.is_optional and node.default is None:
            sentence = (
                f"Node {node.slug!r}{of(one)} draws from the ledger {body.ledger!r}; a run by itself draws "
                "from none, so the node must be optional or have a default."
            )
            computation.fail(node, one, sentence, NOT_DRAWN)
        computation.keep(node, one, NodeReading(substitute(computation, node)))
        for slug in body.attributes if isinstance(body, Upstream) else ():
            name = f"{node.slug}.{slug}"
            computation.keep_value(name, computation.setting.program.types[name].unit, one, ())


def draw(computation: SlotComputation, drawing: Drawing, node: Node, body: Upstream) -> None:
    """Draw for a node in every partition, and keep what it holds then."""
    source_ledger = drawing.source_ledgers[node.slug]
    for one in computation.partitions:
        drawer = Drawer(drawing.slot, one, node.slug)
        need = None if body.is_manual else _need(computation, drawing, node, body, one)
        if drawing.recorded is None:
            drawn = _draw(computation, drawing, drawer, need)
        else:
            drawn = drawing.recorded.get(drawer, ())
            _compare(computation, drawer, need, drawn)
        computation.keep(
            node,
            one,
            NodeReading(tuple(convert(each.amount, source_ledger.unit, node.unit) for each in drawn)),
        )
        for index, (slug, unit) in enumerate(source_ledger.attributes.items()):
            column = tuple(each.attributes[index] for each in drawn)
            computation.keep_value(f"{node.slug}.{slug}", unit, one, column)
        computation.draws[one] += drawn


def _need(
    computation: SlotComputation, drawing: Drawing, node: Node, body: Upstream, one: Partition
) -> Need | None:
    """What a node needs of its ledger; None when the amount that it names is none."""
    source_ledger = drawing.source_ledgers[node.slug]
    computed = amount_needed(computation, node, body, one)
    if computed is None:
        return None
    needed = convert(computed, computation.model.node(body.amount or "").unit, source_ledger.unit)
    amount = rounded_draw(needed, source_ledger.scale, source_ledger.rounding)
    if needed and not amount:
        drawer = Drawer(drawing.slot, one, node.slug)
        computation.rounded_away.append(RoundedAway(drawer, source_ledger, needed))
    return Need(
        ledger=source_ledger.ledger,
        scale=source_ledger.scale,
        amount=amount,
        until=drawing.slot.end,
        order=body.order,
        match=tuple((dimension, getattr(one, dimension)) for dimension in body.match),
    )


def amount_needed(computation: SlotComputation, node: Node, body: Upstream, one: Partition) -> Decimal | None:
    """The value of the node whose amount is drawn, in its unit; None, and a problem, when it is no amount."""
    assert body.amount is not None, "the model was checked: a node names an amount or sources"  # noqa: S101
    amount = computation.number_of(one, body.amount)
    if amount is None and node.is_optional:
        amount = ZERO
    if amount is not None and amount >= 0:
        return amount
    fault = "has no value" if amount is None else f"is {plain(amount)} and must not be negative"
    sentence = f"Node {node.slug!r}{of(one)} draws {body.amount!r}, which {fault}."
    computation.note(node, sentence, MISSING if amount is None else NOT_COMPUTABLE)
    return None


def _draw(
    computation: SlotComputation, drawing: Drawing, drawer: Drawer, need: Need | None
) -> tuple[Drawn, ...]:
    """Bring what a node holds to what it needs; what was named by hand stays as it is."""
    source_ledger = drawing.source_ledgers[drawer.node]
    if need is None:
        drawing.pool.settle(drawer, source_ledger.ledger)
    else:
        _bring_to(computation, drawing, drawer, need)
    return tuple(
        Drawn(
            drawer.node,
            source,
            amount,
            tuple(
                _attribute(computation, drawer, source_ledger, source, slug)
                for slug in source_ledger.attributes
            ),
            tuple(source_ledger.attributes.values()),
            tuple(source.contributions(name) for name in ("", *source_ledger.attributes)),
        )
        for source, amount in drawing.pool.drawn(drawer)
    )


def _bring_to(computation: SlotComputation, drawing: Drawing, drawer: Drawer, need: Need) -> None:
    """Bring what a node holds to its need, and note why it cannot be."""
    node = computation.model.node(drawer.node)
    try:
        short = drawing.pool.draw(drawer, need)
    except AllocationError as error:
        sentence = f"Node {drawer.node!r}{of(drawer.partition)} cannot draw in proportion: {error}"
        computation.note(node, sentence, NOT_COMPUTABLE)
        return
    if short:
        computation.note(node, _too_little(drawer, drawing.source_ledgers[drawer.node], short), NOT_DRAWN)


def _attribute(
    computation: SlotComputation,
    drawer: Drawer,
    source_ledger: SourceLedgerView,
    source: SourceBatch,
    slug: str,
) -> Decimal:
    """What a source came to, in the unit that all sources of the node have."""
    attribute = source.attributes.get(slug)
    if attribute is not None:
        return convert(*attribute, source_ledger.attributes[slug])
    sentence = (
        f"Node {drawer.node!r}{of(drawer.partition)} draws from {source.tracking_id!r}"
        f" of {source_ledger.name!r}, which has no value of {slug!r}."
    )
    computation.note(computation.model.node(drawer.node), sentence, MISSING)
    return ZERO


def _compare(computation: SlotComputation, drawer: Drawer, need: Need | None, drawn: Sequence[Drawn]) -> None:
    """Note where a record of draws does not come to what was needed."""
    total = exact_total([each.amount for each in drawn])
    if need is not None and need.amount != total:
        sentence = (
            f"Node {drawer.node!r}{of(drawer.partition)} needs {plain(need.amount)} and drew {plain(total)}."
        )
        computation.note(computation.model.node(drawer.node), sentence, NOT_DRAWN)


def _too_little(drawer: Drawer, source_ledger: SourceLedgerView, short: Shortfall) -> str:
    missing = plain(short.needed - short.there)
    return (
        f"Node {drawer.node!r}{of(drawer.partition)} needs {plain(short.needed)} {source_ledger.unit} of"
        f" {source_ledger.name!r}, and {plain(short.there)} {source_ledger.unit} is there to draw: {missing}"
        f" {source_ledger.unit} too little."
    )
