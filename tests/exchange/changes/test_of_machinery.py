"""The feed of changes tells of what no request wrote: generations, deletions, rules and roll-ups."""

import pytest
from tests.given import accounting, roll_ups
from tests.given import alerts as given_alerts
from tests.given import collection as given
from tests.given.accounting import QUARTER
from tests.given.gaps import filling, hours, report, stack
from tests.given.rule_evaluation import work

TABLES = (
    "events", "corrections", "batches", "stale_runs", "async_tasks", "data_point_results",
    "model_run_results", "reports", "report_batches",
)  # fmt: skip
"""Whatever a record of the feed shows of itself is in one of these."""


def latest(api):
    return api.get("/changes", {"after": "latest"}).expect(200).body["cursor"]


def told(api, cursor, kind):
    changes = api.get("/changes", {"after": cursor, "kind": kind, "page_size": "1000"}).expect(200).body
    assert not changes["has_more"]
    return [(change["action"], change["id"]) for change in changes["data"]]


@pytest.mark.parametrize("table", TABLES)
def test_no_statement_changes_a_table_of_records_unseen(sql, table):
    seen = sql(
        """
        SELECT bit_or(t.tgtype::integer) & 28
          FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
         WHERE t.tgrelid = %s::regclass AND p.proname LIKE 'tell%%' AND t.tgenabled = 'O'
        """,
        table,
    )
    refused = sql(
        """
        SELECT coalesce(bit_or(t.tgtype::integer), 0) & 28
          FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
         WHERE t.tgrelid = %s::regclass AND p.proname = 'refuse_change' AND t.tgqual IS NULL
        """,
        table,
    )
    insert, delete, update = 4, 8, 16
    never = {"batches": delete, "async_tasks": delete, "stale_runs": update}  # by no statement of the service
    assert seen[0][0] | refused[0][0] | never.get(table, 0) == insert | delete | update


def test_a_generation_and_a_deletion_tell_of_their_batches(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, "2025-01-02T00:00:00Z")
    cursor = latest(api)

    made = plant.generate(QUARTER)["batches"]

    assert told(api, cursor, "batch") == [("create", one) for one in made]
    cursor = latest(api)
    path = f"/ledgers/{plant.ledger['id']}/batch_deletions"
    api.post(path, {"batch_ids": made}).expect(202)
    drain()
    assert told(api, cursor, "batch") == [("delete", one) for one in made]


def test_a_later_generation_tells_of_batches_that_it_makes_and_that_it_changes(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(5, "2025-01-02T00:00:00Z")
    [first] = plant.generate(QUARTER)["batches"][:1]
    point = api.get(f"/projects/{plant.project['id']}/data_points").expect(200).data[0]["id"]
    cursor = latest(api)

    path = f"/projects/{plant.project['id']}/data_points/{point}"
    api.patch(path, {"data_point": {"value": 4}}).expect(200)
    stale = told(api, cursor, "batch")
    cursor = latest(api)
    [second] = plant.generate(QUARTER)["batches"]

    assert stale == [("update", first)]
    changes = told(api, cursor, "batch")
    assert ("create", second) in changes
    assert ("update", first) in changes


def test_rules_tell_of_their_results_and_corrections(api, drain):
    plant = given.measuring(api, given.number("mass"))
    rule = given_alerts.calibration(api, plant)
    event = given.event(api, plant, values={"mass": 50})
    cursor = latest(api)

    given_alerts.finished_run(api, drain, rule)

    result = api.get(f"/rules/{rule['id']}/rule_results").data[0]["id"]
    assert told(api, cursor, "rule_result") == [("create", result)]
    assert told(api, cursor, "correction") == [("create", event["data_points"][0]["id"])]
    assert told(api, cursor, "event") == [("update", event["id"])]
    assert [action for action, _ in told(api, cursor, "async_task")] == ["create", "start", "complete"]


def test_an_imputed_event_is_told_and_so_is_that_it_was_withdrawn(api, account):
    project = stack(api)
    filling(api, project, {"method": "mean_before_after"}, purpose="impute")
    report(api, project, "10 - 14")
    cursor = latest(api)
    work(account)
    imputed = hours(api, project)[2]["event"]["id"]

    assert told(api, cursor, "event") == [("create", imputed)]
    cursor = latest(api)
    [captured] = report(api, project, "13", first=2).values()
    assert sorted(told(api, cursor, "event")) == sorted([("create", captured), ("void", imputed)])


def test_rolled_up_events_are_told(api, account):
    project = given.project(api)
    roll_ups.minutes(api, project)
    kind = roll_ups.hours(api, project)
    roll_ups.read(api, project, roll_ups.minutes_of(0, [1, 2, 3]))
    cursor = latest(api)
    roll_ups.roll_up(account)
    [hour] = roll_ups.events_of(api, project, kind)

    assert told(api, cursor, "event") == [("create", hour["id"])]
    roll_ups.read(api, project, {"00:30": 9})
    cursor = latest(api)
    roll_ups.roll_up(account)
    assert told(api, cursor, "event") == [("update", hour["id"])]
