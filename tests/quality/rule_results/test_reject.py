"""POST of a rejection, and what either decision does in each state of a proposal."""

import pytest
from tests.given.approvals import approve, bulk_reject, dismiss, of_event, path, reject, shown
from tests.given.rule_evaluation import calibration, correct, evaluate, held, rule, states, work


def test_a_rejected_proposal_says_when_by_whom_and_why_and_changes_no_value(api, project, propose):
    event, result = propose()

    answer = reject(api, project, result, "  The scale was right ").expect(200).body

    assert (answer["status"], answer["approval_state"]) == ("fail", "rejected")
    assert (answer["rejected_by"], answer["rejection_reason"]) == ("administrator", "The scale was right")
    assert answer["rejected_at"] > "2026"
    assert held(api, project, event) == (50, 50)
    assert states(api, project, event) == []


def test_what_was_rejected_is_not_proposed_again(api, account, project, proposing, propose):
    _, result = propose()
    before = reject(api, project, result).expect(200).body

    evaluate(api, account, proposing)

    assert shown(api, project, result) == before


@pytest.mark.parametrize("decide", [approve, reject])
def test_another_value_than_the_one_that_was_decided_on_is_proposed_anew(
    api, account, project, deliver, decide
):
    made = calibration(api, project, becomes="{{mass}} - {{ash}}", requires_approval=True)
    event = deliver(50, ash=3)
    work(account)
    result = of_event(api, made, event)
    decide(api, project, result).expect(200)

    correct(api, project, event, 5, place=1)
    work(account)

    found = shown(api, project, result)
    assert (found["approval_state"], found["proposed_correction"]) == (
        "pending", {"from_value": 50, "to_value": 45},
    )  # fmt: skip
    assert (found["rejected_at"], found["rejected_by"], found["rejection_reason"]) == (None, None, None)
    assert held(api, project, event) == (50, 50)


def bring_to(state, api, project, proposed):
    """Let the proposal of a delivery come to a state."""
    event, result = proposed
    match state:
        case "approved":
            approve(api, project, result).expect(200)
        case "rejected":
            reject(api, project, result).expect(200)
        case "withdrawn":
            dismiss(api, project, result).expect(200)
        case "superseded":
            correct(api, project, event, 60)
            approve(api, project, result).expect(200)


DECISIONS = {
    ("pending", approve): "approved",
    ("pending", reject): "rejected",
    ("approved", approve): "approved",
    ("approved", reject): "rejected",
    ("rejected", approve): "approved",
    ("rejected", reject): "rejected",
    ("withdrawn", approve): 422,
    ("withdrawn", reject): 422,
    ("superseded", approve): "superseded",
    ("superseded", reject): 422,
}


@pytest.mark.parametrize(("state", "decide"), DECISIONS)
def test_a_decision_does_in_each_state_what_the_table_says(api, project, propose, state, decide):
    event, result = propose()
    bring_to(state, api, project, (event, result))
    before = shown(api, project, result)
    expected = DECISIONS[state, decide]

    answer = decide(api, project, result)

    if expected == 422:
        assert answer.expect(422).error["code"] == "decided"
        other = {approve: "rejected to be approved", reject: "approved to be rejected"}[decide]
        assert f"whose proposal is {state}. It must be pending or {other}." in answer.error["message"]
        assert shown(api, project, result) == before
    else:
        assert answer.expect(200).body["approval_state"] == expected
        assert state != expected or answer.body == before


@pytest.mark.parametrize("decide", [approve, reject])
def test_a_result_that_never_held_a_proposal_is_not_decided_on(api, account, project, deliver, decide):
    plain = rule(api, project, "{{mass}} > 20")
    event = deliver(50)
    work(account)

    error = decide(api, project, of_event(api, plain, event)).expect(422).error

    assert error["code"] == "never_pending"


def test_a_blank_reason_is_refused(api, project, propose):
    _, result = propose()

    for decide in (reject, dismiss):
        error = decide(api, project, result, " \n").expect(422).error
        assert (error["field"], error["code"]) == ("reason", "required")


def test_decisions_need_the_feature(api, account, sql, project, propose):
    _, result = propose()
    sql("INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'rules_engine', false)", account.id)

    for answer in (approve(api, project, result), bulk_reject(api, project, result)):
        assert answer.expect(403).error["message"] == "Rules engine feature is not enabled"
    assert api.get(path(project, result)).status == 403
