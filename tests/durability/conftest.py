"""Data directories with short paths, and processes that never outlive their test."""

import json
import os
import shutil
import signal
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.databases import made_by_first
from tests.durability.processes import HERE, Program, postmasters_of, until

from weighbridge.db.embedded.instance import server
from weighbridge.db.migration import migrate

ROOM_BYTES = 1_000_000_000


@pytest.fixture
def folder():
    """A private folder with a path short enough for a socket below it."""
    with private_folder() as made:
        yield made


@pytest.fixture(scope="module")
def shared_folder():
    """The same for a service that all tests of a file ask."""
    with private_folder() as made:
        yield made


@pytest.fixture(scope="module")
def shared_dir(shared_folder, migrated_once):
    """A data directory for that service, at the newest step and with nothing stored."""
    return Path(shutil.copytree(migrated_once, shared_folder / "data"))


@contextmanager
def private_folder():
    """Make a folder, end whatever server was left below it, and remove it."""
    made = Path(tempfile.mkdtemp(prefix="wb-", dir=_quick_folder()))
    yield made
    for cluster in [*made.rglob("postgres/cluster")]:
        _end_server(cluster)
    for record in [*made.rglob("postgres/place.json")]:
        known = json.loads(record.read_text())
        for home in filter(None, (known.get("home"), known.get("sockets"))):
            _end_server(Path(home) / "cluster")
            shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(made)


@pytest.fixture
def fresh_dir(folder):
    """A data directory that does not exist yet."""
    return folder / "data"


@pytest.fixture
def data_dir(folder, made_once):
    """A data directory whose database is made, and empty."""
    return Path(shutil.copytree(made_once, folder / "data"))


@pytest.fixture
def migrated_dir(folder, migrated_once):
    """A data directory whose database is at the newest step, with nothing stored."""
    return Path(shutil.copytree(migrated_once, folder / "data"))


@pytest.fixture(scope="session")
def made_once(run_folder):
    def make(data_dir):
        with server(data_dir):
            pass

    return made_by_first(run_folder, "made", make)


@pytest.fixture(scope="session")
def migrated_once(run_folder, made_once):
    def make(data_dir):
        shutil.copytree(made_once, data_dir)
        with server(data_dir) as url:
            migrate(url)

    return made_by_first(run_folder, "migrated", make)


@pytest.fixture
def hold(folder):
    """Start processes that use the server of a data directory until told to leave."""
    started = []

    def start(data_dir, *options, prefix=()):
        program = Program(HERE / "hold_server.py", data_dir, *options, prefix=prefix, log=folder / "stderr")
        started.append(program)
        return program

    yield start
    for program in started:
        program.close()


@pytest.fixture
def serve(folder):
    """Start the service with an application and a worker of the tests' own."""
    started = []

    def start(data_dir, *, port=0, application="create", worker="work", **variables):
        command = (HERE / "stub_service.py", data_dir, port, application, worker)
        program = Program(*command, log=folder / "stderr", **variables)
        started.append(program)
        return program

    yield start
    for program in started:
        program.close()


def _quick_folder():
    """Making and copying a cluster is ten times as quick in memory; killing its processes is the same."""
    memory, disk = Path("/dev/shm"), Path("/tmp")  # noqa: S108 - mkdtemp makes private folders in them
    has_room = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ROOM_BYTES
    return memory if has_room else disk


def _end_server(cluster):
    for number in postmasters_of(cluster):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGQUIT)
    until(lambda: not postmasters_of(cluster), what="the server of a finished test has stopped")
