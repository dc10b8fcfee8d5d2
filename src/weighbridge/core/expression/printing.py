"""Printing writes a tree as text: one space around operators, parentheses only where they are needed.

Invariants: `parse(print_tree(tree)) == tree`; two trees that are equal are written alike.
"""

import re
from collections.abc import Callable
from typing import Final

from weighbridge.core.expression.parsing import RESERVED
from weighbridge.core.expression.tree import (
    Between,
    Binary,
    Boolean,
    Expression,
    FunctionCall,
    Membership,
    Name,
    NullTest,
    Number,
    Operator,
    Text,
    Unary,
    Word,
    children,
)
from weighbridge.core.quantity.number import plain

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
    return ".".join([first, *(part if is_identifier(part) else _quoted(part) for part in rest)])


def print_tree(tree: Expression, name: Callable[[Name], str] = print_name) -> str:
    """Write an expression; `name` writes its names, for instance as the values they stand for."""
    match tree:
        case Number(value=value):
            text = plain(value)
        case Text(value=content):
            text = _quoted(content)
        case Boolean(value=truth):
            text = "true" if truth else "false"
        case Name():
            text = name(tree)
        case Word(text=word):
            text = word if is_identifier(word) else _quoted(word)
        case _:
            text = _print_operation(tree, name)
    return text


def _print_operation(
    tree: Unary | Binary | Between | Membership | NullTest | FunctionCall, name: Callable[[Name], str]
) -> str:
    match tree:
        case FunctionCall(function=function, arguments=arguments):
            text = f"{function}({_list(arguments, name)})"
        case Unary(operator=Operator.NOT, operand=operand):
            text = f"not {_inner(operand, _NOT, name)}"
        case Unary(operand=operand):
            text = f"-{_inner(operand, _SIGNED, name)}"
        case Binary(operator=operator) if operator in _STRENGTH:
            left, right = _SIDES.get(operator, (_STRENGTH[operator], _STRENGTH[operator] + 1))
            text = f"{_inner(tree.left, left, name)} {operator} {_inner(tree.right, right, name)}"
        case _:
            text = _print_test(tree, name)
    return text


def _print_test(tree: Binary | Between | Membership | NullTest, name: Callable[[Name], str]) -> str:
    first, *others = (_compared(operand, name) for operand in children(tree))
    match tree:
        case Binary(operator=operator):
            text = f"{first} {operator} {others[0]}"
        case Between():
            text = f"{first} between {others[0]} and {others[1]}"
        case Membership(options=options):
            text = f"{first} in ({_list(options, name)})"
        case NullTest():
            text = f"{first} is null"
    return text


def _inner(operand: Expression, needed: int, name: Callable[[Name], str]) -> str:
    text = print_tree(operand, name)
    return text if _strength(operand) >= needed else f"({text})"


def _compared(operand: Expression, name: Callable[[Name], str]) -> str:
    text = print_tree(operand, name)
    return text if _is_simple(operand) else f"({text})"


def is_identifier(text: str) -> bool:
    """Whether a text can stand in an expression as a name, without quotes or braces."""
    return _IDENTIFIER.fullmatch(text) is not None and text.lower() not in RESERVED


def _list(trees: tuple[Expression, ...], name: Callable[[Name], str]) -> str:
    return ", ".join(print_tree(tree, name) for tree in trees)


def _strength(tree: Expression) -> int:
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
    """Whether a node may stand beside a comparison without parentheses."""
    while isinstance(tree, Unary) and tree.operator is Operator.SUBTRACT:
        tree = tree.operand
    return _strength(tree) == _ATOM


def _quoted(text: str) -> str:
    quote = '"' if "'" in text and '"' not in text else "'"
    return quote + text.replace(quote, quote * 2) + quote
