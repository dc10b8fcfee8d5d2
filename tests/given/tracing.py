"""A trace of the files of the package whose functions run while a request or a task is handled.

Only calls of functions count: importing a module runs none of them. Threads that started before `tracing`
began are not seen, so a traced service must start inside it.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

import weighbridge

PACKAGE: Final = str(Path(weighbridge.__file__).parent) + "/"
NOT_CALLED: Final = {"<module>"}
"""Code that runs because a module is imported, with class bodies, which are no functions either."""

CO_OPTIMIZED: Final = 1
"""The flag of code that has local variables of its own: a function, and not the body of a class."""


@dataclass(slots=True)
class Trace:
    """The files that ran, in the order of their first call, and the number of functions."""

    is_on: bool = False
    seen: dict[Any, None] = field(default_factory=dict)

    @property
    def files(self) -> list[str]:
        """The files relative to the package, in the order of their first call."""
        return [*dict.fromkeys(code.co_filename.removeprefix(PACKAGE) for code in self.seen)]

    @property
    def functions(self) -> int:
        """How many functions ran."""
        return len(self.seen)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what runs in this block, and forget what ran before."""
        self.seen.clear()
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False

    def hook(self, frame: FrameType, event: str, _argument: object) -> None:
        """Take note of a call; a profile function of `sys.setprofile`."""
        code = frame.f_code
        if self.is_on and event == "call" and code not in self.seen and _is_function_of_the_package(code):
            self.seen[code] = None


@contextmanager
def tracing() -> Iterator[Trace]:
    """A trace of this thread and of all that start in this block."""
    trace = Trace()
    threading.setprofile(trace.hook)
    sys.setprofile(trace.hook)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type] # None ends it, which the stubs do not know


def _is_function_of_the_package(code: Any) -> bool:
    is_function = code.co_flags & CO_OPTIMIZED and code.co_name not in NOT_CALLED
    return bool(is_function) and code.co_filename.startswith(PACKAGE)
