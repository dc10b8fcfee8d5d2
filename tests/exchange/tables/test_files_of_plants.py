"""Tables in files that are no plain CSV: what is read, and what is refused before it fills the memory."""

import io
import zipfile
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from weighbridge.core.collection.data_feed import fits_pattern
from weighbridge.errors import Refusal
from weighbridge.exchange.tables.cell import CellError, MissingMarks, NumberForm, list_moments, read_number
from weighbridge.exchange.tables.clock_changes import list_clock_changes
from weighbridge.exchange.tables.foreign import describe_foreign
from weighbridge.exchange.tables.header import name_columns
from weighbridge.exchange.tables.opening import open_table
from weighbridge.exchange.tables.table import CsvFile
from weighbridge.exchange.tables.table_form import TableForm

BERLIN = ZoneInfo("Europe/Berlin")
NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
)
CELL = '<table:table-cell office:value-type="string"{}><text:p>{}</text:p></table:table-cell>'


@pytest.fixture
def read(tmp_path):
    """Reads a file to its end: the header, and the rows with what is wrong with them."""

    def read_file(content, form=TableForm(), **settings):  # noqa: B008 - a frozen value
        path = tmp_path / "file"
        path.write_bytes(content)
        with open_table(CsvFile(path, name="file", **settings), form) as table:
            return [*table.header], [(row.line, row.cells, table.refusal(row)) for row in table.rows]

    return read_file


def document(rows, head=""):
    content = (
        f"{head}<office:document-content {NAMES}><office:body><office:spreadsheet>"
        f'<table:table table:name="Log">{rows}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
    return packed.getvalue()


def row(*cells, times=""):
    return f"<table:table-row{times}>{''.join(cells)}</table:table-row>"


def test_a_formula_and_a_merged_cell_of_a_document_make_their_rows_bad(read):
    header = row(CELL.format("", "a"), CELL.format("", "b"))
    formula = row(CELL.format(' table:formula="of:=1+1"', "2"), CELL.format("", "x"))
    merged = row(CELL.format(' table:number-columns-spanned="2"', "m"), "<table:covered-table-cell/>")

    _, rows = read(document(header + formula + merged))

    assert [bad.reasons[0] for _, _, bad in rows] == [
        "column 'a': it holds a formula, which is not computed; save its value in its place",
        "it has a merged cell; give each row values of its own",
    ]


def test_a_repeated_row_is_as_many_rows_and_an_empty_one_none(read):
    rows = (
        row(CELL.format("", "a"))
        + row(CELL.format("", "1"), times=' table:number-rows-repeated="3"')
        + row("<table:table-cell/>", times=' table:number-rows-repeated="1000000"')
    )

    assert read(document(rows)) == (["a"], [(2, ["1"], None), (3, ["1"], None), (4, ["1"], None)])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (document(row(CELL.format(' table:number-columns-repeated="999999"', "a"))), "16,384 columns"),
        (document(row(CELL.format("", "a")), head='<!DOCTYPE x [<!ENTITY e "x">]>'), "document type"),
        (document(row(CELL.format("", " " * 30_000_000))), "more than 100 times as much"),
        (
            document(row(CELL.format("", "a"), times=' table:number-rows-repeated="-1"')),
            "repeated '-1' times",
        ),
    ],
)
def test_a_document_that_would_fill_the_memory_is_refused(read, content, said):
    with pytest.raises(Refusal, match=said):
        read(content)


def test_files_of_an_archive_with_other_columns_are_refused_by_their_names(read):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", "x,y\n1,2\n")
        archive.writestr("b.csv", "x,z\n1,2\n")

    with pytest.raises(Refusal, match=r"The file b.csv in file has other columns than The file a.csv"):
        read(packed.getvalue())


def test_a_tag_that_has_two_values_for_one_time_makes_its_row_bad(read):
    form = TableForm(tag_column="tag", value_column="v", tags=("t", "A", "B"))

    _, rows = read(b"t,tag,v\n1,A,5\n1,A,6\n1,B,7\n2,A,8\n", form)

    assert [(line, bad and bad.reasons[0]) for line, _, bad in rows] == [
        (2, "column 'v': line 3 has another value of the tag 'A' for the same time"),
        (5, None),
    ]


