"""Sandboxes: what is read in one is answered, refused, or ended by its limits, and nobody else waits."""

import asyncio
import os
import pickle
import re
import signal
import time

import pytest

from weighbridge.errors import Refusal
from weighbridge.exchange.tables.table import CsvFile, content_sha256
from weighbridge.sandbox.sandbox import SandboxLostError, read_apart, run_sandboxed
from weighbridge.sandbox.work import HEAD, SANDBOXES_MAX, SandboxLimitError, SandboxLimits, pack, unpack

LIMITS = SandboxLimits(memory_bytes=200_000_000, cpu_seconds=1)


def read(function, *arguments):
    return asyncio.run(read_apart(1, "The file log.csv", LIMITS, function, *arguments))


def test_what_comes_of_a_function_is_answered():
    assert read(sorted, [3, 1, 2]) == [1, 2, 3]


def test_a_refusal_there_is_one_here(tmp_path):
    with pytest.raises(Refusal, match="cannot be read: No such file or directory"):
        read(content_sha256, CsvFile(tmp_path / "gone.csv"))


def test_what_takes_too_long_is_ended_and_the_loop_goes_on_meanwhile():
    async def both():
        reading = asyncio.create_task(
            read_apart(1, "The file log.csv", LIMITS, re.fullmatch, "(a+)+b", "a" * 60)
        )
        longest = 0.0
        while not reading.done():
            began = time.monotonic()
            await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - began)
        with pytest.raises(SandboxLimitError) as refused:
            await reading
        return longest, str(refused.value)

    longest, said = asyncio.run(both())
    assert longest < 1
    assert said == (
        "The file log.csv cannot be read: it takes more time than reading it may take. "
        "It is refused, and reading it is not tried again."
    )


def test_what_takes_too_much_memory_is_refused():
    with pytest.raises(SandboxLimitError, match="it takes more memory than reading it may take"):
        read(bytearray, 1_000_000_000)


def test_a_sandbox_that_somebody_else_ends_refuses_nothing():
    with pytest.raises(SandboxLostError):
        read(_end_by, signal.SIGKILL)
    with pytest.raises(SandboxLimitError, match="it ends the process that reads it"):
        read(_end_by, signal.SIGSEGV)


def _end_by(number):
    os.kill(os.getpid(), number)


def test_a_sandbox_ends_with_the_block_that_has_it():
    async def left():
        async with run_sandboxed(1, "The file log.csv", LIMITS) as sandbox:
            process = await sandbox.call(os.getpid)
            os.kill(process, 0)
        for _ in range(500):
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                return True
            await asyncio.sleep(0.02)
        return False

    assert asyncio.run(left())


def test_files_of_one_account_leave_half_of_the_sandboxes_to_the_others():
    async def beside_slow_files():
        stuck = asyncio.Event()

        async def read_slowly(begun):
            async with run_sandboxed(1, "The file log.csv", LIMITS) as sandbox:
                await sandbox.call(os.getpid)
                begun.append(True)
                await stuck.wait()

        begun: list[bool] = []
        slow = [asyncio.create_task(read_slowly(begun)) for _ in range(3 * SANDBOXES_MAX)]
        while len(begun) < SANDBOXES_MAX // 2:  # noqa: ASYNC110 - the sandboxes are processes
            await asyncio.sleep(0.01)
        of_other = await asyncio.wait_for(read_apart(2, "The file log.csv", LIMITS, sorted, [2, 1]), 30)
        at_once = len(begun)
        stuck.set()
        await asyncio.gather(*slow)
        return of_other, at_once, len(begun)

    assert asyncio.run(beside_slow_files()) == ([1, 2], SANDBOXES_MAX // 2, 3 * SANDBOXES_MAX)


def test_an_answer_can_have_no_function_called():
    class Calling:
        def __reduce__(self):
            return os.getpid, ()

    with pytest.raises(pickle.UnpicklingError, match="posix"):
        unpack(pack(Calling())[HEAD.size :])
