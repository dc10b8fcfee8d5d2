"""A friendly id is a prefix and 24 hexadecimal digits that lead straight to a key."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.identity import (
    KEY_MAX,
    POSITION_MAX,
    PREFIXES,
    PROJECT_BITS,
    Key,
    Owner,
    make,
    make_packed,
    packed,
    parse,
)

PROJECT_MAX = 2**PROJECT_BITS - 1

kinds = st.sampled_from(sorted(PREFIXES))
keys = st.builds(
    Key,
    st.integers(0, PROJECT_MAX),
    st.integers(0, KEY_MAX),
    st.integers(0, POSITION_MAX),
    st.sampled_from(Owner),
)


@given(kinds, keys)
def test_an_id_leads_back_to_its_key(kind, key):
    assert parse(kind, make(kind, key)) == key


@pytest.mark.parametrize(
    "key",
    [
        Key(0), Key(1), Key(PROJECT_MAX), Key(0, KEY_MAX),
        Key(PROJECT_MAX, KEY_MAX, POSITION_MAX, Owner.BATCH),
        Key(0, 0, 1), Key(0, 0, 0, Owner.BATCH),
    ],
)  # fmt: skip
def test_the_ends_of_every_range_lead_back_to_their_keys(key):
    assert parse("data_point", make("data_point", key)) == key


@given(kinds, st.text("0123456789abcdef", min_size=24, max_size=24))
def test_digits_are_an_id_in_one_way_or_not_at_all(kind, digits):
    key = parse(kind, f"{PREFIXES[kind]}_{digits}")

    assert key is None or make(kind, key) == f"{PREFIXES[kind]}_{digits}"


@given(kinds, st.text(max_size=40))
def test_other_texts_are_no_ids(kind, text):
    key = parse(kind, text)

    assert key is None or make(kind, key) == text


@given(keys, st.integers(0, 23), st.sampled_from("0123456789abcdef"))
def test_a_changed_digit_never_leads_to_the_same_record(key, place, digit):
    text = make("event", key)
    changed = text[: 4 + place] + digit + text[5 + place :]

    assert changed == text or parse("event", changed) != key


@pytest.mark.parametrize(
    "spoil",
    [
        str.upper, lambda text: text + "0", lambda text: text[:-1], lambda text: text[:-1] + "g",
        lambda text: " " + text,
        lambda text: text + "\n", lambda text: text.replace("_", "-"), lambda text: text.replace("_", "__"),
        lambda text: text.replace("evt_", "et_"), lambda text: text.replace("evt_", ""), lambda _: "",
        lambda text: text[:10] + "_" + text[11:], lambda text: text[:-1] + "٣",
    ],
)  # fmt: skip
def test_a_spoiled_id_is_none(spoil):
    text = make("event", Key(7, 12345))[:-1] + "a"

    assert parse("event", spoil(text)) is None


def test_an_id_of_one_prefix_is_none_of_another():
    text = make("event", Key(1, 2))

    assert parse("event_type", text) is None
    assert parse("data_point", text) is None


@given(keys, keys)
def test_different_keys_have_different_ids(one, other):
    assert (make("event", one) == make("event", other)) == (one == other)


@given(st.integers(0, PROJECT_MAX), st.integers(0, KEY_MAX - 1000), st.integers(0, 1000))
def test_ids_of_neighbours_are_made_by_adding(project, key, step):
    value = packed(project, key) + (step << PROJECT_BITS)

    assert make_packed("evt", value) == make("event", Key(project, key + step))


def test_a_known_id_stays_what_it_was():
    assert make("project", Key(1)) == "prj_9e3779b97f4ae2228a25bf2b"
    assert make("event", Key(1, 4096)) == "evt_f2182956654d760ddacaa52c"
    assert make("data_point", Key(1, 4096, 3, Owner.BATCH)) == "in_1aa9a956654d9ebc5acaa52c"
    assert parse("project", "prj_9e3779b97f4ae2228a25bf2b") == Key(1)


def test_prefixes_are_unique_and_hold_small_letters_only():
    assert len(set(PREFIXES.values())) == len(PREFIXES)
    assert set("".join(PREFIXES.values())) <= set(string.ascii_lowercase)
