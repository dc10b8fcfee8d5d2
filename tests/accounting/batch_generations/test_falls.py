"""A run that comes to less takes back what it credited; what is gone is an open deficit of its partition."""

from decimal import Decimal

import pytest
from tests.given import accounting, chain
from tests.given.accounting import QUARTER
from tests.given.draws import consumer_of, draw

JANUARY, FEBRUARY, MARCH = (f"2025-0{month}-02T00:00:00Z" for month in (1, 2, 3))


def entries(plant, sql):
    """All entries as kind, slot of the batch, amount and the moment they count for."""
    return sql(
        """
        SELECT e.kind, to_char(b.start_time, 'Mon'), e.amount, to_char(e.effective_at, 'YYYY-MM-DD')
          FROM ledger_entries e JOIN batches b ON (b.project_id, b.id) = (e.project_id, e.batch_id)
         WHERE e.project_id = %s AND e.amount <> 0 ORDER BY e.id
        """,
        plant.project["numeric_id"],
    )


def record(plant):
    return plant.api.get(f"/ledgers/{plant.ledger['id']}").expect(200).body


def state(plant):
    """What the ledger holds, and what it is short of."""
    found = record(plant)
    return found["balance"], found["deficit"]


def test_a_negative_first_result_takes_from_the_other_slots_of_its_partition(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(5, JANUARY)
    plant.generate(QUARTER)

    plant.deliver(-2, FEBRUARY)
    plant.generate(QUARTER)

    january, february = plant.batches()
    assert (january["ledger_balance"], february["ledger_balance"]) == (3, 0)
    assert (february["primary_output"]["value"], february["run_total"]) == (0, -2)
    assert state(plant) == (3, 0)
    assert entries(plant, sql) == [
        ("credit", "Jan", 5, "2025-02-01"),
        ("fall", "Jan", -2, "2025-03-01"),
    ]


def test_what_a_fall_finds_nowhere_is_named_as_an_open_deficit(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(-2, JANUARY)

    (previewed,) = plant.preview(QUARTER)
    result = plant.generate(QUARTER)

    expected = [{"ledger": plant.ledger["id"], "partition": None, "amount": 2}]
    assert (previewed["deficits"], result["deficits"]) == (expected, expected)
    assert previewed["problems"] == []
    assert state(plant) == (0, 2)


def test_a_deficit_names_the_partition_that_is_short(api, drain):
    plant = accounting.plant(api, drain, partition_type="feedstock")
    plant.deliver(-2, JANUARY, feedstock_id=plant.feedstock("Straw"))
    plant.deliver(9, JANUARY, feedstock_id=plant.feedstock("Wood"))

    result = plant.generate(QUARTER)

    assert result["deficits"] == [{"ledger": plant.ledger["id"], "partition": "Straw", "amount": 2}]
    assert state(plant) == (9, 2)


def test_a_credit_settles_the_deficit_of_its_partition_at_once(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(-2, JANUARY)
    plant.generate(QUARTER)

    plant.deliver(5, MARCH)
    result = plant.generate(QUARTER)

    assert result["deficits"] == []
    assert state(plant) == (3, 0)
    assert entries(plant, sql) == [
        ("credit", "Mar", 5, "2025-04-01"),
        ("fall", "Mar", -2, "2025-04-01"),
    ]


def test_a_run_that_rises_again_gives_back_what_it_took_before_it_credits(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(5, JANUARY)
    plant.deliver(-2, FEBRUARY)
    plant.generate(QUARTER)

    plant.deliver(6, FEBRUARY)
    plant.generate(QUARTER)

    assert entries(plant, sql)[2:] == [
        ("rise", "Jan", 2, "2025-03-01"),
        ("credit", "Feb", 4, "2025-03-01"),
    ]
    assert state(plant) == (9, 0)


def test_a_run_that_rises_closes_its_own_deficit_first(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(-2, JANUARY)
    plant.generate(QUARTER)

    plant.deliver("1.5", JANUARY)
    plant.generate(QUARTER)
    assert state(plant) == (0, Decimal("0.5"))

    plant.deliver(1, JANUARY)
    plant.generate(QUARTER)
    assert state(plant) == (Decimal("0.5"), 0)


def test_what_was_drawn_already_cannot_fall_and_stays_open(api, drain, sql):
    plant = accounting.plant(api, drain)
    withdrawn = plant.deliver(5, JANUARY)
    plant.generate(QUARTER)
    consumer = consumer_of(plant)
    consumer.generate(QUARTER)
    draw(sql, plant.batches()[0], consumer.batches()[0], 4)

    accounting.void(sql, withdrawn)
    result = plant.generate(QUARTER)

    assert [one["amount"] for one in result["deficits"]] == [4]
    assert state(plant) == (0, 4)
    assert plant.generate(QUARTER)["adjusted"] == 0


def test_within_a_generation_credits_post_before_falls(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(-2, JANUARY)
    plant.deliver(5, MARCH)

    result = plant.generate(QUARTER)

    assert (result["deficits"], state(plant)) == ([], (3, 0))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_in_which_data_arrived_does_not_matter(api, drain, order):
    plant = accounting.plant(api, drain)
    deliveries = [(4, JANUARY), (3, FEBRUARY), (-5, MARCH)]
    for place in order:
        plant.deliver(*deliveries[place])

    plant.generate(QUARTER)

    assert [batch["ledger_balance"] for batch in plant.batches()] == [0, 2, 0]


def test_generating_in_parts_ends_with_the_same_balance_and_deficit(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(-5, JANUARY)
    plant.deliver(3, FEBRUARY)
    plant.generate(accounting.JANUARY)
    assert state(plant) == (0, 5)

    plant.generate(QUARTER)

    assert state(plant) == (0, 2)
    assert [batch["ledger_balance"] for batch in plant.batches()] == [0, 0]
    assert plant.count(QUARTER) == 0


def test_a_draw_that_is_given_back_settles_what_its_source_is_short_of(api, drain, sql):
    stock = chain.inventory(api, drain)
    withdrawn = stock.deliver(10, JANUARY)
    stock.generate(QUARTER)
    production = chain.link(stock)
    produced = chain.produce(production, 2, JANUARY)
    production.generate(QUARTER)
    accounting.void(sql, withdrawn)
    stock.deliver(1, JANUARY)
    stock.generate(QUARTER)
    assert state(stock) == (0, 3)

    accounting.void(sql, produced)
    chain.produce(production, "1.25", JANUARY)
    previewed = production.preview(QUARTER)
    result = production.generate(QUARTER)

    assert state(stock) == (0, Decimal("1.5"))
    expected = [{"ledger": stock.ledger["id"], "partition": None, "amount": Decimal("1.5")}]
    assert (previewed[0]["deficits"], result["deficits"]) == (expected, expected)
    adjusting = production.batches()[-1]
    api.delete(f"/batches/{adjusting['id']}").expect(202)
    drain()
    assert state(stock) == (0, 3)
