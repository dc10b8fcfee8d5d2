"""Worked hours of 40 CFR Part 75 (SO2, NOx), by the tiers that the regulator's validator checks."""

from decimal import Decimal

import pytest
from tests.core.rule.substitution.hours import filled, hour, hours, outcomes

LOOK_BACK = {"kind": "rolling", "members": 720, "duration": {"value": 26_280, "unit": "hour"}}
BEFORE_AFTER = {"method": "mean_before_after"}
MAXIMUM_POTENTIAL = {"method": "constant", "value": 2500}


def greater_of_percentile(p):
    percentile = {"method": "percentile", "p": p, "definition": "nearest_rank", "window": LOOK_BACK}
    return {"method": "greater_of", "methods": [percentile, BEFORE_AFTER]}


SO2 = {
    "tiers": [
        {"when": "valid_slots() = 0", "code": "12", **MAXIMUM_POTENTIAL},
        {"when": "valid_slots() <= 720", "code": "07", **BEFORE_AFTER},
        {"when": "availability() >= 0.95 and gap_slots() <= 24", "code": "06", **BEFORE_AFTER},
        {"when": "availability() >= 0.95", "code": "08", **greater_of_percentile(90)},
        {"when": "availability() >= 0.9 and gap_slots() <= 8", "code": "06", **BEFORE_AFTER},
        {"when": "availability() >= 0.9", "code": "09", **greater_of_percentile(95)},
        {"when": "availability() >= 0.8", "code": "10", "method": "maximum", "window": LOOK_BACK},
        {"code": "12", **MAXIMUM_POTENTIAL},
    ],
    "availability_slots": 8760,
    "round": {"places": 1, "mode": "half_up"},
}


def past(valid, lost, before):
    """Hours of which so many were valid: the last 720 hold 1 to 720, and the last of all the value before."""
    last = [str(number) for number in range(720, 0, -1) if str(number) != before]
    last = [*last[-719:], before]
    return ["-"] * lost + ["5"] * (valid - len(last)) + last


def codes_and_values(valid, lost, gap, before="300", after="310"):
    """What becomes of the hours of a gap behind a past of so many valid and lost hours."""
    words = [*past(valid, lost, before), *["-"] * gap, after]
    found = outcomes(SO2, hours(words))
    last = [one for number, one in found.items() if number > valid + lost]
    assert len(last) == gap
    return {(one.code, one.value) for one in last}


@pytest.mark.parametrize(
    ("valid", "lost", "gap", "code", "value"),
    [
        (7_696, 304, 24, "06", "305"),  # 96 %, up to a day: the mean of before and after
        (7_696, 304, 25, "08", "648"),  # 96 %, longer: the 90th percentile for every hour of it
        (7_440, 560, 8, "06", "305"),  # 93 %, up to 8 h
        (7_440, 560, 9, "09", "684"),  # 93 %, longer: the 95th percentile
        (6_800, 1_200, 1, "10", "720"),  # 85 %: the maximum
        (6_392, 1_608, 1, "12", "2500"),  # 79.9 %: the maximum potential concentration
    ],
)
def test_the_tier_follows_availability_and_the_length_of_the_whole_gap(valid, lost, gap, code, value):
    assert codes_and_values(valid, lost, gap) == {(code, Decimal(value))}


@pytest.mark.parametrize(
    ("valid", "code"),
    [(7_600, "06"), (7_599, "06"), (7_200, "06"), (7_199, "10"), (6_400, "10"), (6_399, "12")],
)
def test_a_tier_begins_with_its_share(valid, code):
    """8,000 operating hours with the hour itself: 95.0, 90.0 and 80.0 % belong to the tier above."""
    ((found, _),) = codes_and_values(valid, 7_999 - valid, 1)

    assert found == code


@pytest.mark.parametrize(("valid", "code"), [(7_600, "08"), (7_599, "09")])
def test_a_gap_of_25_hours_at_95_percent(valid, code):
    words = [*past(valid, 7_999 - valid, "300"), *["-"] * 25, "310"]

    first = outcomes(SO2, hours(words))[8_000]

    assert (first.code, first.value) == (code, Decimal(648 if code == "08" else 684))


def test_the_mean_is_rounded_half_away_from_zero():
    """(251.3 + 246.4) / 2 = 248.85, which half to even would make 248.8."""
    assert codes_and_values(7_696, 304, 3, "251.3", "246.4") == {("06", Decimal("248.9"))}


def test_the_greater_of_percentile_and_mean():
    assert codes_and_values(7_696, 304, 25, "700", "690") == {("08", Decimal(695))}


@pytest.mark.parametrize(("valid", "tier"), [(8_322, 1), (8_321, 2)])
def test_availability_is_not_rounded_before_the_tier_is_chosen(valid, tier):
    """Equation 9: 8,322 of 8,760 hours are 95.0 %; 8,321 are 94.98858 %."""
    tiers = [{"when": "availability() >= 0.95", **MAXIMUM_POTENTIAL}, MAXIMUM_POTENTIAL]
    words = ["5"] * 1_000 + ["-"] * (8_759 - valid) + ["5"] * valid + ["-"]

    last = outcomes({"tiers": tiers, "availability_slots": 8_760}, hours(words))[len(words)]

    assert last.tier == tier


