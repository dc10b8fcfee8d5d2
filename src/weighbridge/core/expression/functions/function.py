"""A function is an operation with a name, a number of arguments, a sentence and an example.

A language is the functions that an expression may call; grammar, precedence and limits are the same in all.

Invariants: an argument listed in `words` names something fixed and is never evaluated; the example
can be parsed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from weighbridge.core.expression.operation import TypedOperation


@dataclass(frozen=True, slots=True)
class Function:
    """One row of the table of functions; the reference documentation is made of it."""

    name: str
    parameters: str
    arity: range
    operation: TypedOperation
    doc: str
    example: str
    words: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """What may be called, by name in small letters; two names may stand for one function."""

    functions: Mapping[str, Function]


def between(least: int, most: int) -> range:
    """The arity of a function that takes from least to most arguments."""
    return range(least, most + 1)
