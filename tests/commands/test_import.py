"""`weighbridge import`, from the file to the rows of the database."""

import hashlib
import os
import re
import subprocess
import sys
from contextlib import suppress
from datetime import UTC
from decimal import Decimal

from tests.given import collection as given

HEADER = "Time,Steam mass,State"
ROWS = "2025-01-01T00:00Z,12.50,open\n2025-01-01T01:00Z,0.1,shut\n2025-01-01T02:00Z,7,open\n"


def test_each_row_is_stored_as_one_event_with_the_digits_it_had(import_file, stored):
    done = import_file(f"{HEADER}\n{ROWS}").expect(0)

    assert stored("to_char(start_time, 'HH24:MI'), numbers[1]::text, texts[2]") == [
        ("00:00", "12.50", "open"),
        ("01:00", "0.1", "shut"),
        ("02:00", "7", "open"),
    ]
    assert done.err.endswith(
        "log.csv: 3 rows, 3 events stored, 0 there already, "
        "from 2025-01-01T00:00:00.000Z to 2025-01-01T02:00:00.000Z.\n"
    )


def test_the_summary_says_what_became_of_the_file(import_file, plant):
    content = f"{HEADER}\n{ROWS}"

    summary = import_file(content).expect(0).json

    digest = hashlib.sha256(content.encode()).hexdigest()
    assert summary.pop("file").endswith("/log.csv")
    assert re.fullmatch(r"Import of delivery [0-9a-f]{8}", summary.pop("data_feed"))
    assert summary == {
        "sha256": digest,
        "project": plant["id"],
        "event_type": "delivery",
        "mapping": {"Time": "start_time", "Steam mass": "steam-mass", "State": "state"},
        "reference": digest[:12],
        "dry_run": False,
        "rows": 3,
        "stored": 3,
        "already_there": 0,
        "differing": 0,
        "corrected": 0,
        "incomplete": 0,
        "missing": {},
        "bad_rows": 0,
        "problems": [],
        "first_start": "2025-01-01T00:00:00.000Z",
        "last_end": "2025-01-01T02:00:00.000Z",
    }


def test_a_dry_run_checks_and_stores_nothing(import_file, stored):
    done = import_file(f"{HEADER}\n{ROWS}", "--dry-run").expect(0)

    assert (done.json["rows"], done.json["stored"], done.json["dry_run"]) == (3, 0, True)
    assert "3 rows, all good, nothing stored in a dry run" in done.err
    assert stored() == []


def test_one_bad_row_keeps_the_whole_file_out_and_is_told_by_its_line(import_file, stored):
    rows = f"{ROWS}2025-01-01T03:00Z,n/a,open\n2025-01-01T04:00,1\n"

    done = import_file(f"{HEADER}\n{rows}").expect(1)

    assert done.err.splitlines()[1:] == [
        "Line 5: column 'Steam mass': 'n/a' is not a decimal number.",
        "Line 6: it has 2 cells, but the header has 3.",
    ]
    assert done.json["bad_rows"] == 2
    assert done.json["problems"][0] == {
        "line": 5,
        "reasons": ["column 'Steam mass': 'n/a' is not a decimal number"],
    }
    assert stored() == []


def test_a_row_tells_of_everything_that_is_wrong_with_it(import_file):
    done = import_file(f"{HEADER}\n2025-01-01T00:00,1.2.3,open\n").expect(1)

    assert done.err.splitlines()[1] == (
        "Line 2: start_time: '2025-01-01T00:00' has no offset, such as Z or +01:00; the data feed has no"
        " time_zone; column 'Steam mass': '1.2.3' is not a decimal number."
    )
    assert done.err.splitlines()[2] == (
        "Of the data feed that the import makes, --time-zone gives time_zone."
    )


def test_of_many_bad_rows_the_first_are_told_and_the_rest_counted(import_file):
    rows = "".join(f"2025-01-01T00:00Z,bad{number},x\n" for number in range(50))

    done = import_file(f"{HEADER}\n{rows}").expect(1)

    told = done.err.splitlines()[1:]
    assert len(told) == 21
    assert told[0].startswith("Line 2: ")
    assert told[19].startswith("Line 21: ")
    assert told[20] == "30 more rows are bad."
    assert done.json["bad_rows"] == 50


