"""Static inputs: the value in force, at a slot's start or at each element. Model format, Nodes."""

from decimal import Decimal

from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.inputs import WET, measure, nodes_of, recomputed

FACTOR = """
  - slug: factor
    static_input: grid-factor
    unit: kg/t
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: emitted
    formula: wet * factor
    unit: kg
    output: true
"""
AT = f"""{WET}
  - slug: factor
    static_input: {{slug: grid-factor, at: wet%s}}
    unit: kg/t
  - slug: emitted
    formula: sum(wet * factor)
    unit: kg
    output: true
"""


def plant_of(api, drain, nodes, **fields):
    return given_inputs.plant(api, drain, nodes, primary_output="emitted", unit="kg", **fields)


def in_force(plant, value, since, **fields):
    return given.static_input(
        plant.api, plant.project, value=Decimal(value), unit=fields.pop("unit", "kg/t"),
        effective_from=f"{since}T00:00:00Z", **fields,
    )  # fmt: skip


def deliver(plant, mass, day, **fields):
    return measure(plant, "delivery", {"mass": Decimal(mass)}, f"2025-01-{day:02d}", **fields)


def test_the_value_in_force_at_the_start_of_the_slot_counts(api, drain, server):
    plant = plant_of(api, drain, FACTOR)
    in_force(plant, 7, "2024-01-01")
    used = in_force(plant, "0.005", "2025-01-01", unit="t/t")
    in_force(plant, 9, "2025-02-01")
    deliver(plant, 2, 4)

    plant.generate()

    factor = nodes_of(plant)["factor"]
    assert (factor["value"], nodes_of(plant)["emitted"]["value"]) == (5, 10)
    assert factor["static_inputs"] == [
        {
            "id": used["id"],
            "value": Decimal("0.005"),
            "unit": "t/t",
            "effective_from": "2025-01-01T00:00:00.000Z",
        }
    ]
    assert recomputed(server, plant) == []


def test_a_value_added_later_for_an_earlier_date_makes_the_batch_anew(api, drain, server):
    plant = plant_of(api, drain, FACTOR)
    in_force(plant, 7, "2024-01-01")
    deliver(plant, 2, 4)
    plant.generate()
    in_force(plant, 8, "2024-06-01")

    plant.generate()

    assert [batch["run_total"] for batch in plant.batches()] == [16, 16]
    assert [batch["primary_output"]["value"] for batch in plant.batches()] == [14, 2]
    assert recomputed(server, plant) == []


def test_a_change_inside_the_slot_is_an_error(api, drain):
    plant = plant_of(api, drain, FACTOR)
    in_force(plant, 7, "2024-01-01")
    in_force(plant, 8, "2025-01-10")
    deliver(plant, 2, 4)

    assert plant.failure() == (
        "2025-01: Input 'factor' reads the static input 'grid-factor', which changes at "
        "2025-01-10T00:00:00.000Z, inside the slot."
    )


def test_a_value_that_is_missing_is_an_error(api, drain):
    plant = plant_of(api, drain, FACTOR)
    in_force(plant, 8, "2025-02-01")
    deliver(plant, 2, 4)

    said = (
        "Input 'factor' reads the static input 'grid-factor', which has no value in force at "
        "2025-01-01T00:00:00.000Z."
    )
    assert plant.start().expect(422).error["message"] == said
    assert plant.preview()[0]["problems"] == [f"2025-01: {said}"]


def test_at_an_input_each_element_takes_the_value_in_force(api, drain, server):
    plant = plant_of(api, drain, AT % "")
    in_force(plant, 1, "2024-01-01")
    in_force(plant, 10, "2025-01-10")
    deliver(plant, 2, 9)
    deliver(plant, 3, 10)

    plant.generate()

    assert nodes_of(plant)["factor"]["elements"] == [1, 10]
    assert nodes_of(plant)["emitted"]["value"] == 32
    assert recomputed(server, plant) == []


def test_a_value_by_asset_is_that_of_each_elements_asset(api, drain, server):
    plant = plant_of(api, drain, AT % ", by: asset")
    east, west = (given.asset(api, plant.project, name=name) for name in ("East", "West"))
    in_force(plant, 1, "2024-01-01", asset_id=east["id"])
    in_force(plant, 2, "2024-01-01", asset_id=west["id"])
    in_force(plant, 99, "2024-01-01")
    deliver(plant, 10, 4, asset_id=east["id"])
    deliver(plant, 10, 5, asset_id=west["id"])

    plant.generate()

    assert nodes_of(plant)["emitted"]["value"] == 30
    assert recomputed(server, plant) == []


def test_a_value_by_location_is_that_of_each_elements_location(api, drain, server):
    plant = plant_of(api, drain, AT % ", by: location")
    here, there = (given.location(api, plant.project) for _ in range(2))
    in_force(plant, 1, "2024-01-01", location_id=here["id"])
    deliver(plant, 10, 4, locations=[here])
    lost = deliver(plant, 10, 5, locations=[there])

    assert plant.failure().endswith(f"has no value in force for {lost}.")
    in_force(plant, 2, "2024-01-01", location_id=there["id"])
    plant.generate()
    assert nodes_of(plant)["emitted"]["value"] == 30
    assert recomputed(server, plant) == []


def test_a_value_by_feedstock_is_that_of_the_partition(api, drain, server):
    nodes = FACTOR.replace("static_input: grid-factor", "static_input: {slug: grid-factor, by: feedstock}")
    plant = plant_of(api, drain, nodes, partition_type="feedstock")
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    in_force(plant, 1, "2024-01-01", feedstock_id=wood)
    in_force(plant, 2, "2024-01-01", feedstock_id=straw)
    deliver(plant, 10, 4, feedstock_id=wood)
    deliver(plant, 10, 5, feedstock_id=straw)

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": 20, "2025-01 Wood": 10}
    assert recomputed(server, plant) == []
