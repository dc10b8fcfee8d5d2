"""A value that a received event lacks: a rule fills it in until it comes; what was sent stays as it is."""

import pytest
from tests.given import accounting, bundles
from tests.given import collection as given
from tests.given.feeds import Feeding
from tests.given.gaps import filling, hours, report, stack
from tests.given.rule_evaluation import work

from weighbridge.verification import verify

MEAN = {"method": "mean_before_after", "without_after": "before"}
LACKING = MEAN | {"fill_lacking": True}
SECOND = "2025-01-01T01:00:00Z"


@pytest.fixture(scope="module")
def server(lone_server):
    """A service whose database has the events of this file alone, for verifying looks at all of them."""
    with lone_server() as server:
        yield server


@pytest.fixture
def project(api):
    """10, an hour that came without its concentration, 20."""
    project = stack(api)
    report(api, project, "10 - 20")
    given.event(api, project, event_type="hour", start_time=SECOND, values={"quality": "good", "load": 50})
    return project


def second(api, project):
    """The second hour, and its concentration."""
    query = {"filter[start_time][geq]": SECOND, "sort": "start_time"}
    event = api.get(f"/projects/{project['id']}/events", query).expect(200).data[0]
    return event, next((one for one in event["data_points"] if one["slug"] == "so2"), None)


def complete(api, project, value):
    event, _ = second(api, project)
    body = {"event": {"data_points": [{"slug": "so2", "value": value}]}}
    return api.patch(f"/projects/{project['id']}/events/{event['id']}", body).expect(200).body


@pytest.mark.parametrize("purpose", ["substitute", "impute"])
def test_a_rule_fills_in_the_one_value_and_marks_it(api, account, project, purpose):
    rule = filling(api, project, LACKING, purpose=purpose)
    work(account)

    event, point = second(api, project)

    assert (point["value"], point["raw_value"], point["value_source"]) == (15, None, "substituted")
    assert (point["substituted"], point["imputed"]) == (True, False)
    assert point["substitution"]["rule_id"] == rule["id"]
    assert (event["status"], event["missing"]) == ("incomplete", ["so2"])
    assert {one["slug"]: one["value_source"] for one in event["data_points"]} == {
        "so2": "substituted", "quality": "captured", "load": "captured",
    }  # fmt: skip


def test_a_rule_that_does_not_say_so_leaves_the_event_as_it_is(api, account, project):
    filling(api, project, MEAN)
    work(account)

    assert second(api, project)[1] is None


def test_the_value_that_comes_later_counts_at_once_and_the_filled_one_is_history(api, account, project):
    filling(api, project, LACKING)
    work(account)

    after = complete(api, project, 12)

    point = next(one for one in after["data_points"] if one["slug"] == "so2")
    assert (after["status"], after["missing"]) == ("complete", [])
    assert (point["value"], point["raw_value"], point["value_source"]) == (12, 12, "captured")
    work(account)
    assert second(api, project)[1]["value"] == 12
    path = f"/projects/{project['id']}/data_points/{point['id']}/corrections"
    history = api.get(path).expect(200).data
    assert [(one["source"], one["state"], one["from_value"]) for one in history] == [
        ("substitution", "reverted", None)
    ]


def test_a_value_that_comes_and_equals_what_was_filled_in_is_captured_too(api, account, project):
    filling(api, project, LACKING)
    work(account)

    after = complete(api, project, 15)

    assert after["status"] == "complete"
    assert second(api, project)[1]["value_source"] == "captured"


def test_a_value_that_comes_and_is_wrong_is_substituted_by_the_same_rule(api, account, project):
    filling(api, project, LACKING)
    work(account)

    complete(api, project, -5)
    work(account)

    _, point = second(api, project)
    assert (point["value"], point["raw_value"], point["value_source"]) == (15, -5, "substituted")


def correct(api, project, value):
    """A person corrects the concentration that the rule filled in."""
    _, point = second(api, project)
    path = f"/projects/{project['id']}/data_points/{point['id']}"
    body = {"data_point": {"value": value, "reason": "The shift's own estimate"}}
    return api.patch(path, body).expect(200).body


@pytest.mark.parametrize("value", [12, 14, 15])
def test_a_value_that_comes_takes_back_what_people_made_of_the_filled_one(api, account, project, value):
    filling(api, project, LACKING)
    work(account)
    corrected = correct(api, project, 14)
    assert (corrected["value"], corrected["raw_value"], corrected["value_source"]) == (14, None, "manual")

    after = complete(api, project, value)
    work(account)

    _, point = second(api, project)
    assert (after["status"], after["missing"]) == ("complete", [])
    assert (point["value"], point["raw_value"], point["value_source"]) == (value, value, "captured")
    path = f"/projects/{project['id']}/data_points/{point['id']}/corrections"
    history = [(one["source"], one["state"], one["to_value"]) for one in api.get(path).expect(200).data]
    assert history == [("substitution", "reverted", 15), ("manual", "reverted", 14)]
    again = correct(api, project, 13)
    assert (again["value"], again["raw_value"], again["value_source"]) == (13, value, "manual")


