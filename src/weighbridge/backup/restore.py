"""Restoring: a data directory is made from a backup and the log that was shipped after it.

Invariants: only an empty folder is restored to; until all is there, a mark in it keeps everybody from
starting an empty database in its place; every row of `evidence` has its file, or the restoration says which
have none.
"""

import hashlib
import io
import os
import shlex
import shutil
import tarfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

import msgspec
import psycopg
from psycopg.sql import SQL, Identifier

from weighbridge.backup import base_backup
from weighbridge.backup import target as segments
from weighbridge.backup.base_backup import stream_backup
from weighbridge.backup.log_shipping import ShippedReach, find_reach
from weighbridge.backup.target import BackupManifest, BackupTarget, manifests, segment_number
from weighbridge.collection.evidence_files import FOLDER, NAMING
from weighbridge.db.embedded import cluster as postmaster
from weighbridge.db.embedded.cluster import log_tail, server_options
from weighbridge.db.embedded.instance import CONNECT_SECONDS, Server, attach_server, superuser_url
from weighbridge.db.embedded.location import (
    POLL_SECONDS,
    WHEEL_MAJOR,
    ClusterLocation,
    find_location,
    make_folder,
    restoring_mark,
)
from weighbridge.errors import Refusal
from weighbridge.platform.audit_tree import KEY_FILE
from weighbridge.platform.kept_secrets import COLUMN, ENCRYPTED
from weighbridge.platform.secret_keys import KEYS_FILE

# Extraction: the parts of a backup become the folder of a cluster, each held against its SHA-256 first.
#
# Every file is read again from the disk and held against what the parts had. The server's own manifest says
# which files there have to be; its sums are CRC-32C, which only PostgreSQL reads
# (docs/decisions/0055-cost-of-a-backup.md).


_READ_BYTES: Final = 1_048_576

Progress = Callable[[str, int, int], None]


WRONG_NAMED_MAX: Final = 5
"""Files that a refusal names."""


class ManifestFile(msgspec.Struct, frozen=True, rename="pascal"):
    """A file as the server noted it in its manifest of the cluster."""

    path: str
    size: int


class ClusterManifest(msgspec.Struct, frozen=True, rename="pascal"):
    """`backup_manifest`, which the server sends with a base backup; the log is no part of it."""

    files: list[ManifestFile]


def extract(
    target: BackupTarget, manifest: BackupManifest, location: ClusterLocation, report: Progress
) -> None:
    """Make the cluster of a backup, and look at every file of it again. Raises Refusal."""
    unfinished = location.home / "cluster-restoring"
    unfinished.mkdir(mode=0o700)
    stream = _Stream(_unpack(target, manifest, report))
    try:
        with _SummedFiles.open(fileobj=stream, mode="r|", bufsize=_READ_BYTES) as files:
            files.extractall(unfinished, filter="data")
            sums = files.sums
    except tarfile.TarError as error:
        raise Refusal(f"The backup {manifest.id} is not a complete tar file:  {error}") from error
    if wrong := [*dict.fromkeys(_wrong(unfinished, sums))]:
        wrong_names = ", ".join(wrong[:WRONG_NAMED_MAX])
        raise Refusal(f"The backup {manifest.id} is damaged; {len(wrong)} files differ: {wrong_names}.")
    give_to(location, unfinished)
    unfinished.rename(location.cluster)


class _SummedFiles(tarfile.TarFile):
    """A tar file that keeps the SHA-256 of what each file should have, as it is written."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.sums: dict[Path, str] = {}
        super().__init__(*args, **kwargs)

    def makefile(self, tarinfo: tarfile.TarInfo, targetpath: Any) -> None:
        """Write a file; called by `extractall`. Raises tarfile.ReadError where the stream ends too soon."""
        digest, bytes_left = hashlib.sha256(), tarinfo.size
        source: Any = self.fileobj
        source.seek(tarinfo.offset_data)
        with Path(targetpath).open("wb") as file:
            while bytes_left:
                piece = source.read(min(bytes_left, _READ_BYTES))
                if not piece:
                    raise tarfile.ReadError("unexpected end of data")
                digest.update(piece)
                file.write(piece)
                bytes_left -= len(piece)
        self.sums[Path(targetpath)] = digest.hexdigest()


def _wrong(cluster: Path, sums: dict[Path, str]) -> Iterator[str]:
    """The files that are not as the parts had them, or not as the server noted."""
    server_manifest = msgspec.json.decode((cluster / "backup_manifest").read_bytes(), type=ClusterManifest)
    for manifest_file in server_manifest.files:
        file = cluster / manifest_file.path
        if not file.is_file() or file.stat().st_size != manifest_file.size:
            yield manifest_file.path
    for file, expected in sums.items():
        with file.open("rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != expected:
                yield str(file.relative_to(cluster))


def give_to(location: ClusterLocation, folder: Path) -> None:
    """Have the user that runs the server own a folder and all in it."""
    if location.user is None:
        return
    for parent, folders, names in os.walk(folder):
        for name in (".", *folders, *names):
            os.chown(Path(parent, name), location.user, -1)


def _unpack(target: BackupTarget, manifest: BackupManifest, report: Progress) -> Iterator[bytes]:
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    done = 0
    for part in manifest.parts:
        content = target.read(part.path, part.sha256)
        # In pieces: what is packed tightly would come to hundreds of times the memory of a part.
        while content:
            yield unpacking.decompress(content, _READ_BYTES)
            content = unpacking.unconsumed_tail
        done += part.size
        report("database", done, manifest.size)
    yield unpacking.flush()
    if not unpacking.eof:
        raise Refusal(f"The backup {manifest.id} ends in the middle of a part.")


class _Stream(io.RawIOBase):
    """Pieces of bytes as a file that is read from its start to its end."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        content = bytearray()
        while len(content) < size:
            if not self._left and not self._next():
                break
            take = size - len(content)
            content += self._left[:take]
            self._left = self._left[take:]
        return bytes(content)

    def _next(self) -> bool:
        """Go on to the next piece; returns whether there was one."""
        self._left = next(filter(None, self._pieces), b"")
        return bool(self._left)


