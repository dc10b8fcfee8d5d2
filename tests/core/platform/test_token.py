"""An API token is a secret text that names itself and carries a checksum."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.platform.permission import (
    ALPHABET,
    LIFETIME_DAYS_DEFAULT,
    LIFETIMES_DAYS,
    assemble_token,
    hash_token,
    is_well_formed,
)

randoms = st.text(ALPHABET, min_size=32, max_size=32)


@given(randoms)
def test_an_assembled_token_is_well_formed(random):
    token = assemble_token(random)

    assert token.startswith(f"wb_live_{random}")
    assert len(token) == 46
    assert is_well_formed(token)


@given(randoms, st.integers(0, 37), st.sampled_from(ALPHABET))
def test_a_token_with_one_wrong_character_is_not_well_formed(random, place, character):
    token = assemble_token(random)
    wrong = token[: 8 + place] + character + token[9 + place :]

    assert wrong == token or not is_well_formed(wrong)


@given(randoms, st.integers(0, 36))
def test_a_token_with_two_neighbours_swapped_is_not_well_formed(random, place):
    token = assemble_token(random)
    at = 8 + place
    swapped = token[:at] + token[at + 1] + token[at] + token[at + 2 :]

    assert swapped == token or not is_well_formed(swapped)


@pytest.mark.parametrize(
    "text",
    ["", "wb_live_", "wb_live_" + "0" * 38, assemble_token("0" * 32)[8:], assemble_token("0" * 32) + "0",
     assemble_token("0" * 32)[:-1],
     "WB_LIVE_" + assemble_token("0" * 32)[8:], " " + assemble_token("0" * 32),
     assemble_token("0" * 32) + "\n"],
)  # fmt: skip
def test_this_is_not_well_formed(text):
    assert not is_well_formed(text)


@pytest.mark.parametrize("random", ["", "0" * 31, "0" * 33, "0" * 31 + "-", "0" * 31 + "ü"])
def test_only_the_right_characters_make_a_token(random):
    with pytest.raises(ValueError, match="32 characters of the alphabet"):
        assemble_token(random)


def test_what_is_stored_is_the_hash():
    token = assemble_token("0" * 32)

    assert hash_token(token) == hashlib.sha256(token.encode()).digest()
    assert hash_token(token) != hash_token(assemble_token("1" * 32))


def test_lifetimes_are_those_of_the_interface():
    assert LIFETIMES_DAYS == (30, 60, 90, 180, 365)
    assert LIFETIME_DAYS_DEFAULT == 90
