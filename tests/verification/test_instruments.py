"""The books hold with instruments: entered, drawn, deleted and entered again."""

import pytest
from tests.given import accounting, chain
from tests.given.instruments import certified, enter


@pytest.fixture(scope="module")
def making():
    return made


def made(server):
    """Two months draw from three certificates, of which one was entered wrongly at first."""
    account = server.account()
    api = account.caller()
    plant, ledger = certified(api, account.drain, 250, 250)
    mistaken = enter(api, ledger, "REC-3", amount=999).expect(201).body
    api.delete(f"/batches/{mistaken['id']}").expect(202)
    account.drain()
    enter(api, ledger, "REC-3", amount=99).expect(201)
    for month in (1, 2):
        chain.produce(plant, 2, f"2025-0{month}-20T12:00:00Z")
    plant.generate(accounting.QUARTER)
    chain.produce(plant, 1, "2025-01-21T12:00:00Z")
    plant.generate(accounting.QUARTER)
    assert plant.balance() == 500
    batches = api.get("/batches", {"sort": "id", "page_size": "200"}).expect(200).data
    assert [one["ledger_balance"] for one in batches if one["ledger_id"] == ledger["id"]] == [0, 0, 99]
    return batches


def test_books_with_instruments_hold(books):
    assert books.violations() == {}


def test_a_credit_that_is_not_the_amount_is_found(books):
    books.break_by(f"UPDATE batches SET credited = credited + 1 WHERE id = {books.number(0)}")

    found = books.breaches()

    assert "every batch was credited once, with what it says" in found
