"""Search for texts that cost most processor time for each byte, and say what the worst of each reader cost.

    python -m tools.attack.costly [--seconds N] [--seed N]

Each reader gets its seeds, and then what comes of changing those that cost most so far: a piece is repeated,
doubled, taken out, or put in from what readers like least. It ends after so many seconds for each reader, and
with 1 when a text cost more than its reader may take: what a loop may be held, or the least of a sandbox.
"""

import random
import sys
import time
from dataclasses import dataclass
from typing import Annotated, Final

from cyclopts import App, Parameter

from tools.attack.readers_of_requests import READERS, Reader

KEPT_MAX: Final = 20
TEXTS_MAX: Final = 20_000
BYTES_MIN: Final = 1_024
"""Shorter texts cost what any does."""

WHOLE_TAGS: Final = 0.5
"""How often a change is one of whole tags, where a text has any: nothing else leaves XML well formed."""

LIKED_LEAST: Final = (
    b'"', b"\\", b'\\"', b" ", b"\t", b",", b"&", b"=", b"%", b"%41", b";", b"[", b"{", b"(", b"-", b"^",
    b"9", b"1e999", b"0x", b"\xff", b"\xe2\x80\xa8", b"\n", b"&a=1", b"a: ", b"*a", b"- ", b"<a ", b"\\u0000",
    b"<mergeCell ", b'<mergeCell ref="A1:B9"/>', b"<si><t/></si>", b'<c r="ZZ9"/>', b"<row/>",
    b'<xf numFmtId="200"/>', b'<sheet name="Log"/>', b'<row><c r="CZZ1"/></row>', b"<v>1",
    b"<v>45000.1234567</v>", b"<a>",
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
    only: Annotated[str, Parameter(help="The only reader to search; all when not given.")] = "",
) -> None:
    """Search, and print a line for each reader."""
    slow = []
    for name, reader in READERS.items():
        if only not in {"", name}:
            continue
        found, longest = search(reader, seconds, random.Random(seed))  # noqa: S311 - no secret
        slow += [name] if longest.seconds > reader.seconds_max else []
        print(  # noqa: T201 - what was asked for
            f"{name:11} {found.cost / 1000:9.2f} us a byte, {1000 * found.seconds:8.2f} ms for "
            f"{len(reader.sent(found.text)):5} bytes, {1000 * longest.seconds:8.2f} ms at most: "
            f"{found.text[:60]!r}",
            flush=True,
        )
    sys.exit(f"took longer than they may: {', '.join(slow)}" if slow else 0)


def search(reader: Reader, seconds: float, dice: random.Random) -> tuple[Costly, Costly]:
    """The texts that cost most for each byte and most of all, of those that a search came by."""
    for one in reader.seeds:
        reader.read(reader.sent(one))  # what is made when a reader is used first is not to count
    kept = sorted((_cost(reader, one) for one in reader.seeds), reverse=True)
    longest = kept[0]
    until = time.monotonic() + seconds
    for _ in range(TEXTS_MAX):
        if time.monotonic() > until:
            break
        found = _cost(reader, _changed(dice.choice(kept).text, dice, reader.length_max))
        longest = max(longest, found, key=lambda one: one.seconds)
        if found > kept[-1] or len(kept) < KEPT_MAX:
            kept = sorted([*kept, found], reverse=True)[:KEPT_MAX]
    return max(_least(reader, one.text) for one in kept[:3]), _least(reader, longest.text)


def _least(reader: Reader, text: bytes) -> Costly:
    """The least that a text cost of some tries: a machine that is shared makes any of them longer."""
    return min(_cost(reader, text) for _ in range(3))


def _cost(reader: Reader, text: bytes) -> Costly:
    sent = reader.sent(text)
    began = time.thread_time()
    reader.read(sent)
    seconds = time.thread_time() - began
    return Costly(1e9 * seconds / max(len(sent), BYTES_MIN), seconds, text)


def _changed(text: bytes, dice: random.Random, length_max: int) -> bytes:
    """The text with a piece of it repeated, taken out or put in."""
    first = dice.randrange(len(text) + 1)
    end = min(len(text), first + dice.choice((1, 2, 4, 16, 64, 256)))
    if dice.random() < WHOLE_TAGS:
        first, end = text.find(b"<", first), text.find(b"<", end)
        first, end = (0, 0) if first < 0 else (first, max(first, end))
    times = dice.choice((1, 2, 16, 256, 4_096))
    middle = dice.choice((text[first:end] * times, b"", text[first:end] + dice.choice(LIKED_LEAST) * times))
    return (text[:first] + middle + text[end:])[:length_max]


if __name__ == "__main__":
    app()
