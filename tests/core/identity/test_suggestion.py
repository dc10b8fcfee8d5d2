"""A suggestion is the known name that was meant; the work for one answer is bounded."""

from collections.abc import Iterator

from weighbridge.core.identity import (
    NAME_LENGTH_READ_MAX,
    NAMES_READ_MAX,
    SUGGESTIONS_MAX,
    did_you_mean,
    few_suggestions,
    find_nearest,
)


def test_the_nearest_known_name_is_suggested_whatever_its_case_and_hyphens():
    assert find_nearest("startTime", ["end_time", "start_time"]) == "start_time"
    assert did_you_mean("wet_mas", ["dry_mass", "wet_mass"]) == " (did you mean wet_mass?)"
    assert find_nearest("moisture", ["dry_mass", "wet_mass"]) is None


def test_nothing_is_looked_for_for_a_long_name():
    name = "a" * NAME_LENGTH_READ_MAX
    assert find_nearest(name, [name[:-1] + "b"]) is not None
    assert find_nearest(name + "a", [name]) is None


def test_of_many_known_names_the_likely_ones_are_compared():
    known = [f"node_{number}_of_another_length_than_the_other" for number in range(400)]
    assert find_nearest("wet_mas", [*known, "wet_mass"]) == "wet_mass"


def test_no_more_known_names_are_read_than_a_document_may_have():
    read = []

    def known() -> Iterator[str]:
        for number in range(10 * NAMES_READ_MAX):
            read.append(number)
            yield f"name_{number}"

    find_nearest("wet_mass", known())
    assert len(read) == NAMES_READ_MAX


def test_one_answer_has_few_suggestions_however_many_names_are_unknown():
    with few_suggestions():
        hints = [find_nearest(f"wet_mas{number}", ["wet_mass"]) for number in range(1_000)]
        with few_suggestions():  # a part of the same answer
            assert find_nearest("wet_mas", ["wet_mass"]) is None
    assert hints[:SUGGESTIONS_MAX] == ["wet_mass"] * SUGGESTIONS_MAX
    assert not any(hints[SUGGESTIONS_MAX:])
    assert find_nearest("wet_mas", ["wet_mass"]) == "wet_mass"
