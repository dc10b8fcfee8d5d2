"""Correlated effects: the factor of a matrix, and what no quantities can have."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.uncertainty.correlation import CorrelatedEffects, build_pair, factor_correlations


def correlated(*rows):
    names = tuple("abcdef"[: len(rows)])
    return CorrelatedEffects(names, tuple(tuple(map(Decimal, row.split())) for row in rows))


def multiply(factor):
    size = range(len(factor))
    return [[sum(factor[i][k] * factor[j][k] for k in size) for j in size] for i in size]


def test_the_factor_times_its_transpose_is_the_matrix():
    group = correlated("1 -0.36 0.86", "-0.36 1 -0.65", "0.86 -0.65 1")

    found = multiply(factor_correlations(group))

    assert [[round(part, 20) for part in row] for row in found] == [
        [round(part, 20) for part in row] for row in group.coefficients
    ]


@given(st.lists(st.lists(st.integers(-9, 9), min_size=4, max_size=4).filter(any), min_size=2, max_size=4))
def test_every_matrix_of_quantities_has_a_factor(directions):
    lengths = [Decimal(sum(part * part for part in one)).sqrt() for one in directions]
    matrix = [
        [
            round(Decimal(sum(x * y for x, y in zip(a, b, strict=True))) / (lengths[i] * lengths[j]), 20)
            if i != j
            else Decimal(1)
            for j, b in enumerate(directions)
        ]
        for i, a in enumerate(directions)
    ]
    group = CorrelatedEffects(tuple("abcd"[: len(matrix)]), tuple(map(tuple, matrix)))

    found = multiply(factor_correlations(group))

    assert all(
        abs(found[i][j] - matrix[i][j]) < Decimal("1e-6")
        for i in range(len(matrix))
        for j in range(len(matrix))
    )


def test_effects_that_are_one_have_the_same_draw():
    assert factor_correlations(build_pair("a", "b", Decimal(1))) == ((1, 0), (1, 0))


def test_what_no_quantities_can_have_is_refused():
    with pytest.raises(ValueError, match="not positive semi-definite, which shows at 'c'"):
        factor_correlations(correlated("1 0.9 -0.9", "0.9 1 0.9", "-0.9 0.9 1"))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (("1 0.5", "0.4 1"), "the same in both rows"),
        (("1 1.5", "1.5 1"), "from -1 to 1"),
        (("1 0", "0 0.5"), "of itself 1"),
        (("1 0", "0"), "needs 2 coefficients"),
    ],
)
def test_a_matrix_that_is_none_is_refused(rows, sentence):
    with pytest.raises(ValueError, match=sentence):
        factor_correlations(correlated(*rows))
