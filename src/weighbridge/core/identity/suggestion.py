"""A suggestion is the known name that an unknown one most resembles: what was meant, most likely.

Invariants: nothing is suggested that is not among the known names; the work is bounded, however long the
name is that came, however many are known, and however many unknown ones one answer speaks of.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from heapq import nsmallest
from itertools import islice
from typing import Final

NAME_LENGTH_READ_MAX: Final = 40
"""Characters of an unknown name for which a known one is looked for."""

NAMES_READ_MAX: Final = 1_000
"""Known names that are looked at; those of the most similar length are compared."""

NAMES_COMPARED_MAX: Final = 100
"""Known names that an unknown one is compared with."""

SUGGESTIONS_MAX: Final = 10
"""Unknown names of one answer after which no known names are looked for any more."""

NAMES_SHOWN_MAX: Final = 8
"""Known names that a message lists before it counts the others."""

_RESEMBLANCE: Final = 3 / 4
"""The least part that two names have in common: one slip in a name of four letters."""


@dataclass(slots=True)
class _Allowance:
    """How many unknown names of an answer may still be compared."""

    left: int = SUGGESTIONS_MAX


_allowance: ContextVar[_Allowance | None] = ContextVar("suggestions", default=None)


@contextmanager
def few_suggestions() -> Iterator[None]:
    """Within, all that is asked for belongs to one answer; what is within another belongs to that one."""
    if _allowance.get() is not None:
        yield
        return
    token = _allowance.set(_Allowance())
    try:
        yield
    finally:
        _allowance.reset(token)


def find_nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is nearest, None when none is near; `startTime` is `start_time` after all."""
    if len(name) > NAME_LENGTH_READ_MAX:
        return None
    if (allowance := _allowance.get()) is not None:
        if not allowance.left:
            return None
        allowance.left -= 1
    others = (one for one in islice(known, NAMES_READ_MAX) if one != name)
    likely = nsmallest(NAMES_COMPARED_MAX, others, key=lambda one: abs(len(one) - len(name)))
    plain = {_simplify(one): one for one in likely}
    close = get_close_matches(_simplify(name), plain, 1, _RESEMBLANCE)
    return plain[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str], problems_before: int = 0) -> str:
    """What a message says behind an unknown name; nothing when none is near, or after many problems."""
    meant = find_nearest(name, known) if problems_before < SUGGESTIONS_MAX else None
    return f" (did you mean {meant}?)" if meant else ""


def list_briefly(names: Collection[str]) -> str:
    """Names one after the other, as many as a message lists, and how many there are besides."""
    shown = ", ".join(islice(names, NAMES_SHOWN_MAX))
    more = len(names) - NAMES_SHOWN_MAX
    return f"{shown} and {more:,} more" if more > 0 else shown


def _simplify(name: str) -> str:
    """The name without case, hyphens and underscores, of a length that is quickly compared."""
    return name[:NAME_LENGTH_READ_MAX].lower().replace("_", "").replace("-", "")
