"""Two installations that witness each other, all of it as real programs: services, workers and witnesses."""

import http.client
import shutil
import subprocess
import sys
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from tests.durability.processes import environment, until
from tests.durability.real_service import Service
from tests.given.witnesses import cosigned_at, running_witness


class Installation:
    """A data folder with a service of its own, and a witness for the other installation."""

    def __init__(self, name, folder, empty):
        self.name, self.folder, self.data_dir = name, folder / name, folder / name / "data"
        self.folder.mkdir()
        shutil.copytree(empty, self.data_dir)
        self.command("migrate")
        self.token = self.command("token", "create", "--name", "ci", "--all").strip()
        self.service = None

    def command(self, *words, status=0):
        done = subprocess.run(
            [sys.executable, "-m", "weighbridge", *map(str, words), "--data-dir", self.data_dir],
            capture_output=True, text=True, check=False, env=environment(),
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout if status == 0 else done.stderr

    @property
    def key(self):
        return self.command("audit", "key").strip()

    def start(self, *witnesses):
        self.service = Service(
            self.data_dir, self.token, log=self.folder / "log", WEIGHBRIDGE_AUDIT_WITNESS_SECONDS="1",
            WEIGHBRIDGE_AUDIT_WITNESSES=",".join(one.setting for one in witnesses),
            WEIGHBRIDGE_OUTGOING_NETWORKS="127.0.0.0/8",
        )  # fmt: skip
        return self

    def stop(self):
        self.service.stop()
        self.service.close()

    def write(self, *names):
        for name in names:
            self.service.call("POST", "/projects", {"project": {"name": name, "time_zone": "UTC"}})

    def read(self, path):
        """A file of the interface as text; None where it is refused."""
        parts = urlsplit(self.service.address)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self.token}"}
            connection.request("GET", f"/api/v1/audit_log{path}", headers=headers)
            response = connection.getresponse()
            text = response.read().decode()
            return text if response.status == 200 else None
        finally:
            connection.close()

    def cosigned(self, rows, witness):
        """The head with so many rows or more that the witness has cosigned, once there is one."""

        def newest():
            head = self.read("/cosigned_head?cosignatures=1")
            is_new = head is not None and int(head.splitlines()[1]) >= rows
            return head if is_new and cosigned_at(head, witness.key) else None

        return until(newest, what=f"{self.name} has a head of {rows} rows that was cosigned")

    @property
    def rows(self):
        return int(self.read("/head").splitlines()[1])

    def failure(self, words):
        def told():
            [one] = self.service.call("GET", "/audit_log/witnesses")["witnesses"]
            return one if words in (one["failure"] or "") else None

        return until(told, what=f"a witness of {self.name} fails because of {words!r}")


@pytest.fixture
def closing():
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def north(folder, migrated_once):
    return Installation("north", folder, migrated_once)


@pytest.fixture
def south(folder, migrated_once):
    return Installation("south", folder, migrated_once)


def witness_of(closing, installation, *logs):
    name = f"witness.{installation.name}.example/1"
    return closing.enter_context(running_witness(installation.folder / "witness", *logs, name=name))


def test_two_installations_cosign_each_other_and_find_a_database_that_went_back(north, south, closing):
    of_north, of_south = witness_of(closing, north, south.key), witness_of(closing, south, north.key)
    for one, other in ((north, of_south), (south, of_north)):
        closing.callback(one.start(other).service.close)
        one.write("First")

    before = north.cosigned(2, of_south)
    south.cosigned(2, of_north)
    north.stop()
    shutil.copytree(north.data_dir, north.folder / "backup")
    closing.callback(north.start(of_south).service.close)
    north.write("Second", "Third", "Fourth")
    kept = north.cosigned(int(before.splitlines()[1]) + 3, of_south)
    north.stop()
    shutil.rmtree(north.data_dir)
    shutil.copytree(north.folder / "backup", north.data_dir)

    closing.callback(north.start(of_south).service.close)
    north.write("Another")

    failed = north.failure("this database has fewer")
    assert failed["name"] == "witness.south.example/1"
    (north.folder / "kept.checkpoint").write_text(kept)
    said = north.command("audit", "check", north.folder / "kept.checkpoint", "--key", north.key, status=1)
    assert "rows" in said
    assert north.rows < int(kept.splitlines()[1])
    log = (north.folder / "log").read_text()
    assert '"event": "witness_failed"' in log


def test_a_key_that_is_rotated_signs_at_once_and_the_witness_takes_it_when_it_is_told(north, south, closing):
    first = north.key
    of_south = witness_of(closing, south, first)
    closing.callback(north.start(of_south).service.close)
    north.write("First")
    rows = int(north.cosigned(2, of_south).splitlines()[1])

    north.command("audit", "rotate")
    north.write("Second")

    assert north.key != first
    north.failure("trusts none of the keys")
    (north.folder / "keys.json").write_text(north.command("audit", "keys"))
    words = ("audit", "check-keys", north.folder / "keys.json", "--key", first)
    found = subprocess.run(
        [sys.executable, "-m", "weighbridge", *words],
        capture_output=True, text=True, check=False, env=environment(),
    )  # fmt: skip
    assert found.stdout.strip() == north.key
    with (south.folder / "witness" / "logs.txt").open("a") as known:
        known.write(found.stdout)

    newest = north.cosigned(rows + 2, of_south)

    (north.folder / "newest.checkpoint").write_text(newest)
    north.command("audit", "check", north.folder / "newest.checkpoint", "--key", north.key)
    north.command("audit", "check", north.folder / "newest.checkpoint", "--key", first, status=1)
