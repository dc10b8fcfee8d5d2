"""POST /reports/{report_id}/accept (`accept_report`) and /reject (`reject_report`)."""

import pytest
from tests.given import reports
from tests.given.reports import accepted, rejected, submitted


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def entries(claims, sql):
    """What reports posted, in order."""
    return sql(
        """
        SELECT kind, amount FROM ledger_entries WHERE project_id = %s AND report_id IS NOT NULL ORDER BY id
        """,
        claims.plant.project["numeric_id"],
    )


def test_an_accepted_report_is_complete_and_posts_what_it_takes(claims, sql):
    report = submitted(claims, claims.report(4))

    said = {"reason": "Issued", "reference": "ISS-7"}
    complete = claims.plant.api.post(f"/reports/{report['id']}/accept", said).expect(200).body

    assert (complete["status"], complete["allocation"]["amount"]) == ("complete", 4)
    last = complete["history"][-1]
    assert (last["status"], last["reason"], last["reference"]) == ("complete", "Issued", "ISS-7")
    assert claims.balances() == [1, 3]
    assert entries(claims, sql) == [("reserve", -4), ("release", 4), ("report", -4)]


def test_a_rejected_report_gives_back_what_it_held(claims, sql):
    report = rejected(claims, claims.report(4))

    assert (report["status"], report["allocation"]) == ("rejected", None)
    assert report["history"][-1]["reason"] == "The certificate of the scale is missing."
    assert claims.balances() == [5, 3]
    assert entries(claims, sql) == [("reserve", -4), ("release", 4)]
    assert claims.plant.batches()[0]["report_allocations"] == []


def test_only_what_was_submitted_is_decided_and_only_once(claims):
    api = claims.plant.api
    draft = claims.report(1)
    complete, refused = accepted(claims, claims.report(1)), rejected(claims, claims.report(1))

    for report in (draft, complete, refused):
        for decision, body in (("accept", {}), ("reject", {"reason": "No"})):
            answer = api.post(f"/reports/{report['id']}/{decision}", body).expect(409)
            assert answer.error["code"] == "report_state"
    assert claims.balances() == [4, 3]


def test_a_rejection_says_why(claims):
    report = submitted(claims, claims.report(1))

    answer = claims.plant.api.post(f"/reports/{report['id']}/reject", {"reason": " "}).expect(422)

    assert (answer.error["field"], answer.error["code"]) == ("reason", "required")


def test_what_certainly_was_not_received_is_rejected_after_a_failure(claims):
    draft = claims.report(5)
    task = claims.plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(202).body["async_task_id"]
    claims.plant.api.post(f"/async_tasks/{task}/cancel", {}).expect(200)

    claims.plant.api.post(f"/reports/{draft['id']}/reject", {"reason": "Never sent"}).expect(200)

    assert claims.balances() == [5, 3]