def test_availability_is_taken_over_all_hours_until_there_are_8760():
    """Equation 8."""
    tiers = [{"when": "availability() < 1", **MAXIMUM_POTENTIAL}]

    found = outcomes({"tiers": tiers, "availability_slots": 8_760}, "5 5 5 -")

    assert found[4].availability == Decimal("0.75")


def test_the_initial_procedure_waits_for_the_hour_after():
    words = ["10.0"] * 719 + ["-"]

    assert filled(SO2, hours(words)) == {720: "pending_after"}
    assert filled(SO2, hours([*words, "11.0"])) == {720: Decimal("10.5")}


def test_the_initial_procedure_without_prior_data_takes_the_maximum_potential():
    found = outcomes(SO2, "-")[1]

    assert (found.code, found.value) == ("12", Decimal(2500))


def test_hours_without_operation_are_neither_missing_nor_counted():
    """24 missing hours with 100 idle hours between them are a gap of 24."""
    words = [*past(7_696, 304, "300"), *["-"] * 12, *["off"] * 100, *["-"] * 12, "310"]

    last = [one for number, one in outcomes(SO2, hours(words)).items() if number > 8_000]

    assert {(one.code, one.value, one.gap_slots) for one in last} == {("06", Decimal(305), 24)}
    assert len(last) == 24


def test_a_look_back_never_goes_beyond_three_years():
    """Section 75.33(a): 26,280 clock hours, whether the unit was operating or not."""
    maximum = {"method": "maximum", "window": LOOK_BACK}

    assert filled(maximum, hours(["100", "7", *["off"] * 26_278, "-"])) == {26_281: Decimal(100)}
    assert filled(maximum, hours(["100", "7", *["off"] * 26_279, "-"])) == {26_282: Decimal(7)}


def test_a_gap_that_grows_beyond_a_day_changes_its_earlier_hours():
    words = [*past(7_696, 304, "300"), *["-"] * 24]

    assert set(filled(SO2, hours([*words, "310"])).values()) >= {Decimal(305)}
    grown = filled(SO2, hours([*words, "-", "310"]))
    assert {grown[number] for number in range(8_001, 8_026)} == {Decimal(648)}


NOX = {
    "tiers": [
        {
            "when": "(availability() >= 0.95 and gap_slots() <= 24) or"
            " (availability() >= 0.9 and gap_slots() <= 8)",
            "code": "11",
            "method": "mean",
            "window": {"kind": "rolling", "members": 2160, "where": "{{load}} between 40 and 49"},
        },
        {"code": "12", **MAXIMUM_POTENTIAL},
    ],
}


def test_the_mean_of_a_load_range_is_that_of_its_hours_alone():
    """Loads of the range read 0.410 and 0.414, those beyond it 9: the mean is 0.412 (code 11)."""
    series = [
        hour(number, word, (Decimal(load),))
        for number, (word, load) in enumerate([("0.410", 45), ("9", 80), ("0.414", 41)] * 30, start=1)
    ]
    gap = [hour(91, "-"), hour(92, "0.4", (Decimal(45),))]

    found = outcomes(NOX, [*series, *gap])[91]

    assert (found.code, found.value, found.result.members) == ("11", Decimal("0.412"), 60)


OXYGEN = {
    "method": "greater_of",
    "methods": [
        {"method": "percentile", "p": 90, "definition": "nearest_rank", "window": LOOK_BACK},
        BEFORE_AFTER,
    ],
    "conservative": "low",
}


def test_oxygen_takes_the_lesser_of_the_10th_percentile_and_the_mean():
    assert filled(OXYGEN, "1 2 3 4 5 6 7 8 9 10 - 20") == {11: Decimal(1)}
    assert filled(OXYGEN, "5 6 7 8 9 10 1 - 0") == {8: Decimal("0.5")}


BORDERS = {
    "method": "greater_of",
    "methods": [
        {"method": "maximum", "window": LOOK_BACK | {"where": "{{code}} in ('1', '2')"}},
        BEFORE_AFTER,
    ],
    "border_where": "{{code}} in ('1', '2', '3')",
}


def test_an_hour_may_stand_at_the_border_and_never_feed_the_look_back():
    """Of code 3 it is a border only; of code 54 here neither, and the gap goes on over it."""
    coded = [("40", "1"), ("90", "3"), ("-", None), ("70", "54"), ("-", None), ("30", "2")]
    series = [
        hour(number, word, None if code is None else (code,))
        for number, (word, code) in enumerate(coded, start=1)
    ]

    found = outcomes(BORDERS, series)

    assert {number: (one.value, one.gap_slots) for number, one in found.items()} == {
        3: (Decimal(60), 2),
        5: (Decimal(60), 2),
    }
