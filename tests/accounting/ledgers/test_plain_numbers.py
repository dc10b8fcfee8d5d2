"""A ledger of plain numbers: pieces, credits, certificates that are counted."""

import pytest
from tests.given import accounting

PIECES = """
  - slug: pieces
    input: {event_type: delivery, data_point_type: mass, aggregate: count}
    unit: "1"
    output: true
"""


@pytest.mark.parametrize("unit", ["dimensionless", "1"])
def test_a_plain_number_is_credited_to_a_ledger(api, drain, unit):
    plant = accounting.plant(api, drain, PIECES, primary_output="pieces", unit=unit)
    plant.deliver(3)
    plant.deliver(4)

    plant.generate()

    [batch] = plant.batches()
    assert (batch["primary_output"]["value"], batch["primary_output"]["unit"]) == (2, unit)
    assert plant.ledger["unit"] == unit


def test_a_ledger_of_plain_numbers_is_drawn_from(api, drain):
    plant = accounting.plant(api, drain, PIECES, primary_output="pieces", unit="dimensionless")
    plant.deliver(3)
    plant.deliver(4)
    plant.generate()
    nodes = """
  - slug: needed
    constant: 1
    unit: "1"
  - slug: bills
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
  - slug: drawn
    upstream: {ledger: Deliveries, amount: needed}
    unit: dimensionless
  - slug: used
    formula: sum(drawn)
    unit: dimensionless
    output: true
"""
    model = accounting.model(
        api, plant.project, accounting.document(nodes, name="Use", primary_output="used")
    )
    ledger = accounting.ledger(api, plant.project, model, name="Used", unit="dimensionless")
    plant.bill(1)
    accounting.Plant(api, drain, plant.project, model, ledger).generate()

    [batch] = plant.batches()
    assert batch["ledger_balance"] == 1
