"""What somebody states of a value becomes its standard uncertainty (JCGM 100:2008, 4.3)."""

from decimal import Decimal

import pytest

from weighbridge.core.uncertainty.statement import build_statement, list_fields
from weighbridge.core.unit import parse_unit

KG = parse_unit("kg")


def stated(**fields):
    statement, problems = build_statement(fields, KG)
    assert not problems
    return statement


def refused(**fields):
    statement, problems = build_statement(fields, KG)
    assert statement is None
    return [problem.message for problem in problems]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"standard": Decimal(20)}, "20"),
        ({"relative_standard": Decimal("0.005")}, "10"),
        ({"half_width": Decimal(40), "coverage_factor": Decimal(2)}, "20"),
        ({"relative_half_width": Decimal("0.02"), "coverage_factor": Decimal(2)}, "20"),
        ({"half_width": Decimal(3), "distribution": "rectangular"}, "1.732050807568877"),
        ({"half_width": Decimal(3), "distribution": "triangular"}, "1.224744871391589"),
        ({"half_width": Decimal(3), "distribution": "arcsine"}, "2.121320343559643"),
        ({"standard": Decimal("0.02"), "unit": "t"}, "20"),
        ({"standard": Decimal(500), "unit": "g"}, "0.5"),
        ({"standard": Decimal(0)}, "0"),
    ],
)
def test_a_statement_gives_the_standard_uncertainty_of_two_tonnes(fields, expected):
    uncertainty = stated(**fields).standard_uncertainty(Decimal(2000), KG)
    assert round(uncertainty, 15) == Decimal(expected)


def test_percentiles_of_a_lognormal_give_its_standard_deviation():
    # ln X is normal with mean ln 2 and deviation 0.5, whose 97.5 % quantile is at 1.959964 of them.
    z = Decimal("1.959963984540054235524594430520551")
    spread = (z * Decimal("0.5")).exp()
    bounds = {"low": 2 / spread, "high": 2 * spread, "probability": Decimal("0.95")}
    uncertainty = stated(percentiles=bounds).standard_uncertainty(Decimal(2), KG)
    variance = Decimal("0.25")
    expected = 2 * (variance / 2).exp() * (variance.exp() - 1).sqrt()
    assert abs(uncertainty - expected) < Decimal("1e-25")


def test_a_relative_change_has_the_sign_of_the_value():
    statement = stated(relative_standard=Decimal("0.01"))
    assert statement.compute_change(Decimal(-5), KG) == Decimal("-0.05")
    assert statement.standard_uncertainty(Decimal(-5), KG) == Decimal("0.05")


def test_half_a_degree_fahrenheit_is_five_eighteenths_of_a_kelvin():
    statement, _ = build_statement({"standard": Decimal("0.5"), "unit": "degF"}, parse_unit("degC"))
    uncertainty = statement.standard_uncertainty(Decimal(20), parse_unit("degC"))
    assert round(uncertainty, 12) == round(Decimal(5) / 18, 12)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "needs exactly one of standard"),
        ({"standard": Decimal(1), "half_width": Decimal(1)}, "it has standard and half_width"),
        ({"standard": Decimal(-1)}, "standard must not be negative; here is -1"),
        ({"half_width": Decimal(1)}, "needs its coverage_factor"),
        ({"standard": Decimal(1), "coverage_factor": Decimal(2)}, "belongs to the half width"),
        ({"standard": Decimal(1), "distribution": "triangular"}, "triangular needs a half_width"),
        ({"standard": Decimal(1), "distribution": "gauss"}, "here is 'gauss'"),
        ({"standard": Decimal(1), "distribution": "lognormal"}, "which needs them"),
        ({"standard": Decimal(1), "unit": "m"}, "cannot be converted to kg"),
        ({"relative_standard": Decimal(1), "unit": "kg"}, "has no unit"),
        ({"standard": Decimal(1), "degrees_of_freedom": Decimal(0)}, "degrees_of_freedom must be above 0"),
        ({"standard": Decimal(1), "effect": " "}, "effect must be a text"),
        ({"standard": Decimal(1), "k": Decimal(2)}, "There is no key 'k'"),
        (
            {"percentiles": {"low": Decimal(2), "high": Decimal(1), "probability": Decimal("0.9")}},
            "must be above 0 and below the high; here are 2 and 1",
        ),
        (
            {"percentiles": {"low": Decimal(1), "high": Decimal(2), "probability": Decimal(95)}},
            "such as 0.95; here is 95",
        ),
    ],
)
def test_what_is_wrong_with_a_statement_is_said(fields, sentence):
    assert any(sentence in message for message in refused(**fields))


def test_all_that_is_wrong_is_said_at_once():
    assert len(refused(standard=Decimal(-1), degrees_of_freedom=Decimal(-2), unit="m")) == 3


def test_a_temperature_in_degrees_has_no_relative_uncertainty():
    _, problems = build_statement({"relative_standard": Decimal("0.1")}, parse_unit("degC"))
    assert "no relative uncertainty" in problems[0].message


@pytest.mark.parametrize(
    "fields",
    [
        {"standard": Decimal(20), "source": "certificate 4711", "effect": "weighbridge"},
        {
            "relative_half_width": Decimal("0.02"),
            "coverage_factor": Decimal(2),
            "degrees_of_freedom": Decimal(9),
        },
        {"half_width": Decimal(3), "distribution": "arcsine", "unit": "g"},
        {"percentiles": {"low": Decimal(1), "high": Decimal(2), "probability": Decimal("0.9")}},
    ],
)
def test_a_statement_has_the_fields_that_it_was_built_of(fields):
    assert list_fields(stated(**fields)) == fields
