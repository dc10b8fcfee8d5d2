"""The first rows of a file tell how it is written; what they leave open is guessed one way."""

import gzip

import pytest
from tests.given.workbooks import TIME, number, sheet, text, workbook

from weighbridge.errors import Refusal
from weighbridge.exchange.records.data_feeds import FeedColumn, SuggestedColumns
from weighbridge.exchange.tables.sample import add_times, guess_time_format, list_times_of, read_sample


@pytest.fixture
def sampled(tmp_path):
    """Looks at a file with this content."""

    def look(content, header_line=1):
        path = tmp_path / "log"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_sample(path, "log.csv", header_line)

    return look


@pytest.mark.parametrize(
    ("content", "encoding", "delimiter", "decimal_mark"),
    [
        ("time,mass\n2025-01-31,1.5\n", "utf-8", ",", "."),
        ("Zeit;Masse\n31.01.2025;1,5\n", "utf-8", ";", ","),
        ("Zeit;Fahrer\n31.01.2025;Jörg\n".encode("windows-1252"), "windows-1252", ";", "."),
        ("Zeit\tFahrer\n31.01.2025\tJörg\n".encode("utf-16"), "utf-16", "\t", "."),
        ('name|note\n"a, b"|1,25\n', "utf-8", "|", ","),
        (gzip.compress(b"time;mass\n2025-01-31;1,5\n", mtime=0), "utf-8", ";", ","),
    ],
)
def test_encoding_delimiter_and_decimal_mark_are_those_that_fit(
    sampled, content, encoding, delimiter, decimal_mark
):
    found = sampled(content)

    assert (found.encoding, found.delimiter, found.decimal_mark) == (encoding, delimiter, decimal_mark)
    assert len(found.header) == 2
    assert len(found.rows) == 1


def test_what_stands_above_the_line_of_the_names_is_passed_over(sampled):
    found = sampled("Scale house, Plant Nord\n\ntime;mass\n2025-01-31;1\n", header_line=3)

    assert (found.header, found.delimiter) == (["time", "mass"], ";")


def test_of_a_workbook_cells_are_read_as_they_are_shown(sampled):
    rows = [[text("When"), text("Mass")], [number(45_688.25, TIME), number("1.5")]]

    found = sampled(workbook(sheet(rows)))

    assert found.is_workbook
    assert (found.header, found.rows) == (["When", "Mass"], [["2025-01-31T06:00:00", "1.5"]])


@pytest.mark.parametrize(
    ("times", "time_format", "has_offsets"),
    [
        (["2025-01-31T06:00:00Z"], None, True),
        (["2025-01-31 06:00"], None, False),
        (["31.01.2025 06:00", "01.02.2025 06:00"], "%d.%m.%Y %H:%M", False),
        (["01/02/2025", "02/03/2025"], "%d/%m/%Y", False),
        (["01/31/2025", "02/03/2025"], "%m/%d/%Y", False),
        (["soon", "31.01.2025"], None, False),
    ],
)
def test_the_form_of_times_is_one_by_which_all_of_them_are_read(sampled, times, time_format, has_offsets):
    found = sampled("time\n" + "\n".join(times))
    columns = SuggestedColumns([FeedColumn("time", "start_time")], [], [])

    assert guess_time_format(found, columns) == (time_format, has_offsets)


def test_a_column_of_times_gives_the_start_where_no_name_says_which_does(sampled):
    found = sampled("mass;Abgelesen am;note\n1;31.01.2025 06:00;a\n")
    unclear = SuggestedColumns([FeedColumn("mass", "mass")], ["Abgelesen am", "note"], ["start_time"])

    guessed = add_times(found, unclear)

    assert FeedColumn("Abgelesen am", "start_time") in guessed.columns
    assert (guessed.unclear, guessed.lacking) == (["note"], [])
    assert add_times(found, SuggestedColumns([], ["note"], ["start_time"])).lacking == ["start_time"]


def test_a_time_of_day_beside_a_date_belongs_to_the_start(sampled):
    found = sampled("Datum;Uhrzeit;Masse\n03.04.2026;06:12;1\n03.04.2026;24:00;2\n04.04.2026;;3\n")
    dates = SuggestedColumns([FeedColumn("Datum", "start_time")], ["Uhrzeit", "Masse"], [])

    guessed = add_times(found, dates)

    assert guessed.columns == [FeedColumn("Datum", "start_time"), FeedColumn("Uhrzeit", "start_time")]
    assert guessed.unclear == ["Masse"]
    assert list_times_of(found, guessed.columns) == ["03.04.2026 06:12", "03.04.2026 24:00"]
    assert guess_time_format(found, guessed) == ("%d.%m.%Y %H:%M", False)


@pytest.mark.parametrize(
    "content",
    [
        "Datum;Beginn;Ende\n03.04.2026;06:12;06:30\n",
        "Datum;Schicht\n03.04.2026;1\n",
        "Uhrzeit;Datum\n06:12;03.04.2026\n",
        "Datum;Uhrzeit\n03.04.2026 06:12;06:12\n",
    ],
)
def test_a_column_that_may_be_no_time_of_the_date_stays_unclear(sampled, content):
    found = sampled(content)
    others = [name for name in found.header if name != "Datum"]
    dates = SuggestedColumns([FeedColumn("Datum", "start_time")], others, [])

    assert add_times(found, dates) == dates


def test_numbers_that_usually_mean_no_value_are_found(sampled):
    rows = "1;-9999,0;-999\n2;-9999;-999,25\n3;-99;-9998\n4;9999;x-9999\n"

    assert sampled(f"time;mass;moisture\n{rows}").missing == ["-9999", "-999", "-999.25"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\xd0\xcf\x11\xe0", "save it as XLSX"),
        (b"PK\x03\x04", "workbook"),
        (b'a,b\n"1', "not readable as CSV"),
    ],
)
def test_what_is_no_table_is_refused_in_a_sentence(sampled, content, said):
    with pytest.raises(Refusal, match=said):
        sampled(content)


@pytest.mark.parametrize(
    ("line", "is_units"),
    [(";°C;kg/h", True), ("TT;[°C];[kg/h]", True), (";;", False), (";yes;no", False), ("a;1,5;°C", False)],
)
def test_a_line_of_units_is_told_from_a_row(sampled, line, is_units):
    found = sampled(f"Zeit;Temperatur;Masse\n{line}\n31.01.2025;812,5;20\n")

    assert found.has_units_line is is_units
    assert len(found.rows) == (1 if is_units else 2)
