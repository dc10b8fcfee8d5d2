"""Constants and formulas: nodes that are computed from the nodes they name, each partition by itself."""

from decimal import Decimal

from weighbridge.core.engine.slot_computation import (
    NOT_COMPUTABLE,
    UNMATCHED,
    NodeReading,
    SlotComputation,
    of,
)
from weighbridge.core.expression import ExpressionError
from weighbridge.core.expression.value import Content
from weighbridge.core.ledger.partition import Partition
from weighbridge.core.model import Amount, Node
from weighbridge.core.quantity.number import ZERO


def compute(computation: SlotComputation, node: Node) -> None:
    """Compute a constant or a formula in every partition."""
    program = computation.setting.program
    for one in computation.partitions:
        amount: Amount = () if program.types[node.slug].is_array else ZERO
        if any((one, slug) in computation.failed for slug in program.needs[node.slug]):
            computation.failed.add((one, node.slug))
        elif _are_parallel(computation, node, one):
            amount = _computed(computation, node, one, amount)
        computation.keep(node, one, NodeReading(amount))


def _computed(computation: SlotComputation, node: Node, one: Partition, instead: Amount) -> Amount:
    """The value of a formula; `instead` goes on in its place when it has none."""
    program, budget = computation.setting.program, computation.setting.budget
    try:
        return _amount(program.compute(node, computation.environment(one), budget).content)
    except ExpressionError as error:
        at = f"Node {node.slug!r}{of(one)}, at {error.position} of its formula"
        computation.fail(node, one, f"{at}: {error.message}", NOT_COMPUTABLE)
        return instead


def _are_parallel(computation: SlotComputation, node: Node, one: Partition) -> bool:
    """Whether arrays that meet in the formula are of the same events; a problem when they are not."""
    arrays = computation.by_partition[one].arrays
    for first, second in computation.setting.program.parallel.get(node.slug, ()):
        events, others = ([element.event for element in arrays[slug]] for slug in (first, second))
        if events != others:
            lone = sorted({*events} ^ {*others})
            stand = "stands" if len(lone) == 1 else "stand"
            sentence = (
                f"Inputs {first!r} and {second!r} are computed element by element and need the same events"
                f"{of(one)}; {computation.setting.named(lone)} {stand} in one of them only."
            )
            computation.fail(node, one, sentence, UNMATCHED, lone)
            return False
    return True


def _amount(content: Content) -> Amount:
    if isinstance(content, tuple):
        return tuple(element for element in content if isinstance(element, Decimal))
    return content if isinstance(content, Decimal) else None
