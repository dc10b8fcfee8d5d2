"""Whatever a model reads, its batches are computed again from the bundle alone, to the last digit."""

import random

import pytest
from tests.accounting.batch_generations import test_definitions as definitions
from tests.given import accounting, bundles, inputs
from tests.given import collection as given
from tests.given.accounting import QUARTER


@pytest.fixture
def faults(account):
    """What is wrong with the bundle of all that a ledger holds."""

    def found(plant):
        report = bundles.report_of(account.caller(), plant.ledger)
        made = bundles.bundle(account, report).check()
        assert made.recomputed.batches
        return [fault.text for fault in made.faults.listed]

    return found


@pytest.mark.parametrize("seed", range(2))
def test_every_aggregate_and_straddle_is_computed_again(api, drain, faults, seed):
    chance = random.Random(seed)  # noqa: S311 - the same data in every run
    nodes = definitions.nodes("")
    plant = inputs.plant(api, drain, nodes, primary_output="runs", cadence="daily")
    given.events(api, plant.project, list(definitions.events(chance)))
    plant.generate(definitions.RANGE)

    assert faults(plant) == []


def test_what_was_shared_over_partitions_is_divided_again(api, drain, faults):
    nodes = accounting.MASS.replace("sum}", "sum, partitions: true}") + accounting.POWER_BY_MASS
    plant = accounting.plant(api, drain, nodes, partition_type="feedstock")
    for name, mass in (("Straw", "3.1"), ("Wood", "7")):
        feedstock = given.feedstock(api, plant.project, name=name)["id"]
        plant.deliver(mass, "2025-01-02T00:00:00Z", feedstock_id=feedstock)
    plant.bill("100")
    plant.generate(QUARTER)

    assert faults(plant) == []


def test_values_of_before_a_correction_stand_beside_those_of_after_it(api, drain, account):
    plant = accounting.plant(api, drain)
    event = plant.deliver("5", "2025-01-02T00:00:00Z")
    plant.generate(QUARTER)
    [point] = api.get(f"/projects/{plant.project['id']}/events/{event}").expect(200).body["data_points"]
    body = {"data_point": {"value": 7, "reason": "weighed again"}}
    api.patch(f"/projects/{plant.project['id']}/data_points/{point['id']}", body).expect(200)
    plant.generate(QUARTER)

    checked = bundles.bundle(account, bundles.report_of(api, plant.ledger)).check()

    assert [fault.text for fault in checked.faults.listed] == []
    lines = bytes(checked.contents.parts["events/delivery.csv"]).decode().splitlines()
    assert [line.split(",")[1] + " " + line.split(",")[-1] for line in lines[1:]] == ["0 5", "1 7"]
    [correction] = checked.contents.corrections.values()
    assert (correction.from_value, correction.to_value, correction.origin) == ("5", "7", "manual")
