"""What a write leaves behind for automatic rules, and who waits for whom. Design, Rules."""

from concurrent.futures import ThreadPoolExecutor

from tests.given.rule_evaluation import results, rule, runs, statuses, work

HEAVY = "{{mass}} > 20"


def test_a_write_is_not_held_up_by_rules(api, project, deliver):
    made = rule(api, project, HEAVY)

    assert deliver(30)["has_rule_alerts"] is False
    assert results(api, made) == []


def test_what_rules_have_looked_at_is_looked_at_once(api, account, project, deliver, sql):
    made = rule(api, project, HEAVY)
    work(account)
    deliver(30)
    work(account)
    work(account)

    assert [one["kind"] for one in runs(api, made)] == ["backfill", "automatic"]
    assert sql("SELECT FROM rule_dirty_ranges WHERE project_id = %s", project["numeric_id"]) == []


def test_a_project_without_automatic_rules_marks_nothing(api, project, deliver, sql):
    rule(api, project, HEAVY, evaluation="on_demand")

    deliver(30)

    assert sql("SELECT FROM rule_dirty_ranges WHERE project_id = %s", project["numeric_id"]) == []


def test_a_writer_that_could_not_see_the_rule_is_waited_for(api, account, server, project, deliver):
    deliver(10)
    number = project["numeric_id"]

    with ThreadPoolExecutor() as elsewhere:
        with server.transaction() as slower:
            slower.execute("SELECT pg_advisory_xact_lock_shared(rule_marks_lock(%s))", (number,))
            slower.execute(
                """
                WITH made AS MATERIALIZED (
                    SELECT project_id, 0, event_type_id, start_time, end_time, ARRAY[30], true
                      FROM events WHERE project_id = %s)
                INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
                SELECT * FROM made
                """,
                (number,),
            )
            made = rule(api, project, HEAVY)
            evaluating = elsewhere.submit(account.drain)
            server.await_blocked()
        evaluating.result()

    assert statuses(api, made) == [("fail", "30")]
