"""Rules that impute: a slot in which no event came has one of the rule, until the captured one comes."""

import pytest
from tests.given import collection as given
from tests.given.gaps import body, filling, hours, report, stack, values
from tests.given.rule_evaluation import change, correct, evaluate, results, work

MEAN = {"method": "mean_before_after"}


@pytest.fixture
def project(api):
    return stack(api)


@pytest.fixture
def rule(api, project):
    return filling(api, project, MEAN, purpose="impute")


def test_a_slot_without_an_event_has_one_that_says_so(api, account, project, rule):
    report(api, project, "10 - 14")
    work(account)

    point = hours(api, project)[2]
    assert (point["value"], point["raw_value"]) == (12, None)
    assert (point["value_source"], point["imputed"], point["substituted"]) == ("imputed", True, False)
    assert point["substitution"]["rule_id"] == rule["id"]
    assert (point["substitution"]["method"], point["substitution"]["gap_slots"]) == ("mean_before_after", 1)
    assert point["event"]["status"] == "complete"
    assert (point["event"]["start_time"], point["event"]["end_time"]) == (
        "2025-01-01T01:00:00.000Z", "2025-01-01T01:00:00.000Z",
    )  # fmt: skip


@pytest.mark.usefixtures("rule")
def test_an_imputed_event_is_tagged_and_as_long_as_those_beside_it(api, account, project):
    east, wood = given.asset(api, project, name="East"), given.feedstock(api, project, name="Wood")
    tags = {"asset_id": east["id"], "feedstock_id": wood["id"]}
    for number, end, word in ((1, 1, "10"), (3, 3, "14")):
        given_body = body(number, word, **tags, end_time=f"2025-01-01T{end:02}:00:00Z")
        api.post(f"/projects/{project['id']}/events", {"event": given_body}).expect(201)
    work(account)

    event = hours(api, project)[2]["event"]
    assert (event["asset"]["id"], event["feedstock"]["id"]) == (east["id"], wood["id"])
    assert (event["start_time"], event["end_time"]) == (
        "2025-01-01T01:00:00.000Z",
        "2025-01-01T02:00:00.000Z",
    )


@pytest.mark.usefixtures("rule")
@pytest.mark.parametrize("is_single", [True, False])
def test_a_captured_event_withdraws_the_imputed_one_in_its_own_transaction(api, account, project, is_single):
    report(api, project, "10 - 14")
    work(account)
    assert values(api, project) == {1: 10, 2: 12, 3: 14}

    if is_single:
        api.post(f"/projects/{project['id']}/events", {"event": body(2, "11")}).expect(201)
        api.post(f"/projects/{project['id']}/events", {"event": body(4, "20")}).expect(201)
    else:
        report(api, project, "11", first=2)
        report(api, project, "20", first=4)

    found = hours(api, project)
    assert found[2]["value_source"] == "captured"
    assert {number: point["value"] for number, point in found.items()} == {
        1: 10,
        2: 11,
        3: 14,
        4: 20,
    } or not is_single
    work(account)
    assert values(api, project)[2] == 11


@pytest.mark.usefixtures("rule")
def test_an_event_that_is_moved_into_the_slot_takes_its_place_and_leaves_one_behind(api, account, project):
    named = report(api, project, "10 - 14 20")
    work(account)

    path = f"/projects/{project['id']}/events/{named[3]}"
    api.patch(path, {"event": {"start_time": "2025-01-01T01:00:00Z"}}).expect(200)
    assert values(api, project) == {1: 10, 2: 14, 4: 20}
    work(account)

    assert values(api, project) == {1: 10, 2: 14, 3: 17, 4: 20}


def test_undoing_a_rule_withdraws_what_it_imputed_and_it_stays_so(api, account, project, rule):
    report(api, project, "10 - 14")
    work(account)

    api.post(f"/rules/{rule['id']}/undo_corrections", {}).expect(200)
    assert values(api, project) == {1: 10, 3: 14}

    evaluate(api, account, rule)
    work(account)
    assert values(api, project) == {1: 10, 3: 14}

    change(api, rule, correction={"method": "constant", "value": 9})
    work(account)
    assert values(api, project) == {1: 10, 2: 9, 3: 14}


@pytest.mark.usefixtures("rule")
def test_reversing_a_run_withdraws_what_it_imputed(api, account, project):
    report(api, project, "10 - 14")
    work(account)
    run = hours(api, project)[2]["substitution"]["rule_run_id"]

    api.post(f"/rule_runs/{run}/reverse", {}).expect(200)

    assert values(api, project) == {1: 10, 3: 14}


