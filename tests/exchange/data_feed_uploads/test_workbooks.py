"""Workbooks that come to data feeds: good ones to the last digit, hostile ones with a clear refusal, in
bounded memory and time.
"""

import io
import resource
import time
import zipfile
from decimal import Decimal
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook
from tests.given.feeds import Feeding
from tests.given.workbooks import DAY, MAIN, TIME, formula, number, sheet, text, workbook

HEADER = [text("start_time"), text("mass"), text("driver")]
MEMORY_MAX_MB = 150
SECONDS_MAX = 20


@pytest.fixture
def feeding(account):
    return Feeding(account)


@pytest.fixture(autouse=True)
def _bounded():
    """Whatever comes, it takes neither much memory nor much time."""
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    yield
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < MEMORY_MAX_MB
    assert time.monotonic() - started < SECONDS_MAX


def failed(feeding, content, **fields):
    """What is said of a workbook of which nothing is stored."""
    upload = feeding.upload(feeding.feed(**fields), content, "log.xlsx")
    assert upload["state"] == "failed"
    assert feeding.events() == []
    return upload["error_message"]


def test_a_workbook_gives_every_digit_and_the_time_of_its_cells(feeding):
    rows = [
        HEADER,
        [number("45658.2916666667", TIME), number("0.1000000000000000055511151231257827"), text("Eva & Co")],
        [number("45658", DAY), number("1.5E-3"), ""],
        [text("2025-01-02T00:00:00+02:00"), number("7"), number("192")],
    ]

    upload = feeding.upload(feeding.feed(), workbook(sheet(rows)), "log.xlsx")

    assert (upload["state"], upload["stored"]) == ("complete", 3)
    assert feeding.values() == [
        ("2025-01-01T00:00:00.000Z", {"mass": Decimal("0.0015")}),
        (
            "2025-01-01T07:00:00.000Z",
            {"mass": Decimal("0.1000000000000000055511151231257827"), "driver": "Eva & Co"},
        ),
        ("2025-01-01T22:00:00.000Z", {"mass": 7, "driver": "192"}),
    ]


def test_a_workbook_reads_as_another_reader_of_workbooks_reads_it(feeding, tmp_path):
    rows = [HEADER] + [
        [number(f"{45_000 + index}.{index:04}", TIME), number(f"{index}.25"), text(f"driver {index}")]
        for index in range(1, 60)
    ]
    path = Path(tmp_path, "log.xlsx")
    path.write_bytes(workbook(sheet(rows)))

    feeding.upload(feeding.feed(), path.read_bytes(), "log.xlsx")

    _, *theirs = CalamineWorkbook.from_path(str(path)).get_sheet_by_name("Log").to_python()
    assert [
        (start[:23], Decimal(str(values["mass"])), values["driver"]) for start, values in feeding.values()
    ] == [
        (moment.isoformat(timespec="milliseconds"), Decimal(str(mass)), driver)
        for moment, mass, driver in theirs
    ]


def test_days_are_counted_from_1904_where_the_workbook_says_so(feeding):
    content = workbook(sheet([HEADER, [number("44196", DAY), number(1)]]), is_1904=True)

    feeding.upload(feeding.feed(), content, "log.xlsx")

    assert [start for start, _ in feeding.values()] == ["2025-01-01T00:00:00.000Z"]


def test_numbers_of_a_workbook_have_points_whatever_its_texts_have(feeding):
    rows = [HEADER, [number("45658", DAY), number("1.5")], [number("45659", DAY), text("2,5")]]

    feeding.upload(feeding.feed(decimal_mark=",", time_format="%d.%m.%Y"), workbook(sheet(rows)), "log.xlsx")

    assert [values["mass"] for _, values in feeding.values()] == [Decimal("1.5"), Decimal("2.5")]


def test_a_formula_is_not_computed_and_told(feeding):
    rows = [HEADER, [number("45658", DAY), formula("1+1", 2)], [number("45659", DAY), number(3)]]
    content = workbook(sheet(rows))

    said = failed(feeding, content)
    taken = feeding.upload(feeding.feed(name="Stored", formulas="take_stored"), content, "log.xlsx")

    assert "row 2: column 'mass': it holds a formula, which is not computed" in said
    assert (taken["stored"], taken["formulas"]) == (2, 1)
    assert feeding.values()[0] == ("2025-01-01T00:00:00.000Z", {"mass": 2})


