"""How rows in local time are dated in the night in which the clocks go back."""

import random
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from weighbridge.exchange.tables.cell import read_clock
from weighbridge.exchange.tables.columns import build_columns, choose_fields
from weighbridge.exchange.tables.opening import open_table
from weighbridge.exchange.tables.rows import RowMapping, read_rows
from weighbridge.exchange.tables.table import BadRow, CsvFile

NIGHTS = {
    "Europe/Berlin": datetime(2025, 10, 26, 1, tzinfo=UTC),
    "America/New_York": datetime(2025, 11, 2, 6, tzinfo=UTC),
    "Australia/Lord_Howe": datetime(2025, 4, 5, 15, tzinfo=UTC),
    "Asia/Tehran": datetime(2021, 9, 21, 19, 30, tzinfo=UTC),
}
"""When clocks go back, by their zones."""

STEPS = [timedelta(minutes=1), timedelta(minutes=10), timedelta(minutes=15), timedelta(hours=1)]


def written(moments, zone, length=None):
    """Rows of local times, as a historian writes them."""
    local = [moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None).isoformat(" ") for moment in moments]
    if length is None:
        return ["start_time", *local]
    ends = [(one + length).astimezone(ZoneInfo(zone)).replace(tzinfo=None).isoformat(" ") for one in moments]
    return ["start_time,end_time", *map(",".join, zip(local, ends, strict=True))]


def read(tmp_path, lines, zone, **options):
    """What becomes of the rows: their times, or the reasons why they are bad."""
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines))
    clock = read_clock(time_zone=zone, in_order=True, **options)
    with open_table(CsvFile(path)) as table:
        columns = build_columns(table.header, choose_fields(table.header, {}, {})[0], {})
        mapping = RowMapping(columns, clock, "reading", [], {}, {}, "log")
        found = []
        for one in read_rows(table, mapping):
            if isinstance(one, BadRow):
                found.append(str(one))
            else:
                found.append((one.event.start_time, one.event.end_time))
        return found


def hours_from(first, count):
    return [first + timedelta(hours=hour) for hour in range(count)]


def test_rows_of_both_hours_decide_each_other(tmp_path):
    moments = hours_from(datetime(2025, 10, 25, 22, tzinfo=UTC), 6)

    assert read(tmp_path, written(moments, "Europe/Berlin"), "Europe/Berlin") == [
        (one, None) for one in moments
    ]


@pytest.mark.parametrize(
    "times", [["02:00"], ["02:00", "03:00"], ["01:00", "02:00"], ["01:00", "02:00", "03:00"]]
)
def test_an_hour_that_stands_there_once_is_refused_with_its_line(tmp_path, times):
    lines = ["start_time", *(f"2025-10-26 {text}" for text in times)]
    found = read(tmp_path, lines, "Europe/Berlin", every="1h")

    line = lines.index("2025-10-26 02:00") + 1
    assert found[line - 2] == (
        f"Line {line}: start_time: '2025-10-26 02:00' comes twice in Europe/Berlin, where the clocks go back "
        "then, and the rows around it do not decide which it is; give its offset."
    )
    assert [type(one) for one in found].count(str) == 1


def test_a_row_with_an_offset_decides_those_before_it(tmp_path):
    lines = ["start_time", "2025-10-26 02:10", "2025-10-26T02:20+02:00", "2025-10-26 02:05"]

    assert [one[0].minute for one in read(tmp_path, lines, "Europe/Berlin")] == [10, 20, 5]


def test_rows_that_go_back_twice_are_refused(tmp_path):
    lines = ["start_time", *(f"2025-10-26 02:{minute}" for minute in (30, 10, 20, 10)), "2025-10-26 03:00"]
    found = read(tmp_path, lines, "Europe/Berlin")

    assert all("are not in the order of their times" in said for said in found[:4])
    assert found[4] == (datetime(2025, 10, 26, 2, tzinfo=UTC), None)


@pytest.mark.parametrize("text", ["12:00Z", "11:59Z"])
def test_a_row_that_is_not_later_than_the_one_before_it_is_refused(tmp_path, text):
    _, said = read(tmp_path, ["start_time", "2011-01-01T12:00Z", f"2011-01-01T{text}"], None)

    assert said == f"Line 3: start_time: '2011-01-01T{text}' is not later than the row before it."


def test_a_bad_row_among_them_decides_nothing_and_stays_where_it_is(tmp_path):
    lines = ["start_time", "2025-10-26 02:00", "nonsense", "2025-10-26 02:00"]
    first, bad, second = read(tmp_path, lines, "Europe/Berlin")

    assert (first[0].hour, second[0].hour) == (0, 1)
    assert bad.startswith("Line 3: start_time: 'nonsense' is not a time")


def test_ends_follow_from_the_row_behind_and_from_the_length_of_the_row_before(tmp_path):
    quarter = timedelta(minutes=15)
    moments = [datetime(2025, 10, 25, 23, tzinfo=UTC) + quarter * place for place in range(16)]
    lines = written(moments, "Europe/Berlin", quarter)

    assert read(tmp_path, lines, "Europe/Berlin") == [(one, one + quarter) for one in moments]
    assert read(tmp_path, lines[:5], "Europe/Berlin")[-1] == (moments[3], moments[4])


def test_an_end_of_which_nothing_is_known_is_refused(tmp_path):
    [said] = read(tmp_path, ["start_time,end_time", "2025-10-26 01:00,2025-10-26 02:00"], "Europe/Berlin")

    assert "end_time: '2025-10-26 02:00' comes twice" in said


@pytest.mark.parametrize("zone", NIGHTS)
@pytest.mark.parametrize("step", STEPS, ids=str)
@pytest.mark.parametrize("length", [None, "column"])
def test_no_row_of_the_night_is_dated_wrongly_whichever_part_of_it_a_file_has(tmp_path, zone, step, length):
    """Files of 24 hours, of one hour, and of rows of which some were lost: each row right, or refused."""
    back = NIGHTS[zone]
    moments = [back - timedelta(hours=30) + step * place for place in range(timedelta(hours=60) // step)]
    rng = random.Random(f"{zone} {step}")  # noqa: S311 - a draw that is the same each time
    of_hour = max(1, timedelta(hours=1) // step)
    files = [moments[place : place + of_hour] for place in range(0, len(moments), of_hour)]
    files += [moments[place : place + 24 * of_hour] for place in range(0, len(moments), 6 * of_hour)]
    files += [sorted(rng.sample(moments, len(moments) // 2)) for _ in range(3)]
    right = refused = 0
    for sent in files:
        lines = written(sent, zone, step if length else None)
        found = read(tmp_path, lines, zone)
        for moment, one in zip(sent, found, strict=True):
            if isinstance(one, str):
                assert "comes twice" in one
                refused += 1
            else:
                assert one == (moment, moment + step if length else None)
                right += 1
    assert right > 10 * refused
