"""A worker is killed at random moments while it takes files from a watched folder: each file is stored once,
and ends in `done` with its report, whatever step the kill met.

KILLS is how many there are: `make durability` asks for hundreds. SEED repeats their moments.
"""

import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.databases import database
from tests.durability.processes import until
from tests.given.feeds import Feeding
from tests.server import Server

from weighbridge.settings import environment

KILLS = int(os.environ.get("KILLS", "2"))
SEED = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 10**9)
ROWS = 3_000


@pytest.fixture
def site(postgres, newest, tmp_path):
    root = tmp_path / "drop"
    root.mkdir()
    fields = {"watched_roots": (str(root),), "watch_rest_seconds": 0, "watch_seconds": 1, "lease_seconds": 2}
    with database(postgres, newest) as url, Server(url, **fields) as server:
        yield server


def worker(site):
    """A real worker of the service, as `weighbridge worker` starts it."""
    variables = environment(replace(site.settings, log_level="error"))
    return subprocess.Popen([sys.executable, "-m", "weighbridge", "worker"], env=os.environ | variables)


def content(file):
    start = datetime(2000 + file, 1, 1, tzinfo=UTC)
    lines = [f"{(start + timedelta(seconds=row)).isoformat()},{row}" for row in range(ROWS)]
    return "start_time,mass\n" + "\n".join(lines) + "\n"


def test_every_file_is_stored_once_whenever_the_worker_is_killed(site):
    dice = random.Random(SEED)  # noqa: S311 - the moments are to be repeated
    feeding = Feeding(site.account())
    [folder] = map(Path, site.settings.watched_roots)
    feed = feeding.feed(watch=str(folder))
    for kill in range(KILLS):
        (folder / f"{kill}.csv").write_text(content(kill))
        running = worker(site)
        time.sleep(dice.uniform(1.0, 4.0))
        running.kill()
        running.wait()

    last = worker(site)
    try:
        until(lambda: is_settled(folder), what=f"every file is moved (SEED={SEED} KILLS={KILLS})")
    finally:
        last.terminate()
        last.wait()

    uploads = feeding.api.get(feeding.uploads(feed), {"page_size": "200"}).data
    assert site.sql("SELECT count(*) FROM events") == [(KILLS * ROWS,)]
    assert sum(upload["stored"] for upload in uploads) == KILLS * ROWS, f"SEED={SEED} KILLS={KILLS}"
    assert {upload["state"] for upload in uploads} == {"complete"}
    done = {path.name.partition("-")[2] for path in (folder / "done").iterdir()}
    assert done == {f"{kill}.csv{ending}" for kill in range(KILLS) for ending in ("", ".report.json")}


def is_settled(folder):
    """Whether every file was moved to `done`."""
    return not [*folder.glob("*.csv")] and len([*folder.glob("done/*.csv")]) >= KILLS
