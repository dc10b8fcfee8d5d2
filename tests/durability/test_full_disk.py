"""On a disk without a byte left the service reads, says what is full, and revokes tokens."""

import asyncio
import http.client
import io
import json
import os
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
from tests.durability.processes import Program, environment, until
from tests.durability.real_service import USUAL

from weighbridge.collection.evidence_files import open_store
from weighbridge.db.embedded.cluster import FILE
from weighbridge.errors import Unavailable

CLI = ("-m", "weighbridge")
DISK = "260m"
WRITES_MAX = 2_000


@pytest.fixture
def small_disk(folder):
    """A folder on a disk of its own, where this machine lets us have one."""
    mounted = folder / "disk"
    mounted.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(mounted)]
    try:
        done = subprocess.run(["mount", *options], capture_output=True, check=False)
    except OSError:
        done = None
    if done is None or done.returncode != 0:
        pytest.skip("this machine lets us mount no disk")
    yield mounted
    subprocess.run(["umount", "--lazy", str(mounted)], check=True)


def call(address, token, method, path, body=None):
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def fill(folder):
    """Take every byte that is left."""
    with (folder / "filler").open("wb") as file:
        size = 1024 * 1024
        while size:
            try:
                os.write(file.fileno(), bytes(size))
            except OSError:
                size //= 2


def test_a_full_disk_keeps_nobody_from_reading_nor_from_revoking_a_token(small_disk, folder):
    data_dir = small_disk / "data"
    program = Program(
        *CLI, "serve", "--data-dir", data_dir, "--port", 0, "--api-processes", 1,
        log=folder / "stderr", **USUAL,
    )  # fmt: skip
    try:
        address = program.line().split()[1]
        token = _token(data_dir)
        assert (data_dir / "postgres" / FILE).exists()
        body = {"api_token": {"name": "lost", "permissions": ["data_collection:read"]}}
        status, text = call(address, token, "POST", "/api/v1/api_tokens", body)
        assert status == 201, text
        lost = json.loads(text)

        fill(small_disk)
        status, text = until(lambda: _refused(address, token), what="a write finds the disk full")

        assert (status, json.loads(text)["errors"][0]["code"]) == (503, "disk_full")
        assert call(address, lost["token"], "GET", "/api/v1/projects")[0] == 200
        assert call(address, token, "GET", "/readyz") == (
            503,
            '{"status":"unavailable","reason":"a disk is full"}',
        )
        status, text = call(address, token, "DELETE", f"/api/v1/api_tokens/{lost['id']}")
        assert status == 204, text
        assert call(address, lost["token"], "GET", "/api/v1/projects")[0] == 401

        (small_disk / "filler").unlink()
        until(lambda: _project(address, token, 1)[0] == 201, what="there is room again")
    finally:
        program.close()


def test_a_file_for_which_there_is_no_room_is_refused_with_what_is_full(small_disk):
    store = open_store(f"file://{small_disk}/evidence", small_disk)
    fill(small_disk)

    with pytest.raises(Unavailable, match="The disk of the evidence files is full") as refused:
        asyncio.run(store.put("0" * 32, io.BytesIO(bytes(1024 * 1024))))

    assert refused.value.problems[0].code == "disk_full"


def _token(data_dir):
    command = [sys.executable, *CLI, "token", "create", "--name", "all", "--all", "--data-dir", str(data_dir)]
    made = subprocess.run(command, capture_output=True, text=True, check=True, env=environment())
    return made.stdout.strip()


def _refused(address, token):
    for _ in range(WRITES_MAX):
        status, text = _project(address, token, 2_000)
        if status != 201:
            return status, text
    return None


def _project(address, token, length):
    body = {"project": {"name": f"Plant {os.urandom(8).hex()}", "description": "x" * length}}
    return call(address, token, "POST", "/api/v1/projects", body)
