"""`measured_share` and `value_source_shares` of batches: what they rest on, by |x * df/dx| of their values.

docs/explanation/measured-share.md.
"""

from decimal import Decimal

import pytest
from tests.given import accounting, chain
from tests.given.accounting import JANUARY, MASS
from tests.given.rule_evaluation import calibration, work

from weighbridge.verification.recomputation import check_batches

SOURCES = ("captured", "manual", "adjusted", "substituted", "imputed")

NET = """
  - slug: gross
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "tracking_id = 'gross'"}
    unit: t
  - slug: tare
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "tracking_id = 'tare'"}
    unit: t
  - slug: fines
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, where: "tracking_id = 'fines'"}
    unit: t
  - slug: net
    formula: gross - tare - fines
    unit: t
"""


def shares(batch):
    """What a batch rests on, source by source, of those that are not zero."""
    found = batch["value_source_shares"]
    if found is None:
        assert batch["measured_share"] is None
        return None
    assert batch["measured_share"] == found["captured"]
    assert sum(found.values()) == 1
    assert tuple(found) == SOURCES
    return {source: share for source, share in found.items() if share}


def correct(plant, event, value):
    """A person puts another value in the place of the first of an event."""
    events = f"/projects/{plant.project['id']}/events/{event}"
    (point,) = plant.api.get(events).expect(200).body["data_points"]
    path = f"/projects/{plant.project['id']}/data_points/{point['id']}"
    plant.api.patch(path, {"data_point": {"value": value, "reason": "Read again."}}).expect(200)


def confirmed(server, plant):
    """What recomputing all batches finds wrong."""

    async def check():
        async with server.database.read() as tx:
            return (await check_batches(tx, plant.project["numeric_id"]))[1]

    return server.run(check())


def test_a_net_mass_of_which_a_part_was_not_measured(api, drain, server):
    """100 t - 15 t measured - 5 t corrected by hand: 115 of 120 contribute measured, 95.8333 %."""
    plant = accounting.plant(api, drain, NET, primary_output="net")
    plant.deliver(100, tracking_id="gross")
    plant.deliver(15, tracking_id="tare")
    correct(plant, plant.deliver(4, tracking_id="fines"), 5)

    plant.generate()

    (batch,) = plant.batches()
    assert batch["run_total"] == 80
    assert shares(batch) == {"captured": Decimal("0.958333333333"), "manual": Decimal("0.041666666667")}
    assert confirmed(server, plant) == []


