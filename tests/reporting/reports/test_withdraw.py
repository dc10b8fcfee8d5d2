"""POST /reports/{report_id}/withdraw (`withdraw_report`), and what is recorded of it (`record_move`)."""

import pytest
from tests.given import accounting, bundles, reports
from tests.given.reports import accepted, submitted, withdrawn

from weighbridge.verification.books import check_books


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def entries(claims, sql):
    """What reports posted, in order."""
    return sql(
        """
        SELECT kind, amount, effective_at::date::text FROM ledger_entries
         WHERE project_id = %s AND report_id IS NOT NULL ORDER BY id
        """,
        claims.plant.project["numeric_id"],
    )


def remaining(claims, moment):
    ledger = f"/ledgers/{claims.plant.ledger['id']}"
    return claims.plant.api.get(ledger, {"effective_at": moment}).expect(200).body["balance"]


def breaches(server, claims):
    async def run():
        async with server.database.read() as tx:
            return await check_books(tx, claims.plant.project["numeric_id"])

    return {words: found for words, found in server.run(run()).items() if found}


def restatement(claims, earlier, *amounts):
    return claims.report(*amounts, supersedes=earlier["id"])


def test_what_was_only_submitted_releases_its_reservation(claims, sql):
    report = submitted(claims, claims.report(4))

    done = withdrawn(claims, report)

    assert (done["status"], done["allocation"]) == ("withdrawn", None)
    last = done["history"][-1]
    assert (last["status"], last["reason"]) == ("withdrawn", "It is claimed under another programme.")
    assert claims.balances() == [5, 3]
    assert [entry[:2] for entry in entries(claims, sql)] == [("reserve", -4), ("release", 4)]


def test_what_was_accepted_is_given_back_at_the_moment_it_was_posted_for(claims, sql, server):
    report = accepted(claims, claims.report(4, 1))

    body = {"reason": "Claimed under another programme", "reference": "CAN-3"}
    done = claims.plant.api.post(f"/reports/{report['id']}/withdraw", body).expect(200).body

    assert (done["status"], done["history"][-1]["reference"]) == ("withdrawn", "CAN-3")
    assert done["amount"] == 5, "what it stated stays"
    assert entries(claims, sql)[-2:] == [("restate", 4, "2025-03-01"), ("restate", 1, "2025-03-01")]
    assert claims.balances() == [5, 3]
    assert remaining(claims, "2025-02-28T00:00:00Z") == 5
    assert remaining(claims, "2025-03-01T00:00:00Z") == 8
    assert breaches(server, claims) == {}


def test_a_withdrawal_ends_the_deficit_that_the_report_kept_open(claims, server):
    api, home = claims.plant.api, f"/projects/{claims.plant.project['id']}"
    report = accepted(claims, claims.report(5))
    [event] = [one for one in api.get(f"{home}/events").data if one["start_time"].startswith("2025-01-02")]
    change = {"data_point": {"value": 4, "reason": "weighed again"}}
    api.patch(f"{home}/data_points/{event['data_points'][0]['id']}", change).expect(200)
    claims.plant.generate(accounting.QUARTER)
    ledger = f"/ledgers/{claims.plant.ledger['id']}"
    at = {"effective_at": "2025-02-01T00:00:00Z"}
    assert api.get(ledger, at).body["deficit"] == 1

    withdrawn(claims, report)

    read = api.get(ledger, at).body
    assert (read["balance"], read["deficit"]) == (4, 0)
    assert breaches(server, claims) == {}


def test_a_restatement_that_is_withdrawn_while_it_waits_leaves_what_was_accepted(claims, server):
    report = accepted(claims, claims.report(4))
    again = submitted(claims, restatement(claims, report, 5, 1))

    withdrawn(claims, again)

    assert claims.read(report)["status"] == "complete"
    assert claims.balances() == [1, 3]
    assert breaches(server, claims) == {}


