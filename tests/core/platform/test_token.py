"""An API token is a secret text that names itself and carries a checksum."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.platform.permission import (
    ALPHABET,
    LIFETIME_DAYS_DEFAULT,
    LIFETIMES_DAYS,
    account_of_token,
    assemble_token,
    hash_token,
    is_well_formed,
)

randoms = st.text(ALPHABET, min_size=32, max_size=32)


accounts = st.integers(1, 2**31 - 1)
# A token of the form of 1.0.0, and one that names its account.
EARLIER = "wb_live_000000000000000000000000000000002wjyrI"
TOKEN = assemble_token(1, "0" * 32)


@given(accounts, randoms)
def test_a_token_is_well_formed_and_names_its_account(account, random):
    token = assemble_token(account, random)

    assert token.startswith("wb_live_")
    assert token[-38:-6] == random
    assert is_well_formed(token)
    assert account_of_token(token) == account


def test_a_token_from_before_accounts_were_named_is_well_formed_and_names_none():
    assert is_well_formed(EARLIER)
    assert account_of_token(EARLIER) is None


@given(accounts, randoms, st.integers(8, 51), st.sampled_from(ALPHABET))
def test_a_token_with_one_wrong_character_is_not_well_formed(account, random, place, character):
    token = assemble_token(account, random)
    wrong = token[:place] + character + token[place + 1 :]

    assert wrong == token or len(wrong) > len(token) or not is_well_formed(wrong)


@given(accounts, randoms, st.integers(8, 50))
def test_a_token_with_two_neighbours_swapped_is_not_well_formed(account, random, at):
    token = assemble_token(account, random)
    swapped = token[:at] + token[at + 1 : at + 2] + token[at : at + 1] + token[at + 2 :]

    assert swapped == token or not is_well_formed(swapped)


@pytest.mark.parametrize(
    "text",
    ["", "wb_live_", "wb_live_" + "0" * 38, "wb_live_1_" + "0" * 38, TOKEN[8:], TOKEN + "0", TOKEN[:-1],
     "WB_LIVE_" + TOKEN[8:], " " + TOKEN, TOKEN + "\n", TOKEN.replace("_1_", "_01_"), EARLIER + "0",
     EARLIER[:-1]],
)  # fmt: skip
def test_this_is_not_well_formed(text):
    assert not is_well_formed(text)


@pytest.mark.parametrize("random", ["", "0" * 31, "0" * 33, "0" * 31 + "-", "0" * 31 + "ü"])
def test_only_the_right_characters_make_a_token(random):
    with pytest.raises(ValueError, match="32 characters of the alphabet"):
        assemble_token(1, random)


def test_what_is_stored_is_the_hash():
    token = assemble_token(1, "0" * 32)

    assert hash_token(token) == hashlib.sha256(token.encode()).digest()
    assert hash_token(token) != hash_token(assemble_token(1, "1" * 32))


def test_lifetimes_are_those_of_the_interface():
    assert LIFETIMES_DAYS == (30, 60, 90, 180, 365)
    assert LIFETIME_DAYS_DEFAULT == 90
