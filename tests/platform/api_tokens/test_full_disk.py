"""A database that cannot write still reads, says what is full, and lets go of tokens.

A trigger stands for the full disk, which raises what PostgreSQL raises. tests/durability/test_full_disk.py
does the same on a disk that is full.
"""

import pytest
from psycopg import connect
from tests.server import Server

from weighbridge.db.embedded.cluster import FILE

RAISES = """
    CREATE FUNCTION run_out() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'could not extend file "base/5/16385": No space left on device' USING ERRCODE = '{}';
    END $$;
"""


@pytest.fixture
def full(migrated_database):
    """Makes writes of a table fail as on a full disk."""

    def fill(table, state="53100"):
        with connect(migrated_database) as connection:
            connection.execute(RAISES.format(state).replace("CREATE", "CREATE OR REPLACE"))
            connection.execute(
                f"""
                CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON {table}
                    FOR EACH ROW EXECUTE FUNCTION run_out()
                """
            )

    return fill


@pytest.fixture
def service(migrated_database):
    with Server(migrated_database, rate_limit_per_minute=50) as service:
        yield service


def test_a_token_acts_although_its_use_cannot_be_written_down(service, full):
    caller = service.account().caller()
    full("api_tokens")
    full("request_counts")

    for _ in range(3):
        caller.get("/projects").expect(200)


@pytest.mark.parametrize(
    ("state", "code", "said"),
    [
        ("53100", "disk_full", "The disk of the database is full; nothing was stored."),
        ("53200", "unavailable", "The memory of the database server is used up"),
        ("53300", "unavailable", "The database has no connection left"),
    ],
)
def test_a_write_is_told_what_is_full(service, full, state, code, said):
    caller = service.account().caller()
    full("projects", state=state)

    error = caller.post("/projects", {"project": {"name": "Plant"}}).expect(503).error

    assert error["code"] == code
    assert error["message"].startswith(said)


def test_what_needs_more_room_than_is_allowed_is_not_to_be_asked_again(service, full):
    caller = service.account().caller()
    full("projects", state="53400")

    refused = caller.post("/projects", {"project": {"name": "Plant"}}).expect(422)

    assert refused.error["code"] == "too_costly"
    assert "retry-after" not in refused.headers


def test_the_readiness_page_knows_of_a_full_disk(service, full):
    caller = service.account().caller()
    full("projects")
    assert service.request("GET", "/readyz", (), None, {}).status == 200

    caller.post("/projects", {"project": {"name": "Plant"}}).expect(503)

    ready = service.request("GET", "/readyz", (), None, {}).expect(503)
    assert ready.body == {"status": "unavailable", "reason": "a disk is full"}


def test_a_token_is_revoked_at_the_cost_of_the_reserve(service, full, migrated_database):
    account = service.account()
    caller, lost = account.caller(), account.caller()
    [(number,)] = service.sql("SELECT max(id) FROM api_tokens")
    reserve = service.folder / "postgres" / FILE
    reserve.parent.mkdir()
    reserve.touch()
    full("audit_log")

    caller.delete(f"/api_tokens/{number}").expect(503)  # still full without the reserve

    assert not reserve.exists()
    with connect(migrated_database) as connection:
        connection.execute("DROP TRIGGER full_disk ON audit_log")
    caller.delete(f"/api_tokens/{number}").expect(204)
    assert lost.get("/projects").expect(401).error["code"] == "token_revoked"
