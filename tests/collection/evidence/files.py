"""Files of each kind that is kept, and some that only look like one."""

import io
import zipfile

PDF = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256))
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(range(256))
WEBP = b"RIFF\x24\x00\x00\x00WEBPVP8 " + bytes(range(256))
CSV = "\ufeffplate;weight\r\nB-XY 1;12,50 t\r\n".encode()
TXT = "Waage geprüft\n".encode("windows-1252")
JSON = b' {"ticket": 4711, "weight": 12.50}'
HTML = b"<!DOCTYPE html><html><script>alert(1)</script></html>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
POLYGLOT = b"%PDF-1.4\n<html><body><script>alert(document.domain)</script></body></html>\n%%EOF\n"
PE = b"MZ\x90\x00\x03\x00\x00\x00" + bytes(120)
ELF = b"\x7fELF\x02\x01\x01\x00" + bytes(56)


def archive(*names: str) -> bytes:
    """A zip archive with entries of these names."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
        for name in names:
            made.writestr(name, "<x/>")
    return written.getvalue()


XLSX = archive("xl/workbook.xml", "xl/worksheets/sheet1.xml", "[Content_Types].xml", "_rels/.rels")
XLSX_WITH_MACROS = archive("[Content_Types].xml", "xl/workbook.xml", "xl/vbaProject.bin")
DOCX = archive("[Content_Types].xml", "word/document.xml")
