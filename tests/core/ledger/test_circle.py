"""Ledgers that draw from each other in a circle."""

import pytest

from weighbridge.core.ledger.drawing import describe_circle, find_circle


@pytest.mark.parametrize(
    ("draws", "circle"),
    [
        ({}, ()),
        ({"Char": ["Wood"], "Heat": ["Wood"]}, ()),
        ({"Char": ["Wood"], "Wood": ["Char"]}, ("Char", "Wood")),
        ({"Char": ["Char"]}, ("Char",)),
        ({"Char": ["Wood"], "Wood": ["Heat"], "Heat": ["Ash", "Char"]}, ("Char", "Wood", "Heat")),
        # A circle that goes by is none of this ledger's.
        ({"Char": ["Wood"], "Wood": ["Heat"], "Heat": ["Wood"]}, ()),
    ],
)
def test_the_shortest_circle_through_a_ledger(draws, circle):
    assert find_circle(["Char"], draws) == circle


def test_a_circle_in_words():
    assert describe_circle(("Char",)) == "'Char' draws from 'Char'"
    assert describe_circle(("Char", "Wood")) == "'Char' draws from 'Wood' and 'Wood' from 'Char'"
    assert describe_circle(("Char", "Wood", "Ash")) == (
        "'Char' draws from 'Wood', 'Wood' from 'Ash' and 'Ash' from 'Char'"
    )