def test_the_rules_of_events_are_asked_before_anything_is_stored(import_file, stored):
    content = f"Time,End,Steam mass\n2025-01-01T01:00Z,2025-01-01T00:00Z,{'1' * 35}\n"

    done = import_file(content, "--map", "End=end_time").expect(1)

    assert done.err.splitlines()[1] == (
        f"Line 2: column 'Steam mass': {'1' * 35} has more than 34 significant digits."
    )
    later = import_file(content.replace("1" * 35, "1"), "--map", "End=end_time").expect(1)
    assert (
        later.err.splitlines()[1]
        == "Line 2: end_time is 2025-01-01T00:00:00+00:00, before start_time, 2025-01-01T01:00:00+00:00."
    )
    assert stored() == []


LOG = """Time;Clock;Steam mass
26.10.2025;02:00;1,50
26.10.2025;02:30;2,50
26.10.2025;02:00;3,50
26.10.2025;02:30;4,50
26.10.2025;03:00;5,50
"""
"""The log of a plant in Berlin, in the night in which the clocks go back."""

OF_BERLIN = ("--delimiter", ";", "--decimal-comma", "--time-zone", "Europe/Berlin", "--every", "30m",
             "--time-format", "%d.%m.%Y %H:%M", "--map", "Clock=start_time")  # fmt: skip


def test_a_log_in_local_time_is_read_through_the_hour_that_comes_twice(import_file, stored):
    refused = import_file(LOG, *OF_BERLIN).expect(1)
    import_file(LOG, *OF_BERLIN, "--in-order").expect(0)

    assert "26.10.2025 02:00' comes twice in Europe/Berlin" in refused.err
    assert "--in-order" in refused.err
    assert stored("to_char(start_time AT TIME ZONE 'UTC', 'HH24:MI'), numbers[1]") == [
        ("00:00", Decimal("1.50")),
        ("00:30", Decimal("2.50")),
        ("01:00", Decimal("3.50")),
        ("01:30", Decimal("4.50")),
        ("02:00", Decimal("5.50")),
    ]


def test_rows_that_are_not_in_order_are_refused_where_they_should_be(import_file, stored):
    swapped = LOG.replace("26.10.2025;03:00", "26.10.2025;01:00")

    done = import_file(swapped, *OF_BERLIN, "--in-order").expect(1)

    assert done.err.splitlines()[1] == (
        "Line 6: start_time: '26.10.2025 01:00' is not later than the row before it."
    )
    assert stored() == []


def test_a_date_without_its_time_of_day_is_no_time(import_file):
    done = import_file(LOG.replace(";03:00;", ";;"), *OF_BERLIN, "--in-order").expect(1)

    assert done.err.splitlines()[1] == "Line 6: start_time is missing."


def test_an_empty_cell_is_a_missing_value_and_never_a_zero(import_file, stored):
    done = import_file(f"{HEADER}\n2025-01-01T00:00Z,,open\n2025-01-01T01:00Z, ,\n").expect(0)

    assert stored("numbers[1], texts[2], is_complete") == [(None, "open", False), (None, None, False)]
    assert (done.json["incomplete"], done.json["missing"]) == (2, {"steam-mass": 2})
    assert "Incomplete are 2 of the events, which lack steam-mass (2)." in done.err


def test_a_text_can_be_named_that_says_that_a_value_is_missing(import_file, stored):
    rows = "2025-01-01T00:00Z,Bad,NaN\n"

    import_file(f"{HEADER}\n{rows}", "--missing", "Bad", "--missing", "NaN").expect(0)

    assert stored("numbers[1], texts[2]") == [(None, None)]


def test_a_column_that_maps_nowhere_is_named(import_file, stored):
    done = import_file("Time,Steam mass,Operator\n2025-01-01T00:00Z,1,Ada\n").expect(1)

    assert done.err == (
        "The column 'Operator' is not mapped; set in columns of the data feed which of steam-mass, state, "
        "start_time, end_time, utc_offset, tracking_id, feedstock, asset, client_reference, notes, location"
        " it gives, leave it out there with '-', or let other_columns be leave_out.\n"
        "Of the data feed that the import makes, --map gives columns, --other-columns gives other_columns.\n"
    )
    assert stored() == []


def test_what_is_wrong_with_the_words_of_columns_is_told(import_file, stored):
    no_sign = import_file(f"{HEADER}\n{ROWS}", "--map", "State").expect(1)
    twice = import_file(f"{HEADER}\n{ROWS}", "--map", "State=state", "--map", "State=-").expect(1)
    nowhere = import_file(f"{HEADER}\n{ROWS}", "--map", "State=colour").expect(1)

    assert no_sign.err == "--map 'State' has no equals sign; write COLUMN=FIELD.\n"
    assert "is 'State', which is named 2 times" in twice.err
    assert "field is 'colour'; it takes one of steam-mass, state, start_time" in nowhere.err
    assert stored() == []


