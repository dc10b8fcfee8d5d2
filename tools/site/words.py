"""The words that readers search for: times of day are words, and words of others are looked up under ours.

The glossary says both: the column of the standard's word, and its table of the words that others use.
"""

import re
from pathlib import Path
from typing import Final

from sphinx.search.en import SearchEnglish

GLOSSARY: Final = "reference/glossary.md"
OF_OTHERS: Final = "Words of others"
"""The heading of the table whose first column has words that these pages do not use."""

_ROW: Final = re.compile(r"^\| (.+?) \| (.+?) \|(?: (.*) \|| \|)?$")
_NO_WORD: Final = re.compile(r"^(|identifier.*|its .*|ours .*|(wider|narrower)\b.*|.* is (wider|narrower))$")


class WordsAndTimes(SearchEnglish):
    """English, in which 24:00 is one word; `splitQuery` of ranking.js does the same with what is searched."""

    def split(self, input: str) -> list[str]:  # noqa: A002 - the generator's name
        """Give the words of a text."""
        return re.findall(r"\d{1,2}:\d{2}|\w+", input)


def words_of_others(docs: Path) -> list[tuple[str, str]]:
    """Pairs of a word of others and ours, both in lower case, as the glossary of the documents has them."""
    glossary = docs / GLOSSARY
    if not glossary.is_file():
        return []
    pairs: list[tuple[str, str]] = []
    section = ""
    for line in glossary.read_text().splitlines():
        section = line.removeprefix("## ") if line.startswith("## ") else section
        row = _ROW.match(line)
        if row is None or row[1] in {"Word", "Others say"} or set(row[1]) <= {"-"}:
            continue
        ours, others = (row[2], row[1]) if section == OF_OTHERS else (row[1], row[3] or "")
        pairs += [(other, _plain(ours)) for other in _phrases(others) if other != _plain(ours)]
    return pairs


def _phrases(cell: str) -> list[str]:
    """The words in a cell of the glossary, without the standards that they come from."""
    found = re.split(r"[;,]", re.sub(r"\([^)]*\)", "", cell))
    return [_plain(one) for one in found if not _NO_WORD.match(_plain(one))]


def _plain(text: str) -> str:
    return re.sub(r"[\s-]+", " ", text.strip().strip("`").lower())
