"""Results of an older version of a rule are closed once a newer one has evaluated their record."""

from tests.given.rule_evaluation import change, results, rule, work


def said(api, made):
    fields = ("rule_version", "status", "superseded_by_version")
    return [tuple(one[name] for name in fields) for one in results(api, made)]


def test_a_result_passes_when_a_newer_version_has_evaluated_its_record(api, account, project, deliver):
    deliver(50)
    made = rule(api, project, "{{mass}} > 20")
    work(account)
    assert said(api, made) == [(1, "fail", None)]

    change(api, made, expression="{{mass}} > 30")
    assert said(api, made) == [(1, "fail", None)]
    work(account)

    assert said(api, made) == [(1, "pass", 2), (2, "fail", None)]


def test_a_dismissed_result_stays_dismissed_and_says_what_superseded_it(api, account, project, deliver):
    deliver(50)
    made = rule(api, project, "{{mass}} > 20")
    work(account)
    [result] = results(api, made)
    path = f"/projects/{project['id']}/rule_results/{result['id']}/dismiss"
    api.post(path, {"reason": "Weighed twice."}).expect(200)

    change(api, made, expression="{{mass}} > 60")
    work(account)

    assert said(api, made) == [(1, "dismissed", 2)]


def test_a_record_that_the_newer_version_does_not_evaluate_keeps_its_result(api, account, project, deliver):
    deliver(50)
    made = rule(api, project, "{{mass}} > 20")
    work(account)

    change(api, made, expression="{{mass}} > 30", effective_from="2025-06-01T00:00:00Z")
    work(account)

    assert said(api, made) == [(1, "fail", None)]
