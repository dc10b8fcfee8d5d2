"""Retention: the newest backups stay, with the log and the files that they need; the rest goes.

Invariants: a backup loses its manifest before its parts, so none that is half gone looks whole; what the
oldest backup that stays, or any moment after it, needs is never removed.
"""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime
from tempfile import TemporaryFile
from typing import Final

from obstore.exceptions import BaseError
from obstore.store import ObjectStore

from weighbridge.backup.target import (
    BACKUPS,
    CHUNK_BYTES,
    MANIFEST,
    BackupManifest,
    BackupTarget,
    list_shipped,
    manifests,
    segment_number,
    segment_path,
    segment_timeline,
)
from weighbridge.errors import Refusal

UNFINISHED_SECONDS: Final = 86_400
"""How old parts without a manifest must be before they count as no one's."""


def prune(target: BackupTarget, keep: int, now: datetime) -> list[str]:
    """Remove all but so many backups; gives the ids of those that went. Raises Refusal."""
    found = manifests(target)
    going, staying = found[:-keep], found[-keep:]
    target.delete(f"{manifest.folder}/{MANIFEST}" for manifest in going)
    known = {manifest.id for manifest in staying}
    gone = {manifest.id for manifest in going}
    parts = []
    for path, _, written in target.names(BACKUPS):
        backup = path.split("/")[1]
        is_left_over = backup not in known and now.timestamp() - written > UNFINISHED_SECONDS
        if backup in gone or is_left_over:
            parts.append(path)
    target.delete(parts)
    if going:
        _prune_log(target, staying)
        _prune_files(target, staying[0])
    return sorted(gone)


def _prune_log(target: BackupTarget, staying: list[BackupManifest]) -> None:
    """Remove what no backup replays: each begins at a segment, and keeps to its own timeline."""
    first: dict[int, int] = {}
    for one in reversed(staying):
        first[one.timeline] = segment_number(one.first_segment)
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
    before = oldest.started_at.timestamp()
    target.delete(
        [
            path
            for path, _, written in target.names(EVIDENCE)
            if written < before and path.split("/")[1].partition(".")[0] not in listed
        ]
    )


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
            if found := _COPY.fullmatch(path):
                self.known[found[1]] = found[2], size

    def copy_new(self, store: ObjectStore) -> list[str]:
        """Copy what the target lacks; gives the keys of all files that the store has. Raises Refusal."""
        present: list[str] = []
        try:
            for listed in store.list():
                keys = [one["path"] for one in listed if _KEY.fullmatch(one["path"])]
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
