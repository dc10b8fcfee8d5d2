"""A rule of the books: in words, with the statement that finds the records which break it."""

from dataclasses import dataclass
from typing import LiteralString


@dataclass(frozen=True, slots=True)
class Rule:
    """What must hold, a sentence about what does not, and the statement that finds it."""

    words: str
    sentence: str
    """With {id}, {found} and {wanted}."""
    statement: LiteralString
    """Gives project, record, what was found, what was expected."""
    kind: str = "batch"
    """What the record is, by which its id is made."""


def of_ledger(words: str, sentence: str, statement: LiteralString) -> Rule:
    """A rule whose violations name ledgers."""
    return Rule(words, sentence, statement, "ledger")
