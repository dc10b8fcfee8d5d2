"""A watch on event loops: which code holds one for long, told where somebody asks, as the tests do.

One callback that computes for long keeps everybody waiting whose request the same loop answers. The watch
counts processor time of the loop's thread, for a busy machine makes every callback long by the clock; and as
sharing a core makes that long too, it is set against what a piece of work takes at the same moment. A thread
looks at the loop every few milliseconds, less often while it waits: where the same callback was at work each
time, and the loop has not turned since, it adds up what that took, and keeps where the code was. What lets no
other thread run, such as a regular expression, is found by what had passed when the thread could look again.
Garbage collection is no callback's doing, and is left out.

Invariants: where nobody asks, nothing is watched and no thread is started.
"""

import asyncio
import faulthandler
import gc
import json
import os
import re
import sys
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Final, NamedTuple

VARIABLE: Final = "LOOP_WATCH_FOLDER"
"""Names the folder in which a process keeps what held its loops, one line of JSON each."""

HELD_SECONDS_MAX: Final = 0.1
"""How much processor time one callback may take."""

LOOK_SECONDS: Final = 0.005
LOOK_SECONDS_OF_WAITING: Final = 0.02
"""A loop that waits is looked at less often: what it did between two looks is counted from the first one."""

FRAMES_MAX: Final = 40
WRITTEN_MAX: Final = 100
"""Frames of a thread that `faulthandler` writes, the innermost ones."""
WORK: Final = 2_000
TRIES: Final = 3

_OF_RUNNERS: Final = ("asyncio/runners.py", "asyncio/base_events.py", "asyncio/events.py", "granian/")
"""Files of what runs a loop; the frame above theirs is a callback's."""

_OF_WAITING: Final = "selectors.py"

_FRAME: Final = re.compile(r'^  File "([^"\n]*)", line (\d+) in (.*)$', re.MULTILINE)
"""A line of `faulthandler`."""


@asynccontextmanager
async def loop_watched() -> AsyncIterator[None]:
    """Keep what holds the running loop as long as the block lasts, where somebody asks for it."""
    if folder := os.environ.get(VARIABLE):
        async with loop_watched_into(Path(folder)):
            yield
    else:
        yield


@asynccontextmanager
async def loop_watched_into(folder: Path) -> AsyncIterator[None]:
    """Keep what holds the running loop in a folder as long as the block lasts."""
    watch = _LoopWatch(folder)
    watch.start()
    try:
        yield
    finally:
        watch.stop()


class _Frame(NamedTuple):
    """Where a function of a thread is."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class _Look:
    """What a look found: the callback at work, and the thread's processor time without that for garbage."""

    stack: list[_Frame]
    """Innermost first, up to the callback; empty where the loop waits."""
    seconds: float

    @property
    def callback(self) -> tuple[str, str] | None:
        """The file and the name of the callback; None where the loop waits."""
        return (self.stack[-1].file, self.stack[-1].function) if self.stack else None


