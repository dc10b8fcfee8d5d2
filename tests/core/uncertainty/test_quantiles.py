"""Quantiles of the normal distribution and of Student's t, against printed values and closed forms."""

import math
from decimal import Decimal

import pytest

from weighbridge.core.uncertainty.quantiles import find_coverage_factor, normal_quantile, student_quantile


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        # Wichura, Algorithm AS 241, 1988, and 30 digits of tables of erfinv.
        ("0.975", "1.95996398454005423552459443052"),
        ("0.25", "-0.674489750196081743202227014542"),
        ("0.999", "3.09023230616781354152131253084"),
        ("0.999999999", "5.99780701500768687156231020491"),
        ("0.5", "0"),
    ],
)
def test_the_normal_distribution_has_its_printed_quantiles(probability, expected):
    assert abs(normal_quantile(Decimal(probability)) - Decimal(expected)) < Decimal("1e-14")


def test_student_with_one_and_two_degrees_of_freedom_has_closed_forms():
    for probability in ("0.6", "0.9", "0.975", "0.9999"):
        p = Decimal(probability)
        cauchy = math.tan(math.pi * (float(p) - 0.5))
        assert float(student_quantile(p, Decimal(1))) == pytest.approx(cauchy, rel=1e-9)
        a = 2 * p - 1
        two = a * (2 / (1 - a * a)).sqrt()
        assert abs(student_quantile(p, Decimal(2)) / two - 1) < Decimal("1e-25")


@pytest.mark.parametrize(
    ("degrees", "percent", "expected"),
    # JCGM 100:2008, table G.2.
    [
        ("1", "68.27", "1.84"), ("1", "95.45", "13.97"), ("4", "95", "2.78"), ("10", "99", "3.17"),
        ("16", "95", "2.12"), ("50", "95.45", "2.05"), ("100", "99.73", "3.077"),
    ],
)  # fmt: skip
def test_coverage_factors_are_those_of_table_g_2(degrees, percent, expected):
    factor = find_coverage_factor(Decimal(percent) / 100, Decimal(degrees))
    places = len(expected.split(".")[1])
    assert round(factor, places) == Decimal(expected)


def test_infinitely_many_degrees_of_freedom_are_the_normal_distribution():
    assert student_quantile(Decimal("0.975"), None) == normal_quantile(Decimal("0.975"))
    many = student_quantile(Decimal("0.975"), Decimal(1_000_000))
    assert 0 < many - normal_quantile(Decimal("0.975")) < Decimal("0.00001")


def test_quantiles_are_antisymmetric():
    upper = student_quantile(Decimal("0.9"), Decimal("3.7"))
    assert student_quantile(Decimal("0.1"), Decimal("3.7")) == upper.copy_negate()


@pytest.mark.parametrize("probability", ["0", "1", "-0.5", "95"])
def test_a_probability_is_between_none_and_certain(probability):
    with pytest.raises(ValueError, match="above 0 and below 1"):
        normal_quantile(Decimal(probability))
