"""A page of rule results reads about as many rows as it shows, whatever the database knows of them."""

import pytest
from tests.given import alerts
from tests.given import collection as given
from tests.given.lone import copied
from tests.given.plans import READ_MAX, explained, rows_read

from weighbridge.core import identity
from weighbridge.db.lists.listing import list_request
from weighbridge.errors import Invalid
from weighbridge.quality.rule_results_queries import (
    PROJECT_RULE_RESULTS,
    RULE_RESULTS,
    list_project_rule_results,
    list_rule_results,
)

LOAD = """
    INSERT INTO data_point_results (project_id, rule_id, rule_version, event_id, position, evaluated_at,
                                    created_at, status, closed_at, approval_state, proposed_correction)
    SELECT %(project)s, %(rule)s, 1, %(event)s, n / 100 + 1, moment, moment,
           CASE n %% 100 WHEN 0 THEN 'fail' ELSE 'pass' END, CASE n %% 100 WHEN 0 THEN NULL ELSE moment END,
           CASE n %% 50 WHEN 1 THEN 'withdrawn' END, CASE n %% 50 WHEN 1 THEN '{}'::jsonb END
      FROM (SELECT n, '2025-01-01Z'::timestamptz + n * interval '1 minute' AS moment
              FROM generate_series(%(from)s, %(to)s - 1) AS n) AS made
"""
EARLY = "2025-01-01T20:00:00Z"
QUERIES = (
    {},
    {"sort": "id"},
    {"sort": "evaluated_at"},
    {"sort": "-created_at"},
    {"status": "fail"},
    {"status": "pass", "sort": "id"},
    {"status": "fail", "sort": "created_at"},
    {"filter[approval_state]": "withdrawn"},
    {"filter[rule_version]": "1"},
    {"filter[created_at][geq]": EARLY, "sort": "created_at"},
    {"filter[created_at][leq]": EARLY},
    {"filter[evaluated_at][leq]": EARLY},
    {"filter[evaluated_at][geq]": EARLY, "sort": "-evaluated_at"},
)


@pytest.fixture(scope="module")
def rules(lone):
    """The first of three rules of a project that found much; the last was removed."""
    api = lone.server.account().caller()
    project = given.measuring(api, given.number("mass"))
    event = identity.parse("event", given.event(api, project, values={"mass": 50})["id"])
    made = [identity.parse("rule", alerts.rule(api, project)["id"]) for _ in range(3)]

    def load(connection, begin, end):
        for rule in made:
            values = {"project": rule.project, "rule": rule.key, "event": event.key}
            connection.execute(LOAD, {**values, "from": begin, "to": end})

    tables = ("data_point_results", "model_run_results", "rules")
    lone.fill(12_000, load, copied(event.project, *tables), *tables)
    api.delete(f"/rules/{identity.make('rule', made[2])}").expect(204)
    return made[0]


@pytest.fixture
def page(lone, rules):
    def read(is_of_rule, *query):
        if is_of_rule:
            request = list_request(query, RULE_RESULTS)
            return explained(lone.server, lambda tx: list_rule_results(tx, rules.project, rules.key, request))
        request = list_request(query, PROJECT_RULE_RESULTS)
        return explained(lone.server, lambda tx: list_project_rule_results(tx, rules.project, request))

    return read


def check(page, query, most, *, is_of_rule=True):
    plans, first = page(is_of_rule, *query.items())
    more, second = page(is_of_rule, *query.items(), ("cursor", first.info.next_cursor))

    assert (len(first.data), len(second.data)) == (20, 20)
    assert not {one.id for one in first.data} & {one.id for one in second.data}
    assert max(map(rows_read, [*plans, *more])) < most


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_page_of_the_results_of_a_rule_reads_what_it_shows(page, query):
    check(page, query, 2 * READ_MAX)


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_a_page_of_the_results_of_a_project_reads_what_it_shows_of_each_rule(page, query):
    check(page, query, 4 * READ_MAX, is_of_rule=False)


@pytest.mark.parametrize("query", [{}, {"status": "fail"}], ids=str)
def test_of_the_results_of_a_project_only_those_of_a_rule_that_is_named_are_read(page, rules, query):
    named = {**query, "filter[rule_id]": identity.make("rule", rules)}

    check(page, named, 2 * READ_MAX, is_of_rule=False)


@pytest.mark.parametrize("is_of_rule", [True, False])
def test_many_results_are_put_in_no_order_by_status(page, is_of_rule):
    with pytest.raises(Invalid, match=r"at most 10,000 records"):
        page(is_of_rule, ("sort", "status"))
