"""What rules find in events and model runs, at once and whenever data change. Design, Rules."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.rule_evaluation import results, rule, runs, statuses, work

from weighbridge.core.identity import ids

HEAVY = "{{mass}} > 20"


@pytest.fixture
def project(api):
    return given.measuring(api, given.number("mass"), given.number("ash", required=False), given.text("site"))


@pytest.fixture
def deliver(api, project):
    """Stores a delivery of so much on a day of January 2025."""

    def make(mass, day=1, **fields):
        values = {"mass": mass} | {name: fields.pop(name) for name in ("ash", "site") if name in fields}
        return given.event(api, project, start_time=f"2025-01-{day:02}T00:00:00Z", values=values, **fields)

    return make


def correct(api, project, event, value):
    path = f"/projects/{project['id']}/data_points/{event['data_points'][0]['id']}"
    api.patch(path, {"data_point": {"value": value, "reason": "Read again"}}).expect(200)


def dismiss(api, project, *found):
    body = {"result_ids": [one["id"] for one in found], "reason": "The scale was being serviced"}
    api.post(f"/projects/{project['id']}/rule_results/bulk_dismiss", body).expect(200)


def days(api, project, found):
    """On which days of January the events of results start."""
    events = [api.get(f"/projects/{project['id']}/events/{one['event_id']}").body for one in found]
    return [int(event["start_time"][8:10]) for event in events]


def test_a_rule_looks_at_what_was_there_before_it(api, account, project, deliver):
    deliver(10)
    late = deliver(30)

    made = rule(api, project, HEAVY)
    work(account)

    [result] = results(api, made)
    assert made["backfill_enqueued"] is True
    assert (result["status"], result["entered_value"]) == ("fail", "30")
    assert result["data_point_id"] == late["data_points"][0]["id"]


def test_a_rule_looks_at_what_comes_after_it(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    work(account)

    deliver(10)
    deliver(30)
    work(account)

    assert statuses(api, made) == [("fail", "30")]


def test_a_write_is_not_held_up_by_rules(api, project, deliver):
    made = rule(api, project, HEAVY)

    assert deliver(30)["has_rule_alerts"] is False
    assert results(api, made) == []


def test_a_rule_on_demand_looks_at_nothing_by_itself(api, account, project, deliver):
    made = rule(api, project, HEAVY, evaluation="on_demand")
    deliver(30)
    work(account)

    assert results(api, made) == []

    period = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
    api.post(f"/rules/{made['id']}/rule_runs", period).expect(202)
    work(account)

    assert statuses(api, made) == [("fail", "30")]


def test_a_failure_that_is_corrected_passes_and_a_later_one_is_another_result(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    event = deliver(30)
    work(account)

    correct(api, project, event, 3)
    work(account)

    assert statuses(api, made) == [("pass", "30")]

    correct(api, project, event, 31)
    work(account)

    assert statuses(api, made) == [("pass", "30"), ("fail", "31")]


def test_a_record_that_never_failed_has_no_result(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    event = deliver(10)
    work(account)
    correct(api, project, event, 11)
    work(account)

    assert results(api, made) == []
    assert [one["kind"] for one in runs(api, made)] == ["backfill"]


def test_a_failure_with_another_value_is_the_same_result(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    event = deliver(30)
    work(account)
    [first] = results(api, made)

    correct(api, project, event, 40)
    work(account)

    [second] = results(api, made)
    assert (second["id"], second["entered_value"]) == (first["id"], "40")


def test_a_dismissed_result_stays_while_its_value_does(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    event = deliver(30)
    work(account)
    dismiss(api, project, *results(api, made))

    deliver(31)
    work(account)

    assert statuses(api, made) == [("dismissed", "30"), ("fail", "31")]

    correct(api, project, event, 40)
    work(account)

    assert statuses(api, made) == [("dismissed", "30"), ("fail", "31"), ("fail", "40")]


def test_a_value_that_passed_after_its_dismissal_fails_anew(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    event = deliver(30)
    work(account)
    dismiss(api, project, *results(api, made))
    correct(api, project, event, 3)
    work(account)

    correct(api, project, event, 30)
    work(account)

    assert statuses(api, made) == [("dismissed", "30"), ("fail", "30")]


def test_an_expression_without_a_result_is_an_error_that_says_why(api, account, project, deliver):
    made = rule(api, project, "({{mass}} / {{ash}}) > 2")
    event = deliver(10, ash=0)
    deliver(10, ash=1)
    deliver(10)
    work(account)

    first, second = results(api, made)
    assert (first["status"], first["error_message"]) == ("error", "At column 11: The divisor is zero.")
    assert first["event_id"] == event["id"]
    assert (second["status"], second["error_message"]) == ("fail", None)


def test_an_event_that_is_voided_alerts_no_more(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    event = deliver(30)
    work(account)

    api.delete(f"/projects/{project['id']}/events/{event['id']}").expect(204)
    work(account)

    assert statuses(api, made) == [("pass", "30")]


def test_records_outside_the_effective_time_are_left_alone(api, account, project, deliver):
    made = rule(
        api, project, HEAVY, effective_from="2025-01-02T00:00:00Z", effective_to="2025-01-04T00:00:00Z"
    )
    for day in (1, 2, 3, 4):
        deliver(30, day)
    work(account)

    assert days(api, project, results(api, made)) == [2, 3]


def test_shortening_the_effective_time_keeps_past_alerts(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    deliver(30, 1)
    event = deliver(30, 5)
    work(account)

    api.patch(f"/rules/{made['id']}", {"rule": {"effective_to": "2025-01-03T00:00:00Z"}}).expect(200)
    correct(api, project, event, 3)
    work(account)

    assert statuses(api, made) == [("fail", "30"), ("fail", "30")]


def test_another_expression_is_evaluated_as_another_version(api, account, project, deliver):
    made = rule(api, project, HEAVY)
    deliver(30)
    deliver(50)
    work(account)

    api.patch(f"/rules/{made['id']}", {"rule": {"expression": "{{mass}} > 40"}}).expect(200)
    work(account)

    assert [(one["rule_version"], one["entered_value"]) for one in results(api, made)] == [
        (1, "30"), (1, "50"), (2, "50"),
    ]  # fmt: skip


def test_a_rule_without_an_event_type_watches_every_type_that_has_the_data(api, account, project):
    given.event_type(api, project, slug="bale", data_point_types=[given.text("note"), given.number("mass")])
    given.event_type(api, project, slug="lab", data_point_types=[given.number("carbon")])
    made = rule(api, project, HEAVY)

    for kind, slug in (("delivery", "mass"), ("bale", "mass"), ("lab", "carbon")):
        given.event(api, project, event_type=kind, values={slug: 30})
    work(account)

    assert statuses(api, made) == [("fail", "30"), ("fail", "30")]


def test_tags_and_texts_are_read(api, account, project, deliver):
    made = rule(api, project, "tracking_id is null or {{site}} starts with 'No' and {{mass}} in (1, 2)")
    deliver(1, site="North", tracking_id="A")
    deliver(1, site="South", tracking_id="B")
    deliver(3, site="South")
    work(account)

    assert statuses(api, made) == [("fail", "North"), ("fail", "South")]


WINDOWS = {
    "a rolling one by time": {"kind": "rolling", "duration": {"value": 2, "unit": "day"}},
    "a rolling one by members": {"kind": "rolling", "members": 2},
    "one by members with a condition": {"kind": "rolling", "members": 2, "where": "{{mass}} > 0"},
    "the month to date": {"kind": "calendar", "unit": "month"},
    "the whole month": {"kind": "calendar", "unit": "month", "extent": "whole_period"},
    "two weeks": {"kind": "calendar", "unit": "week", "value": 2},
}


@pytest.mark.parametrize("scope", ["event_type", "project", "location"])
@pytest.mark.parametrize("window", WINDOWS)
def test_what_comes_late_changes_what_its_windows_hold(api, account, deliver, window, scope):
    project = {"id": deliver(10, 3)["project_id"]}
    asked = {"window": WINDOWS[window], "window_member_scope": scope}
    watching = rule(api, project, "{{mass}} < (sum({{mass}}) / 3)", name="watching", **asked)
    for day in (4, 5, 6, 20):
        deliver(10, day)
    work(account)

    deliver(1000, 2)
    work(account)

    afresh = rule(api, project, "{{mass}} < (sum({{mass}}) / 3)", name="afresh", **asked)
    work(account)
    standing = [one for one in results(api, watching) if one["status"] == "fail"]
    assert standing
    assert {one["event_id"] for one in standing} == {one["event_id"] for one in results(api, afresh)}


def test_an_event_that_is_moved_is_looked_at_where_it_was_and_where_it_is(api, account, project, deliver):
    window = {"kind": "rolling", "duration": {"value": 1, "unit": "day"}}
    made = rule(api, project, "count() > 0", window=window, data_point="mass")
    moving = deliver(1, 1)
    deliver(2, 2)
    deliver(3, 11)
    work(account)
    assert days(api, project, results(api, made)) == [2]

    moved = {"event": {"start_time": "2025-01-10T00:00:00Z", "end_time": "2025-01-10T00:00:00Z"}}
    api.patch(f"/projects/{project['id']}/events/{moving['id']}", moved).expect(200)
    work(account)

    assert statuses(api, made) == [("pass", "2"), ("fail", "3")]


def test_what_followed_an_event_that_moved_away_is_looked_at_again(api, account, project, deliver):
    window = {"kind": "rolling", "members": 1}
    made = rule(api, project, "count_same({{mass}}) = 1", window=window)
    moving = deliver(5, 1)
    deliver(5, 3)
    deliver(7, 5)
    work(account)
    assert days(api, project, results(api, made)) == [3]

    moved = {"event": {"start_time": "2025-01-09T00:00:00Z", "end_time": "2025-01-09T00:00:00Z"}}
    api.patch(f"/projects/{project['id']}/events/{moving['id']}", moved).expect(200)
    work(account)

    assert statuses(api, made) == [("pass", "5")]


def test_a_model_run_is_evaluated_after_its_generation(api, account, drain):
    plant = given_accounting.plant(api, drain)
    made = rule(
        api, plant.project, "mass > 40 and feedstock is null",
        target="model_run", model_id=plant.model["id"],
    )  # fmt: skip
    plant.deliver(50)
    plant.generate()
    work(account)

    [result] = results(api, made)
    assert (result["status"], result["checked_value"]) == ("fail", "50")
    assert result["node_ids"] == ["mass"]


def test_evaluating_again_changes_nothing(api, account, project, deliver):
    made = rule(api, project, "{{mass}} > 20 or count() > 1", window={"kind": "rolling", "members": 3})
    for day in range(1, 6):
        deliver(10 * day, day)
    work(account)
    before = results(api, made)

    period = {"start_time": "2020-01-01T00:00:00Z", "end_time": "2030-01-01T00:00:00Z"}
    api.post(f"/rules/{made['id']}/rule_runs", period).expect(202)
    work(account)

    assert results(api, made) == before
    again = runs(api, made)[-1]
    assert (again["state"], again["evaluated"], again["alerts"]) == ("complete", 5, len(before))


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
                INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
                SELECT project_id, 0, event_type_id, start_time, end_time, ARRAY[30], true
                  FROM events WHERE project_id = %s
                """,
                (number,),
            )
            made = rule(api, project, HEAVY)
            evaluating = elsewhere.submit(account.drain)
            server.await_blocked()
        evaluating.result()

    assert statuses(api, made) == [("fail", "30")]


