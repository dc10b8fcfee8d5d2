"""What a dry run says of the automatic rules that would evaluate the change afterwards."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.roll_ups import hours
from tests.given.rule_evaluation import calibration, rule, work

DRY = {"dry_run": "true"}


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


def path_of(plant, event):
    return f"/projects/{plant.project['id']}/events/{event}"


def corrected(mass):
    return {"event": {"data_points": [{"slug": "mass", "value": mass}]}}


def following(answer):
    return [one["rule_id"] for one in answer.expect(200).body["following_rules"]]


def test_the_rule_that_makes_more_of_a_correction_than_the_dry_run_says_is_named(account, api, plant):
    event = plant.deliver(50)
    plant.generate()
    made = calibration(api, plant.project, "{{mass}} > 90", "{{mass}} * 1.5", name="Scale")
    work(account)

    said = api.patch(path_of(plant, event), corrected(100), query=DRY).expect(200).body

    assert [one["primary_output_after"] for one in said["batches"]] == [100]
    assert said["following_rules"] == [{"rule_id": made["id"], "name": "Scale", "purpose": "adjust"}]


def test_rules_that_would_not_evaluate_the_event_or_correct_nothing_are_not_named(account, api, plant):
    here, there = given.asset(api, plant.project), given.asset(api, plant.project)
    event = plant.deliver(50, asset_id=here["id"])
    plant.deliver(50, asset_id=there["id"])
    plant.bill(10)
    plant.generate()
    own = calibration(api, plant.project, asset_id=here["id"])
    for number, fields in enumerate(
        (
            {"asset_id": there["id"]},
            {"effective_to": "2024-06-01T00:00:00Z"},
            {"effective_from": "2025-01-02T00:00:00Z"},
            {"evaluation": "on_demand"},
            {"requires_approval": True},
        )
    ):
        calibration(api, plant.project, name=f"Not {number}", **fields)
    calibration(api, plant.project, "{{energy}} > 1", "{{energy}} * 2")
    rule(api, plant.project, "{{mass}} > 40")
    work(account)

    said = api.patch(path_of(plant, event), corrected(100), query=DRY)

    assert following(said) == [own["id"]]


def test_an_event_that_would_move_is_evaluated_where_and_of_what_it_would_be(account, api, plant):
    kiln = given.asset(api, plant.project)
    event = plant.deliver(50)
    plant.generate()
    of_kiln = calibration(api, plant.project, asset_id=kiln["id"])
    later = calibration(api, plant.project, name="Later", effective_from="2025-01-10T00:00:00Z")
    work(account)
    moved = {"start_time": "2025-01-20T00:00:00Z"}

    def planned(**fields):
        return following(api.patch(path_of(plant, event), {"event": fields}, query=DRY))

    assert planned(start_time="2025-01-05T00:00:00Z") == []
    assert planned(**moved) == [later["id"]]
    assert planned(asset_id=kiln["id"]) == [of_kiln["id"]]
    assert planned(asset_id=kiln["id"], **moved) == [of_kiln["id"], later["id"]]


def test_marks_that_wait_from_before_name_no_rule_and_stay(account, api, sql, plant):
    event = plant.deliver(50)
    plant.generate()
    calibration(api, plant.project, "{{energy}} > 1", "{{energy}} * 2")
    work(account)
    plant.bill(10)
    marks = "SELECT * FROM rule_dirty_ranges ORDER BY id"
    waiting = sql(marks)

    said = api.patch(path_of(plant, event), corrected(100), query=DRY)

    assert following(said) == []
    assert sql(marks) == waiting != []


def test_rules_of_what_is_rolled_up_are_named_with_a_correction_of_a_reading(account, api, plant):
    days = hours(api, plant.project, [("total", "sum", "mass")], slug="day", unit="day", source="delivery",
                 points=[given.number("total", unit="t")])  # fmt: skip
    event = plant.deliver(50)
    plant.generate()
    work(account)
    made = calibration(api, plant.project, "{{total}} > 90", "{{total}} * 1.5", event_type_id=days["id"])
    work(account)

    said = api.patch(path_of(plant, event), corrected(100), query=DRY)

    assert following(said) == [made["id"]]
