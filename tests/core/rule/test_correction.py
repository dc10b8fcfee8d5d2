"""Seed, Rule; design, section 5, Rules: what a correction is written as, and what it makes of a value."""

from decimal import Decimal

import pytest

from weighbridge.core.expression import ExpressionError, Position
from weighbridge.core.expression.value import Fault
from weighbridge.core.rule.definition import METHODS, Purpose, apply_adjustment, read_correction

CALIBRATION = {"method": "expression", "expression": "{{mass}} * 1.02"}


def test_a_rule_alerts_or_adjusts_and_an_adjustment_is_an_expression():
    assert METHODS == {Purpose.ALERT: (), Purpose.ADJUST: ("expression",)}


def test_an_adjustment_is_read_in_one_form():
    padded = {"method": "expression", "expression": "  {{mass}} * 1.02 "}

    assert read_correction(Purpose.ADJUST, padded) == (CALIBRATION, [])
    assert read_correction(Purpose.ADJUST, CALIBRATION) == (CALIBRATION, [])


def test_an_alert_has_none():
    assert read_correction(Purpose.ALERT, None) == (None, [])


REFUSED = {
    "an alert that corrects": (Purpose.ALERT, CALIBRATION, ["correction"]),
    "an adjustment that says nothing": (Purpose.ADJUST, None, ["correction"]),
    "an empty adjustment": (Purpose.ADJUST, {}, ["correction.method"]),
    "an unknown method": (Purpose.ADJUST, {"method": "guess"}, ["correction.method"]),
    "a method that is no text": (Purpose.ADJUST, {"method": ["expression"]}, ["correction.method"]),
    "an adjustment without an expression": (
        Purpose.ADJUST, {"method": "expression"}, ["correction.expression"],
    ),
    "an expression that is blank": (
        Purpose.ADJUST, {"method": "expression", "expression": " "}, ["correction.expression"],
    ),
    "an expression that is no text": (
        Purpose.ADJUST, {"method": "expression", "expression": 2}, ["correction.expression"],
    ),
    "a field of no method, and no expression": (
        Purpose.ADJUST, {"method": "expression", "value": 1}, ["correction.value", "correction.expression"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_all_that_is_wrong_with_a_correction_is_named_by_its_field(name):
    purpose, given, fields = REFUSED[name]

    _, problems = read_correction(purpose, given)

    assert [(problem.field, problem.code) for problem in problems] == [(field, "invalid") for field in fields]
    assert all(problem.message.endswith(".") for problem in problems)


def test_a_captured_value_becomes_what_was_computed():
    assert apply_adjustment(Decimal(50), Decimal("51.00")) == (Decimal("51.00"), None)
    assert apply_adjustment("wet", "dry") == ("dry", None)
    assert apply_adjustment(captured=True, computed=False) == (False, None)


def test_a_value_that_comes_to_itself_is_not_adjusted():
    assert apply_adjustment(Decimal(50), Decimal("50.0")) == (None, None)


@pytest.mark.parametrize(
    "computed", [Decimal(51), None, Fault(ExpressionError("Division by zero.", Position(1, 1)))]
)
def test_a_value_that_is_missing_or_left_to_a_person_is_not_adjusted(computed):
    assert apply_adjustment(None, computed) == (None, None)


def test_a_correction_without_a_result_says_so():
    fault = Fault(ExpressionError("Division by zero.", Position(1, 8)))

    assert apply_adjustment(Decimal(50), fault) == (
        None, "The correction has no result. At column 8: Division by zero.",
    )  # fmt: skip


def test_a_correction_that_reads_what_is_missing_says_so():
    assert apply_adjustment(Decimal(50), None) == (
        None, "The correction has no result. A value that it reads is missing.",
    )  # fmt: skip
