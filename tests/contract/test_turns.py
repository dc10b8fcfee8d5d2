"""No body, whatever it holds, keeps the event loop from other requests for more than a tenth of a second.

What a request holds the loop for is measured as processor time between two ticks of that loop, so that a busy
machine makes no difference.
"""

from collections.abc import Iterator

import pytest
from tests.given import collection as given
from tests.given.loops import HELD_SECONDS_MAX, tried
from tests.server import Server

MEGABYTE = 1_000_000

TIMES = '"event_type": "delivery", "start_time": "2025-01-01T00:00:00Z"'

SHORT = {
    "a text": b'{"project": {"name": "' + b"x" * MEGABYTE + b'"}}',
    "a text of NUL characters": b'{"project": {"name": "' + b"\\u0000" * (MEGABYTE // 6) + b'"}}',
    "unknown fields": b'{"project": {' + b",".join(b'"nome%d":1' % n for n in range(80_000)) + b"}}",
    "one long unknown field": b'{"project": {"' + b"n" * MEGABYTE + b'":1}}',
    "the same field": b'{"project": {' + b'"name":"x",' * 90_000 + b'"name":"y"}}',
    "a number with many digits": b'{"project": {"name": ' + b"7" * MEGABYTE + b"}}",
    "lists in lists": b'{"project": {"name": ' + b"[" * MEGABYTE,
    "lists in lists, closed": b'{"project": {"name": '
    + b"[" * 900
    + b"0," * 480_000
    + b"0"
    + b"]" * 900
    + b"}}",
    "a list of the wrong type": b"[" + b"1.5," * 240_000 + b"1]",
    "a wrong type with all of it": b'{"project": {"name": [' + b"1.5," * 240_000 + b"1]}}",
    "objects of the wrong type": b'{"project": [' + b'{"a":1},' * 120_000 + b"{}]}",
    "spaces": b" " * MEGABYTE,
}
"""Bodies of a megabyte for an operation that takes one record."""

LONG = 16 * MEGABYTE
LONG_BODIES = {
    "a text": lambda: b'{"events": "' + b"x" * LONG + b'"}',
    "a text of NUL characters": lambda: b'{"events": [{"notes": "' + b"\\u0000" * (LONG // 6) + b'"}]}',
    "NUL characters everywhere": lambda: (
        b'{"events": [' + b",".join([b"{" + TIMES.encode() + b', "notes": "\\u0000"}'] * 100_000) + b"]}"
    ),
    "keys": lambda: b"{" + b",".join(b'"k%d":1' % n for n in range(1_500_000)) + b"}",
    "the same key": lambda: b"{" + b'"events":[],' * (LONG // 12) + b'"events":[]}',
    "a number with many digits": lambda: b'{"events": ' + b"7" * LONG + b"}",
    "lists in lists": lambda: b'{"events": ' + b"[" * LONG,
    "numbers": lambda: b'{"events": [' + b"0," * (LONG // 2) + b"0]}",
    "empty objects": lambda: b'{"events": [' + b"{}," * (LONG // 3) + b"{}]}",
    "unknown fields": lambda: b'{"events": [' + b'{"event_tipe":1},' * (LONG // 17) + b"{}]}",
    "small events": lambda: b'{"events": [' + b",".join([b"{" + TIMES.encode() + b"}"] * 250_000) + b"]}",
    "no event at all": lambda: b" " * LONG,
    "spaces inside": lambda: b'{"events": [' + b" " * LONG + b"]}",
}
"""What makes bodies of 16 megabytes for the operation that takes 10,000 events; each test makes its own."""


def bulk(values):
    """Ten thousand events of 45 megabytes together."""
    points = ", ".join(f'{{"slug": "{slug}", "value": {value}}}' for slug, value in values)
    notes = "x" * (4_400 - len(points))
    event = f'{{{TIMES}, "notes": "{notes}", "data_points": [{points}]}}'
    return f'{{"events": [{", ".join([event] * 10_000)}]}}'.encode()


MANY_VALUES = [(f"value-{n}", n + 0.5) for n in range(100)]


@pytest.fixture(scope="module")
def service(server: Server) -> Iterator[Server]:
    """A service with the body limit that it has by default."""
    with server.again(request_body_bytes=67_108_864) as service:
        yield service


@pytest.fixture
def caller(service):
    return service.account().caller()


@pytest.mark.parametrize("content", SHORT.values(), ids=SHORT)
def test_a_short_body_does_not_hold_up_others(service, caller, content):
    answer, held = tried(service, lambda: caller.post("/projects", content))

    assert answer.status in {400, 413, 422}
    assert len(answer.text) < 5_000
    assert held < HELD_SECONDS_MAX


@pytest.mark.parametrize("made", LONG_BODIES.values(), ids=LONG_BODIES)
def test_a_long_body_does_not_hold_up_others(service, caller, made):
    project = given.measuring(caller, given.number("mass"))
    content = made()

    answer, held = tried(service, lambda: caller.post(f"/projects/{project['id']}/events", content))

    assert answer.status in {400, 413, 422}, answer.text[:200]
    assert len(answer.text) < 5_000
    assert held < HELD_SECONDS_MAX


def test_many_long_events_are_stored_without_holding_up_others(service, caller):
    project = given.measuring(caller, *(given.number(slug) for slug, _ in MANY_VALUES[:20]))
    content = bulk(MANY_VALUES[:20])

    _, held = tried(service, lambda: caller.post(f"/projects/{project['id']}/events", content).expect(201))

    assert held < HELD_SECONDS_MAX


@pytest.mark.parametrize("key", [None, "once"])
def test_many_long_events_that_are_all_wrong_are_refused_without_holding_up_others(service, caller, key):
    project = given.measuring(caller, given.number("mass"))
    content = bulk(MANY_VALUES)
    headers = {} if key is None else {"Idempotency-Key": key}

    path = f"/projects/{project['id']}/events"

    answer, held = tried(
        service, lambda: caller.send("POST", path, content=content, headers=headers).expect(422)
    )

    assert len(answer.errors) == 101
    assert held < HELD_SECONDS_MAX


def test_an_event_with_more_values_than_any_type_has_is_refused_without_holding_up_others(service, caller):
    project = given.measuring(caller, given.number("mass"))
    event = {**given.event_body(), "data_points": [{"slug": "mass", "value": 1}] * 25_000}

    answer, held = tried(service, lambda: caller.post(f"/projects/{project['id']}/events", {"event": event}))
    error = answer.expect(422).error

    assert error["message"] == "event.data_points holds 25,000 values; an event has at most 1,000."
    assert held < HELD_SECONDS_MAX
