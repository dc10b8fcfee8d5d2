"""Draws are counter-based: the number of an effect in a trial follows from seed, effect and trial alone.

So any block of trials can be drawn by itself, by any process and in any order, and an effect has the same
draws whatever else is drawn (JCGM 101:2008, 7.3.1, asks for values at random from the distributions of the
input quantities; C.3 for a generator that passes the tests of its field).

The generator is Philox4x64-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3; SC11, 2011),
which NumPy computes on whole numbers; the tests hold it against the published answers. What goes in:

    key        the seed, and the first 8 bytes of the SHA-256 of the effect's name
    counter    the number of the trial divided by four, the next 16 bytes of the SHA-256, and zero

One call gives four words, for four trials. The upper 52 bits k of a word make the rectangular draw
(2 k + 1) / 2^53: exact, never 0 or 1, and as often below as above one half.

Invariants: a block of trials has the same draws as the same trials of any other block; two names have draws
that are independent of one another.
"""

import hashlib
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.float64]
"""Numbers, one for each trial; of several elements, a row for each."""

SEED_MAX: Final = 2**64 - 1
"""The largest seed; the smallest is 0."""

TRIALS_OF_A_CALL: Final = 4
"""Trials that one call of the generator serves: blocks that begin at a multiple of it waste nothing."""

_SMALLEST: Final = 2.0**-53
_COUNTER_BITS: Final = 256
_WORD: Final = 2**64 - 1


def draw_rectangular(seed: int, effect: str, first: int, count: int) -> Column:
    """Draw an effect for trials from `first` on, each in (0, 1)."""
    words = draw_words(seed, effect, first, count)
    odd = (words >> np.uint64(11)) | np.uint64(1)
    return odd.astype(np.float64) * _SMALLEST


def draw_words(seed: int, effect: str, first: int, count: int) -> NDArray[np.uint64]:
    """Return the words of the generator for an effect, one of 64 bits for each trial."""
    name_key, name_counter = _hash_effect(effect)
    group, skipped = divmod(first, TRIALS_OF_A_CALL)
    # NumPy counts one on before its first call.
    start = ((name_counter << 64) + group - 1) % 2**_COUNTER_BITS
    generator = np.random.Philox(counter=_split_words(start, 4), key=_split_words(name_key << 64 | seed, 2))
    words: NDArray[np.uint64] = generator.random_raw(skipped + count)
    return words[skipped:]


@lru_cache(maxsize=100_000)
def _hash_effect(effect: str) -> tuple[int, int]:
    """The parts of the key and of the counter that an effect's name makes."""
    digest = hashlib.sha256(effect.encode()).digest()
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:24], "little")


def _split_words(number: int, count: int) -> NDArray[np.uint64]:
    """A whole number as words of 64 bits, the lowest first."""
    return np.array([number >> 64 * index & _WORD for index in range(count)], dtype=np.uint64)
