"""A rule of the books: in words, with the statement that finds the records which break it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import LiteralString

from weighbridge.accounting.batches.queries import batch_id
from weighbridge.accounting.ledgers.queries import ledger_id


@dataclass(frozen=True, slots=True)
class Rule:
    """What must hold, a sentence about what does not, and the statement that finds it."""

    words: str
    sentence: str
    """With {id}, {found} and {wanted}."""
    statement: LiteralString
    """Gives project, record, what was found, what was expected."""
    name: Callable[[int, int], str] = batch_id
    """How the record is named."""


def of_ledger(words: str, sentence: str, statement: LiteralString) -> Rule:
    """A rule whose violations name ledgers."""
    return Rule(words, sentence, statement, ledger_id)
