"""A slug is a name for programs: small letters and digits in words, joined by hyphens or underscores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.identity import SLUG_LENGTH_MAX, is_slug, make_slug


@pytest.mark.parametrize("text", ["a", "0", "wet-mass", "wet_mass", "a-b_c-1", "2025", "a" * 100])
def test_this_is_a_slug(text):
    assert is_slug(text)
    assert make_slug(text) == text


@pytest.mark.parametrize(
    "text", ["", "A", "a b", "-a", "a-", "_a", "a_", "a--b", "a-_b", "ü", "a\n", "٣", "a.b", "a" * 101]
)
def test_this_is_no_slug(text):
    assert not is_slug(text)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Wet mass", "wet-mass"),
        ("  Biochar   delivery (t) ", "biochar-delivery-t"),
        ("Überschuß Wärme", "uberschu-warme"),
        ("CO2e", "co2e"),
        ("CO₂ stored", "co2-stored"),
        ("wet_mass", "wet_mass"),
        ("Wet_Mass", "wet-mass"),
        ("--", ""),
        ("木材", ""),
        ("", ""),
        ("x" * 99 + " yz", "x" * 99),
        ("x" * 200, "x" * 100),
    ],
)
def test_a_name_gives_this_slug(name, slug):
    assert make_slug(name) == slug


@given(st.text(max_size=300))
def test_a_name_gives_a_slug_or_nothing(name):
    slug = make_slug(name)

    assert not slug or is_slug(slug)
    assert len(slug) <= SLUG_LENGTH_MAX
    assert make_slug(slug) == slug
