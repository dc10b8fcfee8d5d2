"""What a store says about a batch."""

from datetime import UTC, datetime

from weighbridge.collection.records.events import NewEvent
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.exchange.importing.store import told_by_line
from weighbridge.exchange.tabular.row import NumberedEvent

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)
BATCH = [NumberedEvent(line, NewEvent(event_type="delivery", start_time=NOON)) for line in (7, 9)]


def test_a_refused_event_is_told_by_the_line_it_came_from():
    refusal = Invalid([Problem("events[1].end_time is before start_time.", "events[1].end_time", "invalid")])

    told = told_by_line(refusal, BATCH)

    assert [problem.message for problem in told.problems] == ["Line 9: end_time is before start_time."]


def test_what_is_about_no_event_is_told_as_it_is():
    refusal = Invalid([Problem("The body is too large.")])

    assert [problem.message for problem in told_by_line(refusal, BATCH).problems] == [
        "The body is too large."
    ]
