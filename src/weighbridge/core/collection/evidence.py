"""Evidence supports an event: a file that is stored with it, or a link to a file elsewhere.

Invariants: a name is one line of 1 to 255 visible characters; the name of a file has no path in it; a link
leads to a host by http or https, says nothing of a user, and is never followed by the service.
"""

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from weighbridge.core.identity import explain_unseen, problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem

EVIDENCE_BYTES_MAX: Final = 26_214_400
"""The largest file that is kept as evidence, in bytes: 25 MB."""

EVIDENCE_OF_EVENT_MAX: Final = 100
"""Files and links of one event, together: the event's record lists all of them."""

LINK_LENGTH_MAX: Final = 2_000
"""The longest link, in characters."""

_PORT_MAX: Final = 65_535
_LINK: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*):(?://(?P<authority>[^/?#]*))?.*", re.IGNORECASE)
_HOST: Final = re.compile(
    r"(?:\[[0-9a-f:.]+\]|[^\W_](?:[\w.-]*[\w.])?)(?::(?P<port>[0-9]{1,5}))?", re.IGNORECASE
)


def remove_path(name: str) -> str:
    """The last part of a name that may be a path of some machine."""
    return name.replace("\\", "/").rpartition("/")[2].strip(" ")


def check_file_name(name: str, field: str) -> list[Problem]:
    """What is wrong with the name of a file or a link."""
    if not name.strip(". \t"):
        return [Problem("A piece of evidence needs a name.", field, "required")]
    wrong = problem_of_name(name, "A piece of evidence", field)
    return [wrong] if wrong else []


def check_link(link: str, field: str) -> list[Problem]:
    """What is wrong with a link."""
    if len(link) > LINK_LENGTH_MAX:
        message = f"{field} has {len(link):,} characters; a link has at most {LINK_LENGTH_MAX:,}."
    elif unseen := explain_unseen(link):
        message = f"{field} {unseen}."
    elif any(character.isspace() or character == "\\" for character in link):
        message = f"{field} holds a space or a backslash, which no link may."
    else:
        return _check_link_parts(link, field)
    return [Problem(message, field, "invalid")]


def _check_link_parts(link: str, field: str) -> list[Problem]:
    parts = _LINK.fullmatch(link)
    authority = parts["authority"] if parts else None
    host = _HOST.fullmatch(authority) if authority else None
    if parts is None or parts["scheme"].lower() not in {"http", "https"}:
        message = f"{field} is {shorten(repr(link))}; it takes a link that begins with http:// or https://."
    elif authority and "@" in authority:
        message = f"{field} names a user or a password before the host; leave them out."
    elif host is None or int(host["port"] or 0) > _PORT_MAX:
        message = f"{field} is {shorten(repr(link))}; it takes a link with a host, such as https://example.org/report."
    else:
        return []
    return [Problem(message, field, "invalid")]


# A file type is a kind of file that may be kept as evidence: what its name ends in, how its content begins.
#
# A file is of a type only when its name and its content both say so, so that nothing passes under another
# name. Web pages, drawings with scripts and programs are of no type here.
#
# Invariants: an extension belongs to one type; a content that fits a type begins as that type's files do,
# and one that fits a text type has no control characters and does not begin as markup or a script.


HEAD_BYTES: Final = 4_096
"""How much of the beginning of a content is looked at."""

DIRECTORY_BYTES_MAX: Final = 1_048_576
"""The longest list of the entries of a spreadsheet's archive, in bytes."""

TAIL_BYTES: Final = DIRECTORY_BYTES_MAX + 65_557
"""How much of the end of a content is looked at: an archive lists its entries there."""

_CONTROLS: Final = bytes({*range(0x20), 0x7F} - {*b"\t\n\f\r"})
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_MARKUP_OR_SCRIPT: Final = re.compile(rb"\s*(<[A-Za-z!?/]|#!)")
_JSON: Final = re.compile(rb"\s*[\[{]")

_ARCHIVE: Final = b"PK\x03\x04"
_END_OF_DIRECTORY: Final = struct.Struct("<4s4H2LH")
_ENTRY: Final = struct.Struct("<4s6H3L5H2L")
_WORKBOOK_PARTS: Final = frozenset({b"[Content_Types].xml", b"xl/workbook.xml"})
_MACROS: Final = re.compile(rb"(.*/)?vbaproject\w*\.bin|xl/macrosheets/.*", re.IGNORECASE | re.DOTALL)
"""Parts of a workbook that are programs: of today's kind, and sheets of the kind before. The case of letters
tells no names apart."""

ContentTest = Callable[[bytes, bytes], bool]
"""Whether a content is of a type, by its head and its tail."""


@dataclass(frozen=True, slots=True)
class FileType:
    """One type: the name it goes by on the web, its extensions, and how its content is known."""

    noun: str
    media_type: str
    extensions: tuple[str, ...]
    fits: ContentTest
    is_text: bool = False

    def name_of(self, name: str) -> str:
        """The name for a copy of the file: it always ends in an extension of the type."""
        return name if _find_extension(name) in self.extensions else name + self.extensions[0]


def find_type(name: str) -> FileType | None:
    """Return the type that a file name's extension means, if the table has it."""
    return _BY_EXTENSION.get(_find_extension(name))


def has_controls(part: bytes) -> bool:
    """Whether a part of a content has characters that no text has."""
    return len(part.translate(None, _CONTROLS)) != len(part)


def _find_extension(name: str) -> str:
    _, dot, last = name.rpartition(".")
    return dot + last.lower()


def _match_beginning(*beginnings: bytes) -> ContentTest:
    return lambda head, _: head.startswith(beginnings)


def _is_webp(head: bytes, _: bytes) -> bool:
    return head[:4] == b"RIFF" and head[8:12] == b"WEBP"


def _is_text(head: bytes, _: bytes) -> bool:
    return not _MARKUP_OR_SCRIPT.match(head.removeprefix(_BYTE_ORDER_MARK)) and not has_controls(head)


def _is_json(head: bytes, tail: bytes) -> bool:
    return _is_text(head, tail) and _JSON.match(head.removeprefix(_BYTE_ORDER_MARK)) is not None


def _is_workbook(head: bytes, tail: bytes) -> bool:
    if not head.startswith(_ARCHIVE):
        return False
    names = set(_list_entries(tail))
    return names >= _WORKBOOK_PARTS and not any(
        _MACROS.fullmatch(name.replace(b"\\", b"/")) for name in names
    )


def _list_entries(tail: bytes) -> Iterator[bytes]:
    """The names in an archive's list of entries; none of an archive whose list is not where it says."""
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or end + _END_OF_DIRECTORY.size > len(tail):
        return
    _, _, _, _, _, size, _, _ = _END_OF_DIRECTORY.unpack_from(tail, end)
    at = end - size
    while 0 <= at <= end - _ENTRY.size:
        mark, *_, name_size, extra_size, note_size, _, _, _, _ = _ENTRY.unpack_from(tail, at)
        if mark != b"PK\x01\x02":
            return
        at += _ENTRY.size
        yield tail[at : at + name_size]
        at += name_size + extra_size + note_size


FILE_TYPES: Final = (
    FileType("a PDF document", "application/pdf", (".pdf",), _match_beginning(b"%PDF-")),
    FileType("a PNG image", "image/png", (".png",), _match_beginning(b"\x89PNG\r\n\x1a\n")),
    FileType("a JPEG image", "image/jpeg", (".jpeg", ".jpg"), _match_beginning(b"\xff\xd8\xff")),
    FileType("a WebP image", "image/webp", (".webp",), _is_webp),
    FileType("a CSV file", "text/csv", (".csv",), _is_text, is_text=True),
    FileType(
        "an XLSX workbook without macros",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        (".xlsx",),
        _is_workbook,
    ),
    FileType("a text file", "text/plain", (".txt",), _is_text, is_text=True),
    FileType("a JSON file", "application/json", (".json",), _is_json, is_text=True),
)
"""Every type that is kept."""

BY_MEDIA_TYPE: Final[Mapping[str, FileType]] = {type_.media_type: type_ for type_ in FILE_TYPES}
_BY_EXTENSION: Final = {extension: type_ for type_ in FILE_TYPES for extension in type_.extensions}

ALLOWED: Final = ", ".join(_BY_EXTENSION)
"""The extensions, as a refusal names them."""
