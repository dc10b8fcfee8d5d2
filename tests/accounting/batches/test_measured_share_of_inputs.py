"""What batches rest on where inputs read in other ways than by sums; recomputing comes to the same."""

from decimal import Decimal

import pytest
from tests.accounting.batches.test_measured_share import confirmed, correct, shares
from tests.given import inputs
from tests.given.accounting import JANUARY

WET = inputs.WET
MOISTURE = """
  - slug: moisture
    input: {event_type: lab, data_point_type: moisture, aggregate: values, join: {to: wet, on: tracking_id}}
    unit: "1"
"""


def formula(text, unit="t"):
    return f"""
  - slug: result
    formula: "{text}"
    unit: "{unit}"
    output: true
"""


def reading(slug, aggregate, of, unit, more=""):
    event_type, point = of.split(".")
    return f"""
  - slug: {slug}
    input: {{event_type: {event_type}, data_point_type: {point}, aggregate: {aggregate}{more}}}
    unit: "{unit}"
"""


@pytest.fixture
def plant_of(api, drain, server):
    """Makes a plant of some nodes; at the end all its batches recompute."""
    plants = []

    def make(nodes, unit="t"):
        plants.append(inputs.plant(api, drain, nodes, primary_output="result", unit=unit))
        return plants[-1]

    yield make
    assert [confirmed(server, plant) for plant in plants] == [[] for _ in plants]


def generated(plant):
    plant.generate(JANUARY)
    (batch,) = plant.batches()
    return batch["run_total"], shares(batch)


def put(plant, event, slug, value):
    """A person puts another value in the place of one of an event."""
    points = plant.api.get(f"/projects/{plant.project['id']}/events/{event}").expect(200).body["data_points"]
    (point,) = [one for one in points if one["slug"] == slug]
    path = f"/projects/{plant.project['id']}/data_points/{point['id']}"
    plant.api.patch(path, {"data_point": {"value": value, "reason": "Read again."}}).expect(200)


def lab(plant, moisture, sample, day, **fields):
    values = {"moisture": Decimal(moisture), "sample": Decimal(sample), "code": "a"}
    return inputs.measure(plant, "lab", values, f"2025-01-{day:02d}", **fields)


def delivery(plant, mass, day, **fields):
    return inputs.measure(
        plant, "delivery", {"mass": Decimal(mass), "code": "a"}, f"2025-01-{day:02d}", **fields
    )


def level(plant, value, day):
    return inputs.measure(plant, "tank", {"level": Decimal(value)}, f"2025-01-{day:02d}")


def test_element_by_element_each_value_counts_by_its_own_rate(plant_of):
    """10 t of 20 % and 30 t of 40 %: 10 * 0.2 + 30 * 0.4 = 14 t, in which each mass and each moisture counts
    by its product. The second moisture is a person's: 12 of 28.
    """
    plant = plant_of(WET + MOISTURE + formula("sum(wet * moisture)"))
    for number, (mass, moisture) in enumerate(((10, 20), (30, 50)), 1):
        delivery(plant, mass, number, tracking_id=f"lot {number}")
        event = lab(plant, moisture, 1, number, tracking_id=f"lot {number}")
    put(plant, event, "moisture", 40)

    total, found = generated(plant)

    assert total == 14
    assert found == {"captured": Decimal("0.571428571429"), "manual": Decimal("0.428571428571")}


def test_a_weighted_mean_counts_values_with_their_weights(plant_of):
    """20 % of 1 kg and 40 % of 3 kg: 35 %; of the second the weight is a person's."""
    nodes = reading("dry", "average", "lab.moisture", "%", ", weight: sample") + formula(
        "to(dry, '%')", unit="%"
    )
    plant = plant_of(nodes, unit="%")
    lab(plant, 20, 1, 1)
    put(plant, lab(plant, 40, 2, 2), "sample", 3)

    assert generated(plant) == (
        35, {"captured": Decimal("0.142857142857"), "manual": Decimal("0.857142857143")},
    )  # fmt: skip


def test_negative_values_count_by_their_size(plant_of):
    plant = plant_of(reading("net", "sum", "tank.level", "t") + formula("net"))
    for day, value in enumerate((10, -4), 1):
        level(plant, value, day)
    correct(plant, level(plant, 5, 3), -2)

    assert generated(plant) == (4, {"captured": Decimal("0.875"), "manual": Decimal("0.125")})


def test_the_largest_value_counts_alone(plant_of):
    plant = plant_of(reading("top", "max", "tank.level", "t") + formula("2 * top"))
    level(plant, 7, 1)
    correct(plant, level(plant, 5, 2), 9)

    assert generated(plant) == (18, {"manual": 1})


def test_a_totaliser_counts_step_by_step(plant_of):
    plant = plant_of(reading("used", "delta", "tank.level", "t") + formula("used"))
    for day, value in ((1, 1000), (5, 1030)):
        level(plant, value, day)
    correct(plant, level(plant, 1031, 9), 1040)

    assert generated(plant) == (40, {"captured": Decimal("0.75"), "manual": Decimal("0.25")})


def test_a_mean_over_time_counts_by_how_long_values_stand(plant_of):
    """10 t for 21 days and a person's 20 t for 10 days: 210 and 200 of 410."""
    plant = plant_of(reading("held", "time_weighted", "tank.level", "t") + formula("held"))
    level(plant, 10, 1)
    correct(plant, level(plant, 5, 22), 20)

    _, found = generated(plant)

    assert found == {"captured": Decimal("0.512195121951"), "manual": Decimal("0.487804878049")}


def test_a_count_counts_events(plant_of):
    plant = plant_of(reading("loads", "count", "delivery.mass", "1") + formula("loads", unit="1"), unit="1")
    for day in (1, 2, 3):
        event = delivery(plant, day, day)
    put(plant, event, "mass", 7)

    assert generated(plant) == (
        3,
        {"captured": Decimal("0.666666666667"), "manual": Decimal("0.333333333333")},
    )
