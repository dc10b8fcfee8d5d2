"""What holds an event loop for long is kept, with where the code was; what waits, or takes turns, is not."""

import asyncio
import gc
import json
import time

import pytest
import uvloop
from tests.given.loops import KEPT, HeldLoop, held_loops

from weighbridge.supervisor.loop_watch import HELD_SECONDS_MAX, loop_watched_into


def found_in(folder, work):
    async def watched():
        async with loop_watched_into(folder):
            await asyncio.sleep(0.05)
            await asyncio.create_task(work())
            await asyncio.sleep(0.05)

    for factory in (uvloop.new_event_loop, asyncio.new_event_loop):
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(watched())
    files = list(folder.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def compute(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


async def hold_by_code():
    compute(0.3)


def compute_deep(seconds, depth):
    if depth:
        compute_deep(seconds, depth - 1)
    else:
        compute(seconds)


async def hold_deep_down():
    compute_deep(0.3, 200)


async def hold_without_other_threads():
    compute(0.05)
    sum(range(30_000_000))
    compute(0.05)


async def wait_long():
    time.sleep(0.3)  # noqa: ASYNC251 - what takes no processor is not what is watched


async def take_turns():
    for _ in range(60):
        compute(0.01)
        await asyncio.sleep(0.02)


def test_code_that_holds_a_loop_is_named(tmp_path):
    found = found_in(tmp_path, hold_by_code)

    assert len(found) == 2
    assert all(":hold_by_code:" in "".join(one["stack"]) for one in found)
    # An estimate: what the processor took, set against what the same work takes at that moment.
    assert all(HELD_SECONDS_MAX < one["seconds"] < 1 for one in found)


def test_code_that_holds_a_loop_from_deep_down_is_named(tmp_path):
    found = found_in(tmp_path, hold_deep_down)

    assert len(found) == 2
    assert all(":compute_deep:" in "".join(one["stack"]) for one in found)


def test_what_lets_no_other_thread_run_is_found_too(tmp_path):
    found = found_in(tmp_path, hold_without_other_threads)

    assert len(found) == 2
    assert all(":hold_without_other_threads:" in "".join(one["stack"]) for one in found)


def test_who_takes_turns_holds_nothing(tmp_path):
    assert found_in(tmp_path, take_turns) == []


def test_time_that_passes_without_a_processor_is_not_counted(tmp_path):
    assert found_in(tmp_path, wait_long) == []


def test_garbage_is_not_laid_at_the_door_of_who_happens_to_be_at_work(tmp_path):
    kept = [[number] for number in range(2_000_000)]

    async def collect():
        gc.collect()

    assert found_in(tmp_path, collect) == []
    assert kept


@pytest.mark.parametrize(
    ("seconds", "times", "is_clear"), [(0.12, 2, False), (0.16, 1, False), (0.16, 2, True), (0.31, 1, True)]
)
def test_a_hold_fails_the_run_when_it_is_long_or_comes_again(seconds, times, is_clear):
    assert HeldLoop(seconds, times, "worker", ()).is_clear is is_clear


def test_holds_at_one_place_are_told_together_by_the_longest(tmp_path):
    stack = ["asyncio/events.py:_run:80", "src/weighbridge/worker.py:work:{}"]
    lines = [
        json.dumps({"seconds": seconds, "stack": [one.format(number) for one in stack], "of": "worker"})
        for number, seconds in enumerate((0.12, 0.14, 0.11))
    ]
    (tmp_path / KEPT).mkdir()
    (tmp_path / KEPT / "1.jsonl").write_text("\n".join(lines))

    [held] = held_loops(tmp_path)

    assert (held.seconds, held.times) == (0.14, 3)
