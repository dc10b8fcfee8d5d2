"""No regular expression of the package takes more time for a text than its length asks for."""

import time

import pytest
from tests.architecture.patterns import AT_ONE_PLACE, disliked, used_patterns

SIZES = (60, 2_000, 16_000)
LONG = 1_000_000
SECONDS_OF_SHORT = 0.05
SECONDS_OF_LONG = 1.5


@pytest.fixture(scope="module")
def used():
    """All patterns: to find them takes all files, which only who runs these tests shall read."""
    return [*used_patterns()]


def test_patterns_are_found(used):
    assert len(used) > 80


def seconds(pattern, method, text, allowed):
    """What one call takes; tried again where that is much, as a collection of garbage may fall into it."""
    took = try_once(pattern, method, text)
    for _ in range(2):
        if took < allowed:
            break
        took = min(took, try_once(pattern, method, text))
    return took


def try_once(pattern, method, text):
    asked = getattr(pattern, method)
    began = time.thread_time()
    if method in {"sub", "subn"}:
        asked("" if isinstance(text, str) else b"", text)
    elif method == "finditer":
        for _ in asked(text):
            pass
    else:
        asked(text)
    return time.thread_time() - began


def test_a_pattern_takes_time_by_the_length_of_a_text_and_no_more(used, subtests):
    for one in used:
        with subtests.test(one.place):
            check_time(one)


def check_time(used):
    methods = sorted(used.methods - AT_ONE_PLACE) or sorted(used.methods)
    method = methods[0]
    slowest, least = "", 0.0
    for size in SIZES:
        for text in disliked(used.pattern, size):
            took = seconds(used.pattern, method, text, SECONDS_OF_SHORT)
            assert took < SECONDS_OF_SHORT, (
                f"{method} of {used.pattern.pattern!r}: {took:.2f} s, {text[:60]!r}"
            )
            if size == SIZES[-1] and took >= least:
                slowest, least = text[:-1][:200], took
    unit = slowest or next(disliked(used.pattern, 200))
    long = unit * (LONG // max(1, len(unit)))
    assert seconds(used.pattern, method, long, SECONDS_OF_LONG) < SECONDS_OF_LONG
