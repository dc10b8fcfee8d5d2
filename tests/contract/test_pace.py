"""Refusals at a pace: an address that is refused again and again waits for them, and for nothing else."""

import time

import pytest

from weighbridge.http.limits import PACED_ADDRESSES_MAX, SPREAD, Pace


@pytest.fixture
def strict(server):
    """A service that lets three refusals of an address leave in a second; it believes this machine."""
    with server.again(refusals_per_second=3, trusted_proxies=("127.0.0.1",)) as service:
        yield service


def seconds_of(request):
    began = time.monotonic()
    answer = request()
    return answer.status, time.monotonic() - began


def refused(service, address):
    return service.request("GET", "/nothing", (), None, {"X-Forwarded-For": address})


def test_refusals_beyond_those_of_a_second_wait_and_those_of_other_addresses_do_not(strict):
    times = [seconds_of(lambda: refused(strict, "203.0.113.7")) for _ in range(8)]
    _, other = seconds_of(lambda: refused(strict, "203.0.113.8"))

    assert {status for status, _ in times} == {404}
    assert max(seconds for _, seconds in times[:3]) < 0.9
    assert any(seconds >= 0.9 for _, seconds in times[3:])
    assert other < 0.9


def test_what_is_answered_as_it_was_asked_never_waits(strict):
    times = [seconds_of(lambda: strict.request("GET", "/healthz", (), None, {})) for _ in range(20)]

    assert max(seconds for _, seconds in times) < 0.9


def test_the_count_begins_anew_with_each_second():
    pace = Pace(2)

    waits = [pace.wait("203.0.113.7", now) for now in (5.0, 5.1, 5.2, 5.9, 6.0, 6.1, 6.2)]

    assert waits == [0, 0, 1, 1 + 1 / SPREAD, 0, 0, 1]


def test_the_memory_is_bounded():
    pace = Pace(1)

    for number in range(PACED_ADDRESSES_MAX + 10):
        pace.wait(str(number), 5.0)

    assert len(pace._refusals) == PACED_ADDRESSES_MAX
