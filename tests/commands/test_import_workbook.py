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
