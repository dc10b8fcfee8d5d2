"""Writes which tests are long, from the times of a whole run: `make test` leaves them to `make test-long`.

A test is long when one of its cases took more than CASE_SECONDS_MAX, or all of them together more than
CASES_SECONDS_MAX. Of each file that the table of invariants names, the quickest test is never long, unless it
took more than INVARIANT_SECONDS_MAX: nearly every invariant is tested by `make test`, and all are by both.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from cyclopts import App

ROOT: Final = Path(__file__).parents[1]
LONG_TESTS: Final = ROOT / "tests" / "long_tests.txt"
INVARIANTS: Final = ROOT / "docs" / "reference" / "invariants.md"

CASE_SECONDS_MAX: Final = 1.5
CASES_SECONDS_MAX: Final = 8.0
INVARIANT_SECONDS_MAX: Final = 10.0

LAST: Final = (
    "tests/verification/test_recomputation.py::test_whatever_else_the_tests_of_this_run_have_made_recomputes"
)
"""Never long: it takes as long as there is data of other tests to look at."""

HEADING: Final = """\
# The tests that `make test` leaves to `make test-long`, by file and function. `make long-tests` writes this
# list from the times of a whole run; `tools/long_tests.py` has the rule.
"""

_OF_INVARIANTS: Final = re.compile(r"`([a-z0-9_/]{1,99}/test_[a-z0-9_]{1,99}\.py)`")

Seconds = Mapping[str, list[float]]

app = App(help=__doc__)


@app.default
def main(*runs: Path) -> None:
    """Write the list from the files that `pytest --junitxml` wrote; all runs together had every test."""
    seconds = read_seconds(runs)
    LONG_TESTS.write_text(HEADING + "".join(f"{name}\n" for name in sorted(find_long(seconds))))


def read_seconds(runs: tuple[Path, ...]) -> Seconds:
    """The seconds of each case that ran, by file and function."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for run in runs:
        for case in ET.parse(run).iter("testcase"):  # noqa: S314 - written by our own run
            if case.find("skipped") is None:
                file = case.attrib["classname"].replace(".", "/")
                function = case.attrib["name"].partition("[")[0]
                seconds[f"{file}.py::{function}"].append(float(case.attrib["time"]))
    return seconds


def find_long(seconds: Seconds) -> set[str]:
    """Which tests are long."""
    long = {
        name
        for name, cases in seconds.items()
        if max(cases) > CASE_SECONDS_MAX or sum(cases) > CASES_SECONDS_MAX
    }
    return long - {LAST, *_choose_kept(seconds, long)}


def _choose_kept(seconds: Seconds, long: set[str]) -> Iterator[str]:
    """The quickest tests of files that are named for invariants and have long tests alone."""
    by_file = defaultdict(list)
    for name in seconds:
        by_file[name.partition("::")[0]].append(name)
    for named in set(_OF_INVARIANTS.findall(INVARIANTS.read_text())):
        tests = by_file.get(f"tests/{named}", [])
        if tests and long.issuperset(tests):
            quickest = min(tests, key=lambda name: sum(seconds[name]))
            if sum(seconds[quickest]) <= INVARIANT_SECONDS_MAX:
                yield quickest


if __name__ == "__main__":
    app()
