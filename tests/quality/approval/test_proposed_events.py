"""A rule that imputes with approval: events are proposed for slots in which none came, made when approved."""

import pytest
from tests.given import collection as given
from tests.given.approvals import (
    approve,
    bulk_approve,
    bulk_reject,
    dismiss,
    path,
    pending,
    reject,
    shown,
)
from tests.given.gaps import body, filling, hours, report, stack, values
from tests.given.rule_evaluation import change, correct, evaluate, results, work

MEAN = {"method": "mean_before_after"}
AT_ONE = "2025-01-01T01:00:00.000Z"


@pytest.fixture
def project(api):
    return stack(api)


@pytest.fixture
def rule(api, project):
    return filling(api, project, MEAN, purpose="impute", requires_approval=True)


@pytest.fixture
def proposed(api, account, project, rule):
    """Has hours reported and evaluated; gives the results of the rule, oldest first."""

    def make(words="10 - 14", **fields):
        report(api, project, words, **fields)
        work(account)
        return [one["id"] for one in results(api, rule)]

    return make


def states(api, rule):
    return [(one["status"], one["approval_state"]) for one in results(api, rule)]


def test_a_missing_hour_is_proposed_and_there_is_no_event_of_it(api, project, rule, proposed):
    [named] = proposed()

    assert values(api, project) == {1: 10, 3: 14}
    result = shown(api, project, named)
    assert (result["status"], result["approval_state"]) == ("fail", "pending")
    assert (result["event_id"], result["data_point_id"], result["data_point_slug"]) == (None, None, "so2")
    assert result["proposed_correction"]["from_value"] is None
    assert result["proposed_correction"]["to_value"] == 12
    assert result["proposed_correction"]["substitution"]["gap_slots"] == 1
    assert result["proposed_event"] == {
        "event_type_id": result["proposed_event"]["event_type_id"],
        "slot_start": AT_ONE, "slot_end": "2025-01-01T02:00:00.000Z", "end_time": AT_ONE,
        "asset_id": None, "location_ids": [], "feedstock_id": None, "tracking_id": None,
    }  # fmt: skip
    assert pending(api, rule) == 1


def test_the_event_is_proposed_with_the_tags_and_length_that_it_has_once_approved(
    api, account, project, rule
):
    east, wood = given.asset(api, project, name="East"), given.feedstock(api, project, name="Wood")
    yard = given.location(api, project, name="Yard")
    tags = {"asset_id": east["id"], "feedstock_id": wood["id"], "locations": [yard]}
    for number, end, word in ((1, 1, "10"), (3, 3, "14")):
        given_body = body(number, word, **tags, end_time=f"2025-01-01T{end:02}:00:00Z")
        api.post(f"/projects/{project['id']}/events", {"event": given_body}).expect(201)
    work(account)
    [result] = results(api, rule)
    said = result["proposed_event"]

    approve(api, project, result["id"]).expect(200)

    event = hours(api, project)[2]["event"]
    assert (said["asset_id"], said["feedstock_id"]) == (east["id"], wood["id"])
    assert (said["slot_start"], said["end_time"]) == (event["start_time"], event["end_time"])
    assert said["end_time"] == "2025-01-01T02:00:00.000Z"
    assert said["location_ids"] == [yard["id"]]
    assert [one["id"] for one in event["locations"]] == said["location_ids"]
    assert (event["asset"]["id"], event["feedstock"]["id"]) == (said["asset_id"], said["feedstock_id"])


def test_approving_makes_the_event_with_its_value_and_approving_again_changes_nothing(
    api, account, project, rule, proposed
):
    [named] = proposed()

    approved = approve(api, project, named).expect(200).body
    assert approve(api, project, named).expect(200).body == approved

    point = hours(api, project)[2]
    assert (point["value"], point["raw_value"], point["value_source"]) == (12, None, "imputed")
    assert point["event"]["status"] == "complete"
    assert (approved["approval_state"], approved["event_id"]) == ("approved", point["event"]["id"])
    assert approved["data_point_id"] == point["id"]
    assert point["substitution"]["rule_id"] == rule["id"]
    assert pending(api, rule) == 0
    work(account)
    evaluate(api, account, rule)
    assert shown(api, project, named) == approved
    assert values(api, project) == {1: 10, 2: 12, 3: 14}


def test_a_rejected_event_is_not_made_and_not_proposed_again_as_long_as_its_value_is_the_same(
    api, account, project, rule, proposed
):
    [named] = proposed()

    rejected = reject(api, project, named, "The stack was off").expect(200).body
    work(account)
    evaluate(api, account, rule)

    assert values(api, project) == {1: 10, 3: 14}
    assert shown(api, project, named) == rejected
    assert (rejected["approval_state"], rejected["rejection_reason"]) == ("rejected", "The stack was off")
    correct(api, project, hours(api, project)[1]["event"], 20)
    work(account)
    assert (states(api, rule), pending(api, rule)) == ([("fail", "pending")], 1)


