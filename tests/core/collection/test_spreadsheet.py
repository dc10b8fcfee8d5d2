"""Spreadsheets: a text never becomes a formula, and comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.collection.custom_field import FORMULA_STARTS, quote_cell, unquote_cell

texts = st.text(st.sampled_from(f"'a{FORMULA_STARTS}") | st.characters())


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+49 30 1234", "'+49 30 1234"),
        ("-", "'-"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("\nx", "'\nx"),
        ("\uff1d1", "'\uff1d1"),
        ("\uff0b1", "'\uff0b1"),
        ("\uff0d1", "'\uff0d1"),
        ("\uff20x", "'\uff20x"),
        ("'=1", "''=1"),
        ("''\uff1d1", "'''\uff1d1"),
    ],
)
def test_a_text_that_begins_like_a_formula_gets_a_quote(text, cell):
    assert quote_cell(text) == cell
    assert unquote_cell(cell) == text


@pytest.mark.parametrize("text", ["", "a", " =1", "'", "'a", "''", "a=b", "1-2"])
def test_any_other_text_stays_as_it_is(text):
    assert quote_cell(text) == text
    assert unquote_cell(text) == text


def test_a_formula_that_somebody_wrote_by_hand_is_read_as_the_text_that_it_is():
    assert unquote_cell("=1+1") == "=1+1"


@given(texts)
def test_every_text_comes_back(text):
    assert unquote_cell(quote_cell(text)) == text


@given(texts)
def test_no_cell_begins_like_a_formula(text):
    assert not quote_cell(text).startswith(tuple(FORMULA_STARTS))
