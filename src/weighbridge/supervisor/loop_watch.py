"""A watch on event loops: which code holds one for long, told where somebody asks, as the tests do.

One callback that computes for long keeps everybody waiting whose request the same loop answers. The watch
counts processor time of the loop's thread, for a busy machine makes every callback long by the clock; and as
sharing a core makes that long too, it is set against what a piece of work takes at the same moment. A thread
looks at that time every few milliseconds, less often while the loop waits, and asks a loop that works to tell
when it turns. While it does not turn, and goes on working, the thread looks where its code is: what the same
callback took is added up, and kept with that place. What lets no other thread run, such as a regular
expression, is found by what had passed when the thread could look again. Garbage collection is no callback's
doing, and is left out.

Invariants: where nobody asks, nothing is watched and no thread is started. Where the code of another thread
is, is read seldom: CPython does not hold that thread's frames still while they are read.
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
from dataclasses import dataclass, field, replace
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

ASKED_AFTER_SECONDS: Final = 0.001
"""What a loop takes between two looks before it is asked to tell of its next turn, which takes less."""

READ_AFTER_SECONDS: Final = 0.01
"""What a loop takes without a turn before it is looked where its code is."""

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
class _Hold:
    """A callback that was at work at each look since the first; times are of the loop's processor."""

    callback: tuple[str, str]
    """The file and the name of the function."""
    began: float
    seconds: float = 0.0
    """How long, up to the last look; 0 as long as that is little."""
    told: tuple[str, ...] = ()
    """Where the code was when that was first more than little, innermost last."""


@dataclass(slots=True)
class _LoopWatch:
    """The thread that looks at one loop; made on the thread of that loop."""

    folder: Path
    _turned_at: float = 0.0
    """What the loop had taken of a processor when it last turned after a look."""
    _is_turn_asked: bool = False
    _worked_since: float = 0.0
    """What the loop had taken, at most, when the work began of which it was asked to tell the end."""
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
        last, hold = self._read_clock(), None
        while not self._over.wait(LOOK_SECONDS if self._is_turn_asked else LOOK_SECONDS_OF_WAITING):
            now = self._read_clock()
            if now - last > ASKED_AFTER_SECONDS:
                self._ask_for_turn(last)
            if self._is_turn_asked and now - self._worked_since > READ_AFTER_SECONDS:
                hold = self._follow(hold, last, now)
            else:
                self._keep(hold)
                hold = None
            last = now
        self._keep(hold)

    def _ask_for_turn(self, worked_since: float) -> None:
        """Have the loop tell when it turns next, unless it was asked already and has not turned since."""
        if not self._is_turn_asked:
            self._worked_since, self._is_turn_asked = worked_since, True
            with suppress(RuntimeError):  # a loop that has ended turns no more
                self._loop.call_soon_threadsafe(self._turn)

    def _turn(self) -> None:
        self._turned_at = self._without_garbage(time.thread_time())
        self._is_turn_asked = False

    def _follow(self, hold: _Hold | None, last: float, now: float) -> _Hold | None:
        """Give the hold that is under way between two looks; what it ends is kept."""
        stack = _cut_to_callback(self._read_stack())
        if not stack:
            self._keep(hold)
            return None
        callback = stack[-1].file, stack[-1].function
        if hold is None or hold.callback != callback or self._turned_at > hold.began:
            self._keep(hold)
            # Between two looks there may have been other callbacks, unless no thread could look for so long.
            earliest = max(last, self._turned_at)
            hold = _Hold(callback, earliest if now - earliest > HELD_SECONDS_MAX else now)
        if now - hold.began > HELD_SECONDS_MAX / 2:
            hold = replace(hold, seconds=now - hold.began, told=hold.told or _tell(stack))
        return hold

    def _read_clock(self) -> float:
        """What the loop's thread has taken of a processor, without what garbage took."""
        state: object = None
        while state is not self._collection:  # a collection may begin or end while this reads the clock
            state = self._collection
            seconds = self._without_garbage(time.clock_gettime(self._clock))
        return seconds

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

    def _keep(self, hold: _Hold | None) -> None:
        """Write a hold that was long to the file of this process."""
        if hold is None or hold.seconds <= HELD_SECONDS_MAX:
            return
        held_seconds = hold.seconds / self._slowness()
        if held_seconds <= HELD_SECONDS_MAX:
            return
        line = json.dumps(
            {"seconds": round(held_seconds, 3), "stack": hold.told, "of": " ".join(sys.argv)[:200]}
        )
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


def _tell(stack: list[_Frame]) -> tuple[str, ...]:
    """Where the code was, innermost last."""
    return tuple(f"{frame.file}:{frame.function}:{frame.line}" for frame in reversed(stack[:FRAMES_MAX]))
