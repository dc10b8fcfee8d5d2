"""Parsing reads the text of an expression into a tree, and says where and why it cannot.

Invariants: `parse(print_tree(tree)) == tree` for every tree that parsing made; any text whatever
yields a tree or an ExpressionError.
"""

from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from lark import Lark, UnexpectedCharacters, UnexpectedToken

from weighbridge.core.expression.building import Builder, Built, position_of
from weighbridge.core.expression.error import ExpressionError, Position
from weighbridge.core.expression.functions import MODELS, Language
from weighbridge.core.expression.tree import Expression
from weighbridge.core.quantity.number import shorten

LENGTH_MAX: Final = 10_000
"""The longest expression, in characters."""

RESERVED: Final = frozenset(
    ["and", "or", "not", "between", "in", "is", "null", "true", "false", "contains", "matches"]
)
"""Words that no name may be, in any letter case."""


@lru_cache(maxsize=1024)
def parse(text: str, language: Language = MODELS) -> Expression:
    """Read an expression of a language, by default that of models."""
    if len(text) > LENGTH_MAX:
        raise ExpressionError(
            f"An expression has at most {LENGTH_MAX} characters; this one has {len(text)}.", Position()
        )
    try:
        built = _parser(language).parse(text)
    except UnexpectedToken as error:
        raise _refused_token(error, text) from None
    except UnexpectedCharacters as error:
        raise _refused_character(error, text) from None
    if not isinstance(built, Built):
        raise TypeError("the parser is made with the builder, so it yields what the builder makes")
    return built.tree


def _refused_token(error: UnexpectedToken, text: str) -> ExpressionError:
    expected = "a number, a text in quotes, a name, a function or a parenthesis"
    if "NAME" not in error.accepts:
        expected = "an operator or a closing parenthesis" if "RPAR" in error.accepts else "an operator"
    if error.token.type == "$END":
        line = text.count("\n") + 1
        end = Position(line, len(text) - (text.rfind("\n") + 1) + 1)
        return ExpressionError(f"The expression ends where {expected} is needed.", end)
    position = position_of(error.token)
    came = shorten(str(error.token))
    if came == "=" and text[: error.token.start_pos or 0].endswith("="):
        return ExpressionError("Two values are compared with a single =.", position)
    if came.lower() in RESERVED:
        return ExpressionError(f"{came!r} is a word of the language; {expected} is needed here.", position)
    return ExpressionError(f"Here stands {came!r} where {expected} is needed.", position)


def _refused_character(error: UnexpectedCharacters, text: str) -> ExpressionError:
    position = Position(error.line, error.column)
    character = text[error.pos_in_stream or 0]
    if character in "'\"":
        return ExpressionError("The text that begins here is not closed with the same quote.", position)
    return ExpressionError(f"The character {character!r} has no meaning here.", position)


@cache
def _parser(language: Language) -> Lark:
    grammar = files("weighbridge.core.expression").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar, parser="lalr", lexer="basic", transformer=Builder(language), maybe_placeholders=False
    )
