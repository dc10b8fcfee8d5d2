"""Requests without a token come at a pace, by address and by link, before they ask the database anything."""

import asyncio
import socket
import time
from contextlib import ExitStack

import pytest
from tests.given.people import Visitor, email_of
from tests.server import Server

from weighbridge.http.caller import (
    AT_ONCE,
    AT_WORK,
    KEYS_MAX,
    PER_SECOND,
    REFUSALS_PER_SECOND,
    REFUSED_SECONDS_MAX,
    WAIT_SECONDS,
    Arrivals,
    Strangers,
)
from weighbridge.http.limits import Together


def test_so_many_come_at_once_further_ones_wait_and_more_are_refused():
    strangers = Arrivals()

    waits = [strangers.wait("address 203.0.113.7", 5.0) for _ in range(AT_ONCE + 2 * PER_SECOND)]

    assert max(waits[: AT_ONCE + 1]) < 0.001
    assert waits[-1] is None
    assert 0 < max(one for one in waits if one is not None) <= WAIT_SECONDS
    assert strangers.wait("address 203.0.113.8", 5.0) == 0.0


def test_what_was_refused_is_not_counted_and_time_gives_room_again():
    strangers = Arrivals()
    for _ in range(10 * AT_ONCE):
        strangers.wait("link a", 5.0)

    assert strangers.wait("link a", 6.0 + WAIT_SECONDS + AT_ONCE / PER_SECOND) == 0.0


def test_the_memory_of_strangers_is_bounded():
    strangers = Arrivals()

    for number in range(KEYS_MAX + 10):
        strangers.wait(str(number), 5.0)
        strangers.refusal_wait(str(number), 5.0)

    assert len(strangers._next) == len(strangers._next_refusal) == KEYS_MAX


def test_refusals_of_one_address_leave_one_after_the_other_and_those_of_another_do_not_wait_for_them():
    strangers = Arrivals()

    waits = [strangers.refusal_wait("address 203.0.113.7", 5.0) for _ in range(200)]

    assert waits[0] == WAIT_SECONDS
    assert len([one for one in waits if one < WAIT_SECONDS + 2]) <= 2 * REFUSALS_PER_SECOND + 1
    assert waits == sorted(waits)
    assert waits[-1] == REFUSED_SECONDS_MAX
    assert strangers.refusal_wait("address 203.0.113.8", 5.0) == WAIT_SECONDS
    assert strangers.refusal_wait("address 203.0.113.7", 5.0 + REFUSED_SECONDS_MAX) == WAIT_SECONDS


@pytest.mark.parametrize("path", ["/sign_in", "/openapi.json"])
def test_a_flood_without_a_token_waits_and_other_addresses_do_not(postgres, account, path):
    with Server(postgres, trusted_proxies=("127.0.0.1",)) as service:

        def seconds_of(times: int, address: str) -> float:
            began = time.monotonic()
            for _ in range(times):
                service.request("GET", path, (), None, {"x-forwarded-for": address}).expect(200)
            return time.monotonic() - began

        somebody = Visitor(service).sign_in(email_of(account))

        seconds_of(1, "203.0.113.9")  # what is made when somebody first asks is not to count
        assert seconds_of(AT_ONCE + 2 * PER_SECOND, "203.0.113.7") > 1.5
        assert seconds_of(1, "203.0.113.8") < 1.5
        somebody.get("/me", x_forwarded_for="203.0.113.7").expect(200)


def test_one_address_leaves_a_link_to_the_others():
    async def of_link(at_once):
        strangers = Strangers()
        waits = [strangers.links.wait("link", 5.0) for _ in range(at_once)]
        return strangers.links.wait("link", 5.0), waits

    wait, waits = asyncio.run(of_link(AT_ONCE + PER_SECOND))

    assert max(waits) == wait == 0.0


def test_few_are_carried_out_at_a_time_and_each_link_in_its_turn():
    async def many():
        places, at_work, begun = Strangers().places, [], []
        most = 0

        async def one(link):
            nonlocal most
            async with places.of(link):
                at_work.append(link)
                begun.append(link)
                most = max(most, len(at_work))
                await asyncio.sleep(0)
                at_work.remove(link)

        await asyncio.gather(*(one("flooded") for _ in range(20)), one("other"))
        return most, begun.index("other")

    most, place = asyncio.run(many())

    assert most == AT_WORK
    assert place <= 1


def test_who_sends_a_form_slowly_keeps_nobody_from_signing_in(postgres):
    with Server(postgres, trusted_proxies=("127.0.0.1",)) as service, ExitStack() as slow:
        host, port = service.address.removeprefix("http://").split(":")
        for number in range(2 * AT_WORK):
            connection = slow.enter_context(socket.create_connection((host, int(port))))
            connection.sendall(_BEGUN_FORM % number)
        began = time.monotonic()

        service.request("GET", "/sign_in", (), None, {"x-forwarded-for": "203.0.113.8"}).expect(200)

        assert time.monotonic() - began < WAIT_SECONDS


_BEGUN_FORM = b"\r\n".join(
    [
        b"POST /sign_in HTTP/1.1",
        b"Host: service",
        b"X-Forwarded-For: 198.51.100.%d",
        b"Sec-Fetch-Site: same-origin",
        b"Content-Type: application/x-www-form-urlencoded",
        b"Content-Length: 100",
        b"",
        b"email=",
    ]
)


def test_what_waits_is_stored_together_and_each_goes_on_after_its_commit():
    stored = []

    async def many() -> list[int]:
        may_go = asyncio.Event()

        async def store(_, values):
            await may_go.wait()
            stored.append(list(values))

        together = Together(store)
        waiting = [asyncio.create_task(together.store("north", number)) for number in range(100)]
        await asyncio.sleep(0)
        done_before = sum(one.done() for one in waiting)
        may_go.set()
        await asyncio.gather(*waiting)
        return [done_before, len(stored)]

    assert asyncio.run(many()) == [0, 1]
    assert stored == [list(range(100))]


def test_a_failure_is_heard_by_all_who_brought_something_and_not_by_those_after():
    async def many() -> list[object]:
        failing = [True]

        async def store(*_):
            if failing[0]:
                raise OSError("no disk")

        together = Together(store)
        first = await asyncio.gather(*(together.store("north", n) for n in range(3)), return_exceptions=True)
        failing[0] = False
        return [*map(str, first), await together.store("north", 4)]

    assert asyncio.run(many()) == ["no disk", "no disk", "no disk", None]


def test_what_belongs_to_one_cell_waits_for_nothing_of_another():
    async def both() -> list[object]:
        is_back = asyncio.Event()

        async def store(cell, _):
            if cell == "north":
                await is_back.wait()
                raise OSError("the node is lost")

        together = Together(store)
        northern = asyncio.create_task(together.store("north", 1))
        southern = await together.store("south", 2)
        is_back.set()
        return [southern, *await asyncio.gather(northern, return_exceptions=True)]

    southern, northern = asyncio.run(both())
    assert (southern, str(northern)) == (None, "the node is lost")
