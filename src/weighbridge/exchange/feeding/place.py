"""A place holds files that wait: a folder or a prefix in an object store, below a root that is allowed.

Every step of taking a file up can be done again after a kill. Out go files that rest, copies of them, and
afterwards their way to `done` or `failed` with a report.

Invariants: a file that is still being written is not given out; a file is moved once its upload has ended,
and only if it is still the one that was taken; nothing outside of the place is read or written.
"""

import asyncio
import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, TypeVar

from obstore.exceptions import BaseError
from obstore.store import ObjectStore, from_url

from weighbridge.core.collection.data_feed import FILE_BYTES_MAX, MOVED_TO, NAME_OF_FILE_MAX
from weighbridge.errors import Refusal

UNFINISHED: Final = (".part", ".partial", ".filepart", ".tmp", ".crdownload")
"""Endings of the names under which programs write what is not finished."""

FILES_OF_LOOK_MAX: Final = 100
"""Files that one look takes up in one place, the first by their names."""

COPIED_BYTES: Final = 1_048_576


class PlaceError(Refusal):
    """A place cannot be looked at, or a file in it cannot be taken; the message is for whoever watches it."""


class CopiedFile(NamedTuple):
    """A file as it was copied."""

    size: int
    sha256: bytes


class Place(Protocol):
    """Where files wait."""

    async def waiting(self, now: datetime) -> list[str]:
        """The names of the files that are finished, in their order."""

    async def copy(self, name: str, target: Path) -> CopiedFile | None:
        """Copy a file; None when it is gone or was still being written."""

    async def settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        """Write reports, then move a file; what is done already stays done."""


def is_ready_name(name: str) -> bool:
    """Whether a name is one of a finished file."""
    is_plain = name.isprintable() and 0 < len(name) <= NAME_OF_FILE_MAX - 40 and "/" not in name
    return is_plain and not name.startswith(".") and not name.lower().endswith(UNFINISHED)


def check_size(name: str, size: int) -> None:
    """Raise PlaceError for a file that no feed takes."""
    if not size:
        raise PlaceError(f"The file {name!r} is empty; it is left where it is.")
    if size > FILE_BYTES_MAX:
        raise PlaceError(
            f"The file {name!r} has {size:,} bytes; at most {FILE_BYTES_MAX:,} are taken. It is left there."
        )


def copy_file(source: BinaryIO, target: Path) -> CopiedFile:
    """Copy all of an open file, and digest it on the way."""
    digest, size = hashlib.sha256(), 0
    with target.open("wb") as file:
        while block := source.read(COPIED_BYTES):
            digest.update(block)
            size += len(block)
            file.write(block)
    return CopiedFile(size, digest.digest())


_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_WAITING_IS_NO_FILE: Final = os.O_RDONLY | os.O_NONBLOCK | _NO_LINK
_FOLDER_MODE: Final = 0o770
_FILE_MODE: Final = 0o660

Result = TypeVar("Result")


