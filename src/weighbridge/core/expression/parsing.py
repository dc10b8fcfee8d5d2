"""Parsing reads the text of an expression into a tree, and says where and why it cannot.

The grammar recognises the parts; the builder makes the tree of them and refuses what is ambiguous: a
comparison has no comparison and no arithmetic next to it without parentheses.

Invariants: `parse(print_tree(tree)) == tree` for every tree that parsing made; any text yields a
tree or an ExpressionError; a tree is within DEPTH_MAX and NODES_MAX, and parentheses count for depth; every
function is in the table and has as many arguments as it takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args

from weighbridge.core.expression.functions import MODELS
from weighbridge.core.expression.meaning import Function, Language
from weighbridge.core.expression.tree import (
    RESERVED,
    Between,
    Binary,
    Boolean,
    Expression,
    ExpressionError,
    FunctionCall,
    Membership,
    Name,
    NullTest,
    Number,
    Operator,
    Position,
    Text,
    Unary,
    Word,
)
from weighbridge.core.identity import find_nearest
from weighbridge.core.number import NumberError, parse_decimal, shorten

LENGTH_MAX: Final = 10_000
"""The longest expression, in characters."""

DEPTH_MAX: Final = 64
"""How deep operations, functions and parentheses may be nested."""

NODES_MAX: Final = 1_000
"""The most numbers, texts, names, operations and functions in one expression."""


@lru_cache(maxsize=1024)
def parse(text: str, language: Language = MODELS) -> Expression:
    """Read an expression of a language, by default that of models."""
    if len(text) > LENGTH_MAX:
        raise ExpressionError(
            f"An expression has at most {LENGTH_MAX} characters; this one has {len(text)}.", Position()
        )
    try:
        built = _build_parser(language).parse(text)
    except UnexpectedToken as error:
        raise _build_token_error(error, text) from None
    except UnexpectedCharacters as error:
        raise _build_character_error(error, text) from None
    if not isinstance(built, Built):
        raise TypeError("the parser is made with the builder, so it yields what the builder makes")
    return built.tree


def _build_token_error(error: UnexpectedToken, text: str) -> ExpressionError:
    expected = "a number, a text in quotes, a name, a function or a parenthesis"
    if "NAME" not in error.accepts:
        expected = "an operator or a closing parenthesis" if "RPAR" in error.accepts else "an operator"
    if error.token.type == "$END":
        line = text.count("\n") + 1
        end = Position(line, len(text) - (text.rfind("\n") + 1) + 1)
        return ExpressionError(f"The expression ends where {expected} is needed.", end)
    position = find_position(error.token)
    came = shorten(str(error.token))
    if came == "=" and text[: error.token.start_pos or 0].endswith("="):
        return ExpressionError("Two values are compared with a single =.", position)
    if came.lower() in RESERVED:
        return ExpressionError(f"{came!r} is a word of the language; {expected} is needed here.", position)
    return ExpressionError(f"Expected {expected}, but found {came!r}.", position)


def _build_character_error(error: UnexpectedCharacters, text: str) -> ExpressionError:
    position = Position(error.line, error.column)
    character = text[error.pos_in_stream or 0]
    if character in "'\"":
        return ExpressionError("The text that begins here is not closed with the same quote.", position)
    return ExpressionError(f"The character {character!r} has no meaning here.", position)


@cache
def _build_parser(language: Language) -> Lark:
    grammar = files("weighbridge.core.expression").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar, parser="lalr", lexer="basic", transformer=Builder(language), maybe_placeholders=False
    )


class GrammarForm(Enum):
    """The form of a part next to a comparison; parentheses make any part SIMPLE."""

    SIMPLE = auto()
    ARITHMETIC = auto()
    TEST = auto()


@dataclass(frozen=True, slots=True)
class Built:
    """A part of the tree, with its form, its depth and the number of its nodes."""

    tree: Expression
    form: GrammarForm = GrammarForm.SIMPLE
    depth: int = 1
    count: int = 1


_AMBIGUOUS: Final = {
    GrammarForm.TEST: "A comparison next to a comparison is ambiguous;"
    " join two comparisons with and, or put one in parentheses.",
    GrammarForm.ARITHMETIC: "Arithmetic next to a comparison is ambiguous;"
    " put the arithmetic in parentheses, as in (a + b) > c.",
}


@v_args(inline=True)
class Builder(Transformer[Token, Built]):
    """One method for each rule of the grammar; it knows the language and has no other state."""

    def __init__(self, language: Language = MODELS) -> None:
        super().__init__()
        self._functions = language.functions

    def start(self, built: Built) -> Built:
        return built

    def number(self, token: Token) -> Built:
        try:
            return Built(Number(parse_decimal(token), find_position(token)))
        except NumberError as error:
            raise ExpressionError(str(error), find_position(token)) from error

    def text(self, token: Token) -> Built:
        return Built(Text(_unquote(token), find_position(token)))

    def true(self, token: Token) -> Built:
        return Built(Boolean(value=True, position=find_position(token)))

    def false(self, token: Token) -> Built:
        return Built(Boolean(value=False, position=find_position(token)))

    def variable(self, token: Token) -> Built:
        name = token[2:-2].strip()
        if not name:
            raise ExpressionError("The braces name nothing.", find_position(token))
        return Built(Name((name,), is_verbatim=True, position=find_position(token)))

    def name(self, *tokens: Token) -> Built:
        path = tuple(_unquote(token) if token.type == "STRING" else str(token) for token in tokens)
        return Built(Name(path, position=find_position(tokens[0])))

    def group(self, built: Built) -> Built:
        return _require_limits(replace(built, form=GrammarForm.SIMPLE, depth=built.depth + 1))

    def call(self, token: Token, *arguments: Built) -> Built:
        function = self._function(token, len(arguments))
        trees = tuple(
            _read_word(built.tree, function, index) if index in function.words else built.tree
            for index, built in enumerate(arguments)
        )
        return _build_over(FunctionCall(function.name, trees, find_position(token)), arguments)

    def negative(self, token: Token, operand: Built) -> Built:
        return _build_over(
            Unary(Operator.SUBTRACT, operand.tree, find_position(token)), [operand], operand.form
        )

    def negation(self, token: Token, operand: Built) -> Built:
        return _build_over(Unary(Operator.NOT, operand.tree, find_position(token)), [operand])

    def arithmetic(self, left: Built, token: Token, right: Built) -> Built:
        return _build_over(_build_binary(left, token, right), [left, right], GrammarForm.ARITHMETIC)

    def binary(self, left: Built, token: Token, right: Built) -> Built:
        return _build_over(_build_binary(left, token, right), [left, right])

    def comparison(self, left: Built, token: Token, right: Built) -> Built:
        _reject_ambiguous([left, right], token)
        return _build_over(_build_binary(left, token, right), [left, right], GrammarForm.TEST)

    def text_test(self, left: Built, *other_parts: Token | Built) -> Built:
        tokens, (right,) = _select_tokens(other_parts), _select_operands(other_parts)
        _reject_ambiguous([left, right], tokens[-1])
        return _build_over(
            _negate(tokens, _build_binary(left, tokens[-1], right)), [left, right], GrammarForm.TEST
        )

    def between(self, *parts: Token | Built) -> Built:
        tokens, operands = _select_tokens(parts), _select_operands(parts)
        _reject_ambiguous(operands, tokens[0])
        value, low, high = (built.tree for built in operands)
        tree = Between(value, low, high, find_position(tokens[0]))
        return _build_over(_negate(tokens, tree), operands, GrammarForm.TEST)

    def membership(self, *parts: Token | Built) -> Built:
        tokens, operands = _select_tokens(parts), _select_operands(parts)
        _reject_ambiguous(operands[:1], tokens[0])
        value, *options = (built.tree for built in operands)
        tree = Membership(value, tuple(options), find_position(tokens[0]))
        return _build_over(_negate(tokens, tree), operands, GrammarForm.TEST)

    def null_test(self, value: Built, *tokens: Token) -> Built:
        _reject_ambiguous([value], tokens[0])
        tree = NullTest(value.tree, find_position(tokens[0]))
        return _build_over(_negate(tokens, tree), [value], GrammarForm.TEST)

    def _function(self, token: Token, count: int) -> Function:
        function = self._functions.get(token.lower())
        if function is None:
            close = find_nearest(token.lower(), self._functions)
            hint = f"; did you mean {close!r}?" if close else f"; there are {', '.join(self._functions)}."
            raise ExpressionError(f"There is no function {str(token)!r}{hint}", find_position(token))
        if count not in function.arity:
            least, most = function.arity[0], function.arity[-1]
            argument_counts = f"{least}" if least == most else f"{least} to {most}"
            raise ExpressionError(
                f"{function.name}({function.parameters}) takes {argument_counts} arguments, but has {count}.",
                find_position(token),
            )
        return function


def find_position(token: Token) -> Position:
    """Return the position of a token in the text."""
    return Position(token.line or 1, token.column or 1)


def _select_tokens(parts: Sequence[Token | Built]) -> list[Token]:
    return [part for part in parts if isinstance(part, Token)]


def _select_operands(parts: Sequence[Token | Built]) -> list[Built]:
    return [part for part in parts if isinstance(part, Built)]


def _build_binary(left: Built, token: Token, right: Built) -> Binary:
    operator = Operator(" ".join(token.lower().split()))
    return Binary(operator, left.tree, right.tree, find_position(token))


def _negate(tokens: Sequence[Token], tree: Expression) -> Expression:
    negation = next((token for token in tokens if token.type == "NOT"), None)
    return tree if negation is None else Unary(Operator.NOT, tree, find_position(negation))


def _reject_ambiguous(operands: Sequence[Built], token: Token) -> None:
    for built in operands:
        if built.form is not GrammarForm.SIMPLE:
            raise ExpressionError(_AMBIGUOUS[built.form], find_position(token))


def _build_over(tree: Expression, operands: Sequence[Built], form: GrammarForm = GrammarForm.SIMPLE) -> Built:
    """A node over its operands, which adds one to their depth and their number."""
    depth = 1 + max((built.depth for built in operands), default=0)
    return _require_limits(Built(tree, form, depth, 1 + sum(built.count for built in operands)))


def _require_limits(built: Built) -> Built:
    if built.depth > DEPTH_MAX:
        raise ExpressionError(f"The expression is nested deeper than {DEPTH_MAX}.", built.tree.position)
    if built.count > NODES_MAX:
        raise ExpressionError(
            f"The expression has more than {NODES_MAX} numbers, names and operations.", built.tree.position
        )
    return built


def _read_word(tree: Expression, function: Function, index: int) -> Word:
    match tree:
        case Name(path=(text,)) | Text(value=text):
            return Word(text, tree.position)
    raise ExpressionError(
        f"Argument {index + 1} of {function.name}({function.parameters}) is written as a plain word or a text"
        " in quotes.",
        tree.position,
    )


def _unquote(token: Token) -> str:
    """The text between quotes; a quote of the same kind inside is doubled."""
    quote = token[0]
    return str(token[1:-1]).replace(quote * 2, quote)
