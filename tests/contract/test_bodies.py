"""A body of JSON has one meaning, and is as long as what it asks for needs.

Long bodies are decoded in pieces; they come to the same, and are refused in the same words, as short ones.
"""

import json

import pytest
from tests.given import collection as given

from weighbridge.http.messages.body import BODY_BYTES_MAX
from weighbridge.http.pieces import PIECE_BYTES_MAX

REPEATED = "The key {} occurs twice in one object of the body; it must occur once."


def long_body(count, *, at=None, broken=None, notes="x" * 4_000):
    """Events that take more than one piece together, one of which may be another."""
    bodies = [
        given.event_body(start_time=f"2025-01-01T00:{n // 60:02}:{n % 60:02}Z", notes=notes)
        for n in range(count)
    ]
    if at is not None:
        bodies[at] = {**bodies[at], **broken}
    return {"events": bodies}


@pytest.fixture
def project(api):
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def send(api, project):
    return lambda body: api.post(f"/projects/{project['id']}/events", body)


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b'{"project": {"name": "a"}, "project": {"name": "b"}}', "'project'"),
        (b'{"project": {"name": "a", "name": "b"}}', "'name'"),
        (b'{"project": {"name": "a", "n\\u0061me": "b"}}', "'name'"),
        (b'{"project": {"name" : "a", "name"\t: "b"}}', "'name'"),
    ],
)
def test_a_key_that_stands_twice_in_an_object_is_refused(api, content, key):
    error = api.post("/projects", content).expect(400).error

    assert (error["message"], error["code"]) == (REPEATED.format(key), "malformed")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"notes": "first"', '"notes": "first", "notes": "second"'),
        ('"notes": "first"', '"notes": "\\": ", "notes" : "second"'),
        ('"value": 7', '"value": 7, "value": 8'),
        ('"value": 7', '"value": 7, "value" :8'),
        ('"value": 7', '"value": {"a": 1, "a": 2}'),
        ('"notes": "first"', '"end_time": "2025-01-01T00:00:00Z", "end_time": null'),
    ],
)
def test_a_key_that_stands_twice_is_found_among_many_events(send, before, after):
    bodies = [given.event_body(values={"mass": 7}, notes="first") for _ in range(100)]
    text = json.dumps({"events": bodies})
    place = text.rindex(before)

    error = send((text[:place] + after + text[place + len(before) :]).encode()).expect(400).error

    assert "occurs twice in one object of the body" in error["message"]


def test_many_events_whose_keys_stand_once_are_taken_whatever_their_texts_say(send):
    bodies = [
        given.event_body(values={"mass": 7}, notes='"notes": "notes":', tracking_id=None) for _ in range(100)
    ]

    assert len(send({"events": bodies}).expect(201).body["data"]) == 100


def test_a_body_is_taken_up_to_the_limit_of_its_operation_and_refused_above_with_the_limit(api):
    name = {"project": {"name": "x"}}
    text = json.dumps(name).encode()

    api.post("/projects", text + b" " * (BODY_BYTES_MAX - len(text))).expect(201)
    error = api.post("/projects", text + b" " * (BODY_BYTES_MAX + 1 - len(text))).expect(413).error

    assert error["message"] == "The body is larger than this request takes; it takes 1,048,576 bytes at most."


def test_a_body_of_several_pieces_is_stored_as_it_was_sent(api, project, send):
    body = long_body(600, at=599, broken={"notes": "the last"})

    receipts = send(body).expect(201).body["data"]

    assert len(receipts) == 600
    last = api.get(f"/projects/{project['id']}/events/{receipts[599]['id']}").expect(200).body
    assert (last["notes"], last["start_time"]) == ("the last", "2025-01-01T00:09:59.000Z")


WRONG = {
    "an unknown field": ({"note": "x"}, "events[{}].note is not a field of this request"),
    "a wrong type": ({"notes": 7}, "events[{}].notes is 7; it takes a text or null."),
    "a NUL": ({"notes": "a\0b"}, "events[{}].notes holds a NUL character, which no text may."),
    "a missing field": ({"start_time": None}, "events[{}].start_time is null; it takes a time"),
    "a wrong value": ({"notes": "x" * 10_001}, "events[{}].notes has 10001 characters; allowed are 10000."),
    "a wrong value inside": (
        {"data_points": [{"slug": "mass", "value": []}]},
        "events[{}].data_points[0].value",
    ),
}


@pytest.mark.parametrize(("broken", "said"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("at", [0, 1, 599])
def test_what_is_wrong_in_a_body_of_several_pieces_is_named_by_its_place(send, broken, said, at):
    answer = send(long_body(600, at=at, broken=broken))

    assert answer.status in {400, 422}
    assert answer.error["message"].startswith(said.format(at))
    assert answer.error["field"].startswith(f"events[{at}].")


BEHIND = {
    "cut short": (b"", "The body is not valid JSON: input data was truncated"),
    "a list left open": (b"}", "The body is not valid JSON: expected ','"),
    "something behind": (b"]} {}", "The body is not valid JSON: something follows behind its end"),
    "an unknown field": (b'], "evnts": 1}', "evnts is not a field of this request"),
    "the list again": (b'], "events": []}', "The key 'events' occurs twice"),
}


@pytest.mark.parametrize(("end", "said"), BEHIND.values(), ids=BEHIND)
def test_what_is_wrong_around_the_events_of_a_long_body_is_said(send, end, said):
    text = json.dumps(long_body(600)).encode()

    assert send(text.removesuffix(b"]}") + end).expect(400).error["message"].startswith(said)


def test_one_record_takes_no_more_than_a_piece(send):
    points = [{"slug": "mass", "value": "x" * 100}] * (PIECE_BYTES_MAX // 100)
    body = {"events": [given.event_body(), {**given.event_body(), "data_points": points}]}

    error = send(body).expect(413).error

    assert error["field"] == "events[1]"
    assert "longer than 1,048,576 bytes, the most that one record of a request takes." in error["message"]
