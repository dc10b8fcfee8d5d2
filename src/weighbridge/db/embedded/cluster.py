"""A cluster and its postmaster: the files of one PostgreSQL server, its settings, its start and its stop.

`keep_reserve` and `release_reserve` are about a reserve of disk space that is freed when the disk is full.

Invariants: a cluster folder is complete or absent; no second postmaster starts while one lives;
settings that a promise depends on are set on the command line.
"""

import hashlib
import os
import secrets
import shlex
import shutil
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from weighbridge.db.embedded.location import POLL_SECONDS, ClusterLocation, recorded_home, sync_folder
from weighbridge.errors import Refusal

# A cluster: the files that one PostgreSQL server keeps, and the settings it runs with.
#
# Invariants: a cluster folder is complete or absent (initdb works in a folder of another name, which is
# renamed when all is on disk); what a promise depends on is set on the server's command line, where no
# configuration file can change it.


SUPERUSER = "postgres"
LOG_FILES = 10
LOG_FILE_MEGABYTES = 10
LOG_TAIL_LINES = 20

# Written into postgresql.conf of a new cluster: an operator may tune them there.
TUNING = {
    "max_connections": "100",
    "shared_buffers": "128MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "64MB",
    "max_wal_size": "1GB",
    "min_wal_size": "80MB",
    "random_page_cost": "1.1",
    "log_min_duration_statement": "1s",
}

# Given on the command line at every start.
FIXED = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "wal_level": "replica",  # an online base backup needs it; minimal gains little when tables stay
    "max_slot_wal_keep_size": "4GB",  # a backup that nobody takes any more must not fill the disk
    "TimeZone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "on",
    "log_filename": "postgresql-%Y%m%d-%H%M%S.log",
    "log_rotation_age": "1d",
    "log_rotation_size": f"{LOG_FILE_MEGABYTES}MB",
    "log_line_prefix": "%m [%p] %q%a ",
}


def make_cluster(location: ClusterLocation) -> None:
    """Make the cluster when there is none; what an interrupted attempt left is removed first."""
    if location.cluster.exists():
        return
    for remains in location.home.glob("cluster-unfinished-*"):
        shutil.rmtree(remains, ignore_errors=True)
    # A name of its own: the initdb of a killed process may still be writing to the last one.
    unfinished = location.home / f"cluster-unfinished-{secrets.token_hex(4)}"
    tuning = [argument for name, value in TUNING.items() for argument in ("-c", f"{name}={value}")]
    done = location.run(
        "initdb",
        f"--pgdata={unfinished}",
        f"--username={SUPERUSER}",
        "--auth-local=trust",  # the socket's folder is closed to everyone else
        "--auth-host=reject",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",  # the same order of text on every machine, whatever its libc
        "--data-checksums",
        *tuning,
    )
    if done.returncode != 0:
        raise Refusal(f"The database in {location.home} cannot be made:\n{done.stdout.strip()}")
    unfinished.rename(location.cluster)
    sync_folder(location.home)


def cluster_name(location: ClusterLocation) -> str:
    """Name the cluster by the identity of its folder, which a copy does not share.

    The server writes the name into the title of each of its processes, so that they are told apart from
    those of other servers, and from strangers that got a number of theirs.
    """
    status = location.cluster.stat()
    return "weighbridge-" + hashlib.sha256(f"{status.st_dev}:{status.st_ino}".encode()).hexdigest()[:12]


def server_options(location: ClusterLocation) -> str:
    """Compose the server's command line, quoted for the shell that pg_ctl starts it with."""
    options = FIXED | {
        "cluster_name": cluster_name(location),
        "unix_socket_directories": str(location.sockets),
        "log_directory": str(location.logs),
    }
    return " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in options.items())


def prune_logs(location: ClusterLocation) -> None:
    """Keep the newest log files only, so that the log never fills the disk."""
    for old in sorted(location.logs.glob("postgresql-*.log"))[:-LOG_FILES]:
        old.unlink(missing_ok=True)


