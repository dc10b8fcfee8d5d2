"""A process that lives and does nothing is started again, like one that died."""

import http.client
import json
import os
import signal
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


@pytest.mark.parametrize("name", ["api-1", "computing-1", "worker"])
def test_a_frozen_process_is_ended_and_started_again(migrated_dir, folder, name):
    computing = str(int(name == "computing-1"))
    variables = {"WEIGHBRIDGE_LOG_FORMAT": "json", "WEIGHBRIDGE_FROZEN_SECONDS": "2"}
    variables |= {"WEIGHBRIDGE_COMPUTING_PROCESSES": computing}
    program = Program(
        *CLI, "serve", "--data-dir", migrated_dir, "--port", 0, "--api-processes", 1,
        log=folder / "stderr", **variables,
    )  # fmt: skip
    try:
        address = program.line().split()[1]
        [leader] = [line["pid"] for line in lines(program, "process_started") if line["process"] == name]
        until(lambda: Path(os.fsdecode(_heartbeat(leader))).stat().st_mtime_ns, what="it gives signs of life")

        os.kill(leader, signal.SIGSTOP)

        [frozen] = until(lambda: lines(program, "process_frozen"), what="it is found")
        assert (frozen["process"], frozen["pid"]) == (name, leader)
        until(lambda: not is_alive(leader), what="it is ended")
        until(lambda: _starts(program, name) == 2, what="it is started again")
        until(lambda: is_healthy(address), what="the service answers again")
    finally:
        program.close()


def _starts(program, name):
    return len([one for one in lines(program, "process_started") if one["process"] == name])


def _heartbeat(number):
    written = Path(f"/proc/{number}/environ").read_bytes()
    variables = dict(line.partition(b"=")[::2] for line in written.split(b"\0"))
    return variables[b"HEARTBEAT_OF_PROCESS"]