def test_columns_without_a_name_are_left_out_together(import_file):
    done = import_file("Time,Steam mass,,\n2025-01-01T00:00Z,1,x,y\n", "--map", "=-").expect(0)

    assert done.json["mapping"] == {"Time": "start_time", "Steam mass": "steam-mass", "": "-"}


def test_a_column_is_left_out_when_that_is_said(import_file, stored):
    done = import_file("Time,Steam mass,Operator\n2025-01-01T00:00Z,1,Ada\n", "--map", "Operator=-").expect(0)

    assert done.json["mapping"]["Operator"] == "-"
    assert stored("numbers[1]") == [(Decimal(1),)]


def test_rows_without_times_are_counted_from_a_start(import_file, stored):
    import_file("Steam mass\n1\n2\n", times=("--start", "2011-01-01T00:00:00Z", "--every", "1h")).expect(0)

    assert stored("to_char(start_time, 'HH24:MI'), to_char(end_time, 'HH24:MI'), numbers[1]::integer") == [
        ("00:00", "01:00", 1),
        ("01:00", "02:00", 2),
    ]


def test_counted_rows_are_readings_when_that_is_said(import_file, stored):
    import_file(
        "Steam mass\n1\n2\n", times=("--start", "2011-01-01T00:00:00Z", "--every", "15m", "--readings")
    ).expect(0)

    assert stored("to_char(start_time, 'HH24:MI'), end_time = start_time") == [
        ("00:00", True),
        ("00:15", True),
    ]


def test_a_blank_line_among_counted_rows_is_refused_for_it_would_move_the_times(import_file):
    times = ("--start", "2011-01-01T00:00:00Z", "--every", "1h")

    done = import_file("Steam mass\n1\n\n2\n", times=times).expect(1)

    assert done.err.splitlines()[1] == "Line 3: the line is blank, yet every row is counted for its time."
    assert import_file("Steam mass\n1\n2\n\n\n", times=times).expect(0).json["rows"] == 2


def test_local_times_are_read_in_the_zone_that_is_named(import_file, stored):
    import_file(
        "Time,Steam mass\n01.07.2011 12:00,1\n01.01.2011 12:00,2\n",
        "--time-zone", "Europe/Istanbul", "--time-format", "%d.%m.%Y %H:%M",
    ).expect(0)  # fmt: skip

    assert stored("to_char(start_time, 'MM-DD HH24:MI')") == [("01-01 10:00",), ("07-01 09:00",)]


def test_times_that_are_told_twice_or_not_at_all_are_refused(import_file):
    nowhere = import_file("Steam mass\n1\n", times=()).expect(1)
    twice = import_file(
        "Time,Steam mass\n2025-01-01T00:00Z,1\n", "--start", "2025-01-01T00:00Z", "--every", "1h"
    ).expect(1)

    assert nowhere.err == (
        "No column gives start_time. Name the column that does, or the time of the first row.\n"
        "Of the data feed that the import makes, --start gives when the first row is.\n"
    )
    assert twice.err == (
        "A column gives start_time, and the first row has one too; leave one of them out.\n"
        "Of the data feed that the import makes, --start gives when the first row is.\n"
    )


def test_an_asset_is_named_by_its_name_or_its_id(import_file, api, plant, sql):
    given.asset(api, plant, name="Kiln 1")
    second = given.asset(api, plant, name="Kiln 2")
    content = (
        "Time,Steam mass,Asset\n2025-01-01T00:00Z,1,Kiln 1\n"
        f"2025-01-01T01:00Z,2,{second['id']}\n2025-01-01T02:00Z,3,\n"
    )

    summary = import_file(content).expect(0).json

    assert summary["mapping"] == {"Time": "start_time", "Steam mass": "steam-mass", "Asset": "asset"}
    assert sql(
        """
        SELECT a.name FROM events e LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
         WHERE e.project_id = %s ORDER BY e.start_time
        """,
        plant["numeric_id"],
    ) == [("Kiln 1",), ("Kiln 2",), (None,)]
    unknown = import_file("Time,Steam mass,Asset\n2025-01-01T00:00Z,1,Kiln 3\n").expect(1)
    assert unknown.err.splitlines()[1] == (
        "Line 2: 'Kiln 3' is no asset of the project, which has 'Kiln 1', 'Kiln 2'."
    )


