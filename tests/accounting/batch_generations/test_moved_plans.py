"""Which runs hold events that were moved is looked up once, whatever the database knows of its tables."""

import pytest
from psycopg.sql import SQL
from tests.given import accounting
from tests.given.plans import Explained, rows_read

from weighbridge.accounting.planning.proposal import Request, propose
from weighbridge.accounting.records.model_runs import NewGeneration
from weighbridge.core.time.calendar import Instant

DAYS = 300
YEAR = ("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")

_EACH_DAY = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
    SELECT e.project_id, e.id + n, e.event_type_id, moment, moment, e.numbers, true
      FROM events e
     CROSS JOIN LATERAL (SELECT n, e.start_time + n * interval '1 day' AS moment
                           FROM generate_series(1, %(more)s) AS n) AS made
     WHERE e.project_id = %(project)s
"""
_MOVED = """
    INSERT INTO corrections (project_id, event_id, position, field, source, state, from_value, to_value,
                             user_id)
    SELECT project_id, id, 0, 'start_time', 'manual', 'in_force', '"a"', '"b"', (SELECT min(id) FROM users)
      FROM events WHERE project_id = %(project)s
"""


class ExplainedRows(Explained):
    """Reads, and keeps the plans of what is read as records as well."""

    async def rows(self, make, statement, values=()):
        composed = SQL(statement) if isinstance(statement, str) else statement
        [(plan,)] = await self.tuples(SQL("EXPLAIN (ANALYZE, FORMAT JSON) {}").format(composed), values)
        self.plans.append(plan[0]["Plan"])
        return await super().rows(make, statement, values)


@pytest.fixture(scope="module")
def plant(lone):
    """A plant with a batch for each of many days, whose events were all moved within their days."""
    for table in ("events", "corrections", "runs", "batches", "batch_inputs"):
        lone.server.sql(f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
    account = lone.server.account()
    made = accounting.plant(account.caller(), account.drain, cadence="daily")
    made.deliver(2, "2025-01-02T00:00:00Z")
    if lone.known == "what was before":
        made.generate(accounting.QUARTER)
        lone.server.sql("ANALYZE")
    values = {"project": made.project["numeric_id"], "more": DAYS - 1}
    with lone.server.transaction() as connection:
        connection.execute(_EACH_DAY, values)
    made.generate(YEAR)
    with lone.server.transaction() as connection:
        connection.execute(_MOVED, values)
    if lone.known == "everything":
        lone.server.sql("ANALYZE")
    return account, made


def test_runs_of_moved_events_are_found_in_one_look(lone, plant):
    account, made = plant
    start, end = map(Instant.read, YEAR)
    request = Request(account.actor, made.ledger["id"], NewGeneration(start_time=start, end_time=end))

    async def propose_all():
        async with lone.server.database.read() as tx:
            reads = ExplainedRows(await tx.ready(), tx.memory)
            reads.plans = []
            await propose(reads, request)
            return reads.plans

    plans = lone.server.run(propose_all())

    assert max(map(rows_read, plans)) < 50 * DAYS
