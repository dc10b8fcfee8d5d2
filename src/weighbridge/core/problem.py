"""A problem is one thing that is wrong with what a caller sent, said in a full sentence.

Checks return problems instead of raising, so that a caller learns of all of them at once.

Invariants: the message is never empty; `field` names the offending field of the request (dotted,
with indexes), `code` is a word a program may switch on, and `records` are the ids of what is in the way.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal: the sentence a person reads, the field, the code and the records a program reads."""

    message: str
    field: str | None = None
    code: str | None = None
    records: tuple[str, ...] = ()


def bounded(problems: Sequence[Problem], most: int) -> list[Problem]:
    """The first problems and, when there are more, one that says so: nobody takes them for all."""
    if len(problems) <= most:
        return [*problems]
    return [*problems[:most], Problem(f"More is wrong; these are the first {most:,} problems.", None, "more")]