def test_a_batch_of_measured_values_is_measured_as_a_whole(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(3)
    plant.deliver(4)

    plant.generate()

    assert shares(plant.batches()[0]) == {"captured": 1}


def test_a_rule_that_calibrates_is_told_apart_from_a_person(api, account, drain, server):
    plant = accounting.plant(api, drain)
    plant.deliver(10)
    plant.deliver(40, 2)
    correct(plant, plant.deliver(9, 3), 8)
    calibration(api, plant.project, "{{mass}} > 20", "{{mass}} + 2")
    work(account)

    plant.generate()

    assert shares(plant.batches()[0]) == {
        "captured": Decimal("0.166666666667"),
        "manual": Decimal("0.133333333333"),
        "adjusted": Decimal("0.7"),
    }
    assert confirmed(server, plant) == []


def test_what_comes_to_zero_rests_on_nothing(api, drain):
    plant = accounting.plant(api, drain, NET, primary_output="net")
    for name, mass in (("gross", 15), ("tare", 10), ("fines", 5)):
        plant.deliver(mass, tracking_id=name)

    plant.generate()

    assert [shares(batch) for batch in plant.batches()] == [None]


def test_constants_and_static_inputs_do_not_count(api, drain):
    nodes = (
        MASS
        + """
  - slug: fixed
    constant: 1000
    unit: t
  - slug: whole
    formula: 2 * mass + fixed
    unit: t
"""
    )
    plant = accounting.plant(api, drain, nodes, primary_output="whole")
    plant.deliver(3)
    correct(plant, plant.deliver(2, 2), 1)

    plant.generate()

    assert shares(plant.batches()[0]) == {"captured": Decimal("0.75"), "manual": Decimal("0.25")}


def test_what_rests_on_no_value_has_no_share(api, drain):
    nodes = (
        MASS
        + """
  - slug: fixed
    formula: "if(mass > quantity(1, 't'), 2, 3)"
    unit: "1"
    output: true
"""
    )
    plant = accounting.plant(api, drain, nodes, primary_output="fixed", unit="1")
    plant.deliver(3)

    plant.generate()

    assert [(batch["run_total"], shares(batch)) for batch in plant.batches()] == [(2, None)]


def test_an_adjusting_batch_says_what_the_run_rests_on_with_it_and_the_first_what_it_rests_on_now(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(30)
    wrong = plant.deliver(20, 2)
    plant.generate()
    correct(plant, wrong, 10)
    plant.generate()
    plant.deliver(40, 3)
    plant.generate()

    first, second, third = plant.batches()

    assert shares(second) == {"captured": Decimal("0.75"), "manual": Decimal("0.25")}
    assert shares(third) == {"captured": Decimal("0.875"), "manual": Decimal("0.125")}
    assert shares(first) == shares(third)


def test_deleting_the_newest_batch_of_a_run_leaves_the_shares_of_the_one_before(api, drain):
    plant = accounting.plant(api, drain)
    wrong = plant.deliver(20, 2)
    plant.generate()
    correct(plant, wrong, 10)
    plant.generate()
    first, second = plant.batches()
    assert shares(first) == {"manual": 1}

    api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", {"batch_ids": [second["id"]]}).expect(202)
    drain()

    assert [shares(batch) for batch in plant.batches()] == [{"captured": 1}]


def test_a_run_that_fell_to_nothing_rests_on_nothing(api, drain, sql):
    plant = accounting.plant(api, drain)
    event = plant.deliver(20)
    plant.generate()
    accounting.void(sql, event)
    plant.generate()

    assert [shares(batch) for batch in plant.batches()] == [None, None]


@pytest.fixture
def delivered(api, drain):
    """60 t measured and 20 t corrected by hand: 75 % measured."""
    plant = chain.inventory(api, drain)
    plant.deliver(60)
    correct(plant, plant.deliver(30, 2), 20)
    plant.generate()
    return plant


def test_what_is_drawn_brings_along_what_it_rests_on(delivered, server):
    """40 t are drawn, 30 t measured and 10 t by hand; with 60 t of its own, 90 of 100 t are measured."""
    nodes = (
        chain.drawing()
        + """
  - slug: all
    formula: sum(drawn) + 3 * made
    unit: t
"""
    )
    plant = chain.link(delivered, nodes, output="all")
    chain.produce(plant, 20)

    plant.generate()

    (batch,) = plant.batches()
    assert batch["run_total"] == 100
    assert shares(batch) == {"captured": Decimal("0.9"), "manual": Decimal("0.1")}
    assert confirmed(server, plant) == []


def test_shares_travel_through_a_chain_of_three_ledgers(delivered, server):
    middle = chain.link(delivered, chain.drawing(), output="used")
    chain.produce(middle, 20)
    middle.generate()
    assert shares(middle.batches()[0]) == {"captured": Decimal("0.75"), "manual": Decimal("0.25")}
    given_sale = """
  - slug: sold
    input: {event_type: sale, data_point_type: mass, aggregate: sum}
    unit: t
"""
    last_nodes = (
        given_sale
        + chain.upstream("amount: sold", ledger="Production")
        + """
  - slug: left
    formula: sum(drawn) * 0.5
    unit: t
"""
    )
    last = chain.link(delivered, last_nodes, name="Sales", output="left")
    last.measure("sale", {"mass": 8})

    last.generate()

    assert shares(last.batches()[0]) == {"captured": Decimal("0.75"), "manual": Decimal("0.25")}
    assert confirmed(server, last) == []


def test_draws_of_two_batches_weigh_by_what_was_drawn_of_each(api, drain):
    """10 t of the first, all measured, and 30 t of the second, all by hand."""
    plant = chain.inventory(api, drain, partition_type="feedstock")
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    plant.deliver(10, feedstock_id=straw)
    correct(plant, plant.deliver(35, feedstock_id=wood), 30)
    plant.generate()
    second = chain.link(plant, chain.drawing(), output="used", partition_type="time")
    chain.produce(second, 20)

    second.generate()

    assert shares(second.batches()[0]) == {"captured": Decimal("0.25"), "manual": Decimal("0.75")}


def test_a_preview_says_what_the_new_batches_would_rest_on(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(30)
    correct(plant, plant.deliver(20, 2), 10)

    (entry,) = plant.preview(JANUARY)

    assert shares(entry) == {"captured": Decimal("0.75"), "manual": Decimal("0.25")}


def test_a_list_of_batches_says_it_too(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(3)
    plant.generate()

    (listed,) = api.get(f"/projects/{plant.project['id']}/batches").expect(200).data

    assert shares(listed) == {"captured": 1}


def test_nobody_knows_what_rests_on_a_batch_of_before_shares_were_kept(delivered, server, sql):
    sql(
        "UPDATE batch_calculations SET contributions = NULL"
        " WHERE project_id = %s AND contributions IS NOT NULL", delivered.project["numeric_id"]
    )  # fmt: skip
    plant = chain.link(delivered, chain.drawing(), output="used")
    chain.produce(plant, 20)

    plant.generate()

    assert [shares(batch) for batch in plant.batches() + delivered.batches()] == [None, None]
    assert confirmed(server, plant) == []
