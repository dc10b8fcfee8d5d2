"""A base backup: the cluster's files as the server sends them at work, and how long it is kept.

`pg_basebackup` writes one tar file to a pipe, with what the log needs to make it whole; it is compressed
and cut here, so nothing of it lies on the disk of the service and little in memory. Evidence files are copied
behind it. The newest backups stay, with the log and the files that they need; the rest goes.
"""

import hashlib
import re
import subprocess
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryFile
from typing import IO, Any, Final

import psycopg
from obstore.exceptions import BaseError
from obstore.store import ObjectStore

from weighbridge import __version__
from weighbridge.backup.target import (
    BACKUPS,
    CHUNK_BYTES,
    MANIFEST,
    BackupManifest,
    BackupPart,
    BackupTarget,
    list_shipped,
    manifests,
    segment_number,
    segment_path,
    segment_timeline,
    written,
)
from weighbridge.db.embedded.instance import DATABASE, Server
from weighbridge.errors import Refusal
from weighbridge.platform.secret_keys import keys_file
from weighbridge.settings import Settings, changed

PART_BYTES: Final = 33_554_432
"""Bytes of a part, compressed; each is in memory while it is written."""

COMPRESSION: Final = 1
"""Of zlib: higher levels take several times as long from a service that is at work, for little room."""

_SUMS: Final = "CRC32C"
"""Of each file, by the server: SHA-256 there costs as much as all else that it does for a backup."""

_OPENING: Final = """
    SELECT now(), system_identifier::text, current_setting('server_version_num')::integer / 10000,
           pg_walfile_name((SELECT restart_lsn FROM pg_replication_slots WHERE slot_name = %s))
      FROM pg_control_system()
"""


@dataclass(frozen=True, slots=True)
class BackupSource:
    """The source of a backup: a running server, the store of its evidence files, its settings."""

    server: Server
    evidence: ObjectStore
    settings: Settings
    key_file: Path | None
    """The key of the audit log, None to leave it out."""
    secret_keys: Path | None = None
    """The keys of secrets, which stay away from the database that they open unless they are asked for."""


def take(source: BackupSource, target: BackupTarget) -> BackupManifest:
    """Take a backup; it counts once its manifest is written. Raises Refusal."""
    with _kept_log(source.server) as (connection, slot):
        opening_row = connection.execute(_OPENING, (slot,)).fetchone()
        assert opening_row is not None, "the statement gives one row"  # noqa: S101
        started_at, identifier, postgresql, first_segment = opening_row
        refuse_another(target, identifier)
        number = f"{started_at:%Y%m%dT%H%M%SZ}-{token_hex(2)}"
        parts = [*_parts(source.server, target, f"backups/{number}")]
        finished_at = _now(connection)
    copied = CopiedFiles(target)
    keys = copied.copy_new(source.evidence)
    listing = _put(target, f"backups/{number}/evidence.txt", copied.listed(keys))
    manifest = BackupManifest(
        id=number,
        weighbridge=__version__,
        postgresql=postgresql,
        revision=_revision(source.server),
        system_identifier=identifier,
        timeline=segment_timeline(first_segment),
        first_segment=first_segment,
        started_at=started_at,
        finished_at=finished_at,
        parts=parts,
        evidence=listing,
        evidence_files=len(keys),
        audit_key=_put_key(source.key_file, target, f"backups/{number}/audit-key.pem"),
        settings=changed(source.settings),
        not_included=_is_left_out(source),
        secret_keys=_put_key(source.secret_keys, target, f"backups/{number}/secret-keys"),
    )
    target.put(f"{manifest.folder}/{MANIFEST}", written(manifest))
    return manifest


def refuse_another(target: BackupTarget, system_identifier: str) -> None:
    """Keep the backups of two databases apart, whose logs have the same names."""
    for manifest in manifests(target)[-1:]:
        if manifest.system_identifier != system_identifier:
            raise Refusal(f"{target.name} has backups of another database; give each a place of its own.")


@contextmanager
def _kept_log(server: Server) -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """Have the server keep its log from now on, as long as the block lasts."""
    with psycopg.connect(server.superuser_url, autocommit=True) as connection:
        slot = f"weighbridge_base_{token_hex(4)}"
        connection.execute("SELECT pg_create_physical_replication_slot(%s, true, true)", (slot,))
        yield connection, slot


def _parts(server: Server, target: BackupTarget, folder: str) -> Iterator[BackupPart]:
    with stream_backup(server) as stream:
        for number, content in enumerate(_cut(stream)):
            yield _put(target, f"{folder}/part-{number:05}", content)


