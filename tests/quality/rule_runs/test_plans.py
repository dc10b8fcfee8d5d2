"""A page of the runs of a rule reads about as many rows as it shows, whatever the database knows of them."""

import pytest
from tests.given import alerts
from tests.given import collection as given
from tests.given.lone import copied
from tests.given.plans import READ_MAX, explained, rows_read

from weighbridge.core import identity
from weighbridge.db.lists.listing import list_request
from weighbridge.quality.rule_runs import RULE_RUNS, select_rule_runs

LOAD = """
    INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, state, started_at, finished_at,
                           error_message)
    SELECT %(project)s, %(rule)s, 1, CASE n %% 100 WHEN 0 THEN 'backfill' ELSE 'automatic' END,
           CASE n %% 100 WHEN 1 THEN 'failed' ELSE 'complete' END, now(), now(),
           CASE n %% 100 WHEN 1 THEN 'No data.' END
      FROM generate_series(%(from)s, %(to)s - 1) AS n
"""


@pytest.fixture(scope="module")
def rule(lone):
    """A rule with many runs."""
    api = lone.server.account().caller()
    project = given.measuring(api, given.number("mass"))
    made = identity.parse("rule", alerts.rule(api, project)["id"])

    def load(connection, begin, end):
        values = {"project": made.project, "rule": made.key, "from": begin, "to": end}
        connection.execute(LOAD, values)

    lone.fill(12_000, load, copied(made.project, "rule_runs", "rules"), "rule_runs", "rules")
    return made


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"sort": "id"},
        {"filter[state]": "failed"},
        {"filter[state]": "complete", "sort": "id"},
        {"filter[kind]": "backfill"},
    ],
    ids=str,
)
def test_a_page_of_the_runs_of_a_rule_reads_what_it_shows(lone, rule, query):
    request = list_request([*query.items()], RULE_RUNS)

    plans, page = explained(lone.server, lambda tx: select_rule_runs(tx, rule.project, rule.key, request))

    assert len(page.data) == 20
    assert max(map(rows_read, plans)) < READ_MAX
