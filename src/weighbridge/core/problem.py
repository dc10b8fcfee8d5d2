"""A problem is one thing that is wrong with what a caller sent, said in a full sentence.

Checks return problems instead of raising, so that a caller learns of all of them at once.

Invariants: the message is never empty; `field` is the path of the offending field in the request (dotted,
with indexes), `code` is a word of the catalogue (`error_code`) that a program may switch on, `records` are
the ids of what is in the way, and `type` and `id` name the record that was asked for and is not there.
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
    type: str | None = None
    id: str | None = None


def bounded(problems: Sequence[Problem], most: int) -> list[Problem]:
    """The first problems and, when there are more, one that says so: nobody takes them for all."""
    if len(problems) <= most:
        return [*problems]
    return [*problems[:most], Problem(f"More is wrong; these are the first {most:,} problems.", None, "more")]
