"""A formula as mathematics: MathML of the expression tree, with fractions, powers, roots and cases.

Names are written as words. The result of `shown` for a name replaces it, so that the same formula is
also written with its numbers, each of which may lead to its own page.
"""

from collections.abc import Callable
from typing import Final

from markupsafe import Markup, escape

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
)
from weighbridge.core.number import plain
from weighbridge.web.display.figures import MINUS

_SIGNS: Final = {
    Operator.ADD: "+", Operator.SUBTRACT: MINUS, Operator.MULTIPLY: "·", Operator.EQUAL: "=",
    Operator.NOT_EQUAL: "≠", Operator.LESS: "<", Operator.LESS_OR_EQUAL: "≤", Operator.GREATER: ">",
    Operator.GREATER_OR_EQUAL: "≥",
}  # fmt: skip
_OR, _AND, _TEST, _SUM, _PRODUCT, _SIGNED, _ATOM = range(7)
_STRENGTHS: Final = {
    Operator.OR: _OR, Operator.AND: _AND, Operator.ADD: _SUM, Operator.SUBTRACT: _SUM,
    Operator.MULTIPLY: _PRODUCT, Operator.DIVIDE: _ATOM, Operator.POWER: _ATOM,
}  # fmt: skip

Shown = Callable[[Name], Markup]
"""Returns the MathML that replaces a name."""


def formula(tree: Expression, shown: Shown | None = None, *, result: str = "") -> Markup:
    """A formula; with a result, it begins with that name, or MathML, and an equals sign.

    One with links in it is a group of them: one piece of mathematics has nothing inside to go to.
    """
    named = result if isinstance(result, Markup) else word(result)
    head = named + _sign("=") if result else Markup("")
    row = _row(head, _write(tree, shown or _name))
    role = Markup(' role="group"') if "<a " in row else ""
    return Markup('<math display="block"{}>{}</math>').format(role, row)


def word(text: str) -> Markup:
    """A name as words: `dry_mass` is dry mass."""
    return Markup("<mi>{}</mi>").format(text.replace("_", " ").replace(".", " "))


def number(text: str) -> Markup:
    """A number with a real minus."""
    if text.startswith("-"):
        return _row(_sign(MINUS), Markup("<mn>{}</mn>").format(text[1:]))
    return Markup("<mn>{}</mn>").format(text)


def _name(name: Name) -> Markup:
    return word(name.text)


def _write(tree: Expression, shown: Shown) -> Markup:  # noqa: PLR0911 - one for each kind of node
    match tree:
        case Number(value=value):
            return number(plain(value))
        case Text(value=value) | Word(text=value):
            return Markup("<mtext>{}</mtext>").format(value)
        case Boolean(value=truth):
            return Markup("<mtext>{}</mtext>").format("true" if truth else "false")
        case Name():
            return shown(tree)
        case Unary(operator=Operator.NOT, operand=operand):
            return _row(_words("not"), _inside(operand, _SIGNED, shown))
        case Unary(operand=operand):
            return _row(_sign(MINUS), _inside(operand, _SIGNED, shown))
        case FunctionCall():
            return _call(tree, shown)
        case _:
            return _test(tree, shown)


def _test(tree: Expression, shown: Shown) -> Markup:
    match tree:
        case Binary():
            return _binary(tree, shown)
        case Between(value=value, low=low, high=high):
            parts = (_inside(one, _SUM, shown) for one in (low, value, high))
            return _row(_sign("≤").join(parts))
        case Membership(value=value, options=options):
            return _row(_inside(value, _SUM, shown), _sign("∈"), _with_parentheses(options, shown, "{", "}"))
        case NullTest(value=value):
            return _row(_inside(value, _SUM, shown), _words("has no value"))
    raise TypeError(tree)


def _binary(tree: Binary, shown: Shown) -> Markup:
    if tree.operator is Operator.DIVIDE:
        return Markup("<mfrac>{}{}</mfrac>").format(
            _row(_write(tree.left, shown)), _row(_write(tree.right, shown))
        )
    if tree.operator is Operator.POWER:
        return Markup("<msup>{}{}</msup>").format(
            _row(_inside(tree.left, _ATOM + 1, shown)), _row(_write(tree.right, shown))
        )
    strength = _STRENGTHS.get(tree.operator, _TEST)
    sign = _SIGNS.get(tree.operator)
    between = _sign(sign) if sign else _words(tree.operator.value)
    left, right = _inside(tree.left, strength, shown), _inside(tree.right, strength + 1, shown)
    return _row(left, between, right)


def _call(tree: FunctionCall, shown: Shown) -> Markup:
    arguments = tree.arguments
    if tree.function == "sqrt" and len(arguments) == 1:
        return Markup("<msqrt>{}</msqrt>").format(_write(arguments[0], shown))
    if tree.function == "abs" and len(arguments) == 1:
        return _row(_sign("|"), _write(arguments[0], shown), _sign("|"))
    if tree.function == "if" and len(arguments) == 3:
        test, then, other = (_write(one, shown) for one in arguments)
        rows = _case(then, _row(_words("if"), test)) + _case(other, _words("otherwise"))
        return _row(_sign("{"), Markup('<mtable columnalign="left">{}</mtable>').format(rows))
    return _row(word(tree.function), _with_parentheses(arguments, shown, "(", ")"))


def _case(value: Markup, when: Markup) -> Markup:
    return Markup("<mtr><mtd>{}</mtd><mtd>{}</mtd></mtr>").format(value, when)


def _inside(tree: Expression, needed: int, shown: Shown) -> Markup:
    """An operand, in parentheses where it binds less than it has to."""
    markup = _write(tree, shown)
    return _row(_sign("("), markup, _sign(")")) if _strength(tree) < needed else markup


def _strength(tree: Expression) -> int:
    match tree:
        case Binary(operator=operator):
            return _STRENGTHS.get(operator, _TEST)
        case Between() | Membership() | NullTest():
            return _TEST
        case Unary():
            return _SIGNED
        case Number(value=value) if value < 0:
            return _SIGNED
        case _:
            return _ATOM + 1


def _with_parentheses(trees: tuple[Expression, ...], shown: Shown, begins: str, ends: str) -> Markup:
    inside = _sign(",").join(_write(one, shown) for one in trees)
    return _row(_sign(begins), inside, _sign(ends))


def _row(*parts: Markup) -> Markup:
    return Markup("<mrow>{}</mrow>").format(Markup("").join(parts))


def _sign(text: str) -> Markup:
    return Markup("<mo>{}</mo>").format(text)


def _words(text: str) -> Markup:
    return Markup("<mtext> {} </mtext>").format(escape(text))
