"""The target: a folder or a prefix of an object store, in which each file is whole or absent.

Invariants: `put` returns when a folder's disk has the file and its name; `read` gives the bytes whose
SHA-256 was noted, or refuses.
"""

import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Final, Self
from urllib.parse import unquote, urlsplit

import msgspec
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from weighbridge.collection.evidence_files import CLOUDS
from weighbridge.db.embedded.location import make_folder, sync_folder, write_whole
from weighbridge.errors import Refusal

CHUNK_BYTES: Final = 1_048_576
"""How much of a file is in memory while it is read."""

_FORMS: Final = "it takes a folder, file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container."


class BackupTarget:
    """The files of backups under their names; `name` is how messages refer to it."""

    def __init__(self, store: ObjectStore, folder: Path | None, name: str) -> None:
        self._store = store
        self._folder = folder
        self.name = name

    @classmethod
    def open_target(cls, place: str, *, is_made: bool = False) -> Self:
        """Open a folder or a URL; with `is_made` a folder must be there. Raises Refusal."""
        parts = urlsplit(place)
        if parts.scheme == "file" and not parts.netloc:
            return cls._in_folder(Path(unquote(parts.path)), is_made=is_made)
        if "://" not in place:
            return cls._in_folder(Path(place).expanduser(), is_made=is_made)
        name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
        if parts.scheme not in CLOUDS or not parts.netloc:
            raise Refusal(f"The place of backups is {name!r}; {_FORMS}")
        try:
            return cls(from_url(place), None, name)
        except (BaseError, ValueError) as error:
            raise Refusal(f"{name} cannot be used: {str(error).splitlines()[0]}.") from error

    @classmethod
    def _in_folder(cls, folder: Path, *, is_made: bool) -> Self:
        if is_made and not folder.is_dir():
            raise Refusal(f"There is no folder {folder}.")
        make_folder(folder)
        return cls(LocalStore(folder.absolute()), folder.absolute(), str(folder))

    def put(self, path: str, content: bytes | IO[bytes]) -> None:
        """Write a file; raises Refusal."""
        try:
            self._store.put(path, content)
            if self._folder is not None:
                _sync(self._folder / path)
        except (BaseError, OSError) as error:
            raise Refusal(f"{self.name}/{path} cannot be written: {_reason(error)}") from error

    def chunks(self, path: str) -> Iterator[bytes]:
        """The bytes of a file, some at a time; raises Refusal."""
        try:
            for chunk in self._store.get(path).stream(min_chunk_size=CHUNK_BYTES):
                yield bytes(chunk)
        except (BaseError, OSError) as error:
            raise Refusal(f"{self.name}/{path} cannot be read: {_reason(error)}") from error

    def read(self, path: str, sha256: str | None = None) -> bytes:
        """All of a file that is small, or is a part of a backup."""
        content = b"".join(self.chunks(path))
        if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
            raise Refusal(f"{self.name}/{path} was altered: its SHA-256 is not {sha256}.")
        return content

    def fetch(self, path: str, sha256: str, file: Path) -> None:
        """Write a file of the target to one on this machine, whole or not at all."""
        digest = hashlib.sha256()
        handle, name = tempfile.mkstemp(prefix="unfinished-", dir=file.parent)
        with os.fdopen(handle, "wb") as output:
            for chunk in self.chunks(path):
                digest.update(chunk)
                output.write(chunk)
        if digest.hexdigest() != sha256:
            Path(name).unlink()
            raise Refusal(f"{self.name}/{path} was altered: its SHA-256 is not {sha256}.")
        Path(name).replace(file)

    def names(self, prefix: str) -> Iterator[tuple[str, int, float]]:
        """Path, bytes and moment of writing (seconds since 1970) of each file below a prefix."""
        try:
            for stored_objects in self._store.list(prefix):
                for stored_object in stored_objects:
                    yield (
                        stored_object["path"],
                        stored_object["size"],
                        stored_object["last_modified"].timestamp(),
                    )
        except (BaseError, OSError) as error:
            raise Refusal(f"{self.name} cannot be listed: {_reason(error)}") from error

    def delete(self, paths: Iterable[str]) -> None:
        """Remove files; those that are not there are as good as removed."""
        for path in paths:
            try:
                with suppress(FileNotFoundError):
                    self._store.delete(path)
            except (BaseError, OSError) as error:
                raise Refusal(f"{self.name}/{path} cannot be removed: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fchmod(handle, 0o600)  # a database holds more secrets than the key of the audit log
        os.fsync(handle)
    finally:
        os.close(handle)
    sync_folder(path.parent)


# The manifest: what one backup consists of, of what it is, and what it does not have.


FORMAT: Final = 1
BACKUPS: Final = "backups"
MANIFEST: Final = "manifest.json"


class BackupPart(msgspec.Struct, frozen=True):
    """A file of a backup."""

    path: str
    size: int
    sha256: str


class BackupManifest(msgspec.Struct, frozen=True, kw_only=True):
    """One backup; its database can be restored as it was at `finished_at`, or later with the shipped log."""

    format: int = FORMAT
    id: str
    weighbridge: str
    """The version that took it."""
    postgresql: int
    """The major version of the server."""
    revision: str
    """The last step of the history of migrations."""
    system_identifier: str
    timeline: int
    first_segment: str
    """The segment of the log from which it is replayed."""
    started_at: datetime
    finished_at: datetime
    parts: list[BackupPart]
    """In their order: a gzipped tar file of the cluster, cut to pieces."""
    evidence: BackupPart
    """A line for each evidence file: SHA-256, bytes, key."""
    evidence_files: int
    audit_key: BackupPart | None
    settings: dict[str, str]
    """Those that were not at their defaults, without what may hold a password."""
    not_included: list[str]
    """What a working service needs in addition, in sentences."""
    secret_keys: BackupPart | None = None
    """The keys of secrets, where they were asked for: whoever has the backup reads the secrets then."""

    @property
    def folder(self) -> str:
        return f"{BACKUPS}/{self.id}"

    @property
    def size(self) -> int:
        """Bytes of the database's parts."""
        return sum(part.size for part in self.parts)


def written(manifest: BackupManifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1)


def manifests(target: BackupTarget) -> list[BackupManifest]:
    """The finished backups of a target, oldest first; raises Refusal for one that cannot be read."""
    paths = [path for path, _, _ in target.names(BACKUPS) if path.endswith(f"/{MANIFEST}")]
    return sorted(
        (_read(target, path) for path in paths), key=lambda manifest: (manifest.finished_at, manifest.id)
    )


def _read(target: BackupTarget, path: str) -> BackupManifest:
    content = target.read(path)
    try:
        manifest = msgspec.json.decode(content, type=BackupManifest)
    except msgspec.MsgspecError as error:
        raise Refusal(f"{target.name}/{path} is not a manifest of a backup: {error}") from error
    if manifest.format != FORMAT:
        raise Refusal(
            f"{target.name}/{path} has format {manifest.format}, made by Weighbridge {manifest.weighbridge};"
            f" this version reads format {FORMAT}."
        )
    return manifest


# When the last backup of a data directory was taken: a small file in it, for metrics and warnings.


FILE: Final = "last-backup.json"


class LastBackup(msgspec.Struct, frozen=True):
    """The last backup, and until when the log was shipped."""

    target: str
    id: str
    finished_at: datetime
    reaches: datetime
    """The latest moment that can be restored."""


def note(data_dir: Path, last: LastBackup) -> None:
    """Write it down."""
    write_whole(data_dir / FILE, msgspec.json.encode(last).decode())


def overdue(data_dir: Path, made_at: datetime, now: datetime, hours: int) -> str | None:
    """Say that the last backup is older than so many hours, or that a folder made then never had one.

    0 hours says nothing.
    """
    last = last_backup(data_dir)
    since = made_at if last is None else last.reaches
    if not hours or now - since <= timedelta(hours=hours):
        return None
    if last is None:
        return "no backup was ever taken"
    return f"backups reach until {last.reaches.isoformat(timespec='seconds')}"


def last_backup(data_dir: Path) -> LastBackup | None:
    """What was written down, None when no backup was ever taken or the file says nothing."""
    try:
        return msgspec.json.decode((data_dir / FILE).read_bytes(), type=LastBackup)
    except (OSError, msgspec.MsgspecError):
        return None


# Segments of the log: their names, what comes after one, and which of them a target has.


LOG: Final = "wal"
SEGMENT_BYTES: Final = 16_777_216
"""The segment size with which initdb creates every embedded cluster."""

_SEGMENTS_OF_A_FILE: Final = 0x1_0000_0000 // SEGMENT_BYTES
_SHIPPED: Final = re.compile(rf"{LOG}/([0-9A-F]{{24}})\.([0-9a-f]{{64}})\.gz")


def segment_name(timeline: int, number: int) -> str:
    """The name of the so many-th segment."""
    return f"{timeline:08X}{number // _SEGMENTS_OF_A_FILE:08X}{number % _SEGMENTS_OF_A_FILE:08X}"


def segment_timeline(name: str) -> int:
    return int(name[:8], 16)


def segment_number(name: str) -> int:
    """How many segments come before it."""
    return int(name[8:16], 16) * _SEGMENTS_OF_A_FILE + int(name[16:], 16)


def segment_path(name: str, sha256: str) -> str:
    """Where a target has a segment."""
    return f"{LOG}/{name}.{sha256}.gz"


def list_shipped(target: BackupTarget) -> dict[str, str]:
    """The SHA-256 of each segment that the target has, by name.

    Raises Refusal where two that differ have one name: then two copies of a database ship there.
    """
    digests: dict[str, str] = {}
    for path, _, _ in target.names(LOG):
        if (match := _SHIPPED.fullmatch(path)) and digests.setdefault(match[1], match[2]) != match[2]:
            raise _forked_error(target, match[1])
    return digests


def refuse_fork(target: BackupTarget, digests: dict[str, str], name: str, sha256: str) -> None:
    """Raise Refusal when the target has another segment of this name."""
    if digests.get(name, sha256) != sha256:
        raise _forked_error(target, name)


def next_segment(first: str) -> Iterator[str]:
    """The names of a segment and all that come after it, without end."""
    number = segment_number(first)
    while True:
        yield segment_name(segment_timeline(first), number)
        number += 1


def _forked_error(target: BackupTarget, name: str) -> Refusal:
    return Refusal(
        f"{target.name} has the segment {name} of another copy of this database, so two copies ship their"
        " log to one place; give each a place of its own."
    )
