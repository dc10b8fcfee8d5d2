"""A service that is told to stop leaves quietly, whatever its clients did just before."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.durability.real_service import Service
from tests.durability.remote import Site

CLIENTS = 16
STOP_SECONDS = 60
LONG_SECONDS = 600
"""What requests in progress may take: far more than the test waits, so that whatever is held up is seen."""
PATIENT_SECONDS = 30
"""How long a request waits for a change that does not come."""


def test_clients_that_leave_just_before_the_stop_do_not_make_the_api_crash_on_its_way_out(
    folder: Path, migrated_dir: Path
):
    command = [
        Path(sys.executable).with_name("weighbridge"),
        "serve",
        "--data-dir",
        migrated_dir,
        "--port",
        "0",
        "--no-worker",
    ]
    environment = os.environ | {"WEIGHBRIDGE_API_PROCESSES": "2", "WEIGHBRIDGE_COMPUTING_PROCESSES": "0"}
    log = folder / "log"
    with (
        log.open("w") as written,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=written, text=True, env=environment
        ) as service,
    ):
        assert service.stdout is not None
        ready = re.match(r"ready http://([^:]+):(\d+)", service.stdout.readline())
        assert ready
        clients = [http.client.HTTPConnection(ready[1], int(ready[2])) for _ in range(CLIENTS)]
        for client in clients:
            client.request("GET", "/healthz")
            client.getresponse().read()
        for client in clients:
            client.close()
        service.send_signal(signal.SIGTERM)
        code = service.wait(STOP_SECONDS)

    assert code == 0
    assert "panicked" not in log.read_text()


def test_streams_and_requests_that_wait_do_not_hold_up_the_stop(folder, migrated_dir):
    site = Site(folder, migrated_dir)
    service = Service(
        migrated_dir, site.token, log=site.log, options=("--no-worker",),
        WEIGHBRIDGE_SHUTDOWN_SECONDS=str(LONG_SECONDS),
    )  # fmt: skip
    parts = urlsplit(service.address)
    with ExitStack() as opened:
        opened.callback(service.close)

        def ask(path, accept):
            connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=STOP_SECONDS)
            opened.callback(connection.close)
            headers = {"Authorization": f"Bearer {service.token}", "Accept": accept}
            connection.request("GET", f"/api/v1{path}", headers=headers)
            return connection

        streams = [ask("/changes", "text/event-stream").getresponse() for _ in range(3)]
        for stream in streams:
            assert stream.status == 200
            while not stream.readline().startswith(b"id: "):
                pass
        cursor = json.loads(ask("/changes?after=latest", "*/*").getresponse().read())["cursor"]
        patient = ask(f"/changes?wait={PATIENT_SECONDS}&after={cursor}", "*/*")
        begun = time.monotonic()

        service.program.signal(signal.SIGTERM)

        assert service.program.exit_code() == 0, site.log.read_text()
        assert time.monotonic() - begun < PATIENT_SECONDS / 2
        for stream in streams:  # which end, and are not cut off
            stream.read()
        with suppress(http.client.RemoteDisconnected):  # when it came too late to wait
            assert json.loads(patient.getresponse().read())["data"] == []