@dataclass(slots=True)
class _LoopWatch:
    """The thread that looks at one loop; made on the thread of that loop."""

    folder: Path
    _turned_at: float = 0.0
    """What the loop had taken of a processor when it last turned after a look."""
    _is_turn_asked: bool = False
    _collection: tuple[float, float | None] = 0.0, None
    """What collecting garbage has taken, and when that began which is under way; set at once."""
    _over: threading.Event = field(default_factory=threading.Event)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    _loop_thread: int = field(default_factory=threading.get_ident)
    _clock: int = field(default_factory=lambda: time.pthread_getcpuclockid(threading.get_ident()))
    _thread: threading.Thread = field(init=False)
    _written: BinaryIO = field(
        default_factory=lambda: TemporaryFile(buffering=0)  # noqa: SIM115 - `stop` closes it
    )
    """Where the threads are, at the last look."""
    _quickest: float = field(default_factory=lambda: min(_seconds_of_work() for _ in range(3 * TRIES)))

    def start(self) -> None:
        gc.callbacks.append(self._collect)
        self._thread = threading.Thread(target=self._watch, name="loop watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()
        self._written.close()
        gc.callbacks.remove(self._collect)

    def _collect(self, _phase: str, _info: Mapping[str, Any]) -> None:
        """Count what the loop's thread takes to collect garbage."""
        if threading.get_ident() != self._loop_thread:
            return
        collected_seconds, began = self._collection
        now = time.thread_time()
        self._collection = (
            (collected_seconds, now) if began is None else (collected_seconds + now - began, None)
        )

    def _watch(self) -> None:
        last = self._look()
        began, held_seconds, stack = last.seconds, 0.0, list[str]()
        while not self._over.wait(LOOK_SECONDS if last.callback else LOOK_SECONDS_OF_WAITING):
            now = self._look()
            if now.callback is not None:
                self._ask_for_turn()
            if now.callback is None or now.callback != last.callback or self._turned_at > began:
                self._keep(held_seconds, stack)
                began, held_seconds, stack = self._began(last, now), 0.0, []
            if now.callback is not None and now.seconds - began > HELD_SECONDS_MAX / 2:
                held_seconds, stack = now.seconds - began, stack or _tell(now.stack)
            last = now
        self._keep(held_seconds, stack)

    def _ask_for_turn(self) -> None:
        """Have the loop tell when it turns next, unless it was asked already and has not turned since."""
        if not self._is_turn_asked:
            self._is_turn_asked = True
            with suppress(RuntimeError):  # a loop that has ended turns no more
                self._loop.call_soon_threadsafe(self._turn)

    def _turn(self) -> None:
        self._turned_at = self._without_garbage(time.thread_time())
        self._is_turn_asked = False

    def _began(self, last: _Look, now: _Look) -> float:
        """What the loop had taken when the callback began that a look found: no later than then, at worst.

        Between two looks there may have been others, unless no thread could look for so long.
        """
        earliest = max(last.seconds, self._turned_at)
        was_kept_out = now.seconds - earliest > HELD_SECONDS_MAX
        return earliest if last.callback is None or was_kept_out else now.seconds

    def _look(self) -> _Look:
        state: object = None
        while state is not self._collection:  # a collection may begin or end while this reads the clock
            state = self._collection
            seconds = self._without_garbage(time.clock_gettime(self._clock))
        return _Look(_cut_to_callback(self._read_stack()), seconds)

    def _read_stack(self) -> list[_Frame]:
        """Where the loop's thread is, innermost first."""
        self._written.seek(0)
        self._written.truncate()
        faulthandler.dump_traceback(self._written, all_threads=True)
        self._written.seek(0)
        text = self._written.read().decode(errors="replace")
        _, _, of_thread = text.partition(f"Thread 0x{self._loop_thread:016x} ")
        frames = _FRAME.finditer(of_thread.partition("\n\n")[0])
        return [
            _Frame(file, int(line), function) for file, line, function in (one.groups() for one in frames)
        ]

    def _without_garbage(self, seconds: float) -> float:
        collected_seconds, began = self._collection
        return (seconds if began is None else began) - collected_seconds

    def _slowness(self) -> float:
        """How many times as long the processor takes for the same at this moment as when it was quickest."""
        now = min(_seconds_of_work() for _ in range(TRIES))
        self._quickest = min(self._quickest, now)
        return now / self._quickest

    def _keep(self, held_seconds: float, stack: list[str]) -> None:
        """Write what held the loop to the file of this process."""
        if (
            held_seconds <= HELD_SECONDS_MAX
            or (held_seconds := held_seconds / self._slowness()) <= HELD_SECONDS_MAX
        ):
            return
        line = json.dumps({"seconds": round(held_seconds, 3), "stack": stack, "of": " ".join(sys.argv)[:200]})
        with (self.folder / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(f"{line}\n")


def _cut_to_callback(stack: list[_Frame]) -> list[_Frame]:
    """The frames of the callback at work, innermost first; none where the loop waits, or is not there.

    Of a deep stack only the innermost frames are written, all of the callback.
    """
    for index, frame in enumerate(stack):
        if _runs_loops(frame.file):
            callback = stack[:index]
            return [] if not callback or callback[-1].file.endswith(_OF_WAITING) else callback
    return stack if len(stack) == WRITTEN_MAX else []


@cache
def _runs_loops(file: str) -> bool:
    return any(path_part in file for path_part in _OF_RUNNERS)


def _seconds_of_work() -> float:
    began = time.thread_time()
    sorted(map(str, range(WORK)))
    return time.thread_time() - began


def _tell(stack: list[_Frame]) -> list[str]:
    """Where the code was, innermost last."""
    return [f"{frame.file}:{frame.function}:{frame.line}" for frame in reversed(stack[:FRAMES_MAX])]
