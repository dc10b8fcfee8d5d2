"""Inputs that are joined to another. Model format, `join` and `period`."""

from decimal import Decimal

import pytest
from tests.given import inputs as given_inputs
from tests.given.inputs import WET, measure, nodes_of, recomputed

FEBRUARY = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")


def dry(join, aggregate="values", options=""):
    return f"""{WET}
  - slug: moisture
    input: {{event_type: lab, data_point_type: moisture, aggregate: {aggregate}{options},
      join: {{to: wet, on: {join}}}}}
    unit: "%"
  - slug: dry
    formula: sum(wet * (1 - moisture))
    unit: t
    output: true
"""


def laboratory(api, drain, nodes, **fields):
    return given_inputs.plant(api, drain, nodes, primary_output="dry", **fields)


def deliver(plant, mass, day, **fields):
    code = {"code": fields.pop("code")} if "code" in fields else {}
    return measure(plant, "delivery", {"mass": Decimal(mass)} | code, f"2025-01-{day:02d}", **fields)


def analyse(plant, moisture, start, **fields):
    code = {"code": fields.pop("code")} if "code" in fields else {}
    sample = {"sample": fields.pop("sample")} if "sample" in fields else {}
    return measure(plant, "lab", {"moisture": Decimal(moisture)} | code | sample, start, **fields)


def test_a_result_is_matched_to_every_delivery_of_its_tracking_id(api, drain, server):
    plant = laboratory(api, drain, dry("tracking_id", options=", period: any"))
    deliver(plant, 10, 3, tracking_id="A")
    deliver(plant, 20, 4, tracking_id="B")
    deliver(plant, 30, 5, tracking_id="A")
    analyse(plant, 10, "2025-02-10", tracking_id="A")
    analyse(plant, 50, "2024-12-10", tracking_id="B")
    analyse(plant, 90, "2025-01-10", tracking_id="C")

    assert plant.count() == 1
    plant.generate()

    nodes = nodes_of(plant)
    assert (nodes["wet"]["elements"], nodes["moisture"]["elements"]) == ([10, 20, 30], [10, 50, 10])
    assert nodes["dry"]["value"] == 46
    assert plant.batches()[0]["input_data_count"] == 3 + 2
    assert recomputed(server, plant) == []


def test_a_late_result_makes_the_batch_anew(api, drain, server):
    plant = laboratory(api, drain, dry("tracking_id", options=", period: any"))
    deliver(plant, 10, 3, tracking_id="A")
    result = analyse(plant, 10, "2025-02-10", tracking_id="A")
    plant.generate()
    assert plant.count() == 0

    path = f"/projects/{plant.project['id']}/events/{result}"
    plant.api.patch(path, {"event": {"start_time": "2025-02-11T00:00:00Z"}}).expect(200)

    assert plant.generate()["adjusted"] == 1
    assert recomputed(server, plant) == []


@pytest.mark.parametrize(
    ("results", "named"),
    [
        ((), "Input 'moisture' has nothing that matches {delivery}."),
        (("2025-01-05", "2025-01-06"), "Input 'moisture' matches {delivery} more than once: "),
    ],
)
def test_an_element_without_a_match_or_with_two_fails_by_name(api, drain, results, named):
    plant = laboratory(api, drain, dry("tracking_id"))
    delivery = deliver(plant, 10, 3, tracking_id="A")
    for start in results:
        analyse(plant, 10, start, tracking_id="A")

    assert named.format(delivery=delivery) in plant.failure()


def test_a_result_of_the_slot_that_matches_nothing_fails_by_name(api, drain):
    plant = laboratory(api, drain, dry("tracking_id"))
    deliver(plant, 10, 3, tracking_id="A")
    analyse(plant, 10, "2025-01-04", tracking_id="A")
    alone = analyse(plant, 10, "2025-01-05", tracking_id="C")

    assert plant.failure() == (f"2025-01: Input 'moisture' has events that match nothing of 'wet': {alone}.")


