"""A service of its own for a benchmark: real processes, a fresh database, nothing shared with other runs."""

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from weighbridge.db.embedded.instance import server

START_SECONDS = 60


@dataclass
class Service:
    """A running service and a token for it."""

    data_dir: Path
    host: str
    port: int
    token: str
    database_url: str
    process: subprocess.Popen[str]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=300)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """One request; the answer's JSON. An answer that is no success ends the benchmark."""
        connection = self.connect()
        status, answer = send(
            connection, self.token, method, path, None if body is None else json.dumps(body).encode()
        )
        connection.close()
        assert status < 400, answer
        return json.loads(answer)


def send(
    connection: http.client.HTTPConnection, token: str, method: str, path: str, body: bytes | None
) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request(method, f"/api/v1{path}", body=body, headers=headers)
    response = connection.getresponse()
    return response.status, response.read()


class Line:
    """A connection that sends one ready request again and again, and reads the answers.

    The standard library's client takes about as long for a small request as the service does. The rate of
    a service that is asked over one connection is to be the service's, so this one does next to nothing.
    """

    def __init__(
        self, running: Service, method: str, path: str, body: bytes, *, prefix: str = "/api/v1"
    ) -> None:
        self._socket = socket.create_connection((running.host, running.port), timeout=300)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = (
            f"{method} {prefix}{path} HTTP/1.1\r\nHost: {running.host}:{running.port}\r\n"
            f"Authorization: Bearer {running.token}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._request = head.encode() + body

    def send(self) -> tuple[int, bytes]:
        """One request; the status and the body of its answer."""
        self._socket.sendall(self._request)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._arrived()
        head, _, answer = received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or b"0")
        while len(answer) < length:
            answer += self._arrived()
        return int(head.split(b" ", 2)[1]), answer

    def close(self) -> None:
        self._socket.close()

    def _arrived(self) -> bytes:
        arrived = self._socket.recv(65_536)
        assert arrived, "the service closed the connection"
        return arrived


@contextlib.contextmanager
def service(*, api_processes: int = 1, with_worker: bool = False) -> Iterator[Service]:
    """Start a service in a temporary folder and stop it at the end."""
    programs = Path(sys.executable).parent
    with (
        tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder,
        started(programs, folder, api_processes=api_processes, with_worker=with_worker) as running,
        server(running.data_dir) as url,
    ):
        yield replace(running, database_url=url)


@contextlib.contextmanager
def started(programs: Path, folder: str, *, api_processes: int, with_worker: bool) -> Iterator[Service]:
    """Start the service of a checkout by the folder of its programs; it has no URL of the database."""
    command = str(programs / "weighbridge")
    variables = {"WEIGHBRIDGE_RATE_LIMIT_PER_MINUTE": "0", "WEIGHBRIDGE_LOG_LEVEL": "warning"}
    arguments = [command, "serve", "--data-dir", folder, "--port", "0", "--api-processes", str(api_processes)]
    process = subprocess.Popen(
        [*arguments, *([] if with_worker else ["--no-worker"])],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | variables,
    )
    try:
        assert process.stdout is not None
        ready = re.match(r"ready http://([^:]+):(\d+)", process.stdout.readline())
        assert ready, "the service did not start"
        token = subprocess.run(
            [command, "token", "create", "--data-dir", folder, "--name", "bench", "--all"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        yield Service(Path(folder), ready[1], int(ready[2]), token, "", process)
    finally:
        process.terminate()
        process.wait(timeout=START_SECONDS)


def upload_file(running: Service, path: str, content: bytes, file_name: str) -> Any:
    """Send a file to a feed; the upload that reads it."""
    boundary = uuid.uuid4().hex
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{file_name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    connection = running.connect()
    connection.request(
        "POST",
        f"/api/v1{path}",
        head.encode() + content + f"\r\n--{boundary}--\r\n".encode(),
        {
            "Authorization": f"Bearer {running.token}",
            "Content-Type": f"multipart/form-data; boundary={boundary}",
        },
    )
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    assert response.status == 202, answer
    return json.loads(answer)


def peak_memory_mb(pid: int) -> float:
    """The most memory that a process has held so far, in MB (VmHWM of Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024


def descendants(pid: int) -> list[int]:
    """The processes below a process."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in map(int, children) for one in (child, *descendants(child))]


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def now() -> float:
    return time.perf_counter()