def test_while_a_restatement_is_under_way_the_accepted_report_is_not_withdrawn(claims):
    report = accepted(claims, claims.report(4))
    again = submitted(claims, restatement(claims, report, 5))

    answer = claims.plant.api.post(f"/reports/{report['id']}/withdraw", {"reason": "No"}).expect(409)

    assert (answer.error["code"], answer.error["records"]) == ("restatement_under_way", [again["id"]])
    assert again["id"] in answer.error["message"]
    assert (claims.read(report)["status"], claims.balances()) == ("complete", [0, 3])


def test_a_draft_of_a_restatement_keeps_nobody_from_withdrawing_and_then_claims_anew(claims, server):
    report = accepted(claims, claims.report(4))
    again = restatement(claims, report, 2, 1)

    withdrawn(claims, report)

    assert claims.balances() == [5, 3]
    assert accepted(claims, again)["status"] == "complete"
    assert claims.balances() == [3, 2]
    assert claims.read(report)["status"] == "withdrawn"
    assert breaches(server, claims) == {}


def test_an_accepted_restatement_is_withdrawn_with_all_that_its_chain_has_posted(claims, server):
    first = accepted(claims, claims.report(4))
    second = accepted(claims, restatement(claims, first, 3, 2))

    withdrawn(claims, second)

    assert claims.balances() == [5, 3]
    assert [claims.read(one)["status"] for one in (first, second)] == ["superseded", "withdrawn"]
    assert breaches(server, claims) == {}


def test_a_withdrawn_report_is_restated_as_a_new_claim_of_its_chain(claims, account, server):
    first = withdrawn(claims, accepted(claims, claims.report(4)))

    second = accepted(claims, restatement(claims, first, 5))

    assert (second["supersedes"], second["summary_of_changes"]["change"]) == (first["id"], 1)
    assert claims.balances() == [0, 3]
    assert bundles.bundle(account, second).faults() == []
    assert breaches(server, claims) == {}


def test_what_failed_on_its_way_is_withdrawn_whether_it_was_received_or_not(claims):
    draft, api = claims.report(5), claims.plant.api
    task = api.post(f"/reports/{draft['id']}/submit", {}).expect(202).body["async_task_id"]
    api.post(f"/async_tasks/{task}/cancel", {}).expect(200)

    withdrawn(claims, draft)

    assert claims.balances() == [5, 3]


def test_a_report_is_withdrawn_once_and_with_a_reason(claims):
    api, draft = claims.plant.api, claims.report(1)
    report = accepted(claims, claims.report(1))
    path = f"/reports/{report['id']}/withdraw"

    answer = api.post(path, {"reason": " "}).expect(422)
    assert (answer.error["field"], answer.error["code"]) == ("reason", "required")
    api.post(path, {}).expect(400)
    assert (
        api.post(f"/reports/{draft['id']}/withdraw", {"reason": "No"}).expect(409).error["code"]
        == "report_state"
    )

    key = {"Idempotency-Key": "withdraw-once"}
    content = b'{"reason": "Claimed elsewhere"}'
    answers = [api.send("POST", path, content=content, headers=key).expect(200).body for _ in range(2)]

    assert answers[0] == answers[1]
    assert api.post(path, {"reason": "Claimed elsewhere"}).expect(409).error["code"] == "report_state"
    assert claims.balances() == [5, 3]


def test_of_a_withdrawal_and_a_restatement_that_come_at_once_one_goes_first(claims, server):
    """Whichever is first, the books are those of one order; neither loses what the other did."""
    report = accepted(claims, claims.report(4))
    again = restatement(claims, report, 2, 1)
    asked = iter([(again, "submit", {}), (report, "withdraw", {"reason": "Claimed elsewhere"})])

    def ask():
        one, verb, body = next(asked)
        return verb, claims.plant.api.post(f"/reports/{one['id']}/{verb}", body).status

    answers = dict(server.together(ask, 2))

    assert answers["submit"] == 202
    assert answers["withdraw"] in {200, 409}
    assert claims.balances() == ([3, 2] if answers["withdraw"] == 200 else [1, 2])
    assert breaches(server, claims) == {}
