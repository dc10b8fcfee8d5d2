"""A generation reads the events of its own project, however many others have in the same table."""

import pytest
from tests.given import accounting
from tests.given.plans import explained, nodes, rows_read

from weighbridge.accounting.planning.proposal import Request, propose
from weighbridge.accounting.records.model_runs import NewGeneration
from weighbridge.core.time.calendar import Instant

OWN = 4_000
OF_ANOTHER = 6_000
YEAR = ("2025-01-01 00:00:00+00", "2026-01-01 00:00:00+00")

_EACH_TWO_HOURS = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
    SELECT e.project_id, %(last)s + n, e.event_type_id, moment, moment, e.numbers, true
      FROM events e
     CROSS JOIN LATERAL (SELECT n, '2025-01-02Z'::timestamptz + n * interval '2 hours' AS moment
                           FROM generate_series(1, %(count)s) AS n) AS made
     WHERE e.project_id = %(project)s
"""


def measured(lone, account, count):
    """A plant with so many deliveries of two tonnes."""
    plant = accounting.plant(account.caller(), account.drain)
    _, first = accounting.key_of("event", plant.deliver(2))
    values = {"project": plant.project["numeric_id"], "last": first, "count": count - 1}
    with lone.server.transaction() as connection:
        connection.execute(_EACH_TWO_HOURS, values)
    return plant


@pytest.fixture(scope="module")
def proposed(lone):
    """What a year's generation would post, and the plans of the sums that it read."""
    account = lone.server.account()
    lone.server.sql("ALTER TABLE events SET (autovacuum_enabled = false)")
    measured(lone, account, OF_ANOTHER)
    if lone.known == "what was before":
        lone.server.sql("ANALYZE")
    plant = measured(lone, account, OWN)
    if lone.known == "everything":
        lone.server.sql("ANALYZE")
    start, end = map(Instant.read, YEAR)
    request = Request(account.actor, plant.ledger["id"], NewGeneration(start_time=start, end_time=end))
    return explained(lone.server, lambda tx: propose(tx, request))


def test_it_reads_no_events_of_others(proposed):
    plans, proposal = proposed

    assert sum(one.total for one in proposal.differences) == 2 * OWN
    assert 1 <= len(plans) == sum("Aggregate" in str(plan) for plan in plans)
    assert all(node["Node Type"] != "Seq Scan" for plan in plans for node in nodes(plan))
    assert max(map(rows_read, plans)) < 5 * OWN


def test_events_are_summed_as_they_are_read_and_not_sorted_before(proposed):
    plans, _ = proposed

    assert not [node for plan in plans for node in nodes(plan) if "Sort" in node["Node Type"]]
