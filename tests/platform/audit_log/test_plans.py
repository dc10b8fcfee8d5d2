"""A page of the audit log reads about as many rows as it shows, whatever the database knows of them."""

import pytest
from tests.given import collection as given
from tests.given.lone import FIRST_ROWS
from tests.given.lone import OTHERS as OTHERS_NUMBERS
from tests.given.plans import READ_MAX, explained, rows_read

from weighbridge.db.lists.listing import list_request
from weighbridge.platform.audit_log import AUDIT_LOG, select_audit_log

ROWS = 20_000
LOAD = """
    INSERT INTO audit_log (account_id, project_id, user_id, at, request_id, action, object)
    SELECT %(account)s, CASE n / 10000 WHEN 0 THEN %(project)s END,
           CASE n / 100 WHEN 150 THEN %(user)s::integer END,
           '2020-01-01Z'::timestamptz + n * interval '1 s', 'req-' || n / 50,
           CASE n / 100 WHEN 70 THEN 'ledger.create' ELSE 'event.create' END, 'evt_' || n / 40
      FROM generate_series(%(from)s, %(to)s - 1) AS n
"""
SEAL = """
    WITH sealed AS (DELETE FROM audit_unsealed WHERE account_id = %(account)s RETURNING audit_id)
    INSERT INTO audit_seals (account_id, number, audit_id, hash)
    SELECT %(account)s, row_number() OVER (ORDER BY audit_id) + %(from)s, audit_id, sha256('seal')
      FROM (SELECT audit_id FROM sealed ORDER BY audit_id LIMIT %(to)s - %(from)s - %(unsealed)s) AS chained
"""
OTHERS = """
    INSERT INTO accounts (id, name) OVERRIDING SYSTEM VALUE
    SELECT other, 'other ' || other FROM generate_series(%s::int, %s::int) AS other
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
    {"filter[kind]": "ledger"},
    {"filter[kind]": "event"},
    {"filter[kind]": "event", "filter[at][geq]": "2020-01-01T05:30:00Z"},
    {"filter[user_id]": "{user}"},
    {"filter[user_id]": "{user}", "sort": "at"},
    {"filter[user_id]": "{user}", "filter[at][geq]": "2020-01-01T04:10:00Z"},
    {"filter[at][geq]": "2020-01-01T01:00:00Z", "sort": "at"},
    {"filter[at][leq]": "2020-01-01T01:00:00Z", "sort": "-at"},
    {"filter[at][geq]": "2020-01-01T05:30:00Z"},
    {"filter[at][leq]": "2020-01-01T00:03:20Z", "filter[action]": "event.create"},
)


@pytest.fixture(scope="module")
def stored(lone):
    """An account with many rows, all but the last hundred sealed, and a project that the first half is of."""
    account = lone.server.account()
    project = given.project(account.caller())["numeric_id"]

    def load(connection, begin, end, of=account.id):
        unsealed = 100 if end == ROWS else 0
        user = account.actor.user_id if of == account.id else None
        values = {
            "account": of, "project": project, "user": user, "from": begin, "to": end, "unsealed": unsealed,
        }  # fmt: skip
        connection.execute(LOAD, values)
        connection.execute(SEAL, values)

    def others(connection):
        connection.execute(OTHERS, (OTHERS_NUMBERS[0], OTHERS_NUMBERS[-1]))
        for other in OTHERS_NUMBERS:
            load(connection, 0, FIRST_ROWS, other)

    lone.fill(ROWS, load, others, "audit_log", "audit_seals", "audit_unsealed")
    return account, project


@pytest.fixture
def pages(lone, stored):
    """A page and the one behind it by cursor, with the plans by which they are read."""
    account, project = stored

    def read(query):
        numbers = {"project": project, "user": account.actor.user_id}
        asked = [(name, value.format(**numbers)) for name, value in query.items()]

        def page(*cursor):
            request = list_request([*asked, *cursor], AUDIT_LOG)
            return explained(lone.server, lambda tx: select_audit_log(tx, account.actor, request))

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
