"""Rules whose corrections need approval: they are held as proposals, and the value stays as it is."""

from decimal import Decimal

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.rule_evaluation import calibration, change, correct, held, results, states, work


@pytest.fixture
def project(api):
    return given.measuring(api, given.number("mass"), given.number("ash", required=False))


@pytest.fixture
def deliver(api, project):
    """Stores a delivery of so much on a day of January 2025."""

    def make(mass, day=1, **values):
        start = f"2025-01-{day:02}T00:00:00Z"
        return given.event(api, project, start_time=start, values={"mass": mass} | values)

    return make


def proposing(api, project, **fields):
    return calibration(api, project, requires_approval=True, **fields)


def proposals(api, rule):
    return [(one["status"], one["approval_state"], one["proposed_correction"]) for one in results(api, rule)]


def pending(api, rule):
    return api.get(f"/rules/{rule['id']}").body["pending_count"]


TO_51 = {"from_value": 50, "to_value": 51}


def test_a_correction_that_needs_approval_is_held_with_its_result(api, account, project, deliver):
    heavy = deliver(50)
    made = proposing(api, project)
    work(account)

    assert proposals(api, made) == [("fail", "pending", TO_51)]
    assert held(api, project, heavy) == (50, 50)
    assert states(api, project, heavy) == []
    assert pending(api, made) == 1
    run = api.get(f"/rule_runs/{made['rule_run_id']}").body
    assert (run["alerts"], run["corrections"], run["withdrawn"], run["proposals"]) == (1, 0, 0, 1)


def test_a_proposal_is_shown_with_its_data_point(api, account, project, deliver):
    heavy = deliver(50)
    proposing(api, project)
    work(account)

    [point, *_] = api.get(f"/projects/{project['id']}/events/{heavy['id']}/data_points").data
    assert [(one["approval_state"], one["proposed_correction"]) for one in point["rule_results"]] == [
        ("pending", TO_51)
    ]


def test_evaluating_again_changes_nothing(api, account, project, deliver):
    deliver(50)
    made = proposing(api, project)
    work(account)
    before = results(api, made)

    period = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
    task = api.post(f"/rules/{made['id']}/rule_runs", period).expect(202).body
    work(account)

    assert results(api, made) == before
    assert api.get(f"/rule_runs/{task['args']['rule_run_id']}").body["proposals"] == 0


def test_a_proposal_follows_what_it_is_computed_from(api, account, project, deliver):
    made = proposing(api, project, becomes="{{mass}} - {{ash}}")
    heavy = deliver(50, ash=3)
    work(account)

    correct(api, project, heavy, 5, place=1)
    work(account)

    assert proposals(api, made) == [("fail", "pending", {"from_value": 50, "to_value": 45})]


def test_a_proposal_is_withdrawn_when_its_record_passes(api, account, project, deliver):
    made = proposing(api, project)
    heavy = deliver(50)
    work(account)

    correct(api, project, heavy, 20)
    work(account)

    assert proposals(api, made) == [("pass", "withdrawn", TO_51)]
    assert pending(api, made) == 0


def test_a_proposal_is_withdrawn_when_a_person_corrects_the_value(api, account, project, deliver):
    made = proposing(api, project)
    heavy = deliver(50)
    work(account)

    correct(api, project, heavy, 40)
    work(account)

    assert proposals(api, made) == [("fail", "withdrawn", TO_51)]


def test_a_proposal_is_withdrawn_when_its_correction_has_no_result_and_made_again_when_it_has(
    api, account, project, deliver
):
    made = proposing(api, project, becomes="100 * {{mass}} / {{ash}}")
    heavy = deliver(50, ash=100)
    work(account)
    assert proposals(api, made) == [("fail", None, None)]  # it comes to what was captured

    seen = []
    for ash in (50, 0, 25):
        correct(api, project, heavy, ash, place=1)
        work(account)
        seen += [(status, state) for status, state, _ in proposals(api, made)]

    assert seen == [("fail", "pending"), ("error", "withdrawn"), ("fail", "pending")]


