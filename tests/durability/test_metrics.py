"""The counters of a service are those of all its processes, whichever of them a request for them meets."""

import http.client
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.durability.processes import until
from tests.durability.real_service import Service

PROCESSES = 2
LISTENING = "0A"

REFUSED = re.compile(r'_requests_total\{method="GET",operation="list_projects",status="401"\} (\S+)')


@pytest.fixture
def service(folder, migrated_dir):
    service = Service(migrated_dir, None, log=folder / "stderr", api_processes=PROCESSES)
    until(lambda: listeners(service) == PROCESSES, what="every process listens")
    yield service
    service.close()


def listeners(service):
    """How many processes listen on the service's port."""
    port = f":{urlsplit(service.address).port:04X}"
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    return sum(words[1].endswith(port) and words[3] == LISTENING for words in sockets)


def get(service, path):
    """Ask over a connection of its own, which any of the processes may take."""
    parts = urlsplit(service.address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.headers["content-type"], response.read().decode()
    finally:
        connection.close()


def test_every_process_tells_the_counters_of_all(service):
    for _ in range(24):
        get(service, "/api/v1/projects")

    told = [get(service, "/metrics") for _ in range(12)]

    assert {REFUSED.search(text)[1] for _, text in told} == {"24.0"}
    assert {kind for kind, _ in told} == {"text/plain; version=1.0.0; charset=utf-8"}


def test_what_a_killed_service_counted_is_removed_when_the_next_one_starts(folder, migrated_dir):
    own = folder / "tmp"
    own.mkdir()

    def start():
        return Service(migrated_dir, None, log=folder / "stderr", TMPDIR=str(own))

    killed = start()
    [left] = own.glob("weighbridge-metrics-*")
    killed.program.kill()
    again = start()

    [made] = own.glob("weighbridge-metrics-*")
    assert made != left
    again.stop()
    assert list(own.glob("weighbridge-metrics-*")) == []
    killed.close()
    again.close()
