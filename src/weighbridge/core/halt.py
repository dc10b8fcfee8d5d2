"""A halt stops a computation before its end, because nobody waits for it any more.

The caller that starts a computation in a thread keeps its halt and may call it. The computation asks between
its steps, by `proceed`, which costs next to nothing. A thread cannot be ended in any other way.

Invariants: a computation that was not given a halt goes on to its end; one that is halted ends at its
next step, and nothing that it has done so far is used.
"""

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Final, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_STEPS: Final = 100
"""Quick steps between two looks."""


class Halted(Exception):  # noqa: N818 - it is no error
    """The computation was halted, because no caller waits for it."""


class Halt:
    """Says whether a computation is to end."""

    __slots__ = ("is_called",)

    def __init__(self) -> None:
        self.is_called = False

    def call(self) -> None:
        """Have the computation end at its next step."""
        self.is_called = True

    def over(self, work: Callable[[], Result]) -> Result:
        """Compute under this halt."""
        token = _current.set(self)
        try:
            proceed()
            return work()
        finally:
            _current.reset(token)


_current: ContextVar[Halt | None] = ContextVar("halt", default=None)


def proceed() -> None:
    """Continue; raise Halted if the current computation was halted."""
    halt = _current.get()
    if halt is not None and halt.is_called:
        raise Halted


def proceeding(items: Iterable[Item]) -> Iterator[Item]:
    """The items, with a look between some of them whether to go on."""
    for index, item in enumerate(items):
        if not index % _STEPS:
            proceed()
        yield item
