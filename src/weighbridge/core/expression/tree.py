"""An expression is a tree of a few kinds of node; each knows its place in the text it was read from.

Invariants: two trees are equal when they say the same, wherever they stood; a Word is an argument
that names something fixed (a unit, a table, a column, a rounding mode) and is never evaluated; `not`
before a test is a Unary around it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from weighbridge.core.expression.error import Position


class Operator(StrEnum):
    """The operators as they are written; keywords are read in any letter case."""

    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    POWER = "^"
    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    CONTAINS = "contains"
    STARTS_WITH = "starts with"
    ENDS_WITH = "ends with"
    MATCHES = "matches"
    AND = "and"
    OR = "or"
    NOT = "not"


@dataclass(frozen=True, slots=True)
class Number:
    value: Decimal
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class Text:
    value: str
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class Boolean:
    value: bool
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class Name:
    """A value from outside: `dry_mass`, `partition.feedstock`, or verbatim in braces `{{wet-mass}}`."""

    path: tuple[str, ...]
    is_verbatim: bool = False
    position: Position = field(default=Position(), compare=False)

    @property
    def text(self) -> str:
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class Word:
    """An argument that is no value: the unit of `to`, the table of `lookup`, the mode of `round`."""

    text: str
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """A minus sign or `not` before an operand."""

    operator: Operator
    operand: "Expression"
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic, a comparison, a text test, `and` or `or`."""

    operator: Operator
    left: "Expression"
    right: "Expression"
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class Between:
    """`value between low and high`, both ends included."""

    value: "Expression"
    low: "Expression"
    high: "Expression"
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class Membership:
    """`value in (option, option)`."""

    value: "Expression"
    options: tuple["Expression", ...]
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class NullTest:
    """`value is null`: whether there is no value."""

    value: "Expression"
    position: Position = field(default=Position(), compare=False)


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function of the table in `functions`, with its arguments."""

    function: str
    arguments: tuple["Expression", ...]
    position: Position = field(default=Position(), compare=False)


Expression = (
    Number | Text | Boolean | Name | Word | Unary | Binary | Between | Membership | NullTest | FunctionCall
)


def children(tree: Expression) -> tuple[Expression, ...]:
    """The operands or arguments of a node, in the order they are written."""
    operands: tuple[Expression, ...] = ()
    match tree:
        case Unary(operand=operand):
            operands = (operand,)
        case Binary(left=left, right=right):
            operands = (left, right)
        case Between(value=value, low=low, high=high):
            operands = (value, low, high)
        case Membership(value=value, options=options):
            operands = (value, *options)
        case NullTest(value=value):
            operands = (value,)
        case FunctionCall(arguments=arguments):
            operands = arguments
    return operands


def walk(tree: Expression) -> Iterator[Expression]:
    """Every node of a tree, the outer before the inner and the left before the right."""
    yield tree
    for child in children(tree):
        yield from walk(child)


def names(tree: Expression) -> tuple[Name, ...]:
    """Every place where the expression reads a value from outside, in the order they are written."""
    return tuple(node for node in walk(tree) if isinstance(node, Name))
