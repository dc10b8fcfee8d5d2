"""Values that a data feed gives every row, in place of columns: times, references and locations."""

import hashlib
from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.feeds import Feeding

ROWS = "mass,driver\n1,Eva\n2,Ali\n"
DIGEST = hashlib.sha256(ROWS.encode()).hexdigest()[:12]
START = {"column": "=2025-01-01T00:00:00Z", "field": "start_time"}


@pytest.fixture
def feeding(account):
    return Feeding(account)


def times(feeding):
    return [(event["start_time"][11:16], event["end_time"][11:16]) for event in feeding.events()]


def problems(feeding, **fields):
    body = {"name": "Scale", "event_type_id": feeding.event_type["id"]} | fields
    answer = feeding.api.post(f"{feeding.path}/data_feeds", {"data_feed": body}).expect(422)
    return [error["message"] for error in answer.errors]


def test_rows_are_counted_from_the_time_of_the_first(feeding):
    upload = feeding.upload(feeding.feed(columns=[START], duration="15m"), ROWS)

    assert (upload["state"], upload["stored"]) == ("complete", 2)
    assert times(feeding) == [("00:00", "00:15"), ("00:15", "00:30")]


def test_counted_rows_are_readings_where_none_has_an_end(feeding):
    columns = [START, {"column": "=", "field": "end_time"}]

    feeding.upload(feeding.feed(columns=columns, duration="1h"), ROWS)

    assert times(feeding) == [("00:00", "00:00"), ("01:00", "01:00")]


def test_a_column_and_a_value_do_not_give_the_same(feeding):
    upload = feeding.upload(
        feeding.feed(columns=[START], duration="1h"), "start_time,mass\n2025-01-01T00:00:00Z,1\n"
    )

    assert upload["error_message"] == (
        "A column gives start_time, and the first row has one too; leave one of them out."
    )


@pytest.mark.parametrize(
    ("name", "references"),
    [
        ("=boiler-2", ["boiler-2:2", "boiler-2:3"]),
        ("={content}", [f"{DIGEST}:2", f"{DIGEST}:3"]),
        ("=", [None] * 2),
    ],
)
def test_references_begin_as_is_said_or_with_the_content_or_there_are_none(feeding, name, references):
    columns = [START, {"column": name, "field": "client_reference"}]

    feeding.upload(feeding.feed(columns=columns, duration="1h"), ROWS)

    assert [event["client_reference"] for event in feeding.events()] == references


def test_a_file_without_references_adds_its_rows_each_time(feeding):
    feed = feeding.feed(columns=[START, {"column": "=", "field": "client_reference"}], duration="1h")

    first, again = feeding.upload(feed, ROWS), feeding.upload(feed, ROWS)

    assert (first["stored"], again["stored"], again["same_as"]) == (2, 2, None)


def test_every_row_may_have_more_locations_than_the_list_of_a_feed_takes(feeding):
    places = [given.location(feeding.api, feeding.plant, name=name) for name in ("A", "B", "C")]
    feed = feeding.feed(
        columns=[START, {"column": f"={places[2]['id']}", "field": "location"}], duration="1h",
        location_ids=[place["id"] for place in places[:2]],
    )  # fmt: skip

    feeding.upload(feed, ROWS)

    assert [place["name"] for place in feeding.events()[0]["locations"]] == ["A", "B", "C"]


def test_what_is_wrong_with_a_value_is_told_before_any_file(feeding):
    assert problems(feeding, columns=[START]) == [
        "data_feed.duration is required when data_feed.columns gives the start of the first row."
    ]
    noon = {"column": "=noon", "field": "start_time"}
    [told] = problems(feeding, columns=[noon], duration="1h")
    assert told.startswith("data_feed.columns give the start_time of the first row: 'noon' is not a time ")
    assert problems(feeding, columns=[START, {**START, "column": "=2026-01-01T00:00Z"}], duration="1h") == [
        "data_feed.columns give every row a start_time 2 times; once is enough."
    ]
    assert problems(feeding, columns=[{"column": "=12:00", "field": "end_time"}]) == [
        "data_feed.columns give every row an end_time; only '=', for none, can be given."
    ]
    reference = {"column": "=x", "field": "client_reference"}
    assert problems(feeding, columns=[reference], client_reference="column") == [
        "data_feed.columns give the client_reference of every row, and it is made of a column too."
    ]


def test_a_column_of_the_file_may_begin_with_the_sign_of_a_value(feeding):
    feed = feeding.feed(columns=[{"column": "=mass", "field": "mass"}])

    feeding.upload(feed, "start_time,=mass\n2025-01-01T06:00:00Z,1.5\n")

    assert [values for _, values in feeding.values()] == [{"mass": Decimal("1.5")}]
