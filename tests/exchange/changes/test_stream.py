"""The feed of changes as Server-Sent Events: `list_changes` with `Accept: text/event-stream`."""

import json
import socket
import time
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from http.client import HTTPConnection

import pytest
from tests.given import collection as given
from tests.server import Caller

from weighbridge.core.platform.ticket import Ticket
from weighbridge.http.endpoints.long_polling import LISTENERS_MAX

DEADLINE_SECONDS = 30


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


class Stream:
    """A stream as a browser reads it: fields of lines, an event at each empty line."""

    def __init__(self, response):
        self.response = response
        self.last_id = None

    def next(self):
        """The next event, as its type and what it says; None when the stream has ended."""
        kind, data = "message", None
        while line := self.response.readline().decode():
            name, _, text = line.rstrip("\n").partition(": ")
            if name == "id":
                self.last_id = text
            elif name == "event":
                kind = text
            elif name == "data":
                data = json.loads(text)
            elif not name and data is not None:
                return kind, data
        return None

    def has_begun(self):
        """Wait for the first sign of life, which is sent when the feed was looked at."""
        while not self.last_id:
            line = self.response.readline().decode()
            assert line, "the stream has ended"
            if line.startswith("id: "):
                self.last_id = line[4:].strip()
        return self


@contextmanager
def stream(caller, query="", **headers):
    """A stream that a caller opens, as long as the block lasts; or the answer that refuses it."""
    host, _, port = caller.server.address.removeprefix("http://").partition(":")
    connection = HTTPConnection(host, int(port), timeout=DEADLINE_SECONDS)
    usual = {"Accept": "text/event-stream"}
    if caller.token is not None:
        usual["Authorization"] = f"Bearer {caller.token}"
    try:
        connection.request("GET", f"/api/v1/changes{query}", headers=usual | headers)
        yield connection.getresponse()
    finally:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
        connection.close()


@contextmanager
def following(caller, query="", **headers):
    with stream(caller, query, **headers) as response:
        assert response.status == 200, response.read()
        yield Stream(response).has_begun()


def test_a_listener_is_sent_each_change_as_it_comes(api, plant):
    with stream(api) as response:
        assert response.getheader("content-type") == "text/event-stream; charset=utf-8"
        assert response.getheader("cache-control") == "no-store"
        listener = Stream(response).has_begun()
        for mass in range(3):
            event = given.event(api, plant, values={"mass": mass})
            kind, change = listener.next()
            assert kind == "message"
            assert (change["kind"], change["action"], change["id"]) == ("event", "create", event["id"])
            assert change["cursor"] == listener.last_id


def test_a_listener_that_comes_back_is_sent_what_follows_once(api, plant):
    with following(api) as listener:
        given.event(api, plant, values={"mass": 1})
        listener.next()
        last = listener.last_id
    missed = given.events(api, plant, [given.event_body(values={"mass": mass}) for mass in range(300)])

    with stream(api, "?after=1.0", **{"Last-Event-ID": last}) as response:
        found = [Stream(response).next()[1]["id"] for _ in missed]

    assert found == [event["id"] for event in missed]


def test_a_listener_begins_where_it_asks_for(api, plant):
    event = given.event(api, plant, values={"mass": 1})
    begun = api.get("/changes", {"kind": "event"}).data[0]["cursor"]
    other = given.event(api, plant, values={"mass": 1})

    with stream(api, f"?after={begun}&kind=event") as response:
        assert Stream(response).next()[1]["id"] == other["id"] != event["id"]


def test_a_listener_is_sent_what_it_asks_for_and_may_read(account, api, plant):
    other = given.measuring(api, given.number("mass"))
    batches = account.caller("production_accounting:read")
    with (
        following(api, f"?project_id={plant['id']}") as of_project,
        following(batches) as of_batches,
    ):
        given.event(api, other, values={"mass": 1})
        here = given.event(api, plant, values={"mass": 1})
        export = api.get("/projects", {"response_mode": "summary_with_export"}).body["export"]["id"]

        assert of_project.next()[1]["id"] == here["id"]
        task = str(api.get(f"/exports/{export}").body["async_task_id"])
        assert of_batches.next()[1]["id"] == task
    account.drain()


def test_a_stream_ends_when_its_token_is_revoked(account, api, plant, sql):
    reader = account.caller()
    with following(reader) as listener:
        sql(
            "UPDATE api_tokens SET revoked_at = now() WHERE id = "
            "(SELECT max(id) FROM api_tokens WHERE account_id = %s)",
            account.id,
        )
        given.event(api, plant, values={"mass": 1})

        assert listener.next() == (
            "end",
            {"message": "The token has been revoked.", "code": "token_revoked"},
        )
        assert listener.next() is None


def test_a_stream_that_cannot_begin_is_refused(api):
    refusals = [
        ("?after=x", {}, 400), ("?wait=1", {}, 400), ("?after=999999.0", {}, 410), ("?kind=x", {}, 400),
        ("", {"Last-Event-ID": "999999.0"}, 410), ("", {"Authorization": "Bearer x"}, 401),
    ]  # fmt: skip
    for query, headers, status in refusals:
        with stream(api, query, **headers) as response:
            assert (response.status, query) == (status, query)
            assert json.loads(response.read())["errors"]


