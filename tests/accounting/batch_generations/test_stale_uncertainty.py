"""Batches are stale when something else is stated of how well the values that they used are known."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.gaps import filling, report, stack
from tests.given.inputs import measure
from tests.given.rule_evaluation import work

MASS = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""
MONTHS = ("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z")
STATED = {"standard": 1, "unit": "kg"}


@pytest.fixture
def plant(api, drain):
    return given_inputs.plant(api, drain, MASS, primary_output="mass")


@pytest.fixture
def scales(api, plant):
    """Two scales, the first of which weighed in January and February, the other in February."""
    east, west = (given.asset(api, plant.project, name=name)["id"] for name in ("East", "West"))
    for day, scale in (
        ("2025-01-10", east),
        ("2025-02-10", east),
        ("2025-02-11", west),
        ("2025-01-11", None),
    ):
        fields = {} if scale is None else {"asset_id": scale}
        measure(plant, "delivery", {"mass": 1}, day, **fields)
    plant.generate(MONTHS)
    return east, west


def stale(plant):
    """Why the batches are stale, by their tracking ids."""
    return {
        batch["tracking_id"]: [(reason["reason"], reason["record"]) for reason in batch["stale_reasons"]]
        for batch in plant.batches()
        if batch["stale_reasons"]
    }


def event_type(plant, slug="delivery"):
    listed = plant.api.get(f"/projects/{plant.project['id']}/event_types", {"filter[slug]": slug}).data
    return listed[0]["id"]


def enter(plant, start, end, kind="delivery", **fields):
    body = {
        "name": "D-K-1", "event_type_id": event_type(plant, kind), "data_point_type": "mass",
        "valid_from": start, "valid_until": end, "uncertainty": STATED,
    } | fields  # fmt: skip
    path = f"/projects/{plant.project['id']}/calibrations"
    return plant.api.post(path, {"calibration": body}).expect(201).body["id"]


def test_a_calibration_marks_what_was_made_of_its_meter_in_its_time(plant, scales):
    east, west = scales

    made = enter(plant, "2025-01-10T00:00:00Z", "2025-02-10T00:00:00Z", asset_id=east)
    assert stale(plant) == {"2025-01": [("calibration_changed", made)]}
    other = enter(plant, "2025-02-01T00:00:00Z", "2025-02-11T00:00:00Z", asset_id=west)
    assert stale(plant) == {"2025-01": [("calibration_changed", made)]}
    change = {"calibration": {"valid_until": None}}
    plant.api.patch(f"/projects/{plant.project['id']}/calibrations/{other}", change).expect(200)
    assert stale(plant)["2025-02"] == [("calibration_changed", other)]
    plant.generate(MONTHS)
    assert stale(plant) == {}
    bare = enter(plant, "2025-01-01T00:00:00Z", None)
    assert stale(plant) == {"2025-01": [("calibration_changed", bare)]}


def test_moving_or_removing_one_marks_what_it_was_about(plant, scales):
    east, _ = scales
    made = enter(plant, "2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z", asset_id=east)
    path = f"/projects/{plant.project['id']}/calibrations/{made}"
    plant.generate(MONTHS)

    plant.api.patch(path, {"calibration": {"notes": "Seen"}}).expect(200)
    assert stale(plant) == {}
    moved = {"valid_from": "2025-02-01T00:00:00Z", "valid_until": "2025-03-01T00:00:00Z"}
    plant.api.patch(path, {"calibration": moved}).expect(200)
    assert [*stale(plant)] == ["2025-01", "2025-02"]
    plant.generate(MONTHS)
    plant.api.delete(path).expect(204)
    assert stale(plant) == {"2025-02": [("calibration_changed", made)]}


@pytest.mark.usefixtures("scales")
def test_the_statement_of_a_data_point_type_marks_all_that_read_it(plant):
    number = event_type(plant)
    path = f"/projects/{plant.project['id']}/event_types/{number}"

    other = {"data_point_types": [{"slug": "mass", "name": "Gross"}, {"slug": "code"}]}
    plant.api.patch(path, {"event_type": other}).expect(200)
    assert stale(plant) == {}
    points = {"data_point_types": [{"slug": "mass", "uncertainty": STATED}, {"slug": "code"}]}
    plant.api.patch(path, {"event_type": points}).expect(200)

    reason = [("uncertainty_changed", number)]
    assert stale(plant) == {"2025-01": reason, "2025-02": reason}


@pytest.mark.usefixtures("scales")
def test_the_statement_of_a_single_value_marks_what_used_it(plant):
    home = f"/projects/{plant.project['id']}"
    [event, *_] = plant.api.get(f"{home}/events", {"sort": "start_time"}).data
    [point] = event["data_points"]

    plant.api.patch(f"{home}/data_points/{point['id']}", {"data_point": {"uncertainty": STATED}}).expect(200)
    assert stale(plant) == {"2025-01": [("data_point_corrected", point["id"])]}
    plant.generate(MONTHS)
    of_event = {"data_points": [{"slug": "mass", "value": 1, "uncertainty": None}]}
    plant.api.patch(f"{home}/events/{event['id']}", {"event": of_event}).expect(200)
    assert stale(plant) == {"2025-01": [("data_point_corrected", point["id"])]}


ASKING = "uncertainty: {}\nnodes:"
ONE_BY_ONE = MASS.replace("sum", "values").replace("slug: mass", "slug: loads").replace("output: true", "")
TOTAL = """
  - slug: mass
    formula: sum(loads)
    unit: t
    output: true
