"""What a witness keeps: the newest head that it cosigned of each log, one file for each.

Invariants: a file is replaced as a whole and is on the disk, name and content, before anybody hears of it;
one process at a time has the folder; a file that cannot be read is an error, and never a log that nobody
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
_OWNER_ALONE: Final = 0o600


class BrokenStateError(Exception):
    """The head of a log was stored, and cannot be read any more."""


class WitnessState:
    """The heads of all logs in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()

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
            _claim(folder, owner)
            yield cls(folder)
        finally:
            os.close(number)

    @contextmanager
    def of_log(self, origin: str) -> Iterator[tuple[Checkpoint, Callable[[Checkpoint], None]]]:
        """The newest head of a log and what replaces it, while nobody else judges a submission."""
        with self._lock:
            file = self._folder / (hashlib.sha256(origin.encode()).hexdigest() + _ENDING)
            yield _read(file, origin), lambda head: store_file(file, head.text)


def _claim(folder: Path, owner: str) -> None:
    file = folder / OWNER_FILE
    if file.exists():
        if file.read_text() != f"{owner}\n":
            raise Refusal(f"The folder {folder} is that of another witness: {file.read_text().strip()}.")
        return
    if any(folder.iterdir()):
        raise Refusal(f"The folder {folder} is not empty, and not that of a witness: it has no {OWNER_FILE}.")
    store_file(file, f"{owner}\n")


def _read(file: Path, origin: str) -> Checkpoint:
    try:
        text = file.read_text()
    except FileNotFoundError:
        return Checkpoint(origin, 0, EMPTY_ROOT)
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenStateError(f"{file} cannot be read: {error}") from error
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
    draft = file.with_name(f"{file.name}.draft")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ALONE), "w") as writing:
        writing.write(text)
        writing.flush()
        os.fsync(writing.fileno())
    draft.replace(file)
    number = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
