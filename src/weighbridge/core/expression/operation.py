"""An operation is one meaning of a node: a rule from operand types to a type, and how it is computed.

Checking an expression applies the rules alone; evaluating it applies the same rule at each node and
then computes. So a check and a run cannot disagree about what fits what.

Invariants: a rule raises ExpressionError and nothing else; a computation returns content of the type
that the rule gave, with faults in place of what has no value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from weighbridge.core.expression.error import ExpressionError, Position
from weighbridge.core.expression.kind import Origin, Type, shared_origin
from weighbridge.core.expression.table import Table
from weighbridge.core.expression.tree import Expression
from weighbridge.core.expression.value import Content, Value, numbers_in
from weighbridge.core.halt import proceed
from weighbridge.core.quantity.unit import Unit

Tables = Mapping[str, Table]

COST_MAX: Final = 20_000_000
"""How much one run may cost: a simple operation on one element costs 1."""


@dataclass(frozen=True, slots=True)
class NameScope:
    """What an expression may name, for a check."""

    names: Mapping[str, Type] = field(default_factory=dict)
    tables: Tables = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Environment:
    """What an expression may name, with values.

    `durations` are those of the events of an input; the period is as long in days as the calendar says and in
    hours as the clock ran, which differ where clocks are changed.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    tables: Tables = field(default_factory=dict)
    durations: Mapping[str, Value] = field(default_factory=dict)
    period_days: Value | None = None
    period_hours: Value | None = None


class Budget:
    """What is left of the cost that a run may have; shared by all expressions of the run.

    Whoever spends also looks whether the computation is to go on at all.
    """

    __slots__ = ("limit", "spent")

    def __init__(self, limit: int = COST_MAX) -> None:
        self.limit = limit
        self.spent = 0

    @property
    def excess(self) -> str:
        """The sentence for a calculation that costs too much."""
        return f"The calculation costs more than {self.limit} operations."

    def spend(self, cost: int, position: Position) -> None:
        """Count a cost, and stop the run when it is too much."""
        proceed()
        self.spent += cost
        if self.spent > self.limit:
            raise ExpressionError(self.excess, position)


@dataclass(frozen=True, slots=True)
class Typing:
    """A node whose type is asked for: the types of its operands, and the tables it may name."""

    node: Expression
    types: Sequence[Type]
    tables: Tables

    @property
    def position(self) -> Position:
        return self.node.position

    @property
    def origin(self) -> Origin | None:
        """The origin that the operands share; two origins are refused."""
        return shared_origin(self.types, self.position)


@dataclass(frozen=True, slots=True)
class Computing:
    """A node that is computed: the values of its operands, the type of the result, the environment."""

    node: Expression
    values: Sequence[Value]
    result: Type
    environment: Environment
    budget: Budget = field(default_factory=Budget)

    @property
    def position(self) -> Position:
        return self.node.position

    @property
    def contents(self) -> list[Content]:
        return [value.content for value in self.values]

    def contents_in(self, unit: Unit | None) -> list[Content]:
        """The contents of all operands, converted to one unit."""
        return [numbers_in(value, unit, self.position) for value in self.values]


Rule = Callable[[Typing], Type]
Compute = Callable[[Computing], Content]


@dataclass(frozen=True, slots=True)
class TypedOperation:
    """One meaning: its rule, its computation, and the cost of each element."""

    rule: Rule
    compute: Compute
    cost: int = 1
    beside: Callable[[Computing], int] | None = None
    """What computing it costs beside that, such as reading long texts."""

    def computed(self, at: Computing) -> Content:
        """The content, once what it costs beside is paid for."""
        if self.beside is not None:
            at.budget.spend(self.beside(at), at.position)
        return self.compute(at)