def test_a_formula_that_calls_out_is_a_text_and_comes_out_as_one(feeding):
    hostile = '=HYPERLINK("http://evil.example","x")'
    feed = feeding.feed(bad_rows="skip")
    rows = [HEADER, [number("45658", DAY), text("@SUM(1)"), text(hostile)]]

    upload = feeding.upload(feed, workbook(sheet(rows)), "log.xlsx")

    [bad] = feeding.bad_rows(feed, upload)
    assert (bad["value"], bad["reason"]) == ("'@SUM(1)", "'@SUM(1)' is not a decimal number")


def test_a_merged_cell_makes_its_rows_bad_for_only_one_of_them_has_the_value(feeding):
    rows = [HEADER, *([number(45658 + index, DAY), number(index + 1)] for index in range(4))]
    behind = '<mergeCells count="1"><mergeCell ref="B3:B4"/></mergeCells>'

    upload = feeding.upload(feeding.feed(bad_rows="skip"), workbook(sheet(rows, behind)), "log.xlsx")

    assert (upload["stored"], upload["bad_rows"]) == (2, 2)
    assert {(one["row"], one["reason"]) for one in upload["problems"]} == {
        (3, "it has a merged cell; give each row values of its own"),
        (4, "it has a merged cell; give each row values of its own"),
    }


def test_dates_that_are_none_are_told_one_by_one(feeding):
    wrong = ["60", "-1", "2958466", "1E400", "NaN", "45658x"]
    rows = [HEADER, *([number(one, TIME), number(1)] for one in wrong)]

    upload = feeding.upload(feeding.feed(), workbook(sheet(rows)), "log.xlsx")

    assert (upload["state"], upload["bad_rows"]) == ("failed", len(wrong))
    assert {one["column"] for one in upload["problems"]} == {"start_time"}


def test_mixed_types_in_a_column_are_bad_where_they_are_not_what_it_takes(feeding):
    rows = [
        HEADER,
        [number("45658", DAY), text("1.5")],
        [number("45659", DAY), ' t="b"><v>1</v>'],
        [number("45660", DAY), ' t="e"><v>#DIV/0!</v>'],
        [number("45661", DAY), ""],
    ]

    upload = feeding.upload(feeding.feed(bad_rows="skip"), workbook(sheet(rows)), "log.xlsx")

    assert (upload["stored"], upload["incomplete"], upload["bad_rows"]) == (2, 1, 2)
    assert [(one["row"], one["value"]) for one in upload["problems"]] == [(3, "true"), (4, "#DIV/0!")]


def test_a_sheet_of_16384_columns_is_read_or_told_in_few_words(feeding):
    wide = [*HEADER, *(text(f"x{index}") for index in range(16_384 - len(HEADER)))]
    content = workbook(sheet([wide, [number("45658", DAY), number(1)]]))

    said = failed(feeding, content)
    taken = feeding.upload(feeding.feed(name="Wide", other_columns="leave_out"), content, "log.xlsx")

    assert "The column 'x0' is not mapped" in said
    assert len(said) < 30_000
    assert (taken["state"], taken["stored"]) == ("complete", 1)


def test_a_cell_at_the_far_end_of_a_sheet_takes_no_room_for_those_before_it(feeding):
    part = sheet([HEADER, [number("45658", DAY), number(1)]])
    far = part.replace("</sheetData>", '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>')

    said = failed(feeding, workbook(far))

    assert "row 1,048,576: column 'XFD': it has a value where the header names no column" in said


def test_a_billion_laughs_are_refused_before_the_first(feeding):
    laughs = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {one} "{f"&{before};" * 10}">'
        for before, one in zip("abcdefghi", "bcdefghij", strict=True)
    )
    bomb = f'<!DOCTYPE w [{laughs}]><worksheet xmlns="{MAIN}"><sheetData>&j;</sheetData></worksheet>'

    assert "declares a document type" in failed(feeding, workbook(bomb))


