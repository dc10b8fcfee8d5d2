"""How a call is carried out: what is sent again and what never is, told without a service or time."""

from itertools import pairwise

import httpx2 as http
import pytest

from weighbridge.client import Client, Failed, Invalid, NotFound, RateLimited, Unreachable, UnreadableAnswer
from weighbridge.client.calls import ATTEMPTS_MAX, Call, Received, Send, call, execute_call
from weighbridge.client.flows import await_task

READ = call("GET", "/projects/{project_id}", dict, names={"project_id": "prj_1"})
WRITE = call("POST", "/projects", dict, body={"project": {"name": "Plant"}}, takes_key=True)
WITHOUT_KEY = call("DELETE", "/ledgers/lgr_1", None)
LOST = Received(0, b"ConnectError: refused")
DONE = Received(200, b'{"id": 1}')


def carried(what: Call, *answers, pauses=None):
    """What the call comes to, the requests that were sent, and the pauses between them."""
    sent, pauses = [], [] if pauses is None else pauses
    answer, rest, flow = None, iter(answers), execute_call(what)
    try:
        while True:
            step = flow.send(answer)
            answer = next(rest) if isinstance(step, Send) else None
            if isinstance(step, Send):
                sent.append(step.call)
            else:
                pauses.append(step.seconds)
    except StopIteration as end:
        return end.value, sent, pauses


def refused(status, *, code="invalid", retry_after=None):
    content = b'{"errors": [{"message": "No.", "code": "%s"}], "request_id": "r-1"}' % code.encode()
    return Received(status, content, retry_after)


def test_an_answer_is_read_once():
    result, sent, pauses = carried(READ, DONE)

    assert (result, len(sent), pauses) == ({"id": 1}, 1, [])


@pytest.mark.parametrize("failure", [LOST, refused(503, retry_after="2"), refused(502), refused(408)])
def test_reading_is_tried_again(failure):
    result, sent, pauses = carried(READ, failure, failure, DONE)

    assert (result, len(sent), len(pauses)) == ({"id": 1}, 3, 2)


def test_a_write_is_sent_again_with_the_same_key_and_body():
    _, sent, _ = carried(WRITE, LOST, DONE)

    assert len({(one.key, one.body) for one in sent}) == 1
    assert sent[0].key


def test_a_key_that_the_caller_gives_stays():
    asked = call("POST", "/projects", dict, body={}, takes_key=True, key="mine")

    _, sent, _ = carried(asked, DONE)

    assert sent[0].key == "mine"


def test_two_calls_have_two_keys():
    keys = {carried(WRITE, DONE)[1][0].key for _ in range(3)}

    assert len(keys) == 3


def test_what_has_no_key_is_sent_once_when_nobody_knows_whether_it_arrived():
    with pytest.raises(Unreachable, match=r"DELETE .* was not answered: ConnectError"):
        carried(WITHOUT_KEY, LOST)


def test_whoever_is_asked_to_wait_waits_so_long_at_least():
    _, _, pauses = carried(
        WITHOUT_KEY, refused(429, code="rate_limited", retry_after="7"), Received(204, b"")
    )

    assert 7 <= pauses[0] <= 7 * 1.25


def test_a_quota_that_says_no_time_is_told_at_once():
    with pytest.raises(RateLimited):
        carried(READ, refused(429))


def test_a_twin_under_way_is_waited_for():
    under_way = refused(409, code="in_progress", retry_after="1")

    result, sent, _ = carried(WRITE, under_way, DONE)

    assert (result, len(sent)) == ({"id": 1}, 2)


def test_pauses_grow_and_end():
    pauses = []

    with pytest.raises(Unreachable):
        carried(READ, *[LOST] * ATTEMPTS_MAX, pauses=pauses)

    assert len(pauses) == ATTEMPTS_MAX - 1
    assert all(later > earlier for earlier, later in pairwise(pauses))


@pytest.mark.parametrize(("status", "kind"), [(404, NotFound), (422, Invalid), (500, Failed)])
def test_a_refusal_is_an_error_of_its_own_kind_with_all_that_was_said(status, kind):
    with pytest.raises(kind) as caught:
        carried(READ, refused(status))

    assert (caught.value.status, caught.value.request_id) == (status, "r-1")
    assert [(each.code, each.message) for each in caught.value.errors] == [("invalid", "No.")]


def test_something_else_that_answers_is_told_from_the_service():
    with pytest.raises(UnreadableAnswer, match="<html>"):
        carried(READ, Received(404, b"<html>not here</html>"))
    with pytest.raises(UnreadableAnswer, match="something else"):
        carried(READ, Received(200, b"<html>hello</html>"))


def test_a_client_tells_of_retries_and_not_of_looks_at_a_task():
    at = "2026-03-01T00:00:00Z"
    task = {"id": 7, "type": "export", "state": "running", "progress": 0, "created_at": at, "args": {}}
    task |= dict.fromkeys(
        ("progress_description", "started_at", "finished_at", "error_message", "result"), None
    )
    answers = iter([(503, {}), (200, task), (200, {**task, "state": "complete", "progress": 100})])

    def answered(_request):
        status, body = next(answers)
        return http.Response(status, json=body)

    told, paused = [], []
    transport = http.MockTransport(answered)
    waits = {"pause": paused.append, "tell_retry": told.append, "token": "of nobody"}
    with Client("http://plant.example", transport=transport, **waits) as client:
        client.run(await_task(7, timeout=None, show=None))

    assert (len(paused), told) == (2, paused[:1])
