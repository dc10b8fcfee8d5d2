"""Equations: a formula as it is written, with its values filled in, and what it comes to.

Invariants: a number is written with all its digits and its unit; a long array is cut short and says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.expression import print_tree
from weighbridge.core.expression.printing import print_name
from weighbridge.core.expression.tree import Name
from weighbridge.core.model.definition import Amount, Formula, Node
from weighbridge.core.model.prepared import PreparedModel
from weighbridge.core.quantity.number import plain
from weighbridge.core.quantity.unit import Unit

SHOWN_ELEMENTS_MAX: Final = 4
"""How many elements of an array are written out in an equation."""


@dataclass(frozen=True, slots=True)
class Equation:
    """A formula as it is written, with its values filled in, and its result."""

    slug: str
    written: str
    filled: str
    result: str


def equations(
    prepared: PreparedModel, amounts: Mapping[str, Amount], partition: Mapping[str, str]
) -> tuple[Equation, ...]:
    """The equations of every formula that was computed, in the order of computing."""
    return tuple(
        _equation(node, node.body, prepared, amounts, partition)
        for node in prepared.nodes
        if isinstance(node.body, Formula) and node.slug in amounts
    )


def show(amount: Amount, unit: Unit) -> str:
    """Write a result with its unit: `1.794 t{dry}`, `[1.2, 0.9] t{wet}`."""
    return f"{_digits(amount)} {unit}".strip() if unit.text else _digits(amount)


def _equation(
    node: Node,
    formula: Formula,
    prepared: PreparedModel,
    amounts: Mapping[str, Amount],
    partition: Mapping[str, str],
) -> Equation:
    def filled(name: Name) -> str:
        if name.path[0] == "partition":
            return repr(partition.get(name.path[-1], ""))
        name_type = prepared.types.get(name.text)
        unit = name_type.unit if name_type is not None else None
        if name.text not in amounts or unit is None:
            return print_name(name)
        return show(amounts[name.text], unit)

    return Equation(
        node.slug,
        f"{node.slug} = {print_tree(formula.tree)}",
        f"{node.slug} = {print_tree(formula.tree, filled)}",
        show(amounts[node.slug], node.unit),
    )


def _digits(amount: Amount) -> str:
    if amount is None:
        return "missing"
    if isinstance(amount, Decimal):
        return plain(amount)
    shown = [plain(element) for element in amount[:SHOWN_ELEMENTS_MAX]]
    more = [f"… {len(amount) - len(shown)} more"] if len(amount) > len(shown) else []
    return f"[{', '.join([*shown, *more])}]"
