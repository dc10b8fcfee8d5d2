"""What a reading of two ledgers has for itself is of each at first order, and drawn once in trials."""

from decimal import Decimal

import pytest
from tests.given.inputs import measure
from tests.given.uncertain_chains import JANUARY, SUMMED, TRIALS, further, plant, run, state_of_type

OWN = Decimal("0.3")
BOTH = """
  - slug: weighed
    input: {event_type: tank, data_point_type: level, aggregate: sum}
    unit: t
  - slug: one
    upstream: {ledger: Deliveries, amount: weighed}
    unit: t
  - slug: other
    upstream: {ledger: Again, amount: weighed}
    unit: t
  - slug: mass
    formula: FORMULA
    unit: t
"""


@pytest.mark.parametrize(
    ("formula", "stated", "first_order"),
    [
        ("sum(one) + sum(other)", {}, 2),
        ("2 * sum(one) - sum(other)", {}, 5),
        ("sum(one) + sum(other)", {"effect": "this delivery"}, 4),
    ],
    ids=["added", "subtracted", "added, with a name"],
)
def test_two_ledgers_of_one_reading(api, drain, formula, stated, first_order):
    books = plant(api, drain)
    kind = state_of_type(books, {"standard": OWN} | stated)
    path = f"/projects/{books.project['id']}/event_types/{kind}"
    api.patch(path, {"event_type": {"reusable_in_batches": True}}).expect(200)
    measure(books, "delivery", {"mass": 70}, "2025-01-10")
    measure(books, "tank", {"level": 70}, "2025-01-20")
    again = further(books, SUMMED, "Again")
    for ledger in (books, again):
        ledger.generate(JANUARY)
    sold = further(books, BOTH.replace("FORMULA", formula), "Sold")

    sold.generate(JANUARY)

    [batch] = sold.batches()
    found = api.get(f"/batches/{batch['id']}").expect(200).body["uncertainty"]["standard_uncertainty"]
    assert abs(found - OWN * Decimal(first_order).sqrt()) < Decimal("1e-15")
    in_trials = Decimal(run(sold, f"/batches/{batch['id']}")["standard_uncertainty"])
    truth = OWN * (1 if formula.startswith("2") else 2)
    assert abs(in_trials / truth - 1) < 4 / Decimal(2 * (TRIALS - 1)).sqrt()
    assert bool(stated) == (abs(found - truth) < Decimal("1e-15"))