def log_tail(location: ClusterLocation) -> str:
    """Give the last lines that the server wrote: first at its start, then to its log."""
    files = [location.logs / "start.log", *sorted(location.logs.glob("postgresql-*.log"))[-1:]]
    lines = [
        line for file in files if file.exists() for line in file.read_text(errors="replace").splitlines()
    ]
    return "\n".join(lines[-LOG_TAIL_LINES:])


# The postmaster: the one process that owns a running cluster; found, started and stopped here.
#
# Starts and stops are made under the cluster's start lock, so at most one process does either at a time. A
# `postmaster.pid` proves nothing by itself: after a restart of the machine its number may belong to a
# stranger, so the process must also bear the cluster's name.
#
# Invariants: no second postmaster is started while one lives; what a killed postmaster left behind (its
# children, its pid file, its socket) is gone before the next one starts.


START_SECONDS = 300  # recovery after a crash reads at most max_wal_size
START_ATTEMPTS = 2  # the second is for a server that was killed while it started
STOP_SECONDS = 60.0
ORPHAN_SECONDS = 3.0
PROCESSES = Path("/proc")


def find_postmaster(location: ClusterLocation) -> int | None:
    """Find the process number of the cluster's living postmaster."""
    try:
        number = int((location.cluster / "postmaster.pid").read_text().splitlines()[0])
        return number if _is_process_of(number, cluster_name(location)) else None
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
        message = _start_once(location)
        if message is None or find_postmaster(location) is not None:
            return
    raise Refusal(f"The database in {location.home} cannot start:\n{log_tail(location) or message}")


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
        number = find_postmaster(location)
        if number is None:
            return
        with suppress(ProcessLookupError):
            os.kill(number, urgency)
        deadline = time.monotonic() + STOP_SECONDS
        while find_postmaster(location) == number and time.monotonic() < deadline:
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
    while orphans := _list_processes(name):
        waited = time.monotonic() - started
        if waited > STOP_SECONDS:
            raise Refusal(f"Processes of a killed database do not end: {', '.join(map(str, orphans))}.")
        for number in orphans:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL if waited > ORPHAN_SECONDS else signal.SIGQUIT)
        time.sleep(POLL_SECONDS)


def _list_processes(name: str) -> list[int]:
    numbers = [int(entry.name) for entry in PROCESSES.glob("[0-9]*")] if PROCESSES.exists() else []
    return [number for number in numbers if _is_process_of(number, name)]


def _is_process_of(number: int, name: str) -> bool:
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


# The reserve: a file on the disk of the embedded database whose room is given free when the disk is full.
#
# A full disk must not keep anybody from revoking a token, nor the server from starting again; both need a
# few pages. So the service keeps a file that it can do without, and makes it anew when there is room again.
#
# Invariants: the reserve is never made where it would itself fill the disk.


FILE: Final = "reserve"
RESERVE_BYTES: Final = 32 * 1024 * 1024
"""Bytes of the reserve: two files of the server's log of changes."""

FREE_BYTES_MIN: Final = RESERVE_BYTES + 16 * 1024 * 1024
"""Bytes free on a disk below which it counts as full; more than the reserve gives."""

FREE_TIMES_MIN: Final = 4
"""How many times the reserve must be free before it is made."""


def keep_reserve(data_dir: Path) -> None:
    """Make the reserve when there is none and there is room for it many times over."""
    home = recorded_home(data_dir)
    file = home / FILE
    with suppress(OSError):
        if file.exists() or shutil.disk_usage(home).free < FREE_TIMES_MIN * RESERVE_BYTES:
            return
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            _fill(handle)
        finally:
            os.close(handle)


def release_reserve(data_dir: Path) -> bool:
    """Give the room of the reserve free; tells whether there was any."""
    try:
        (recorded_home(data_dir) / FILE).unlink()
    except OSError:
        return False
    return True


def is_disk_full(data_dir: Path) -> bool:
    """Whether the disk of the data directory, or of a cluster that lies elsewhere, has next to no room."""
    for folder in {data_dir, recorded_home(data_dir)}:
        with suppress(OSError):
            if shutil.disk_usage(folder).free < FREE_BYTES_MIN:
                return True
    return False


def _fill(handle: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, RESERVE_BYTES)
        return
    portion = bytes(1024 * 1024)
    for _ in range(RESERVE_BYTES // len(portion)):
        os.write(handle, portion)
