"""The target: a folder or a prefix of an object store, in which each file is whole or absent.

Invariants: `put` returns when a folder's disk has the file and its name; `read` gives the bytes whose
SHA-256 was noted, or refuses.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, Self
from urllib.parse import unquote, urlsplit

from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from weighbridge.collection.evidence_files.store import CLOUDS
from weighbridge.db.embedded.files import make_folder, sync_folder
from weighbridge.errors import Refusal

CHUNK_BYTES: Final = 1_048_576
"""How much of a file is in memory while it is read."""

_FORMS: Final = "it takes a folder, file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container."


class BackupTarget:
    """The files of backups under their names; `name` is how people are told of it."""

    def __init__(self, store: ObjectStore, folder: Path | None, name: str) -> None:
        self._store = store
        self._folder = folder
        self.name = name

    @classmethod
    def opened(cls, place: str, *, is_made: bool = False) -> Self:
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
            raise Refusal(f"{self.name}/{path} is not what was written: its SHA-256 is not {sha256}.")
        return content

    def fetch(self, path: str, sha256: str, file: Path) -> None:
        """Write a file of the target to one on this machine, whole or not at all."""
        digest = hashlib.sha256()
        handle, name = tempfile.mkstemp(prefix="unfinished-", dir=file.parent)
        with os.fdopen(handle, "wb") as written:
            for chunk in self.chunks(path):
                digest.update(chunk)
                written.write(chunk)
        if digest.hexdigest() != sha256:
            Path(name).unlink()
            raise Refusal(f"{self.name}/{path} is not what was written: its SHA-256 is not {sha256}.")
        Path(name).replace(file)

    def names(self, prefix: str) -> Iterator[tuple[str, int, float]]:
        """Path, bytes and moment of writing (seconds since 1970) of each file below a prefix."""
        try:
            for listed in self._store.list(prefix):
                for one in listed:
                    yield one["path"], one["size"], one["last_modified"].timestamp()
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
