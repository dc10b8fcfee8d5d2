"""Correlated effects: a matrix of correlation coefficients, and the draws that have it.

Effects that are normal and correlated are drawn from their joint distribution (JCGM 101:2008, 6.4.8 and C.5):
the correlation matrix is R = L L^T with L lower triangular (Cholesky), and of independent standard normal
draws w of the effects, z = L w are standard normal draws with these correlations. L is computed in decimals
of 34 digits. The matrix may be semi-definite, as that of two effects that are one: then L has columns of
zeros.

Invariants: the diagonal is 1, the matrix symmetric; a matrix that no quantities can have is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from weighbridge.core.number import CONTEXT, ZERO, plain, total

_ONE: Final = Decimal(1)
_NEGLIGIBLE: Final = Decimal("1e-15")
"""Coefficients have fewer digits than that: what is smaller, is what rounding left of zero."""


@dataclass(frozen=True, slots=True)
class CorrelatedEffects:
    """Effects by their names, and the correlation coefficient of each two of them."""

    effects: tuple[str, ...]
    coefficients: tuple[tuple[Decimal, ...], ...]
    """The whole matrix, row by row, in the order of the effects."""


def build_pair(effect: str, other: str, coefficient: Decimal) -> CorrelatedEffects:
    """Two effects with a correlation coefficient."""
    return CorrelatedEffects((effect, other), ((_ONE, coefficient), (coefficient, _ONE)))


def factor_correlations(correlated: CorrelatedEffects) -> tuple[tuple[Decimal, ...], ...]:
    """Find the lower triangular matrix whose product with its transpose is that of the coefficients.

    Raises ValueError when the matrix is not symmetric, or no quantities can have these coefficients.
    """
    names, matrix = correlated.effects, correlated.coefficients
    _require_symmetry(names, matrix)
    factor: list[list[Decimal]] = []
    for row, name in enumerate(names):
        line: list[Decimal] = []
        for column in range(row + 1):
            products = (
                [CONTEXT.multiply(line[k], factor[column][k]) for k in range(min(column, row))]
                if (column < row)
                else [CONTEXT.multiply(part, part) for part in line]
            )
            rest = CONTEXT.subtract(matrix[row][column], total(products))
            line.append(
                _divide_by_pivot(rest, factor[column][column], name)
                if column < row
                else _find_pivot(rest, name)
            )
        factor.append(line)
    return tuple((*line, *(ZERO,) * (len(names) - len(line))) for line in factor)


def _find_pivot(rest: Decimal, name: str) -> Decimal:
    if rest < -_NEGLIGIBLE:
        raise ValueError(_describe_impossible(name))
    return CONTEXT.sqrt(rest) if rest > _NEGLIGIBLE else ZERO


def _divide_by_pivot(rest: Decimal, pivot: Decimal, name: str) -> Decimal:
    if pivot:
        return CONTEXT.divide(rest, pivot)
    # An effect that follows from those before it leaves nothing for the others to be correlated with.
    if abs(rest) > CONTEXT.sqrt(_NEGLIGIBLE):
        raise ValueError(_describe_impossible(name))
    return ZERO


def _describe_impossible(name: str) -> str:
    return (
        "No quantities can have these correlation coefficients: the matrix is not positive semi-definite,"
        f" which shows at {name!r}."
    )


def _require_symmetry(names: Sequence[str], matrix: Sequence[Sequence[Decimal]]) -> None:
    if len(set(names)) != len(names) or len(matrix) != len(names):
        raise ValueError("A correlation matrix has one row for each of its effects, and each effect once.")
    for row, coefficients in enumerate(matrix):
        if len(coefficients) != len(names) or coefficients[row] != 1:
            raise ValueError(f"The row of {names[row]!r} needs {len(names)} coefficients, of itself 1.")
        for column, coefficient in enumerate(coefficients):
            if coefficient != matrix[column][row] or not -1 <= coefficient <= 1:
                raise ValueError(
                    f"The coefficient of {names[row]!r} and {names[column]!r}, {plain(coefficient)}, must be"
                    " from -1 to 1 and the same in both rows."
                )
