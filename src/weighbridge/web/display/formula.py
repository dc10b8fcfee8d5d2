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
from weighbridge.web.display.figures import MINUS, unit_text

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


def formula(
    tree: Expression, show_name: Shown | None = None, *, result: str = "", is_rounded: bool = False
) -> Markup:
    """A formula; with a result, it begins with that name, or MathML, and an equals sign; or one of about.

    One with links in it is a group of them: one piece of mathematics has nothing inside to go to.
    """
    result_name = result if isinstance(result, Markup) else word(result)
    head = result_name + _sign("≈" if is_rounded else "=") if result else Markup("")
    row = _row(head, _write(tree, show_name or _name))
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


def _write(tree: Expression, show_name: Shown) -> Markup:  # noqa: PLR0911 - one for each kind of node
    match tree:
        case Number(value=value):
            return number(plain(value))
        case Text(value=value) | Word(text=value):
            return Markup("<mtext>{}</mtext>").format(value)
        case Boolean(value=truth):
            return Markup("<mtext>{}</mtext>").format("true" if truth else "false")
        case Name():
            return show_name(tree)
        case Unary(operator=Operator.NOT, operand=operand):
            return _row(_words("not"), _inside(operand, _SIGNED, show_name))
        case Unary(operand=operand):
            return _row(_sign(MINUS), _inside(operand, _SIGNED, show_name))
        case FunctionCall():
            return _call(tree, show_name)
        case _:
            return _test(tree, show_name)


def _test(tree: Expression, show_name: Shown) -> Markup:
    match tree:
        case Binary():
            return _binary(tree, show_name)
        case Between(value=value, low=low, high=high):
            parts = (_inside(operand, _SUM, show_name) for operand in (low, value, high))
            return _row(_sign("≤").join(parts))
        case Membership(value=value, options=options):
            return _row(
                _inside(value, _SUM, show_name), _sign("∈"), _with_parentheses(options, show_name, "{", "}")
            )
        case NullTest(value=value):
            return _row(_inside(value, _SUM, show_name), _words("has no value"))
    raise TypeError(tree)


def _binary(tree: Binary, show_name: Shown) -> Markup:
    if tree.operator is Operator.DIVIDE:
        return Markup("<mfrac>{}{}</mfrac>").format(
            _row(_write(tree.left, show_name)), _row(_write(tree.right, show_name))
        )
    if tree.operator is Operator.POWER:
        return Markup("<msup>{}{}</msup>").format(
            _row(_inside(tree.left, _ATOM + 1, show_name)), _row(_write(tree.right, show_name))
        )
    strength = _STRENGTHS.get(tree.operator, _TEST)
    sign = _SIGNS.get(tree.operator)
    between = _sign(sign) if sign else _words(tree.operator.value)
    left, right = _inside(tree.left, strength, show_name), _inside(tree.right, strength + 1, show_name)
    return _row(left, between, right)


def _call(tree: FunctionCall, show_name: Shown) -> Markup:
    arguments = tree.arguments
    if tree.function == "sqrt" and len(arguments) == 1:
        return Markup("<msqrt>{}</msqrt>").format(_write(arguments[0], show_name))
    if tree.function == "abs" and len(arguments) == 1:
        return _enclose("|", _write(arguments[0], show_name), "|")
    if tree.function == "if" and len(arguments) == 3:
        test, consequent, other = (_write(argument, show_name) for argument in arguments)
        rows = _case(consequent, _row(_words("if"), test)) + _case(other, _words("otherwise"))
        return _row(_sign("{"), Markup('<mtable columnalign="left">{}</mtable>').format(rows))
    match tree.function, arguments:
        case "quantity", (value, Word(text=unit)):
            return _row(_inside(value, _PRODUCT, show_name), _unit(unit))
        case "value", (value, Word(text=unit)):
            inside = _write(value, show_name) + _words("in") + _unit(unit)
            return _row(word(tree.function), _enclose("(", inside, ")"))
    return _row(word(tree.function), _with_parentheses(arguments, show_name, "(", ")"))


def _unit(unit: str) -> Markup:
    """A unit as people write it, after a space."""
    return _row(Markup('<mspace width="0.25em"/><mtext>{}</mtext>').format(unit_text(unit) or "1"))


def _case(value: Markup, when: Markup) -> Markup:
    return Markup("<mtr><mtd>{}</mtd><mtd>{}</mtd></mtr>").format(value, when)


def _inside(tree: Expression, strength: int, show_name: Shown) -> Markup:
    """An operand, in parentheses where it binds less than it has to."""
    markup = _write(tree, show_name)
    return _enclose("(", markup, ")") if _strength(tree) < strength else markup


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


def _with_parentheses(trees: tuple[Expression, ...], show_name: Shown, begins: str, ends: str) -> Markup:
    inside = _sign(",").join(_write(tree, show_name) for tree in trees)
    return _enclose(begins, inside, ends)


def _enclose(begins: str, inside: Markup, ends: str) -> Markup:
    """Something between signs, which grow with what is higher than a line only.

    Without a font for mathematics, browsers draw signs that may grow too tall for a line of letters.
    """
    is_high = "<mfrac" in inside or "<mtable" in inside
    signs = [Markup("<mo{}>{}</mo>").format(_STAYS if not is_high else "", sign) for sign in (begins, ends)]
    return _row(signs[0], inside, signs[1])


_STAYS: Final = Markup(' stretchy="false"')


def _row(*parts: Markup) -> Markup:
    return Markup("<mrow>{}</mrow>").format(Markup("").join(parts))


def _sign(text: str) -> Markup:
    return Markup("<mo>{}</mo>").format(text)


def _words(text: str) -> Markup:
    return Markup("<mtext> {} </mtext>").format(escape(text))
