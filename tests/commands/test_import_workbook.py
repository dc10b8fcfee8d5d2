"""`weighbridge import` of workbooks: the reader of data feeds, by the command."""

from decimal import Decimal

from tests.given.workbooks import DAY, formula, number, sheet, text, workbook

HEADER = [text("Time"), text("Steam mass"), text("State")]
ZONE = ("--time-zone", "UTC")


def test_the_rows_of_a_workbook_are_stored_with_the_digits_they_had(import_file, stored):
    rows = [HEADER, [number("45658", DAY), number("0.1000000000000000055"), text("open")]]

    done = import_file(workbook(sheet(rows)), "--sheet", "Log", *ZONE, name="log.xlsx").expect(0)

    assert (done.json["rows"], done.json["stored"]) == (1, 1)
    assert stored("to_char(start_time, 'YYYY-MM-DD'), numbers[1], texts[2]") == [
        ("2025-01-01", Decimal("0.1000000000000000055"), "open")
    ]


def test_the_same_workbook_again_stores_nothing(import_file):
    content = workbook(sheet([HEADER, [number("45658", DAY), number(1)]]))
    import_file(content, *ZONE, name="log.xlsx").expect(0)

    again = import_file(content, *ZONE, name="log.xlsx").expect(0)

    assert (again.json["stored"], again.json["already_there"]) == (0, 1)


def test_a_formula_and_an_unknown_sheet_are_refused(import_file, stored):
    content = workbook(sheet([HEADER, [number("45658", DAY), formula("1+1", 2)]]))

    computed = import_file(content, *ZONE, name="log.xlsx").expect(1)
    unknown = import_file(content, "--sheet", "Other", *ZONE, name="log.xlsx").expect(1)

    assert "Line 2: column 'Steam mass': it holds a formula, which is not computed" in computed.err
    assert "has no sheet 'Other'; it has 'Log'" in unknown.err
    assert stored() == []


def test_the_columns_may_be_named_below_a_title(import_file, stored):
    rows = [[text("Report 7")], [text("")], HEADER, [number("45658", DAY), number(1), text("open")]]
    content = workbook(sheet(rows))

    done = import_file(content, "--header-line", "3", *ZONE, name="log.xlsx").expect(0)
    beyond = import_file(content, "--header-line", "9", *ZONE, name="log.xlsx").expect(1)
    wrong = import_file(content, "--header-line", "1001", *ZONE, name="log.xlsx").expect(1)

    assert done.json["stored"] == 1
    assert stored("client_reference") == [(f"{done.json['sha256'][:12]}:4",)]
    assert "The first sheet of" in beyond.err
    assert "has nothing on line 9 or below it" in beyond.err
    assert "--header-line is 1001; it takes 1 to 1,000, or 0 to look for the header." in wrong.err


def test_a_line_of_empty_cells_is_a_row_only_where_rows_are_counted_for_their_times(import_file, stored):
    content = "Steam mass,State\n1,a\n,\n3,c\n"
    timed = "Time,Steam mass,State\n2025-01-01T00:00:00Z,1,a\n,,\n2025-01-01T02:00:00Z,3,c\n"

    counted = import_file(
        content, "--start", "2025-01-01T00:00:00Z", "--every", "1h", "--dry-run", times=()
    ).expect(0)
    told = import_file(timed, "--dry-run").expect(0)

    assert (counted.json["rows"], counted.json["incomplete"]) == (3, 1)
    assert counted.json["last_end"] == "2025-01-01T03:00:00.000Z"
    assert told.json["rows"] == 2
    assert stored() == []