class FolderPlace:
    """A folder below a root; a file rests when nothing was written to it for some seconds."""

    def __init__(self, place: str, root: str, rest_seconds: int) -> None:
        self._place, self._root = place, root
        self._rest = timedelta(seconds=rest_seconds)

    async def waiting(self, now: datetime) -> list[str]:
        """The names of the files that rest."""
        return await self._done(self._waiting, now)

    async def copy(self, name: str, target: Path) -> CopiedFile | None:
        """Copy a file that stays as it is meanwhile."""
        return await self._done(self._copy, name, target)

    async def settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        """Write reports, then move the file."""
        await self._done(self._settle, name, sha256, target, reports)

    async def _done(self, work: Callable[..., Result], *arguments: Any) -> Result:
        try:
            return await asyncio.to_thread(work, *arguments)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                said = f"The folder {self._place} is none, or lies behind a symbolic link; none is followed."
                raise PlaceError(said) from None
            raise PlaceError(f"The folder {self._place} cannot be used: {error.strerror or error}.") from None

    def _waiting(self, now: datetime) -> list[str]:
        with self._opened() as folder:
            names = []
            for entry in os.scandir(folder):
                if not is_ready_name(entry.name) or not entry.is_file(follow_symlinks=False):
                    continue
                with suppress(FileNotFoundError):
                    written = entry.stat(follow_symlinks=False).st_mtime_ns
                    age = now - datetime.fromtimestamp(written // 1_000_000_000, UTC)
                    if age >= self._rest:
                        names.append(entry.name)
            return sorted(names)[:FILES_OF_LOOK_MAX]

    def _copy(self, name: str, target: Path) -> CopiedFile | None:
        with self._opened() as folder, suppress(FileNotFoundError), _file(folder, name) as file:
            before = os.fstat(file.fileno())
            check_size(name, before.st_size)
            found = copy_file(file, target)
            after = os.fstat(file.fileno())
            is_same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
            return found if is_same and found.size == before.st_size else None
        return None

    def _settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        into, _, moved = target.partition("/")
        assert into in MOVED_TO, "files are moved to one of two folders"  # noqa: S101
        with self._opened() as folder:
            with suppress(FileExistsError):
                os.mkdir(into, _FOLDER_MODE, dir_fd=folder)
            with _subfolder(folder, into) as other:
                for report, content in reports.items():
                    _write(other, report.partition("/")[2], content)
                with suppress(FileNotFoundError):
                    if _sha256(folder, name) == sha256:
                        os.rename(name, moved, src_dir_fd=folder, dst_dir_fd=other)
                os.fsync(other)
            os.fsync(folder)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        """The folder, by its parts below the root."""
        parts = self._place[len(self._root) :].strip("/")
        handle = os.open(self._root, _FOLDER)
        try:
            for part in parts.split("/") if parts else ():
                below = os.open(part, _FOLDER | _NO_LINK, dir_fd=handle)
                os.close(handle)
                handle = below
            yield handle
        finally:
            os.close(handle)


@contextmanager
def _subfolder(folder: int, name: str) -> Iterator[int]:
    handle = os.open(name, _FOLDER | _NO_LINK, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _file(folder: int, name: str) -> Iterator[BufferedReader]:
    """A plain file of the folder, and nothing that only looks like one."""
    handle = os.open(name, _WAITING_IS_NO_FILE, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise PlaceError(f"{name!r} is no file; it is left where it is.")
        yield file


def _sha256(folder: int, name: str) -> bytes:
    with _file(folder, name) as file:
        return hashlib.file_digest(file, "sha256").digest()


def _write(folder: int, name: str, content: BinaryIO) -> None:
    """Write a file whole or not at all."""
    unfinished = f".{name}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_LINK
    content.seek(0)
    with os.fdopen(os.open(unfinished, flags, _FILE_MODE, dir_fd=folder), "wb") as file:
        shutil.copyfileobj(content, file, COPIED_BYTES)
        file.flush()
        os.fsync(file.fileno())
    os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)


RETRIES: Final = 2


class BucketPlace:
    """The objects directly below a prefix."""

    def __init__(self, place: str, store: ObjectStore) -> None:
        self._place, self._store = place, store

    async def waiting(self, _: datetime) -> list[str]:
        """The names of the objects."""
        try:
            listed = await self._store.list_with_delimiter_async()
        except (BaseError, OSError) as error:
            raise self._away(error) from None
        names = sorted(one["path"] for one in listed["objects"] if is_ready_name(one["path"]))
        return names[:FILES_OF_LOOK_MAX]

    async def copy(self, name: str, target: Path) -> CopiedFile | None:
        """Copy an object."""
        digest, size = hashlib.sha256(), 0
        try:
            stored = await self._store.get_async(name)
            check_size(name, stored.meta["size"])
            with target.open("wb") as file:
                async for chunk in stored.stream(min_chunk_size=COPIED_BYTES):
                    digest.update(chunk)
                    size += len(chunk)
                    await asyncio.to_thread(file.write, chunk)
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise self._away(error) from None
        return CopiedFile(size, digest.digest())

    async def settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        """Write reports, then copy the object and remove it."""
        try:
            for report, content in reports.items():
                content.seek(0)
                await self._store.put_async(report, content)
            with suppress(FileNotFoundError):
                if await self._sha256(name) == sha256:
                    await self._store.copy_async(name, target)
                    await self._store.delete_async(name)
        except (BaseError, OSError) as error:
            raise self._away(error) from None

    async def _sha256(self, name: str) -> bytes:
        digest = hashlib.sha256()
        stored = await self._store.get_async(name)
        async for chunk in stored.stream(min_chunk_size=COPIED_BYTES):
            digest.update(chunk)
        return digest.digest()

    def _away(self, error: Exception) -> PlaceError:
        return PlaceError(f"The place {self._place} cannot be used: {str(error).splitlines()[0]}")


def open_bucket(place: str) -> BucketPlace:
    """Open a place by its URL; who may read it is said by the environment, as for evidence files."""
    try:
        return BucketPlace(place, from_url(place, retry_config={"max_retries": RETRIES}))
    except (BaseError, ValueError) as error:
        raise PlaceError(f"The place {place} cannot be used: {str(error).splitlines()[0]}") from None
