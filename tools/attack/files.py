"""Files that are meant to hurt whoever reads them, as bodies of an upload."""

import gzip
import io
import zipfile
from typing import Final

from tools.attack.plant import Member
from weighbridge.core.collection.data_feed import COLUMNS_OF_FEED_MAX

BOUNDARY: Final = "of-the-attack"
CONTENT_TYPE: Final = f"multipart/form-data; boundary={BOUNDARY}"

VARIED: Final = b"0000000000"
"""Stands for digits that are others each time: a file that is known already is not read again."""

MERGES: Final = 8_000
BRACKETS: Final = 30_000
COLUMNS: Final = 16_000
LONG: Final = 4_000

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_ROWS: Final = (
    '<row r="1"><c r="A1" t="inlineStr"><is><t>start_time</t></is></c>'
    '<c r="B1" t="inlineStr"><is><t>mass</t></is></c></row>'
    '<row r="2"><c r="A2" s="0"><v>45000</v></c><c r="B2"><v>1</v></c></row>'
)


def unclosed_merges(_member: Member) -> bytes:
    """A workbook of some kilobytes in which thousands of merged cells are begun and never ended."""
    return _uploaded("log.xlsx", _workbook(f"<mergeCells>{'<mergeCell ' * MERGES}", "General"))


def nested_brackets(_member: Member) -> bytes:
    """A workbook whose form of numbers is a run of brackets."""
    return _uploaded("log.xlsx", _workbook("", "[" * BRACKETS))


def many_columns(_member: Member) -> bytes:
    """A CSV file with thousands of columns."""
    names = b",".join(b"c%d" % number for number in range(COLUMNS))
    return _uploaded("log.csv", names + b"\n" + VARIED + b"," * (COLUMNS - 1) + b"\n")


def long_cells(_member: Member) -> bytes:
    """A CSV file, zipped, with as many columns as a sample may have: times by two forms, but for the last."""
    names = b",".join(b"c%d" % number for number in range(COLUMNS_OF_FEED_MAX))
    rows = [b",".join([b"01/02/2025 03:04"] * COLUMNS_OF_FEED_MAX)] * 48
    rows.append(b",".join([b"x" * LONG] * COLUMNS_OF_FEED_MAX))
    return _uploaded("log.csv", gzip.compress(b"\n".join([names, *rows, VARIED])))


def _uploaded(name: str, content: bytes) -> bytes:
    head = f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n'
    kind = "Content-Type: application/octet-stream\r\n\r\n"
    return f"--{BOUNDARY}\r\n{head}{kind}".encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()


def _workbook(behind: str, form: str) -> bytes:
    parts = {
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="rId1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>'
        '<sheet name="Log" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="rId1" '
        f'Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" '
        f'Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts><numFmt numFmtId="200" formatCode="{form}"/>'
        '</numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{_ROWS}</sheetData>{behind}'
        "</worksheet>",
    }  # fmt: skip
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in parts.items():
            archive.writestr(path, text)
        archive.comment = VARIED
    return made.getvalue()
