"""What each method fills a gap with. Core, rule/substitution; design, section 5, Rules."""

from decimal import Decimal

import pytest
from tests.core.rule.substitution.hours import filled, hour, hours, numbers, outcomes

from weighbridge.core.rule.substitution import write_outcome

ALL = {"kind": "rolling", "members": 100}
SERIES = "10 20 60 - - 30"


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ({"method": "constant", "value": 7}, {"h4": "7", "h5": "7"}),
        ({"method": "previous"}, {"h4": "60", "h5": "60"}),
        ({"method": "next"}, {"h4": "30", "h5": "30"}),
        ({"method": "mean_before_after"}, {"h4": "45", "h5": "45"}),
        ({"method": "linear"}, {"h4": "50", "h5": "40"}),
        ({"method": "mean", "window": ALL}, {"h4": "30", "h5": "30"}),
        ({"method": "median", "window": ALL}, {"h4": "20", "h5": "20"}),
        ({"method": "minimum", "window": ALL}, {"h4": "10", "h5": "10"}),
        ({"method": "maximum", "window": ALL}, {"h4": "60", "h5": "60"}),
        (
            {"method": "percentile", "p": 50, "definition": "nearest_rank", "window": ALL},
            {"h4": "20", "h5": "20"},
        ),
        (
            {"method": "greater_of", "methods": [{"method": "mean", "window": ALL}, {"method": "linear"}]},
            {"h4": "50", "h5": "40"},
        ),
        (
            {"method": "lesser_of", "methods": [{"method": "mean", "window": ALL}, {"method": "linear"}]},
            {"h4": "30", "h5": "30"},
        ),
    ],
    ids=lambda one: one.get("method") if isinstance(one, dict) else None,
)
def test_a_method_fills_a_gap(method, expected):
    assert filled(method, SERIES) == numbers(**expected)


# 2, 4, 4, 4, 5, 5, 7, 9: mean 5, population deviation 2, sample deviation sqrt(32 / 7).
@pytest.mark.parametrize(
    ("deviation", "expected"), [("population", "9"), ("sample", "9.276179870598790154952855694076056")]
)
def test_a_mean_plus_standard_deviations(deviation, expected):
    method = {"method": "mean_plus_sd", "factor": 2, "deviation": deviation, "window": ALL}

    assert filled(method, "2 4 4 4 5 5 7 9 -") == {9: Decimal(expected)}


def test_a_sample_deviation_takes_two_values():
    method = {"method": "mean_plus_sd", "factor": 2, "deviation": "sample", "window": ALL}

    assert filled(method, "2 -") == {2: "no_members"}
    assert filled(method | {"deviation": "population"}, "2 -") == {2: Decimal(2)}


def test_an_expression_reads_what_else_the_event_holds():
    method = {"method": "expression", "expression": "{{load}} * 2"}
    series = [
        hour(1, "10", (Decimal(5),)),
        hour(2, "!99", (Decimal(6),)),
        hour(3, "-"),
        hour(4, "10", (None,)),
    ]

    assert filled(method, series) == {2: Decimal(12), 3: "no_result"}


def test_what_has_no_result_says_so():
    method = {"method": "expression", "expression": "1 / ({{load}} - 6)"}

    found = outcomes(method, [hour(1, "!9", (Decimal(6),))])[1].result

    assert found.reason == "no_result"
    assert "zero" in found.explanation


@pytest.mark.parametrize(
    ("method", "series", "expected"),
    [
        ({"method": "mean_before_after"}, "10 - ", {"h2": "pending_after"}),
        ({"method": "mean_before_after", "without_after": "before"}, "10 - ", {"h2": "10"}),
        (
            {"method": "mean_before_after", "without_after": {"method": "constant", "value": 3}},
            "10 - ",
            {"h2": "3"},
        ),
        ({"method": "mean_before_after"}, "- 14", {"h1": "no_before"}),
        ({"method": "mean_before_after", "without_before": "first_after"}, "- 14", {"h1": "14"}),
        (
            {"method": "mean_before_after", "without_before": {"method": "constant", "value": 3}},
            "- 14",
            {"h1": "3"},
        ),
        ({"method": "mean_before_after", "without_before": "first_after"}, "- -", {
            "h1": "pending_after", "h2": "pending_after",
        }),
        ({"method": "linear", "without_after": "before"}, "10 - -", {"h2": "10", "h3": "10"}),
        ({"method": "previous"}, "- 14", {"h1": "no_before"}),
        ({"method": "previous", "without_before": "first_after"}, "- 14", {"h1": "14"}),
        ({"method": "next"}, "10 -", {"h2": "pending_after"}),
        ({"method": "next", "without_after": "before"}, "10 -", {"h2": "10"}),
        ({"method": "mean", "window": ALL}, "- 14", {"h1": "no_members"}),
    ],
)  # fmt: skip
def test_a_gap_without_a_border_on_one_side(method, series, expected):
    assert filled(method, series) == numbers(**expected)


