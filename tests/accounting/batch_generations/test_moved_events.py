"""Runs of events whose times were corrected: what they give back counts for the moment at which it was taken.

Otherwise others could have drawn it in between, and a balance would have been negative at a moment. Design,
Ledgers.
"""

from decimal import Decimal

import pytest
from tests.given import chain
from tests.given.accounting import QUARTER

from weighbridge.verification.books import check_books


@pytest.fixture
def broken(server):
    """Checks the books of a plant's project; gives what does not hold."""

    def run(plant):
        async def check():
            async with server.database.read() as tx:
                return await check_books(tx, plant.project["numeric_id"])

        return [problem for problems in server.run(check()).values() for problem in problems]

    return run


def move(plant, event, day):
    moment = f"{day}T12:00:00Z"
    body = {"event": {"start_time": moment, "end_time": moment}}
    plant.api.patch(f"/projects/{plant.project['id']}/events/{event}", body).expect(200)


def correct(plant, event, value):
    path = f"/projects/{plant.project['id']}/events/{event}/data_points"
    (point,) = plant.api.get(path).expect(200).data
    body = {"data_point": {"value": Decimal(value)}}
    plant.api.patch(f"/projects/{plant.project['id']}/data_points/{point['id']}", body).expect(200)


def test_what_a_moved_run_returns_counts_for_the_moment_at_which_it_was_drawn(api, drain, broken):
    plant = chain.inventory(api, drain, cadence="event")
    plant.deliver(10, 5)
    plant.generate(QUARTER)
    production = chain.link(plant, cadence="event")
    event = chain.produce(production, 5, 20)
    production.generate(QUARTER)
    move(production, event, "2025-02-10")
    correct(production, event, 2)
    production.generate(QUARTER)

    chain.produce(production, 3, 25)
    production.generate(QUARTER)

    assert plant.balance() == 0
    assert broken(plant) == []


def test_what_a_moved_run_that_rises_gives_back_counts_for_the_moment_of_its_fall(api, drain, broken):
    plant = chain.inventory(api, drain, cadence="event")
    plant.deliver(10, 5)
    event = plant.deliver(5, 20)
    plant.generate(QUARTER)
    correct(plant, event, -6)
    plant.generate(QUARTER)
    move(plant, event, "2025-02-10")
    correct(plant, event, -2)
    plant.generate(QUARTER)

    production = chain.link(plant, cadence="event")
    chain.produce(production, 4, 25)
    production.generate(QUARTER)

    assert plant.balance() == 0
    assert broken(plant) == []


def test_a_deficit_is_settled_at_the_end_of_each_slot_that_settles_it_in_whatever_order(api, drain, broken):
    plant = chain.inventory(api, drain)
    plant.deliver(-9, 5)
    plant.generate(QUARTER)
    plant.deliver(3, "2025-03-05T00:00:00Z")
    plant.generate(QUARTER)
    plant.deliver(2, "2025-02-05T00:00:00Z")
    plant.generate(QUARTER)

    assert api.get(f"/ledgers/{plant.ledger['id']}").expect(200).body["deficit"] == 4
    assert broken(plant) == []


def test_a_deficit_of_a_moved_run_is_not_settled_before_it_opened(api, drain, broken):
    plant = chain.inventory(api, drain, cadence="event")
    event = plant.deliver(-6, "2025-02-10T12:00:00Z")
    plant.generate(QUARTER)
    move(plant, event, "2025-01-20")
    correct(plant, event, -4)
    plant.generate(QUARTER)
    plant.deliver(1, 21)
    plant.generate(QUARTER)

    deficit = api.get(f"/ledgers/{plant.ledger['id']}").expect(200).body["deficit"]
    assert (plant.balance(), deficit) == (0, 3)
    assert broken(plant) == []
