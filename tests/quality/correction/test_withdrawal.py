"""What a rule says no more is taken back, and what a person took back stays so. Design, Rules."""

from decimal import Decimal

from tests.given.rule_evaluation import (
    calibration,
    change,
    correct,
    counts,
    evaluate,
    held,
    results,
    revert,
    runs,
    states,
    work,
)


def test_an_event_that_leaves_the_time_of_the_rule_is_adjusted_no_more(api, account, project, deliver):
    made = calibration(api, project, effective_to="2025-02-01T00:00:00Z")
    heavy = deliver(50)
    work(account)
    times = {"start_time": "2025-03-01T00:00:00Z", "end_time": "2025-03-01T00:00:00Z"}

    api.patch(f"/projects/{project['id']}/events/{heavy['id']}", {"event": times}).expect(200)
    work(account)

    assert held(api, project, heavy) == (50, 50)
    assert runs(api, made)[-1]["withdrawn"] == 1


def test_shortening_the_time_of_a_rule_withdraws_what_it_corrected_outside_and_keeps_its_alerts(
    api, account, project, deliver
):
    made = calibration(api, project)
    early, late = deliver(50, day=1), deliver(60, day=20)
    work(account)

    change(api, made, effective_to="2025-01-10T00:00:00Z")
    work(account)

    assert held(api, project, early) == (51, 50)
    assert held(api, project, late) == (60, 60)
    assert len(results(api, made, status="fail")) == 2


def test_lengthening_it_again_corrects_again(api, account, project, deliver):
    made = calibration(api, project)
    late = deliver(60, day=20)
    work(account)
    change(api, made, effective_to="2025-01-10T00:00:00Z")
    work(account)

    change(api, made, effective_to=None)
    work(account)

    assert held(api, project, late) == (Decimal("61.2"), 60)


def test_another_version_replaces_what_the_one_before_said(api, account, project, deliver):
    made = calibration(api, project)
    light, heavy = deliver(30), deliver(50)
    work(account)

    saved = change(
        api, made, expression="{{mass}} > 40",
        correction={"method": "expression", "expression": "{{mass}} * 1.03"},
    )  # fmt: skip
    work(account)

    assert held(api, project, light) == (30, 30)
    assert held(api, project, heavy) == (Decimal("51.5"), 50)
    run = api.get(f"/rule_runs/{saved['rule_run_id']}").body
    assert counts(run) == {"alerts": 1, "corrections": 1, "withdrawn": 2, "proposals": 0}


def test_another_priority_is_the_priority_of_what_stands(api, account, project, deliver):
    heavy = deliver(50)
    calibration(api, project, name="other", becomes="{{mass}} + 7", priority=50)
    made = calibration(api, project, name="this", priority=10)
    work(account)
    assert held(api, project, heavy) == (51, 50)

    change(api, made, priority=90)
    work(account)

    assert held(api, project, heavy) == (57, 50)


def test_a_rule_that_only_alerts_from_now_on_withdraws_what_it_corrected(api, account, project, deliver):
    made = calibration(api, project)
    heavy = deliver(50)
    work(account)

    change(api, made, purpose="alert", correction=None)
    work(account)

    assert held(api, project, heavy) == (50, 50)
    assert states(api, project, heavy) == [(51, "reverted")]


def test_removing_a_rule_leaves_what_it_corrected(api, account, project, deliver):
    made = calibration(api, project)
    heavy = deliver(50)
    work(account)

    api.delete(f"/rules/{made['id']}").expect(204)
    work(account)

    assert held(api, project, heavy) == (51, 50)


def test_what_was_undone_stays_undone_until_the_rule_has_another_version(api, account, project, deliver):
    made = calibration(api, project)
    heavy = deliver(50)
    work(account)

    undone = api.post(f"/rules/{made['id']}/undo_corrections", {}).expect(200).body
    work(account)
    evaluate(api, account, made)

    assert undone == {"corrections": 1, "changed_values": 1}
    assert held(api, project, heavy) == (50, 50)

    change(api, made, correction={"method": "expression", "expression": "{{mass}} * 1.03"})
    work(account)

    assert held(api, project, heavy) == (Decimal("51.5"), 50)


def test_a_value_that_was_reverted_stays_captured_until_the_rule_has_another_version(
    api, account, project, deliver
):
    made = calibration(api, project)
    adjusted, by_hand = deliver(50), deliver(60)
    work(account)
    correct(api, project, by_hand, 70)
    work(account)

    revert(api, project, adjusted)
    revert(api, project, by_hand)
    work(account)
    evaluate(api, account, made)

    assert held(api, project, adjusted) == (50, 50)
    assert held(api, project, by_hand) == (60, 60)

    change(api, made, priority=7)
    work(account)

    assert held(api, project, adjusted) == (51, 50)


def test_new_data_are_adjusted_although_older_corrections_were_undone(api, account, project, deliver):
    made = calibration(api, project)
    deliver(50)
    work(account)
    api.post(f"/rules/{made['id']}/undo_corrections", {}).expect(200)

    later = deliver(60, day=2)
    work(account)

    assert held(api, project, later) == (Decimal("61.2"), 60)
