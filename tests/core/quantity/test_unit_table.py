"""The table of units says what pint says, whatever the name."""

import keyword
import math
import re
import string
from fractions import Fraction

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tools import unit_table as tool

from weighbridge.core.unit import _read_unit_table, find_meaning

TABLE = _read_unit_table()
NAMES = sorted(filter(re.compile(r"[^\W\d]\w*").fullmatch, TABLE.units))
"""Names that the text of a unit may have; others, such as %, stand alone."""
PREFIXES = ("", *TABLE.prefixes)
LETTERS = f"{string.ascii_letters}µμ°Ω_"
MADE_UP = st.builds(str.__add__, st.sampled_from(LETTERS), st.text(LETTERS + string.digits, max_size=3))
ODD = ("nan", "inf", "s", "ss", "per", "squared", "kilokilogram", "°C", "delta_°C", "degs", "k", "ks")


@pytest.fixture(scope="module")
def registry():
    return pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)


def agree(registry, name):
    """Compare, and have pint forget what it has learnt of names meanwhile."""
    known = len(registry._units)
    said = tool.meaning(registry, name)
    for learnt in [*registry._units][known:]:
        del registry._units[learnt]
    found = find_meaning(name)
    if said is None or found is None:
        assert found == said, name
        return
    assert (sorted(found[0]), found[2]) == (sorted(said[0]), said[2]), name
    is_lost = (_is_long(found[1]) or _is_long(said[1])) and math.isclose(found[1] / said[1], 1, rel_tol=1e-15)
    assert found[1] == said[1] or is_lost, name


def _is_long(factor):
    """Whether pint itself loses the last digits of a factor, since it multiplies prefixes as floats."""
    return max(abs(factor.numerator), factor.denominator) > 10**15


def test_the_table_is_what_is_made_of_the_definitions():
    assert tool.TABLE.read_text() == tool.written()


def test_every_name_means_what_it_means_to_pint(registry):
    for name in NAMES:
        agree(registry, name)


def test_every_unit_is_found_by_its_plural_and_with_a_prefix_and_every_prefix_with_a_unit(registry):
    for number, name in enumerate(NAMES):
        agree(registry, name + "s")
        agree(registry, PREFIXES[number % len(PREFIXES)] + name)
    for prefix in PREFIXES:
        for name in ("g", "meters", "degC", "dB", "delta_degC", "Pa"):
            agree(registry, prefix + name)


@given(st.data())
def test_made_up_names_mean_what_they_mean_to_pint(registry, data):
    for _ in range(20):
        prefix = data.draw(st.sampled_from(PREFIXES) | st.just(""))
        name = data.draw(st.sampled_from(NAMES) | MADE_UP)
        agree(registry, prefix + name + data.draw(st.sampled_from(("", "s"))))


@pytest.mark.parametrize("name", [*keyword.kwlist, *ODD])
def test_names_that_look_like_something_else_mean_what_they_mean_to_pint(registry, name):
    agree(registry, name)


def test_what_was_asked_before_changes_nothing():
    assert find_meaning("gigawatt") is not None
    assert find_meaning("kilogigawatt") is None


def test_every_factor_is_exact():
    found = [one for one in map(find_meaning, NAMES) if one is not None]

    assert len(found) > 1000
    assert all(type(factor) is type(offset) is Fraction for _, factor, offset in found)
