"""Seed, Rule: substitution methods; design, section 5, Rules: what each purpose and method takes."""

from decimal import Decimal

import pytest

from weighbridge.core.expression import PLAIN, TEXT, TRUTH
from weighbridge.core.rule import Vocabulary
from weighbridge.core.rule_correction import (
    FIELDS,
    METHODS,
    Method,
    Purpose,
    problems_of_fit,
    read_correction,
)

WINDOW = {"kind": "rolling", "members": 10}
WHOLE = {
    "constant": {"value": Decimal("12.50")},
    "previous": {},
    "next": {},
    "mean_of_neighbours": {},
    "linear": {},
    "mean": {"window": WINDOW},
    "median": {"window": WINDOW},
    "minimum": {"window": WINDOW},
    "maximum": {"window": WINDOW},
    "percentile": {"window": WINDOW, "percentile": 95, "definition": "nearest_rank"},
    "expression": {"expression": "{{mass}} * 1.02"},
}


@pytest.mark.parametrize("method", Method)
def test_a_substitution_takes_every_method_with_what_belongs_to_it(method):
    read, problems = read_correction(Purpose.SUBSTITUTE, {"method": method.value, **WHOLE[method]})

    assert problems == []
    assert read is not None
    assert read["method"] == method
    assert set(read) == {"method", *FIELDS[method]}


@pytest.mark.parametrize("method", Method)
def test_what_was_read_is_read_again_as_the_same(method):
    read, _ = read_correction(Purpose.IMPUTE, {"method": method.value, **WHOLE[method]})

    assert read_correction(Purpose.IMPUTE, read) == (read, [])


def test_a_percentile_is_linear_unless_it_is_said():
    read, _ = read_correction(
        Purpose.SUBSTITUTE, {"method": "percentile", "window": WINDOW, "percentile": Decimal("97.5")}
    )

    assert read is not None
    assert (read["percentile"], read["definition"]) == (Decimal("97.5"), "linear")


def test_a_trailing_window_is_another_word_for_a_rolling_one():
    read, _ = read_correction(
        Purpose.SUBSTITUTE, {"method": "mean", "window": {"kind": "trailing", "members": 3}}
    )

    assert read is not None
    assert read["window"]["kind"] == "rolling"


@pytest.mark.parametrize("method", sorted(set(Method) - set(METHODS[Purpose.ADJUST])))
def test_an_adjustment_computes_from_the_value_itself(method):
    _, problems = read_correction(Purpose.ADJUST, {"method": method.value, **WHOLE[method]})

    assert [(problem.field, problem.code) for problem in problems] == [("correction.method", "invalid")]


REFUSED = {
    "an alert that corrects": (Purpose.ALERT, {"method": "previous"}, "correction"),
    "a correction that says nothing": (Purpose.SUBSTITUTE, None, "correction"),
    "an empty correction": (Purpose.SUBSTITUTE, {}, "correction.method"),
    "an unknown method": (Purpose.SUBSTITUTE, {"method": "guess"}, "correction.method"),
    "a constant without a value": (Purpose.SUBSTITUTE, {"method": "constant"}, "correction.value"),
    "a constant that is empty": (Purpose.SUBSTITUTE, {"method": "constant", "value": ""}, "correction.value"),
    "a mean without a window": (Purpose.SUBSTITUTE, {"method": "mean"}, "correction.window"),
    "a window that is none": (
        Purpose.SUBSTITUTE, {"method": "mean", "window": {"kind": "round"}}, "correction.window.kind",
    ),
    "a percentile over a hundred": (
        Purpose.SUBSTITUTE, {"method": "percentile", "window": WINDOW, "percentile": 101},
        "correction.percentile",
    ),
    "a percentile of another definition": (
        Purpose.SUBSTITUTE, {"method": "percentile", "window": WINDOW, "percentile": 5, "definition": "x"},
        "correction.definition",
    ),
    "an expression that cannot be read": (
        Purpose.ADJUST, {"method": "expression", "expression": "{{mass}} *"}, "correction.expression",
    ),
    "an expression that is blank": (
        Purpose.ADJUST, {"method": "expression", "expression": " "}, "correction.expression",
    ),
    "a field of another method": (Purpose.IMPUTE, {"method": "linear", "value": 1}, "correction.value"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_with_a_correction_is_named_by_its_field(name):
    purpose, given, field = REFUSED[name]

    _, problems = read_correction(purpose, given)

    assert [(problem.field, problem.code) for problem in problems] == [(field, "invalid")]
    assert problems[0].message.endswith(".")


def test_everything_that_is_wrong_is_said_at_once():
    _, problems = read_correction(
        Purpose.SUBSTITUTE, {"method": "percentile", "percentile": -1, "definition": "x", "value": 3}
    )

    assert [problem.field for problem in problems] == [
        "correction.value", "correction.window", "correction.percentile", "correction.definition",
    ]  # fmt: skip


DELIVERY = Vocabulary("a delivery", {"wet-mass": PLAIN, "note": TEXT, "is-wet": TRUTH})

FITTING = {
    "a number of a number": ("wet-mass", {"method": "constant", "value": Decimal("1.5")}),
    "a text of a text": ("note", {"method": "constant", "value": "dry"}),
    "a boolean of a boolean": ("is-wet", {"method": "constant", "value": False}),
    "the previous text": ("note", {"method": "previous"}),
    "an expression of what is there": (
        "wet-mass", {"method": "expression", "expression": "if(asset = 'Scale 2', 1.02, 1) * wet_mass"},
    ),
}  # fmt: skip
UNFITTING = {
    "a text of a number": ("wet-mass", {"method": "constant", "value": "dry"}, "correction.value"),
    "a number of a text": ("note", {"method": "constant", "value": 1}, "correction.value"),
    "a boolean of a number": ("wet-mass", {"method": "constant", "value": True}, "correction.value"),
    "the mean of texts": ("note", {"method": "mean"}, "correction.method"),
    "an expression of what is not there": (
        "wet-mass", {"method": "expression", "expression": "{{mass}} * 1.02"}, "correction.expression",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FITTING)
def test_a_correction_fits_the_data_point_that_it_corrects(name):
    data_point, correction = FITTING[name]

    assert [*problems_of_fit(correction, DELIVERY, data_point)] == []


@pytest.mark.parametrize("name", UNFITTING)
def test_a_correction_that_does_not_fit_its_data_point_is_named(name):
    data_point, correction, field = UNFITTING[name]

    [problem] = problems_of_fit(correction, DELIVERY, data_point)

    assert problem.field == field
