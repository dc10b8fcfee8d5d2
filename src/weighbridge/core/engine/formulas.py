"""Constants and formulas: nodes that are computed from the nodes they name, each partition by itself."""

from decimal import Decimal

from weighbridge.core.cadence import days_of
from weighbridge.core.engine.bench import DAY, Amount, Bench, Reading, of
from weighbridge.core.expression import Environment, ExpressionError, quantity
from weighbridge.core.expression.value import Content
from weighbridge.core.model import Node
from weighbridge.core.statistics import ZERO


def compute(bench: Bench, node: Node) -> None:
    """Compute a constant or a formula in every partition."""
    period = quantity(days_of(bench.data.slot), DAY)
    program = bench.setting.program
    for one, work in bench.by_partition.items():
        amount: Amount = () if program.types[node.slug].is_array else ZERO
        if any((one, slug) in bench.failed for slug in program.needs[node.slug]):
            bench.failed.add((one, node.slug))
            bench.keep(node, one, Reading(amount))
            continue
        try:
            environment = Environment(work.values, bench.model.tables, work.durations, period)
            value = program.compute(node, environment)
            amount = _amount(value.content)
        except ExpressionError as error:
            place = f"Node {node.slug!r}{of(one)}, at {error.position} of its formula"
            bench.problems.append(f"{place}: {error.message}")
            bench.failed.add((one, node.slug))
        bench.keep(node, one, Reading(amount))


def _amount(content: Content) -> Amount:
    if isinstance(content, tuple):
        return tuple(element for element in content if isinstance(element, Decimal))
    return content if isinstance(content, Decimal) else None
