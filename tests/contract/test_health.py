"""Design, section 2: `/healthz` says that the process lives, `/readyz` that it can do its work."""

import pytest
from tests.server import Server

from weighbridge.db.migration import migrate


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_running_service_is_well_without_a_token(server, path):
    answer = server.request("GET", path, (), None, {})

    assert answer.expect(200).body == {"status": "ok"}
    assert answer.headers["x-request-id"]


def test_the_service_is_not_ready_on_an_empty_database(empty_database):
    with Server(empty_database) as unready:
        lives = unready.request("GET", "/healthz", (), None, {})
        ready = unready.request("GET", "/readyz", (), None, {})

    assert lives.status == 200
    assert ready.expect(503).body["status"] == "unavailable"


def test_the_service_is_ready_when_the_last_migration_is_done(empty_database):
    migrate(empty_database, "0051")
    with Server(empty_database) as service:
        before = service.request("GET", "/readyz", (), None, {})
        migrate(empty_database)
        after = service.request("GET", "/readyz", (), None, {})

    assert before.expect(503).body == {"status": "unavailable", "reason": "the database needs a migration"}
    assert after.expect(200).body == {"status": "ok"}
