"""The readers of foreign text, each a function of bytes that returns when it read or refused them."""

import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from decimal import Decimal
from itertools import islice, zip_longest
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from weighbridge.contents import SLICES
from weighbridge.core.expression import (
    PLAIN,
    TEXT,
    Environment,
    ExpressionError,
    NameScope,
    Table,
    TableColumn,
    check,
    evaluate,
    parse,
    print_tree,
    quantities,
    quantity,
    text,
)
from weighbridge.core.model import ALONE
from weighbridge.core.unit import parse_unit
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.cell import read_clock
from weighbridge.exchange.tables.columns import build_columns, choose_fields
from weighbridge.exchange.tables.opening import open_table
from weighbridge.exchange.tables.rows import RowMapping, read_rows
from weighbridge.exchange.tables.table import CsvFile
from weighbridge.http import wire
from weighbridge.modelling.documents import check_document

CORPUS: Final = Path(__file__).parent / "corpus"

_ROWS_MAX: Final = 1_000

BETWEEN_PARTS: Final = b"\0"
"""What stands between the parts of a workbook in one text."""

_PARTS: Final = (
    "xl/worksheets/sheet1.xml",
    "xl/styles.xml",
    "xl/sharedStrings.xml",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
)
_OF_EVERY_WORKBOOK: Final = {
    "xl/workbook.xml": b'<workbook xmlns:r="r"><sheets><sheet name="Log" r:id="a"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": b'<r><Relationship Id="a" Target="worksheets/sheet1.xml"/></r>',
}
"""Parts that stand for those which a text lacks."""

_VALUES: Final = {
    "mass": quantity(Decimal("12.5"), parse_unit("t")),
    "masses": quantities([Decimal(1), None, Decimal("2.50")], parse_unit("kg"), "mass"),
    "ratio": quantity(Decimal("0.3"), parse_unit("1")),
    "wood": text("Wood"),
}
_TABLES: Final = {
    "factors": Table(
        "factors",
        (TableColumn("kg", PLAIN), TableColumn("exact", TEXT)),
        ((Decimal(1), "a"), (Decimal(2), "b")),
    )
}


def _bodies() -> list[Any]:
    operations = (endpoint.operation for routes in SLICES for endpoint in routes)
    return [one.body for one in operations if one.body is not None and one.text is None]


BODIES: Final = _bodies()


def read_body(data: bytes) -> None:
    """A request body: its first byte says of which operation."""
    if data:
        with suppress(Refusal):
            wire.decode(data[1:], BODIES[data[0] % len(BODIES)])


def read_document(data: bytes) -> None:
    """The document of a model, with its cases."""
    with suppress(UnicodeDecodeError):
        check_document(data.decode(), ALONE)


def read_expression(data: bytes) -> None:
    """An expression: what it means is printed, read again, and computed."""
    with suppress(UnicodeDecodeError, ExpressionError):
        tree = parse(data.decode())
        assert parse(print_tree(tree)) == tree, "what is printed reads as something else"  # noqa: S101
        check(tree, NameScope({name: value.type for name, value in _VALUES.items()}, _TABLES))
        evaluate(tree, Environment(_VALUES, _TABLES))


def read_table(data: bytes) -> None:
    """A file of readings: CSV, plain or gzipped, or a workbook."""
    with _file(data) as path, suppress(Refusal):
        _read_rows(CsvFile(path))


def read_workbook(data: bytes) -> None:
    """A workbook by its parts: the sheet, the styles, the shared texts, and which sheets there are."""
    read_table(packed(data))


def packed(data: bytes) -> bytes:
    """The archive of a workbook by its parts."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as parts:
        for name, part in zip_longest(_PARTS, data.split(BETWEEN_PARTS, len(_PARTS) - 1)):
            if content := part or _OF_EVERY_WORKBOOK.get(name):
                parts.writestr(name, content)
    return archive.getvalue()


@contextmanager
def _file(data: bytes) -> Iterator[Path]:
    with NamedTemporaryFile(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as file:  # noqa: S108
        file.write(data)
        file.flush()
        yield Path(file.name)


def _read_rows(file: CsvFile) -> None:
    values = {"mass": "number", "note": "string", "dry": "boolean"}
    with open_table(file) as rows:
        fields, problems = choose_fields(rows.header, {}, values)
        if problems:
            raise Refusal(problems)
        mapping = RowMapping(
            columns=build_columns(rows.header, fields, values),
            clock=read_clock(time_zone="Europe/Berlin"),
            event_type="reading",
            locations=[],
            feedstocks={"Wood": "fs_0"},
            assets={},
            reference="line",
        )
        for _ in islice(read_rows(rows, mapping), _ROWS_MAX):
            pass


READERS: Final[Mapping[str, Callable[[bytes], None]]] = {
    "body": read_body,
    "model": read_document,
    "expression": read_expression,
    "table": read_table,
    "workbook": read_workbook,
}