def test_a_join_on_a_text_matches_the_same_text(api, drain, server):
    plant = laboratory(api, drain, dry("code"))
    deliver(plant, 10, 3, code="x")
    deliver(plant, 20, 4, code="y")
    analyse(plant, 50, "2025-01-20", code="x")
    analyse(plant, 10, "2025-01-21", code="y")

    plant.generate()

    assert nodes_of(plant)["dry"]["value"] == 23
    assert recomputed(server, plant) == []


def test_a_join_on_the_interval_matches_what_lies_inside(api, drain, server):
    plant = laboratory(api, drain, dry("interval"))
    deliver(plant, 10, 3)
    deliver(plant, 20, 12)
    analyse(plant, 50, "2025-01-01", end_time="2025-01-08")
    analyse(plant, 10, "2025-01-08", end_time="2025-01-15")

    plant.generate()

    assert nodes_of(plant)["dry"]["value"] == 23
    assert recomputed(server, plant) == []


def test_an_average_may_weigh_by_the_event_that_is_joined_to(api, drain, server):
    nodes = f"""{WET}
  - slug: mean
    input: {{event_type: lab, data_point_type: moisture, aggregate: average, weight: mass,
      join: {{to: wet, on: tracking_id}}}}
    unit: "%"
  - slug: dry
    formula: sum(wet) * (1 - mean)
    unit: t
    output: true
"""
    plant = laboratory(api, drain, nodes)
    deliver(plant, 10, 3, tracking_id="A")
    deliver(plant, 30, 4, tracking_id="B")
    analyse(plant, 40, "2025-01-05", tracking_id="A")
    analyse(plant, 20, "2025-01-06", tracking_id="B")

    plant.generate()

    assert nodes_of(plant)["mean"]["value"] == 25
    assert recomputed(server, plant) == []


def test_a_join_stays_within_the_partition(api, drain, server):
    plant = laboratory(api, drain, dry("tracking_id", options=", period: any"), partition_type="feedstock")
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    deliver(plant, 10, 3, tracking_id="A", feedstock_id=wood)
    deliver(plant, 20, 4, tracking_id="A", feedstock_id=straw)
    analyse(plant, 10, "2025-03-05", tracking_id="A", feedstock_id=wood)
    analyse(plant, 50, "2025-03-05", tracking_id="A", feedstock_id=straw)

    plant.generate()

    assert plant.credits() == {"2025-01 Straw": 10, "2025-01 Wood": 9}
    assert recomputed(server, plant) == []


def test_any_period_without_a_join_takes_all_that_match_the_partition(api, drain, server):
    nodes = """
  - slug: dry
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
  - slug: mean
    input: {event_type: lab, data_point_type: moisture, aggregate: average, weight: sample, period: any}
    unit: "%"
"""
    plant = laboratory(api, drain, nodes)
    deliver(plant, 10, 3)
    analyse(plant, 10, "2023-01-01", sample=1)
    analyse(plant, 40, "2026-01-01", sample=2)

    plant.generate(("2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"))

    assert len(plant.batches()) == 1
    assert nodes_of(plant)["mean"]["value"] == 30
    assert recomputed(server, plant) == []


def test_an_optional_join_without_any_data_takes_what_stands_in(api, drain, server):
    nodes = f"""{WET}
  - slug: mean
    input: {{event_type: lab, data_point_type: moisture, aggregate: average,
      join: {{to: wet, on: tracking_id}}}}
    unit: "%"
    default: 20
  - slug: dry
    formula: sum(wet) * (1 - mean)
    unit: t
    output: true
"""
    plant = laboratory(api, drain, nodes)
    deliver(plant, 10, 3, tracking_id="A")

    plant.generate()

    assert nodes_of(plant)["dry"]["value"] == 8
    assert recomputed(server, plant) == []
