"""An operation is one meaning of a node: all that is to be known of an operator or a function is one row.

A row says what the operands must be and what comes of it (its typing rule), what it makes of missing
operands (its null rule), its meaning in Python and over trials, in which units it takes its operands, its
text in SQL, how fast its result changes with each operand, how its result grows, and what it costs. The
compiler and its backends know no operation by name. So a new function is a row, and nothing else.

Invariants: a typing rule raises ExpressionError and nothing else; an operation gives content of the type
that its rule gave, with faults in place of what has no value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from types import ModuleType
from typing import Any, Final, LiteralString, NamedTuple, cast

from weighbridge.core.expression.pattern import Spend
from weighbridge.core.expression.tree import Expression, ExpressionError, Position
from weighbridge.core.expression.value import (
    STRICT,
    Content,
    Kind,
    NullRule,
    Origin,
    RowStep,
    ScalarFunction,
    Tables,
    Type,
    Value,
    build_converter,
    find_shared_origin,
)
from weighbridge.core.halt import proceed
from weighbridge.core.unit import ONE, Unit, find_absolute

COST_MAX: Final = 20_000_000
"""How much one run may cost: a simple operation on one element costs 1."""


NO_TABLES: Final[Tables] = {}


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

    Spending also looks whether the computation is to go on at all.
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


class TypedNode(NamedTuple):
    """A node with the types of its operands, and the tables it may name."""

    node: Expression
    types: Sequence[Type] = ()
    tables: Tables = NO_TABLES

    @property
    def position(self) -> Position:
        return self.node.position

    @property
    def name(self) -> str:
        """The name of the function that it calls."""
        return getattr(self.node, "function", "")

    @property
    def origin(self) -> Origin | None:
        """The origin that the operands share; two origins are refused."""
        return find_shared_origin(self.types, self.position)


Degree = Decimal | None
"""By which power of a factor a result grows when some values grow by the factor; None if unknown."""

Units = Callable[[TypedNode, Type], Sequence[Unit | None]]
"""The unit that each operand is converted to, None for as it is; operands beyond the last one are not
taken.
"""

Combine = Callable[[Sequence[Content], Environment, Budget], Content]
"""What computes an operation of the contents of its operands."""


def take_in_result_unit(at: TypedNode, result: Type) -> list[Unit | None]:
    """Convert numbers to the unit of the result."""
    unit = _require_known_unit(result.unit, at) if result.kind is Kind.NUMBER else None
    return [unit if operand.kind is Kind.NUMBER else None for operand in at.types]


def take_in_absolute_units(at: TypedNode, _result: Type) -> list[Unit | None]:
    """Take each operand in its own unit, temperatures from absolute zero."""
    return [find_absolute(_require_known_unit(operand.unit, at)) for operand in at.types]


def take_in_first_unit(at: TypedNode, _result: Type) -> list[Unit | None]:
    """Convert numbers to the unit of the first."""
    first = at.types[0]
    return [_require_known_unit(first.unit, at) if first.kind is Kind.NUMBER else None] * len(at.types)


def take_plain(at: TypedNode, _result: Type) -> list[Unit | None]:
    """Take each operand as a plain number."""
    return [ONE] * len(at.types)


def take_as_they_are(at: TypedNode, _result: Type) -> list[Unit | None]:
    """Convert no operand."""
    return [None] * len(at.types)


def take_first(_at: TypedNode, _result: Type) -> list[Unit | None]:
    """Take the first operand alone, as it is; the others are read in the text."""
    return [None]


def _require_known_unit(unit: Unit | None, at: TypedNode) -> Unit:
    if unit is None:
        raise ExpressionError("The unit of this value is not known.", at.position)
    return unit


OperandRow = Sequence[Content]
"""The operands of one element, in the units in which the operation takes them."""

NONE: Final = Decimal(0)
ALL: Final = Decimal(1)


def read_numbers(row: OperandRow) -> Sequence[Decimal]:
    """Return the numbers of a row; the result has a value, so its operands have."""
    return cast("Sequence[Decimal]", row)


def define_slopes(
    slopes: Callable[..., Sequence[Decimal]],
) -> Callable[[TypedNode, OperandRow], Sequence[Decimal]]:
    """Make slopes of a function of the numbers of a row."""
    return lambda _at, row: slopes(*read_numbers(row))


def place_slope(index: int, count: int, part: Decimal = ALL) -> list[Decimal]:
    """Return nothing but a part at one index."""
    return [part if at == index else NONE for at in range(count)]


def follow_first(*values: Decimal) -> Sequence[Decimal]:
    """The result changes as the first operand does."""
    return place_slope(0, len(values))


def grow_alike(_node: Expression, degrees: Sequence[Degree]) -> Degree:
    """The result grows as the operands do, where all grow alike."""
    return degrees[0] if all(degree == degrees[0] for degree in degrees) else None


def stay_constant(_node: Expression, _degrees: Sequence[Degree]) -> Degree:
    """Values do not change the result."""
    return Decimal(0)


def grow_unknown(_node: Expression, _degrees: Sequence[Degree]) -> Degree:
    """Return None: the growth of the result is unknown."""
    return None


def ignore_node(function: ScalarFunction) -> Callable[[TypedNode], ScalarFunction]:
    """The same function for every node."""
    return lambda _at: function


def return_value(value: Any, *_: Any) -> Any:
    """Return the value as it was taken."""
    return value


MeaningOverTrials = Callable[[ModuleType, TypedNode], Any]
"""What an operation means over columns of floats, by what is written in the node: a function of the module
`trial_values`, which is given because importing it takes NumPy.
"""


def take_identity(_at: TypedNode) -> ScalarFunction:
    """Mean the operand itself, as it was taken."""
    return return_value


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationMeaning:
    """One row of the table of meanings."""

    rule: Callable[[TypedNode], Type]
    """What comes of operands of these types; ExpressionError when they do not fit."""
    function: Callable[[TypedNode], ScalarFunction] = take_identity
    """Its meaning in Python, by what is written in the node."""
    over_trials: MeaningOverTrials | None = None
    """Its meaning over columns of floats, one number for each trial; None when it is the operand itself, or
    what the run is about."""
    nulls: NullRule = STRICT
    """What it makes of missing operands."""
    units: Units = take_in_result_unit
    """How it takes its operands."""
    sql: LiteralString | None
    """Its text in SQL over its operands `{}`, `{rest}` for all behind the first; None when it has none that
    gives the same digits."""
    lacks_result_in_sql: bool = False
    """Whether its text yields null where it has no result."""
    slopes: Callable[[TypedNode, OperandRow], Sequence[Decimal]] | None
    """How fast the result changes with each operand, of one row of them as they are taken, raising
    ArithmeticError where there is none; None when it goes in steps, or does not depend on values."""
    degree: Callable[[Expression, Sequence[Degree]], Degree] = grow_unknown
    """By which power the result grows when the operands grow."""
    cost: int = 1
    """What it costs for each operand of each element."""
    reading: Callable[[TypedNode, Sequence[Content]], int] | None = None
    """What it costs further, such as reading long texts."""
    is_metered: bool = False
    """Whether its function spends what it looks at, by its first argument."""
    of_surroundings: Callable[[TypedNode, Environment], Content] | None = None
    """Its meaning when it reads what the run is about, and no operand."""

    def cost_over(self, contents: Sequence[Content]) -> int:
        """What computing it of these operands costs, but for reading."""
        lengths = [len(content) for content in contents if isinstance(content, tuple)]
        return self.cost * (max(lengths) if lengths else 1) * (len(contents) or 1)

    def over_columns(self, at: TypedNode, result: Type) -> Combine:
        """Return what computes it of columns of these types."""
        position = at.position
        if (read_surroundings := self.of_surroundings) is not None:
            return lambda _contents, environment, _budget: read_surroundings(at, environment)
        converts = [
            None if unit is None else build_converter(operand.unit, unit, position)
            for operand, unit in zip(at.types, self.units(at, result), strict=False)
        ]
        function, over_columns = self.function(at), self.nulls.over_columns
        if function is return_value and self.nulls is STRICT:
            over_columns = _take_first_content
        if converts == [None] * len(at.types) and not self.is_metered:
            return lambda contents, _environment, _budget: over_columns(function, contents, position)

        def combine(contents: Sequence[Content], _environment: Environment, budget: Budget) -> Content:
            typed_columns = [
                content if convert is None else convert(content)
                for content, convert in zip(contents, converts, strict=False)
            ]
            applied = (
                partial(function, partial(_spend_budget, budget, position)) if self.is_metered else function
            )
            return over_columns(applied, typed_columns, position)

        return combine

    def over_rows(self, node: Expression, operands: Sequence[RowStep], spend: Spend) -> RowStep:
        """Return what computes it of a row, whose numbers are plain; what it looks at is spent."""
        function = self.function(TypedNode(node))
        applied = partial(function, spend) if self.is_metered else function
        return self.nulls.over_rows(applied, operands, node.position)


def _take_first_content(_: ScalarFunction, contents: Sequence[Content], _position: Position) -> Content:
    return contents[0]


def _spend_budget(budget: Budget, position: Position, cost: int) -> None:
    budget.spend(cost, position)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a language: its name, its arguments, a sentence and an example, and its meaning.

    An argument listed in `words` names something fixed and is never evaluated. The reference documentation is
    made of these rows.
    """

    name: str
    parameters: str
    arity: range
    meaning: OperationMeaning
    doc: str
    example: str
    words: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """What may be called, by name in small letters; two names may mean one function.

    Grammar, precedence and limits are the same in all languages.
    """

    functions: Mapping[str, Function]


def between(least: int, most: int) -> range:
    """Return the arity of a function that takes from least to most arguments."""
    return range(least, most + 1)
