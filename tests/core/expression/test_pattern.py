"""Patterns: the regular expressions of `matches`, which never run away."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.expression.pattern import STATES_MAX, PatternError, compile_pattern


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("wood", "softwood chips", "straw"),
        ("^wood", "wood chips", "softwood"),
        ("wood$", "softwood", "wood chips"),
        ("^$", "", "x"),
        ("^B-[0-9]{4}$", "B-2025", "B-25"),
        (r"^\d{2,3}\s\w+$", "12 kilns", "1 kiln"),
        ("colou?r", "color", "colr"),
        ("^(ab|cd)+$", "abcdab", "abc"),
        ("[^a-c]", "abcd", "abc"),
        (r"a\.b", "a.b", "axb"),
        ("^a{0}b", "b", "ab"),
        (r"^[\d-]+$", "1-2", "1+2"),
        (r"\S\D\W", "a-+", "a11"),
        ("a|", "", None),
    ],
)
def test_a_pattern_matches(pattern, matching, other):
    assert compile_pattern(pattern).search(matching)
    assert other is None or not compile_pattern(pattern).search(other)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(", "a parenthesis is not closed"),
        (")", "no opening one"),
        ("[a", "a bracket is not closed"),
        ("[]a]", "a bracket is empty"),
        ("*a", r"the \* repeats nothing"),
        ("a**", "a repetition is repeated"),
        ("a{2", "a count in braces"),
        ("a{5,2}", "out of order"),
        ("a{51}", "beyond 50"),
        (r"(a)\1", r"\\1 is not known"),
        ("(?=a)", r"starts with \? is not known"),
        ("\\", "is not known"),
        ("a" * 201, "at most 200 characters"),
        ("(" * 21 + ")" * 21, "nested deeper than 20"),
        ("((a{50}){50}){50}", f"more than {STATES_MAX} states"),
    ],
)
def test_a_pattern_that_cannot_be_read_is_refused(pattern, reason):
    with pytest.raises(PatternError, match=reason):
        compile_pattern(pattern)


def test_a_pattern_that_makes_others_run_away_is_answered_at_once():
    assert not compile_pattern("^(a+)+$").search("a" * 5_000 + "b")


PARTS = [
    "a",
    "b",
    ".",
    "[ab]",
    "[^a]",
    "^",
    "$",
    "(",
    "|",
    ")",
    "*",
    "+",
    "?",
    "{2}",
    "{1,3}",
    "{0,}",
    r"\d",
    r"\w",
]


@given(st.lists(st.sampled_from(PARTS), max_size=7).map("".join), st.text(alphabet="ab1", max_size=6))
def test_a_pattern_means_what_python_means_by_it(pattern, text):
    try:
        own, other = compile_pattern(pattern), re.compile(pattern)
    except (PatternError, re.error):
        return
    assert own.search(text) is bool(other.search(text))
