"""Parallel arrays: those that a formula takes element by element, so that they must be of the same events.

What two arrays come from is known of the document, but not whether every event has both values. So the engine
compares their events before it computes a formula that puts them side by side.

Invariants: an array follows one input; what is joined to an input, or looked up at its elements, follows it
too, and needs no comparing with it.
"""

from collections.abc import Mapping
from itertools import combinations

from weighbridge.core.expression import Expression, NameScope, Type, check
from weighbridge.core.expression.evaluation import operands_of, operation
from weighbridge.core.expression.operation import Typing
from weighbridge.core.expression.tree import Boolean, Name, Number, Text, Word
from weighbridge.core.model.definition import Formula, Input, Model, StaticInput
from weighbridge.core.model.order import order

Pairs = Mapping[str, tuple[tuple[str, str], ...]]
"""Inputs that must have the same events, by the formula that takes them side by side."""


def parallel_inputs(model: Model, types: Mapping[str, Type]) -> Pairs:
    """The inputs that each formula takes side by side, of a model that was checked."""
    scope = NameScope(types, model.tables)
    followed: dict[str, str] = {}
    by_formula: dict[str, tuple[tuple[str, str], ...]] = {}
    for node in (model.node(slug) for slug in order(model)):
        match node.body:
            case Input(join=None) as body if body.is_array:
                followed[node.slug] = node.slug
            case Input(join=join) as body if body.is_array and join is not None:
                followed[node.slug] = followed[join.to]
            case StaticInput(at=str(slug)) if slug in followed:
                followed[node.slug] = followed[slug]
            case Formula(tree=tree):
                side_by_side = _Walk(scope, followed)
                names = side_by_side.arrays_of(tree)
                pairs = tuple(dict.fromkeys(side_by_side.pairs))
                if pairs:
                    by_formula[node.slug] = pairs
                if names:
                    followed[node.slug] = names[0]
    return by_formula


class _Walk:
    """A walk over one formula that collects the inputs whose arrays meet in an operation."""

    def __init__(self, scope: NameScope, followed: Mapping[str, str]) -> None:
        self.scope = scope
        self.followed = followed
        self.pairs: list[tuple[str, str]] = []

    def arrays_of(self, tree: Expression) -> tuple[str, ...]:
        """The inputs that the elements of an expression follow; none of what is no array."""
        return self._typed(tree)[1]

    def _typed(self, tree: Expression) -> tuple[Type, tuple[str, ...]]:
        match tree:
            case Name():
                own = self.followed.get(tree.text)
                return self.scope.names[tree.text], () if own is None else (own,)
            case Number() | Text() | Word() | Boolean():
                return check(tree, self.scope), ()
        operands = [self._typed(operand) for operand in operands_of(tree)]
        typing = Typing(tree, [operand_type for operand_type, _ in operands], self.scope.tables)
        result = operation(tree).rule(typing)
        met = {name for _, names in operands for name in names}
        names = tuple(one for one in dict.fromkeys(self.followed.values()) if one in met)
        self.pairs += combinations(names, 2)
        return result, names if result.is_array else ()
