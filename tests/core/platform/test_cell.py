"""Cells have names, ranges of keys that nobody else has, and are found by the account that a secret names."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.platform.cell import (
    BIGINT_BITS,
    CELLS_MAX,
    FIRST,
    INTEGER_BITS,
    Cell,
    drop_account,
    key_range,
    name_account,
    problem_of_cell_name,
    problem_of_node,
    read_account,
    read_node,
)


@pytest.mark.parametrize("bits", [INTEGER_BITS, 36, BIGINT_BITS])
def test_ranges_of_all_cells_follow_one_another_and_use_every_key(bits):
    ranges = [key_range(number, bits) for number in range(CELLS_MAX)]

    assert ranges[0].start == 1
    assert ranges[-1].stop == 2**bits
    assert all(before.stop == after.start for before, after in pairwise(ranges))


def test_a_cell_has_keys_for_33_million_projects_and_tasks_and_for_4_trillion_records():
    assert len(key_range(3, INTEGER_BITS)) == 33_554_432
    assert len(key_range(3, BIGINT_BITS)) == 4_398_046_511_104


@pytest.mark.parametrize("name", ["n", "north", "plant_7", "a" * 30])
def test_this_names_a_cell(name):
    assert problem_of_cell_name(name) is None
    assert Cell(1, name).schema == f"cell_{name}"


@pytest.mark.parametrize(
    "name", ["", "7", "North", "north-west", "a" * 31, "ä", "a b", "first", 'a"b', "a\n"]
)
def test_this_names_no_cell(name):
    assert "The name of a cell is" in (problem_of_cell_name(name) or "")


def test_the_first_cell_stands_where_the_connection_looks():
    assert FIRST.schema is None


@pytest.mark.parametrize(
    ("address", "node"),
    [
        ("db2:5432", ("db2", 5432)),
        ("10.0.0.2:1", ("10.0.0.2", 1)),
        ("[fd00::2]:65535", ("fd00::2", 65535)),
    ],
)
def test_this_is_the_address_of_a_node(address, node):
    assert problem_of_node(address) is None
    assert read_node(address) == node


@pytest.mark.parametrize(
    "address", ["", "db2", "db2:", ":5432", "db2:0", "db2:65536", "fd00::2:5432", "db 2:1", "h" * 260 + ":1"]
)
def test_this_is_no_address_of_a_node(address):
    assert "The node of a cell is" in (problem_of_node(address) or "")


@given(st.integers(1, 2**31 - 1), st.text(max_size=50))
def test_a_secret_names_its_account(account, secret):
    text = name_account(account, secret)

    assert read_account(text) == account
    assert drop_account(text) == secret


@pytest.mark.parametrize("text", ["", "17.3f9c", "a.3f", "a0.3f", "a12345678901.3f", "b1.3f", "a1", "A1.x"])
def test_a_text_without_an_account_names_none(text):
    assert read_account(text) is None
    assert drop_account(text) == text
