"""Search for texts that cost most processor time for each byte, and say what the worst of each reader cost.

    python -m tools.attack.costly [--seconds N] [--seed N]

Each reader gets its seeds, and then what comes of changing those that cost most so far: a piece is repeated,
doubled, taken out, or put in from what readers like least. It ends after so many seconds for each reader, and
with 1 when a text of at most `LENGTH_MAX` bytes cost more than a loop may be held.
"""

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

from cyclopts import App, Parameter

from tools.attack.readers_of_requests import READERS, SEEDS
from weighbridge.supervisor.observing.loop_watch import HELD_SECONDS_MAX

LENGTH_MAX: Final = 4_096
KEPT_MAX: Final = 20
TEXTS_MAX: Final = 20_000
BYTES_MIN: Final = 1_024
"""Shorter texts cost what any does."""

LIKED_LEAST: Final = (
    b'"', b"\\", b'\\"', b" ", b"\t", b",", b"&", b"=", b"%", b"%41", b";", b"[", b"{", b"(", b"-", b"^",
    b"9", b"1e999", b"0x", b"\xff", b"\xe2\x80\xa8", b"\n", b"&a=1", b"a: ", b"*a", b"- ", b"<a ", b"\\u0000",
)  # fmt: skip

app = App(help=__doc__, help_format="plaintext")


@dataclass(frozen=True, order=True, slots=True)
class Costly:
    """A text and what it cost, in nanoseconds for each byte."""

    cost: float
    seconds: float
    text: bytes


@app.default
def main(
    *,
    seconds: Annotated[float, Parameter(help="Seconds for each reader.")] = 10.0,
    seed: Annotated[int, Parameter(help="The same seed begins with the same changes.")] = 1,
) -> None:
    """Search, and print a line for each reader."""
    worst = 0.0
    for name, read in READERS.items():
        found = search(read, SEEDS[name], seconds, random.Random(seed))  # noqa: S311 - no secret
        worst = max(worst, found.seconds)
        print(  # noqa: T201 - what was asked for
            f"{name:11} {found.cost / 1000:9.2f} us a byte, {1000 * found.seconds:8.2f} ms for "
            f"{len(found.text):5} bytes: {found.text[:60]!r}",
            flush=True,
        )
    sys.exit(1 if worst > HELD_SECONDS_MAX else 0)


def search(
    read: Callable[[bytes], None], seeds: tuple[bytes, ...], seconds: float, dice: random.Random
) -> Costly:
    """The text that cost most for each byte, of those that a search of so many seconds came by."""
    for one in seeds:
        read(one)  # what is made when a reader is used first is not to count
    kept = sorted((_cost(read, one) for one in seeds), reverse=True)
    until = time.monotonic() + seconds
    for _ in range(TEXTS_MAX):
        if time.monotonic() > until:
            break
        found = _cost(read, _changed(dice.choice(kept).text, dice))
        if found > kept[-1] or len(kept) < KEPT_MAX:
            kept = sorted([*kept, found], reverse=True)[:KEPT_MAX]
    again = [_cost(read, one.text) for one in kept[:3] for _ in range(3)]
    return max(min(group) for group in (again[:3], again[3:6] or again[:3], again[6:] or again[:3]))


def _cost(read: Callable[[bytes], None], text: bytes) -> Costly:
    began = time.thread_time()
    read(text)
    seconds = time.thread_time() - began
    return Costly(1e9 * seconds / max(len(text), BYTES_MIN), seconds, text)


def _changed(text: bytes, dice: random.Random) -> bytes:
    """The text with a piece of it repeated, taken out or put in."""
    first = dice.randrange(len(text) + 1)
    end = min(len(text), first + dice.choice((1, 2, 4, 16, 256)))
    times = dice.choice((1, 2, 16, 256))
    middle = dice.choice((text[first:end] * times, b"", text[first:end] + dice.choice(LIKED_LEAST) * times))
    return (text[:first] + middle + text[end:])[:LENGTH_MAX]


if __name__ == "__main__":
    app()