def test_a_dismissed_gap_withdraws_what_is_proposed_for_it(api, account, project, rule, proposed):
    [named] = proposed()

    dismiss(api, project, named).expect(200)
    work(account)
    evaluate(api, account, rule)

    assert states(api, rule) == [("dismissed", "withdrawn")]
    assert (values(api, project), pending(api, rule)) == ({1: 10, 3: 14}, 0)


@pytest.mark.parametrize("decide", [shown, approve])
def test_a_captured_event_withdraws_the_proposal_in_its_own_transaction(
    account, project, rule, proposed, decide
):
    api = account.caller()
    [named] = proposed()
    decide(api, project, named)

    report(api, project, "11", first=2)

    assert shown(api, project, named)["approval_state"] == "withdrawn"
    assert (values(api, project), pending(api, rule)) == ({1: 10, 2: 11, 3: 14}, 0)
    work(account)
    assert states(api, rule) == [("pass", "withdrawn")]
    api.delete(f"/projects/{project['id']}/events/{hours(api, project)[2]['event']['id']}").expect(204)
    work(account)
    assert states(api, rule) == [("pass", "withdrawn"), ("fail", "pending")]


def test_an_event_that_is_moved_into_the_slot_withdraws_the_proposal(api, project, rule, proposed):
    proposed()
    given_body = body(5, "20")
    moved = api.post(f"/projects/{project['id']}/events", {"event": given_body}).expect(201).body

    event = f"/projects/{project['id']}/events/{moved['id']}"
    api.patch(event, {"event": {"start_time": "2025-01-01T01:20:00Z"}}).expect(200)

    assert (states(api, rule), pending(api, rule)) == ([("fail", "withdrawn")], 0)


def test_a_gap_that_the_rule_finds_no_more_withdraws_what_was_proposed(api, account, project, rule, proposed):
    [named] = proposed()
    outage = {"start_time": "2025-01-01T01:00:00Z", "end_time": "2025-01-01T02:00:00Z", "reason": "Service"}

    api.post(f"/projects/{project['id']}/outages", {"outage": outage}).expect(201)
    work(account)

    assert shown(api, project, named)["approval_state"] == "withdrawn"
    assert pending(api, rule) == 0


def test_a_proposal_whose_value_changed_since_the_evaluation_is_superseded_and_makes_no_event(
    api, account, project, rule, proposed
):
    [named] = proposed()
    correct(api, project, hours(api, project)[1]["event"], 20)

    said = approve(api, project, named).expect(200).body

    assert (said["approval_state"], said["event_id"]) == ("superseded", None)
    assert (values(api, project), pending(api, rule)) == ({1: 20, 3: 14}, 0)
    work(account)
    assert shown(api, project, named)["proposed_correction"]["to_value"] == 17
    approve(api, project, named).expect(200)
    assert values(api, project) == {1: 20, 2: 17, 3: 14}


def test_an_event_whose_tags_would_be_others_by_now_is_superseded(api, account, project, rule):
    wood, straw = (given.feedstock(api, project, name=one) for one in ("Wood", "Straw"))
    report(api, project, "10 - 14", feedstock_id=wood["id"])
    work(account)
    [result] = results(api, rule)
    event = f"/projects/{project['id']}/events/{hours(api, project)[1]['event']['id']}"
    api.patch(event, {"event": {"feedstock_id": straw["id"]}}).expect(200)

    said = approve(api, project, result["id"]).expect(200).body

    assert (said["approval_state"], values(api, project)) == ("superseded", {1: 10, 3: 14})


def test_an_approved_value_stays_approved_when_only_the_length_of_its_gap_has_changed(api, account, project):
    rule = filling(api, project, {"method": "constant", "value": 9}, purpose="impute", requires_approval=True)
    report(api, project, "10 - - 14")
    work(account)
    [first, second] = [one["id"] for one in results(api, rule)]
    approve(api, project, first).expect(200)
    report(api, project, "13", first=3)
    work(account)

    result = shown(api, project, first)
    assert (result["approval_state"], result["proposed_correction"]["substitution"]["gap_slots"]) == (
        "approved", 1,
    )  # fmt: skip
    assert values(api, project) == {1: 10, 2: 9, 3: 13, 4: 14}
    assert hours(api, project)[2]["substitution"]["gap_slots"] == 1
    assert shown(api, project, second)["approval_state"] == "withdrawn"


def test_what_was_approved_is_taken_back_when_the_rule_comes_to_another_value_and_proposed_anew(
    api, account, project, rule, proposed
):
    [named] = proposed()
    approve(api, project, named).expect(200)

    correct(api, project, hours(api, project)[1]["event"], 20)
    work(account)

    result = shown(api, project, named)
    assert (result["approval_state"], result["event_id"]) == ("pending", None)
    assert result["proposed_correction"]["to_value"] == 17
    assert (values(api, project), pending(api, rule)) == ({1: 20, 3: 14}, 1)


