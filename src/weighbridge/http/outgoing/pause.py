"""Pauses between tries at one outgoing request: longer each time, and as long as the other side asks for."""

from collections.abc import Awaitable, Callable
from typing import Final

Pause = Callable[[float], Awaitable[object]]
"""Lets so many seconds pass."""

FIRST_SECONDS: Final = 0.5
"""The pause after the first try; it doubles with each further one."""

LONGEST_SECONDS: Final = 60.0
"""The longest pause, unless the other side asks for a longer one."""

ASKED_SECONDS: Final = 600.0
"""The longest pause that the other side may ask for."""

_DOUBLINGS: Final = 20


def pause_seconds(tries: int, retry_after: str | None = None) -> float:
    """How long to pause after so many tries; the other side may have asked for longer by Retry-After.

    >>> [pause_seconds(tries) for tries in (1, 2, 3, 4)]
    [0.5, 1.0, 2.0, 4.0]
    >>> pause_seconds(1, "30")
    30.0
    """
    usual: float = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(tries - 1, _DOUBLINGS))
    asked = (retry_after or "").strip()
    is_number = asked.isascii() and asked.isdecimal() and len(asked) <= len("999999999")
    return max(usual, min(ASKED_SECONDS, float(asked))) if is_number else usual