def test_deleting_the_rule_leaves_what_it_imputed(api, account, project, rule):
    report(api, project, "10 - 14")
    work(account)

    api.delete(f"/rules/{rule['id']}").expect(204)
    work(account)
    assert values(api, project) == {1: 10, 2: 12, 3: 14}

    report(api, project, "13", first=2)
    assert values(api, project) == {1: 10, 2: 13, 3: 14}


@pytest.mark.usefixtures("rule")
def test_an_imputed_value_has_nothing_to_revert_to(api, account, project):
    report(api, project, "10 - 14")
    work(account)
    point = hours(api, project)[2]

    error = api.post(f"/projects/{project['id']}/data_points/{point['id']}/revert", {}).expect(422).error

    assert error["code"] == "conflict"
    assert "imputed" in error["message"]


@pytest.mark.usefixtures("rule")
def test_a_person_makes_a_manual_value_of_an_imputed_one(api, account, project):
    report(api, project, "10 - 14 !99")
    work(account)

    correct(api, project, hours(api, project)[2]["event"], 30)
    work(account)

    point = hours(api, project)[2]
    assert (point["value"], point["value_source"], point["raw_value"]) == (30, "manual", None)
    assert (point["imputed"], point["substituted"]) == (True, False)


def test_a_gap_between_imputed_hours_is_still_one_gap(api, account, project):
    tiers = {"tiers": [{"when": "gap_slots() = 2", **MEAN}, {"method": "constant", "value": 50}]}
    filling(api, project, tiers, purpose="impute")
    report(api, project, "10 - - 14")
    work(account)
    assert values(api, project) == {1: 10, 2: 12, 3: 12, 4: 14}

    report(api, project, "13", first=3)
    work(account)
    assert values(api, project) == {1: 10, 2: 50, 3: 13, 4: 14}


def test_a_rule_that_does_not_impute_any_more_withdraws_what_it_did(api, account, project, rule):
    report(api, project, "10 - 14")
    work(account)

    change(api, rule, purpose="substitute")
    work(account)

    assert values(api, project) == {1: 10, 3: 14}


def test_two_rules_give_one_imputed_event_its_two_values(api, account, project):
    filling(api, project, MEAN, purpose="impute", name="Concentration")
    filling(api, project, {"method": "previous"}, purpose="impute", data_point="load", name="Load")
    report(api, project, "10 - 14")
    work(account)

    event = hours(api, project)[2]["event"]
    assert {point["slug"]: point["value"] for point in event["data_points"]} == {"so2": 12, "load": 50}


def test_an_alert_stands_on_what_was_imputed_until_it_is_withdrawn(api, account, project, rule):
    report(api, project, "10 - 14")
    work(account)
    assert [one["status"] for one in results(api, rule)] == ["fail"]

    report(api, project, "11", first=2)
    work(account)

    assert [one["status"] for one in results(api, rule)] == ["pass"]


def test_a_person_who_voids_an_imputed_event_has_the_last_word_until_another_version(
    api, account, project, rule
):
    report(api, project, "10 - 14")
    work(account)

    path = f"/projects/{project['id']}/events/{hours(api, project)[2]['event']['id']}"
    api.delete(path).expect(204)
    work(account)
    assert values(api, project) == {1: 10, 3: 14}

    change(api, rule, priority=5)
    work(account)
    assert values(api, project) == {1: 10, 2: 12, 3: 14}


def test_a_preview_says_which_slots_a_rule_would_fill(api, project):
    report(api, project, "10 - 14")
    rule = {
        "name": "Fill", "expression": "{{quality}} = 'bad'", "effective_from": "2020-01-01T00:00:00Z",
        "purpose": "impute", "data_point": "so2", "correction": MEAN,
    }  # fmt: skip
    body_ = {"rule": rule, "start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-02T00:00:00Z"}

    preview = api.post(f"/projects/{project['id']}/rules/preview", body_).expect(200).body

    [alert] = preview["data"]
    assert (preview["evaluated"], preview["corrections"]) == (2, 1)
    assert (alert["event_id"], alert["start_time"], alert["to_value"]) == (
        None,
        "2025-01-01T01:00:00.000Z",
        12,
    )


def test_an_imputed_event_that_was_made_while_the_captured_one_came_goes_at_the_next_look(
    api, account, project, rule, server
):
    report(api, project, "10 - 14")
    work(account)
    # As if neither had seen the other.
    server.change_form("ALTER TABLE events DISABLE TRIGGER events_take_place_on_insert")
    report(api, project, "11", first=2)
    server.change_form("ALTER TABLE events ENABLE TRIGGER events_take_place_on_insert")

    evaluate(api, account, rule)

    assert values(api, project) == {1: 10, 2: 11, 3: 14}
