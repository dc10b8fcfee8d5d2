"""Readings that several inputs read have one error in a bundle, too, and each checker finds it."""

import pytest
from tests.given import bundles, uncertain
from tests.given.shared_readings import ALL_WAYS, Loads, tell
from tests.given.uncertain_chains import JANUARY


@pytest.mark.parametrize("seed", range(100, 108))
def test_inputs_of_the_same_readings_are_recomputed(account, seed):
    plant = tell(account.caller(), account.drain, Loads(seed))
    plant.generate(JANUARY)

    bundle = bundles.bundle(account, bundles.report_of(plant.api, plant.ledger))

    assert bundle.faults() == []


def test_values_weights_and_totalisers_of_the_same_readings_are_recomputed(account):
    head = "uncertainty: {coverage_probability: 0.95}\n"
    made = uncertain.told(account, ALL_WAYS, head=head)

    bundle = bundles.bundle(account, bundles.report_of(made.plant.api, made.sales.ledger))

    assert bundle.faults() == []
