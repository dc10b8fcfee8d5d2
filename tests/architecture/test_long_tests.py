"""Long tests have a target of their own; their list is true, and leaves invariants to short ones."""

from tests.architecture.source import ROOT
from tools.long_tests import CASES_SECONDS_MAX, INVARIANT_SECONDS_MAX, LAST, LONG_TESTS, find_long

NAMED = "tests/accounting/batch_generations/test_meters.py"
"""A file that the table of invariants names."""


def test_every_long_test_is_there():
    for line in LONG_TESTS.read_text().splitlines():
        if not line.startswith("#"):
            file, _, function = line.partition("::")

            assert f"def {function}(" in (ROOT / file).read_text(), line


def test_a_test_is_long_by_one_case_or_by_all_of_them():
    seconds = {
        "tests/a.py::test_slow": [0.1, 2.0],
        "tests/a.py::test_many": [0.1] * 90,
        "tests/a.py::test_b": [1],
    }

    assert sum(seconds["tests/a.py::test_many"]) > CASES_SECONDS_MAX
    assert find_long(seconds) == {"tests/a.py::test_slow", "tests/a.py::test_many"}


def test_of_a_file_that_shows_an_invariant_the_quickest_test_stays_unless_it_takes_very_long():
    slow, slower = f"{NAMED}::test_slow", f"{NAMED}::test_slower"

    assert find_long({slow: [3.0], slower: [4.0]}) == {slower}
    assert find_long({slow: [3.0], slower: [INVARIANT_SECONDS_MAX + 1]}) == {slower}
    assert find_long({slow: [INVARIANT_SECONDS_MAX + 1]}) == {slow}


def test_what_looks_at_the_data_of_all_other_tests_is_never_long():
    assert find_long({LAST: [60.0]}) == set()
