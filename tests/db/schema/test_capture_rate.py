"""What the table of outages refuses, whatever the code above it does."""

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation


@pytest.fixture
def connection(stored_database):
    with psycopg.connect(stored_database, autocommit=True) as connection:
        yield connection


def declare(connection, **fields):
    named = {
        "project_id": 1,
        "reason": "Repair",
        "start_time": "2025-01-01Z",
        "end_time": "2025-01-02Z",
    } | fields
    connection.execute(
        f"INSERT INTO outages ({', '.join(named)}) VALUES ({', '.join(['%s'] * len(named))})",
        [*named.values()],
    )


def test_an_outage_names_what_was_out(connection):
    connection.execute("INSERT INTO assets (project_id, name) VALUES (1, 'Kiln')")

    for named in ({}, {"asset_id": 1}, {"location_id": 1, "event_type_id": 1}, {"end_time": None}):
        declare(connection, **named)

    with pytest.raises(CheckViolation, match="outages_name_one_meter"):
        declare(connection, asset_id=1, location_id=1)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"reason": ""}, CheckViolation),
        ({"end_time": "2025-01-01Z"}, CheckViolation),
        ({"end_time": "infinity"}, CheckViolation),
        ({"evidence_url": "ftp://acme.test"}, CheckViolation),
        ({"asset_id": 7}, ForeignKeyViolation),
        ({"event_type_id": 7}, ForeignKeyViolation),
    ],
)
def test_an_outage_that_cannot_be_is_refused(connection, fields, error):
    with pytest.raises(error):
        declare(connection, **fields)
