"""How a call is carried out: sent, sent again where that is safe, and its answer read.

A flow is a generator that asks for one thing at a time, to send a request or to pause, and is told what came
of it. What runs a flow decides how it waits: `waiting.py` blocks, `awaiting.py` awaits. The rules stand here.

Invariant: a request that may have arrived is sent again only where that has no second effect: a reading one,
or one with an idempotency key, which stays the same through all attempts.
"""

import random
from collections.abc import Generator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Final, TypeVar
from uuid import uuid4

import msgspec

from weighbridge.client.call import Call
from weighbridge.client.errors import Unreachable, UnreadableAnswer, refusal
from weighbridge.client.values import read

T = TypeVar("T")

ATTEMPTS_MAX: Final = 8
"""How often a call is sent at most."""
PAUSE_SECONDS_MAX: Final = 60.0
"""The longest pause between two attempts, unless the service asks for a longer one."""
FIRST_PAUSE_SECONDS: Final = 0.5
BUSY: Final = frozenset({408, 429, 502, 503, 504})
"""Answers after which the same request may succeed later."""
IN_PROGRESS: Final = 409
"""With `Retry-After`: the first request of the same key is still under way."""


@dataclass(frozen=True, slots=True)
class Send:
    """Asks for a request to be sent."""

    call: Call[Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """Asks for time to pass."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Received:
    """What came back: `status` 0 stands for no answer, with the reason in `content`."""

    status: int
    content: bytes
    retry_after: str | None = None

    @property
    def success(self) -> bool:
        """Whether the service did what it was asked."""
        return 200 <= self.status < 300


_NOTHING: Final = Received(0, b"nothing was said of what came back")

Flow = Generator[Send | Pause, Received | None, T]


def carried_out(call: Call[T]) -> Flow[T]:
    """What a call comes to.

    Raises Refused for what the service refuses, Unreachable when it does not answer.
    """
    if call.takes_key and call.key is None:
        call = replace(call, key=str(uuid4()))
    for attempt in count(1):
        answer = (yield Send(call)) or _NOTHING
        if answer.success:
            return _read(call, answer)
        if attempt == ATTEMPTS_MAX or not _worth_repeating(call, answer):
            break
        yield Pause(_pause(attempt, answer.retry_after))
    if answer.status == 0:
        reason = answer.content.decode()
        raise Unreachable(f"{call.method} {call.path} was not answered: {reason}")
    raise refusal(answer.status, answer.content)


def _worth_repeating(call: Call[Any], answer: Received) -> bool:
    if answer.status == 429:
        return answer.retry_after is not None
    if answer.status == IN_PROGRESS:
        return call.takes_key and answer.retry_after is not None
    return call.repeatable and (answer.status == 0 or answer.status in BUSY)


def _pause(attempt: int, retry_after: str | None) -> float:
    """Seconds: as many as the service asks for, else twice as many each time; spread, so callers part."""
    asked = float(retry_after) if retry_after is not None and retry_after.isdecimal() else None
    grown = min(FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), PAUSE_SECONDS_MAX)
    return (grown if asked is None else max(asked, FIRST_PAUSE_SECONDS)) * random.uniform(1, 1.25)  # noqa: S311


def _read(call: Call[T], answer: Received) -> T:
    if call.kind is None:
        return None  # type: ignore[return-value]
    if call.kind is bytes:
        return answer.content  # type: ignore[return-value]
    if call.kind is str:
        return answer.content.decode()  # type: ignore[return-value]
    try:
        record: T = read(answer.content, call.kind)
    except msgspec.DecodeError as error:
        raise UnreadableAnswer(
            f"{call.method} {call.path} was answered with something else than expected: {error}"
        ) from error
    return record
