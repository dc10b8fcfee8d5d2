"""What each node yields: a number with its unit, alone or for each element of an origin.

The origin of an input's values are the events they come from; a joined input has the origin of the
input it is joined to, and the draws of an upstream node are an origin of their own.

Invariants: two inputs have the same origin exactly when they take data points of the same events.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from weighbridge.core.expression import TEXT, ExpressionError, NameScope, Type, check, number, print_tree
from weighbridge.core.expression.error import Position
from weighbridge.core.expression.kind import Kind, require
from weighbridge.core.ledger.partition import DIMENSIONS
from weighbridge.core.model.definition import Formula, Input, Model, Node, StaticInput, Straddle, Upstream
from weighbridge.core.quantity.unit import Unit, compatible

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


def partition_types(model: Model) -> dict[str, Type]:
    """The texts by which a formula knows its partition."""
    return {f"partition.{dimension}": TEXT for dimension in DIMENSIONS[model.partition_type]}


def types_of(node: Node, known: Types, model: Model, surroundings: Surroundings = ALONE) -> dict[str, Type]:
    """The types that a node adds to those of the nodes it needs; raises when a formula does not fit."""
    match node.body:
        case Input() as body:
            return {node.slug: number(node.unit, _origin(body, known) if body.is_array else None)}
        case StaticInput(at=str(slug)):
            return {node.slug: number(node.unit, known[slug].origin)}
        case Upstream() as upstream:
            origin = f"the draws of {node.slug}"
            units = {
                name: unit or surroundings.attributes.get((upstream.ledger, name))
                for name, unit in upstream.attributes.items()
            }
            attributes = {f"{node.slug}.{name}": number(unit, origin) for name, unit in units.items()}
            return {node.slug: number(node.unit, origin), **attributes}
        case Formula(tree=tree):
            result = check(tree, NameScope(known, model.tables))
            _require_fit(node, result, tree.position)
            return {node.slug: number(node.unit, result.origin)}
        case _:
            return {node.slug: number(node.unit)}


def _origin(body: Input, known: Types) -> str:
    if body.join is not None:
        return known[body.join.to].origin or ""
    origin = f"the events of {body.event_type}"
    if body.where is not None:
        origin += f" where {print_tree(body.where.tree)}"
    if body.straddle is not Straddle.REPORT:
        origin += f" (straddle: {body.straddle})"
    return origin + (" of any period" if body.is_any_period else "")


def _require_fit(node: Node, result: Type, position: Position) -> None:
    """Refuse a formula whose result cannot become a number in the node's unit."""
    require(Kind.NUMBER, result, "The result of a formula", position)
    if result.unit is None:
        return
    if not compatible(result.unit, node.unit):
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
