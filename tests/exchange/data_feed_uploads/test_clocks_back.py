"""A historian's exports in local time, in the night in which the clocks go back."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from tests.given.feeds import Feeding

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = timedelta(hours=1)
BACK = datetime(2025, 10, 26, 1, tzinfo=UTC)


@pytest.fixture
def feeding(account):
    return Feeding(account)


@pytest.fixture
def historian(feeding):
    """A feed as the guide has it."""
    return feeding.feed(
        time_zone="Europe/Berlin", time_format="%d.%m.%Y %H:%M", rows_in_order=True, duration="1h",
        delimiter=";", decimal_mark=",", client_reference="time", bad_rows="skip", on_difference="correct",
        missing=["-9999"],
    )  # fmt: skip


def value_at(moment):
    return Decimal(int(moment.timestamp()) // 60 % 9000)


def file_of(moments):
    rows = [f"{moment.astimezone(BERLIN):%d.%m.%Y %H:%M};{value_at(moment)},5" for moment in moments]
    return "\n".join(["start_time;mass", *rows])


def as_stored(moment):
    return f"{moment:%Y-%m-%dT%H:%M:%S.000Z}", {"mass": value_at(moment) + Decimal("0.5")}


def test_files_of_the_last_24_hours_bring_every_hour_with_its_own_value_and_correct_none(feeding, historian):
    ends = [BACK + HOUR * place for place in (-1, 0, 1, 2, 23, 24, 25, 26)]
    uploads = [
        feeding.upload(historian, file_of([end - HOUR * back for back in range(23, -1, -1)])) for end in ends
    ]

    assert [one["corrected"] for one in uploads] == [0] * len(ends)
    first, last = ends[0] - HOUR * 23, ends[-1]
    hours = [first + HOUR * place for place in range((last - first) // HOUR + 1)]
    assert feeding.values() == [as_stored(moment) for moment in hours]


def test_a_file_for_each_hour_is_refused_by_line_for_the_hour_that_comes_twice(feeding, historian):
    hours = [BACK + HOUR * place for place in range(-3, 3)]
    uploads = [feeding.upload(historian, file_of([moment])) for moment in hours]

    assert [one["bad_rows"] for one in uploads] == [0, 0, 1, 1, 0, 0]
    [problem] = uploads[2]["problems"]
    assert (problem["row"], problem["column"], problem["value"]) == (2, "start_time", "26.10.2025 02:00")
    assert problem["reason"].endswith("do not decide which it is; give its offset")
    assert feeding.values() == [as_stored(moment) for moment in [*hours[:2], *hours[4:]]]


@pytest.mark.parametrize("written", ["-9999", "-9999,0", "-9999,00", " -9999 "])
def test_a_mark_of_a_missing_value_is_a_number_however_it_is_written(feeding, historian, written):
    upload = feeding.upload(historian, f"start_time;mass;driver\n01.02.2025 06:00;{written};Eva\n")

    assert (upload["bad_rows"], upload["incomplete"]) == (0, 1)
    assert feeding.values() == [("2025-02-01T05:00:00.000Z", {"driver": "Eva"})]


def test_a_mark_with_zeros_is_met_by_one_without(feeding):
    feed = feeding.feed(missing=["-9999.00"])
    feeding.upload(feed, "start_time,mass,driver\n2025-02-01T05:00:00Z,-9999,Eva\n")

    assert feeding.values() == [("2025-02-01T05:00:00.000Z", {"driver": "Eva"})]
