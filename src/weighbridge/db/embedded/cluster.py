"""A cluster: the files that one PostgreSQL server keeps, and the settings it runs with.

Invariants: a cluster folder is complete or absent (initdb works in a folder of another name, which is
renamed when all is on disk); what a promise depends on is set on the server's command line, where no
configuration file can change it.
"""

import hashlib
import secrets
import shlex
import shutil

from weighbridge.db.embedded.files import sync_folder
from weighbridge.db.embedded.location import ClusterLocation
from weighbridge.errors import Refusal

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
