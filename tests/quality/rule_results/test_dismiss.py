"""POST of the dismissal of one rule result."""

from tests.given.approvals import WHY, audited, dismiss, pending
from tests.given.rule_evaluation import correct, work


def test_a_dismissed_result_proposes_nothing_more(api, account, project, proposing, propose):
    _, result = propose()

    answer = dismiss(api, project, result).expect(200).body

    assert (answer["status"], answer["approval_state"]) == ("dismissed", "withdrawn")
    assert (answer["dismissed_by"], answer["dismissal_reason"]) == ("administrator", WHY)
    assert dismiss(api, project, result, "Something else").expect(200).body == answer
    [(target, before, after)] = audited(account, "rule_result.dismiss")
    assert (target, before["status"], after["status"]) == (result, "fail", "dismissed")
    assert pending(api, proposing) == 0


def test_a_result_that_passes_is_not_dismissed(api, account, project, propose):
    event, result = propose()
    correct(api, project, event, 10)
    work(account)

    error = dismiss(api, project, result).expect(422).error

    assert error["code"] == "pass"
    assert error["message"] == f"The rule result is {result!r}, which passes; there is nothing to dismiss."
