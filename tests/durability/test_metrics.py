"""The counters of a service are those of all its processes, on a port of their own."""

import http.client
import re
import signal
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.durability.processes import until
from tests.durability.real_service import Service
from tests.durability.test_serve_command import weighbridge

from weighbridge.http.metrics import METRICS

PROCESSES = 2
LISTENING = "0A"

REFUSED = re.compile(r'_requests_total\{method="GET",operation="list_projects",status="401"\} (\S+)')


@pytest.fixture(scope="module")
def metrics_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@pytest.fixture(scope="module")
def service(shared_folder, shared_dir, metrics_port):
    service = Service(
        shared_dir,
        None,
        log=shared_folder / "stderr",
        api_processes=PROCESSES,
        WEIGHBRIDGE_METRICS_PORT=str(metrics_port),
    )
    until(lambda: listeners(service) == PROCESSES, what="every process listens")
    yield service
    service.close()


def listeners(service):
    """How many processes listen on the service's port."""
    port = f":{urlsplit(service.address).port:04X}"
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    return sum(words[1].endswith(port) and words[3] == LISTENING for words in sockets)


def sent(port, path, method="GET"):
    """Ask over a connection of its own, which any of the processes may take."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, response.headers["content-type"], response.read().decode()
    finally:
        connection.close()


OF_SOME = {
    "weighbridge_backup_reaches_timestamp_seconds",
    "weighbridge_cell_bytes",
    "weighbridge_cell_up",
    "weighbridge_last_backup_timestamp_seconds",
    "weighbridge_replica_lag_seconds",
}
"""What only a service tells that has backups, a replica, or several cells."""


def refused(metrics_port):
    """How many requests for projects were refused so far, by the counters."""
    found = REFUSED.search(sent(metrics_port, "/metrics")[2])
    return float(found[1]) if found else 0


def test_the_counters_are_those_of_all_processes(service, metrics_port):
    port = urlsplit(service.address).port
    before = refused(metrics_port)
    for _ in range(24):
        sent(port, "/api/v1/projects")

    until(lambda: refused(metrics_port) == before + 24, what="all are counted")
    status, kind, text = sent(metrics_port, "/metrics")
    assert (status, kind) == (200, "text/plain; version=1.0.0; charset=utf-8")
    assert 'weighbridge_request_seconds_bucket{le="0.001",operation="list_projects"}' in text
    assert 'weighbridge_tasks{state="pending"} 0' in text
    assert "prj_" not in text


def test_every_counter_on_the_page_is_in_the_table_with_its_kind_and_labels(service, metrics_port):
    sent(urlsplit(service.address).port, "/api/v1/projects")
    text = until(lambda: told_of_a_request(metrics_port), what="a request is counted")

    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))
    assert {name: METRICS[name].kind for name in kinds} == kinds
    for name, labels in re.findall(r"^(weighbridge_\w+)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        whole = name if name in METRICS else re.sub("_(bucket|sum|count)$", "", name)
        of_one_cell = set(METRICS[whole].labels) - {"cell"}
        assert set(re.findall(r'(\w+)="', labels)) - {"le"} == of_one_cell
    gauges = {name for name, metric in METRICS.items() if metric.kind == "gauge"}
    assert gauges - OF_SOME <= kinds.keys()


@pytest.mark.usefixtures("service")
def test_the_gauges_tell_of_the_database_and_of_processes(metrics_port):
    text = sent(metrics_port, "/metrics")[2]

    assert "\nweighbridge_database_up 1\n" in text
    assert '\nweighbridge_process_starts_total{process="api-2"} 1\n' in text
    for kind in ("tasks", "deliveries", "seals", "numbers", "roll_ups"):
        assert f'\nweighbridge_waiting{{work="{kind}"}} ' in text


def told_of_a_request(metrics_port):
    """The counters, when they tell of a request for projects."""
    text = sent(metrics_port, "/metrics")[2]
    return text if 'operation="list_projects"' in text else None


def told_of_others(metrics_port):
    """The counters, when they tell of a method that is none of the usual."""
    text = sent(metrics_port, "/metrics")[2]
    return text if 'method="other"' in text else None


def test_methods_that_a_caller_makes_up_are_counted_as_one(service, metrics_port):
    for method in ("BREW", "WEIGH"):
        sent(urlsplit(service.address).port, "/api/v1/projects", method)

    text = until(lambda: told_of_others(metrics_port), what="the methods are counted")

    assert ("BREW" in text, "WEIGH" in text) == (False, False)


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize("path", ["/", "//metrics", "/metrics/", "/healthz", "/api/v1/projects"])
def test_nothing_else_is_served_beside_the_counters(metrics_port, path):
    assert sent(metrics_port, path)[0] == 404


def test_the_counters_are_not_served_where_accounts_call(service):
    assert sent(urlsplit(service.address).port, "/metrics")[0] == 404


def test_the_counters_are_made_once_a_second_however_many_ask(service, metrics_port):
    pages = {sent(metrics_port, "/metrics")[2]}
    started = time.monotonic()
    for _ in range(100):
        sent(urlsplit(service.address).port, "/api/v1/projects")
        pages.add(sent(metrics_port, "/metrics")[2])

    assert len(pages) <= time.monotonic() - started + 2


@pytest.mark.usefixtures("service")
def test_readers_that_say_nothing_do_not_keep_the_counters_from_others(metrics_port):
    with ExitStack() as silent:
        for _ in range(40):
            silent.enter_context(socket.create_connection(("127.0.0.1", metrics_port)))

        def is_answered():
            try:
                return sent(metrics_port, "/metrics")[0] == 200
            except OSError:
                return False

        until(is_answered, what="silent readers are sent away")


def test_a_port_for_the_counters_that_is_taken_is_said(migrated_dir):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        tried = weighbridge(
            "serve", "--data-dir", migrated_dir, "--port", "0", WEIGHBRIDGE_METRICS_PORT=str(port)
        )

    assert tried.returncode != 0
    assert f"The counters cannot be served on 127.0.0.1 port {port}" in tried.stderr


def test_what_a_killed_service_counted_is_removed_when_the_next_one_starts(folder, migrated_dir, serve):
    own = folder / "tmp"
    own.mkdir()
    killed = serve(migrated_dir, TMPDIR=str(own))
    assert killed.line().startswith("ready")
    [left] = own.glob("weighbridge-metrics-*")
    killed.kill()

    again = serve(migrated_dir, TMPDIR=str(own))

    assert again.line().startswith("ready")
    [made] = own.glob("weighbridge-metrics-*")
    assert made != left
    again.signal(signal.SIGTERM)
    assert again.exit_code() == 0
    assert list(own.glob("weighbridge-metrics-*")) == []
