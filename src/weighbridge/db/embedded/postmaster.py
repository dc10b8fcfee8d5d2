"""The postmaster: the one process that owns a running cluster; found, started and stopped here.

Starts and stops are made under the cluster's start lock, so at most one process does either at a time.
A `postmaster.pid` proves nothing by itself: after a restart of the machine its number may belong to a
stranger, so the process must also bear the cluster's name.

Invariants: no second postmaster is started while one lives; what a killed postmaster left behind (its
children, its pid file, its socket) is gone before the next one starts.
"""

import os
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

from weighbridge.db.embedded.cluster import cluster_name, log_tail, make_cluster, prune_logs, server_options
from weighbridge.db.embedded.files import POLL_SECONDS
from weighbridge.db.embedded.location import ClusterLocation
from weighbridge.errors import Refusal

START_SECONDS = 300  # recovery after a crash reads at most max_wal_size
START_ATTEMPTS = 2  # the second is for a server that was killed while it started
STOP_SECONDS = 60.0
ORPHAN_SECONDS = 3.0
PROCESSES = Path("/proc")


def find(location: ClusterLocation) -> int | None:
    """Find the process number of the cluster's living postmaster."""
    try:
        number = int((location.cluster / "postmaster.pid").read_text().splitlines()[0])
        return number if _bears(number, cluster_name(location)) else None
    except (FileNotFoundError, IndexError, ValueError):
        return None


def answers(location: ClusterLocation) -> bool:
    """Tell whether something listens on the cluster's socket, in whatever namespace it runs."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(location.socket))
        except OSError:
            return False
    return True


def start(location: ClusterLocation) -> None:
    """Start the postmaster of a cluster that has none; it outlives the process that started it."""
    location.make_folders()
    make_cluster(location)
    for _ in range(START_ATTEMPTS):
        _clear_remains(location)
        prune_logs(location)
        said = _start_once(location)
        if said is None or find(location) is not None:
            return
    raise Refusal(f"The database in {location.home} cannot start:\n{log_tail(location) or said}")


def _start_once(location: ClusterLocation) -> str | None:
    """Start the postmaster and give what was said when that failed."""
    start_log = location.logs / "start.log"
    start_log.unlink(missing_ok=True)
    done = location.run(
        "pg_ctl",
        "start",
        "--wait",
        f"--timeout={START_SECONDS}",
        f"--pgdata={location.cluster}",
        f"--log={start_log}",
        f"--options={server_options(location)}",
    )
    return None if done.returncode == 0 else done.stdout.strip()


def stop(location: ClusterLocation) -> None:
    """Stop the server: fast, and when that takes too long at once, for recovery to set right."""
    for urgency in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        number = find(location)
        if number is None:
            return
        with suppress(ProcessLookupError):
            os.kill(number, urgency)
        deadline = time.monotonic() + STOP_SECONDS
        while find(location) == number and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)


def _clear_remains(location: ClusterLocation) -> None:
    _end_orphans(cluster_name(location))
    for remains in (
        location.cluster / "postmaster.pid",
        location.socket,
        location.socket.with_name(location.socket.name + ".lock"),
    ):
        remains.unlink(missing_ok=True)


def _end_orphans(name: str) -> None:
    """End the children of a killed postmaster: a busy one would keep the next server from starting."""
    started = time.monotonic()
    while orphans := _bearers(name):
        waited = time.monotonic() - started
        if waited > STOP_SECONDS:
            raise Refusal(f"Processes of a killed database do not end: {', '.join(map(str, orphans))}.")
        for number in orphans:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL if waited > ORPHAN_SECONDS else signal.SIGQUIT)
        time.sleep(POLL_SECONDS)


def _bearers(name: str) -> list[int]:
    numbers = [int(entry.name) for entry in PROCESSES.glob("[0-9]*")] if PROCESSES.exists() else []
    return [number for number in numbers if _bears(number, name)]


def _bears(number: int, name: str) -> bool:
    """Tell whether a living process is a PostgreSQL process of the named cluster."""
    if not PROCESSES.exists():
        with suppress(OSError):
            os.kill(number, 0)
            return True
        return False
    try:
        is_postgres = (PROCESSES / str(number) / "comm").read_text() == "postgres\n"
        return is_postgres and name in (PROCESSES / str(number) / "cmdline").read_text(errors="replace")
    except OSError:
        return False
