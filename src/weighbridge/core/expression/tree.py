"""An expression is a tree of a few kinds of node; each knows its place in the text it was read from.

Printing writes a tree as text again: one space around operators, parentheses only where they are needed.

Invariants: two trees are equal when they say the same, wherever they were read; a Word is an argument that
names something fixed (a unit, a table, a column, a rounding mode) and is never evaluated; `not` before a
test is a Unary around it; `parse(print_tree(tree)) == tree`, and two trees that are equal are written alike.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final

from weighbridge.core.number import plain

RESERVED: Final = frozenset(
    ["and", "or", "not", "between", "in", "is", "null", "true", "false", "contains", "matches"]
)
"""Words that no name may be, in any letter case."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the text of an expression, its lines and columns counted from 1."""

    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"column {self.column}" if self.line == 1 else f"line {self.line}, column {self.column}"


class ExpressionError(ValueError):
    """The error that reading, checking or evaluating an expression raises: one full sentence, and its
    place.
    """

    def __init__(self, message: str, position: Position) -> None:
        self.message = message
        self.position = position
        super().__init__(f"At {position}: {message}")


class UndefinedResultError(ArithmeticError):
    """An operation has no result for these numbers; evaluation adds the position."""


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


_CHILDREN: Final[Mapping[type, Callable[[Any], tuple[Expression, ...]]]] = {
    Unary: lambda node: (node.operand,),
    Binary: attrgetter("left", "right"),
    Between: attrgetter("value", "low", "high"),
    Membership: lambda node: (node.value, *node.options),
    NullTest: lambda node: (node.value,),
    FunctionCall: attrgetter("arguments"),
}


def list_children(tree: Expression) -> tuple[Expression, ...]:
    """Return the operands or arguments of a node, in the order they are written."""
    get = _CHILDREN.get(type(tree))
    return () if get is None else get(tree)


def list_operands(tree: Expression) -> list[Expression]:
    """Return the operands of a node, without words such as a rounding mode."""
    return [child for child in list_children(tree) if not isinstance(child, Word)]


def walk(tree: Expression, is_leaf: Callable[[Expression], bool] | None = None) -> Iterator[Expression]:
    """Yield every node, the outer before the inner and the left before the right; nothing inside of a
    leaf.
    """
    yield tree
    if is_leaf is None or not is_leaf(tree):
        for child in list_children(tree):
            yield from walk(child, is_leaf)


def names(tree: Expression, is_leaf: Callable[[Expression], bool] | None = None) -> tuple[Name, ...]:
    """Return every name that the expression reads, in the order they are written; none inside of a leaf."""
    return tuple(node for node in walk(tree, is_leaf) if isinstance(node, Name))


_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OR, _AND, _NOT, _TEST, _SUM, _PRODUCT, _SIGNED, _POWER, _ATOM = range(9)
_STRENGTH: Final = {
    Operator.OR: _OR,
    Operator.AND: _AND,
    Operator.ADD: _SUM,
    Operator.SUBTRACT: _SUM,
    Operator.MULTIPLY: _PRODUCT,
    Operator.DIVIDE: _PRODUCT,
    Operator.POWER: _POWER,
}

_SIDES: Final = {Operator.POWER: (_ATOM, _SIGNED)}


def print_name(name: Name) -> str:
    """Write a name as it is read."""
    if name.is_verbatim:
        return "{{" + name.text + "}}"
    first, *rest = name.path
    return ".".join([first, *(part if is_identifier(part) else _quote_text(part) for part in rest)])


def print_tree(tree: Expression, name: Callable[[Name], str] = print_name) -> str:
    """Write an expression; `name` writes its names, for instance as their values."""
    match tree:
        case Number(value=value):
            text = plain(value)
        case Text(value=content):
            text = _quote_text(content)
        case Boolean(value=truth):
            text = "true" if truth else "false"
        case Name():
            text = name(tree)
        case Word(text=word):
            text = word if is_identifier(word) else _quote_text(word)
        case _:
            text = _print_operation(tree, name)
    return text


def _print_operation(
    tree: Unary | Binary | Between | Membership | NullTest | FunctionCall, name: Callable[[Name], str]
) -> str:
    match tree:
        case FunctionCall(function=function, arguments=arguments):
            text = f"{function}({_print_list(arguments, name)})"
        case Unary(operator=Operator.NOT, operand=operand):
            text = f"not {_parenthesize_weaker(operand, _NOT, name)}"
        case Unary(operand=operand):
            text = f"-{_parenthesize_weaker(operand, _SIGNED, name)}"
        case Binary(operator=operator) if operator in _STRENGTH:
            left, right = _SIDES.get(operator, (_STRENGTH[operator], _STRENGTH[operator] + 1))
            sides = _parenthesize_weaker(tree.left, left, name), _parenthesize_weaker(tree.right, right, name)
            text = f" {operator} ".join(sides)
        case _:
            text = _print_test(tree, name)
    return text


def _print_test(tree: Binary | Between | Membership | NullTest, name: Callable[[Name], str]) -> str:
    first, *others = (_parenthesize_compared(operand, name) for operand in list_children(tree))
    match tree:
        case Binary(operator=operator):
            text = f"{first} {operator} {others[0]}"
        case Between():
            text = f"{first} between {others[0]} and {others[1]}"
        case Membership(options=options):
            text = f"{first} in ({_print_list(options, name)})"
        case NullTest():
            text = f"{first} is null"
    return text


def _parenthesize_weaker(operand: Expression, strength: int, name: Callable[[Name], str]) -> str:
    text = print_tree(operand, name)
    return text if _find_strength(operand) >= strength else f"({text})"


def _parenthesize_compared(operand: Expression, name: Callable[[Name], str]) -> str:
    text = print_tree(operand, name)
    return text if _is_simple(operand) else f"({text})"


def is_identifier(text: str) -> bool:
    """Whether a text is a name of an expression without quotes or braces."""
    return _IDENTIFIER.fullmatch(text) is not None and text.lower() not in RESERVED


def _print_list(trees: tuple[Expression, ...], name: Callable[[Name], str]) -> str:
    return ", ".join(print_tree(tree, name) for tree in trees)


def _find_strength(tree: Expression) -> int:
    """How tightly a node holds its operands together."""
    match tree:
        case Unary(operator=operator):
            return _NOT if operator is Operator.NOT else _SIGNED
        case Binary(operator=operator):
            return _STRENGTH.get(operator, _TEST)
        case Between() | Membership() | NullTest():
            return _TEST
        case _:
            return _ATOM


def _is_simple(tree: Expression) -> bool:
    """Whether a node may be next to a comparison without parentheses."""
    while isinstance(tree, Unary) and tree.operator is Operator.SUBTRACT:
        tree = tree.operand
    return _find_strength(tree) == _ATOM


def _quote_text(text: str) -> str:
    quote = '"' if "'" in text and '"' not in text else "'"
    return quote + text.replace(quote, quote * 2) + quote
