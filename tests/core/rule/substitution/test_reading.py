"""How a rule's words for filling gaps are read, checked, and written back. Core, rule/substitution."""

from decimal import Decimal

import pytest
from tests.core.rule.substitution.hours import HOUR
from tests.core.rule.substitution.test_around_gaps import COKE, QUEBEC, QUEBEC_RATES, RANGES, TWO_AFTER
from tests.core.rule.substitution.test_part_75 import BORDERS, NOX, OXYGEN, SO2
from tests.core.rule.substitution.test_regulations import FUEL, MRR

from weighbridge.core.rule.substitution import check_filling, read_filling, write_filling

WINDOW = {"kind": "rolling", "members": 3}
MEAN = {"method": "mean_before_after"}
PERCENTILE = {"method": "percentile", "p": 90, "definition": "naaqs", "window": WINDOW}
NESTED = {"method": "next", "without_after": {"method": "next", "without_after": {"method": "next"}}}


READ = [
    SO2, NOX, OXYGEN, BORDERS, FUEL, MRR, PERCENTILE, MEAN, NESTED,
    COKE, QUEBEC, QUEBEC_RATES, RANGES, TWO_AFTER,
    MEAN | {"fill_to_end": True, "operating_from": {"event_type": "unit", "where": "{{load}} > 0"}},
]  # fmt: skip


def fields(given):
    filling, problems = read_filling(given)
    assert (filling is None) == bool(problems)
    assert all(problem.message.endswith(".") for problem in problems)
    return [problem.field for problem in problems]


@pytest.mark.parametrize("given", READ)
def test_what_was_read_is_written_in_one_form_that_reads_to_the_same(given):
    filling, problems = read_filling(given)
    assert problems == []

    written = write_filling(filling)

    assert read_filling(written) == (filling, [])
    assert write_filling(read_filling(written)[0]) == written


def test_the_one_form_names_what_was_left_out():
    filling, _ = read_filling(MEAN)

    assert write_filling(filling) == {
        "method": "mean_before_after",
        "without_after": "wait",
        "conservative": "high",
    }


def test_a_window_may_be_called_trailing():
    filling, _ = read_filling({"method": "mean", "window": {"kind": "trailing", "members": 3}})

    assert write_filling(filling)["window"]["kind"] == "rolling"


