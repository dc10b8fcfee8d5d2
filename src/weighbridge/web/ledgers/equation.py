"""How a batch came about, as mathematics: each formula in words, and then with its numbers.

Every number leads to its node on the same page. A name without one number, such as that of an array, stands
as the word that it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from markupsafe import Markup

from weighbridge.accounting.batches.records import LineageNode
from weighbridge.core.expression import ExpressionError, parse
from weighbridge.core.expression.tree import Name
from weighbridge.core.quantity.number import plain
from weighbridge.web.drawing.formula import formula, word
from weighbridge.web.showing.figures import MINUS, rounded


@dataclass(frozen=True, slots=True)
class WrittenNode:
    """A node with a formula: as it stands in the model, and with the numbers of the batch."""

    node: LineageNode
    symbols: Markup
    numbers: Markup | None
    """None where a number is missing on the left, as of an array."""


def written(nodes: Sequence[LineageNode]) -> list[WrittenNode]:
    """The formulas behind the output that the ledger keeps, that one first, each before what it reads."""
    by_slug = {node.slug: node for node in nodes}
    order: dict[str, None] = {}
    waiting = [node.slug for node in nodes if node.is_primary]
    while waiting:
        slug = waiting.pop(0)
        if slug in by_slug and slug not in order:
            order[slug] = None
            waiting += by_slug[slug].reads
    return [one for slug in order if (one := _written(by_slug[slug], by_slug)) is not None]


def _written(node: LineageNode, by_slug: Mapping[str, LineageNode]) -> WrittenNode | None:
    if node.equation is None:
        return None
    try:
        tree = parse(node.equation)
    except ExpressionError:
        return None

    def shown(name: Name) -> Markup:
        read = by_slug.get(name.text)
        return word(name.text) if read is None or read.value is None else _number(read, read.value)

    numbers = None if node.value is None else formula(tree, shown, result=_number(node, node.value))
    return WrittenNode(node, formula(tree, result=node.slug), numbers)


def _number(node: LineageNode, value: Decimal) -> Markup:
    short = rounded(value)
    text = plain(short).replace("-", MINUS) + ("" if short == value else "…")
    return Markup('<mn><a href="#node-{}" title="{}">{}</a></mn>').format(
        node.slug, f"{node.name}: {plain(value)} {node.unit}", text
    )
