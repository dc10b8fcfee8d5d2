"""While a generation holds its transaction, numbers are computed in threads, never on the event loop.

The server ends a transaction that idles, and while the loop computes nothing can keep it in use.
"""

import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.given import accounting
from tests.given.uncertain_chains import asking, further, state_of_type

import weighbridge.core

CORE = Path(weighbridge.core.__file__).parent
COMPUTING = [str(CORE / name) for name in ("expression", "number.py", "uncertainty", "unit.py")]
"""Where numbers are computed."""
SOLD = """
  - slug: energy
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
  - slug: factor
    constant: 0.1
    unit: t/kWh
  - slug: needed
    formula: energy * factor
    unit: t
  - slug: drawn
    upstream: {ledger: Deliveries, amount: needed}
    unit: t
  - slug: mass
    formula: sum(drawn) * 0.5
    unit: t
    output: true
"""


@pytest.fixture
def calls_on_loop(server):
    """Counts the calls of functions that compute, by their names, on the loop while something is done."""

    def count(do):
        counted = Counter()

        def watch(frame, event, _argument):
            code = frame.f_code
            if event == "call" and code.co_filename.startswith(tuple(COMPUTING)):
                counted[f"{Path(code.co_filename).name} {code.co_qualname}"] += 1

        async def begin():
            sys.setprofile(watch)

        async def end():
            sys.setprofile(None)

        server.run(begin())
        try:
            do()
        finally:
            server.run(end())
        return counted

    return count


@pytest.fixture
def deliveries(api, drain):
    """Deliveries by feedstock, whose model asks for uncertainty."""
    made = accounting.plant(api, drain, accounting.MASS, partition_type="feedstock")
    asked = asking(accounting.MASS, partition_type="feedstock")
    accounting.version(api, made.model, asked, activate=True)
    state_of_type(made, {"relative_standard": 0.01})
    return made


def measure_month(plant, count):
    """Measure a delivery and a bill of each of so many feedstocks in a month of their own."""
    month = f"2025-{count:02}"
    times = (f"{month}-01T00:00:00Z", f"2025-{count + 1:02}-01T00:00:00Z")
    for number in range(count):
        feedstock = plant.feedstock(f"Feedstock {count} {number}")
        plant.deliver(10 + number, f"{month}-02T00:00:00Z", feedstock_id=feedstock)
        plant.bill(10 + number, f"{month}-02T00:00:00Z", feedstock_id=feedstock)
    return times


def test_no_more_numbers_are_computed_on_the_loop_for_more_batches(deliveries, calls_on_loop):
    sold = further(deliveries, SOLD, "Sold", partition_type="feedstock")

    def count_calls(feedstocks):
        times = measure_month(deliveries, feedstocks)
        made = []
        counted = calls_on_loop(
            lambda: made.extend(plant.generate(times)["created"] for plant in (deliveries, sold))
        )
        assert made == [feedstocks, feedstocks]
        return counted

    few, many = count_calls(2), count_calls(8)

    assert many - few == Counter()
