"""A service that is told to stop leaves quietly, whatever its clients did just before."""

import http.client
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

CLIENTS = 16
STOP_SECONDS = 60


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
    ]
    environment = os.environ | {"WEIGHBRIDGE_API_PROCESSES": "2"}
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