def test_a_proposal_is_withdrawn_when_its_result_is_dismissed(api, account, project, deliver):
    made = proposing(api, project)
    heavy = deliver(50)
    work(account)
    body = {"result_ids": [results(api, made)[0]["id"]], "reason": "The scale was being serviced"}

    [dismissed] = api.post(f"/projects/{project['id']}/rule_results/bulk_dismiss", body).expect(200).data
    work(account)

    assert (dismissed["status"], dismissed["approval_state"]) == ("dismissed", "withdrawn")
    assert proposals(api, made) == [("dismissed", "withdrawn", TO_51)]
    assert pending(api, made) == 0
    assert held(api, project, heavy) == (50, 50)


def test_a_proposal_is_withdrawn_with_its_version(api, account, project, deliver):
    made = proposing(api, project)
    deliver(50)
    work(account)

    change(api, made, expression="{{mass}} > 30")
    assert pending(api, made) == 0
    work(account)

    assert proposals(api, made) == [("pass", "withdrawn", TO_51), ("fail", "pending", TO_51)]
    assert pending(api, made) == 1


def test_a_proposal_is_withdrawn_with_its_rule(api, account, project, deliver, sql):
    made = proposing(api, project)
    deliver(50)
    work(account)

    api.delete(f"/rules/{made['id']}").expect(204)

    assert sql(
        "SELECT approval_state FROM data_point_results WHERE project_id = %s", project["numeric_id"]
    ) == [("withdrawn",)]


def test_a_proposal_outside_the_time_of_its_rule_is_withdrawn(api, account, project, deliver):
    made = proposing(api, project)
    deliver(50, day=1)
    deliver(60, day=20)
    work(account)

    change(api, made, effective_to="2025-01-10T00:00:00Z")
    work(account)

    assert [state for _, state, _ in proposals(api, made)] == ["pending", "withdrawn"]


def test_a_rule_that_needs_approval_from_now_on_takes_its_corrections_back(api, account, project, deliver):
    made = calibration(api, project)
    heavy = deliver(50)
    work(account)
    assert held(api, project, heavy) == (51, 50)

    change(api, made, requires_approval=True)
    work(account)

    assert held(api, project, heavy) == (50, 50)
    assert [state for _, state, _ in proposals(api, made)] == [None, "pending"]

    change(api, made, requires_approval=False)
    work(account)

    assert held(api, project, heavy) == (51, 50)
    assert [state for _, state, _ in proposals(api, made)] == [None, "withdrawn", None]


def test_what_a_person_reverted_is_not_proposed(api, account, project, deliver):
    made = proposing(api, project)
    heavy = deliver(50)
    correct(api, project, heavy, 60)
    path = f"/projects/{project['id']}/data_points/{heavy['data_points'][0]['id']}/revert"
    api.post(path, {}).expect(200)
    work(account)

    assert proposals(api, made) == [("fail", None, None)]


def test_a_generation_uses_the_captured_value_and_names_what_waits_for_approval(api, account, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(1, day=2)
    event = plant.deliver(50)
    plant.deliver(70, "2025-02-01T00:00:00Z")
    made = calibration(api, plant.project, requires_approval=True, name="Scale 2 reads low")
    work(account)
    point = api.get(f"/projects/{plant.project['id']}/events/{event}/data_points").data[0]["id"]
    named = [
        {
            "rule_id": made["id"],
            "rule": "Scale 2 reads low",
            "event_type": "delivery",
            "proposal_count": 1,
            "data_points": [point],
            "slots": [],
        }
    ]

    (entry,) = plant.preview()
    result = plant.generate()

    assert entry["pending_proposals"] == result["pending_proposals"] == named
    assert plant.batches()[0]["primary_output"]["value"] == Decimal(51)


def test_a_generation_without_proposals_names_none(api, account, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    calibration(api, plant.project)
    work(account)

    assert plant.preview()[0]["pending_proposals"] == []
