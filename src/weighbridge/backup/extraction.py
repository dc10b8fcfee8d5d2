"""Extraction: the parts of a backup become the folder of a cluster, each held against its SHA-256 first.

Every file is read again from the disk and held against what the parts had. The server's own manifest says
which files there have to be; its sums are CRC-32C, which only PostgreSQL reads
(docs/decisions/0055-cost-of-a-backup.md).
"""

import hashlib
import io
import os
import tarfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

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


class ClusterManifest(msgspec.Struct, frozen=True, rename="pascal"):
    """`backup_manifest`, which the server sends with a base backup; the log is no part of it."""

    files: list[ManifestFile]


def extract(
    target: BackupTarget, manifest: BackupManifest, location: ClusterLocation, report: Progress
) -> None:
    """Make the cluster of a backup, and look at every file of it again. Raises Refusal."""
    unfinished = location.home / "cluster-restoring"
    unfinished.mkdir(mode=0o700)
    stream = _Stream(_unpacked(target, manifest, report))
    try:
        with _SummedFiles.open(fileobj=stream, mode="r|", bufsize=_READ_BYTES) as files:
            files.extractall(unfinished, filter="data")
            sums = files.sums
    except tarfile.TarError as error:
        raise Refusal(f"The backup {manifest.id} is no whole tar file: {error}") from error
    if wrong := [*dict.fromkeys(_wrong(unfinished, sums))]:
        named = ", ".join(wrong[:WRONG_NAMED_MAX])
        raise Refusal(f"The backup {manifest.id} does not hold together; {len(wrong)} files differ: {named}.")
    give_to(location, unfinished)
    unfinished.rename(location.cluster)


class _SummedFiles(tarfile.TarFile):
    """A tar file that keeps the SHA-256 of what each file should have, as it is written."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.sums: dict[Path, str] = {}
        super().__init__(*args, **kwargs)

    def makefile(self, tarinfo: tarfile.TarInfo, targetpath: Any) -> None:
        """Write a file; called by `extractall`. Raises tarfile.ReadError where the stream ends too soon."""
        digest, left = hashlib.sha256(), tarinfo.size
        source: Any = self.fileobj
        source.seek(tarinfo.offset_data)
        with Path(targetpath).open("wb") as file:
            while left:
                piece = source.read(min(left, _READ_BYTES))
                if not piece:
                    raise tarfile.ReadError("unexpected end of data")
                digest.update(piece)
                file.write(piece)
                left -= len(piece)
        self.sums[Path(targetpath)] = digest.hexdigest()


def _wrong(cluster: Path, sums: dict[Path, str]) -> Iterator[str]:
    """The files that are not as the parts had them, or not as the server noted."""
    listed = msgspec.json.decode((cluster / "backup_manifest").read_bytes(), type=ClusterManifest)
    for one in listed.files:
        file = cluster / one.path
        if not file.is_file() or file.stat().st_size != one.size:
            yield one.path
    for file, expected in sums.items():
        with file.open("rb") as content:
            if hashlib.file_digest(content, "sha256").hexdigest() != expected:
                yield str(file.relative_to(cluster))


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
