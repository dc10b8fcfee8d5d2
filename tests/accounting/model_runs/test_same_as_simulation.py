"""POST /models/{model_id}/simulate beside a model run and a generation: from the same values all three come
to the same digits in every node, also where an optional input is missing, because all are one engine.
"""

from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.accounting import JANUARY
from tests.given.inputs import WET

NODES = f"""{WET}
  - slug: moisture
    input:
      {{event_type: lab, data_point_type: moisture, aggregate: values, join: {{to: wet, on: tracking_id}}}}
    unit: "%"
  - slug: power
    input: {{event_type: bill, data_point_type: energy, aggregate: average}}
    unit: kWh
    optional: true
  - slug: burnt
    input: {{event_type: bill, data_point_type: energy, aggregate: sum}}
    unit: kWh
    optional: true
  - slug: level
    input: {{event_type: tank, data_point_type: level, aggregate: max}}
    unit: t
    optional: true
    default: 3
  - slug: factor
    static_input: share
    unit: "%"
  - slug: dry
    formula: sum(wet * (1 - moisture)) / 7 * factor + coalesce(value(power, "MJ"), 2) / 3 * level
    unit: t
"""
MASSES, MOISTURES = ("1.7", "2.3", "0.1"), ("20.7", "10.3", "1.9")


@pytest.mark.parametrize("energies", [(), ("0.7", "1.1", "2.05")], ids=["missing", "measured"])
def test_a_simulation_a_model_run_and_a_generation_come_to_the_same_digits(api, drain, energies):
    plant = given_inputs.plant(api, drain, NODES, primary_output="dry")
    share = {"slug": "share", "value": Decimal("3.7"), "unit": "%"}
    given.static_input(api, plant.project, effective_from="2024-01-01T00:00:00Z", **share)
    measured = measure(api, plant, energies)

    generated = generate(api, plant)
    ran = run(api, plant, measured)
    simulated = simulate(api, plant, energies)

    assert simulated == ran
    assert {slug: value for slug, value in simulated.items() if value is not None} == generated
    burnt = sum(map(Decimal, energies))
    assert (simulated["burnt"], simulated["level"]) == (burnt, 3)
    assert (simulated["power"] is None) is (not energies)


def measure(api, plant, energies):
    """The ids of the data points of three loads, each analysed, and of the bills."""
    events = [
        *(("delivery", {"mass": Decimal(one)}, place) for place, one in enumerate(MASSES)),
        *(("lab", {"moisture": Decimal(one)}, place) for place, one in enumerate(MOISTURES)),
        *(("bill", {"energy": Decimal(one)}, place) for place, one in enumerate(energies)),
    ]
    made = [
        given.event(
            api, plant.project, event_type=kind, values=values, tracking_id=f"lot {place}",
            start_time=f"2025-01-0{place + 3}T00:00:00Z",
        )
        for kind, values, place in events
    ]  # fmt: skip
    return [point["id"] for event in made for point in event["data_points"]]


def generate(api, plant):
    plant.generate(JANUARY)
    [batch] = plant.batches()
    nodes = api.get(f"/batches/{batch['id']}/lineage").expect(200).body["nodes"]
    return {one["slug"]: one["elements"] if one["value"] is None else one["value"] for one in nodes}


def run(api, plant, data_points):
    body = {"start_time": JANUARY[0], "end_time": JANUARY[1], "data_point_ids": data_points}
    made = api.post(f"/models/{plant.model['id']}/model_runs", {"model_run": body}).expect(201).body
    return {one["slug"]: one["value"] for one in made["calculations"]}


def simulate(api, plant, energies):
    inputs = {
        "wet": [*map(Decimal, MASSES)],
        "moisture": [*map(Decimal, MOISTURES)],
        "factor": Decimal("3.7"),
    } | ({"energy": [*map(Decimal, energies)]} if energies else {})
    body = {"inputs": inputs, "start_time": JANUARY[0], "end_time": JANUARY[1]}
    found = api.post(f"/models/{plant.model['id']}/simulate", body).expect(200).body
    return {one["slug"]: one["value"] for one in found["nodes"]}
