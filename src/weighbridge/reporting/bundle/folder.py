"""The parts of a bundle as files while it is made, and what is known of each."""

import hashlib
import zlib
from collections.abc import Iterable
from contextlib import ExitStack
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO, Final

from weighbridge.core.bundle.archive import ArchivePart, write_directory, write_headers
from weighbridge.core.bundle.contents import IndexedPart

READ_BYTES: Final = 1 << 20


class PartFolder:
    """The parts as files, and what is known of each."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stored: dict[str, tuple[Path, ArchivePart, str]] = {}

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write a part."""
        writing = self.begin(name)
        for piece in pieces:
            writing.write(piece)
        writing.close()

    def begin(self, name: str) -> "PartWriting":
        return PartWriting(self, name, self._path / str(len(self._stored)))

    def keep(self, name: str, path: Path, part: ArchivePart, sha256: str) -> None:
        self._stored[name] = path, part, sha256

    @property
    def indexed(self) -> dict[str, IndexedPart]:
        """The parts by their names, with digests."""
        return {
            name: IndexedPart(name, part.size, sha256) for name, (_, part, sha256) in self._stored.items()
        }

    def contents(self, stack: ExitStack) -> dict[str, memoryview]:
        """The parts as memory, until the stack ends."""
        found = {}
        for name, (path, part, _) in self._stored.items():
            if not part.size:
                found[name] = memoryview(b"")
                continue
            with path.open("rb") as file:
                mapped = stack.enter_context(mmap(file.fileno(), 0, access=ACCESS_READ))
            view = memoryview(mapped)
            stack.callback(view.release)
            found[name] = view
        return found

    def assemble(self, target: Path) -> tuple[int, bytes]:
        """Put all parts into one file; gives its length and its digest."""
        stored = [self._stored[name] for name in sorted(self._stored)]
        parts = [part for _, part, _ in stored]
        digest = hashlib.sha256()
        with target.open("wb") as file:
            for header, (path, _, _) in zip(write_headers(parts), stored, strict=True):
                for piece in (header, *_read_pieces(path)):
                    digest.update(piece)
                    file.write(piece)
            behind = write_directory(parts)
            digest.update(behind)
            file.write(behind)
            return file.tell(), digest.digest()


def _read_pieces(path: Path) -> Iterable[bytes]:
    with path.open("rb") as file:
        while piece := file.read(READ_BYTES):
            yield piece


class PartWriting:
    """A part that is being written."""

    def __init__(self, folder: PartFolder, name: str, path: Path) -> None:
        self._folder, self._name, self._path = folder, name, path
        self._file: BinaryIO = path.open("wb")
        self._digest = hashlib.sha256()
        self._crc = self._size = 0
        folder.keep(name, path, ArchivePart(name, 0, 0), "")

    def write(self, piece: bytes) -> None:
        self._file.write(piece)
        self._digest.update(piece)
        self._crc = zlib.crc32(piece, self._crc)
        self._size += len(piece)

    def close(self) -> None:
        self._file.close()
        part = ArchivePart(self._name, self._size, self._crc)
        self._folder.keep(self._name, self._path, part, self._digest.hexdigest())