@pytest.mark.parametrize("corrected", [None, 14, 12])
def test_a_value_that_comes_in_a_file_is_captured_though_a_person_had_said_the_same(api, account, corrected):
    feeding = Feeding(account, on=stack(api))
    feed = feeding.feed(client_reference="time", on_difference="correct", bad_rows="skip")
    rows = [f"2025-01-01T0{hour}:00:00Z,{so2},good\n" for hour, so2 in enumerate(("10", "", "20"))]
    feeding.upload(feed, "start_time,so2,quality\n" + "".join(rows))
    filling(api, feeding.plant, LACKING)
    work(account)
    if corrected is not None:
        assert correct(api, feeding.plant, corrected)["raw_value"] is None

    rows[1] = rows[1].replace(",,", ",12,")
    upload = feeding.upload(feed, "start_time,so2,quality\n" + "".join(rows))

    assert (upload["state"], upload["corrected"]) == ("complete", 1)
    event, point = second(api, feeding.plant)
    assert (event["status"], event["missing"]) == ("complete", [])
    assert (point["value"], point["raw_value"], point["value_source"]) == (12, 12, "captured")
    [told] = upload["problems"]
    assert (told["stored"], told["value"]) == (None, "12")


def test_an_optional_value_behind_all_others_is_filled_in(api, account):
    """Its position is behind the last value that was captured."""
    project = stack(api)
    report(api, project, "10 - 20")
    given.event(api, project, event_type="hour", start_time=SECOND, values={"so2": 11, "quality": "good"})
    filling(api, project, LACKING, data_point="load", expression="{{load}} < 0")
    work(account)

    event, _ = second(api, project)

    assert event["status"] == "complete"
    assert {one["slug"]: one["value"] for one in event["data_points"]} == {
        "so2": 11, "quality": "good", "load": 50,
    }  # fmt: skip


def test_only_events_that_came_are_filled_by_a_rule_that_substitutes(api, account, project):
    report(api, project, "40", first=6)
    filling(api, project, LACKING)
    work(account)

    found = hours(api, project)

    assert sorted(found) == [1, 2, 3, 6]
    assert found[2]["substitution"]["gap_slots"] == 1


def test_a_sample_without_a_cadence_is_filled_in(api, account):
    """40 CFR 98.35(b)(1): the mean of the samples before and after one whose analysis is missing."""
    project = stack(api, cadence_amount=None, cadence_unit=None)
    report(api, project, "10 - 14")
    given.event(api, project, event_type="hour", start_time=SECOND, values={"quality": "good"})
    filling(api, project, LACKING)
    work(account)

    assert second(api, project)[1]["value"] == 12


def test_an_hour_that_has_its_value_in_another_event_lacks_none(api, account, project):
    other = given.event_body(event_type="hour", start_time="2025-01-01T01:30:00Z", values={"so2": 11})
    given.events(api, project, [other])
    filling(api, project, LACKING)
    work(account)

    assert second(api, project)[1] is None


def test_with_approval_the_value_waits_until_someone_approves_it(api, account, project):
    filling(api, project, LACKING, requires_approval=True)
    work(account)
    assert second(api, project)[1] is None
    path = f"/projects/{project['id']}/rule_results"
    [proposal] = api.get(path, {"filter[approval_state]": "pending"}).expect(200).data
    assert proposal["proposed_correction"]["from_value"] is None

    impact = api.get(f"{path}/{proposal['id']}/impact").expect(200).body
    assert impact["approval_state"] == "pending"
    api.post(f"{path}/{proposal['id']}/approve", {}).expect(200)

    assert second(api, project)[1]["value"] == 15


def test_taking_it_back_leaves_the_event_without_the_value(api, account, project):
    rule = filling(api, project, LACKING)
    work(account)

    api.post(f"/rules/{rule['id']}/undo_corrections", {}).expect(200)
    work(account)

    assert second(api, project)[1] is None


NODES = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""


def test_a_batch_counts_it_and_is_adjusted_when_the_value_comes(api, account, drain, project):
    """Generated, reported, bundled, verified: 10 + 15 + 20 with the value filled in, 42 when 12 came."""
    filling(api, project, LACKING)
    work(account)
    text = accounting.document(NODES, primary_output="emission")
    model = accounting.model(api, project, text)
    ledger = accounting.ledger(api, project, model, unit="t")
    plant = accounting.Plant(api, drain, project, model, ledger)

    plant.generate()

    [batch] = plant.batches()
    assert batch["run_total"] == 45
    rows = [row["data_point"] for row in batch["input_data"]]
    assert [(one["value"], one["raw_value"], one["substituted"]) for one in rows] == [
        (10, 10, False), (15, None, True), (20, 20, False),
    ]  # fmt: skip
    bundle = bundles.bundle(account, bundles.report_of(api, ledger))
    assert bundle.faults() == []

    complete(api, project, 12)
    work(account)
    assert [reason["reason"] for reason in plant.batches()[0]["stale_reasons"]]
    plant.generate()

    newest = api.get(f"/ledgers/{ledger['id']}").body
    assert newest["balance"] == 42
    assert bundles.bundle(account, bundles.report_of(api, ledger)).faults() == []
    found = account.server.run(verify(account.server.database))
    assert {one.rule: one.violations for one in found.checks if one.violations} == {}
