"""POST /reports/{report_id}/accept (`accept_report`) with `amount` or `batches`: a part is accepted."""

from decimal import Decimal

import pytest
from tests.given import bundles, reports
from tests.given.reports import submitted

from weighbridge.verification.books import check_books


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def accept(claims, report, **said):
    return claims.plant.api.post(f"/reports/{report['id']}/accept", said)


def breaches(server, claims):
    async def run():
        async with server.database.read() as tx:
            return await check_books(tx, claims.plant.project["numeric_id"])

    return {words: found for words, found in server.run(run()).items() if found}


def test_an_amount_is_shared_over_the_batches_and_the_rest_is_released(claims, server):
    report = submitted(claims, claims.report(4, 2))
    assert (report["accepted_amount"], report["inclusions"][0]["accepted_amount"]) == (None, None)

    done = accept(claims, report, amount=1, reason="Without the losses").expect(200).body

    assert (done["amount"], done["accepted_amount"], done["allocation"]["amount"]) == (6, 1, 1)
    shares = [one["accepted_amount"] for one in done["inclusions"]]
    assert shares == [Decimal("0.666667"), Decimal("0.333333")]
    assert [move["amount"] for move in done["history"]] == [None, None, 1]
    assert done["history"][-1]["reason"] == "Without the losses"
    assert claims.balances() == [5 - shares[0], 3 - shares[1]]
    assert breaches(server, claims) == {}


def test_a_receiver_may_say_of_which_batches(claims, server):
    report = submitted(claims, claims.report(4, 2))
    named = [{"batch_id": claims.batch(1), "amount": Decimal("1.5")}]

    done = accept(claims, report, batches=named, reason="January is not proved").expect(200).body

    assert done["accepted_amount"] == Decimal("1.5")
    assert [one["accepted_amount"] for one in done["inclusions"]] == [0, Decimal("1.5")]
    assert claims.balances() == [5, Decimal("1.5")]
    assert breaches(server, claims) == {}


def test_what_is_accepted_as_a_whole_needs_no_reason(claims):
    done = accept(claims, submitted(claims, claims.report(4, 2)), amount=6).expect(200).body

    assert done["accepted_amount"] == done["amount"] == 6
    assert claims.balances() == [1, 1]


@pytest.mark.parametrize(
    ("said", "field", "code"),
    [
        ({"amount": 7}, "amount", "invalid"),
        ({"amount": 0}, "amount", "invalid"),
        ({"amount": Decimal("0.0000001")}, "amount", "invalid"),
        ({"amount": 3, "reason": " "}, "reason", "required"),
        ({"amount": 5, "batches": []}, "batches", "conflict"),
        ({"batches": []}, "batches", "required"),
        ({"batches": [(0, 5)]}, "batches[0].amount", "invalid"),
        ({"batches": [(0, 1), (0, 1)]}, "batches", "twice"),
        ({"batches": [(1, 1)]}, "batches[0].batch_id", "unknown"),
    ],
)
def test_what_cannot_be_accepted_is_refused_and_nothing_changes(claims, said, field, code):
    report = submitted(claims, claims.report(4))
    if said.get("batches"):
        said = said | {
            "batches": [{"batch_id": claims.batch(n), "amount": amount} for n, amount in said["batches"]]
        }

    answer = accept(claims, report, **{"reason": "Less", **said}).expect(422)

    assert (answer.error["field"], answer.error["code"]) == (field, code)
    assert (claims.read(report)["status"], claims.balances()) == ("submitted", [1, 3])


def test_a_restatement_is_compared_with_what_was_accepted_and_gives_that_back(claims, account, server):
    report = submitted(claims, claims.report(4))
    accept(claims, report, amount=3, reason="Less").expect(200)

    again = claims.report(supersedes=report["id"])
    assert [one["amount"] for one in again["inclusions"]] == [3], "it begins with what was accepted"
    amounts = [{"batch_id": claims.batch(), "amount": 5}]
    again = claims.plant.api.patch(f"/reports/{again['id']}", {"report": {"batches": amounts}}).body
    assert again["summary_of_changes"]["change"] == 2
    submitted(claims, again)
    assert claims.balances() == [0, 3]

    accept(claims, again, amount=1, reason="Still less").expect(200)

    assert claims.balances() == [4, 3]
    assert bundles.bundle(account, again).faults() == []
    assert breaches(server, claims) == {}


def test_of_two_decisions_that_come_at_once_one_counts(claims, server):
    report = submitted(claims, claims.report(4))
    parts = iter((1, 2))

    answers = server.together(lambda: accept(claims, report, amount=next(parts), reason="Less"), 2)

    assert sorted(answer.status for answer in answers) == [200, 409]
    [done] = [answer.body for answer in answers if answer.status == 200]
    assert claims.balances() == [5 - done["accepted_amount"], 3]
    assert breaches(server, claims) == {}
