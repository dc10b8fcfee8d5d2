"""A workbook (XLSX): a ZIP archive, looked at before any part is unpacked, and what its parts say of cells.

Invariants: no part is unpacked beyond `PART_BYTES_MAX` or what the archive says of it; an archive that would
unpack to a hundred times its size is refused unread; no part may declare a document type, so no entity of XML
is ever expanded; nothing is written to the disk.
"""

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import IO, Any, Final
from xml.parsers import expat

from weighbridge.core.collection.data_feed import PATTERN_MARK, fits_pattern
from weighbridge.core.number import NumberError, parse_decimal, shorten
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.cell import ReadyCell

ENTRIES_MAX: Final = 1_000
"""Parts of one workbook."""

PART_BYTES_MAX: Final = 2_147_483_648
"""How long one part may be once it is unpacked, in bytes: 2 GB, more than a full sheet of a million rows."""

SMALL_PART_BYTES_MAX: Final = 33_554_432
"""How long a part may be that is held in memory, such as the styles, in bytes: 32 MB."""

RATIO_MAX: Final = 100
"""How many times its packed size a part may have, above `FREE_BYTES`."""

FREE_BYTES: Final = 10_485_760
"""The size that any part may unpack to, in bytes: 10 MB."""

CHUNK_BYTES: Final = 262_144
DEPTH_MAX: Final = 64
"""How deep elements of a part may be nested."""

TOKEN_BYTES_MAX: Final = 1_048_576
"""How long one tag of a part may be, in bytes, with its attributes."""

Attributes = dict[str, str]


