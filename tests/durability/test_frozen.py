"""A process that lives and does nothing is started again, like one that died."""

import http.client
import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.durability.processes import Program, is_alive, until

CLI = ("-m", "weighbridge")


def lines(program, event):
    found = [json.loads(line) for line in program.log.read_text().splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == event]


def is_healthy(address):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=2)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@pytest.fixture(scope="module")
def service(shared_folder, shared_dir):
    """A service that looks after each of its parts, and its address."""
    program = Program(
        *CLI, "serve", "--data-dir", shared_dir, "--port", 0, "--api-processes", 1,
        log=shared_folder / "stderr",
        WEIGHBRIDGE_LOG_FORMAT="json",
        WEIGHBRIDGE_FROZEN_SECONDS="2",
        WEIGHBRIDGE_COMPUTING_PROCESSES="1",
    )  # fmt: skip
    yield program, program.line().split()[1]
    program.close()


@pytest.mark.parametrize("name", ["api-1", "computing-1", "worker"])
def test_a_frozen_process_is_ended_and_started_again(service, name):
    program, address = service
    leader = until(lambda: _beating(program, name), what="it gives signs of life")

    os.kill(leader, signal.SIGSTOP)

    until(lambda: (name, leader) in _frozen(program), what="it is found")
    until(lambda: not is_alive(leader), what="it is ended")
    until(lambda: _started(program, name)[-1] != leader, what="it is started again")
    until(lambda: is_healthy(address), what="the service answers again")


def _started(program, name):
    """The numbers of a part's processes, oldest first."""
    return [one["pid"] for one in lines(program, "process_started") if one["process"] == name]


def _frozen(program):
    return [(one["process"], one["pid"]) for one in lines(program, "process_frozen")]


def _beating(program, name):
    """The number of a part's newest process, when it lives and has given a sign of it."""
    newest = _started(program, name)[-1]
    with suppress(OSError, KeyError):
        if is_alive(newest) and _heartbeat(newest, name).stat().st_mtime_ns:
            return newest
    return None


def _heartbeat(number, name):
    """The file of signs of life of a process, in the folder in which all of its service count."""
    written = Path(f"/proc/{number}/environ").read_bytes()
    variables = dict(line.partition(b"=")[::2] for line in written.split(b"\0"))
    return Path(os.fsdecode(variables[b"PROMETHEUS_MULTIPROC_DIR"]), f"heartbeat-{name}")
