"""What an answer of the service means for the readings of a batch.

- 201: they are there.
- 400 and 422 that name readings: those with the code `taken` are there, unless the code `differs` says that
  they are there with other values; these and the other ones that are named are refused, and the rest is sent
  again at once.
- 400 and 422 that name none, and 413: they are sent again in halves; one alone is refused.
- 401, 403 and 404: they are sent again later, for the token or the project is wrong, not they.
- none, and every other one: they are sent again later.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import msgspec

CREATED: Final = 201
TOO_LARGE: Final = 413
REFUSALS: Final = frozenset({400, 413, 422})
TAKEN: Final = "taken"
DIFFERS: Final = "differs"
SHOWN_MAX: Final = 300
"""Characters of an answer that is none of the service's which a message shows."""

_EVENT: Final = re.compile(r"events\[(\d+)\]")


class Next(Enum):
    """What the sender does then."""

    GO_ON = "go on"
    HALVE = "send fewer"
    WAIT = "wait and send the same again"


class AnswerProblem(msgspec.Struct, frozen=True):
    """One thing that the service says is wrong."""

    message: str
    field: str | None = None
    code: str | None = None


class _Body(msgspec.Struct, frozen=True):
    errors: list[AnswerProblem]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Which readings of the batch, by their places, are there or refused, and what to do next."""

    next: Next
    there: Sequence[int] = ()
    refused: Mapping[int, str] = field(default_factory=dict)
    said: str = ""


def meaning_of(status: int, body: bytes, count: int) -> Meaning:
    """What an answer to a batch of so many readings means."""
    if status == CREATED:
        return Meaning(Next.GO_ON, range(count))
    problems = _problems(body)
    said = " ".join(one.message for one in problems[:3]) or body[:SHOWN_MAX].decode(errors="replace")
    if status not in REFUSALS or (not problems and status != TOO_LARGE):
        return Meaning(Next.WAIT, said=f"The service answers {status}: {said}")
    there, refused = _by_event(problems, count)
    if there or refused:
        return Meaning(Next.GO_ON, sorted(there), refused, said)
    if count == 1:
        return Meaning(Next.GO_ON, (), {0: said}, said)
    return Meaning(Next.HALVE, said=said)


def _by_event(problems: Sequence[AnswerProblem], count: int) -> tuple[set[int], dict[int, str]]:
    """The places of readings that the project has, and the reasons of those that are refused."""
    taken: set[int] = set()
    differing: set[int] = set()
    reasons: dict[int, list[str]] = {}
    for problem in problems:
        named = _EVENT.match(problem.field or "")
        if named is None or int(named[1]) >= count:
            continue
        place = int(named[1])
        if problem.code == TAKEN and (problem.field or "").endswith(".client_reference"):
            taken.add(place)
        else:
            reasons.setdefault(place, []).append(problem.message)
            if problem.code == DIFFERS:
                differing.add(place)
    there = taken - differing
    return there, {place: " ".join(said) for place, said in reasons.items() if place not in there}


def _problems(body: bytes) -> list[AnswerProblem]:
    try:
        return msgspec.json.decode(body, type=_Body).errors
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []
