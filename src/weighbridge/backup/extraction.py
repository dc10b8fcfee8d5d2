"""Extraction: the parts of a backup become the folder of a cluster, each held against its SHA-256 first."""

import hashlib
import io
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from weighbridge.backup.manifest import BackupManifest
from weighbridge.backup.target import BackupTarget
from weighbridge.db.embedded.location import ClusterLocation
from weighbridge.errors import Refusal

_READ_BYTES: Final = 1_048_576

Progress = Callable[[str, int, int], None]


WRONG_NAMED_MAX: Final = 5
"""Files that a refusal names."""


class ManifestFile(msgspec.Struct, frozen=True, rename="pascal"):
    """A file as the server noted it in its manifest of the cluster."""

    path: str
    size: int
    checksum: str


class ClusterManifest(msgspec.Struct, frozen=True, rename="pascal"):
    """`backup_manifest`, which the server sends with a base backup; the log is no part of it."""

    files: list[ManifestFile]


def extract(
    target: BackupTarget, manifest: BackupManifest, location: ClusterLocation, report: Progress
) -> None:
    """Make the cluster of a backup, and have PostgreSQL look at every file of it. Raises Refusal."""
    unfinished = location.home / "cluster-restoring"
    unfinished.mkdir(mode=0o700)
    stream = _Stream(_unpacked(target, manifest, report))
    try:
        with tarfile.open(fileobj=stream, mode="r|", bufsize=_READ_BYTES) as files:
            files.extractall(unfinished, filter="data")
    except tarfile.TarError as error:
        raise Refusal(f"The backup {manifest.id} is no whole tar file: {error}") from error
    if wrong := [*_wrong(unfinished)]:
        named = ", ".join(wrong[:WRONG_NAMED_MAX])
        raise Refusal(f"The backup {manifest.id} does not hold together; {len(wrong)} files differ: {named}.")
    give_to(location, unfinished)
    unfinished.rename(location.cluster)


def _wrong(cluster: Path) -> Iterator[str]:
    """The files that are not as the server noted; the programs of the wheel for this crash."""
    listed = msgspec.json.decode((cluster / "backup_manifest").read_bytes(), type=ClusterManifest)
    for one in listed.files:
        file = cluster / one.path
        if not file.is_file() or file.stat().st_size != one.size:
            yield one.path
            continue
        with file.open("rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != one.checksum:
                yield one.path


def give_to(location: ClusterLocation, folder: Path) -> None:
    """Have the user that runs the server own a folder and all in it."""
    if location.user is None:
        return
    for parent, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            os.chown(Path(parent, name), location.user, -1)


def _unpacked(target: BackupTarget, manifest: BackupManifest, report: Progress) -> Iterator[bytes]:
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
        found = bytearray()
        while len(found) < size:
            if not self._left and not self._next():
                break
            take = size - len(found)
            found += self._left[:take]
            self._left = self._left[take:]
        return bytes(found)

    def _next(self) -> bool:
        """Go on to the next piece; tells whether there was one."""
        self._left = next(filter(None, self._pieces), b"")
        return bool(self._left)
