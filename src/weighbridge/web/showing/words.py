"""Words for people: names of codes, plurals, short ids."""

from typing import Final

_LETTERS_SHOWN: Final = 4
"""Letters of an id that stand in a list, behind its prefix; all of it is copied and shown on hover."""


def short_id(text: str) -> str:
    """An id as a list shows it, `evt_3f2a…`."""
    prefix, separator, rest = text.partition("_")
    if not separator or len(rest) <= _LETTERS_SHOWN + 2:
        return text
    return f"{prefix}_{rest[:_LETTERS_SHOWN]}…"


def spoken(code: object) -> str:
    """A code as words: `waits_for_approval` is waits for approval."""
    return str(code).replace("_", " ").replace("-", " ")


def plural(count: int, one: str, many: str = "") -> str:
    """A number with its noun: 1 batch, 2 batches."""
    return f"{count:,}".replace(",", "\u202f") + f" {noun(count, one, many)}"


def noun(count: int, one: str, many: str = "") -> str:
    """A noun, or a verb, as it stands behind a number: batch behind 1, batches behind any other."""
    return one if count == 1 else many or f"{one}s"
