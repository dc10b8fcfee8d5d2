"""What batches rest on is recomputed: from corrections as they were, and from draws as they were made."""

import pytest
from tests.given import chain
from tests.given.accounting import JANUARY

RECOMPUTES = "every batch recomputes to the last digit"


@pytest.fixture(scope="module")
def making():
    return made


def made(server):
    """20 t of which 5 t were corrected by hand, and a ledger that draws half of them; then more of them."""
    account = server.account()
    deliveries = chain.inventory(account.caller(), account.drain)
    measured, wrong = deliveries.deliver(15), deliveries.deliver(6, 2)
    correct(deliveries, wrong, 5)
    deliveries.generate(JANUARY)
    production = chain.link(deliveries, chain.drawing(), output="used")
    chain.produce(production, 5)
    production.generate(JANUARY)
    correct(deliveries, measured, 14)
    correct(deliveries, wrong, 6)
    return production.batches() + deliveries.batches()


def correct(plant, event, value):
    events = f"/projects/{plant.project['id']}/events/{event}"
    (point,) = plant.api.get(events).expect(200).body["data_points"]
    path = f"/projects/{plant.project['id']}/data_points/{point['id']}"
    plant.api.patch(path, {"data_point": {"value": value, "reason": "Read again."}}).expect(200)


def test_later_corrections_leave_what_batches_rest_on_as_it_was(books):
    assert books.violations() == {}
    assert [str(batch["measured_share"]) for batch in books.batches] == ["0.75", "0.75"]


def test_another_share_than_the_values_come_to_is_named(books):
    books.break_by(
        "UPDATE batch_calculations SET contributions = '{20, 0, 0, 0, 0}' WHERE slug = 'mass'",
    )

    [named] = books.violations()[RECOMPUTES]
    assert named == (
        f"batch {books.batches[1]['id']}: node mass rests on 20 captured in the batch"
        " and on 15 captured, 5 manual computed anew"
    )


def test_a_draw_that_rests_on_something_else_than_its_batch_is_named(books):
    books.break_by("UPDATE batch_draws SET contributions = '{1, 0, 0, 0, 1}'")

    [named] = books.violations()[RECOMPUTES]
    assert named == (
        f"batch {books.batches[0]['id']}: node used rests on 7.5 captured, 2.5 manual in the batch"
        " and on 5 captured, 5 imputed computed anew"
    )


def test_batches_of_before_shares_were_kept_are_not_called_wrong(books):
    books.break_by(
        "UPDATE batch_calculations SET contributions = NULL", "UPDATE batch_draws SET contributions = NULL"
    )

    assert books.violations() == {}
