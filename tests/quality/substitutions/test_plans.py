"""A page of filled values reads what rules filled and not the events between, whatever the database knows."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.given import collection as given
from tests.given.lone import lone_service
from tests.given.plans import explained, rows_read
from tests.given.rule_evaluation import rule, work

from weighbridge.quality.substitutions import select_substitutions

MINUTES = 8_000
EVERY = 400
"""One minute of so many is below zero, and substituted."""

QUERY = [("start_time", "2025-01-01T00:00:00Z"), ("end_time", "2025-01-08T00:00:00Z")]


@pytest.fixture(scope="module")
def server(postgres, newest):
    """A service whose database learns of its tables when a test says so, and not by itself."""
    with lone_service(postgres, newest, "nothing") as lone:
        for table in ("events", "corrections", "data_point_types"):
            lone.server.sql(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
        yield lone.server


@pytest.fixture
def kind(api, account):
    """An event type of many minutes, a few of which a rule has substituted."""
    project = given.project(api)
    made = given.event_type(
        api, project, slug="minute", data_point_types=[given.number("level")], cadence_amount=1,
        cadence_unit="minute",
    )  # fmt: skip
    begin = datetime(2025, 1, 1, tzinfo=UTC)
    bodies = [
        given.event_body(
            event_type="minute",
            start_time=(begin + timedelta(minutes=number)).isoformat(),
            values={"level": -1 if number % EVERY == 1 else 5},
        )
        for number in range(MINUTES)
    ]
    given.events(api, project, bodies)
    filled = {"method": "previous"}
    rule(api, project, "{{level}} < 0", purpose="substitute", data_point="level", correction=filled)
    work(account)
    return project["numeric_id"], made["id"]


@pytest.mark.parametrize("is_analysed", [False, True])
def test_a_page_reads_what_was_filled(server, kind, sql, is_analysed):
    if is_analysed:
        sql("ANALYZE events, corrections, data_point_types")

    plans, page = explained(server, lambda tx: select_substitutions(tx, *kind, QUERY))

    assert (len(page.data), {one.value for one in page.data}) == (MINUTES // EVERY, {5})
    assert max(map(rows_read, plans)) < MINUTES / 10
