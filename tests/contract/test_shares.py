"""What one account may take of a process: its share of the connections, and so many requests at once.

Requests are held up by a lock on a table that they need, as a slow statement would hold them.
"""

import threading
import time
from contextlib import contextmanager

import psycopg
import pytest
from tests.given import collection as given
from tests.server import DEADLINE_SECONDS, Caller

from weighbridge.http.limits import WAIT_SECONDS

KEY = {"Idempotency-Key": "delivery-4711"}
WOOD = b'{"feedstock": {"name": "Wood"}}'
SOON_SECONDS = 2.0
"""Far less than the requests that are held up take."""


@pytest.fixture
def small(server):
    """A service with few connections, four of them for what computes nothing."""
    with server.again(api_connections=6, account_requests=12) as small:
        yield small


@contextmanager
def locked(server, table):
    """Nobody reads or writes a table until what this gives is called."""
    with psycopg.connect(server.running_url) as holder:
        holder.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield holder.rollback


@contextmanager
def sent(*requests):
    """Send requests side by side; gives the list of their answers, complete when the block has ended."""
    answers = []
    threads = [threading.Thread(target=lambda one=one: answers.append(one())) for one in requests]
    for thread in threads:
        thread.start()
    yield answers
    for thread in threads:
        thread.join()


def until(is_so):
    """Wait for something, and not for ever."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def waiting(server):
    """How many requests wait for the lock."""
    [(count,)] = server.sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
    return count


def seconds_of(request):
    began = time.monotonic()
    request().expect(200)
    return time.monotonic() - began


def test_another_account_is_served_while_one_takes_all_that_it_may(small):
    loud, quiet = small.account().caller(), small.account().caller()
    project = given.project(loud)
    path = f"/projects/{project['id']}/feedstocks"

    began = time.monotonic()
    with locked(small, "feedstocks") as release, sent(*[lambda: loud.get(path)] * 8) as answers:
        until(lambda: waiting(small) == 2)
        took = [seconds_of(lambda: quiet.get("/projects")) for _ in range(5)]
        ready = seconds_of(lambda: small.request("GET", "/readyz", (), None, {}))
        until(lambda: len(answers) == 6)  # those that waited for their account in vain
        waited = time.monotonic() - began
        release()

    assert max(*took, ready) < SOON_SECONDS
    assert waited < 2 * WAIT_SECONDS
    assert sorted(answer.status for answer in answers) == [200] * 2 + [429] * 6
    refused = next(answer for answer in answers if answer.status == 429)
    assert (refused.error["code"], refused.headers["retry-after"]) == ("account_busy", "2")
    assert refused.error["message"] == (
        "The account has 2 requests at work, which is its share just now, and this one has waited 5 seconds."
    )


def test_a_request_over_the_share_is_served_when_another_of_its_account_has_ended(small):
    loud = small.account().caller()
    project = given.project(loud)
    path = f"/projects/{project['id']}/feedstocks"

    with locked(small, "feedstocks") as release, sent(*[lambda: loud.get(path)] * 8) as answers:
        until(lambda: waiting(small) == 2)
        release()

    assert [answer.status for answer in answers] == [200] * 8


def test_an_account_with_too_many_requests_is_refused_at_once(small):
    loud = small.account().caller()
    project = given.project(loud)
    path = f"/projects/{project['id']}/feedstocks"

    with locked(small, "feedstocks") as release, sent(*[lambda: loud.get(path)] * 16) as answers:
        until(lambda: len(answers) >= 4)
        at_once = [answer.expect(429).error["message"] for answer in answers[:4]]
        release()

    assert at_once == ["The account has 12 requests under way, which is all it may."] * 4


def test_a_twin_gives_way_while_the_first_is_under_way(small):
    api = small.account().caller()
    project = given.project(api)
    path = f"/projects/{project['id']}/feedstocks"

    def create():
        return api.send("POST", path, content=WOOD, headers=KEY)

    with locked(small, "feedstocks") as release, sent(create) as first:
        until(lambda: waiting(small) == 1)
        with sent(*[create] * 9) as twins:
            took = seconds_of(lambda: api.get("/projects"))
        release()
    again = create()

    assert took < SOON_SECONDS
    for twin in twins:
        assert (twin.expect(409).error["code"], twin.headers["retry-after"]) == ("in_progress", "2")
    assert first[0].expect(201).text == again.expect(201).text
    assert again.headers["idempotency-replayed"] == "true"
    assert api.get(path).info["total_items"] == 1


def test_a_twin_gives_way_to_a_first_in_another_process(small):
    with small.again() as other:
        here, there = small.account().caller(), Caller(other, None)
        there.token = here.token
        project = given.project(here)
        path = f"/projects/{project['id']}/feedstocks"

        def create(caller):
            return caller.send("POST", path, content=WOOD, headers=KEY)

        with locked(small, "feedstocks") as release, sent(lambda: create(here)) as first:
            until(lambda: waiting(small) == 1)
            twin = create(there)
            release()
        again = create(there)

    assert (twin.expect(409).error["code"], twin.headers["retry-after"]) == ("in_progress", "2")
    assert first[0].expect(201).text == again.expect(201).text
