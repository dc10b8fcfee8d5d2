"""POST of the impact of many proposals: what approving them together would change, and its refusals."""

import pytest
from tests.given import accounting as given_accounting
from tests.given.approvals import approve, bulk_approve, dismiss, reject, shown
from tests.given.rule_evaluation import calibration, change, correct, results, rule, work

QUARTER = "2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def proposed(api, account, plant):
    """Has a rule propose two percent more for deliveries above 20 t; gives the results, oldest first."""

    def make(*arguments, **fields):
        made = calibration(api, plant.project, *arguments, requires_approval=True, **fields)
        work(account)
        return [one["id"] for one in results(api, made)]

    return make


def impact(api, plant, *named):
    return api.post(f"/projects/{plant.project['id']}/rule_results/impact", {"result_ids": [*named]})


def outputs(answer):
    return [
        (one["start_time"][:7], one["primary_output_before"], one["primary_output_after"])
        for one in answer.expect(200).body["batches"]
    ]


def test_proposals_count_together(api, plant, proposed):
    plant.deliver(50)
    plant.deliver(100, day=2)
    plant.deliver(200, day="2025-02-05T00:00:00Z")
    plant.generate(QUARTER)
    first, second, third = proposed()

    said = impact(api, plant, second, third, first, second)

    assert outputs(said) == [("2025-01", 150, 153), ("2025-02", 200, 204)]
    assert said.body["results"] == [
        {"id": one, "approval_state": "pending"} for one in (second, third, first)
    ]
    assert outputs(impact(api, plant, second)) == [("2025-01", 150, 152)]


def test_asking_leaves_proposals_as_they_are_and_approving_comes_to_what_was_said(api, plant, proposed):
    plant.deliver(50)
    plant.deliver(100, day=2)
    plant.generate()
    named = proposed()
    before = [shown(api, plant.project, one) for one in named]

    [(_, _, after)] = outputs(impact(api, plant, *named))

    assert [shown(api, plant.project, one) for one in named] == before
    bulk_approve(api, plant.project, *named).expect(200)
    plant.generate()
    assert sum(one["primary_output"]["value"] for one in plant.batches()) == after


def test_of_several_proposals_for_one_value_that_counts_which_would_prevail(api, plant, proposed):
    plant.deliver(50)
    plant.generate()
    named = proposed(), proposed("{{mass}} > 30", "{{mass}} + 3")

    said = impact(api, plant, *named[0], *named[1])

    [(_, _, after)] = outputs(said)
    bulk_approve(api, plant.project, *named[0], *named[1]).expect(200)
    plant.generate()
    assert sum(one["primary_output"]["value"] for one in plant.batches()) == after
    assert outputs(impact(api, plant, *named[0])) == []


def test_one_whose_data_changed_is_superseded_and_the_others_count(api, plant, proposed):
    first, _ = plant.deliver(50), plant.deliver(100, day=2)
    plant.generate()
    named = proposed()
    correct(api, plant.project, api.get(f"/projects/{plant.project['id']}/events/{first}").body, 60)

    said = impact(api, plant, *named)

    assert outputs(said) == [("2025-01", 160, 162)]
    assert [one["approval_state"] for one in said.body["results"]] == ["superseded", "pending"]


def test_one_that_is_approved_already_changes_nothing_more(api, plant, proposed):
    plant.deliver(50)
    plant.deliver(100, day=2)
    plant.generate()
    first, second = proposed()
    approve(api, plant.project, first).expect(200)

    said = impact(api, plant, first, second)

    assert outputs(said) == [("2025-01", 151, 153)]
    assert [one["approval_state"] for one in said.body["results"]] == ["approved", "pending"]


def test_a_proposal_of_a_voided_event_would_not_be_applied(api, plant, proposed, sql):
    event = plant.deliver(50)
    plant.deliver(10, day=2)
    plant.generate()
    [result] = proposed()
    given_accounting.void(sql, event)

    assert impact(api, plant, result).expect(200).body["results"] == [
        {"id": result, "approval_state": "superseded"}
    ]


def test_one_that_was_rejected_has_the_impact_of_its_approval(api, plant, proposed):
    plant.deliver(50)
    plant.generate()
    [result] = proposed()
    reject(api, plant.project, result).expect(200)

    said = impact(api, plant, result)

    assert outputs(said) == [("2025-01", 50, 51)]
    assert said.body["results"] == [{"id": result, "approval_state": "rejected"}]


@pytest.mark.parametrize("before", [(), (reject,)])
def test_a_decided_proposal_is_refused_as_an_approval_would_be(api, plant, proposed, before):
    plant.deliver(50)
    [result] = proposed()
    for decide in (*before, dismiss):
        decide(api, plant.project, result).expect(200)

    said, refused = impact(api, plant, result), bulk_approve(api, plant.project, result)

    assert said.expect(422).errors == refused.expect(422).errors
    assert said.error["code"] == "decided"


def test_results_without_a_proposal_and_unknown_ones_are_refused_as_an_approval_would_be(
    api, account, plant, proposed
):
    plant.deliver(50)
    plain = rule(api, plant.project, "{{mass}} > 20", name="plain")
    work(account)
    named = [results(api, plain)[0]["id"], "dpres_000000000000000000000000", "nothing", *proposed()]

    said, refused = impact(api, plant, *named), bulk_approve(api, plant.project, *named)

    assert said.expect(422).errors == refused.expect(422).errors
    assert [one["code"] for one in said.errors] == ["never_pending", "unknown", "unknown"]


def test_a_proposal_of_a_rule_that_changed_or_was_removed_is_none_any_more(api, account, plant):
    plant.deliver(50)
    plant.generate()
    made = calibration(api, plant.project, requires_approval=True)
    work(account)
    [result] = [one["id"] for one in results(api, made)]

    change(api, made, expression="{{mass}} > 25")
    assert impact(api, plant, result).expect(422).error["code"] == "decided"

    api.delete(f"/rules/{made['id']}").expect(204)
    assert impact(api, plant, result).expect(422).error["code"] == "unknown"
    api.get(f"/projects/{plant.project['id']}/rule_results/{result}/impact").expect(404)


def test_from_one_to_a_hundred_results_are_asked_for(api, plant):
    none, many = impact(api, plant), impact(api, plant, *[f"dpres_{one:024d}" for one in range(101)])

    assert none.expect(422).error["message"] == "result_ids is empty; name at least one rule result."
    assert many.expect(422).error["message"] == (
        "result_ids names 101 rule results; one request asks for at most 100."
    )


def test_a_result_is_found_in_its_own_project_only(api, drain, plant, proposed):
    plant.deliver(50)
    [result] = proposed()
    other = given_accounting.plant(api, drain)

    assert impact(api, other, result).expect(422).error["code"] == "unknown"
