"""The container of a workbook (XLSX): a ZIP archive whose parts are looked at before any is unpacked.

Invariants: no part is unpacked beyond `PART_BYTES_MAX` or what the archive says of it; an archive that would
unpack to a hundred times its size is refused unread; no part may declare a document type, so no entity of XML
is ever expanded; nothing is written to the disk.
"""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final
from xml.parsers import expat

from weighbridge.errors import Refusal

ENTRIES_MAX: Final = 1_000
"""Parts of one workbook."""

PART_BYTES_MAX: Final = 2_147_483_648
"""How long one part may be once it is unpacked, in bytes: 2 GB, more than a full sheet of a million rows."""

SMALL_PART_BYTES_MAX: Final = 33_554_432
"""How long a part may be that is held in memory, such as the styles, in bytes: 32 MB."""

RATIO_MAX: Final = 100
"""How many times its packed size a part may have, above `FREE_BYTES`."""

FREE_BYTES: Final = 10_485_760
"""What any part may unpack to, in bytes: 10 MB."""

CHUNK_BYTES: Final = 262_144
DEPTH_MAX: Final = 64
"""How deep elements of a part may stand in one another."""

TOKEN_BYTES_MAX: Final = 1_048_576
"""How long one tag of a part may be, in bytes, with its attributes."""

Attributes = dict[str, str]


class Workbook:
    """An open archive, by the names of its parts."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive = archive
        self._contents: list[IO[bytes]] = []
        self.name = name
        entries = archive.infolist()
        if len(entries) > ENTRIES_MAX:
            raise Refusal(
                f"The workbook {name} has {len(entries):,} parts; at most {ENTRIES_MAX:,} are taken."
            )
        self._sizes = {entry.filename: entry for entry in entries}
        if len(self._sizes) != len(entries):
            raise Refusal(f"The workbook {name} has two parts of one name, so it may be read in two ways.")
        for entry in entries:
            self._check(entry)

    def close(self) -> None:
        """Close the parts that were not read to their end."""
        for content in self._contents:
            content.close()

    def has(self, part: str) -> bool:
        """Whether there is a part of this name."""
        return part in self._sizes

    def size(self, part: str) -> int:
        """How long a part is once it is unpacked."""
        return self._sizes[part].file_size

    def chunks(self, part: str) -> Iterator[bytes]:
        """Unpack a part, some bytes at a time."""
        if part not in self._sizes:
            raise Refusal(f"The workbook {self.name} lacks its part {part!r}; it is damaged.")
        left = self.size(part)
        try:
            with self._archive.open(part) as content:
                self._contents.append(content)
                while chunk := content.read(CHUNK_BYTES):
                    left -= len(chunk)
                    if left < 0:
                        raise self._too_long(part)
                    yield chunk
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise Refusal(f"The workbook {self.name} cannot be unpacked: {error}.") from None

    def parse(
        self,
        part: str,
        start: Callable[[str, Attributes], None],
        end: Callable[[str], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> None:
        """Read a small part as XML."""
        if self.has(part) and self.size(part) > SMALL_PART_BYTES_MAX:
            raise self._too_long(part)
        parser = self.parser(part, start, end, text)
        for chunk in self.chunks(part):
            parser.feed(chunk)
        parser.close()

    def parser(
        self,
        part: str,
        start: Callable[[str, Attributes], None],
        end: Callable[[str], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> "PartParser":
        """A parser of XML that takes a part in chunks; elements are known by their names without prefixes."""
        parser: Any = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        depth = 0

        def begin(name: str, attributes: Attributes) -> None:
            nonlocal depth
            depth += 1
            if depth > DEPTH_MAX:
                raise self._too_long(part)
            start(name.rpartition(" ")[2], attributes)

        def finish(name: str) -> None:
            nonlocal depth
            depth -= 1
            if end is not None:
                end(name.rpartition(" ")[2])

        parser.StartElementHandler, parser.EndElementHandler = begin, finish
        if text is not None:
            parser.CharacterDataHandler = text

        def refuse(*_: object) -> None:
            raise Refusal(
                f"The workbook {self.name} declares a document type in {part!r}, which no program for "
                "spreadsheets writes; it is not read."
            )

        parser.StartDoctypeDeclHandler = refuse
        parser.EntityDeclHandler = refuse

        return PartParser(parser, f"The workbook {self.name} is damaged in {part!r}")

    def _check(self, entry: zipfile.ZipInfo) -> None:
        if entry.flag_bits & 1:
            raise Refusal(f"The workbook {self.name} is encrypted; save it without a password.")
        if entry.file_size > PART_BYTES_MAX:
            raise self._too_long(entry.filename)
        if entry.file_size > FREE_BYTES and entry.file_size > RATIO_MAX * entry.compress_size:
            raise Refusal(
                f"The part {entry.filename!r} of the workbook {self.name} would unpack from "
                f"{entry.compress_size:,} to {entry.file_size:,} bytes, more than {RATIO_MAX} times as much; "
                "it is not unpacked."
            )

    def _too_long(self, part: str) -> Refusal:
        return Refusal(f"The part {part!r} of the workbook {self.name} is longer than is taken.")


class PartParser:
    """Reads one part as XML."""

    def __init__(self, parser: Any, damaged: str) -> None:
        self._parser, self._damaged = parser, damaged
        self._fed = 0

    def feed(self, chunk: bytes) -> None:
        """Take some bytes; a refusal where a single tag would have to be held in memory."""
        self._parse(chunk, is_last=False)
        self._fed += len(chunk)
        if self._fed - self._parser.CurrentByteIndex > TOKEN_BYTES_MAX:
            raise Refusal(f"{self._damaged}: a tag has more than {TOKEN_BYTES_MAX:,} bytes.")

    def close(self) -> None:
        """There are no more bytes."""
        self._parse(b"", is_last=True)

    def _parse(self, chunk: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(chunk, is_last)
        except expat.ExpatError as error:
            raise Refusal(f"{self._damaged}: {error}.") from None


@contextmanager
def unpacked(path: Path, name: str) -> Iterator[Workbook]:
    """Open a workbook."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Refusal(f"The workbook {name} cannot be read: {error}.") from None
    with archive:
        workbook = Workbook(archive, name)
        try:
            yield workbook
        finally:
            workbook.close()
