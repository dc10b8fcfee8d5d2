"""A type says what an expression yields: a number with a unit, a text or a truth; one or an array.

An array has an origin, the events or draws that its elements belong to, one element each. Two arrays
may meet in one operation only when they have the same origin. A table of the model document has a type for
each of its columns.

Invariants: only numbers have a unit; a number's unit is None when nothing but a run can tell it (the
attribute of a source whose model is not at hand), and then it is checked in the run; every row of a table has
one cell for each column, and no two rows have the same key, which is in the first column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from itertools import pairwise
from typing import Final

from weighbridge.core.expression.tree import ExpressionError, Position
from weighbridge.core.quantity.unit import ONE, Unit, compatible

Origin = str
"""What the elements of an array belong to, in words: `the events of biochar-delivery`."""


class Kind(StrEnum):
    NUMBER = "a number"
    TEXT = "a text"
    TRUTH = "true or false"


@dataclass(frozen=True, slots=True)
class Type:
    """What a value is."""

    kind: Kind
    unit: Unit | None = None
    origin: Origin | None = None

    @property
    def is_array(self) -> bool:
        return self.origin is not None

    def __str__(self) -> str:
        of_what = f"a number of {self.unit}" if self.unit is not None else str(self.kind)
        return f"an array, each element {of_what}" if self.is_array else of_what

    def of(self, origin: Origin | None) -> "Type":
        """The same for each element of an origin."""
        return replace(self, origin=origin)


PLAIN: Final = Type(Kind.NUMBER, ONE)
TEXT: Final = Type(Kind.TEXT)
TRUTH: Final = Type(Kind.TRUTH)


def number(unit: Unit | None, origin: Origin | None = None) -> Type:
    """The type of a number."""
    return Type(Kind.NUMBER, unit, origin)


def require(kind: Kind, operand: Type, what: str, position: Position) -> None:
    """Refuse an operand of another kind; `what` names the operand, as in `The divisor`."""
    if operand.kind is not kind:
        raise ExpressionError(f"{what} must be {kind}; it is {operand}.", position)


def require_plain(operand: Type, what: str, position: Position) -> None:
    """Refuse an operand that counts something: a text, or a number whose unit has a dimension."""
    require(Kind.NUMBER, operand, what, position)
    if operand.unit is not None and not operand.unit.is_dimensionless:
        raise ExpressionError(
            f"{what} must be a plain number; it is in {operand.unit}. Divide by a quantity of the same unit,"
            f' or take the number out with value(…, "{operand.unit}").',
            position,
        )


def require_same_measure(first: Type, other: Type, action: str, position: Position) -> None:
    """Refuse two operands that cannot be converted into one another; `action` as in `adding`."""
    if first.kind is not other.kind:
        raise ExpressionError(
            f"{action} needs two of one kind; the first is {first}, the second is {other}.", position
        )
    if first.unit is not None and other.unit is not None and not compatible(first.unit, other.unit):
        raise ExpressionError(
            f"{action} is refused between {first.unit} and {other.unit}, which count different things.",
            position,
        )


def shared_origin(types: Sequence[Type], position: Position) -> Origin | None:
    """The one origin of all arrays among the operands; None when there is no array."""
    origins = list(dict.fromkeys(operand.origin for operand in types if operand.origin is not None))
    if len(origins) > 1:
        raise ExpressionError(
            f"Two arrays that do not run in parallel cannot be combined: one has an element for each of"
            f" {origins[0]}, the other for each of {origins[1]}. Join one to the other, or aggregate first.",
            position,
        )
    return origins[0] if origins else None


@dataclass(frozen=True, slots=True)
class TableColumn:
    """The name of a column and what each of its cells is."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; the first column is the key."""

    name: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Decimal | str, ...], ...]

    @property
    def key(self) -> TableColumn:
        return self.columns[0]

    @property
    def is_ascending(self) -> bool:
        """Whether the keys are numbers that rise from row to row."""
        keys = [row[0] for row in self.rows if isinstance(row[0], Decimal)]
        return len(keys) == len(self.rows) and all(low < high for low, high in pairwise(keys))

    def column(self, name: str) -> int | None:
        """The index of a column, None when there is none of that name."""
        return next((index for index, column in enumerate(self.columns) if column.name == name), None)


Tables = Mapping[str, Table]
"""Tables by name."""
