"""An expression error says what is wrong with an expression, or with computing it, and where.

Invariants: the message is one full sentence; the position counts lines and columns of the
expression's own text from 1.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the text of an expression."""

    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"column {self.column}" if self.line == 1 else f"line {self.line}, column {self.column}"


class ExpressionError(ValueError):
    """The one error that reading, checking or evaluating an expression raises."""

    def __init__(self, message: str, position: Position) -> None:
        self.message = message
        self.position = position
        super().__init__(f"At {position}: {message}")


class UndefinedResultError(ArithmeticError):
    """An operation has no result for these numbers; evaluation adds the position."""