def test_a_run_fails_with_its_task(api, account, project, sql):
    made = rule(api, project, HEAVY)
    api.delete(f"/rules/{made['id']}").expect(204)
    work(account)

    [(state, message)] = sql("SELECT state, error_message FROM rule_runs WHERE id = %s", made["rule_run_id"])
    assert (state, message) == ("failed", "record not found")


def test_a_rule_that_fails_by_itself_says_so_and_holds_up_no_other(api, account, project, deliver, sql):
    broken, sound = rule(api, project, "{{mass}} > 15"), rule(api, project, HEAVY)
    work(account)
    sql(
        """
        CREATE FUNCTION pg_temp.refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'the disk is full'; END $$
        """
    )
    number = ids.parse("rule", broken["id"])
    sql(
        f"""
        CREATE TRIGGER broken BEFORE INSERT ON data_point_results FOR EACH ROW
        WHEN (NEW.project_id = {number.project} AND NEW.rule_id = {number.key})
        EXECUTE FUNCTION pg_temp.refuse()
        """
    )
    deliver(30)
    work(account)
    sql("DROP TRIGGER broken ON data_point_results")

    assert statuses(api, sound) == [("fail", "30")]
    failed = runs(api, broken)[-1]
    assert (failed["kind"], failed["state"]) == ("automatic", "failed")
    assert "the disk is full" in failed["error_message"]
