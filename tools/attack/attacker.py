"""The process that carries out one attack, on one core, until it is told to stop.

    python -m tools.attack.attacker HOST PORT NAME MEMBER

MEMBER is JSON. It says `begun` when it has begun, and stops when its input ends.
"""

import asyncio
import json
import os
import resource
import sys
from contextlib import suppress
from random import randrange
from typing import Final

from tools.attack.attacks import ATTACKS, Attack
from tools.attack.files import VARIED
from tools.attack.plant import Member

CHUNK: Final = 65_536
DRIP_SECONDS: Final = 1.0
SLOW_SECONDS: Final = 0.5
AGAIN_SECONDS: Final = 0.01
"""How long a connection that was refused or closed waits before it comes again."""


def main(host: str, port: str, name: str, member: str) -> None:
    """Attack until standard input ends."""
    _allow_many_files()
    with suppress(OSError):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    attack = next(one for one in ATTACKS if one.name == name)
    asyncio.run(_attack(host, int(port), attack, Member(**json.loads(member))))


async def _attack(host: str, port: int, attack: Attack, member: Member) -> None:
    sent = attack.send(member)
    lines = [asyncio.create_task(_line(host, port, attack, sent)) for _ in range(attack.connections)]
    sys.stdout.write("begun\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    for line in lines:
        line.cancel()
    await asyncio.gather(*lines, return_exceptions=True)


async def _line(host: str, port: int, attack: Attack, sent: bytes) -> None:
    """One connection, opened again whenever it is closed."""
    while True:
        with suppress(OSError, asyncio.IncompleteReadError, ValueError):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                await _hurt(attack, sent, reader, writer)
            finally:
                writer.close()
        await asyncio.sleep(AGAIN_SECONDS)


async def _hurt(
    attack: Attack, sent: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    if attack.drip:
        await _drip(sent, reader, writer)
        return
    while True:
        writer.write(sent.replace(VARIED, b"%010d" % randrange(10 ** len(VARIED))))  # noqa: S311 - no secret
        await writer.drain()
        if not attack.waits_for_answer:
            await reader.read()
            return
        await _answer(reader, slowly=attack.reads_slowly)


async def _drip(sent: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(sent)
    closed = asyncio.create_task(reader.read())
    while not closed.done():
        await asyncio.wait([closed], timeout=DRIP_SECONDS)
        writer.write(b"a")
        await writer.drain()


async def _answer(reader: asyncio.StreamReader, *, slowly: bool) -> None:
    """Read one answer; slowly, a little at a time."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    left = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
    while left:
        piece = await reader.read(min(left, 256 if slowly else CHUNK))
        if not piece:
            raise OSError("the answer was cut off")
        left -= len(piece)
        if slowly:
            await asyncio.sleep(SLOW_SECONDS)


def _allow_many_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


if __name__ == "__main__":
    main(*sys.argv[1:])
