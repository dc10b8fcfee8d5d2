"""Workbooks as no program for spreadsheets would write them, and some as one would, made part by part."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="1">'
    '<numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy hh:mm"/></numFmts>'
    '<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>'
)
TIME, DAY = 1, 2
"""The styles that show a number as a time, and as a day."""


def letters(index: int) -> str:
    """The letters of a column, A for 0."""
    name, left = "", index + 1
    while left:
        left, digit = divmod(left - 1, 26)
        name = chr(65 + digit) + name
    return name


def text(said: str) -> str:
    """A cell with a text, as its content."""
    return f' t="inlineStr"><is><t>{escape(said)}</t></is>'


def number(said: object, style: int = 0) -> str:
    """A cell with a number, perhaps shown as a time."""
    return f' s="{style}"><v>{said}</v>'


def formula(said: str, stored: object) -> str:
    """A cell with a formula and the value that was saved with it."""
    return f"><f>{escape(said)}</f><v>{stored}</v>"


def sheet(rows: Iterable[Iterable[str]], behind: str = "") -> str:
    """The part of a sheet: rows of cells, and what stands behind them."""
    lines = []
    for line, cells in enumerate(rows, 1):
        written = "".join(
            f'<c r="{letters(index)}{line}"{cell}</c>' for index, cell in enumerate(cells) if cell
        )
        lines.append(f'<row r="{line}">{written}</row>')
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData>{behind}</worksheet>'


def workbook(content: str, more: Mapping[str, str] | None = None, *, is_1904: bool = False) -> bytes:
    """A workbook with one sheet called Log; other parts stand beside, or in place of, the usual ones."""
    properties = '<workbookPr date1904="1"/>' if is_1904 else ""
    parts = {
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}">{properties}<sheets>'
        '<sheet name="Log" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": "<Relationships "
        'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/styles.xml": STYLES,
        "xl/worksheets/sheet1.xml": content,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in (parts | dict(more or {})).items():
            archive.writestr(name, part)
    return packed.getvalue()
