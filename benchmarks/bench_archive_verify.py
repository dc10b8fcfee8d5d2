"""Batches computed anew from an archive, beside the same from the database.

A project has EVENTS events of five numbers in 2025 and a batch for each month. `weighbridge archive verify`
reads the files, fills a table of the transaction and computes; the baseline, `weighbridge verify` on the same
database, computes from the table of events and checks the books besides. Both run as programs.

    python benchmarks/bench_archive_verify.py [EVENTS]
"""

import os
import subprocess
import sys
import tempfile
import time
from typing import Final

import psycopg
from at_scale import generated, plant_of
from service import Service, median, service

EVENTS: Final = 1_000_000
ROUNDS: Final = 3


def main() -> None:
    events = int(sys.argv[1]) if sys.argv[1:] else EVENTS
    with service(with_worker=True) as running, tempfile.TemporaryDirectory(prefix="wb-archive-") as place:
        with psycopg.connect(running.database_url, autocommit=True) as connection:
            plant = plant_of(running, connection, events, 10**10)
            connection.execute("VACUUM ANALYZE events")
        generated(running, plant)
        project = ("--project", plant.id)
        _commanded(running, "archive", "write", *project, "--through", "2025-12", "--to", place)
        taken: dict[str, list[float]] = {"verify": [], "archive verify": []}
        for _ in range(ROUNDS):
            taken["verify"].append(_commanded(running, "verify")[0])
            seconds, memory = _commanded(running, "archive", "verify", *project, place)
            taken["archive verify"].append(seconds)
    baseline = median(taken["verify"])
    for name, seconds in taken.items():
        each = median(seconds)
        print(
            f"{name}: {events / each:,.0f} events a second, {each / baseline:.2f} times the baseline's time"
        )
    print(f"archive verify holds at most {memory / 1e6:,.0f} MB")


def _commanded(running: Service, *words: str) -> tuple[float, int]:
    """How long a command takes, its start with it, and the most memory that it had, in bytes."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "weighbridge", *words]
    environment = os.environ | {"WEIGHBRIDGE_DATA_DIR": str(running.data_dir)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, words
    return time.perf_counter() - begun, usage.ru_maxrss * 1024


if __name__ == "__main__":
    main()
