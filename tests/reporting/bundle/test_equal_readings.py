"""A greatest value that several readings have, which state different things, changes with one of them."""

from decimal import Decimal

import GTC
import pytest
from tests.given import bundles, inputs, uncertain
from tests.given.inputs import measure

HEAVIEST = """
  - slug: heaviest
    input: {event_type: delivery, data_point_type: mass, aggregate: max}
    unit: t
"""
SUMMED = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
"""
RESULT = """
  - slug: mass
    formula: FORMULA
    unit: t
    output: true
  - slug: dry
    formula: mass * 1
    unit: t
    output: true
"""


@pytest.mark.parametrize("is_summed", [False, True], ids=["alone", "beside the sum"])
@pytest.mark.parametrize("own", ["0.05", "0.005"])
def test_what_equals_share_counts_once_in_all_computations(account, is_summed, own):
    formula = "loads + 2 * heaviest" if is_summed else "heaviest"
    nodes = HEAVIEST + (SUMMED if is_summed else "") + RESULT.replace("FORMULA", formula)
    made = uncertain.works(account, nodes, head="uncertainty: {}\n")
    measure(made.plant, "delivery", {"mass": 30}, "2025-01-16", asset_id=made.scale)
    of_hand = {"standard": Decimal(own)}
    uncertain.stated(made.plant, "delivery", {"mass": (30, of_hand)}, "2025-01-17", asset_id=made.scale)
    made.plant.generate(uncertain.TIMES)

    batch = min(made.plant.batches(), key=lambda one: one["start_time"])
    certificate, hand = GTC.ureal(1, 0.005), GTC.ureal(5, 0.05)
    first, second, plain = GTC.ureal(30, 0.02), GTC.ureal(30, float(own)), GTC.ureal(30, 0.02)
    # Both have the certificate, so which is known less well is said by what each has for itself.
    greatest = certificate + (second if float(own) > 0.02 else first)
    others = GTC.ureal(10, 0.02) + GTC.ureal(21, 0.02) + 21 * (certificate - 1) + plain + hand
    loads = others + first + second + 60 * (certificate - 1)
    greatest = greatest + 29 * (certificate - 1)
    expected = loads + 2 * greatest if is_summed else greatest
    found = batch["uncertainty"]["standard_uncertainty"]
    assert float(found) == pytest.approx(GTC.uncertainty(expected), rel=1e-9)
    assert inputs.recomputed(account.server, made.plant) == []
    bundle = bundles.bundle(account, bundles.report_of(made.plant.api, made.plant.ledger))
    assert bundle.faults() == []
