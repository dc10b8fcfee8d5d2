"""A folder of this machine as a place.

Every step goes from the root by open folders, part by part, and follows no symbolic link; so nothing that
whoever fills the folder puts there leads anywhere else.
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
from typing import Any, BinaryIO, Final, TypeVar

from weighbridge.core.collection.data_feed import MOVED_TO
from weighbridge.exchange.watching.place import (
    COPIED_BYTES,
    FILES_OF_LOOK_MAX,
    CopiedFile,
    PlaceError,
    check_size,
    copied,
    is_ready_name,
)

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
            found = copied(file, target)
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
