"""GET of one rule result, and POST of its approval: the proposal becomes a correction, or is superseded."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given
from tests.given.approvals import approve, audited, dismiss, of_event, path, pending, shown
from tests.given.rule_evaluation import (
    calibration,
    change,
    correct,
    corrections,
    evaluate,
    held,
    results,
    revert,
    states,
    work,
)


def test_one_result_is_read_by_its_id(api, project, proposing, propose):
    _, result = propose()

    assert shown(api, project, result) == results(api, proposing)[0]


def test_an_approved_proposal_is_a_correction_of_its_rule(api, project, proposing, propose):
    event, result = propose()

    answer = approve(api, project, result).expect(200).body

    assert (answer["id"], answer["status"], answer["approval_state"]) == (result, "fail", "approved")
    assert held(api, project, event) == (51, 50)
    [made] = corrections(api, project, event)
    assert (made["source"], made["state"], made["rule_id"]) == ("adjustment", "in_force", proposing["id"])
    assert pending(api, proposing) == 0


def test_what_was_approved_stays_when_its_rule_is_evaluated_again(api, account, project, proposing, propose):
    event, result = propose()
    approve(api, project, result).expect(200)
    work(account)
    evaluate(api, account, proposing)

    assert shown(api, project, result)["approval_state"] == "approved"
    assert states(api, project, event) == [(51, "in_force")]


def test_an_approval_says_in_the_audit_log_what_it_found_and_left(api, account, project, propose):
    _, result = propose()
    approve(api, project, result).expect(200)
    approve(api, project, result).expect(200)

    [(target, before, after)] = audited(account, "rule_result.approve")

    assert target == result
    assert (before["approval_state"], after["approval_state"]) == ("pending", "approved")


def test_batches_that_used_the_value_are_stale_once_it_is_corrected(api, account, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    [batch] = plant.generate()["batches"]
    made = given_alerts.calibration(api, plant.project, requires_approval=True, evaluation="automatic")
    work(account)
    [found] = results(api, made)

    approve(api, plant.project, found["id"]).expect(200)

    reasons = api.get(f"/batches/{batch}").body["stale_reasons"]
    assert [(one["reason"], one["record"]) for one in reasons] == [
        ("data_point_corrected", found["data_point_id"])
    ]
    assert plant.generate()["adjusted"] == 1
    assert sorted(one["primary_output"]["value"] for one in plant.batches()) == [1, 50]


def by_hand(api, project, event):
    correct(api, project, event, 60)


def by_what_it_is_computed_from(api, project, event):
    correct(api, project, event, 5, place=1)


def by_moving_it(api, project, event):
    body = {"event": {"start_time": "2024-01-01T00:00:00Z", "end_time": "2024-01-01T00:00:00Z"}}
    api.patch(f"/projects/{project['id']}/events/{event['id']}", body).expect(200)


def by_voiding_it(api, project, event):
    api.delete(f"/projects/{project['id']}/events/{event['id']}").expect(204)


def by_reverting_it(api, project, event):
    correct(api, project, event, 60)
    revert(api, project, event)


MEANWHILE = [by_hand, by_what_it_is_computed_from, by_moving_it, by_voiding_it, by_reverting_it]


@pytest.fixture
def netting(api, project):
    """A rule that takes the ash off and needs approval, effective from 2025 on."""
    return calibration(
        api, project, becomes="{{mass}} - {{ash}}", requires_approval=True,
        effective_from="2025-01-01T00:00:00Z",
    )  # fmt: skip


@pytest.mark.parametrize("meanwhile", MEANWHILE)
def test_a_proposal_whose_data_changed_meanwhile_is_superseded_and_not_applied(
    account, project, netting, deliver, meanwhile
):
    api, event = account.caller(), deliver(50, ash=3)
    work(account)
    result = of_event(api, netting, event)
    meanwhile(api, project, event)

    answer = approve(api, project, result).expect(200).body

    assert answer["approval_state"] == "superseded"
    assert account.server.sql(
        "SELECT count(*) FROM corrections WHERE project_id = %s AND rule_id IS NOT NULL",
        project["numeric_id"],
    ) == [(0,)]
    assert approve(api, project, result).expect(200).body == answer
    assert pending(api, netting) == 0


def test_what_was_superseded_is_proposed_again_as_it_is_now(api, account, project, deliver):
    made = calibration(api, project, becomes="{{mass}} - {{ash}}", requires_approval=True)
    event = deliver(50, ash=3)
    work(account)
    result = of_event(api, made, event)
    by_what_it_is_computed_from(api, project, event)
    approve(api, project, result).expect(200)

    work(account)

    found = shown(api, project, result)
    assert (found["approval_state"], found["proposed_correction"]["to_value"]) == ("pending", 45)


def undo(api, made):
    api.post(f"/rules/{made['id']}/undo_corrections", {}).expect(200)


def reverse(api, made):
    api.post(f"/rule_runs/{made['rule_run_id']}/reverse", {}).expect(200)


@pytest.mark.parametrize("take_back", [undo, reverse])
def test_an_approval_whose_correction_is_taken_back_is_withdrawn(api, account, project, deliver, take_back):
    event = deliver(50)
    made = calibration(api, project, requires_approval=True)
    work(account)
    result = of_event(api, made, event)
    before = approve(api, project, result).expect(200).body

    take_back(api, made)

    assert shown(api, project, result) == before | {"approval_state": "withdrawn"}
    assert held(api, project, event) == (50, 50)
    work(account)
    assert shown(api, project, result)["approval_state"] == "withdrawn"


def test_an_approval_is_withdrawn_when_a_person_corrects_the_value_and_the_rule_is_evaluated(
    api, account, project, propose
):
    event, result = propose()
    approve(api, project, result).expect(200)

    correct(api, project, event, 40)
    work(account)

    assert shown(api, project, result)["approval_state"] == "withdrawn"
    assert states(api, project, event) == [(51, "reverted"), (40, "in_force")]


def test_an_approval_is_withdrawn_with_its_version(api, account, project, proposing, propose):
    event, result = propose()
    approve(api, project, result).expect(200)

    change(api, proposing, expression="{{mass}} > 30")
    work(account)

    assert [one["approval_state"] for one in results(api, proposing)] == ["withdrawn", "pending"]
    assert held(api, project, event) == (50, 50)


def test_results_of_model_runs_have_the_same_fields_and_propose_nothing(api, sql, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    [batch] = plant.generate()["batches"]
    on_batches = given_alerts.rule(
        api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"]
    )
    found = given_alerts.model_run_result(sql, on_batches, batch)

    one = shown(api, plant.project, found)

    fields = ("approval_state", "proposed_correction", "rejected_at", "rejected_by", "rejection_reason")
    assert [one[field] for field in fields] == [None] * 5
    assert approve(api, plant.project, found).expect(422).error["code"] == "never_pending"
    assert dismiss(api, plant.project, found).expect(200).body["status"] == "dismissed"


def test_a_result_of_another_project_is_not_found(api, propose):
    _, result = propose()
    elsewhere = given.measuring(api, given.number("mass"))

    assert api.get(path(elsewhere, result)).status == 404
    assert approve(api, elsewhere, result).status == 404


def test_callers_that_approve_the_same_results_at_once_approve_them_once(api, account, project, propose):
    event, result = propose()

    answers = account.server.together(lambda: approve(api, project, result), 4)

    assert {answer.status for answer in answers} == {200}
    assert states(api, project, event) == [(51, "in_force")]
    assert len(audited(account, "rule_result.approve")) == 1
