"""A reading has one error, whichever inputs of a run read it: sums, extremes, totalisers; beside GTC."""

from decimal import Decimal

import GTC
import pytest
from tests.given.shared_readings import Loads, tell
from tests.given.uncertain_chains import JANUARY


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