class Workbook:
    """An open archive, by the names of its parts."""

    def __init__(self, archive: zipfile.ZipFile, name: str, noun: str = "workbook") -> None:
        self._archive = archive
        self._title = f"The {noun} {name}"
        self._noun = noun
        self._contents: list[IO[bytes]] = []
        self.name = name
        entries = archive.infolist()
        if len(entries) > ENTRIES_MAX:
            raise Refusal(f"{self._title} has {len(entries):,} parts; at most {ENTRIES_MAX:,} are taken.")
        self._sizes = {entry.filename: entry for entry in entries}
        if len(self._sizes) != len(entries):
            raise Refusal(f"{self._title} has two parts of one name, so it may be read in two ways.")
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

    @property
    def parts(self) -> list[str]:
        """The names of all parts."""
        return [*self._sizes]

    def open(self, part: str) -> IO[bytes]:
        """Open a part, of which no more is unpacked than the archive says."""
        content = self._archive.open(part)
        self._contents.append(content)
        return content

    def chunks(self, part: str) -> Iterator[bytes]:
        """Unpack a part, some bytes at a time."""
        if part not in self._sizes:
            raise Refusal(f"{self._title} lacks its part {part!r}; it is damaged.")
        bytes_left = self.size(part)
        try:
            with self._archive.open(part) as content:
                self._contents.append(content)
                while chunk := content.read(CHUNK_BYTES):
                    bytes_left -= len(chunk)
                    if bytes_left < 0:
                        raise self._build_refusal(part)
                    yield chunk
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise Refusal(f"{self._title} cannot be unpacked: {error}.") from None

    def parse(
        self,
        part: str,
        start: Callable[[str, Attributes], None],
        end: Callable[[str], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> None:
        """Read a small part as XML."""
        if self.has(part) and self.size(part) > SMALL_PART_BYTES_MAX:
            raise self._build_refusal(part)
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
                raise self._build_refusal(part)
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
                f"{self._title} declares a document type in {part!r}, which no program for "
                "spreadsheets writes; it is not read."
            )

        parser.StartDoctypeDeclHandler = refuse
        parser.EntityDeclHandler = refuse

        return PartParser(parser, f"{self._title} is damaged in {part!r}")

    def _check(self, entry: zipfile.ZipInfo) -> None:
        if entry.flag_bits & 1:
            raise Refusal(f"{self._title} is encrypted; save it without a password.")
        if entry.file_size > PART_BYTES_MAX:
            raise self._build_refusal(entry.filename)
        if entry.file_size > FREE_BYTES and entry.file_size > RATIO_MAX * entry.compress_size:
            raise Refusal(
                f"The part {entry.filename!r} of the {self._noun} {self.name} would unpack from "
                f"{entry.compress_size:,} to {entry.file_size:,} bytes, more than {RATIO_MAX} times as much; "
                "it is not unpacked."
            )

    def _build_refusal(self, part: str) -> Refusal:
        return Refusal(f"The part {part!r} of the {self._noun} {self.name} is longer than is taken.")


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
def open_workbook(path: Path, name: str, noun: str = "workbook") -> Iterator[Workbook]:
    """Open a workbook, or another archive."""
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Refusal(f"The {noun} {name} cannot be read: {error}.") from None
    with archive:
        workbook = Workbook(archive, name, noun)
        try:
            yield workbook
        finally:
            workbook.close()


STRINGS_MAX: Final = 1_000_000
"""Shared texts of one workbook."""

_MAIN: Final = "xl/workbook.xml"
_RELATIONS: Final = "xl/_rels/workbook.xml.rels"
_STYLES: Final = "xl/styles.xml"
_STRINGS: Final = "xl/sharedStrings.xml"

_DATES: Final = frozenset({*range(14, 18), 22, *range(27, 32), *range(34, 37), *range(50, 59)})
_TIMES_OF_DAY: Final = frozenset({*range(18, 22), 32, 33, *range(45, 48)})
"""Numbers of the forms of dates and times that every workbook has (ECMA-376 part 1, 18.8.30)."""

_NOT_LETTERS: Final = re.compile(r'"[^"]*(?:"|\Z)|\\.|\[[^\]]*(?:\]|\Z)|_.|\*.')
"""What of a form shows no date; a bracket or a quote that nothing closes goes to the end."""

_MILLISECONDS_OF_DAY: Final = Decimal(86_400_000)
_EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - a sheet knows no zones
_EPOCH_1904: Final = datetime(1904, 1, 1)  # noqa: DTZ001 - as above
_LEAP_DAY_THAT_WAS_NOT: Final = 60
_DAYS_MAX: Final = 2_958_466
"""The day after the last one of the year 9999."""


class WrongDateError(ValueError):
    """A number that is shown as a date, but is not a valid one."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The sheet that is read, and what its cells refer to."""

    name: str
    sheet: str
    """The part that has its rows."""
    strings: list[str]
    dates: list[bool]
    """By the number of a style: whether numbers are dates or times there."""
    is_1904: bool

    def meaning(self, kind: str, style: int, raw: str) -> str:
        """What a cell says; WrongDateError where it is no date, ValueError where it is nothing at all."""
        if kind == "s":
            return self.strings[_read_index(raw)]
        if kind in {"str", "inlineStr", "e"} or not raw.strip():
            return raw
        if kind == "b":
            return ReadyCell("true" if raw.strip() == "1" else "false")
        if kind == "d":
            return ReadyCell(raw.strip())
        if style < len(self.dates) and self.dates[style]:
            return ReadyCell(self._read_moment(raw.strip()))
        return ReadyCell(raw.strip())

    def _read_moment(self, raw: str) -> str:
        """The time that a number means: days since the end of 1899, or since 1904."""
        try:
            days = parse_decimal(raw)
        except NumberError:
            raise WrongDateError(f"{shorten(raw)!r} is not a date of a workbook") from None
        is_early = not self.is_1904 and days < _LEAP_DAY_THAT_WAS_NOT + 1
        if not 0 <= days < _DAYS_MAX or (is_early and days >= _LEAP_DAY_THAT_WAS_NOT):
            raise WrongDateError(f"{shorten(raw)!r} is not a date of a workbook, from 1900 to 9999")
        milliseconds = (days * _MILLISECONDS_OF_DAY).quantize(Decimal(1), ROUND_HALF_EVEN)
        if days < 1:
            return (_EPOCH + timedelta(milliseconds=int(milliseconds))).time().isoformat()
        epoch = _EPOCH_1904 if self.is_1904 else _EPOCH + timedelta(days=is_early)
        try:
            moment = epoch + timedelta(milliseconds=int(milliseconds))
        except OverflowError:
            raise WrongDateError(f"{shorten(raw)!r} is after the year 9999") from None
        is_day = days == days.to_integral_value()
        return moment.date().isoformat() if is_day else moment.isoformat()


def is_workbook(workbook: Workbook) -> bool:
    """Whether an archive is a workbook of the form XLSX."""
    return workbook.has(_MAIN)


def read_parts(workbook: Workbook, sheet: str | None) -> list[Parts]:
    """Find sheets by a name or a pattern, or the first, and read what their cells refer to."""
    sheets: list[tuple[str, str]] = []
    is_1904 = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal is_1904
        if name == "sheet":
            relation = next(
                (attributes[attribute] for attribute in attributes if attribute.endswith(" id")), ""
            )
            sheets.append((attributes.get("name", ""), relation))
        elif name == "workbookPr":
            is_1904 = attributes.get("date1904", "0") in {"1", "true"}

    workbook.parse(_MAIN, start)
    targets: dict[str, str] = {}
    workbook.parse(
        _RELATIONS,
        lambda name, attributes: (
            targets.update({attributes.get("Id", ""): attributes.get("Target", "")})
            if name == "Relationship"
            else None
        ),
    )
    chosen = choose_sheets(workbook.name, [name for name, _ in sheets], sheet)
    strings, dates = _read_strings(workbook), _date_styles(workbook)
    parts = []
    for at in chosen:
        name, relation = sheets[at]
        target = targets.get(relation, "")
        path = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
        if not workbook.has(path):
            raise Refusal(f"The workbook {workbook.name} lacks its sheet; it is damaged.")
        parts.append(Parts(name, path, strings, dates, is_1904))
    return parts


def choose_sheets(title: str, names: Sequence[str], sheet: str | None) -> list[int]:
    """The places of the sheets that are read: of a name, of all that fit a pattern, or the first."""
    if sheet is None:
        fitting = [*range(len(names))][:1]
    elif sheet in names:
        fitting = [names.index(sheet)]
    else:
        is_pattern = PATTERN_MARK in sheet
        fitting = [at for at, name in enumerate(names) if is_pattern and fits_pattern(name, sheet)]
    if not fitting:
        shown = shorten(", ".join(map(repr, names)), 300) or "none"
        raise Refusal(f"The workbook {title} has no sheet {sheet!r}; it has {shown}.")
    return fitting


def _read_index(raw: str) -> int:
    number = int(raw)
    if number < 0:
        raise ValueError
    return number


class _SharedTexts:
    """Collects the shared texts, without their phonetic runs (rPh)."""

    def __init__(self, name: str) -> None:
        self.texts: list[str] = []
        self._name = name
        self._pieces: list[str] = []
        self._is_text = self._is_aloud = False

    def start(self, name: str, _: Attributes) -> None:
        """Begin an element."""
        if name == "si":
            self._pieces = []
        elif name == "t":
            self._is_text = True
        elif name == "rPh":
            self._is_aloud = True

    def end(self, name: str) -> None:
        """End an element."""
        if name == "t":
            self._is_text = False
        elif name == "rPh":
            self._is_aloud = False
        elif name == "si":
            self.texts.append("".join(self._pieces))
            if len(self.texts) > STRINGS_MAX:
                raise Refusal(f"The workbook {self._name} has more than {STRINGS_MAX:,} shared texts.")

    def text(self, text: str) -> None:
        """Take some characters."""
        if self._is_text and not self._is_aloud:
            self._pieces.append(text)


def _read_strings(workbook: Workbook) -> list[str]:
    shared = _SharedTexts(workbook.name)
    if workbook.has(_STRINGS):
        workbook.parse(_STRINGS, shared.start, shared.end, shared.text)
    return shared.texts


def _date_styles(workbook: Workbook) -> list[bool]:
    """By the number of a style: whether it shows a number as a date or a time of day."""
    dates = {str(number): True for number in _DATES | _TIMES_OF_DAY}
    forms: list[str] = []
    is_inside = False

    def start(name: str, attributes: Attributes) -> None:
        nonlocal is_inside
        if name == "numFmt":
            dates[attributes.get("numFmtId", "")] = _is_date(attributes.get("formatCode", ""))
        elif name == "cellXfs":
            is_inside = True
        elif name == "xf" and is_inside:
            forms.append(attributes.get("numFmtId", "0"))

    def end(name: str) -> None:
        nonlocal is_inside
        if name == "cellXfs":
            is_inside = False

    if workbook.has(_STYLES):
        workbook.parse(_STYLES, start, end)
    return [dates.get(form, False) for form in forms]


def _is_date(form: str) -> bool:
    letters = _NOT_LETTERS.sub("", form).partition(";")[0].lower()
    return letters != "general" and bool(re.search("[dmyhs]", letters))
