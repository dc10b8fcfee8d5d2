"""Values as the bytes of a file: JSON, CSV, XLSX or XML.

Invariants: the same values give the same bytes; numbers keep every digit; no text is computed by a
spreadsheet.
"""

import csv
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any, Final

import msgspec

from weighbridge.core.platform.tasks import guard_cell
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import plain
from weighbridge.core.report.mapping import FilledElement, FilledTable
from weighbridge.core.report.state import ReportFormat
from weighbridge.errors import Invalid

EXACT_DIGITS: Final = 15
"""The digits that a number of a spreadsheet keeps; a longer one is written as a text."""

_MADE_AT: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""The date in the properties of every spreadsheet, so that the same report gives the same bytes."""


def written(report_format: str, filled: Any, sheet: str) -> bytes:
    """The bytes of a file; raises Invalid for a text that XML has no form for."""
    match report_format:
        case ReportFormat.JSON:
            return _json(filled)
        case ReportFormat.CSV:
            return _csv(filled)
        case ReportFormat.XLSX:
            return _xlsx(filled, sheet)
        case _:
            return _xml(filled)


def rows_of(table: FilledTable) -> list[dict[str, Any]]:
    """The rows of a table as objects, by their headings: what a schema sees of it."""
    return [dict(zip(table.headings, row, strict=True)) for row in table.rows]


def _json(filled: Any) -> bytes:
    encoded = msgspec.json.Encoder(decimal_format="number").encode(filled)
    return msgspec.json.format(encoded, indent=2) + b"\n"


def _csv(table: FilledTable) -> bytes:
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([guard_cell(heading) for heading in table.headings])
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case Decimal():
            return plain(value)
        case _:
            return guard_cell(str(value))


def _xlsx(table: FilledTable, name: str) -> bytes:
    # Slow to import: no process has it before the first spreadsheet is made.
    from xlsxwriter import Workbook  # noqa: PLC0415

    target = BytesIO()
    book = Workbook(target, {"in_memory": True, "strings_to_urls": False})
    book.set_properties({"created": _MADE_AT})
    sheet = book.add_worksheet(name)
    for place, heading in enumerate(table.headings):
        sheet.write_string(0, place, heading)
    for number, row in enumerate(table.rows, 1):
        for place, value in enumerate(row):
            if isinstance(value, bool):
                sheet.write_boolean(number, place, value)
            elif isinstance(value, Decimal | int) and len(Decimal(value).as_tuple().digits) <= EXACT_DIGITS:
                sheet.write_number(number, place, value)
            elif value is not None:
                sheet.write_string(number, place, plain(value) if isinstance(value, Decimal) else str(value))
    book.close()
    return target.getvalue()


def _xml(element: FilledElement) -> bytes:
    # Slow to import, as above.
    from lxml import etree  # noqa: PLC0415

    def made(one: FilledElement, inherited: str | None) -> Any:
        namespace = one.namespace or inherited
        own: Any = {None: namespace} if namespace and namespace != inherited else None
        node = etree.Element(f"{{{namespace}}}{one.name}" if namespace else one.name, nsmap=own)
        for name, text in one.attributes.items():
            node.set(name, text)
        node.text = one.text
        node.extend([made(child, namespace) for child in one.children])
        return node

    try:
        root = made(element, None)
    except ValueError:
        message = "A text of the report has a character that XML has no form for."
        raise Invalid([Problem(message, None, "schema")]) from None
    etree.cleanup_namespaces(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))
