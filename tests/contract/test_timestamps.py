"""Seed, Resources, Conventions: timestamps are ISO 8601 UTC date-time strings with millisecond precision.
Design, section 4: input needs an offset or `Z`; a naive one is refused.
"""

import re

import pytest
from tests.given import collection as given


def start_of(api, text):
    project = given.measuring(api)
    return given.event(api, project, start_time=text)["start_time"]


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("2025-01-01T00:00:00Z", "2025-01-01T00:00:00.000Z"),
        ("2025-01-01T00:00:00.5Z", "2025-01-01T00:00:00.500Z"),
        ("2025-01-01T00:00:00.123Z", "2025-01-01T00:00:00.123Z"),
        ("2025-01-01T00:00:00.123999Z", "2025-01-01T00:00:00.123Z"),
        ("2025-01-01T00:00:00+01:00", "2024-12-31T23:00:00.000Z"),
        ("2025-01-01T00:00:00-09:30", "2025-01-01T09:30:00.000Z"),
        ("2025-03-30T02:30:00+01:00", "2025-03-30T01:30:00.000Z"),
        ("2024-02-29T23:59:59.999+14:00", "2024-02-29T09:59:59.999Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_comes_back_in_utc_with_milliseconds(api, sent, answered):
    assert start_of(api, sent) == answered


def test_a_time_without_an_offset_is_refused(api):
    project = given.measuring(api)

    error = api.post(
        f"/projects/{project['id']}/events", {"event": given.event_body(start_time="2025-01-01T00:00:00")}
    ).expect(400).error  # fmt: skip

    assert error == {
        "message": "event.start_time needs an offset or Z, as in 2025-01-01T00:00:00Z.",
        "field": "start_time",
        "code": "invalid",
    }


@pytest.mark.parametrize(
    "text",
    [
        "2025-01-01", "2025-13-01T00:00:00Z", "2025-02-29T00:00:00Z", "2025-01-01T24:00:00Z",
        "2025-01-01T00:00:60Z",
        "yesterday", "", "1735689600", "2025-01-01T00:00:00+25:00", "10000-01-01T00:00:00Z",
        "٢٠٢٥-01-01T00:00:00Z",
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused_by_field(api, text):
    project = given.measuring(api)

    error = (
        api.post(f"/projects/{project['id']}/events", {"event": given.event_body(start_time=text)})
        .expect(400)
        .error
    )

    assert error["field"] == "start_time"


@pytest.mark.parametrize("number", [1735689600, 1735689600.5])
def test_a_number_is_no_time(api, number):
    project = given.measuring(api)

    api.post(f"/projects/{project['id']}/events", {"event": given.event_body(start_time=number)}).expect(400)


def test_created_and_updated_have_milliseconds_and_z(api):
    project = given.project(api)

    for field in ("created_at", "updated_at"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", project[field])


@pytest.mark.parametrize(
    "text",
    [
        "2025-01-01T00:00:00", "2025-01-01", "soon", "", "2025-01-01T00:00:00 01:00",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1735689600", "\0",
    ],
)  # fmt: skip
def test_a_filter_takes_a_time_with_an_offset_only(api, text):
    project = given.project(api)

    error = api.get(f"/projects/{project['id']}/events", {"filter[start_time][geq]": text}).expect(400).error

    assert (error["field"], error["code"]) == ("filter[start_time][geq]", "unreadable")
