"""Instruments as sources: they are drawn, listed, traced and deleted as batches are."""

from decimal import Decimal

import pytest
from tests.given import accounting, chain, inputs, instruments
from tests.given.instruments import certified, enter

FUEL = """
  - slug: made
    input: {event_type: production, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: needed
    formula: made * rate
    unit: kg{CO2e}
  - slug: rate
    constant: 10
    unit: kg{CO2e}/t
  - slug: fuel
    upstream: {ledger: Fuel, amount: needed, attributes: [energy_intensity]}
    unit: kg{CO2e}
  - slug: energy
    formula: sum(fuel / fuel.energy_intensity)
    unit: MJ
    output: true
"""


def test_a_run_draws_certificates_oldest_first(api, drain):
    plant, ledger = certified(api, drain, 300, 300)
    chain.produce(plant, 4)

    plant.generate()

    balances = [one["balance"] for one in api.get(f"/ledgers/{ledger['id']}/instruments").data]
    assert balances == [0, 200]
    assert plant.credits() == {"2025-01": 400}


def test_a_certificate_that_is_issued_after_the_slot_serves_later_slots_only(api, drain):
    plant, ledger = certified(api, drain)
    enter(api, ledger, issued_on="2025-02-01").expect(201)
    chain.produce(plant, 1)
    chain.produce(plant, 2, "2025-02-20T12:00:00Z")

    assert "Certificates" in plant.failure()
    plant.generate(chain.FEBRUARY)

    assert plant.credits() == {"2025-02": 200}


def test_figures_of_an_instrument_travel_along(api, drain, server):
    plant = chain.inventory(api, drain)
    ledger = instruments.system_ledger(api, plant.project, "renewable_fuel", name="Fuel")
    enter(api, ledger, "RF-1", amount=15, energy_intensity=5).expect(201)
    enter(api, ledger, "RF-2", amount=15, energy_intensity=10).expect(201)
    fuelled = chain.link(plant, FUEL, name="Fuelled", output="energy", unit="MJ")
    chain.produce(fuelled, 2)

    fuelled.generate()

    # 15 kg at 5 g/MJ are 3000 MJ, 5 kg at 10 g/MJ are 500 MJ.
    assert fuelled.credits() == {"2025-01": 3500}
    assert inputs.recomputed(server, fuelled) == []


def test_a_figure_that_an_instrument_lacks_fails_the_run_that_needs_it(api, drain):
    plant = chain.inventory(api, drain)
    ledger = instruments.system_ledger(api, plant.project, "renewable_fuel", name="Fuel")
    enter(api, ledger, "RF-1", amount=15).expect(201)
    fuelled = chain.link(plant, FUEL, name="Fuelled", output="energy", unit="MJ")
    chain.produce(fuelled, 1)

    assert "energy_intensity" in fuelled.failure()


def test_a_model_that_asks_for_a_figure_that_the_ledger_never_has_is_refused(api, drain):
    plant = chain.inventory(api, drain)
    instruments.system_ledger(api, plant.project, "renewable_fuel", name="Fuel")
    text = accounting.document(FUEL.replace("[energy_intensity]", "[colour]"), primary_output="energy")

    error = api.post("/models", {"model": {"project_id": plant.project["id"], "yaml": text}}).expect(422)

    assert "colour" in error.text


def test_an_instrument_stands_in_the_list_of_batches_and_in_the_lineage_of_who_drew_it(api, drain):
    plant, ledger = certified(api, drain, 300)
    chain.produce(plant, 2)
    plant.generate()

    (listed,) = plant.batches(ledger)
    lineage = api.get(f"/batches/{plant.batches()[0]['id']}/lineage").expect(200).body
    (claimed,) = [node for node in lineage["nodes"] if node["slug"] == "claimed"]
    own = api.get(f"/batches/{listed['id']}/lineage").expect(200).body

    assert (listed["tracking_id"], listed["ledger_balance"], listed["state"]) == ("REC-1", 100, "complete")
    assert (listed["model"], listed["model_run"], listed["input_data"]) == (None, None, [])
    assert listed["primary_output"]["value"] == 300
    assert [one["amount"] for one in listed["allocations"]] == [200]
    assert [one["batch_id"] for one in claimed["draws"]] == [listed["id"]]
    assert [(node["slug"], node["value"], node["unit"]) for node in own["nodes"]] == [("amount", 300, "kWh")]
    assert api.get(f"/batches/{listed['id']}/evidences").expect(200).data == []
    assert api.get("/batches", {"filter[id]": listed["id"]}).data == [listed]


@pytest.mark.parametrize(("match", "left"), [("", 200), (", match: [feedstock]", 300)])
def test_an_instrument_belongs_to_no_partition(api, drain, match, left):
    plant = chain.inventory(api, drain)
    ledger = instruments.system_ledger(api, plant.project)
    enter(api, ledger, amount=300).expect(201)
    nodes = instruments.USING.replace("amount: needed", f"amount: needed{match}")
    green = chain.link(plant, nodes, output="green", unit="kWh", partition_type="feedstock")
    chain.produce(green, 1, feedstock_id=plant.feedstock("Wood"))

    green.finish()

    assert api.get(f"/ledgers/{ledger['id']}").body["balance"] == left


def test_an_instrument_can_be_named_as_a_source_by_hand(api, drain):
    plant = chain.inventory(api, drain)
    ledger = instruments.system_ledger(api, plant.project)
    one = enter(api, ledger, amount=Decimal("7.5")).expect(201).body
    nodes = chain.PRODUCED + chain.upstream(
        "select: manual, allocation_group: certificates", slug="claimed", ledger="Certificates"
    ).replace("unit: t", "unit: kWh")  # fmt: skip
    by_hand = chain.link(plant, nodes, name="By hand")
    chain.produce(by_hand, 1)

    by_hand.generate(batch_amounts=[{"batch_id": one["id"], "primary_output_amount": 5}])

    assert api.get(f"/ledgers/{ledger['id']}").body["balance"] == Decimal("2.5")


def test_an_instrument_that_nobody_drew_is_deleted_and_may_be_entered_again(api, drain):
    plant, ledger = certified(api, drain, 300)
    (mistaken,) = plant.batches(ledger)

    api.delete(f"/batches/{mistaken['id']}").expect(202)
    drain()

    assert api.get(f"/ledgers/{ledger['id']}").body["balance"] == 0
    assert api.get(f"/ledgers/{ledger['id']}/instruments").data == []
    enter(api, ledger, amount=30).expect(201)
    assert [one["amount"] for one in api.get(f"/ledgers/{ledger['id']}/instruments").data] == [30]


def test_an_instrument_that_is_drawn_stays(api, drain):
    plant, ledger = certified(api, drain, 300)
    chain.produce(plant, 2)
    plant.generate()
    (drawn,) = plant.batches(ledger)

    error = api.delete(f"/batches/{drawn['id']}").expect(422).error

    assert (error["code"], error["records"]) == ("drawn", [plant.batches()[0]["id"]])


def test_no_generation_runs_on_a_system_ledger(api, drain):
    plant, ledger = certified(api, drain, 300)
    body = accounting.range_of(accounting.JANUARY)

    for operation in ("generate_preview", "batch_generations"):
        assert api.post(f"/ledgers/{ledger['id']}/{operation}", body).expect(422).error["code"] == "no_model"
    assert api.get(f"/ledgers/{ledger['id']}/required_inputs").expect(200).data == []
    assert plant.count() == 0
