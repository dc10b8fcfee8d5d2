"""What a witness keeps: the newest head that it cosigned of each log, one file for each.

Invariants: a file is replaced as a whole and is on the disk, name and content, before anybody hears of it;
one process at a time has the folder, and stays in it when it is moved or something else takes its name; a
file that cannot be read, or is not what the process has stored, is an error, and never a log that nobody
knows.
"""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Final, Self

from weighbridge.core.proof import EMPTY_ROOT, Checkpoint, hash_of, parse_whole_number
from weighbridge.core.signing import UnprovenError
from weighbridge.errors import Refusal

OWNER_FILE: Final = "witness"
"""The file of the folder that says whose state it is: the key of the witness."""

_ENDING: Final = ".head"
_DRAFT: Final = ".draft"
_OWNER_ALONE: Final = 0o600


class BrokenStateError(Exception):
    """The head of a log was stored, and cannot be read any more."""


class WitnessState:
    """The heads of all logs in one folder."""

    def __init__(self, folder: int) -> None:
        self._folder = folder
        self._lock = Lock()
        self._stored: dict[str, str] = {}

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, owner: str) -> Iterator[Self]:
        """Have the folder alone; Refusal when another process has it, or it is of another witness.

        An empty folder is taken for a new witness. Whoever empties it makes the witness forget what it
        cosigned, so a folder that is not there is refused rather than made.
        """
        try:
            number = os.open(folder, os.O_RDONLY)
        except OSError as error:
            raise Refusal(
                f"The folder {folder} cannot be opened: {error}. Make an empty one for a new witness, and"
                " never for one that has cosigned heads: it would cosign other ones."
            ) from error
        try:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise Refusal(f"Another process has the folder {folder}.") from error
            _claim(number, folder, owner)
            yield cls(number)
        finally:
            os.close(number)

    @contextmanager
    def of_log(self, origin: str) -> Iterator[tuple[Checkpoint, Callable[[Checkpoint], None]]]:
        """The newest head of a log and what replaces it, while nobody else judges a submission."""
        with self._lock:
            name = hashlib.sha256(origin.encode()).hexdigest() + _ENDING
            text = _read(self._folder, name)
            if name in self._stored and text != self._stored[name]:
                raise BrokenStateError(f"{name} is not there any more as it was stored.")

            def store(head: Checkpoint) -> None:
                _store(self._folder, name, head.text)
                self._stored[name] = head.text

            yield _parse(name, text, origin), store


def _claim(number: int, folder: Path, owner: str) -> None:
    claimed = _read(number, OWNER_FILE)
    if claimed is not None:
        if claimed != f"{owner}\n":
            raise Refusal(f"The folder {folder} is that of another witness: {claimed.strip()}.")
        return
    if [name for name in os.listdir(number) if not name.endswith(_DRAFT)]:
        raise Refusal(f"The folder {folder} is not empty, and not that of a witness: it has no {OWNER_FILE}.")
    try:
        _store(number, OWNER_FILE, f"{owner}\n")
    except OSError as error:
        raise Refusal(f"Nothing can be stored in the folder {folder}: {error}") from error


def _read(folder: int, name: str) -> str | None:
    """The text of a file in a folder; None where there is none."""
    try:
        with os.fdopen(os.open(name, os.O_RDONLY, dir_fd=folder)) as reading:
            return reading.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenStateError(f"{name} cannot be read: {error}") from error


def _parse(file: str, text: str | None, origin: str) -> Checkpoint:
    if text is None:
        return Checkpoint(origin, 0, EMPTY_ROOT)
    lines = text.split("\n")
    try:
        stored = Checkpoint(lines[0], parse_whole_number(lines[1]), hash_of(lines[2]))
    except (IndexError, UnprovenError) as error:
        raise BrokenStateError(f"{file} holds no head: {error}") from error
    if stored.text != text or stored.origin != origin:
        raise BrokenStateError(f"{file} holds another head than that of {origin}.")
    return stored


def store_file(file: Path, text: str) -> None:
    """Write a file: the old or the new one is there whenever the machine stops, the new one afterwards."""
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        _store(folder, file.name, text)
    finally:
        os.close(folder)


def _store(folder: int, name: str, text: str) -> None:
    draft = f"{name}{_DRAFT}"
    made = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ALONE, dir_fd=folder)
    with os.fdopen(made, "w") as writing:
        writing.write(text)
        writing.flush()
        os.fsync(writing.fileno())
    os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)
