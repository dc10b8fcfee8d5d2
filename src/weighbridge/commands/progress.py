"""Progress of long commands: a bar for each phase on a terminal, on standard error, and nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

ProgressReport = Callable[[str, int, int], None]
"""Takes the name of a phase, how much of it is done, and how much there is."""


@contextmanager
def progress_bars() -> Iterator[ProgressReport]:
    """Draw a bar for each phase that is reported."""
    if not sys.stderr.isatty():
        yield lambda _phase, _done, _total: None
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import
    from rich.progress import Progress  # noqa: PLC0415 - as above

    with Progress(console=Console(stderr=True)) as bars:
        tasks: dict[str, TaskID] = {}

        def report(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bars.add_task(phase, total=total)
            bars.update(tasks[phase], completed=done)

        yield report
