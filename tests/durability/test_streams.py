"""Streams of the real service: what a listener leaves behind when it goes is nothing."""

import http.client
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from tests.durability.real_service import Service
from tests.durability.remote import Site

from weighbridge.http.endpoints.long_polling import LISTENERS_MAX

DEADLINE_SECONDS = 30


@pytest.fixture
def service(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    service = Service(migrated_dir, site.token, log=site.log, options=("--no-worker",))
    yield service
    service.close()
    site.close()


def listening(service, opened):
    """The status of a request for a stream, which stays open as long as the stack."""
    parts = urlsplit(service.address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=DEADLINE_SECONDS)
    opened.callback(connection.close)
    headers = {"Authorization": f"Bearer {service.token}", "Accept": "text/event-stream"}
    connection.request("GET", "/api/v1/changes", headers=headers)
    response = connection.getresponse()
    opened.callback(response.close)
    return response.status


def test_the_places_of_listeners_that_went_are_free_again(service):
    with ExitStack() as opened:
        assert {listening(service, opened) for _ in range(LISTENERS_MAX)} == {200}
        assert listening(service, opened) == 429

    deadline = time.monotonic() + DEADLINE_SECONDS
    with ExitStack() as opened:
        while listening(service, opened) != 200:
            assert time.monotonic() < deadline, "a place is free again"
            time.sleep(0.05)
