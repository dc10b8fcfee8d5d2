"""Recovery: the server replays the shipped log over a backup, to its end or to a moment, and opens a timeline
of its own.
"""

import shlex
import shutil
import time
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Final

import psycopg

from weighbridge.backup import segments
from weighbridge.backup.extraction import Progress, give_to
from weighbridge.backup.manifest import BackupManifest
from weighbridge.backup.target import BackupTarget
from weighbridge.db.embedded import CONNECT_SECONDS, postmaster, superuser_url
from weighbridge.db.embedded.cluster import log_tail, server_options
from weighbridge.db.embedded.files import POLL_SECONDS
from weighbridge.db.embedded.location import ClusterLocation
from weighbridge.errors import Refusal

RECOVERY_SECONDS: Final = 604_800
"""How long the replay of a log may take: it is bounded by what was written."""


def log_for(target: BackupTarget, manifest: BackupManifest) -> list[tuple[str, str]]:
    """Name and SHA-256 of the segments that a backup is followed by, as far as none is missing."""
    known = segments.shipped(target)
    there = takewhile(known.__contains__, segments.following(manifest.first_segment))
    return [(name, known[name]) for name in there]


def recover(
    location: ClusterLocation,
    target: BackupTarget,
    log: list[tuple[str, str]],
    until: datetime | None,
    report: Progress,
) -> None:
    """Replay segments over the cluster, which is stopped before and after. Raises Refusal."""
    folder = location.home / "log-restoring"
    folder.mkdir(mode=0o700)
    for done, (name, sha256) in enumerate(log, 1):
        target.fetch(segments.path_of(name, sha256), sha256, folder / f"{name}.gz")
        report("log", done, len(log))
    give_to(location, folder)
    signal_file = location.cluster / "recovery.signal"
    signal_file.touch(mode=0o600)
    give_to(location, location.cluster)
    _run(location, folder, until)
    shutil.rmtree(folder)


def _run(location: ClusterLocation, folder: Path, until: datetime | None) -> None:
    """Start the server, which answers when all is replayed, and stop it."""
    quoted = shlex.quote(str(folder)).replace("%", "%%")
    settings = {
        "restore_command": f"gzip -dc {quoted}/%f.gz > %p",
        "recovery_target_timeline": "current",
        "recovery_target_action": "promote",
        "hot_standby": "off",
        "archive_mode": "off",
    }
    if until is not None:
        settings["recovery_target_time"] = until.isoformat()
    options = " ".join(f"-c {shlex.quote(f'{name}={value}')}" for name, value in settings.items())
    location.make_folders()
    done = location.run(
        "pg_ctl",
        "start",
        "--wait",
        f"--timeout={RECOVERY_SECONDS}",
        f"--pgdata={location.cluster}",
        f"--log={location.logs / 'start.log'}",
        f"--options={server_options(location)} {options}",
    )
    is_open = False
    try:
        while done.returncode == 0 and postmaster.find(location) is not None and not is_open:
            is_open = _is_open(location)
            time.sleep(POLL_SECONDS)
        if not is_open:
            raise Refusal(f"The log cannot be replayed:\n{log_tail(location) or done.stdout.strip()}")
    finally:
        postmaster.stop(location)


def _is_open(location: ClusterLocation) -> bool:
    """Whether all is replayed: until then the server takes no connection, and its programs call it ready."""
    try:
        with psycopg.connect(superuser_url(location), connect_timeout=CONNECT_SECONDS) as connection:
            return connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)
    except psycopg.OperationalError:
        return False
