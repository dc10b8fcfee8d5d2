"""`weighbridge import` has an option for every setting of a data feed; files of plants are read by them."""

import io
import zipfile
from decimal import Decimal

import pytest
from tests.given import collection as given

from weighbridge.commands.importing.command import import_
from weighbridge.commands.importing.options import (
    GIVEN_OTHERWISE,
    OF_COLUMN_ITSELF,
    OF_COLUMNS,
    SETTINGS,
    FeedSettings,
    option_of,
    read_settings,
)
from weighbridge.commands.importing.run import Order, Target, TypeFacts, build_feed
from weighbridge.core.collection.data_feed import BadRows
from weighbridge.exchange.records.data_feeds import DATA_FEED_BODIES, FeedColumn
from weighbridge.exchange.tables.table import CsvFile

WORDS = {
    "delimiter": ";", "encoding": "windows-1252", "header_line": 4, "decimal_mark": ",", "duration": "15m",
    "thousands_separator": "space", "below_limit": "half", "above_limit": "limit", "formulas": "take_stored",
    "other_columns": "leave_out", "client_reference": "time", "on_difference": "correct",
}  # fmt: skip
"""A value that is not the default, of the settings that do not take any text."""


def another(name):
    """A value of a setting that is not its default."""
    default = DATA_FEED_BODIES.fields[name].default
    return WORDS.get(name, True if default is False else ["one", "two"] if default == [] else "some text")


def test_every_setting_of_a_data_feed_is_an_option_or_given_by_others():
    assert {*SETTINGS} | {*GIVEN_OTHERWISE} == {*DATA_FEED_BODIES.fields}
    assert {*OF_COLUMNS} | OF_COLUMN_ITSELF == {*FeedColumn.__struct_fields__}


@pytest.mark.parametrize("name", SETTINGS)
def test_what_an_option_gives_becomes_the_setting(name):
    settings = read_settings(FeedSettings(**{name: another(name)}), decimal_comma=False)
    target = Target("prj_1", TypeFacts("nxt_1", "delivery", "none", []), {})

    feed = build_feed(Order(CsvFile("log.csv"), "prj_1", "delivery", settings=settings), target, BadRows.SKIP)

    assert getattr(feed, name) == another(name)


def test_the_help_has_a_sentence_for_every_option(weighbridge):
    told = weighbridge("import", "--help").expect(0).out

    assert import_.__doc__.partition("\n")[0] in told
    missing = [option for name in SETTINGS if (option := option_of(name)) not in told]
    assert missing == []
    assert "below_limit" not in told
    for words in ("<0.05", "Patterns of rows that are no data", "Of a long file", "COLUMN=UNIT"):
        assert words in told


def test_a_long_file_with_a_footer_and_sentinels_is_read(import_file, stored):
    content = (
        "Site report\nWhen;Tag;Reading\n"
        "01.03.2025 10:00;FI-1;1 234,50\n01.03.2025 10:00;ST;open\n"
        "01.03.2025 11:00;FI-1;-9999,0\n01.03.2025 11:00;ST;shut\n"
        "Total;;2 469\n"
    )

    done = import_file(
        content,
        *("--header-line", "2", "--delimiter", ";", "--decimal-comma", "--thousands-separator", "space"),
        *("--tag-column", "Tag", "--value-column", "Reading", "--missing=-9999", "--skip-rows", "Total*"),
        *("--time-format", "%d.%m.%Y %H:%M", "--time-zone", "UTC"),
        *("--map", "When=start_time", "--map", "FI-1=steam-mass", "--map", "ST=state"),
        times=(),
    ).expect(0)

    assert done.json["stored"] == 2
    assert stored("numbers[1], texts[2]") == [
        (Decimal("1234.50"), "open"),
        (None, "shut"),
    ]


def test_a_limit_is_kept_by_its_flag_and_a_unit_is_said_of_a_column(
    weighbridge, account_name, api, sql, tmp_path
):
    plant = given.measuring(api, given.number("mass", unit="t"), given.text("mass-flag"))
    path = tmp_path / "log.csv"
    path.write_text("Time,Mass\n2025-01-01T00:00Z,<500\n")

    weighbridge(
        "import", path, "--project", plant["id"], "--event-type", "delivery", "--account", account_name,
        "--map", "Time=start_time", "--map", "Mass=mass", "--unit", "Mass=kg", "--flag", "Mass=mass-flag",
        "--below-limit", "limit",
    ).expect(0)  # fmt: skip

    statement = "SELECT numbers[1], texts[2] FROM events WHERE project_id = %s"
    assert sql(statement, plant["numeric_id"]) == [(Decimal("0.5"), "<500")]


def test_an_offset_column_and_files_of_an_archive(import_file, stored):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.csv", "Time,Offset,Steam mass\n2025-10-26 02:15,+02:00,1\n")
        archive.writestr("b.csv", "Time,Offset,Steam mass\n2025-10-26 02:15,+01:00,2\n")
        archive.writestr("readme.txt", "Nothing to read")

    import_file(
        packed.getvalue(), "--archive-files", "*.csv", "--map", "Offset=utc_offset", name="logs.zip"
    ).expect(0)

    assert stored("to_char(start_time, 'HH24:MI'), numbers[1]::text") == [("00:15", "1"), ("01:15", "2")]


def test_references_by_time_let_a_file_grow(import_file, stored):
    first, rest = "Time,Steam mass\n2025-01-01T00:00Z,1\n", "2025-01-01T01:00Z,2\n"
    by_time = ("--client-reference", "time")
    import_file(first, *by_time).expect(0)

    grown = import_file(first + rest, *by_time).expect(0)

    assert (grown.json["already_there"], grown.json["stored"], len(stored())) == (1, 1, 2)


def test_what_is_said_of_a_column_that_is_not_mapped_is_refused(import_file):
    done = import_file("Time,Steam mass\n", "--unit", "Steam mass=kg", "--flag", "x").expect(1)

    assert (
        "--unit is about the column 'Steam mass'; name what it gives, with --map Steam mass=FIELD."
        in done.err
    )
    assert "--flag 'x' has no equals sign; write COLUMN=FLAG." in done.err
