"""Rules that substitute: gaps of a meter's series are filled by a method, as the whole series calls for."""

from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given import rule_evaluation
from tests.given.gaps import filling, hours, report, stack, values
from tests.given.rule_evaluation import change, correct, results, runs, statuses, work

MEAN = {"method": "mean_before_after"}


@pytest.fixture
def project(api):
    return stack(api)


def test_what_is_wrong_is_substituted_and_says_how(api, account, project):
    report(api, project, "10 !99 14")
    made = filling(api, project, MEAN, message="The monitor was in calibration.")
    work(account)

    point = hours(api, project)[2]
    assert (point["value"], point["raw_value"]) == (12, 99)
    assert (point["value_source"], point["substituted"], point["imputed"]) == ("substituted", True, False)
    said = point["substitution"]
    assert (said["rule_id"], said["rule_version"]) == (made["id"], 1)
    assert said["rule_run_id"] == made["rule_run_id"]
    assert {name: said[name] for name in ("method", "found_by", "tier", "members_used", "gap_slots")} == {
        "method": "mean_before_after",
        "found_by": "mean_before_after",
        "tier": 1,
        "members_used": 2,
        "gap_slots": 1,
    }
    assert (said["code"], said["window"], said["availability"]) == (None, None, None)
    assert said["reason"] == "The monitor was in calibration."
    assert statuses(api, made) == [("fail", "99")]


def test_a_late_value_splits_a_gap_and_both_parts_are_filled_anew(api, account, project):
    report(api, project, "10 !99 !99 !99 14")
    tiers = {"tiers": [{"when": "gap_slots() = 1", "code": "S", **MEAN}, {"method": "constant", "value": 50}]}
    filling(api, project, tiers)
    work(account)
    assert values(api, project) == {1: 10, 2: 50, 3: 50, 4: 50, 5: 14}

    correct(api, project, hours(api, project)[3]["event"], 12)
    work(account)

    found = hours(api, project)
    assert [found[number]["value"] for number in (2, 3, 4)] == [11, 12, 13]
    assert [found[number]["value_source"] for number in (2, 3, 4)] == ["substituted", "manual", "substituted"]
    assert (found[2]["substitution"]["tier"], found[2]["substitution"]["code"]) == (1, "S")


def test_a_gap_that_has_not_ended_waits_and_grows(api, account, project):
    made = filling(api, project, MEAN)
    report(api, project, "10 !99")
    work(account)
    assert values(api, project)[2] == 99
    assert statuses(api, made) == [("fail", "99")]

    report(api, project, "!98 20", first=3)
    work(account)

    assert values(api, project) == {1: 10, 2: 15, 3: 15, 4: 20}
    assert hours(api, project)[2]["substitution"]["gap_slots"] == 2


def test_hours_that_never_came_lengthen_the_gap(api, account, project):
    report(api, project, "10 !99 - - 20")
    filling(api, project, {"method": "linear"})
    work(account)

    point = hours(api, project)[2]
    assert (point["value"], point["substitution"]["gap_slots"]) == (Decimal("12.5"), 3)


def test_hours_without_operation_and_declared_outages_neither_count_nor_break_a_gap(api, account, project):
    report(api, project, "10 !99 ~99 !99 - 20")
    given.outage(
        api, project, start_time="2025-01-01T04:00:00Z", end_time="2025-01-01T05:00:00Z",
        event_type_id=project_event_type(api, project),
    )  # fmt: skip
    filling(api, project, MEAN | {"operating_where": "{{load}} > 0"})
    work(account)

    found = hours(api, project)
    assert [found[number]["value"] for number in (2, 3, 4)] == [15, 99, 15]
    assert found[2]["substitution"]["gap_slots"] == 2


def project_event_type(api, project):
    return api.get(f"/projects/{project['id']}/event_types").expect(200).data[0]["id"]


def test_an_outage_that_is_declared_later_changes_the_gap(api, account, project):
    report(api, project, "10 !99 - 20")
    tiers = {"tiers": [{"when": "gap_slots() = 1", **MEAN}, {"method": "constant", "value": 50}]}
    filling(api, project, tiers)
    work(account)
    assert values(api, project)[2] == 50

    given.outage(api, project, start_time="2025-01-01T02:00:00Z", end_time="2025-01-01T03:00:00Z")
    work(account)

    assert values(api, project)[2] == 15


def test_what_was_substituted_feeds_no_window_and_a_persons_value_does(api, account, project):
    window = {"kind": "rolling", "members": 2}
    filling(api, project, {"method": "mean", "window": window})
    report(api, project, "10 20 !99 !98 30 !97")
    work(account)
    assert values(api, project) == {1: 10, 2: 20, 3: 15, 4: 15, 5: 30, 6: 25}

    correct(api, project, hours(api, project)[4]["event"], 40)
    work(account)

    assert values(api, project) == {1: 10, 2: 20, 3: 15, 4: 40, 5: 30, 6: 35}
    assert hours(api, project)[6]["substitution"]["window"] == {
        "kind": "rolling", "members": 2, "include_current": False,
    }  # fmt: skip


