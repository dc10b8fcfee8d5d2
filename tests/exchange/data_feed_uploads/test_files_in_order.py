"""Files that decide each other: local times that come twice, by what the files before have brought."""

import pytest
from tests.given.feeds import Feeding

BERLIN = {"time_zone": "Europe/Berlin", "rows_in_order": True}
FIRST = "start_time,mass\n2025-10-26 01:30,1\n2025-10-26 02:00,2\n2025-10-26 02:30,3\n"
SECOND = "start_time,mass\n2025-10-26 02:00,4\n2025-10-26 02:30,5\n2025-10-26 03:00,6\n"
FIRST_HOUR = "start_time,mass\n2025-10-26 02:00+02:00,2\n2025-10-26 02:30+02:00,3\n"


@pytest.fixture
def feeding(account):
    return Feeding(account)


def test_a_file_after_the_first_hour_is_of_the_second(feeding):
    feed = feeding.feed(**BERLIN, files_in_order=True)
    feeding.upload(feed, FIRST_HOUR)

    upload = feeding.upload(feed, "start_time,mass\n2025-10-26 02:00,4\n2025-10-26 02:30,5\n")

    assert (upload["error_message"], upload["stored"]) == (None, 2)
    assert [start for start, _ in feeding.values()] == [
        "2025-10-26T00:00:00.000Z",
        "2025-10-26T00:30:00.000Z",
        "2025-10-26T01:00:00.000Z",
        "2025-10-26T01:30:00.000Z",
    ]


def test_without_that_promise_nothing_is_guessed_of_the_files_before(feeding):
    feed = feeding.feed(**BERLIN)
    feeding.upload(feed, FIRST_HOUR)

    upload = feeding.upload(feed, "start_time,mass\n2025-10-26 02:00,4\n2025-10-26 02:30,5\n")

    assert (upload["state"], upload["bad_rows"]) == ("failed", 2)


def test_a_file_that_begins_before_the_last_one_ended_is_told_of(feeding):
    feed = feeding.feed(**BERLIN, files_in_order=True)
    feeding.upload(feed, SECOND.replace("2025-10-26", "2025-10-27"))

    upload = feeding.upload(feed, FIRST.replace("2025-10-26", "2025-10-25"))

    assert "is not later than the files before it" in upload["error_message"]


def test_a_detection_limit_without_a_flag_is_refused_and_never_a_measured_value(feeding):
    feed = feeding.feed(below_limit="half")

    upload = feeding.upload(feed, "start_time,mass\n2025-01-31T06:00:00Z,<0.05\n")

    assert "'<0.05' is a detection limit; give its column a flag that keeps it" in upload["error_message"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"thousands_separator": "."}, "thousands_separator is '.', as decimal_mark is"),
        ({"tag_column": "tag"}, "value_column is required"),
        ({"tag_column": "a", "value_column": "a"}, "they are two columns"),
        ({"tag_column": "a", "value_column": "b", "units_line": True}, "give each tag its unit"),
        ({"header_line": 0}, "it names none"),
        ({"files_in_order": True}, "files are in order by their rows"),
        ({"time_format": "epoch"}, "epoch_seconds"),
        ({"columns": [{"column": "a", "field": "mass", "flag": "mass"}]}, "slug of a text data point"),
        ({"columns": [{"column": "a", "field": "driver", "flag": "driver"}]}, "is no number"),
        ({"skip_rows": [" "]}, "skip_rows is blank"),
    ],
)
def test_settings_that_contradict_each_other_are_refused_in_a_sentence(feeding, fields, problem):
    body = {"name": "Scale", "event_type_id": feeding.event_type["id"]} | fields

    answer = feeding.api.post(f"{feeding.path}/data_feeds", {"data_feed": body}).expect(422)

    assert problem in str(answer.body)