"""


@pytest.fixture(params=[MASS, ONE_BY_ONE + TOTAL], ids=["by sums", "one by one"])
def asking(request, api, plant):
    """A plant whose model asks for uncertainty, and that has weighed three times in January."""
    text = accounting.document(request.param, primary_output="mass").replace("nodes:", ASKING, 1)
    accounting.version(api, plant.model, text, activate=True)
    for day in ("2025-01-10", "2025-01-12", "2025-01-20"):
        measure(plant, "delivery", {"mass": 1}, day)
    return plant


def test_a_certificate_of_another_year_or_meter_leaves_a_slot_as_it_was_computed(asking, api, sql):
    def read_digests():
        found = "SELECT start_time, digest FROM slot_digests WHERE project_id = %s ORDER BY start_time"
        return sql(found, asking.project["numeric_id"])

    asking.generate(MONTHS)
    before = read_digests()
    enter(asking, "2026-01-01T00:00:00Z", None)
    enter(asking, "2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z")
    enter(asking, "2025-01-01T00:00:00Z", None, asset_id=given.asset(api, asking.project, name="East")["id"])
    asking.generate(MONTHS)
    assert read_digests() == before

    enter(asking, "2025-01-20T00:00:00Z", "2025-01-21T00:00:00Z")
    asking.generate(MONTHS)
    assert read_digests()[0] != before[0]
    assert read_digests()[1:] == before[1:]


def test_a_certificate_that_ends_earlier_within_a_slot_adjusts_its_batch(asking):
    first = enter(asking, "2025-01-01T00:00:00Z", "2025-01-15T00:00:00Z")
    second = enter(
        asking, "2025-01-15T00:00:00Z", None, uncertainty={"standard": 10, "unit": "kg"}, name="D-K-2"
    )
    asking.generate(MONTHS)
    path = f"/projects/{asking.project['id']}/calibrations"

    for made, change in ((first, "valid_until"), (second, "valid_from")):
        moved = {"calibration": {change: "2025-01-11T00:00:00Z"}}
        asking.api.patch(f"{path}/{made}", moved).expect(200)
    asking.generate(MONTHS)

    batch = asking.api.get(f"/batches/{asking.batches()[-1]['id']}").body
    known = batch["uncertainty"]["standard_uncertainty"]
    assert abs(known - (Decimal("0.001") ** 2 + Decimal("0.02") ** 2).sqrt()) < Decimal("1e-15")
    assert stale(asking) == {}


SO2 = {
    "summed": """
  - slug: so2
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
""",
    "one by one": """
  - slug: hours
    input: {event_type: hour, data_point_type: so2, aggregate: values, coverage: any}
    unit: t
  - slug: so2
    formula: sum(hours)
    unit: t
""",
}


@pytest.fixture(params=SO2)
def filled(api, account, request):
    """Two days of an hourly meter; the last hour of the first is the mean of those around it, 10 and 30 t."""
    project = stack(api)
    asset = given.asset(api, project, name="Stack")["id"]
    hours = report(api, project, f"{'10 ' * 23}!90 {'30 ' * 24}", asset_id=asset)
    filling(api, project, {"method": "mean_before_after"}, asset_id=asset)
    work(account)
    text = accounting.document(SO2[request.param], primary_output="so2", cadence="daily")
    model = accounting.model(api, project, text.replace("nodes:", "uncertainty: {}\nnodes:"))
    made = accounting.Plant(api, account.drain, project, model, accounting.ledger(api, project, model))
    made.generate(DAYS)
    return made, asset, hours


DAYS = ("2025-01-01T00:00:00Z", "2025-01-03T00:00:00Z")


def uncertainty_of_first_day(plant):
    batch = next(one for one in reversed(plant.batches()) if one["tracking_id"] == "2025-01-01")
    found = plant.api.get(f"/batches/{batch['id']}").expect(200).body["uncertainty"]
    return found["standard_uncertainty"]


def test_a_certificate_of_a_reading_that_a_value_rests_on_marks_what_was_made_of_the_value(account, filled):
    plant, asset, _ = filled
    assert uncertainty_of_first_day(plant) == 0

    fields = {"asset_id": asset, "data_point_type": "so2", "uncertainty": {"relative_standard": 0.1}}
    made = enter(plant, "2025-01-02T00:00:00Z", None, "hour", **fields)

    reason = [("calibration_changed", made)]
    assert stale(plant) == {"2025-01-01": reason, "2025-01-02": reason}
    plant.generate((DAYS[0], "2025-01-02T00:00:00Z"))
    # Half of a tenth of 30 t, which were read on the second day.
    assert uncertainty_of_first_day(plant) == Decimal("1.5")
    assert given_inputs.recomputed(account.server, plant) == []


def test_what_a_reading_states_alone_marks_what_was_made_of_values_that_rest_on_it(account, filled):
    plant, _, hours = filled
    home = f"/projects/{plant.project['id']}"
    event = plant.api.get(f"{home}/events/{hours[25]}").expect(200).body
    point = next(one for one in event["data_points"] if one["slug"] == "so2")
    path = f"{home}/data_points/{point['id']}"

    plant.api.patch(path, {"data_point": {"uncertainty": {"standard": 4}}}).expect(200)

    reason = [("data_point_corrected", point["id"])]
    assert stale(plant) == {"2025-01-01": reason, "2025-01-02": reason}
    plant.generate(DAYS)
    assert uncertainty_of_first_day(plant) == 2
    # Of what was stated before, the batch of before is computed again.
    plant.api.patch(path, {"data_point": {"uncertainty": {"relative_standard": 0.2}}}).expect(200)
    assert given_inputs.recomputed(account.server, plant) == []
    plant.generate(DAYS)
    assert uncertainty_of_first_day(plant) == 3
    assert given_inputs.recomputed(account.server, plant) == []
