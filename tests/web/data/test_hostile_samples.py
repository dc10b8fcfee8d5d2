"""A file that is meant to hurt its reader, as the sample of a feed or sent to one, holds up nobody else."""

import threading
import time

import pytest
from tests.given.feeds import Feeding
from tests.given.loops import HELD_SECONDS_MAX, tried
from tests.given.people import visitor
from tools.attack import files

PATIENCE_SECONDS = 2.0
"""Other tests run beside this one, so nobody is asked to be quick."""

PAUSE_SECONDS = 0.2
"""Between two requests of others, for a token has 1,000 in a minute and reading a file may take long."""

HOSTILE = {
    "merged cells that never end": files.unclosed_merges,
    "a number's form of brackets": files.nested_brackets,
    "sixteen thousand columns": files.many_columns,
    "long cells in a thousand columns": files.long_cells,
}


@pytest.fixture
def plant(account):
    return Feeding(account)


def beside(send, ask):
    """What comes of a request, and the longest that others waited meanwhile."""
    answers = []
    sending = threading.Thread(target=lambda: answers.append(send()))
    sending.start()
    longest = 0.0
    while sending.is_alive():
        began = time.monotonic()
        ask().expect(200)
        longest = max(longest, time.monotonic() - began)
        sending.join(PAUSE_SECONDS)
    return answers[0], longest


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_others_are_answered_while_a_hostile_sample_is_read(account, plant, stranger, body):
    somebody = visitor(account)
    path = f"{plant.path}/data_feeds/sample?event_type_id={plant.event_type['id']}"
    headers = {
        "sec-fetch-site": "same-origin", "content-type": files.CONTENT_TYPE, "x-csrf-token": somebody.word,
        "cookie": f"weighbridge_session={somebody.cookies['weighbridge_session']}",
    }  # fmt: skip

    def send():
        return account.server.request("POST", path, (), body(None), headers)

    (answer, longest), held = tried(account.server, lambda: beside(send, lambda: stranger.get("/projects")))

    assert answer.status in {200, 422}
    assert held < HELD_SECONDS_MAX
    assert longest < PATIENCE_SECONDS


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_others_are_answered_while_a_hostile_file_is_taken_in(account, plant, stranger, body):
    feed = plant.feed()
    path = f"{plant.path}/data_feeds/{feed['id']}/uploads"

    def send():
        content = body(None).replace(files.VARIED, b"%010d" % (time.monotonic_ns() % 10**10))
        sent = plant.api.send("POST", path, content=content, headers={"content-type": files.CONTENT_TYPE})
        account.drain()
        return sent

    (answer, longest), held = tried(account.server, lambda: beside(send, lambda: stranger.get("/projects")))

    assert answer.status == 202
    assert held < HELD_SECONDS_MAX
    assert longest < PATIENCE_SECONDS
