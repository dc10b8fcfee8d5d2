"""Words for people: a number with its noun, in one place for all pages."""

import re
from pathlib import Path

import pytest

from weighbridge.web.display.figures import noun, plural
from weighbridge.web.framework import rendering


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 batches"), (1, "1 batch"), (2, "2 batches"), (12_345, "12\u202f345 batches")]
)
def test_a_number_stands_with_its_noun(count, said):
    assert plural(count, "batch", "batches") == said


@pytest.mark.parametrize(("count", "said"), [(0, "alerts"), (1, "alert"), (100, "alerts")])
def test_a_noun_stands_alone_where_its_number_is_shown_otherwise(count, said):
    assert noun(count, "alert") == said


def test_no_page_makes_plurals_of_its_own():
    folder = Path(rendering.__file__).parent / "templates"
    own = re.compile(r'"s" if |else "s"|== 1 else "[a-z]+s"|\|length \}\} [a-z]+s\b')

    found = {
        f"{path.relative_to(folder)}: {match[0]}"
        for path in folder.rglob("*.html")
        for match in own.finditer(path.read_text())
    }

    assert found == set()
