"""A prepared model: its nodes typed and put in order, its formulas compiled, so that it can run many times.

First what each node yields and needs: its unit, one value or one for each element, and the order in which
nodes are computed. Then the model that runs.

Invariants: the same values give the same digits; a value is in its node's unit, and a formula's is rounded
once, as the node says.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import combinations
from typing import Final

from weighbridge.core.expression import (
    TEXT,
    Budget,
    CompiledExpression,
    Environment,
    Expression,
    ExpressionError,
    NameScope,
    Position,
    Type,
    Value,
    check,
    compile_columns,
    names,
    number,
    print_tree,
    quantity,
)
from weighbridge.core.expression import evaluate as evaluate_expression
from weighbridge.core.expression.compiler import find_degree, fold
from weighbridge.core.expression.meaning import Degree, OperationMeaning, TypedNode
from weighbridge.core.expression.tree import FunctionCall, Name, print_name, walk
from weighbridge.core.expression.value import Kind, convert_numbers, lift, require, require_content
from weighbridge.core.halt import proceed
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.model.definition import (
    Amount,
    BoundaryPolicy,
    Constant,
    Formula,
    Input,
    Model,
    Node,
    StaticInput,
    Upstream,
)
from weighbridge.core.number import plain, round_to
from weighbridge.core.unit import Unit, are_compatible

# What each node yields: a number with its unit, alone or for each element of an origin.
#
# The origin of an input's values are the events they come from; a joined input has the origin of the input
# it is joined to, and the draws of an upstream node are an origin of their own.
#
# Invariants: two inputs have the same origin exactly when they take data points of the same events.


Types = Mapping[str, Type]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the document refers to outside itself, as far as the caller knows it."""

    data_points: Mapping[tuple[str, str], Type] | None = None
    """The type of each data point type, by the slugs of event type and data point type."""
    is_final: bool = True
    """Whether an event type that is not among them is a flaw; when it may come later, it is none."""
    attributes: Mapping[tuple[str, str], Unit] = field(default_factory=dict)
    """The unit of each output that a draw brings along, by ledger and slug."""

    _by_event_type: Mapping[str, dict[str, Type]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_event_type: dict[str, dict[str, Type]] = {}
        for (event_type, slug), kind in (self.data_points or {}).items():
            by_event_type.setdefault(event_type, {})[slug] = kind
        object.__setattr__(self, "_by_event_type", by_event_type)

    def data_points_of(self, event_type: str) -> Mapping[str, Type] | None:
        """The types of the data points of one event type; None when nothing is known of it."""
        if self.data_points is None:
            return None
        return self._by_event_type.get(event_type, {} if self.is_final else None)


ALONE: Final = Surroundings()
"""A document looked at by itself."""


def type_partition(model: Model) -> dict[str, Type]:
    """The texts by which a formula knows its partition."""
    return {f"partition.{dimension}": TEXT for dimension in DIMENSIONS[model.partition_type]}


def type_node(
    node: Node, known_types: Types, model: Model, surroundings: Surroundings = ALONE
) -> dict[str, Type]:
    """The types that a node adds to those of the nodes it needs; raises when a formula does not fit."""
    match node.body:
        case Input() as body:
            return {node.slug: number(node.unit, _name_origin(body, known_types) if body.is_array else None)}
        case StaticInput(at=str(slug)):
            return {node.slug: number(node.unit, known_types[slug].origin)}
        case Upstream() as upstream:
            origin = f"the draws of {node.slug}"
            units = {
                name: unit or surroundings.attributes.get((upstream.ledger, name))
                for name, unit in upstream.attributes.items()
            }
            attributes = {f"{node.slug}.{name}": number(unit, origin) for name, unit in units.items()}
            return {node.slug: number(node.unit, origin), **attributes}
        case Formula(tree=tree):
            result = check(tree, NameScope(known_types, model.tables))
            _require_fit(node, result, tree.position)
            return {node.slug: number(node.unit, result.origin)}
        case _:
            return {node.slug: number(node.unit)}


def _name_origin(body: Input, known_types: Types) -> str:
    if body.join is not None:
        return known_types[body.join.to].origin or ""
    origin = f"the events of {body.event_type}"
    if body.where is not None:
        origin += f" where {print_tree(body.where.tree)}"
    if body.straddle is not BoundaryPolicy.REPORT:
        origin += f" (straddle: {body.straddle})"
    return origin + (" of any period" if body.is_any_period else "")


def _require_fit(node: Node, result: Type, position: Position) -> None:
    """Refuse a formula whose result cannot become a number in the node's unit."""
    require(Kind.NUMBER, result, "The result of a formula", position)
    if result.unit is None:
        return
    if not are_compatible(result.unit, node.unit):
        raise ExpressionError(
            f"The formula yields {result.unit}, which cannot be converted to the unit of {node.slug},"
            f" {node.unit}.",
            position,
        )
    if result.unit.is_absolute and not node.unit.is_absolute:
        raise ExpressionError(
            f"The formula yields {result.unit}: an absolute temperature, or a difference of two. For the"
            f' former write to(…, "{node.unit}"), for the latter give {node.slug} the unit K.',
            position,
        )


# What a node needs, and the order in which nodes can be computed.
#
# Invariants: in an order every node comes after all that it needs; among nodes that are free to come next the
# document's order holds, so the same document always gives the same order.


def list_needs(node: Node) -> tuple[str, ...]:
    """The slugs that a node refers to, in the order they are written, each once."""
    match node.body:
        case Formula(tree=tree):
            slugs = [name.path[0] for name in names(tree) if name.path[0] != "partition"]
        case Input(join=join, share_by=share_by):
            slugs = [slug for slug in (join and join.to, share_by) if slug]
        case StaticInput(at=str(slug)):
            slugs = [slug]
        case Upstream(amount=str(slug)):
            slugs = [slug]
        case _:
            slugs = []
    return tuple(dict.fromkeys(slugs))


def order(model: Model) -> tuple[str, ...]:
    """The slugs in an order in which they can be computed; ValueError when there is none."""
    open_needs = {node.slug: set(list_needs(node)) for node in model.nodes}
    ordered_slugs: dict[str, None] = {}
    while open_needs:
        ready = next((slug for slug, needs in open_needs.items() if needs <= ordered_slugs.keys()), None)
        if ready is None:
            raise ValueError(f"the nodes {', '.join(open_needs)} need one another")
        del open_needs[ready]
        ordered_slugs[ready] = None
    return tuple(ordered_slugs)


def find_ancestors(model: Model, targets: tuple[str, ...]) -> frozenset[str]:
    """The targets and everything that they need, directly or not."""
    needs = {node.slug: list_needs(node) for node in model.nodes}
    reached: set[str] = set()
    pending = list(targets)
    while pending:
        slug = pending.pop()
        if slug not in reached:
            reached.add(slug)
            pending += needs[slug]
    return frozenset(reached)


def find_cycles(model: Model) -> list[tuple[str, ...]]:
    """Every circle of nodes that need one another, each as a path that ends where it began."""
    needs = {node.slug: [slug for slug in list_needs(node) if slug in model.by_slug] for node in model.nodes}
    circles: dict[frozenset[str], tuple[str, ...]] = {}
    finished: set[str] = set()
    for start in needs:
        path: list[str] = []
        steps = [iter([start])]
        while steps:
            slug = next(steps[-1], None)
            if slug is None:
                steps.pop()
                if path:
                    finished.add(path.pop())
            elif slug in path:
                circle = (*path[path.index(slug) :], slug)
                circles.setdefault(frozenset(circle), circle)
            elif slug not in finished:
                path.append(slug)
                steps.append(iter(needs[slug]))
    return list(circles.values())


# Parallel arrays: those that a formula takes element by element, so that they must be of the same events.
#
# What two arrays come from is known of the document, but not whether every event has both values. So the
# engine compares their events before it computes a formula that puts them side by side.
#
# Invariants: an array follows one input; what is joined to an input, or looked up at its elements, follows
# it too, and needs no comparing with it.


Pairs = Mapping[str, tuple[tuple[str, str], ...]]
"""Inputs that must have the same events, by the formula that takes them side by side."""

_Followed = tuple[Type, tuple[str, ...]]
"""What an expression is, and the inputs that its elements follow."""


def find_parallel_inputs(model: Model, types: Mapping[str, Type]) -> Pairs:
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
        """Return the inputs that the elements of an expression follow; none of what is no array."""
        return fold(tree, self._leaf, self._operation)[1]

    def _leaf(self, node: Expression) -> _Followed:
        followed_slug = self.followed.get(node.text) if isinstance(node, Name) else None
        return check(node, self.scope), () if followed_slug is None else (followed_slug,)

    def _operation(
        self, node: Expression, meaning: OperationMeaning, operands: Iterator[_Followed]
    ) -> _Followed:
        types, arrays = zip(*parts, strict=True) if (parts := list(operands)) else ((), ())
        result = meaning.rule(TypedNode(node, types, self.scope.tables))
        met = {name for names in arrays for name in names}
        names = tuple(name for name in dict.fromkeys(self.followed.values()) if name in met)
        self.pairs += combinations(names, 2)
        return result, names if result.is_array else ()


@dataclass(frozen=True, slots=True)
class PreparedModel:
    """A model without flaws, ready to run."""

    model: Model
    nodes: tuple[Node, ...]
    """The nodes that run, each after all that it needs."""
    types: Mapping[str, Type]
    formulas: Mapping[str, CompiledExpression] = field(default_factory=dict)
    """Formulas that could be compiled, by node."""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The nodes that each node reads."""
    parallel: Pairs = field(default_factory=dict)
    """The inputs that each formula takes side by side."""
    functions: frozenset[str] = frozenset()
    """The functions that its formulas call."""
    surely_contributing: frozenset[str] = frozenset()
    """The outputs that change with the data, unless they are zero."""

    def compute(self, node: Node, environment: Environment, budget: Budget | None = None) -> Value:
        """Compute one constant or formula; ExpressionError, with the place in it, when it has none."""
        match node.body:
            case Constant(value=constant):
                return quantity(constant, node.unit)
            case Formula(tree=tree):
                formula = self.formulas.get(node.slug)
                if formula is None:
                    value = evaluate_expression(tree, environment, budget or Budget())
                else:
                    value = formula.compute(environment, budget)
                return _round_value(node, value, tree.position)
        raise ValueError(f"{node.slug} is given its value and does not compute it")

    def only(self, targets: Collection[str]) -> "PreparedModel":
        """The part that computes the targets: they and what they need."""
        ancestors = find_ancestors(self.model, tuple(targets))
        return replace(self, nodes=tuple(node for node in self.nodes if node.slug in ancestors))


def prepare(model: Model, surroundings: Surroundings = ALONE) -> PreparedModel:
    """Make a model that was checked ready to run; ExpressionError when a formula does not fit after all."""
    types: dict[str, Type] = type_partition(model)
    slugs = order(model)
    for slug in slugs:
        proceed()
        types |= type_node(model.node(slug), types, model, surroundings)
    nodes = tuple(model.node(slug) for slug in slugs)
    scope = NameScope(types, model.tables)
    formulas = {
        node.slug: formula
        for node in nodes
        if isinstance(node.body, Formula) and (formula := compile_columns(node.body.tree, scope)) is not None
    }
    needs = {node.slug: tuple(list_needs(node)) for node in nodes}
    called = frozenset(
        part.function
        for node in nodes
        if isinstance(node.body, Formula)
        for part in walk(node.body.tree)
        if isinstance(part, FunctionCall)
    )
    return PreparedModel(
        model,
        nodes,
        types,
        formulas,
        needs,
        find_parallel_inputs(model, types),
        called,
        find_contributing_outputs(model),
    )


def _round_value(node: Node, value: Value, position: Position) -> Value:
    """The value in the unit of its node, rounded as the node says."""
    content = require_content(convert_numbers(value, node.unit, position))
    rounding = node.rounding
    if rounding is not None:
        content = lift(lambda amount: round_to(amount, rounding.places, rounding.mode), [content], position)
    return Value(number(node.unit, value.type.origin), content)


# Equations: a formula as it is written, with its values filled in, and what it comes to.
#
# Invariants: a number is written with all its digits and its unit; a long array is cut short and says so.


SHOWN_ELEMENTS_MAX: Final = 4
"""How many elements of an array are written out in an equation."""


@dataclass(frozen=True, slots=True)
class Equation:
    """A formula as it is written, with its values filled in, and its result."""

    slug: str
    written: str
    filled: str
    result: str


def list_equations(
    prepared: PreparedModel, amounts: Mapping[str, Amount], partition: Mapping[str, str]
) -> tuple[Equation, ...]:
    """The equations of every formula that was computed, in the order of computing."""
    return tuple(
        _build_equation(node, node.body, prepared, amounts, partition)
        for node in prepared.nodes
        if isinstance(node.body, Formula) and node.slug in amounts
    )


def show(amount: Amount, unit: Unit) -> str:
    """Write a result with its unit: `1.794 t{dry}`, `[1.2, 0.9] t{wet}`."""
    return f"{_show_digits(amount)} {unit}".strip() if unit.text else _show_digits(amount)


def _build_equation(
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


def _show_digits(amount: Amount) -> str:
    if amount is None:
        return "missing"
    if isinstance(amount, Decimal):
        return plain(amount)
    texts = [plain(element) for element in amount[:SHOWN_ELEMENTS_MAX]]
    remainder = [f"… {len(amount) - len(texts)} more"] if len(amount) > len(texts) else []
    return f"[{', '.join([*texts, *remainder])}]"


# Outputs that certainly depend on measured data, for any result other than zero.
#
# Where all data were captured, such an output was measured as a whole, and its derivatives are not needed.
#
# Invariant: an output is among them only when x * df/dx of all data, or of one input's, add up to a
# multiple of it that is not zero.


INPUTS_TRIED_MAX: Final = 20
"""Inputs that are tried one by one; beyond, the derivatives are taken."""


def find_contributing_outputs(model: Model) -> frozenset[str]:
    """The outputs that change with the data of the model, unless they are zero."""
    if any(not _is_plain(node) for node in model.nodes):
        return frozenset()
    outputs = {node.slug for node in model.outputs}
    contributing: set[str] = set()
    for growing in _list_growing_inputs(model):
        if contributing == outputs:
            break
        degrees = _compute_degrees(model, growing)
        contributing |= {slug for slug in outputs if degrees.get(slug)}
    return frozenset(contributing)


def _is_plain(node: Node) -> bool:
    """Whether the number of a node is what its data come to: no default, no rounding, no degrees of heat."""
    has_default = isinstance(node.body, Input | Upstream) and bool(node.default)
    return node.rounding is None and node.unit.is_absolute and not has_default


def _list_growing_inputs(model: Model) -> Iterator[Collection[str]]:
    """All data together, then one input after the other."""
    data = [node.slug for node in model.nodes if isinstance(node.body, Input | Upstream)]
    yield data
    yield from ([slug] for slug in data[:INPUTS_TRIED_MAX])


def _compute_degrees(model: Model, growing: Collection[str]) -> dict[str, Degree]:
    """The degree of each node, when some grow; what travels along with a draw does not grow with it."""
    degrees: dict[str, Degree] = {}
    for slug in order(model):
        body = model.node(slug).body
        if isinstance(body, Formula):
            degrees[slug] = find_degree(body.tree, lambda name: degrees.get(name, Decimal(0)))
        else:
            degrees[slug] = Decimal(1 if slug in growing else 0)
    return degrees
