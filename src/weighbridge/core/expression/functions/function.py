"""A function is an operation with a name, a number of arguments, a sentence and an example.

Invariants: an argument listed in `words` names something fixed and is never evaluated; the example
can be parsed.
"""

from dataclasses import dataclass

from weighbridge.core.expression.operation import Operation


@dataclass(frozen=True, slots=True)
class Function:
    """One row of the table of functions; the reference documentation is made of it."""

    name: str
    parameters: str
    arity: range
    operation: Operation
    doc: str
    example: str
    words: frozenset[int] = frozenset()


def between(least: int, most: int) -> range:
    """The arity of a function that takes from least to most arguments."""
    return range(least, most + 1)
