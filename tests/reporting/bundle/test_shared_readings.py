"""Readings that several inputs read have one error in a bundle, too, and each checker finds it."""

import pytest
from tests.given import bundles, uncertain
from tests.given.shared_readings import Loads, tell
from tests.given.uncertain_chains import JANUARY


@pytest.mark.parametrize("seed", range(100, 108))
def test_inputs_of_the_same_readings_are_recomputed(account, seed):
    plant = tell(account.caller(), account.drain, Loads(seed))
    plant.generate(JANUARY)

    bundle = bundles.bundle(account, bundles.report_of(plant.api, plant.ledger))

    assert bundle.faults() == []


ALL_WAYS = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: kg
  - slug: whole
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: mean
    input: {event_type: delivery, data_point_type: mass, aggregate: average}
    unit: t
  - slug: counted
    input: {event_type: delivery, data_point_type: mass, aggregate: delta}
    unit: t
  - slug: moisture
    input: {event_type: lab, data_point_type: moisture, aggregate: average, weight: sample}
    unit: "1"
  - slug: plain
    input: {event_type: lab, data_point_type: moisture, aggregate: median}
    unit: "1"
  - slug: heaviest
    input: {event_type: lab, data_point_type: sample, aggregate: max}
    unit: kg
  - slug: latest
    input: {event_type: lab, data_point_type: sample, aggregate: last}
    unit: kg
  - slug: mass
    formula: (whole + mean + counted + max(loads)) * (1 - moisture * plain) * heaviest / latest
    unit: t
    output: true
  - slug: dry
    formula: sum(loads) * (1 - moisture) + whole
    unit: t
    output: true
"""


def test_values_weights_and_totalisers_of_the_same_readings_are_recomputed(account):
    head = "uncertainty: {coverage_probability: 0.95}\n"
    made = uncertain.told(account, ALL_WAYS, head=head)

    bundle = bundles.bundle(account, bundles.report_of(made.plant.api, made.sales.ledger))

    assert bundle.faults() == []