def test_a_feedstock_is_named_by_its_name_or_its_id(import_file, api, plant, sql):
    wood, straw = (given.feedstock(api, plant, name=name) for name in ("Wood", "Straw"))
    content = f"Time,Steam mass,Feedstock\n2025-01-01T00:00Z,1,Wood\n2025-01-01T01:00Z,2,{straw['id']}\n"

    import_file(content).expect(0)

    assert wood["name"] == "Wood"
    assert sql(
        """
        SELECT f.name FROM events e JOIN feedstocks f ON (f.project_id, f.id) = (e.project_id, e.feedstock_id)
         WHERE e.project_id = %s ORDER BY e.start_time
        """,
        plant["numeric_id"],
    ) == [("Wood",), ("Straw",)]
    unknown = import_file("Time,Steam mass,Feedstock\n2025-01-01T00:00Z,1,Peat\n").expect(1)
    assert unknown.err.splitlines()[1] == (
        "Line 2: 'Peat' is no feedstock of the project, which has 'Straw', 'Wood'."
    )


def test_columns_may_give_what_an_event_says_of_itself(import_file, api, plant, sql):
    points = [given.boolean("is-wet"), given.text("driver")]
    given.event_type(api, plant, slug="haul", data_point_types=points, requires_tracking_id=True)
    content = (
        "Begin,End,Ticket,Notes,Is wet,Driver\n"
        '2025-01-01T00:00Z,2025-01-01T00:20Z,T-1,"wet, heavy",yes, Ada \n'
        "2025-01-01T01:00Z,2025-01-01T01:20Z,,,no,\n"
    )
    columns = ("--map", "Begin=start_time", "--map", "End=end_time", "--map", "Ticket=tracking_id")

    refused = import_file(content, times=columns, event_type="haul").expect(1)
    import_file(content.replace("Z,,,", "Z,T-2,,"), times=columns, event_type="haul").expect(0)

    assert refused.err.splitlines()[1] == ("Line 3: tracking_id is missing; events of type 'haul' need one.")
    assert sql(
        """
        SELECT tracking_id, notes, booleans[1], texts[2], end_time - start_time = interval '20 minutes'
          FROM events WHERE project_id = %s ORDER BY start_time
        """,
        plant["numeric_id"],
    ) == [("T-1", "wet, heavy", True, " Ada ", True), ("T-2", None, False, None, True)]


def test_every_event_names_the_locations(import_file, api, plant, sql):
    given.event_type(
        api, plant, slug="haul", data_point_types=[given.number("steam-mass")], expected_locations="two"
    )
    here, there = (given.location(api, plant, name=name) for name in ("Here", "There"))
    places = ("--location", here["id"], "--location", there["id"])

    import_file("Time,Steam mass\n2025-01-01T00:00Z,1\n", *places, event_type="haul").expect(0)

    assert sql("SELECT cardinality(location_ids) FROM events WHERE project_id = %s", plant["numeric_id"]) == [
        (2,)
    ]


def test_locations_are_checked_once_for_all_rows(import_file, api, plant):
    given.event_type(
        api, plant, slug="haul", data_point_types=[given.number("steam-mass")], expected_locations="one"
    )
    yard = given.location(api, plant, name="Yard")
    content = "Time,Steam mass\n2025-01-01T00:00Z,1\n"

    missing = import_file(content, event_type="haul").expect(1)
    unknown = import_file(content, "--location", "loc_x", event_type="haul").expect(1)
    twice = import_file(content, *("--location", yard["id"]) * 2, event_type="haul").expect(1)

    there = f"{yard['id']} (Yard)"
    assert missing.err == (
        "Events of type 'haul' name 1 to 10 locations; --location is given 0 times, "
        f"and the project has {there}.\n"
    )
    assert unknown.err == f"--location 'loc_x' is no location of the project, which has {there}.\n"
    assert twice.err == f"--location {yard['id']!r} is given 2 times; once is enough.\n"


def test_a_file_of_another_country_is_read_as_it_is_written(import_file, stored):
    content = "Time;Steam mass;State\n2025-01-01T00:00Z;1234,50;geöffnet\n".encode("windows-1252")

    import_file(content, "--delimiter", ";", "--decimal-comma", "--encoding", "windows-1252").expect(0)

    assert stored("numbers[1]::text, texts[2]") == [("1234.50", "geöffnet")]


