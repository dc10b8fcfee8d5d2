"""Files that are no tables, called what they are: a web page, a document, a picture, another archive.

Invariant: a file is known by how it begins, never by its name; what is not known here is read as text.
"""

import re
from typing import Final

HEAD_BYTES: Final = 4_096

_MAGIC: Final = (
    (b"%PDF", "a PDF document", "export the table itself as CSV or XLSX"),
    (b"\xd0\xcf\x11\xe0", "a workbook of an old form (XLS) or is locked", "save it as XLSX"),
    (b"{\\rtf", "a text document (RTF)", "export the table as CSV or XLSX"),
    (b"Rar!", "a RAR archive", "unpack it, or make a ZIP archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it, or make a ZIP archive"),
    (b"\xfd7zXZ", "packed with xz", "unpack it, or pack it with gzip"),
    (b"(\xb5/\xfd", "packed with zstd", "unpack it, or pack it with gzip"),
    (b"BZh", "packed with bzip2", "unpack it, or pack it with gzip"),
    (b"\x89PNG", "a picture (PNG)", "export the table as CSV or XLSX"),
    (b"\xff\xd8\xff", "a picture (JPEG)", "export the table as CSV or XLSX"),
    (b"SQLite format 3", "a database (SQLite)", "export the table as CSV"),
    (b"ID;P", "a workbook of an old form (SYLK)", "save it as XLSX"),
    (b"UNA:+", "a message of EDIFACT", "export the values as CSV"),
    (b"UNB+", "a message of EDIFACT", "export the values as CSV"),
    (b"MZ", "a program", "send the file that it exports"),
)
_PAGE: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body|table|meta|div)\b", re.IGNORECASE)
_XML: Final = re.compile(rb"<\?xml\b|<[A-Za-z_][\w.:-]*(?:\s[^<>]*)?/?>")


def describe_foreign(head: bytes) -> str | None:
    """What a file is that is no table, and what to do, as the end of a sentence; None of any other."""
    for magic, what, advice in _MAGIC:
        if head.startswith(magic):
            return f"is {what}, not a table; {advice}"
    text = head.removeprefix(b"\xef\xbb\xbf")
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = text.replace(b"\0", b"")[2:]
    text = text.lstrip()
    if not text.startswith(b"<"):
        if text.startswith(b"["):
            return _describe_list(text)
        return None
    if b"urn:schemas-microsoft-com:office:spreadsheet" in text:
        return "is a workbook as XML (Excel 2003), not a table; save it as XLSX"
    if _PAGE.search(text):
        return "is a web page (HTML), not a table; open it in a spreadsheet and save it as XLSX or CSV"
    return "is XML, not a table; export the values as CSV or JSON Lines" if _XML.match(text) else None


def _describe_list(text: bytes) -> str | None:
    if re.match(rb"\[\s*\{", text):
        return "is one list of JSON, not JSON Lines; export one object on each line"
    return None
