"""Batches say how uncertain they are: of what types, single values, meters and static inputs state."""

from dataclasses import replace
from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.inputs import measure
from tests.given.uncertain_chains import JANUARY, MONTHS, SUMMED, asking, calibrate, state_of_type

ONE_BY_ONE = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: kg
  - slug: mass
    formula: sum(loads)
    unit: t
"""


def uncertainty_of(plant, number=0):
    batch = plant.batches()[number]
    return plant.api.get(f"/batches/{batch['id']}").expect(200).body["uncertainty"]


@pytest.mark.parametrize("nodes", [SUMMED, ONE_BY_ONE], ids=["summed", "one by one"])
def test_a_weighbridge_shares_its_certificate_and_readings_do_not(api, drain, nodes):
    plant = given_inputs.plant(api, drain, nodes, primary_output="mass")
    accounting.version(api, plant.model, asking(nodes), activate=True)
    scale = given.asset(api, plant.project, name="East")["id"]
    kind = state_of_type(plant, {"standard": 20, "unit": "kg"})
    calibrate(plant, kind, scale, {"relative_half_width": 0.01, "coverage_factor": 2})
    measure(plant, "delivery", {"mass": 10}, "2025-01-10", asset_id=scale)
    measure(plant, "delivery", {"mass": 20}, "2025-01-11", asset_id=scale)
    measure(plant, "delivery", {"mass": 30}, "2025-01-12")

    plant.generate(JANUARY)

    found = uncertainty_of(plant)
    # 0.02 t for each of three readings, and half a percent of the 30 t of the scale.
    expected = (3 * Decimal("0.02") ** 2 + Decimal("0.15") ** 2).sqrt()
    assert abs(found["standard_uncertainty"] - expected) < Decimal("1e-25")
    assert found["degrees_of_freedom_reason"] == "infinite"
    assert round(found["coverage_factor"], 2) == Decimal("1.96")
    assert round(found["high"], 6) == round(60 + Decimal("1.959963984540054") * expected, 6)
    shared, own = found["budget"]
    assert (shared["effect"][:4], shared["owner"]) == ("cal_", None)
    assert round(shared["share"], 6) == round(Decimal("0.0225") / Decimal("0.0237"), 6)
    assert own["owner"] == "Deliveries 2025-01-01T00:00:00.000Z"


@pytest.mark.parametrize("nodes", [SUMMED, ONE_BY_ONE], ids=["summed", "one by one"])
def test_what_is_stated_of_a_value_takes_the_place_of_its_type(api, drain, nodes):
    plant = given_inputs.plant(api, drain, nodes, primary_output="mass")
    accounting.version(api, plant.model, asking(nodes), activate=True)
    state_of_type(plant, {"standard": 0.02})
    measure(plant, "delivery", {"mass": 10}, "2025-01-10")
    body = {
        "event_type": "delivery", "start_time": "2025-01-11T00:00:00Z",
        "data_points": [{"slug": "mass", "value": 20, "uncertainty": {"standard": 0.1}}],
    }  # fmt: skip
    api.post(f"/projects/{plant.project['id']}/events", {"event": body}).expect(201)

    plant.generate(JANUARY)

    found = uncertainty_of(plant)["standard_uncertainty"]
    assert abs(found**2 - Decimal("0.0104")) < Decimal("1e-25")


def test_a_changed_certificate_adjusts_a_batch_whose_total_stays(api, drain):
    plant = given_inputs.plant(api, drain, SUMMED, primary_output="mass")
    accounting.version(api, plant.model, asking(SUMMED), activate=True)
    scale = given.asset(api, plant.project, name="East")["id"]
    kind = state_of_type(plant, None)
    made = calibrate(plant, kind, scale, {"standard": 0.1})
    measure(plant, "delivery", {"mass": 10}, "2025-01-10", asset_id=scale)
    measure(plant, "delivery", {"mass": 20}, "2025-01-11", asset_id=scale)
    plant.generate(JANUARY)
    assert uncertainty_of(plant)["standard_uncertainty"] == Decimal("0.2")

    change = {"calibration": {"uncertainty": {"standard": 0.25}}}
    api.patch(f"/projects/{plant.project['id']}/calibrations/{made}", change).expect(200)
    plant.generate(JANUARY)

    [first, adjusting] = sorted(plant.batches(), key=lambda batch: batch["numeric_id"])
    assert adjusting["adjusts"] == first["id"]
    assert adjusting["primary_output"]["value"] == 0
    assert adjusting["uncertainty"]["standard_uncertainty"] == Decimal("0.5")
    assert first["uncertainty"]["standard_uncertainty"] == Decimal("0.5")
    plant.generate(JANUARY)
    assert len(plant.batches()) == 2


def test_a_model_that_does_not_ask_has_none(api, drain):
    plant = given_inputs.plant(api, drain, SUMMED, primary_output="mass")
    state_of_type(plant, {"standard": 0.02})
    measure(plant, "delivery", {"mass": 10}, "2025-01-10")

    plant.generate(JANUARY)

    assert plant.batches()[0]["uncertainty"] is None


def test_a_static_input_is_one_effect_of_all_months_that_read_it(api, drain):
    nodes = (
        SUMMED.replace("slug: mass\n", "slug: loads\n")
        + """
  - slug: share
    static_input: carbon-share
    unit: ""
  - slug: mass
    formula: loads * share
    unit: t
