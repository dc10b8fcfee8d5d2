"""A ledger is a list of entries that are only ever added; no balance is below zero."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.ledger import Holding, Posting, post

amounts = st.decimals(min_value=0, max_value=10**12, places=6)


def holdings(text):
    return [Holding(number, Decimal(word)) for number, word in enumerate(text.split(), 1)]


@pytest.mark.parametrize(
    ("total", "posted", "held", "expected"),
    [
        ("10", "0", "", ("10", "", "0")),
        ("10", "10", "10", ("0", "", "0")),
        ("12.5", "10", "10", ("2.5", "", "0")),
        ("8", "10", "10", ("0", "1:2", "0")),
        ("3", "10", "4 6", ("0", "1:4 2:3", "0")),
        ("3", "10", "0 6 9", ("0", "2:6 3:1", "0")),
        ("0", "10", "10", ("0", "1:10", "0")),
        ("2", "10", "3", ("0", "1:3", "5")),
        ("2", "10", "", ("0", "", "8")),
        ("-1", "0", "", ("0", "", "1")),
        ("-1", "10", "10", ("0", "1:10", "1")),
    ],
)  # fmt: skip
def test_the_difference_to_what_is_posted_is_posted(total, posted, held, expected):
    posting = post(Decimal(total), Decimal(posted), holdings(held))

    credit, falls, short = expected
    fallen = [fall.split(":") for fall in falls.split()]
    assert posting == Posting(
        Decimal(credit),
        tuple(Holding(int(number), Decimal(amount)) for number, amount in fallen),
        Decimal(short),
    )


@given(st.decimals(-(10**12), 10**12, places=6), amounts, st.lists(amounts, max_size=10))
def test_credit_falls_and_shortage_together_are_the_difference(total, posted, balances):
    held = [Holding(number, balance) for number, balance in enumerate(balances)]

    posting = post(total, posted, held)

    fallen = sum((fall.balance for fall in posting.falls), Decimal(0))
    assert posting.credit - fallen - posting.short == total - posted
    assert posting.credit >= 0
    assert posting.short >= 0


@given(amounts, amounts, st.lists(amounts, max_size=10))
def test_no_fall_takes_more_than_a_batch_holds_and_older_batches_are_emptied_first(total, posted, balances):
    held = [Holding(number, balance) for number, balance in enumerate(balances)]

    posting = post(total, posted, held)

    taken = {fall.batch_id: fall.balance for fall in posting.falls}
    assert all(0 < amount <= balances[number] for number, amount in taken.items())
    if posting.falls:
        last = posting.falls[-1].batch_id
        assert all(taken.get(number, 0) == balances[number] for number in range(last))
    if posting.short:
        assert sum(taken.values()) == sum(balances)