_COUNTED: Final = ("accounts", "projects", "events", "batches", "ledger_entries", "evidence", "audit_log")


@dataclass(frozen=True, slots=True)
class Restoration:
    """The result of a restoration."""

    manifest: BackupManifest
    until: datetime
    """All that was committed before this moment is there."""
    segments: int
    files: int
    revision: str
    has_audit_key: bool
    needs_secret_keys: bool
    """Whether the database has secrets, and the backup not the keys that open them."""
    missing_evidence: list[str]
    """Keys of evidence files that the target does not have."""
    missing_files: int
    """Other files, of exports and drafts, that were removed while the backup was taken."""
    rows: dict[str, int] = field(default_factory=dict)


def restore(
    target: BackupTarget, data_dir: Path, *, until: datetime | None, backup: str | None, report: Progress
) -> Restoration:
    """Make a data directory, as it was at a moment or as late as can be. Raises Refusal."""
    _refuse_full(data_dir)
    manifest = choose_backup(target, until=until, backup=backup)
    _refuse_other_major(manifest)
    reach = find_reach(target, manifest.timeline)
    log = log_for(target, manifest)
    reached = _describe_reach(manifest, reach, log)
    if until is not None and until > reached:
        raise Refusal(
            f"From the backup {manifest.id} on, {target.name} reaches until {reached.isoformat()} without a"
            f" gap, and {until.isoformat()} is later."
        )
    key, secret_keys = (
        None if part is None else target.read(part.path, part.sha256)
        for part in (manifest.audit_key, manifest.secret_keys)
    )
    data_dir = Path(os.path.realpath(data_dir))
    make_folder(data_dir)
    mark = restoring_mark(data_dir)
    mark.touch(mode=0o600)
    location = find_location(data_dir)
    extract(target, manifest, location, report)
    recover(location, target, log, until, report)
    if key is not None:
        _write_key(data_dir / KEY_FILE, key)
    if secret_keys is not None:
        _write_key(data_dir / KEYS_FILE, secret_keys)
    os.sync()  # what follows can be looked at again; what was extracted must be on the disk before
    mark.unlink()
    restored = _restored_files(target, data_dir, report)
    os.sync()
    return Restoration(manifest, until or reached, len(log), has_audit_key=key is not None, **restored)


def choose_backup(target: BackupTarget, *, until: datetime | None, backup: str | None) -> BackupManifest:
    """The backup of a name, or the newest one that was whole at a moment. Raises Refusal."""
    all_manifests = manifests(target)
    if not all_manifests:
        raise Refusal(f"{target.name} has no backup.")
    candidates = [manifest for manifest in all_manifests if backup in {None, manifest.id}]
    if not candidates:
        ids = ", ".join(manifest.id for manifest in all_manifests)
        raise Refusal(f"{target.name} has no backup {backup}; it has {ids}.")
    early = [manifest for manifest in candidates if until is None or manifest.finished_at <= until]
    if not early:
        first = candidates[0].finished_at.isoformat()
        raise Refusal(f"{target.name} reaches back to {first}, and --until is earlier.")
    return early[-1]


def _describe_reach(
    manifest: BackupManifest, reach: ShippedReach | None, log: list[tuple[str, str]]
) -> datetime:
    """The latest moment that is known to be restored from a backup and its log."""
    if reach is None or not log or segment_number(log[-1][0]) + 1 < segment_number(reach.next_segment):
        return manifest.finished_at
    return max(reach.until, manifest.finished_at)


def _refuse_full(data_dir: Path) -> None:
    if data_dir.exists() and (not data_dir.is_dir() or any(data_dir.iterdir())):
        raise Refusal(f"{data_dir} is not empty; a backup is restored to a new folder.")


