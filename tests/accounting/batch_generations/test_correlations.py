"""A model correlates effects that the data of its project name, and those that it draws."""

from decimal import Decimal

import pytest
from tests.given import accounting, chain
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.inputs import measure
from tests.given.uncertain_chains import document, state_of_type

JANUARY = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")
NODES = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: factor
    static_input: factor
    unit: "1"
  - slug: mass
    formula: loads * factor
    unit: t
"""
HALF = "{correlations: [{between: [scale, study], coefficient: 0.5}]}"


def asking(nodes, setting, **fields):
    return document(nodes, f"uncertainty: {setting}\n", **fields)


def enter_factor(plant, effect="study"):
    static = {
        "slug": "factor", "value": 2, "unit": "1", "effective_from": "2024-01-01T00:00:00Z",
        "uncertainty": {"standard": 0.1, "effect": effect},
    }  # fmt: skip
    plant.api.post(f"/projects/{plant.project['id']}/static_inputs", {"static_input": static}).expect(201)


def uncertainty_of(plant):
    [batch] = plant.batches()
    return plant.api.get(f"/batches/{batch['id']}").expect(200).body["uncertainty"]["standard_uncertainty"]


@pytest.mark.parametrize("where", ["type", "value", "calibration"])
def test_effects_that_data_name_are_correlated(api, drain, where):
    plant = given_inputs.plant(api, drain, NODES, primary_output="mass")
    accounting.version(api, plant.model, asking(NODES, HALF, primary_output="mass"), activate=True)
    enter_factor(plant)
    statement, stated = {"standard": 0.3, "effect": "scale"}, {}
    [kind] = api.get(f"/projects/{plant.project['id']}/event_types", {"filter[slug]": "delivery"}).data
    match where:
        case "type":
            state_of_type(plant, statement, "delivery")
        case "calibration":
            body = {
                "name": "D-K-1", "event_type_id": kind["id"], "data_point_type": "mass",
                "valid_from": "2025-01-01T00:00:00Z", "uncertainty": statement,
            }  # fmt: skip
            path = f"/projects/{plant.project['id']}/calibrations"
            api.post(path, {"calibration": body}).expect(201)
    if where == "value":
        body = given.event_body(event_type="delivery", start_time="2025-01-10T00:00:00Z", values={"mass": 10})
        body["data_points"][0]["uncertainty"] = statement
        given.events(api, plant.project, [body])
    else:
        measure(plant, "delivery", {"mass": 10}, "2025-01-10", **stated)

    plant.generate(JANUARY)

    # 2 * 0.3 t of the scale and 10 t * 0.1 of the study: u^2 = a^2 + b^2 + 2 * 0.5 * a * b.
    a, b = Decimal("0.6"), Decimal("1.0")
    assert abs(uncertainty_of(plant) - (a * a + b * b + a * b).sqrt()) < Decimal("1e-25")


def test_what_a_run_draws_is_correlated_with_its_own_effects(api, drain):
    first = chain.inventory(api, drain)
    accounting.version(api, first.model, asking(accounting.MASS, "{}", primary_output="mass"), activate=True)
    nodes = chain.drawing() + "  - slug: net\n    formula: used - made\n    unit: t\n"
    second = chain.link(first, nodes, output="net")
    text = asking(nodes, HALF.replace("study", "mill"), name="Production", primary_output="net")
    accounting.version(api, second.model, text, activate=True)
    state_of_type(first, {"standard": 1, "effect": "scale"}, "delivery")
    state_of_type(first, {"standard": 0.2, "effect": "mill"}, "production")
    first.deliver(10)
    chain.produce(first, 2, 5)

    first.generate(JANUARY)
    second.generate(JANUARY)

    # It draws 4 of 10 t, so 0.4 t of the scale's error; used - made comes to made for each tonne made.
    a, b = Decimal("0.4"), Decimal("0.2")
    assert abs(uncertainty_of(second) - (a * a + b * b + a * b).sqrt()) < Decimal("1e-25")


def test_a_name_that_nothing_has_is_said(api, drain):
    plant = given_inputs.plant(api, drain, NODES, primary_output="mass")
    accounting.version(api, plant.model, asking(NODES, HALF, primary_output="mass"), activate=True)
    enter_factor(plant)
    measure(plant, "delivery", {"mass": 10}, "2025-01-10")

    started = plant.start(JANUARY)
    drain()

    said = started.body if started.status != 202 else api.get(f"/async_tasks/{started.body['id']}").body
    assert "The correlations of the model name 'scale', which is no node or effect of the model" in str(said)
    assert "study" in str(said)
