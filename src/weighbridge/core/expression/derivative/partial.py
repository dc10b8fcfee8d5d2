"""A partial says how fast the result of one operation changes with each of its operands, row by row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.expression.kind import Kind
from weighbridge.core.expression.operation import Computing
from weighbridge.core.expression.value import Content
from weighbridge.core.quantity.unit import ONE, Unit, absolute

NONE: Final = Decimal(0)
ALL: Final = Decimal(1)

Row = Sequence[Content]
"""The operands of one element, in the units in which the operation takes them."""


@dataclass(frozen=True, slots=True)
class Partial:
    """The derivative of one operation."""

    of_row: Callable[[Computing, Row], Sequence[Decimal]]
    """One for each operand; raises ArithmeticError where there is none."""
    units: Callable[[Computing], Sequence[Unit | None]]
    """The units in which the operation takes its operands; None as they stand."""


def in_result_unit(at: Computing) -> list[Unit | None]:
    """Numbers are converted to the unit of the result."""
    return [at.result.unit if value.type.kind is Kind.NUMBER else None for value in at.values]


def in_absolute_units(at: Computing) -> list[Unit | None]:
    """Each operand in its own unit, temperatures from absolute zero."""
    return [value.type.unit and absolute(value.type.unit) for value in at.values]


def in_plain_numbers(at: Computing) -> list[Unit | None]:
    """Each operand as a plain number."""
    return [ONE for _ in at.values]


def as_they_stand(at: Computing) -> list[Unit | None]:
    """No operand is converted."""
    return [None for _ in at.values]


def number_at(row: Row, index: int) -> Decimal:
    """The number at an index of a row."""
    content = row[index]
    assert isinstance(content, Decimal), "the result has a value, so its operands have"  # noqa: S101
    return content


def numbers_at(row: Row) -> list[Decimal]:
    """All numbers of a row."""
    return [number_at(row, index) for index in range(len(row))]
