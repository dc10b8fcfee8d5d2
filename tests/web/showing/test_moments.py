"""Times are shown in the project's zone with UTC behind; periods as people say them."""

import re
from datetime import datetime

import pytest

from weighbridge.core.time.calendar import Instant
from weighbridge.web.display.figures import TimeFormat

BERLIN = TimeFormat("Europe/Berlin", Instant.of(datetime.fromisoformat("2025-06-01T00:00:00Z")))


def at(text: str) -> Instant:
    return Instant.of(datetime.fromisoformat(text))


def test_a_moment_is_shown_in_the_zone_with_utc_behind():
    text = BERLIN(at("2025-03-12T13:05:00Z"))

    assert ">12 Mar 2025 14:05<" in text
    assert 'title="2025-03-12 13:05:00 UTC · Europe/Berlin"' in text


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("2025-03-01T00:00+01:00", "2025-04-01T00:00+02:00", "March 2025"),
        ("2025-01-01T00:00+01:00", "2025-04-01T00:00+02:00", "Q1 2025"),
        ("2025-01-01T00:00+01:00", "2026-01-01T00:00+01:00", "2025"),
        ("2025-03-30T00:00+01:00", "2025-03-31T00:00+02:00", "30 Mar 2025"),
        ("2025-03-12T14:00+01:00", "2025-03-12T15:00+01:00", "12 Mar 2025 14:00–15:00"),  # noqa: RUF001
    ],
)
def test_a_period_is_said_as_people_say_it(start: str, end: str, said: str):
    text = re.sub(r"<[^>]+>", "", BERLIN.span(at(start), at(end)))

    assert text == said


def test_what_is_typed_is_a_time_of_the_zone():
    assert BERLIN.typed("2025-03-12T14:05") == at("2025-03-12T13:05:00Z")
    assert BERLIN.typed("yesterday") is None


def test_the_text_that_a_list_holds_is_shown_like_its_moment():
    moment = at("2025-03-12T13:05:00Z")

    assert BERLIN(moment.text) == BERLIN(moment)
    assert BERLIN.day(moment.text) == BERLIN.day(moment)
    assert BERLIN.span(moment.text, at("2025-03-12T15:05:00Z").text) == BERLIN.span(
        moment, at("2025-03-12T15:05:00Z")
    )


def test_a_clock_that_told_milliseconds_is_shown_by_the_second_and_told_in_full_behind():
    shown = BERLIN(at("2025-03-12T13:05:00.986Z"))

    assert ">12 Mar 2025 14:05:00<" in shown
    assert "2025-03-12 13:05:00.986 UTC" in shown
