"""Two outputs that take the same readings of an array share them reading by reading, as trials do."""

from decimal import Decimal

import pytest
from tests.given.inputs import measure
from tests.given.uncertain_chains import JANUARY, TRIALS, further, plant, run, state_of_type

LOADS = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
  - slug: mass
    formula: sum(loads)
    unit: t
    output: true
  - slug: other
    formula: OTHER
    unit: t
    output: true
"""
DRAWING = """
  - slug: weighed
    input: {event_type: tank, data_point_type: level, aggregate: sum}
    unit: t
  - slug: drawn
    upstream: {ledger: Deliveries, amount: weighed, attributes: {other: t}}
    unit: t
  - slug: mass
    formula: sum(drawn) + sum(drawn.other)
    unit: t
"""
OWN = Decimal("0.3")


@pytest.mark.parametrize(
    ("other", "rates"),
    [
        ("max(loads)", (1, 1, 2)),
        ("average(loads)", (Decimal(4) / 3,) * 3),
        ("min(loads) - max(loads)", (2, 1, 0)),
        ("-sum(loads)", (0, 0, 0)),
    ],
)
def test_what_outputs_share_is_counted_reading_by_reading(api, drain, other, rates):
    books = plant(api, drain, LOADS.replace("OTHER", other))
    state_of_type(books, {"standard": OWN, "degrees_of_freedom": 8})
    for day, mass in ((10, 10), (11, 20), (12, 40)):
        measure(books, "delivery", {"mass": mass}, f"2025-01-{day}")
    measure(books, "tank", {"level": 70}, "2025-01-20")
    books.generate(JANUARY)
    sold = further(books, DRAWING, "Sold")

    sold.generate(JANUARY)

    [batch] = sold.batches()
    found = api.get(f"/batches/{batch['id']}").expect(200).body["uncertainty"]
    expected = OWN * Decimal(sum(rate * rate for rate in map(Decimal, rates))).sqrt()
    assert abs(found["standard_uncertainty"] - expected) < Decimal("1e-15")
    freedom = found["degrees_of_freedom"]
    assert freedom is None if not expected else abs(freedom - 8) < Decimal("1e-9")
    in_trials = run(sold, f"/batches/{batch['id']}")
    assert in_trials["state"] == "complete"
    # Student's t of eight degrees has 8 / 6 times the variance.
    ratio = Decimal(in_trials["standard_uncertainty"]) - expected * (Decimal(8) / 6).sqrt()
    assert abs(ratio) <= expected * 6 / Decimal(2 * (TRIALS - 1)).sqrt() + Decimal("1e-9")
