"""Threads that compute are shared between accounts, and halted when nobody waits."""

import threading
from contextlib import contextmanager

import pytest

from weighbridge.concurrency import FairThreads, computing_for
from weighbridge.core.halt import Halt, Halted, proceed

DEADLINE_SECONDS = 60.0


@contextmanager
def computations():
    """Starts computations of accounts that go on until the test ends; tells who has started."""
    threads, done, started = FairThreads(threads=4, share=2), threading.Event(), []
    changed = threading.Condition()

    def work(account):
        with changed:
            started.append(account)
            changed.notify_all()
        assert done.wait(DEADLINE_SECONDS)
        return account

    def submit(account):
        with computing_for(account):
            return threads.submit(Halt(), work, account)

    def await_started(count):
        with changed:
            assert changed.wait_for(lambda: len(started) >= count, DEADLINE_SECONDS)
            return sorted(started)

    try:
        yield submit, await_started, done
    finally:
        done.set()


def test_an_account_has_its_share_of_the_threads_and_another_starts_at_once():
    with computations() as (submit, await_started, done):
        many = [submit(1) for _ in range(100)]
        assert await_started(2) == [1, 1]

        one = submit(2)

        assert await_started(3) == [1, 1, 2]
        assert sum(each.running() for each in many) == 2
        done.set()
        assert one.result(DEADLINE_SECONDS) == 2
        assert [each.result(DEADLINE_SECONDS) for each in many] == [1] * 100


def test_what_was_given_up_before_it_had_a_thread_is_never_computed():
    with computations() as (submit, await_started, done):
        first, second, third = submit(1), submit(1), submit(1)
        await_started(2)

        assert third.cancel()

        done.set()
        last = submit(1)
        assert last.result(DEADLINE_SECONDS) == 1
        assert [first.result(), second.result()] == [1, 1]
        assert len(await_started(3)) == 3


def test_a_computation_that_is_halted_ends_between_its_steps_and_frees_its_thread():
    threads, halt, begun = FairThreads(threads=1, share=1), Halt(), threading.Event()

    def work():
        begun.set()
        while True:
            proceed()

    endless = threads.submit(halt, work)
    assert begun.wait(DEADLINE_SECONDS)
    halt.call()

    with pytest.raises(Halted):
        endless.result(DEADLINE_SECONDS)
    assert threads.submit(Halt(), lambda: 7).result(DEADLINE_SECONDS) == 7


def test_what_goes_wrong_in_a_thread_is_told_to_whoever_waits():
    threads = FairThreads(threads=1, share=1)

    with pytest.raises(ZeroDivisionError):
        threads.submit(Halt(), lambda: 1 // 0).result(DEADLINE_SECONDS)