def test_many_are_approved_and_rejected_at_once(api, project, rule, proposed):
    named = proposed("10 - - - 14")

    bulk_reject(api, project, named[0]).expect(200)
    bulk_approve(api, project, *named[1:], named[1]).expect(200)

    assert values(api, project) == {1: 10, 3: 12, 4: 12, 5: 14}
    assert [one for _, one in states(api, rule)] == ["rejected", "approved", "approved"]
    assert pending(api, rule) == 0


def test_two_rules_fill_one_event_between_them(api, project, proposed):
    load = filling(
        api, project, {"method": "previous"}, purpose="impute", requires_approval=True,
        data_point="load", expression="{{load}} < 0", name="load",
    )  # fmt: skip
    [so2] = proposed()
    [other] = [one["id"] for one in results(api, load)]

    bulk_approve(api, project, so2, other).expect(200)

    [event] = [point["event"] for number, point in hours(api, project).items() if number == 2]
    assert {point["slug"]: point["value"] for point in event["data_points"]}.items() >= {
        ("so2", 12), ("load", 50),
    }  # fmt: skip
    assert [shown(api, project, one)["event_id"] for one in (so2, other)] == [event["id"]] * 2
    api.post(f"/rules/{load['id']}/undo_corrections", {}).expect(200)
    assert values(api, project) == {1: 10, 2: 12, 3: 14}
    assert [shown(api, project, one)["approval_state"] for one in (so2, other)] == ["approved", "withdrawn"]


@pytest.mark.parametrize("how", ["undo", "reverse", "void"])
def test_who_takes_back_what_was_approved_stays_right_until_another_version(
    account, project, rule, proposed, how
):
    api = account.caller()
    [named] = proposed()
    approve(api, project, named).expect(200)
    point = hours(api, project)[2]

    match how:
        case "undo":
            api.post(f"/rules/{rule['id']}/undo_corrections", {}).expect(200)
        case "reverse":
            api.post(f"/rule_runs/{point['substitution']['rule_run_id']}/reverse", {}).expect(200)
        case "void":
            api.delete(f"/projects/{project['id']}/events/{point['event']['id']}").expect(204)

    assert shown(api, project, named)["approval_state"] == "withdrawn"
    assert values(api, project) == {1: 10, 3: 14}
    work(account)
    evaluate(api, account, rule)
    assert pending(api, rule) == 0
    change(api, rule, correction={"method": "constant", "value": 9})
    work(account)
    assert results(api, rule)[-1]["approval_state"] == "pending"


def test_a_person_gives_an_imputed_value_that_was_approved(api, account, project, proposed):
    [named] = proposed()
    approve(api, project, named).expect(200)

    correct(api, project, hours(api, project)[2]["event"], 13)
    work(account)

    assert values(api, project) == {1: 10, 2: 13, 3: 14}
    assert hours(api, project)[2]["value_source"] == "manual"
    assert shown(api, project, named)["status"] == "pass"


def test_a_rule_that_needs_approval_from_now_on_takes_back_what_it_imputed_and_proposes_it(
    api, account, project
):
    rule = filling(api, project, MEAN, purpose="impute")
    report(api, project, "10 - 14")
    work(account)
    assert values(api, project) == {1: 10, 2: 12, 3: 14}

    change(api, rule, requires_approval=True)
    work(account)
    assert (values(api, project), pending(api, rule)) == ({1: 10, 3: 14}, 1)
    assert states(api, rule) == [("pass", None), ("fail", "pending")]

    change(api, rule, requires_approval=False)
    assert pending(api, rule) == 0
    work(account)
    assert values(api, project) == {1: 10, 2: 12, 3: 14}
    assert [one for one, _ in states(api, rule)] == ["pass", "pass", "fail"]


def test_removing_the_rule_withdraws_what_it_proposes_and_leaves_what_was_approved(
    api, account, project, rule, proposed
):
    first, _ = proposed("10 - - 14")
    approve(api, project, first).expect(200)

    api.delete(f"/rules/{rule['id']}").expect(204)
    work(account)

    assert values(api, project) == {1: 10, 2: 12, 4: 14}
    api.get(path(project, first)).expect(404)
    assert account.server.sql(
        "SELECT DISTINCT r.approval_state FROM data_point_results r JOIN projects p ON p.id = r.project_id"
        " WHERE p.account_id = %s ORDER BY 1",
        account.id,
    ) == [("approved",), ("withdrawn",)]


def test_filters_and_the_project_list_show_proposals_of_missing_hours(api, project, rule, proposed):
    [named] = proposed()

    query = {"filter[approval_state][eq]": "pending"}
    assert [one["id"] for one in results(api, rule, **query)] == [named]
    listed = api.get(f"/projects/{project['id']}/rule_results", query).expect(200).data
    assert [one["id"] for one in listed] == [named]


def test_bulk_rejecting_leaves_no_trace(api, account, project, rule, proposed):
    named = proposed("10 - - 14")

    bulk_reject(api, project, *named).expect(200)
    work(account)

    assert values(api, project) == {1: 10, 4: 14}
    assert pending(api, rule) == 0
