"""Meters in partitions: the reading that stands when a slot begins is sought for every tag."""

from decimal import Decimal

from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.inputs import measure, nodes_of, recomputed

NODES = """
  - slug: level
    input: {event_type: tank, data_point_type: level, aggregate: time_weighted, partitions: true}
    unit: t
    output: true
  - slug: counted
    input: {event_type: tank, data_point_type: level, aggregate: delta}
    unit: t
"""


def test_each_asset_has_its_own_reading_at_the_start(api, drain, server):
    plant = given_inputs.plant(api, drain, NODES, primary_output="level", partition_type="asset")
    east, west = (given.asset(api, plant.project, name=name)["id"] for name in ("East", "West"))
    for asset, level, day in (
        (east, 10, "2024-12-01"), (west, 70, "2024-12-20"), (east, 20, "2024-12-30"),
        (west, 80, "2025-01-11"), (east, 51, "2025-01-01T00:00:00.001Z"),
    ):  # fmt: skip
        measure(plant, "tank", {"level": Decimal(level)}, day, asset_id=asset)

    plant.generate(("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z"))

    found = {batch["tracking_id"]: nodes_of(plant, place) for place, batch in enumerate(plant.batches())}
    assert {name: nodes["counted"]["value"] for name, nodes in found.items()} == {
        "2025-01 East": 31,
        "2025-01 West": 10,
    }
    assert found["2025-01 West"]["level"]["value"] == Decimal("76.77419354838709677419354838709677")
    assert recomputed(server, plant) == []


def test_an_asset_without_a_reading_in_the_slot_does_not_run(api, drain):
    plant = given_inputs.plant(api, drain, NODES, primary_output="level", partition_type="asset")
    east, west = (given.asset(api, plant.project, name=name)["id"] for name in ("East", "West"))
    measure(plant, "tank", {"level": 1}, "2024-12-01", asset_id=east)
    measure(plant, "tank", {"level": 1}, "2024-12-01", asset_id=west)
    measure(plant, "tank", {"level": 2}, "2025-01-05", asset_id=west)

    plant.generate()

    assert [batch["tracking_id"] for batch in plant.batches()] == ["2025-01 West"]
    assert plant.preview()[0]["not_counted"] == []
