"""A reading has one error, whichever inputs of a run read it: sums, extremes, totalisers; beside GTC."""

from decimal import Decimal

import GTC
import pytest
from tests.given.inputs import measure
from tests.given.shared_readings import OWN, Loads, tell
from tests.given.uncertain_chains import JANUARY, further, run


def uncertainty_of(plant):
    [batch] = plant.batches()
    return plant.api.get(f"/batches/{batch['id']}").expect(200).body["uncertainty"]


@pytest.mark.parametrize("seed", range(16))
def test_a_reading_has_one_error_in_all_inputs(api, drain, seed):
    loads = Loads(seed)
    if "counted" in loads.slugs and not any(loads.is_east.count(one) > 1 for one in (True, False)):
        loads.is_east[1] = loads.is_east[0]
    plant = tell(api, drain, loads)

    plant.generate(JANUARY)

    found, expected = uncertainty_of(plant), GTC.uncertainty(loads.compute())
    assert float(found["standard_uncertainty"]) == pytest.approx(expected, rel=1e-10), loads.nodes()
    assert sum(line["share"] for line in found["budget"]) == pytest.approx(Decimal(1), abs=Decimal("1e-20"))


@pytest.mark.parametrize("kinds", [("all", "mean"), ("all", "of east"), ("mean of east", "most", "counted")])
def test_trials_draw_a_reading_once_for_all_inputs(api, drain, kinds):
    loads = Loads(7)
    loads.is_east = [True, True, *loads.is_east[2:]]
    loads.slugs, loads.factors = [*kinds], [1, -1, 2][: len(kinds)]
    plant = tell(api, drain, loads)
    plant.generate(JANUARY)
    [batch] = plant.batches()

    found = run(plant, f"/batches/{batch['id']}", trials=20_000, seed=5)

    first_order = uncertainty_of(plant)["standard_uncertainty"]
    assert float(found["standard_uncertainty"]) == pytest.approx(float(first_order), rel=0.02)


def test_two_runs_that_draw_keep_what_their_source_shares(api, drain):
    """Two outputs of one run, of readings that they share in part, as a third ledger draws of both."""
    nodes = """
  - slug: whole
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: east
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "asset = 'East'"}
    unit: t
  - slug: mass
    formula: whole * 1
    unit: t
    output: true
  - slug: other
    formula: east * 1
    unit: t
    output: true
"""
    drawing = """
  - slug: weighed
    input: {event_type: tank, data_point_type: level, aggregate: sum}
    unit: t
  - slug: drawn
    upstream: {ledger: Deliveries, amount: weighed, attributes: {other: t}}
    unit: t
  - slug: mass
    formula: sum(drawn) - sum(drawn.other)
    unit: t
"""
    loads = Loads(3)
    plant = tell(api, drain, loads, nodes)
    measure(plant, "tank", {"level": sum(loads.values)}, "2025-01-20")
    plant.generate(JANUARY)
    sold = further(plant, drawing, "Sold")

    sold.generate(JANUARY)

    # What is left is what the other scale weighed: its readings alone, and no certificate.
    [batch] = sold.batches()
    found = api.get(f"/batches/{batch['id']}").expect(200).body["uncertainty"]["standard_uncertainty"]
    others = loads.is_east.count(False)
    assert others
    assert float(found) == pytest.approx(OWN * others**0.5, rel=1e-12)
