"""The same data and model give the same batches, in any order of arrival and any size of request."""

import random
from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given

from weighbridge.accounting.books.runs import compute_fingerprint
from weighbridge.core.engine import PartitionRun
from weighbridge.core.engine.slot_computation import Group
from weighbridge.core.ledger.allocation import Partition

NODES = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: mean
    input: {event_type: delivery, data_point_type: mass, aggregate: average}
    unit: t
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum, share: by, share_by: mass}
    unit: kWh
  - slug: emissions
    formula: power * factor * (mass / (mass + mean))
    unit: kg{CO2e}
    output: true
  - slug: factor
    constant: 0.207
    unit: kg{CO2e}/kWh
"""

# What each batch is, without ids and times of its making.
TOLD = ("tracking_id", "start_time", "end_time", "run_total", "ledger_balance", "input_data_count")


def bodies(straw, wood):
    """Forty days of deliveries of two feedstocks, and a bill every ten days."""
    found = [
        given.event_body(
            event_type="delivery",
            start_time=f"2025-0{1 + day // 28}-{1 + day % 28:02d}T06:00:00Z",
            feedstock_id=straw if day % 3 else wood,
            client_reference=f"d{day}",
            values={"mass": Decimal(day * 7919 % 10_007) / 1000},
        )
        for day in range(40)
    ]
    return found + [
        given.event_body(
            event_type="bill",
            start_time=f"2025-0{1 + day // 28}-{1 + day % 28:02d}T00:00:00Z",
            values={"energy": Decimal(day * 104_729 % 99_991) / 7},
        )
        for day in range(5, 40, 10)
    ]


def generated(api, drain, order, size):
    """The batches of a plant whose events arrive in this order, so many in a request."""
    plant = accounting.plant(
        api, drain, NODES, partition_type="feedstock", primary_output="emissions", unit="kg{CO2e}"
    )
    names = ["Wood", "Straw"] if size % 2 else ["Straw", "Wood"]
    feedstocks = {name: plant.feedstock(name) for name in names}
    events = order(bodies(feedstocks["Straw"], feedstocks["Wood"]))
    for start in range(0, len(events), size):
        given.events(api, plant.project, events[start : start + size])
    plant.generate(accounting.QUARTER)
    return [told(api, batch) for batch in plant.batches()]


def told(api, batch):
    nodes = api.get(f"/batches/{batch['id']}/lineage").expect(200).body["nodes"]
    values = [(node["slug"], str(node["value"]), str(node["whole"])) for node in nodes]
    inputs = [str(row["data_point"]["value"]) for row in batch["input_data"]]
    return [str(batch[name]) for name in TOLD], values, inputs


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_neither_the_order_of_arrival_nor_the_size_of_requests_shows_in_the_batches(api, drain, size):
    in_order = generated(api, drain, list, 44)

    shuffled = generated(api, drain, lambda all_: random.Random(size).sample(all_, len(all_)), size)  # noqa: S311 - a fixed order

    assert len(in_order) == 4
    assert shuffled == in_order


def test_month_by_month_gives_what_a_whole_year_gives(api, drain):
    def plant_of(ranges):
        plant = accounting.plant(api, drain)
        for day in range(1, 29):
            plant.deliver(f"0.{day}", f"2025-0{1 + day % 3}-{day:02d}T00:00:00Z")
        for times in ranges:
            plant.generate(times)
        return [[str(batch[name]) for name in TOLD] for batch in plant.batches()]

    months = [(f"2025-0{month}-01T00:00:00Z", f"2025-0{month + 1}-01T00:00:00Z") for month in (3, 1, 2)]

    assert plant_of(months) == plant_of([("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")])


def test_parts_of_the_data_in_any_order_end_with_the_balance_of_all_at_once(api, drain):
    plant = accounting.plant(
        api,
        drain,
        accounting.MASS + accounting.POWER_BY_MASS,
        partition_type="feedstock",
        unit="kWh",
        output="power",
    )
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    plant.deliver(1, feedstock_id=wood)
    plant.bill("10.001")
    plant.generate()
    plant.deliver("0.7", feedstock_id=straw)
    plant.generate()
    plant.bill("3.3333333")
    plant.generate()

    newest = {batch["tracking_id"]: str(batch["run_total"]) for batch in plant.batches()}

    assert newest == {"2025-01 Straw": "5.490608", "2025-01 Wood": "7.843725"}


def test_the_digest_of_a_run_does_not_depend_on_the_order_of_its_groups():
    groups = [
        Group(1, Partition(tracking_id="A"), 1, "evt_1", Decimal(5), {}),
        Group(1, Partition(feedstock="A"), 2, "evt_2", Decimal(7), {}),
        Group(2, Partition(), 3, "evt_3", Decimal(-9), {}),
    ]
    run = Partition(tracking_id="A", feedstock="A")

    one, other = (
        compute_fingerprint(b"model", PartitionRun(run, {}, tuple(order))) for order in (groups, groups[::-1])
    )

    assert one == other