def _refuse_other_major(manifest: BackupManifest) -> None:
    if manifest.postgresql != WHEEL_MAJOR:
        raise Refusal(
            f"The backup {manifest.id} is of PostgreSQL {manifest.postgresql}, and this version has"
            f" {WHEEL_MAJOR}; restore it with Weighbridge {manifest.weighbridge}, then upgrade that"
            " (docs/howto/upgrade.md)."
        )


def _write_key(file: Path, key: bytes) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as output:
        output.write(key)


def _restored_files(target: BackupTarget, data_dir: Path, report: Progress) -> dict[str, Any]:
    """Fetch the files that rows of the restored database name."""
    with attach_server(data_dir) as server, psycopg.connect(server.url) as connection:
        evidence = _keys(connection, "evidence", "storage_key")
        other_keys = {key for table, column in NAMING[1:] for key in _keys(connection, table, column)}
        [revision] = connection.execute("SELECT version_num FROM alembic_version").fetchone() or [""]
        counts = {table: _count(connection, table) for table in _COUNTED}
        has_secrets = _has_encrypted(connection)
    copied_files = base_backup.CopiedFiles(target).known
    restorable_keys = sorted((evidence | other_keys) & copied_files.keys())
    folder = data_dir / FOLDER
    make_folder(folder)
    for done, key in enumerate(restorable_keys, 1):
        sha256, _ = copied_files[key]
        target.fetch(base_backup.path_of(key, sha256), sha256, folder / key)
        report("files", done, len(restorable_keys))
    return {
        "files": len(restorable_keys),
        "revision": revision,
        "missing_evidence": sorted(evidence - copied_files.keys()),
        "missing_files": len(other_keys - evidence - copied_files.keys()),
        "needs_secret_keys": has_secrets and not (data_dir / KEYS_FILE).exists(),
        "rows": counts,
    }


def _has_encrypted(connection: psycopg.Connection[Any]) -> bool:
    """Whether a secret is encrypted; an earlier release has no column for it yet."""
    found = connection.execute(
        _ENCRYPTED_COLUMNS, ([column.table for column in ENCRYPTED], COLUMN)
    ).fetchall()
    some = SQL("SELECT EXISTS (SELECT FROM {} WHERE {} IS NOT NULL)")
    return any(
        connection.execute(some.format(Identifier(table), Identifier(COLUMN))).fetchone() == (True,)
        for (table,) in found
    )


def _keys(connection: psycopg.Connection[Any], table: str, column: str) -> set[str]:
    """The keys that a table names; an earlier release may not have the table yet."""
    if connection.execute("SELECT to_regclass(%s)", (table,)).fetchone() == (None,):
        return set()
    statement = SQL("SELECT {1} FROM {0} WHERE {1} IS NOT NULL").format(Identifier(table), Identifier(column))
    return {key for (key,) in connection.execute(statement)}


_ENCRYPTED_COLUMNS: Final = """
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY (%s) AND a.attname = %s
"""


def _count(connection: psycopg.Connection[Any], table: str) -> int:
    count_row = connection.execute(SQL("SELECT count(*) FROM {}").format(Identifier(table))).fetchone()
    return int(count_row[0]) if count_row else 0


# Recovery: the server replays the shipped log over a backup, to its end or to a moment, and opens a
# timeline of its own.


RECOVERY_SECONDS: Final = 604_800
"""How long the replay of a log may take: it is bounded by what was written."""


def log_for(target: BackupTarget, manifest: BackupManifest) -> list[tuple[str, str]]:
    """Name and SHA-256 of the segments that a backup is followed by, as far as none is missing."""
    segment_digests = segments.list_shipped(target)
    segment_names = takewhile(segment_digests.__contains__, segments.next_segment(manifest.first_segment))
    return [(name, segment_digests[name]) for name in segment_names]


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
        target.fetch(segments.segment_path(name, sha256), sha256, folder / f"{name}.gz")
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
        while done.returncode == 0 and postmaster.find_postmaster(location) is not None and not is_open:
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


# A clone: the cluster of a running server once more, in a folder of its own, to try something on.
#
# It lies on this machine only and is gone when the block ends; nothing of it is compressed or noted.


@contextmanager
def clone_cluster(server: Server, folder: Path, report: Progress) -> Iterator[str]:
    """Start a server on a copy of another's cluster; gives the URL for its owner. Raises Refusal."""
    data_dir = folder / "data"
    make_folder(data_dir)
    location = find_location(data_dir)
    unfinished = location.home / "cluster-restoring"
    unfinished.mkdir(mode=0o700)
    report("copy", 0, 1)
    try:
        with stream_backup(server) as stream, tarfile.open(fileobj=stream, mode="r|") as files:
            files.extractall(unfinished, filter="data")
    except (tarfile.TarError, OSError) as error:
        raise Refusal(f"The database cannot be copied to {folder}: {error}") from error
    report("copy", 1, 1)
    give_to(location, unfinished)
    unfinished.rename(location.cluster)
    with attach_server(data_dir) as clone:
        yield clone.url
