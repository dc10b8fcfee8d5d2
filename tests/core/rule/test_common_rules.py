"""The rules that people write, each as one expression. Design, Rules."""

from tests.core.rule.records import alerts, daily, evaluate, record, rule_of

from weighbridge.core.expression import number
from weighbridge.core.rule import Vocabulary
from weighbridge.core.unit import parse_unit


def test_a_value_outside_its_range():
    found = alerts("{{mass}} NOT BETWEEN 5 AND 20", daily([5, 4, 20, 21]))

    assert found == [2, 4]


def test_a_spike_against_the_mean_of_the_days_before():
    found = alerts(
        "{{mass}} > (3 * avg({{mass}}))",
        daily([10, 12, 11, 40, 12]),
        {"kind": "rolling", "duration": {"value": 3, "unit": "day"}},
    )

    assert found == [4]


def test_a_flat_line_of_the_last_three_readings():
    found = alerts(
        "count() = 3 and max({{mass}}) = min({{mass}})",
        daily([7, 7, 8, 8, 8, 9]),
        {"kind": "rolling", "members": 3, "include_current": True},
    )

    assert found == [5]


def test_a_slot_of_the_cadence_without_an_event():
    found = alerts(
        "missed_slots() > 0",
        [record(1, "2025-01-01T00:00:00", slot=1), record(2, "2025-01-02T00:00:00", slot=2),
         record(3, "2025-01-05T00:00:00", slot=5)],
    )  # fmt: skip

    assert found == [3]


def test_a_ratio_of_two_inputs():
    found = alerts("({{fuel}} / {{mass}}) > 0.5", daily([(4, 10), (6, 10)]))

    assert found == [2]


def test_a_monthly_total_above_what_is_permitted():
    found = alerts(
        "sum({{mass}}) > 25",
        [record(1, "2025-01-30T00:00:00", [20]), record(2, "2025-02-01T00:00:00", [20]),
         record(3, "2025-02-11T00:00:00", [5]), record(4, "2025-02-28T00:00:00", [1])],
        {"kind": "calendar", "unit": "month"},
    )  # fmt: skip

    assert found == [4]


def test_a_delivery_that_came_twice():
    found = alerts(
        "count_same({{mass}}, tracking_id) > 0",
        daily([(10, "T-1"), (10, "T-2"), (10, "T-1"), (11, "T-1"), (10, None)]),
        {"kind": "rolling", "duration": {"value": 7, "unit": "day"}},
    )

    assert found == [3]


def test_a_delivery_that_came_twice_at_the_same_moment_alerts_once():
    twins = [record(1, "2025-01-01T00:00:00", [10]), record(2, "2025-01-01T00:00:00", [10])]

    found = alerts(
        "count_same({{mass}}) > 0", twins, {"kind": "rolling", "duration": {"value": 1, "unit": "hour"}}
    )

    assert found == [2]


def test_a_unit_that_slipped_by_a_thousand():
    found = alerts(
        "{{mass}} >= (500 * median({{mass}})) or {{mass}} <= (median({{mass}}) / 500)",
        daily([12, 13, 11, 12000, 12]),
        {"kind": "rolling", "members": 5},
    )

    assert found == [4]


def test_an_event_that_was_entered_late():
    found = alerts(
        "entry_delay_hours() > 48",
        [
            record(1, "2025-01-01T00:00:00", hours=3, delay=48),
            record(2, "2025-01-01T00:00:00", hours=3, delay=49),
        ],
    )

    assert found == [2]


def test_a_meter_that_ran_backwards():
    found = alerts(
        "{{mass}} < previous({{mass}})", daily([100, 105, None, 104]), {"kind": "rolling", "members": 10}
    )

    assert found == [4]


def test_a_batch_of_too_high_intensity():
    model = Vocabulary(
        "Biochar", {"net_removal": number(parse_unit("t{CO2e}")), "dry_mass": number(parse_unit("t{dry}"))}
    )
    rule = rule_of("(net_removal / dry_mass) > 2.6", target="model_run", vocabulary=model)

    found = evaluate(rule, daily([(25, 10), (27, 10)]))

    assert [finding.record.key for finding in found] == [2]
