"""Outputs that surely rest on measured data, whatever they come to, as long as that is not zero.

Where all data were captured, such an output was measured as a whole, and nobody needs its derivatives.

Invariant: an output is among them only when x * df/dx of all data, or of one input's, add up to a multiple
of it that is not zero.
"""

from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.derivative.degree import Degree, degree_of
from weighbridge.core.model.definition import Formula, Input, Model, Node, Upstream
from weighbridge.core.model.order import order

INPUTS_TRIED_MAX: Final = 20
"""Inputs that are tried one by one; beyond, the derivatives are taken."""


def surely_contributing(model: Model) -> frozenset[str]:
    """The outputs that change with the data of the model, unless they are zero."""
    if any(not _is_plain(node) for node in model.nodes):
        return frozenset()
    outputs = {node.slug for node in model.outputs}
    found: set[str] = set()
    for growing in _tried(model):
        if found == outputs:
            break
        degrees = _degrees(model, growing)
        found |= {slug for slug in outputs if degrees.get(slug)}
    return frozenset(found)


def _is_plain(node: Node) -> bool:
    """Whether the number of a node is what its data come to: no default, no rounding, no degrees of heat."""
    has_default = isinstance(node.body, Input | Upstream) and bool(node.default)
    return node.rounding is None and node.unit.is_absolute and not has_default


def _tried(model: Model) -> Iterator[Collection[str]]:
    """All data together, then one input after the other."""
    data = [node.slug for node in model.nodes if isinstance(node.body, Input | Upstream)]
    yield data
    yield from ([slug] for slug in data[:INPUTS_TRIED_MAX])


def _degrees(model: Model, growing: Collection[str]) -> dict[str, Degree]:
    """The degree of each node, when some grow; what travels along with a draw does not grow with it."""
    degrees: dict[str, Degree] = {}
    for slug in order(model):
        body = model.node(slug).body
        if isinstance(body, Formula):
            degrees[slug] = degree_of(body.tree, lambda name: degrees.get(name, Decimal(0)))
        else:
            degrees[slug] = Decimal(1 if slug in growing else 0)
    return degrees