def test_a_part_that_unpacks_to_a_thousand_times_its_size_is_not_unpacked(feeding):
    bomb = sheet([HEADER]).replace("</sheetData>", " " * 20_000_000 + "</sheetData>")
    content = workbook(bomb)
    assert len(content) < 40_000

    assert "more than 100 times as much; it is not unpacked" in failed(feeding, content)


def test_an_archive_that_lies_about_its_sizes_is_not_believed(feeding):
    content = bytearray(workbook(sheet([HEADER, *([number(1, DAY), number(1)] for _ in range(5_000))])))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    lie = bytes(content).replace(size.to_bytes(4, "little"), (4_000).to_bytes(4, "little"))

    said = failed(feeding, lie)

    assert "cannot be unpacked" in said or "longer than is taken" in said or "damaged" in said


def test_elements_tags_and_texts_without_end_are_refused_before_they_fill_the_memory(feeding):
    part = sheet([HEADER, [number("45658", DAY), number(1), text("NAME")]])
    row = part[part.rindex("<row") :]
    deep = part.replace(row, "<a>" * 3_000_000 + row)
    wide = part.replace(row, f'<row r="2" spans="{"1" * 9_000_000}"></row></sheetData></worksheet>')
    long = part.replace("NAME", "x" * 9_000_000)

    for name, bomb in {"Deep": deep, "Wide": wide, "Long": long}.items():
        upload = feeding.upload(feeding.feed(name=name), workbook(bomb), "log.xlsx")
        assert upload["state"] == "failed"
        assert "longer than is taken" in upload["error_message"] or "more than" in upload["error_message"]
    assert feeding.events() == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (workbook("<worksheet"), "is damaged"),
        (workbook(sheet([])), "is empty"),
        (workbook(sheet([HEADER]), {"xl/workbook.xml": "<workbook/>"}), "has no sheet"),
        (workbook(sheet([HEADER]))[:-30], "cannot be read"),
        (workbook(sheet([HEADER]), {f"part{index}": "" for index in range(1_100)}), "at most 1,000"),
        (
            workbook(
                f'<worksheet xmlns="{MAIN}"><sheetData><row r="2"/><row r="1"/></sheetData></worksheet>'
            ),
            "is damaged",
        ),
    ],
)
def test_a_workbook_that_cannot_be_read_says_why(feeding, content, said):
    assert said in failed(feeding, content)


def test_any_other_archive_is_no_workbook(feeding):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../etc/passwd", "x")

    assert "no workbook of the form XLSX" in failed(feeding, packed.getvalue())


def test_merged_cells_that_nothing_closes_cost_no_more_than_their_bytes(feeding):
    rows = [HEADER, [text("2025-01-01T00:00Z"), number("1"), ""]]
    behind = f"<mergeCells>{'<mergeCell x=&quot;&quot; '.replace('&quot;', chr(34)) * 100_000}"

    assert "is damaged" in failed(feeding, workbook(sheet(rows, behind)))


def test_a_merged_cell_is_found_among_many(feeding):
    rows = [HEADER, *([text(f"2025-01-01T00:{minute:02}Z"), number("1"), ""] for minute in range(50))]
    refs = "".join(f'<mergeCell ref="A{line}:A{line}"/>' for line in range(200_003, 400_000, 4))
    behind = f'<mergeCells>{refs}<mergeCell ref="A4:A5"/></mergeCells>'

    upload = feeding.upload(feeding.feed(bad_rows="skip"), workbook(sheet(rows, behind)), "log.xlsx")

    assert [problem["row"] for problem in upload["problems"]] == [4, 5]
    assert upload["stored"] == 48


def test_a_form_of_brackets_that_nothing_closes_shows_no_date(feeding):
    form = "[" * 30_000
    styles = (
        f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="200" formatCode="{form}"/></numFmts>'
        '<cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>'
    )
    rows = [HEADER, [text("2025-01-01T00:00Z"), number("45658"), ""]]

    upload = feeding.upload(feeding.feed(), workbook(sheet(rows), {"xl/styles.xml": styles}), "log.xlsx")

    assert upload["stored"] == 1
    assert feeding.values()[0][1]["mass"] == 45658