@contextmanager
def stream_backup(server: Server) -> Iterator[IO[bytes]]:
    """The cluster as one tar file; Refusal at the end of the block when the server did not send it all."""
    command = (
        str(server.location.binaries / "bin" / "pg_basebackup"),
        f"--dbname={server.superuser_url}",
        "--pgdata=-",
        "--format=tar",
        "--wal-method=fetch",
        "--checkpoint=fast",
        f"--manifest-checksums={_SUMS}",
        "--label=weighbridge",
        "--no-password",
    )
    with TemporaryFile() as message:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=message)  # noqa: S603
        assert process.stdout is not None  # noqa: S101
        try:
            yield process.stdout
            while process.stdout.read(CHUNK_BYTES):
                """What a reader leaves, such as the padding of a tar file."""
            if process.wait() != 0:
                message.seek(0)
                raise Refusal(f"pg_basebackup failed: {message.read().decode(errors='replace').strip()}")
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


def _cut(stream: IO[bytes]) -> Iterator[bytes]:
    """The gzipped stream, cut to parts, at the pace of a backup: the server waits while it is not read."""
    pace = BackupPace()
    packing = zlib.compressobj(COMPRESSION, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    part = bytearray()
    while chunk := stream.read(CHUNK_BYTES):
        part += packing.compress(chunk)
        if len(part) >= PART_BYTES:
            yield bytes(part)
            part.clear()
        pace.keep()
    part += packing.flush()
    yield bytes(part)


def _put(target: BackupTarget, path: str, content: bytes) -> BackupPart:
    target.put(path, content)
    return BackupPart(path, len(content), hashlib.sha256(content).hexdigest())


def _put_key(file: Path | None, target: BackupTarget, path: str) -> BackupPart | None:
    return _put(target, path, file.read_bytes()) if file is not None and file.is_file() else None


def _is_left_out(source: BackupSource) -> list[str]:
    missing = ["Settings come from WEIGHBRIDGE_* variables, which are kept where the service is started."]
    if source.key_file is None or not source.key_file.is_file():
        missing.append("The key that signs heads of the audit log is not included.")
    if source.secret_keys is None:
        missing.append(
            f"{keys_file(source.settings)} is not included: without it nobody opens the secrets of"
            " registries, webhooks and partners. Keep a copy of it in another place."
        )
    if source.settings.evidence_url is not None:
        missing.append(
            "Evidence files came from WEIGHBRIDGE_EVIDENCE_URL; restored they lie in the data folder."
        )
    return missing


def _revision(server: Server) -> str:
    with psycopg.connect(server.superuser_url, dbname=DATABASE) as connection:
        revision_row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    assert revision_row is not None, "the caller has looked whether there are data"  # noqa: S101
    return str(revision_row[0])


def _now(connection: psycopg.Connection[Any]) -> datetime:
    time_row = connection.execute("SELECT clock_timestamp()").fetchone()
    assert time_row is not None, "there is always a time"  # noqa: S101
    moment: datetime = time_row[0]
    return moment


# The pace of a backup: it works half of the time, however much there is to do.
#
# Standing back behind other processes is not enough where the processors of a machine are threads of fewer
# cores: whatever runs on the one slows the other, at any priority. What counts there is how long it runs.
#
# Invariant: for each second of a processor that is worked, one is rested.


REST_PER_WORK: Final = 1.0
"""Seconds that are rested for each second of a processor that was worked."""

STRETCH_SECONDS: Final = 0.05
"""How long is worked without a rest, in seconds of a processor: short compared with a full request."""


class BackupPace:
    """Keeps the pace of one process; `worked` gives its seconds of a processor, `rest` lets some pass."""

    def __init__(
        self, worked: Callable[[], float] = time.process_time, rest: Callable[[float], None] = time.sleep
    ) -> None:
        self._worked = worked
        self._rest = rest
        self._rested_at = worked()

    def keep(self) -> None:
        """Rest, if enough was worked since the last rest."""
        stretch = self._worked() - self._rested_at
        if stretch >= STRETCH_SECONDS:
            self._rest(stretch * REST_PER_WORK)
            self._rested_at = self._worked()


# Evidence files, and all others that rows name: copied once, under their key and their SHA-256.
#
# A file is in the store before the row that names it, and is never changed. So what is copied after the
# database holds a file for every row, and a file that was copied need never be looked at again.


EVIDENCE: Final = "evidence"
_KEY: Final = re.compile(r"[0-9a-f]{32}")
_COPY: Final = re.compile(rf"{EVIDENCE}/([0-9a-f]{{32}})\.([0-9a-f]{{64}})")


class CopiedFiles:
    """What a target has of the files of a store; by key, the SHA-256 and the bytes."""

    def __init__(self, target: BackupTarget) -> None:
        self._target = target
        self.known: dict[str, tuple[str, int]] = {}
        for path, size, _ in target.names(EVIDENCE):
            if match := _COPY.fullmatch(path):
                self.known[match[1]] = match[2], size

    def copy_new(self, store: ObjectStore) -> list[str]:
        """Copy what the target lacks; gives the keys of all files that the store has. Raises Refusal."""
        present: list[str] = []
        try:
            for stored_objects in store.list():
                keys = [
                    stored_object["path"]
                    for stored_object in stored_objects
                    if _KEY.fullmatch(stored_object["path"])
                ]
                present += [key for key in keys if key in self.known or self._copy_file(store, key)]
        except (BaseError, OSError) as error:
            raise Refusal(f"The store of evidence files cannot be read: {error}") from error
        return sorted(present)

    def _copy_file(self, store: ObjectStore, key: str) -> bool:
        """Copy a file; one that was removed since it was listed, no row names any more."""
        digest = hashlib.sha256()
        with TemporaryFile() as spool:
            try:
                for chunk in store.get(key).stream(min_chunk_size=CHUNK_BYTES):
                    digest.update(chunk)
                    spool.write(chunk)
            except FileNotFoundError:
                return False
            size = spool.tell()
            spool.seek(0)
            self._target.put(path_of(key, digest.hexdigest()), spool)
        self.known[key] = digest.hexdigest(), size
        return True

    def listed(self, keys: Iterable[str]) -> bytes:
        """A line for each file, as manifests have them."""
        return "".join(f"{self.known[key][0]} {self.known[key][1]} {key}\n" for key in keys).encode()


def path_of(key: str, sha256: str) -> str:
    """Where a target has a file."""
    return f"{EVIDENCE}/{key}.{sha256}"


def list_keys(listing: bytes) -> dict[str, str]:
    """The SHA-256 of each file of a manifest's list, by key."""
    return {key: sha256 for sha256, _, key in (line.split() for line in listing.decode().splitlines())}


# Retention: the newest backups stay, with the log and the files that they need; the rest goes.
#
# Invariants: a backup loses its manifest before its parts, so none that is half gone looks whole; what the
# oldest backup that stays, or any moment after it, needs is never removed.


UNFINISHED_SECONDS: Final = 86_400
"""How old parts without a manifest must be before they count as no one's."""


def prune(target: BackupTarget, keep: int, now: datetime) -> list[str]:
    """Remove all but so many backups; gives the ids of those that went. Raises Refusal."""
    all_manifests = manifests(target)
    removed_manifests, kept_manifests = all_manifests[:-keep], all_manifests[-keep:]
    target.delete(f"{manifest.folder}/{MANIFEST}" for manifest in removed_manifests)
    kept_ids = {manifest.id for manifest in kept_manifests}
    removed_ids = {manifest.id for manifest in removed_manifests}
    parts = []
    for path, _, written_at in target.names(BACKUPS):
        backup = path.split("/")[1]
        is_left_over = backup not in kept_ids and now.timestamp() - written_at > UNFINISHED_SECONDS
        if backup in removed_ids or is_left_over:
            parts.append(path)
    target.delete(parts)
    if removed_manifests:
        _prune_log(target, kept_manifests)
        _prune_files(target, kept_manifests[0])
    return sorted(removed_ids)


def _prune_log(target: BackupTarget, staying: list[BackupManifest]) -> None:
    """Remove what no backup replays: each begins at a segment, and keeps to its own timeline."""
    first: dict[int, int] = {}
    for manifest in reversed(staying):
        first[manifest.timeline] = segment_number(manifest.first_segment)
    target.delete(
        [
            segment_path(name, sha256)
            for name, sha256 in list_shipped(target).items()
            if segment_timeline(name) not in first or segment_number(name) < first[segment_timeline(name)]
        ]
    )


def _prune_files(target: BackupTarget, oldest: BackupManifest) -> None:
    listed = list_keys(target.read(oldest.evidence.path, oldest.evidence.sha256))
    # A file that was copied before the oldest backup and is not in it was gone by then.
    started_at = oldest.started_at.timestamp()
    target.delete(
        [
            path
            for path, _, written_at in target.names(EVIDENCE)
            if written_at < started_at and path.split("/")[1].partition(".")[0] not in listed
        ]
    )