def test_meters_are_filled_each_by_itself(api, account, project):
    east, west = given.asset(api, project, name="East"), given.asset(api, project, name="West")
    report(api, project, "10 !99 20", asset_id=east["id"])
    report(api, project, "100 !99 200", asset_id=west["id"])
    filling(api, project, MEAN)
    work(account)

    assert values(api, project, **{"filter[asset_id][eq]": east["id"]})[2] == 15
    assert values(api, project, **{"filter[asset_id][eq]": west["id"]})[2] == 150


def test_a_calibrated_value_feeds_windows_and_is_a_border(api, account, project):
    report(api, project, "10 !99 20")
    rule_evaluation.calibration(
        api, project, "{{so2}} = 20", "{{so2}} + 10", data_point="so2", name="Calibrate"
    )
    filling(api, project, MEAN)
    work(account)

    assert values(api, project) == {1: 10, 2: 20, 3: 30}


def test_a_substitute_that_is_found_otherwise_is_written_anew(api, account, project):
    made = filling(api, project, MEAN)
    report(api, project, "10 !99 14")
    work(account)

    change(api, made, correction={"method": "constant", "value": 7})
    work(account)
    assert values(api, project)[2] == 7

    api.post(f"/rules/{made['id']}/undo_corrections", {}).expect(200)
    assert values(api, project)[2] == 99


def test_a_value_that_is_not_valid_is_substituted_though_the_substitute_is_the_same(api, account, project):
    filling(api, project, MEAN)
    report(api, project, "10 !12 14")
    work(account)

    point = hours(api, project)[2]
    assert (point["value"], point["value_source"]) == (12, "substituted")


def test_a_gap_that_no_tier_holds_for_is_an_error_of_its_values(api, account, project):
    made = filling(api, project, {"tiers": [{"when": "gap_slots() = 9", **MEAN}]})
    report(api, project, "10 !99 14")
    work(account)

    [result] = results(api, made)
    assert (result["status"], result["error_message"]) == (
        "error", "The correction has no result. The condition of no tier is true.",
    )  # fmt: skip


def test_a_preview_fills_what_the_rule_would(api, project):
    report(api, project, "10 !99 14")
    rule = {
        "name": "Fill", "expression": "{{quality}} = 'bad'", "effective_from": "2020-01-01T00:00:00Z",
        "purpose": "substitute", "data_point": "so2", "correction": MEAN,
    }  # fmt: skip
    body = {"rule": rule, "start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-01T02:00:00Z"}

    preview = api.post(f"/projects/{project['id']}/rules/preview", body).expect(200).body

    assert (preview["alerts"], preview["corrections"]) == (1, 1)
    assert (preview["data"][0]["from_value"], preview["data"][0]["to_value"]) == (99, 12)


def test_a_substitute_that_needs_approval_is_proposed_and_says_how_it_was_found(api, account, project):
    made = filling(api, project, MEAN, requires_approval=True)
    report(api, project, "10 !99 14")
    work(account)
    assert values(api, project)[2] == 99
    [result] = results(api, made)
    assert result["proposed_correction"]["to_value"] == 12
    assert result["proposed_correction"]["substitution"]["gap_slots"] == 1

    api.post(f"/projects/{project['id']}/rule_results/{result['id']}/approve", {}).expect(200)
    work(account)

    point = hours(api, project)[2]
    assert (point["value"], point["value_source"]) == (12, "substituted")
    assert point["substitution"]["method"] == "mean_before_after"


def test_a_proposal_whose_gap_has_grown_is_superseded(api, account, project):
    made = filling(api, project, MEAN, requires_approval=True)
    report(api, project, "10 !99 14")
    work(account)
    [result] = results(api, made)

    correct(api, project, hours(api, project)[1]["event"], 20)
    path = f"/projects/{project['id']}/rule_results/{result['id']}"
    api.post(f"{path}/approve", {})

    assert values(api, project)[2] == 99


REACHES = {
    "to the borders of the gap": (MEAN, "11T02", "11T04"),
    "as far as windows go back": (
        {"method": "mean", "window": {"kind": "rolling", "duration": {"value": 12, "unit": "hour"}}},
        "11T02",
        "11T15",
    ),
    "as many slots as are counted": (
        {"method": "mean", "window": {"kind": "rolling", "members": 20}}, "11T02", "11T23",
    ),
    "through the period": (
        {"method": "maximum", "window": {"kind": "calendar", "unit": "day", "extent": "whole_period"}},
        "11T00",
        "12T00",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REACHES)
def test_only_what_a_change_reaches_is_evaluated_again(api, account, project, name):
    correction, start, end = REACHES[name]
    made = filling(api, project, correction)
    words = ["10"] * 480
    words[243] = "!99"
    report(api, project, " ".join(words))
    work(account)
    work(account)

    late = {"filter[start_time][geq]": "2025-01-11T03:00:00Z"}
    correct(api, project, hours(api, project, **late)[244]["event"], 7)
    work(account)

    run = runs(api, made)[-1]
    assert run["start_time"] == f"2025-01-{start}:00:00.000Z"
    assert run["end_time"] == f"2025-01-{end}:00:00.001Z"