def test_the_greater_of_several_waits_for_all_of_them():
    method = {
        "method": "greater_of",
        "methods": [{"method": "constant", "value": 5}, {"method": "mean_before_after"}],
    }

    assert filled(method, "10 -") == {2: "pending_after"}
    assert filled(method, "10 - 2") == {2: Decimal(6)}


@pytest.mark.parametrize(("mode", "expected"), [("half_up", "248.9"), ("half_even", "248.8")])
def test_a_value_in_the_middle_is_rounded_as_the_rule_says(mode, expected):
    method = {"method": "mean_before_after", "round": {"places": 1, "mode": mode}}

    assert filled(method, "251.3 - 246.4") == {2: Decimal(expected)}


def test_half_up_goes_away_from_zero_and_places_may_stand_before_the_point():
    assert filled(
        {"method": "constant", "value": Decimal("-2.5"), "round": {"places": 0, "mode": "half_up"}}, "-"
    ) == {1: Decimal(-3)}
    assert filled(
        {"method": "constant", "value": 124_500, "round": {"places": -3, "mode": "half_up"}}, "-"
    ) == {1: Decimal(125_000)}


@pytest.mark.parametrize(
    ("method", "high", "low"),
    [
        ({"method": "percentile", "p": 90, "definition": "nearest_rank", "window": ALL}, "9", "1"),
        ({"method": "maximum", "window": ALL}, "10", "1"),
        ({"method": "minimum", "window": ALL}, "1", "10"),
        (
            {
                "method": "greater_of",
                "methods": [{"method": "previous"}, {"method": "maximum", "window": ALL}],
            },
            "10",
            "1",
        ),
        (
            {"method": "mean_plus_sd", "factor": 0, "deviation": "population", "window": ALL},
            "5.5",
            "5.5",
        ),
        ({"method": "next", "without_after": {"method": "maximum", "window": ALL}}, "10", "1"),
        ({"method": "previous"}, "10", "10"),
    ],
)
def test_what_is_conservative_on_the_low_side_turns_round(method, high, low):
    series = hours("1 2 3 4 5 6 7 8 9 10 -")

    assert filled(method, series) == {11: Decimal(high)}
    assert filled(method | {"conservative": "high"}, series) == {11: Decimal(high)}
    assert filled(method | {"conservative": "low"}, series) == {11: Decimal(low)}


def test_what_is_conservative_on_the_low_side_takes_deviations_from_the_mean():
    method = {"method": "mean_plus_sd", "factor": 2, "deviation": "population", "window": ALL}

    assert filled(method | {"conservative": "low"}, "2 4 4 4 5 5 7 9 -") == {9: Decimal(1)}


def test_a_result_beyond_all_numbers_is_none():
    method = {"method": "mean_plus_sd", "factor": 100, "deviation": "population", "window": ALL}

    assert filled(method, "1 9e100 -") == {3: "no_result"}


def test_an_outcome_says_what_gave_the_value():
    tiers = [
        {
            "when": "gap_slots() <= 2 and availability() > 0.1",
            "code": "08",
            "method": "greater_of",
            "methods": [{"method": "mean_before_after"}, {"method": "maximum", "window": ALL}],
        }
    ]

    found = outcomes({"tiers": tiers}, "10 20 - !3 10")

    first, second = found[3], found[4]
    assert (first.method, first.result.method, first.result.members) == ("greater_of", "maximum", 2)
    assert (first.tier, first.code, first.gap_slots, first.is_settled) == (1, "08", 2, True)
    assert first.result.look_back.window.members == 100
    assert first.availability == Decimal("0.6666666666666666666666666666666667")
    assert second.availability == Decimal("0.5")
    assert (first.is_missing, second.is_missing) == (True, False)


def test_what_is_said_of_a_value():
    tiers = [{"when": "availability() > 0.5", "code": "10", "method": "maximum", "window": ALL}]
    given = {"tiers": [*tiers, {"method": "next"}], "availability_slots": 4}

    found = outcomes(given, "10 20 - - -")

    assert write_outcome(found[3]) == {
        "method": "maximum",
        "found_by": "maximum",
        "tier": 1,
        "code": "10",
        "window": {"kind": "rolling", "members": 100, "include_current": False},
        "members_used": 2,
        "availability": Decimal("0.6666666666666666666666666666666667"),
        "gap_slots": 3,
    }
    assert write_outcome(found[5]) is None
