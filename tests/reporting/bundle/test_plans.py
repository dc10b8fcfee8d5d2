"""What a bundle adds to its batches is found by their slots, whatever the database knows of the tables."""

from datetime import UTC, datetime, timedelta

import pytest
from psycopg.sql import SQL
from tests.given import accounting
from tests.given import collection as given
from tests.given.plans import explained, rows_read

from weighbridge.reporting.bundle.closure import LATE

DAYS = 30
EVENTS = 100
"""Events of each day."""

FIRST = datetime(2025, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def plant(lone):
    """A plant with a batch for each day; one event came after they were made."""
    account = lone.server.account()
    plant = accounting.plant(account.caller(), account.drain, cadence="daily")
    times = [FIRST + timedelta(days=day, minutes=number) for day in range(DAYS) for number in range(EVENTS)]
    bodies = [given.event_body(start_time=time.isoformat(), values={"mass": 1}) for time in times]
    given.events(plant.api, plant.project, bodies)
    plant.generate((FIRST.isoformat(), (FIRST + timedelta(days=DAYS)).isoformat()))
    plant.deliver(1, day="2025-01-15T12:00:00Z")
    return plant


def test_events_that_came_late_are_found_by_reading_each_slot_once(lone, plant):
    batches = [accounting.key_of("batch", batch["id"])[1] for batch in plant.batches(page_size="100")]
    values = {"project": plant.project["numeric_id"], "batches": batches, "stated": None}

    [plan], [[(_, slug, start, *_)]] = explained(lone.server, lambda tx: tx.several((SQL(LATE), values)))

    assert (slug, start) == ("delivery", datetime(2025, 1, 15, 12, tzinfo=UTC))
    assert len(batches) == DAYS
    assert rows_read(plan) < 3 * DAYS * EVENTS
