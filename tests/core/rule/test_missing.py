"""What an expression comes to when values are missing or have no result. Core, rule/definition."""

from decimal import Decimal

import pytest
from tests.core.rule.records import alerts, daily, evaluate, record, rule_of

from weighbridge.core.expression import number
from weighbridge.core.rule import Vocabulary
from weighbridge.core.unit import parse_unit


@pytest.mark.parametrize(
    ("expression", "is_alert"),
    [
        ("{{mass}} > 5", False),
        ("not ({{mass}} > 5)", False),
        ("{{mass}} = {{mass}}", False),
        ("{{mass}} != 5", False),
        ("{{mass}} not in (1, 2)", False),
        ("{{mass}} not between 1 and 2", False),
        ("{{mass}} IS NULL", True),
        ("{{mass}} IS NOT NULL", False),
        ("({{mass}} + 1) is null", True),
        ("coalesce({{mass}}, 7) = 7", True),
        ("{{mass}} > 5 or 1 = 1", True),
        ("1 = 1 or {{mass}} > 5", True),
        ("{{mass}} > 5 and 1 = 1", False),
        ("not ({{mass}} > 5 and 1 = 2)", True),
        ("3 not between {{mass}} and 2", True),
        ("2 in (2, {{mass}})", True),
        ("if({{mass}} > 5, 1, 2) is null", True),
    ],
)
def test_a_missing_value_is_neither_true_nor_false(expression, is_alert):
    found = alerts(expression, [record(1, "2025-01-01T00:00:00", [None])])

    assert found == ([1] if is_alert else [])


def test_members_without_the_value_are_left_out_of_an_aggregate():
    window = {"kind": "rolling", "members": 10, "include_current": True}

    found = alerts("avg({{mass}}) = 3 and count({{mass}}) = 2 and count() = 3", daily([2, None, 4]), window)

    assert found == [3]


def test_aggregates_of_nothing_are_missing_but_sums_and_counts_are_zero():
    window = {"kind": "rolling", "members": 10}
    expression = (
        "avg({{mass}}) is null and min({{mass}}) is null and median({{mass}}) is null"
        " and stddev({{mass}}) is null and previous({{mass}}) is null"
        " and sum({{mass}}) = 0 and count({{mass}}) = 0"
    )

    assert alerts(expression, daily([2]), window) == [1]


def test_a_division_by_zero_is_an_error_of_that_record_alone():
    found = evaluate(rule_of("({{fuel}} / {{mass}}) > 0.5"), daily([(1, 0), (6, 10)]))

    assert [(finding.record.key, finding.error) for finding in found] == [
        (1, "At column 11: The divisor is zero."),
        (2, None),
    ]


def test_what_stands_behind_a_decision_needs_no_result():
    assert alerts("{{mass}} = 0 or ({{fuel}} / {{mass}}) > 1", daily([(0, 1)])) == [1]
    assert alerts("{{mass}} != 0 and ({{fuel}} / {{mass}}) > 1", daily([(0, 1)])) == []


def test_a_member_without_a_result_spoils_the_aggregate_until_it_leaves():
    rule = rule_of("avg({{fuel}} / {{mass}}) > 0.5", {"kind": "rolling", "members": 2})

    found = evaluate(rule, daily([(1, 1), (1, 0), (1, 1), (1, 1), (1, 1)]))

    assert [(finding.record.key, finding.error is None) for finding in found] == [
        (2, True), (3, False), (4, False), (5, True),
    ]  # fmt: skip


def test_numbers_are_compared_as_they_stand_in_the_unit_of_their_type():
    vocabulary = Vocabulary("lab", {"moisture": number(parse_unit("%"))})
    rule = rule_of("{{moisture}} > 12", vocabulary=vocabulary)

    found = evaluate(rule, [record(1, "2025-01-01T00:00:00", [Decimal("12.5")])])

    assert len(found) == 1


def test_texts_and_truths_are_tested():
    assert alerts("{{site}} STARTS WITH 'No' AND {{site}} Ends With \"th\"", daily(["North", "Nora"], 1)) == [
        1
    ]
    assert alerts("{{site}} contains 'ort' and {{site}} matches '^[A-Z]'", daily(["North", "nort"])) == [1]
    assert alerts("not {{weighed}}", [record(1, "2025-01-01T00:00:00", [False])]) == [1]
    assert alerts("{{weighed}} = true", [record(1, "2025-01-01T00:00:00", [False])]) == []