def test_whoever_asks_for_the_head_alone_is_not_kept(api):
    answer = api.send("HEAD", "/changes", headers={"accept": "text/event-stream"})

    assert (answer.status, answer.content) == (200, b"")


def test_an_account_has_so_many_streams_and_leaves_them(api, server):
    with ExitStack() as opened:
        for _ in range(LISTENERS_MAX):
            opened.enter_context(following(api))
        with stream(api) as refused:
            assert refused.status == 429
            assert "50 streams" in json.loads(refused.read())["errors"][0]["message"]
        with following(server.account().caller()):
            api.get("/projects").expect(200)
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        with stream(api) as again:
            if again.status == 200:
                return
        assert time.monotonic() < deadline, "the place of a stream that nobody reads is free again"
        time.sleep(0.01)


def test_a_cookie_opens_no_stream(server):
    connection = HTTPConnection(server.address.removeprefix("http://"), timeout=DEADLINE_SECONDS)
    headers = {"Accept": "text/event-stream", "Cookie": "weighbridge_session=any"}
    connection.request("GET", "/api/v1/changes", headers=headers)

    assert connection.getresponse().status == 401
    connection.close()


def ticket_of(caller, **body):
    return caller.post("/changes/issue_ticket", body).expect(200).body["ticket"]


def test_a_ticket_opens_the_stream_in_place_of_a_token(server, api, plant):
    ticket = ticket_of(api)

    with following(server.anyone, f"?kind=event&ticket={ticket}") as listener:
        event = given.event(api, plant, values={"mass": 1})
        assert listener.next()[1]["id"] == event["id"]


def test_a_ticket_lives_for_ten_minutes_or_as_long_as_asked(api):
    before = datetime.now(UTC)
    usual = api.post("/changes/issue_ticket", {}).body["expires_at"]
    asked = api.post("/changes/issue_ticket", {"expires_in_seconds": 3_600}).body["expires_at"]

    lives = [(datetime.fromisoformat(at) - before).total_seconds() for at in (usual, asked)]
    assert 595 < lives[0] < 660
    assert 3_595 < lives[1] < 3_660
    for seconds in (0, 3_601, "x"):
        answer = api.post("/changes/issue_ticket", {"expires_in_seconds": seconds})
        assert (answer.status, answer.error["field"]) == (400, "expires_in_seconds")


def test_a_ticket_reads_what_its_token_may_read(account, server, api, plant):
    reader = account.caller("production_accounting:read")

    with following(server.anyone, f"?ticket={ticket_of(reader)}") as listener:
        given.event(api, plant, values={"mass": 1})
        export = api.get("/projects", {"response_mode": "summary_with_export"}).body["export"]["id"]
        assert listener.next()[1]["id"] == str(api.get(f"/exports/{export}").body["async_task_id"])
    account.drain()


def test_a_ticket_ends_with_its_token(account, server, api, plant, sql):
    ticket = ticket_of(account.caller())
    with following(server.anyone, f"?ticket={ticket}") as listener:
        sql(
            "UPDATE api_tokens SET revoked_at = now() WHERE id = "
            "(SELECT max(id) FROM api_tokens WHERE account_id = %s)",
            account.id,
        )
        given.event(api, plant, values={"mass": 1})
        assert listener.next()[0] == "end"

    assert refused(server, f"?ticket={ticket}") == (401, "token_revoked")


def test_a_ticket_that_is_forged_or_expired_opens_nothing(server, api, sql):
    ticket = ticket_of(api)
    name, account, token, ends, signature = ticket.split("_", 4)
    [[stored]] = sql("SELECT secret_hash FROM api_tokens WHERE id = %s", int(token))
    past = Ticket(int(account), int(token), int(datetime.now(UTC).timestamp()) - 1).sign(stored)
    forged = [
        "x", "_".join((name, account, token, str(int(ends) + 1), signature)), ticket + "x", ticket[:-1],
        "_".join((name, str(int(account) + 1), token, ends, signature)),
    ]  # fmt: skip

    assert {refused(server, f"?ticket={text}") for text in forged} == {(401, "token_unknown")}
    assert refused(server, f"?ticket={past}") == (401, "token_expired")


def test_a_ticket_opens_nothing_but_a_stream_and_stands_alone(server, api):
    ticket = ticket_of(api)

    assert refused(server, f"?ticket={ticket}&ticket={ticket}") == (400, "conflict")
    with stream(api, f"?ticket={ticket}") as both:
        assert (both.status, json.loads(both.read())["errors"][0]["field"]) == (400, "ticket")
    assert server.anyone.get("/changes", {"ticket": ticket}).expect(400).error["field"] == "ticket"
    assert Caller(server, ticket).get("/changes").expect(401).error["code"] == "token_unknown"
    server.anyone.get("/projects", {"ticket": ticket}).expect(401)


def refused(server, query):
    with stream(server.anyone, query) as answer:
        return answer.status, json.loads(answer.read())["errors"][0]["code"]