def test_a_name_that_is_twice_or_new_and_a_list_make_a_line_of_json_bad(read):
    _, rows = read(b'{"a":1.10}\n{"a":1,"a":2}\n{"a":[1]}\n7\n' + b'{"a":1}\n' * 100 + b'{"b":1}\n')

    reasons = [bad.reasons[0] if bad else cells[0] for _, cells, bad in rows]
    assert reasons[0] == "1.10"
    assert "has 'a' twice" in reasons[1]
    assert "is a list" in reasons[2]
    assert reasons[3] == "it is no object of JSON"
    assert "'b', which none of the first 100 lines has" in reasons[-1]


@pytest.mark.parametrize("text", ["1,2345", "12,34", "1,,234", ",123", "1,234,56"])
def test_digits_in_other_groups_than_thousands_are_refused(text):
    with pytest.raises(CellError, match="other groups"):
        read_number(text, NumberForm(thousands=","))


def test_a_mark_of_a_missing_value_is_compared_as_a_number_and_nan_in_any_case():
    marks = MissingMarks.of(["-9999", "NAN"], NumberForm(decimal_comma=True))

    assert Decimal("-9999.0") in marks.numbers
    assert [marks.includes(text) for text in ("nan", "NaN", "NAN", "none")] == [True, True, True, False]


def test_every_column_has_a_name_of_its_own():
    assert name_columns(["a", "", "a", "a (2)", "a", " ", ""]) == ["a", "column 2", "a (3)", "a (2)", "a (4)"]


@pytest.mark.parametrize(
    ("text", "pattern", "fits"),
    [
        ("Total 5", "total*", True), ("Total", "Total", True),
        ("Totals", "Total", False), ("ab", "*b*", True),
        ("aXbXc", "a*b*c", True), ("ac", "a*a*c", False), ("a" * 50_000, "*a" * 50 + "b", False),
    ],
)  # fmt: skip
def test_a_pattern_has_a_star_for_any_characters(text, pattern, fits):
    assert fits_pattern(text, pattern) is fits


def test_an_offset_that_the_zone_does_not_have_then_is_refused():
    [moment] = list_moments("2025-10-26 02:30", BERLIN, None, "CET")
    assert moment == datetime(2025, 10, 26, 1, 30, tzinfo=UTC)
    with pytest.raises(CellError, match="with which Europe/Berlin does not have"):
        list_moments("2025-01-26 02:30", BERLIN, None, "CEST")


def test_the_changes_of_a_year_are_told_with_the_times_that_come_twice_or_never():
    changes = [*list_clock_changes(BERLIN, datetime(2026, 1, 1, tzinfo=UTC))]

    assert [(change.start.isoformat(), change.end.isoformat(), change.goes_back) for change in changes] == [
        ("2026-03-29T02:00:00", "2026-03-29T03:00:00", False),
        ("2026-10-25T02:00:00", "2026-10-25T03:00:00", True),
    ]
    assert [*list_clock_changes(ZoneInfo("Asia/Tokyo"), datetime(2026, 1, 1, tzinfo=UTC))] == []


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"%PDF-1.4", "a PDF document"), (b"<html>", "a web page"), (b"\xef\xbb\xbf<?xml?>", "XML"),
        (b'[{"a":1}]', "one list of JSON"),
        (b"SQLite format 3\0", "a database"), (b"Rar!\x1a", "a RAR archive"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_called_what_it_is(head, what):
    assert what in describe_foreign(head)


def test_what_only_looks_foreign_is_read():
    assert [describe_foreign(head) for head in (b"time,flow\n", b"<0.05;1\n", b"[kg];x\n")] == [None] * 3


def test_a_binary_number_of_parquet_is_the_shortest_decimal_that_it_is(read):
    packed = io.BytesIO()
    numbers = {
        "wide": pa.array([0.1, 1e-7, None], pa.float64()),
        "narrow": pa.array([0.1, 16_777_216.0, 1e30], pa.float32()),
    }
    pq.write_table(pa.table(numbers), packed)

    _, rows = read(packed.getvalue())

    values = [[Decimal(cell) if cell else None for cell in cells] for _, cells, _ in rows]
    assert values == [
        [Decimal("0.1"), Decimal("0.1")], [Decimal("1E-7"), Decimal(16_777_216)], [None, Decimal("1E+30")],
    ]  # fmt: skip
