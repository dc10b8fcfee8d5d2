"""What happens to the results of a rule when its records are evaluated again. Design, Rules."""

from tests.given.rule_evaluation import correct, results, rule, runs, statuses, work

HEAVY = "{{mass}} > 20"


def dismiss(api, project, *found):
    body = {"result_ids": [one["id"] for one in found], "reason": "The scale was being serviced"}
    api.post(f"/projects/{project['id']}/rule_results/bulk_dismiss", body).expect(200)


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
