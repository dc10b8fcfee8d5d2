"""What the correction of a rule comes to, and what does not fit. Core, rule: reading and evaluation."""

from decimal import Decimal

import pytest
from tests.core.rule.records import DELIVERY, daily, evaluate, record

from weighbridge.core.expression import PLAIN
from weighbridge.core.rule import Vocabulary, check_correction, check_rule, read_rule

MONTH = {"kind": "calendar", "unit": "month"}


def corrected(expression, correction, records, window=None):
    """What the correction comes to for each record that the rule is true for, by their keys."""
    rule, problems = read_rule(expression, window, correction=correction)
    assert rule is not None, problems
    assert check_rule(rule, DELIVERY) == []
    return {finding.record.key: finding.correction for finding in evaluate(rule, records)}


def problems_of(correction, data_point="mass", window=None, vocabulary=DELIVERY):
    rule, problems = read_rule("{{mass}} > 2", window, correction=correction)
    if rule is not None:
        problems = check_correction(rule, vocabulary, [], data_point)
    return [(problem.field, problem.code) for problem in problems], [problem.message for problem in problems]


def test_a_correction_is_computed_for_the_records_that_the_rule_is_true_for():
    assert corrected("{{mass}} > 2", "{{mass}} * 1.02", daily([1, 50, 2, 3])) == {
        2: Decimal("51.00"), 4: Decimal("3.06"),
    }  # fmt: skip


def test_a_rule_without_a_correction_corrects_nothing():
    assert corrected("{{mass}} > 2", None, daily([3])) == {1: None}


def test_a_correction_sees_the_window_of_the_rule_and_its_facts():
    records = daily([10, 20, 30])

    assert corrected("{{mass}} > 15", "avg({{mass}}) + duration_hours()", records, MONTH) == {2: 15, 3: 20}


def test_a_correction_waits_for_the_end_of_a_whole_period():
    whole = MONTH | {"extent": "whole_period"}

    assert corrected("{{mass}} > 15", "sum({{mass}})", daily([10, 20, 30]), whole) == {2: 60, 3: 60}


def test_the_condition_and_the_correction_share_an_aggregate():
    rule, _ = read_rule("{{mass}} > avg({{mass}})", MONTH, correction="avg({{mass}}) + count()")

    assert rule is not None
    assert [call.function for call in rule.aggregates] == ["average", "count"]


def test_a_rule_reads_what_its_correction_reads():
    rule, _ = read_rule("{{mass}} > 2", correction="{{mass}} - {{fuel}}")

    assert rule is not None
    assert [name.text for name in rule.names] == ["mass", "fuel"]
    assert rule.is_about_itself


def test_a_correction_without_a_result_is_a_fault_and_one_that_misses_a_value_is_missing():
    records = [record(1, "2025-01-01T00:00:00", (3, 0)), record(2, "2025-01-02T00:00:00", (3, None))]

    found = corrected("{{mass}} > 2", "{{mass}} / {{fuel}}", records)

    assert str(found[1].error).startswith("At column ")
    assert found[2] is None


UNFITTING = {
    "{{mass}} *": "invalid",
    "{{volume}} * 2": "unknown",
    "{{site}}": "invalid",
    "{{weighed}}": "invalid",
    "{{site}} * 2": "invalid",
    "avg({{mass}})": "invalid",
}


@pytest.mark.parametrize("correction", UNFITTING)
def test_a_correction_that_does_not_fit_is_named_by_its_field(correction):
    found, _ = problems_of(correction)

    assert found == [("correction.expression", UNFITTING[correction])]


def test_a_correction_gives_what_its_data_point_is():
    assert problems_of("{{mass}} * 2") == ([], [])
    assert problems_of("'A'", "site") == ([], [])
    assert problems_of("not {{weighed}}", "weighed") == ([], [])
    assert problems_of("'A'")[1] == ["correction.expression gives a text, and 'mass' is a number."]


def test_a_correction_of_slots_needs_a_cadence():
    without = Vocabulary("bill", {"mass": PLAIN})

    assert problems_of("missed_slots()", vocabulary=without)[1] == [
        "missed_slots needs a cadence, which bill has not."
    ]
    assert problems_of("missed_slots()") == ([], [])


def test_a_data_point_that_the_records_have_not_is_the_concern_of_others():
    assert problems_of("{{mass}} * 2", "volume") == ([], [])
