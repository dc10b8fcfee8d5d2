"""Files of the embedded server that must be whole or absent after a crash, and its locks.

Invariants: a lock is an `flock`, so it ends with the process that holds it, however that process dies;
a file written here is never seen half-written.
"""

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from weighbridge.errors import Refusal

LOCK_SECONDS = 300.0
POLL_SECONDS = 0.02
HOLDER_BYTES_MAX = 1_000  # of what a lock's file says of its holder


def make_folder(folder: Path) -> None:
    """Make a private folder; one that exists keeps its mode."""
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise Refusal(f"The folder {folder} cannot be made: {error.strerror}.") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refusal(f"The folder {folder} is not writable by user {os.geteuid()}.")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old content or the new one."""
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename inside the folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold the lock alone; others wait until it is free."""
    handle = _open(path)
    deadline = time.monotonic() + LOCK_SECONDS
    try:
        while not _locked(handle, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise Refusal(f"Another process has held {path} for {LOCK_SECONDS:.0f} seconds.")
            time.sleep(POLL_SECONDS)
        yield
    finally:
        os.close(handle)


@contextmanager
def held_alone(path: Path, text: str) -> Iterator[str | None]:
    """Hold the lock alone, with a text in its file; gives the text of whoever holds it, if somebody does."""
    handle = _open(path)
    try:
        if not _locked(handle, fcntl.LOCK_EX):
            yield os.read(handle, HOLDER_BYTES_MAX).decode(errors="replace").strip()
            return
        os.ftruncate(handle, 0)
        os.write(handle, f"{text}\n".encode())
        yield None
    finally:
        os.close(handle)


def share(path: Path) -> int:
    """Take a share in the lock and give the handle that `leave` closes."""
    handle = _open(path)
    fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def leave(handle: int) -> bool:
    """Give the share back and tell whether it was the last one."""
    was_last = _locked(handle, fcntl.LOCK_EX)
    os.close(handle)
    return was_last


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Refusal(f"The lock file {path} cannot be opened: {error.strerror}.") from error


def _locked(handle: int, kind: int) -> bool:
    with suppress(BlockingIOError):
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
        return True
    return False
