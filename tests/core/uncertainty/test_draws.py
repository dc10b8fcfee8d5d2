"""Draws follow from seed, effect and trial alone, by a generator that gives its published answers."""

import hashlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.uncertainty import draws
from weighbridge.core.uncertainty.draws import SEED_MAX, draw_rectangular, draw_words

# Philox4x64-10 by its definition (Salmon et al., SC11, 2011, section 4.3), on Python's whole numbers.

WORD = 2**64 - 1
MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
WEYL = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B


def philox(counter, key):
    (a, b, c, d), (k0, k1) = counter, key
    for _ in range(10):
        left, right = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b, c, d = (right >> 64) ^ b ^ k0, right & WORD, (left >> 64) ^ d ^ k1, left & WORD
        k0, k1 = (k0 + WEYL[0]) & WORD, (k1 + WEYL[1]) & WORD
    return a, b, c, d


KNOWN_ANSWERS = (
    ("0 0 0 0", "0 0", "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b"),
    (
        " ".join(["f" * 16] * 4),
        " ".join(["f" * 16] * 2),
        "87b092c3013fe90b 438c3c67be8d0224 9cc7d7c69cd777b6 a09caebf594f0ba0",
    ),
    (
        "243f6a8885a308d3 13198a2e03707344 a4093822299f31d0 082efa98ec4e6c89",
        "452821e638d01377 be5466cf34e90c6c",
        "a528f45403e61d95 38c72dbd566e9788 a5a1610e72fd18b5 57bd43b5e52b7fe6",
    ),
)
"""Counter, key and answer of philox4x64 with 10 rounds in `tests/kat_vectors` of Random123 1.09."""


def read_words(text):
    return tuple(int(word, 16) for word in text.split())


def test_the_generator_gives_its_published_answers(subtests):
    for counter, key, answer in map(lambda row: tuple(map(read_words, row)), KNOWN_ANSWERS):  # noqa: C417
        with subtests.test(counter):
            before = (sum(word << 64 * place for place, word in enumerate(counter)) - 1) % 2**256
            generator = np.random.Philox(
                counter=draws._split_words(before, 4),
                key=draws._split_words(key[0] | key[1] << 64, 2),
            )

            assert philox(counter, key) == answer
            assert tuple(map(int, generator.random_raw(4))) == answer


seeds = st.integers(0, SEED_MAX)


@given(seeds, st.text(max_size=20), st.integers(0, 2**40), st.integers(1, 12))
def test_a_draw_is_the_word_of_its_trial(seed, effect, first, count):
    digest = hashlib.sha256(effect.encode()).digest()
    key, low, high = (int.from_bytes(digest[start : start + 8], "little") for start in (0, 8, 16))
    words = [
        philox((trial // 4, low, high, 0), (seed, key))[trial % 4] for trial in range(first, first + count)
    ]

    assert list(draw_words(seed, effect, first, count)) == words


@given(seeds, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), max_size=5))
def test_a_block_has_the_draws_of_the_same_trials_in_any_other(seed, blocks):
    whole = draw_rectangular(seed, "scale", 0, 120)

    for first, count in blocks:
        assert list(draw_rectangular(seed, "scale", first, count)) == list(whole[first : first + count])


@given(st.integers(0, 2**64 - 1))
def test_a_rectangular_draw_is_exact_and_never_at_an_end(word):
    odd = 2 * (word >> 12) + 1

    assert 0 < odd < 2**53
    assert float(odd) == odd


def test_rectangular_draws_are_spread_evenly():
    drawn = draw_rectangular(1, "scale", 0, 100_000)

    counts = np.histogram(drawn, bins=20, range=(0, 1))[0]

    assert drawn.min() > 0
    assert drawn.max() < 1
    assert float(((counts - 5_000) ** 2 / 5_000).sum()) < 43.8, "chi-squared of 19 degrees, 1 in 1,000"


def test_two_effects_and_two_seeds_are_independent():
    drawn = [draw_rectangular(seed, name, 0, 100_000) for seed, name in [(1, "a"), (1, "b"), (2, "a")]]

    coefficients = np.corrcoef(drawn)

    assert abs(coefficients - np.eye(3)).max() < 0.013, "four standard errors"
