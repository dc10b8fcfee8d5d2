"""POST of bulk_approve and bulk_reject: all that are named, or none. Seed, Limits."""

import pytest
from tests.given import alerts as given_alerts
from tests.given.approvals import WHY, approve, audited, bulk_approve, bulk_reject, dismiss, pending, shown
from tests.given.rule_evaluation import calibration, correct, held, results, rule, states, work


def test_many_proposals_are_approved_at_once_each_counted_once(account, project, proposing, propose):
    api = account.caller()
    proposed = [propose(day=day) for day in (1, 2, 3)]
    named = [result for _, result in proposed]
    approve(api, project, named[1]).expect(200)

    answer = bulk_approve(api, project, *reversed(named), named[0]).expect(200).data

    assert [(one["id"], one["approval_state"]) for one in answer] == [
        (one, "approved") for one in reversed(named)
    ]
    assert {held(api, project, event) for event, _ in proposed} == {(51, 50)}
    [(target, _, after)] = audited(account, "rule_result.bulk_approve")
    assert (target, after["count"], after["result_ids"]) == ("2 rule results", 2, named[::-1])
    assert pending(api, proposing) == 0


def test_of_many_proposals_those_whose_data_changed_are_superseded_and_the_others_approved(
    api, project, propose
):
    (changed, first), (_, second) = propose(day=1), propose(day=2)
    correct(api, project, changed, 60)

    answer = bulk_approve(api, project, first, second).expect(200).data

    assert [one["approval_state"] for one in answer] == ["superseded", "approved"]


def test_many_proposals_are_rejected_with_one_reason(api, project, proposing, propose):
    named = [propose(day=day)[1] for day in (1, 2)]

    answer = bulk_reject(api, project, *named).expect(200).data

    assert [(one["approval_state"], one["rejection_reason"]) for one in answer] == [("rejected", WHY)] * 2
    assert bulk_reject(api, project, *named, reason="Something else").expect(200).data == answer
    assert pending(api, proposing) == 0


@pytest.mark.parametrize("decide", [bulk_approve, bulk_reject])
@pytest.mark.parametrize("bad", ["never_pending", "unknown", "decided"])
def test_one_that_cannot_be_decided_on_leaves_all_as_they_are(account, project, propose, decide, bad):
    api = account.caller()
    (event, good), (_, other) = propose(day=1), propose(day=2)
    plain = rule(api, project, "{{mass}} > 20", name="plain")
    work(account)
    dismiss(api, project, other).expect(200)
    one = {
        "never_pending": results(api, plain)[0]["id"],
        "unknown": "dpres_" + "0" * 24,
        "decided": other,
    }[bad]

    error = decide(api, project, good, one).expect(422).error

    assert (error["field"], error["code"]) == ("result_ids[1]", bad)
    assert shown(api, project, good)["approval_state"] == "pending"
    assert held(api, project, event) == (50, 50)


@pytest.mark.parametrize("decide", [bulk_approve, bulk_reject])
def test_none_and_more_than_a_hundred_are_refused(api, sql, project, decide):
    plain = given_alerts.rule(api, project)
    named = given_alerts.results(sql, plain, project, api, 101)

    assert decide(api, project).expect(422).error["code"] == "required"
    errors = decide(api, project, *named).expect(422).errors
    assert [(one["field"], one["code"]) for one in errors] == [("result_ids", "too_many")]
    assert "at most 100." in errors[0]["message"]


def test_two_rules_may_be_approved_for_one_value_and_one_of_them_prevails(api, account, project, deliver):
    event = deliver(50)
    first = calibration(api, project, requires_approval=True, priority=2, name="two percent")
    second = calibration(
        api, project, requires_approval=True, priority=1, becomes="{{mass}} + 9", name="nine"
    )
    work(account)
    named = [results(api, one)[0]["id"] for one in (first, second)]

    bulk_approve(api, project, *named).expect(200)

    assert held(api, project, event) == (59, 50)
    assert sorted(states(api, project, event)) == [(51, "superseded"), (59, "in_force")]
