"""A page of the audit log reads about as many rows as it shows, whatever the database knows of them."""

import pytest
from tests.given import collection as given
from tests.given.plans import READ_MAX, explained, rows_read

from weighbridge.db.listing import list_request
from weighbridge.platform.audit_log.queries import AUDIT_LOG, list_audit_log

ROWS = 20_000
LOAD = """
    INSERT INTO audit_log (account_id, project_id, user_id, at, request_id, action, object)
    SELECT %(account)s, CASE n / 10000 WHEN 0 THEN %(project)s END, NULL,
           '2020-01-01Z'::timestamptz + n * interval '1 s', 'req-' || n / 50,
           CASE n / 100 WHEN 70 THEN 'ledger.create' ELSE 'event.create' END, 'evt_' || n / 40
      FROM generate_series(0, %(rows)s - 1) AS n
"""
SEAL = """
    WITH sealed AS (DELETE FROM audit_unsealed WHERE account_id = %(account)s RETURNING audit_id)
    INSERT INTO audit_seals (account_id, number, audit_id, hash)
    SELECT %(account)s, row_number() OVER (ORDER BY audit_id), audit_id, sha256('seal')
      FROM (SELECT audit_id FROM sealed ORDER BY audit_id LIMIT %(rows)s - 100) AS chained
"""
QUERIES = (
    {},
    {"sort": "id"},
    {"sort": "at"},
    {"sort": "-at"},
    {"sort": "number"},
    {"filter[action]": "ledger.create"},
    {"filter[action]": "event.create"},
    {"filter[action]": "ledger.create", "sort": "at"},
    {"filter[object]": "evt_250"},
    {"filter[request_id]": "req-200"},
    {"filter[request_id]": "req-200", "filter[action]": "event.create"},
    {"filter[project_id]": "{project}"},
    {"filter[project_id]": "{project}", "sort": "id"},
    {"filter[number][geq]": "10000", "sort": "number"},
    {"filter[number][leq]": "10000", "sort": "-number"},
    {"filter[number][geq]": "19800"},
    {"filter[number][leq]": "200", "filter[action]": "event.create"},
)


@pytest.fixture(scope="module", params=["just loaded", "analysed"])
def stored(request, server):
    """An account with many rows, all but the last hundred sealed, and a project that the first half is of."""
    account = server.account()
    project = given.project(account.caller())["numeric_id"]
    values = {"account": account.id, "project": project, "rows": ROWS}
    with server.transaction() as connection:
        for table in ("audit_log", "audit_seals", "audit_unsealed"):
            connection.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
        connection.execute(LOAD, values)
        connection.execute(SEAL, values)
    if request.param == "analysed":
        server.sql("ANALYZE audit_log, audit_seals, audit_unsealed")
    yield account, project
    for table in ("audit_log", "audit_seals", "audit_unsealed"):
        server.sql(f"ALTER TABLE {table} RESET (autovacuum_enabled)")


@pytest.fixture
def pages(server, stored):
    """A page and the one behind it by cursor, with the plans by which they are read."""
    account, project = stored

    def read(query):
        asked = [(name, value.format(project=project)) for name, value in query.items()]

        def page(*cursor):
            request = list_request([*asked, *cursor], AUDIT_LOG)
            return explained(server, lambda tx: list_audit_log(tx, account.actor, request))

        plans, first = page()
        more, second = page(("cursor", first.info.next_cursor))
        return [*plans, *more], [first, second]

    return read


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_page_of_the_audit_log_reads_what_it_shows(pages, query):
    plans, [first, second] = pages(query)

    assert len(first.data) == 20
    assert second.data
    assert max(map(rows_read, plans)) < 2 * READ_MAX
