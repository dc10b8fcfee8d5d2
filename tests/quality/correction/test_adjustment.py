"""Rules that adjust: the captured value stays, another stands beside it while the rule says so."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal

from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.rule_evaluation import (
    calibration,
    change,
    correct,
    corrections,
    counts,
    evaluate,
    held,
    results,
    rule,
    runs,
    states,
    statuses,
    work,
)

from weighbridge.collection.measurements.corrections import PORTION
from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.quality.evaluation.incremental import evaluate_changes

MANY = PORTION + 1
"""Values that are corrected in two portions."""


def test_what_was_captured_before_the_rule_is_adjusted_and_kept_beside(api, account, project, deliver):
    light, heavy = deliver(10), deliver(50)

    made = calibration(api, project, message="The scale reads 2 % low.")
    work(account)

    assert held(api, project, light) == (10, 10)
    assert held(api, project, heavy) == (Decimal("51.00"), 50)
    [correction] = corrections(api, project, heavy)
    assert (correction["source"], correction["state"]) == ("adjustment", "in_force")
    assert (correction["from_value"], correction["to_value"]) == (50, Decimal("51.00"))
    assert (correction["rule_id"], correction["rule_version"]) == (made["id"], 1)
    assert correction["rule_run_id"] == made["rule_run_id"]
    assert correction["reason"] == "The scale reads 2 % low."


def test_what_comes_after_the_rule_is_adjusted_within_seconds(api, account, project, deliver):
    made = calibration(api, project)
    work(account)

    heavy = deliver(50)
    work(account)

    assert held(api, project, heavy) == (51, 50)
    [_, run] = runs(api, made)
    assert (run["kind"], counts(run)) == (
        "automatic", {"alerts": 1, "corrections": 1, "withdrawn": 0, "proposals": 0},
    )  # fmt: skip
    assert corrections(api, project, heavy)[0]["rule_run_id"] == run["id"]


def test_a_rule_on_demand_adjusts_when_it_is_asked(api, account, project, deliver):
    made = calibration(api, project, evaluation="on_demand")
    heavy = deliver(50)
    work(account)
    assert held(api, project, heavy) == (50, 50)

    run = evaluate(api, account, made)

    assert held(api, project, heavy) == (51, 50)
    assert counts(run) == {"alerts": 1, "corrections": 1, "withdrawn": 0, "proposals": 0}


def test_an_adjusted_value_has_its_alert_all_the_same(api, account, project, deliver):
    made = calibration(api, project)
    deliver(50)
    work(account)

    assert statuses(api, made) == [("fail", "50")]


def test_evaluating_again_changes_nothing_and_never_compounds(api, account, project, deliver, sql):
    made = calibration(api, project)
    heavy = deliver(50)
    work(account)
    before = results(api, made), corrections(api, project, heavy)

    run = evaluate(api, account, made)
    work(account)

    assert counts(run) == {"alerts": 1, "corrections": 0, "withdrawn": 0, "proposals": 0}
    assert (results(api, made), corrections(api, project, heavy)) == before
    assert held(api, project, heavy) == (51, 50)
    assert sql("SELECT count(*) FROM rule_dirty_ranges WHERE project_id = %s", project["numeric_id"]) == [
        (0,)
    ]


def test_a_condition_that_the_adjusted_value_does_not_meet_does_not_take_it_back(
    api, account, project, deliver
):
    made = calibration(api, project, becomes="{{mass}} / 1000")
    heavy = deliver(50)

    for _ in range(3):
        work(account)
        evaluate(api, account, made)

    assert held(api, project, heavy) == (Decimal("0.05"), 50)
    assert states(api, project, heavy) == [(Decimal("0.05"), "in_force")]
    assert statuses(api, made) == [("fail", "50")]


def test_two_rules_that_adjust_each_compute_from_what_was_captured(api, account, project, deliver):
    heavy = deliver(50)
    calibration(api, project, name="second", becomes="{{mass}} + 1", priority=20)
    calibration(api, project, name="first", becomes="{{mass}} * 2", priority=10)
    for _ in range(3):
        work(account)

    assert held(api, project, heavy) == (100, 50)
    assert sorted(states(api, project, heavy)) == [(51, "superseded"), (100, "in_force")]


def test_other_data_of_the_event_and_its_tags_may_be_read(api, account, project, deliver):
    becomes = "if(tracking_id = 'T', {{mass}} - {{ash}}, {{mass}})"
    calibration(api, project, becomes=becomes)
    tagged, other = deliver(50, ash=3, tracking_id="T"), deliver(60, ash=3, tracking_id="U")
    work(account)

    assert held(api, project, tagged) == (47, 50)
    assert held(api, project, other) == (60, 60)
    assert corrections(api, project, other) == []


def test_an_adjustment_may_look_at_the_window_of_the_rule(api, account, project, deliver):
    window = {"kind": "rolling", "members": 2}
    calibration(api, project, "{{mass}} > (2 * avg({{mass}}))", "avg({{mass}})", window=window)
    events = [deliver(mass, day) for day, mass in enumerate([10, 20, 100, 50], start=1)]
    work(account)

    assert [held(api, project, event)[0] for event in events] == [10, 20, 15, 50]


def test_texts_and_booleans_are_adjusted_too(api, account):
    project = given.measuring(api, given.text("site"), given.boolean("is-wet"))
    calibration(api, project, "{{site}} = 'B'", "'A'", name="site")
    calibration(api, project, "{{is-wet}} = false", "true", name="wet")
    event = given.event(api, project, values={"site": "B", "is-wet": False})
    work(account)

    assert held(api, project, event) == ("A", "B")
    assert corrections(api, project, event, 1)[0]["to_value"] is True


def test_an_adjustment_has_every_digit_that_numbers_have(api, account, project, deliver):
    heavy = deliver(Decimal("21.00000000000000000000000000000001"))
    calibration(api, project, becomes="{{mass}} * 3 - 42")
    work(account)

    assert held(api, project, heavy)[0] == Decimal("21.00000000000000000000000000000003")


def test_an_adjusted_value_is_what_other_rules_look_at(api, account, project, deliver):
    alerting = rule(api, project, "{{mass}} > 50", name="alert")
    heavy = deliver(50)
    work(account)
    assert statuses(api, alerting) == []

    made = calibration(api, project, name="calibration")
    work(account)
    work(account)
    assert statuses(api, alerting) == [("fail", "51")]

    api.post(f"/rules/{made['id']}/undo_corrections", {}).expect(200)
    work(account)
    assert held(api, project, heavy) == (50, 50)
    assert statuses(api, alerting) == [("pass", "51")]


def test_a_value_that_a_person_corrected_is_left_to_the_person(api, account, project, deliver):
    made = calibration(api, project)
    heavy = deliver(50)
    work(account)

    correct(api, project, heavy, 40)
    work(account)

    assert held(api, project, heavy) == (40, 50)
    assert states(api, project, heavy) == [(51, "reverted"), (40, "in_force")]
    assert statuses(api, made) == [("fail", "40")]


def test_a_correction_that_makes_the_value_right_resolves_the_alert(api, account, project, deliver):
    made = calibration(api, project)
    heavy = deliver(50)
    work(account)

    correct(api, project, heavy, 20)
    work(account)

    assert statuses(api, made) == [("pass", "50")]
    taken_back = corrections(api, project, heavy)[0]
    assert (taken_back["state"], taken_back["reverted_by"]) == ("reverted", None)
    assert taken_back["reverted_by_rule_run_id"] == runs(api, made)[-1]["id"]
    assert runs(api, made)[-1]["withdrawn"] == 1


def test_what_a_person_corrected_beside_the_value_counts(api, account, project, deliver):
    calibration(api, project, becomes="{{mass}} - {{ash}}")
    heavy = deliver(50, ash=3)
    work(account)

    correct(api, project, heavy, 5, place=1)
    work(account)

    assert held(api, project, heavy) == (45, 50)
    assert states(api, project, heavy) == [(47, "reverted"), (45, "in_force")]


def test_a_value_that_comes_late_replaces_what_its_windows_adjusted(api, account, project, deliver):
    window = {"kind": "calendar", "unit": "month", "extent": "whole_period"}
    calibration(api, project, "{{mass}} > 20", "sum({{mass}})", window=window)
    heavy = deliver(50)
    work(account)
    assert held(api, project, heavy) == (50, 50)

    deliver(5, day=9)
    work(account)

    assert held(api, project, heavy) == (55, 50)


def test_a_correction_without_a_result_is_an_error_that_says_so(api, account, project, deliver):
    made = calibration(api, project, becomes="{{mass}} / {{ash}}")
    zero, missing, fine = deliver(50, ash=0), deliver(60), deliver(70, ash=2)
    work(account)

    assert [held(api, project, event)[0] for event in (zero, missing, fine)] == [50, 60, 35]
    said = {one["entered_value"]: (one["status"], one["error_message"]) for one in results(api, made)}
    assert said["50"][0] == "error"
    assert said["50"][1].startswith("The correction has no result. At column ")
    assert said["60"] == ("error", "The correction has no result. A value that it reads is missing.")
    assert said["70"] == ("fail", None)


def test_a_value_that_is_missing_is_not_corrected(api, account, project, deliver):
    made = calibration(api, project, "{{mass}} > 20", "{{mass}}", data_point="ash")
    event = deliver(50)
    work(account)

    assert [(one["status"], one["entered_value"]) for one in results(api, made)] == [("fail", None)]
    assert api.get(f"/projects/{project['id']}/events/{event['id']}/corrections").data == []


def test_a_batch_that_used_the_value_becomes_stale_and_is_adjusted(api, account, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    plant.generate()

    calibration(api, plant.project)
    work(account)

    [batch] = plant.batches()
    assert batch["is_stale"] is True
    assert [one["reason"] for one in batch["stale_reasons"]] == ["data_point_corrected"]
    plant.generate()
    assert sum(one["primary_output"]["value"] for one in plant.batches()) == 51


def test_what_a_rule_corrects_by_itself_is_in_the_audit_log_in_the_name_of_who_saved_it(
    api, account, project, deliver, sql
):
    made = calibration(api, project)
    work(account)
    heavy = deliver(50)
    work(account)

    [(target, after, user)] = sql(
        "SELECT object, after, user_id FROM audit_log WHERE account_id = %s AND action = 'rule.correct'",
        account.id,
    )
    run = runs(api, made)[-1]
    assert target == made["id"]
    assert after == {
        "rule_run_id": run["id"], "evaluated": 1, "alerts": 1, "corrections": 1, "withdrawn": 0,
        "proposals": 0,
    }  # fmt: skip
    assert user == account.actor.user_id
    assert corrections(api, project, heavy)[0]["corrected_by"]


def test_a_rule_that_changes_while_its_evaluation_waits_is_evaluated_as_it_is_by_then(
    api, account, server, project, deliver
):
    made = calibration(api, project)
    work(account)
    heavy = deliver(50)
    lock = locks.rule(project["numeric_id"], identity.number("rule", made["id"]))

    with ThreadPoolExecutor() as elsewhere:
        with server.transaction() as other:
            other.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (lock,))
            evaluating = elsewhere.submit(server.run, evaluate_changes(server.database))
            server.await_blocked()
            change(api, made, correction={"method": "expression", "expression": "{{mass}} * 1.03"})
        evaluating.result()

    assert states(api, project, heavy) == []
    work(account)
    assert states(api, project, heavy) == [(Decimal("51.5"), "in_force")]


def test_thousands_of_values_are_adjusted_in_portions(api, account, project, sql):
    begin = Instant.fromisoformat("2025-01-01T00:00:00+00:00")
    bodies = [
        given.event_body(start_time=Instant.of(begin + timedelta(minutes=n)).text, values={"mass": 21})
        for n in range(MANY)
    ]
    given.events(api, project, bodies)
    made = calibration(api, project, becomes="{{mass}} + 1")
    work(account)

    run = api.get(f"/rule_runs/{made['rule_run_id']}").body
    total = "SELECT sum(corrected_numbers[1]), sum(numbers[1]) FROM events WHERE project_id = %s"
    assert counts(run) == {"alerts": MANY, "corrections": MANY, "withdrawn": 0, "proposals": 0}
    assert sql(total, project["numeric_id"]) == [(22 * MANY, 21 * MANY)]
    undone = api.post(f"/rules/{made['id']}/undo_corrections", {}).expect(200).body
    assert undone == {"corrections": MANY, "changed_values": MANY}
    assert sql(total, project["numeric_id"]) == [(None, 21 * MANY)]