REFUSED = {
    "nothing": ({}, ["correction.method"]),
    "an unknown method": ({"method": "guess"}, ["correction.method"]),
    "a method that is no text": ({"method": ["mean"]}, ["correction.method"]),
    "a constant without a value": ({"method": "constant"}, ["correction.value"]),
    "a constant that is no number": ({"method": "constant", "value": True}, ["correction.value"]),
    "a constant beyond numbers": ({"method": "constant", "value": Decimal("1e300")}, ["correction.value"]),
    "a field of another method": ({"method": "constant", "value": 1, "p": 5}, ["correction.p"]),
    "a percentile that names no definition": (
        {"method": "percentile", "p": 90, "window": WINDOW}, ["correction.definition"],
    ),
    "a percentile beyond 100": (
        PERCENTILE | {"p": Decimal("100.5")}, ["correction.p"],
    ),
    "a deviation that names no kind": (
        {"method": "mean_plus_sd", "factor": 2, "window": WINDOW}, ["correction.deviation"],
    ),
    "a statistic without a window": ({"method": "mean"}, ["correction.window"]),
    "a window of nothing": (
        {"method": "mean", "window": {"kind": "rolling"}}, ["correction.window.duration"],
    ),
    "a window with the slot itself": (
        {"method": "mean", "window": WINDOW | {"include_current": True}},
        ["correction.window.include_current"],
    ),
    "a window around a gap without a side": (
        {"method": "mean", "window": {"kind": "around_gap"}}, ["correction.window.before"],
    ),
    "a side of a gap without an extent": (
        {"method": "mean", "window": {"kind": "around_gap", "after": {}}},
        ["correction.window.after.duration"],
    ),
    "a side of a gap with a field of another window": (
        {"method": "mean", "window": {"kind": "around_gap", "before": {"members": 1, "unit": "day"}}},
        ["correction.window.before.unit"],
    ),
    "a side of a gap that is no object": (
        {"method": "mean", "window": {"kind": "around_gap", "before": 72}}, ["correction.window.before"],
    ),
    "a window of no kind": (
        {"method": "mean", "window": {"kind": "round", "members": 1}}, ["correction.window.kind"],
    ),
    "what members have in common that cannot be read": (
        {"method": "mean", "window": WINDOW | {"same": "{{load}} +"}}, ["correction.window.same"],
    ),
    "what members have in common that is no text": (
        {"method": "mean", "window": WINDOW | {"same": 4}}, ["correction.window.same"],
    ),
    "a confidence beyond 99.9 percent": (
        {"method": "confidence_limit", "confidence": 100, "window": WINDOW}, ["correction.confidence"],
    ),
    "a limit without its confidence": (
        {"method": "confidence_limit", "window": WINDOW}, ["correction.confidence"],
    ),
    "a period to wait in for ever": (
        MEAN | {"after_within": "year"}, ["correction.without_after"],
    ),
    "a period that there is not": (
        MEAN | {"after_within": "decade", "without_after": "before"}, ["correction.after_within"],
    ),
    "availability of a period that there is not": (
        {"tiers": [{"when": "availability(decade) > 0", **MEAN}]}, ["correction.tiers[0].when"],
    ),
    "a method for an empty window that there is not": (
        {"method": "mean", "window": WINDOW, "without_members": {"method": "guess"}},
        ["correction.without_members.method"],
    ),
    "a where that cannot be read": (
        {"method": "mean", "window": WINDOW | {"where": "{{load}} >"}}, ["correction.window.where"],
    ),
    "a where with an aggregate": (
        {"method": "mean", "window": WINDOW | {"where": "count() > 1"}}, ["correction.window.where"],
    ),
    "an unknown word for a missing border": (
        {"method": "linear", "without_after": "guess", "without_before": "wait"},
        ["correction.without_after", "correction.without_before"],
    ),
    "a missing border of the wrong side": (
        {"method": "previous", "without_after": "wait"}, ["correction.without_after"],
    ),
    "one method to choose from": ({"method": "greater_of", "methods": [MEAN]}, ["correction.methods"]),
    "a wrong method to choose from": (
        {"method": "greater_of", "methods": [MEAN, {"method": "guess"}]}, ["correction.methods[1].method"],
    ),
    "methods too deep": (
        NESTED | {"without_after": NESTED}, ["correction.without_after.without_after.without_after.method"],
    ),
    "tiers that are no list": ({"tiers": "all"}, ["correction.tiers"]),
    "no tiers": ({"tiers": []}, ["correction.tiers"]),
    "too many tiers": ({"tiers": [{"when": "true", **MEAN}] * 21}, ["correction.tiers"]),
    "tiers beside a method": ({"tiers": [MEAN], "method": "linear"}, ["correction.method"]),
    "a tier that is no object": ({"tiers": [5]}, ["correction.tiers[0]"]),
    "a tier behind one that is always taken": ({"tiers": [MEAN, MEAN]}, ["correction.tiers[0].when"]),
    "a tier that asks for data": (
        {"tiers": [{"when": "{{load}} > 1", **MEAN}]}, ["correction.tiers[0].when"],
    ),
    "a tier that gives a number": (
        {"tiers": [{"when": "gap_slots() + 1", **MEAN}]}, ["correction.tiers[0].when"],
    ),
    "a tier whose condition cannot be read": (
        {"tiers": [{"when": "gap_slots(", **MEAN}, MEAN]}, ["correction.tiers[0].when"],
    ),
    "a code that is too long": ({**MEAN, "code": "x" * 41}, ["correction.code"]),
    "a when without tiers": ({**MEAN, "when": "true"}, ["correction.when"]),
    "a rounding without places": (MEAN | {"round": {"mode": "half_up"}}, ["correction.round.places"]),
    "a rounding that is unknown": (MEAN | {"round": {"places": 1, "mode": "up"}}, ["correction.round.mode"]),
    "availability over no slots": (MEAN | {"availability_slots": 0}, ["correction.availability_slots"]),
    "an end that is no truth": (MEAN | {"fill_to_end": "yes"}, ["correction.fill_to_end"]),
    "a side that is unknown": (MEAN | {"conservative": "left"}, ["correction.conservative"]),
    "several faults": (
        {"method": "percentile", "p": 101, "round": 5, "border_where": 1, "other": 2},
        [
            "correction.border_where", "correction.round", "correction.window", "correction.p",
            "correction.definition", "correction.other",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_all_that_is_wrong_is_named_by_its_field(name):
    given, expected = REFUSED[name]

    assert fields(given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({**MEAN, "border_where": "{{oxygen}} > 1"}, "correction.border_where"),
        ({**MEAN, "border_where": "{{load}}"}, "correction.border_where"),
        ({**MEAN, "operating_where": "{{load}} > 'a'"}, "correction.operating_where"),
        ({"method": "mean", "window": WINDOW | {"where": "{{oxygen}} > 1"}}, "correction.window.where"),
        ({"tiers": [{"method": "expression", "expression": "{{code}}"}]}, "correction.tiers[0].expression"),
        ({"method": "expression", "expression": "{{load}} > 1"}, "correction.expression"),
    ],
)
def test_what_does_not_fit_the_records_is_named(given, expected):
    filling, problems = read_filling(given)
    assert problems == []

    assert [problem.field for problem in check_filling(filling, HOUR, "so2")] == [expected]


def test_gaps_are_filled_with_numbers_alone():
    filling, _ = read_filling(MEAN)

    assert check_filling(filling, HOUR, "so2") == []
    assert [problem.field for problem in check_filling(filling, HOUR, "code")] == ["correction"]


def test_a_condition_may_ask_for_tags():
    filling, _ = read_filling({**MEAN, "border_where": "tracking_id != 'test'"})

    assert check_filling(filling, HOUR, "so2") == []
