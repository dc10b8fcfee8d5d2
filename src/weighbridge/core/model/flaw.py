"""A flaw is one thing that is wrong with a model document: a full sentence, and where it is.

Invariants: checks collect flaws and never stop at the first, but after FLAWS_MAX; flaws are listed from
top to bottom.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from weighbridge.core.expression import ExpressionError
from weighbridge.core.model.document.source import Scalar, SourceMark
from weighbridge.core.problem import Problem

FLAWS_MAX: Final = 100
"""How many flaws are looked for; a document with more is not worth the time."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong, its place, the node it is about, and a word that a program may switch on."""

    message: str
    mark: SourceMark
    node: str | None = None
    code: str = "invalid"

    @property
    def line(self) -> int:
        return self.mark.line

    @property
    def column(self) -> int:
        return self.mark.column

    def __str__(self) -> str:
        return f"{self.mark}: {self.message}"

    def problem(self, field: str = "yaml") -> Problem:
        """The flaw as a problem of the request that carries the document in a field."""
        return Problem(f"At {self}", field, self.code)


class ModelError(ValueError):
    """A document is no model; carries every flaw."""

    def __init__(self, flaws: Iterable[Flaw]) -> None:
        self.flaws = in_order(flaws)
        super().__init__("\n".join(str(flaw) for flaw in self.flaws))


def in_order(flaws: Iterable[Flaw]) -> tuple[Flaw, ...]:
    """Flaws from top to bottom, each once, and no more than FLAWS_MAX."""
    ordered = sorted(dict.fromkeys(flaws), key=lambda flaw: (flaw.line, flaw.column, flaw.message))
    return tuple(ordered[:FLAWS_MAX])


def expression_flaw(error: ExpressionError, text: Scalar, key: str, node: str) -> Flaw:
    """The flaw of an expression that stands under a key of a node."""
    mark, position = text.mark, error.position
    if text.is_plain and position.line == 1:
        mark = SourceMark(mark.line, mark.column + position.column - 1)
    return Flaw(f"In the {key} of {node}, at {position}: {error.message}", mark, node, "expression")
