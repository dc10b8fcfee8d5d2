"""Where proposed events are told of beside their results: gaps, previews, impacts, submissions, the feed."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.given import accounting
from tests.given.approvals import approve, path, pending, shown
from tests.given.gaps import filling, report, stack, values
from tests.given.rule_evaluation import results, work

from weighbridge.quality.evaluation.incremental import evaluate_changes

SUM = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
DAY = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")
AT_ONE, AT_TWO = "2025-01-01T01:00:00.000Z", "2025-01-01T02:00:00.000Z"


@pytest.fixture
def project(api):
    return stack(api)


@pytest.fixture
def rule(api, project):
    return filling(api, project, {"method": "previous"}, purpose="impute", requires_approval=True)


@pytest.fixture
def emissions(api, drain, project):
    text = accounting.document(SUM, cadence="daily", primary_output="emission")
    model = accounting.model(api, project, text)
    ledger = accounting.ledger(api, project, model, name="Emissions")
    return accounting.Plant(api, drain, project, model, ledger)


@pytest.fixture
def proposed(api, account, project, rule):
    """Hours of which two are missing, with a proposal for each; gives their results."""
    report(api, project, "10 - - 14")
    work(account)
    return [one["id"] for one in results(api, rule)]


def impact_of(api, project, *named):
    said = api.post(f"/projects/{project['id']}/rule_results/impact", {"result_ids": [*named]})
    return said.expect(200).body


def test_an_impact_shows_which_tonnes_change_by_the_event_and_writes_nothing(
    api, project, rule, proposed, emissions
):
    emissions.generate(DAY)
    assert emissions.balance() == 24

    said = api.get(path(project, proposed[0], "impact")).expect(200).body

    assert [(one["primary_output_before"], one["primary_output_after"]) for one in said["batches"]] == [
        (24, 34)
    ]
    assert [one["change"] for one in said["ledgers"]] == [10]
    assert said["approval_state"] == "pending"
    together = impact_of(api, project, *proposed)
    assert [(one["primary_output_before"], one["primary_output_after"]) for one in together["batches"]] == [
        (24, 44)
    ]
    assert values(api, project) == {1: 10, 4: 14}
    assert (pending(api, rule), shown(api, project, proposed[0])["event_id"]) == (2, None)
    for one in proposed:
        approve(api, project, one).expect(200)
    emissions.generate(DAY)
    assert emissions.balance() == 44


def test_a_gap_says_what_is_proposed_for_its_slots(api, project, rule, proposed):
    kind = shown(api, project, proposed[0])["proposed_event"]["event_type_id"]
    asked = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-01T04:00:00Z"}

    def gap():
        [found] = (
            api.get(f"/projects/{project['id']}/event_types/{kind}/gaps", asked).expect(200).body["data"]
        )
        return found

    assert (gap()["missing"], gap()["imputed"], gap()["pending_count"]) == (2, 0, 2)
    assert gap()["proposed"] == [
        {
            "rule_result_id": result, "rule_id": rule["id"], "event_id": None, "start_time": start,
            "data_point_slug": "so2", "to_value": 10,
        }
        for result, start in zip(proposed, (AT_ONE, AT_TWO), strict=True)
    ]  # fmt: skip
    approve(api, project, proposed[0]).expect(200)
    assert (gap()["imputed"], gap()["pending_count"]) == (1, 1)
    assert [one["rule_result_id"] for one in gap()["proposed"]] == [proposed[1]]


def test_a_gap_says_what_is_proposed_for_captured_values_too(api, account, project):
    made = filling(api, project, {"method": "previous"}, requires_approval=True)
    kinds = api.get(f"/projects/{project['id']}/event_types").data
    api.patch(
        f"/projects/{project['id']}/event_types/{kinds[0]['id']}",
        {"event_type": {"valid_when": "quality != 'bad'"}},
    ).expect(200)
    named = report(api, project, "10 !99 14")
    work(account)
    asked = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-01-01T03:00:00Z"}

    [gap] = api.get(f"/projects/{project['id']}/event_types/{kinds[0]['id']}/gaps", asked).body["data"]

    assert [(one["rule_result_id"], one["event_id"]) for one in gap["proposed"]] == [
        (results(api, made)[0]["id"], named[2])
    ]


@pytest.mark.usefixtures("proposed")
def test_a_preview_names_the_slots_that_wait(rule, emissions):
    [entry] = emissions.preview(DAY)

    [said] = entry["pending_proposals"]
    assert (said["rule_id"], said["proposal_count"], said["data_points"]) == (rule["id"], 2, [])
    assert said["slots"] == [AT_ONE, AT_TWO]


@pytest.mark.usefixtures("proposed")
def test_proposals_for_slots_that_an_input_does_not_read_are_not_named(api, project, drain):
    heavy = SUM.replace("aggregate: sum", 'aggregate: sum, where: "so2 > 10"')
    model = accounting.model(
        api, project, accounting.document(heavy, cadence="daily", primary_output="emission")
    )
    ledger = accounting.ledger(api, project, model, name="Heavy")
    plant = accounting.Plant(api, drain, project, model, ledger)

    [entry] = plant.preview(DAY)

    assert entry["pending_proposals"] == []


def test_a_proposal_is_approved_once_or_withdrawn_when_the_captured_hour_comes_at_the_same_time(
    api, account, project, rule
):
    numbers = range(2, 40, 2)
    report(api, project, " ".join(["10", "-"] * 20) + " 10")
    work(account)
    named = [one["id"] for one in results(api, rule)]
    assert len(named) == 20

    def capture(number):
        report(account.caller(), project, "11", first=number)

    with ThreadPoolExecutor(3) as people:
        deciding = [people.submit(approve, account.caller(), project, one) for one in named[:19]]
        coming = [people.submit(capture, number) for number in numbers]
        evaluating = people.submit(account.server.run, evaluate_changes(account.server.database))
        answers = {future.result().status for future in deciding}
        [future.result() for future in coming]
        assert evaluating.result() is not None

    assert answers <= {200, 422}
    found = values(api, project)
    assert {number: found[number] for number in numbers} == dict.fromkeys(numbers, 11)
    assert len(found) == 20 + 1 + 19
    states = [one["approval_state"] for one in results(api, rule)]
    assert states == ["withdrawn"] * 19 + ["pending"]
    assert pending(api, rule) == states.count("pending")
