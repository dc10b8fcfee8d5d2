"""Decisions on proposals that are reversed: until a batch rests on them; who decided before is not lost."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import generation as given_generation
from tests.given.approvals import (
    WHY,
    approve,
    audited,
    bulk_approve,
    bulk_reject,
    dismiss,
    of_event,
    reject,
    shown,
)
from tests.given.gaps import filling, report, stack, values
from tests.given.rule_evaluation import (
    calibration,
    correct,
    corrections,
    evaluate,
    held,
    results,
    revert,
    rule,
    states,
    work,
)

from weighbridge.core import identity
from weighbridge.quality.rule_results_queries import name_result, problems_of_use


@pytest.fixture
def proposing(api, project):
    return calibration(api, project, becomes="{{mass}} + coalesce({{ash}}, 1)", requires_approval=True)


@pytest.fixture
def propose(api, account, proposing, deliver):
    """Makes a delivery for which the rule proposes; gives the event and the id of the result."""

    def make(mass=50, day=1, **values):
        event = deliver(mass, day, **values)
        work(account)
        return event, of_event(api, proposing, event)

    return make


def test_a_rejected_approval_takes_its_correction_back(api, project, propose):
    event, result = propose()
    approve(api, project, result).expect(200)

    answer = reject(api, project, result).expect(200).body

    assert (answer["status"], answer["approval_state"]) == ("fail", "rejected")
    assert (answer["rejected_by"], answer["rejection_reason"]) == ("administrator", WHY)
    assert (answer["approved_at"], answer["approved_by"], answer["approval_comment"]) == (None, None, None)
    assert held(api, project, event) == (50, 50)
    [made] = corrections(api, project, event)
    assert (made["state"], made["reverted_by"]) == ("reverted", "administrator")
    assert reject(api, project, result, "Something else").expect(200).body == answer


def test_a_rejected_approval_is_told_in_the_feed_as_what_it_takes_back(api, project, propose):
    _, result = propose()
    approve(api, project, result).expect(200)
    cursor = api.get("/changes", {"after": "latest"}).expect(200).body["cursor"]

    reject(api, project, result).expect(200)

    told = {(one["kind"], one["action"]) for one in api.get("/changes", {"after": cursor}).data}
    assert told == {("correction", "revert"), ("event", "update"), ("rule_result", "update")}


def test_what_was_approved_and_rejected_is_not_proposed_again_and_another_value_is(
    api, account, project, proposing, propose
):
    event, result = propose(ash=3)
    approve(api, project, result).expect(200)
    before = reject(api, project, result).expect(200).body
    work(account)
    evaluate(api, account, proposing)
    assert shown(api, project, result) == before

    correct(api, project, event, 5, place=1)
    work(account)

    found = shown(api, project, result)
    assert (found["approval_state"], found["proposed_correction"]["to_value"]) == ("pending", 55)


def test_a_rejection_is_reversed_by_an_approval_that_stays_in_force(
    api, account, project, proposing, propose
):
    event, result = propose()
    reject(api, project, result).expect(200)

    answer = approve(api, project, result).expect(200).body
    work(account)
    evaluate(api, account, proposing)

    assert answer["approval_state"] == "approved"
    assert (answer["rejected_at"], answer["rejected_by"], answer["rejection_reason"]) == (None, None, None)
    assert shown(api, project, result) == answer
    assert held(api, project, event) == (51, 50)


def test_a_decision_is_reversed_as_often_as_people_like(api, account, project, proposing, propose):
    event, result = propose()

    for _ in range(2):
        approve(api, project, result).expect(200)
        work(account)
        reject(api, project, result).expect(200)
        work(account)
    approve(api, project, result).expect(200)
    work(account)
    evaluate(api, account, proposing)

    assert shown(api, project, result)["approval_state"] == "approved"
    assert held(api, project, event) == (51, 50)
    assert states(api, project, event) == [(51, "reverted"), (51, "reverted"), (51, "in_force")]


def test_a_value_that_a_person_took_back_stays_theirs_whatever_was_reversed_before(
    api, account, project, proposing, propose
):
    event, result = propose()
    for decide in (approve, reject, approve):
        decide(api, project, result).expect(200)

    revert(api, project, event)
    work(account)
    evaluate(api, account, proposing)

    assert shown(api, project, result)["approval_state"] == "withdrawn"
    assert held(api, project, event) == (50, 50)
    assert approve(api, project, result).expect(422).error["code"] == "decided"


def test_a_rejected_proposal_whose_data_changed_meanwhile_is_superseded(api, project, propose):
    event, result = propose(ash=3)
    reject(api, project, result).expect(200)
    correct(api, project, event, 5, place=1)

    answer = approve(api, project, result).expect(200).body

    assert answer["approval_state"] == "superseded"
    assert (answer["rejected_at"], answer["rejected_by"], answer["rejection_reason"]) == (None, None, None)
    assert held(api, project, event) == (50, 50)


def by_passing(api, account, project, event, _result):
    correct(api, project, event, 5)
    work(account)


def by_dismissal(api, _account, project, _event, result):
    dismiss(api, project, result).expect(200)


@pytest.mark.parametrize("close", [by_passing, by_dismissal])
def test_the_rejection_of_a_closed_or_dismissed_result_stays(api, account, project, propose, close):
    event, result = propose()
    reject(api, project, result).expect(200)
    close(api, account, project, event, result)
    before = shown(api, project, result)

    error = approve(api, project, result).expect(422).error

    assert error["code"] == "decided"
    assert "Only a decision on an open result is reversed." in error["message"]
    assert shown(api, project, result) == before
    assert reject(api, project, result).expect(200).body == before


# Approvals have comments.


def test_an_approval_may_say_why(api, account, project, propose):
    _, result = propose()

    answer = approve(api, project, result, comment="  Read at the gate ").expect(200).body

    assert answer["approval_comment"] == "Read at the gate"
    assert approve(api, project, result, comment="Something else").expect(200).body == answer
    assert audited(account, "rule_result.approve")[0][2]["approval_comment"] == "Read at the gate"
    again = reject(api, project, result).expect(200).body
    assert again["approval_comment"] is None
    assert approve(api, project, result).expect(200).body["approval_comment"] is None


def test_many_approvals_have_one_comment(api, account, project, propose):
    named = [propose(day=day)[1] for day in (1, 2)]

    answer = bulk_approve(api, project, *named, comment="Both read at the gate").expect(200).data

    assert [one["approval_comment"] for one in answer] == ["Both read at the gate"] * 2
    assert audited(account, "rule_result.bulk_approve")[0][2]["comment"] == "Both read at the gate"


def test_a_blank_comment_is_refused_and_none_is_not(api, project, propose):
    _, result = propose()

    for refused in (
        approve(api, project, result, comment=" "),
        bulk_approve(api, project, result, comment=""),
    ):
        error = refused.expect(422).error
        assert (error["field"], error["code"]) == ("comment", "required")
    approve(api, project, result, comment=None).expect(200)


def test_a_comment_goes_with_the_value_that_was_approved(api, account, project, propose):
    event, result = propose(ash=3)
    approve(api, project, result, comment="Read at the gate").expect(200)

    correct(api, project, event, 5, place=1)
    work(account)

    found = shown(api, project, result)
    assert (found["approval_state"], found["approval_comment"]) == ("pending", None)


# The audit log has every decision.


def test_the_audit_log_has_each_decision_with_the_one_before(api, account, project, propose):
    _, result = propose()
    approve(api, project, result, comment="Read at the gate").expect(200)
    reject(api, project, result, "Read wrongly").expect(200)
    approve(api, project, result).expect(200)

    [(_, before, after)] = audited(account, "rule_result.reject")
    assert (before["approval_state"], before["approved_by"]) == ("approved", "administrator")
    assert before["approval_comment"] == "Read at the gate"
    assert (after["approval_state"], after["rejection_reason"]) == ("rejected", "Read wrongly")
    _, (_, before, after) = audited(account, "rule_result.approve")
    assert (before["rejected_by"], before["rejection_reason"]) == ("administrator", "Read wrongly")
    assert after["approval_state"] == "approved"


def test_the_audit_row_of_many_decisions_says_which_of_them_were_reversed(api, account, project, propose):
    named = [propose(day=day)[1] for day in (1, 2)]
    approve(api, project, named[0], comment="Read at the gate").expect(200)

    bulk_reject(api, project, *named).expect(200)
    bulk_approve(api, project, named[1]).expect(200)

    [(_, before, after)] = audited(account, "rule_result.bulk_reject")
    [decision] = before["decisions"]
    assert (decision["id"], decision["approval_comment"]) == (named[0], "Read at the gate")
    assert (decision["approval_state"], decision["approved_by"]) == ("approved", "administrator")
    assert after["approval_states"] == ["rejected", "rejected"]
    [(_, before, _)] = audited(account, "rule_result.bulk_approve")
    assert [one["rejection_reason"] for one in before["decisions"]] == [WHY]


# An approval that batches rest on stays.


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def approved(api, account, plant):
    """Has a rule propose two percent more for deliveries above 20 t, all approved; gives the results."""

    def make(*masses):
        for day, mass in enumerate(masses, 1):
            plant.deliver(mass, day=day)
        made = calibration(api, plant.project, requires_approval=True)
        work(account)
        named = [one["id"] for one in results(api, made)]
        bulk_approve(api, plant.project, *named).expect(200)
        return named

    return make


def test_an_approval_of_which_a_batch_was_generated_is_not_rejected(api, plant, approved):
    [result] = approved(50)
    [batch] = plant.generate()["batches"]
    before = shown(api, plant.project, result)

    error = reject(api, plant.project, result).expect(422).error

    assert (error["code"], error["records"]) == ("decision_used", [batch])
    assert error["message"] == (
        f"The rule result is '{result}', whose proposal is approved. 1 batch was generated from its "
        "correction. An approval is reversed only while no batch is left that was generated from it."
    )
    assert shown(api, plant.project, result) == before


def test_of_many_none_is_rejected_if_a_batch_rests_on_one(api, account, plant, approved):
    named = approved(50)
    [batch] = plant.generate()["batches"]
    plant.deliver(70, "2025-02-01T00:00:00Z")
    work(account)
    [waits] = [
        one["id"]
        for one in api.get(f"/projects/{plant.project['id']}/rule_results").data
        if one["approval_state"] == "pending"
    ]

    [error] = bulk_reject(api, plant.project, waits, *named).expect(422).errors

    assert (error["field"], error["code"]) == ("result_ids[1]", "decision_used")
    assert error["records"] == [batch]
    assert shown(api, plant.project, waits)["approval_state"] == "pending"


def test_a_batch_that_was_deleted_or_made_before_does_not_keep_an_approval(api, drain, plant, account):
    plant.deliver(50)
    plant.generate()
    made = calibration(api, plant.project, requires_approval=True)
    work(account)
    [result] = [one["id"] for one in results(api, made)]
    approve(api, plant.project, result).expect(200)
    reject(api, plant.project, result).expect(200)
    approve(api, plant.project, result).expect(200)
    [newer] = plant.generate()["batches"]
    assert reject(api, plant.project, result).expect(422).error["records"] == [newer]

    api.delete(f"/batches/{newer}").expect(202)
    drain()

    assert reject(api, plant.project, result).expect(200).body["approval_state"] == "rejected"


def test_a_refusal_names_up_to_twenty_batches_and_says_how_many_there_are():
    batches = [identity.of("batch", 7, number) for number in range(1, 22)]
    named = name_result(7, identity.of("data_point_result", 7, 3))

    [problem] = problems_of_use(named, {3: batches})

    assert problem.records == tuple(batches[:20])
    assert "21 batches were generated from its correction." in problem.message


def test_no_approval_is_rejected_while_a_generation_runs(api, server, plant, approved):
    [result] = approved(50)

    with given_generation.running(server, plant):
        error = reject(api, plant.project, result).expect(409).error

    assert "A generation works on the project's data just now" in error["message"]
    assert shown(api, plant.project, result)["approval_state"] == "approved"


def test_books_after_an_approval_was_rejected_are_those_without_it(api, account, drain):
    def books(*decisions):
        plant = given_accounting.plant(api, drain)
        for day, mass in enumerate((30, 50, 5), 1):
            plant.deliver(mass, day=day)
        made = calibration(api, plant.project, requires_approval=True)
        work(account)
        for decide in decisions:
            for one in results(api, made):
                decide(api, plant.project, one["id"]).expect(200)
            work(account)
        plant.generate()
        assert plant.generate()["unchanged"] == 1
        return plant.balance(), plant.credits(), [batch["stale_reasons"] for batch in plant.batches()]

    assert books(approve, reject) == books() == books(reject)
    assert books(approve, reject, approve) == books(approve) != books()


# Proposed events.


@pytest.fixture
def hourly(api):
    return stack(api)


@pytest.fixture
def imputing(api, account, hourly):
    """Hours of which one is missing, with a proposal for it; gives the rule and the result."""
    made = filling(api, hourly, {"method": "mean_before_after"}, purpose="impute", requires_approval=True)
    report(api, hourly, "10 - 14")
    work(account)
    return made, results(api, made)[0]["id"]


def test_a_rejected_event_goes_and_comes_again_when_it_is_approved(api, account, hourly, imputing):
    made, result = imputing
    first = approve(api, hourly, result).expect(200).body["event_id"]

    answer = reject(api, hourly, result).expect(200).body
    work(account)
    evaluate(api, account, made)

    assert (answer["approval_state"], answer["event_id"], answer["data_point_id"]) == ("rejected", None, None)
    assert answer["proposed_event"] is not None
    assert shown(api, hourly, result) == answer
    assert values(api, hourly) == {1: 10, 3: 14}

    again = approve(api, hourly, result).expect(200).body
    work(account)
    evaluate(api, account, made)
    assert again["approval_state"] == "approved"
    assert again["event_id"] != first
    assert shown(api, hourly, result) == again
    assert values(api, hourly) == {1: 10, 2: 12, 3: 14}


def test_an_event_of_which_a_batch_was_generated_is_not_rejected(api, drain, hourly, imputing):
    _, result = imputing
    approve(api, hourly, result).expect(200)
    nodes = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
    text = given_accounting.document(nodes, cadence="daily", primary_output="emission")
    model = given_accounting.model(api, hourly, text)
    ledger = given_accounting.ledger(api, hourly, model)
    plant = given_accounting.Plant(api, drain, hourly, model, ledger)
    [batch] = plant.generate(("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z"))["batches"]

    error = reject(api, hourly, result).expect(422).error

    assert (error["code"], error["records"]) == ("decision_used", [batch])
    assert values(api, hourly) == {1: 10, 2: 12, 3: 14}


def test_an_event_that_two_rules_fill_stays_when_one_of_them_is_rejected(api, account, hourly, imputing):
    _, so2 = imputing
    made = filling(
        api, hourly, {"method": "previous"}, purpose="impute", requires_approval=True,
        data_point="load", expression="{{load}} < 0", name="load",
    )  # fmt: skip
    work(account)
    [load] = [one["id"] for one in results(api, made)]
    bulk_approve(api, hourly, so2, load).expect(200)
    event = shown(api, hourly, so2)["event_id"]

    reject(api, hourly, load).expect(200)
    work(account)

    assert shown(api, hourly, so2)["approval_state"] == "approved"
    assert shown(api, hourly, load)["event_id"] is None
    assert values(api, hourly) == {1: 10, 2: 12, 3: 14}
    assert approve(api, hourly, load).expect(200).body["event_id"] == event
    work(account)
    assert [shown(api, hourly, one)["approval_state"] for one in (so2, load)] == ["approved"] * 2


def test_results_without_a_proposal_are_not_decided_on_beside_others(api, account, project, propose):
    event, result = propose()
    plain = rule(api, project, "{{mass}} > 20", name="plain")
    work(account)
    approve(api, project, result).expect(200)

    error = bulk_reject(api, project, result, of_event(api, plain, event)).expect(422).error

    assert (error["field"], error["code"]) == ("result_ids[1]", "never_pending")
    assert held(api, project, event) == (51, 50)
