"""An invariant of the books: in words, with the statement that finds the records which break it."""

from dataclasses import dataclass
from typing import LiteralString


@dataclass(frozen=True, slots=True)
class Invariant:
    """What must hold, a sentence about what does not, and the statement that finds it."""

    words: str
    sentence: str
    """With {id}, {actual} and {expected}."""
    statement: LiteralString
    """Gives project, record, what is there, what was expected."""
    kind: str = "batch"
    """What the record is, by which its id is made."""


def ledger_invariant(words: str, sentence: str, statement: LiteralString) -> Invariant:
    """An invariant whose violations name ledgers."""
    return Invariant(words, sentence, statement, "ledger")