OF_A_SCALE = """Works South: deliveries of February;;;
No.;Time;Clock;Net mass [kg]
4711;03.02.2025;06:15;14.120,0
4712;14.02.2025;07:40;13.765,5
Total;;;27.885,5
"""
"""A file with a title, decimal commas, a unit in brackets and a row of totals."""

HOW_OF_A_SCALE = ("--delimiter", ";", "--header-line", "2", "--decimal-comma", "--thousands-separator", ".",
                  "--skip-rows", "Total*", "--other-columns", "leave_out", "--time-zone", "Europe/Berlin",
                  "--time-format", "%d.%m.%Y %H:%M", "--map", "Clock=start_time",
                  "--map", "Net mass [kg]=steam-mass")  # fmt: skip


def test_a_file_with_totals_and_thousands_is_read_and_its_unit_in_brackets_is_converted(import_file, stored):
    import_file(OF_A_SCALE, *HOW_OF_A_SCALE).expect(0)

    assert stored("numbers[1]") == [(Decimal("14.12"),), (Decimal("13.7655"),)]


def test_a_unit_that_is_said_goes_before_the_one_in_brackets(import_file, stored):
    import_file(OF_A_SCALE, *HOW_OF_A_SCALE, "--unit", "Net mass [kg]=t").expect(0)

    assert stored("numbers[1]") == [(Decimal(14120),), (Decimal("13765.5"),)]


def test_a_unit_of_a_column_that_gives_nothing_is_refused(import_file):
    refused = import_file(OF_A_SCALE, *HOW_OF_A_SCALE, "--unit", "Gross=kg").expect(1)

    assert "--unit is about the column 'Gross'" in refused.err


def test_a_mark_at_the_beginning_of_the_file_is_no_part_of_the_first_name(import_file):
    import_file(b"\xef\xbb\xbf" + f"{HEADER}\n{ROWS}".encode()).expect(0)


def test_a_project_or_an_event_type_that_does_not_exist_is_named(
    weighbridge, import_file, account_name, tmp_path
):
    no_type = import_file(f"{HEADER}\n{ROWS}", event_type="steam").expect(1)
    no_project = weighbridge(
        "import", tmp_path / "log.csv", "--project", "0", "--event-type", "x", "--account", account_name
    ).expect(1)

    assert no_type.err == "The project has no event type 'steam'; it has delivery.\n"
    assert no_project.err == f"The account {account_name!r} has no project '0'.\n"


def test_a_file_that_is_not_there_is_named(weighbridge, tmp_path):
    done = weighbridge("import", tmp_path / "no.csv", "--project", "1", "--event-type", "x").expect(1)

    assert done.err == f"The file {tmp_path}/no.csv cannot be read: No such file or directory.\n"


def test_a_terminal_shows_how_far_the_import_is(postgres, plant, account_name, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("Steam mass\n1.5\n")
    command = [
        sys.executable, "-m", "weighbridge", "import", str(path), "--project", plant["id"],
        "--event-type", "delivery", "--start", "2025-01-01T00:00Z", "--every", "1h",
        "--account", account_name,
    ]  # fmt: skip
    ours, theirs = os.openpty()

    with subprocess.Popen(
        command,
        stderr=theirs,
        stdout=subprocess.PIPE,
        env=os.environ | {"WEIGHBRIDGE_DATABASE_URL": postgres},
    ) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the terminal's end
            while read := os.read(ours, 4096):
                shown += read
        os.close(ours)
        out = process.stdout.read()

    assert process.returncode == 0, shown
    assert out == b""
    assert b"Sending" in shown
    assert b"Storing" in shown
    assert b"1 rows, 1 events stored" in shown


def test_a_log_that_has_the_hour_that_comes_twice_once_is_refused_by_its_line(import_file, stored):
    header, rows = "Time,Steam mass", ["2025-10-26 01:00,1", "2025-10-26 02:00,2", "2025-10-26 03:00,3"]
    options = ("--time-zone", "Europe/Berlin", "--in-order", "--every", "1h")

    refused = import_file("\n".join([header, *rows]), *options).expect(1)

    assert "Line 3: start_time: '2025-10-26 02:00' comes twice in Europe/Berlin" in refused.err
    assert not stored()
    import_file("\n".join([header, *rows[:2], rows[1], rows[2]]), *options).expect(0)
    assert [start.astimezone(UTC).hour for (start,) in stored("start_time")] == [23, 0, 1, 2]