"""
    )
    plant = given_inputs.plant(api, drain, nodes, primary_output="mass")
    accounting.version(api, plant.model, asking(nodes), activate=True)
    body = {
        "slug": "carbon-share", "value": 0.8, "unit": "", "effective_from": "2024-01-01T00:00:00Z",
        "uncertainty": {"relative_standard": 0.05, "degrees_of_freedom": 9},
    }  # fmt: skip
    static = (
        api.post(f"/projects/{plant.project['id']}/static_inputs", {"static_input": body}).expect(201).body
    )
    measure(plant, "delivery", {"mass": 10}, "2025-01-10")
    measure(plant, "delivery", {"mass": 20}, "2025-02-10")

    plant.generate(MONTHS)

    found = [uncertainty_of(plant, number) for number in (0, 1)]
    assert sorted(one["standard_uncertainty"] for one in found) == [Decimal("0.4"), Decimal("0.8")]
    assert {(one["budget"][0]["effect"], one["budget"][0]["owner"]) for one in found} == {
        ("carbon-share", f"static input {static['id']}")
    }
    assert [one["degrees_of_freedom"] for one in found] == [9, 9]


def test_what_two_batches_share_stays_correlated_where_a_third_draws_from_both(api, drain):
    plant = given_inputs.plant(api, drain, SUMMED, primary_output="mass")
    accounting.version(api, plant.model, asking(SUMMED), activate=True)
    scale = given.asset(api, plant.project, name="East")["id"]
    kind = state_of_type(plant, {"standard": 0.3})
    calibrate(plant, kind, scale, {"relative_standard": 0.01})
    measure(plant, "delivery", {"mass": 10}, "2025-01-10", asset_id=scale)
    measure(plant, "delivery", {"mass": 40}, "2025-02-10", asset_id=scale)
    plant.generate(MONTHS)
    nodes = """
  - slug: needed
    constant: 30
    unit: t
  - slug: drawn
    upstream: {ledger: Deliveries, amount: needed}
    unit: t
  - slug: sold
    input: {event_type: tank, data_point_type: level, aggregate: sum}
    unit: t
  - slug: mass
    formula: sum(drawn) + 0 * sold
    unit: kg
"""
    text = asking(nodes, name="Sales")
    model = accounting.model(api, plant.project, text)
    ledger = accounting.ledger(api, plant.project, model, name="Sales", unit="kg")
    sales = replace(plant, model=model, ledger=ledger)
    measure(plant, "tank", {"level": 1}, "2025-02-20")

    sales.generate(MONTHS)

    found = uncertainty_of(sales, -1)
    # All 10 t of January and half of February: 1 % of 30 t at once, of the readings 0.3 t and half of it.
    expected = Decimal("0.3") ** 2 + Decimal("0.3") ** 2 + Decimal("0.15") ** 2
    assert abs(Decimal(found["standard_uncertainty"]) ** 2 / 10**6 - expected) < Decimal("1e-20")
    assert sorted(round(line["contribution"]) for line in found["budget"]) == [150, 300, 300]
