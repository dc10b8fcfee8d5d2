"""What is called by a name is called by what is seen of it."""

import pytest

from weighbridge.core.identity import find_unseen_character, problem_of_name


@pytest.mark.parametrize(
    "text",
    [
        "Kiln 1",
        "Waage Süd",
        "Ⅳ. Öfen, 2½ t",
        "炭化炉",
        "مخزن الفحم",
        "\u0645\u06cc\u200c\u062e\u0648",  # Persian needs the joiner that keeps letters apart
        "क्\u200dष",  # and Hindi the one that keeps them together
        "e\u0301te\u0301",
        "no\u00a0break",
        "🌱",
        "👩\u200d🌾",
        "",
    ],
)
def test_what_is_seen_is_taken(text):
    assert find_unseen_character(text) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Kiln\u200b1", "U+200B"),
        ("Kil\u200dn", "U+200D"),
        ("\u200cKiln", "U+200C"),
        ("ک\u200c", "U+200C"),
        ("Kiln \u202e1", "U+202E"),
        ("Kiln\u2066", "U+2066"),
        ("Kiln\u200f", "U+200F"),
        ("\ufeffKiln", "U+FEFF"),
        ("Ki\u00adln", "U+00AD"),
        ("Kiln\u2060", "U+2060"),
        ("Kiln\U000e0041", "U+E0041"),
        ("Kiln\u3164", "U+3164"),
        ("Kiln\u2800", "U+2800"),
        ("Kiln\ufe00", "U+FE00"),
        ("Kiln\ue000", "U+E000"),
        ("Kiln\n1", "U+000A"),
        ("Kiln\x00", "U+0000"),
        ("Kiln\u2028", "U+2028"),
    ],
)
def test_what_is_not_seen_is_refused_by_its_code(text, code):
    assert find_unseen_character(text) == code


def test_the_refusal_says_which_character_and_what_to_do():
    problem = problem_of_name("Kiln\u200b1", "A location", "location.name")

    assert problem.message == "location.name holds U+200B, a character that is not seen; leave it out."
    assert (problem.field, problem.code) == ("location.name", "invalid")
