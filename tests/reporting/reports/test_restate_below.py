"""POST /reports (`create_report`) with `supersedes`, without batches and with a liability: what was accepted
is restated to nothing, or below.
"""

from decimal import Decimal

import pytest
from tests.given import reports
from tests.given.reports import accepted, rejected, submitted, withdrawn

from weighbridge.verification.books import check_books

REASON = "More was emitted than removed"


@pytest.fixture
def claims(api, drain):
    """A registry's case: 4,608 t of a month, all of which were claimed."""
    return reports.claims(api, drain, 4608)


def restate(claims, earlier, liability=None, **fields):
    owed = {} if liability is None else {"liability": liability, "liability_reason": REASON}
    return claims.ask(**{"supersedes": earlier["id"], "batches": [], **owed, **fields})


def ledger(claims, **query):
    return claims.plant.api.get(f"/ledgers/{claims.plant.ledger['id']}", query).expect(200).body


def breaches(server, claims):
    async def run():
        async with server.database.read() as tx:
            return await check_books(tx, claims.plant.project["numeric_id"])

    return {words: found for words, found in server.run(run()).items() if found}


def test_a_claim_that_is_restated_below_zero_is_given_back_and_owed(claims, server):
    first = accepted(claims, claims.report(4608))
    draft = restate(claims, first, 8789).expect(201).body
    assert (draft["amount"], draft["liability"], draft["liability_reason"]) == (-8789, 8789, REASON)
    assert draft["ledger_id"] == first["ledger_id"]
    changes = draft["summary_of_changes"]
    assert (changes["change"], changes["liability_change"]) == (-13397, 8789)
    submitted(claims, draft)
    assert (claims.balances(), ledger(claims)["open_liability"]) == ([0], 0), "the earlier one is still valid"

    second = claims.plant.api.post(f"/reports/{draft['id']}/accept", {}).expect(200).body

    assert (second["accepted_amount"], second["history"][-1]["amount"]) == (-8789, -8789)
    assert second["effective_at"] == first["effective_at"]
    assert claims.balances() == [4608]
    read = ledger(claims)
    assert (read["balance"], read["deficit"], read["open_liability"]) == (4608, 0, 8789)
    assert breaches(server, claims) == {}

    third = accepted(claims, restate(claims, second, 1000).expect(201).body)

    assert (third["amount"], third["summary_of_changes"]["change"]) == (-1000, 7789)
    assert (claims.balances(), ledger(claims)["open_liability"]) == ([4608], 1000)
    assert breaches(server, claims) == {}


def test_what_was_owed_is_read_as_it_was_known_at_a_row_of_the_log(claims, sql):
    first = accepted(claims, claims.report(4608))
    second = accepted(claims, restate(claims, first, 8789).expect(201).body)
    [(now,)] = sql("SELECT clock_timestamp()")
    then = claims.plant.api.get("/ledgers", {"as_of": now.isoformat()}).expect(200).headers["as-of-number"]

    withdrawn(claims, second)

    assert ledger(claims)["open_liability"] == 0
    assert ledger(claims, as_of=then)["open_liability"] == 8789


def test_a_claim_that_is_restated_to_nothing_holds_nothing(claims, server):
    first = accepted(claims, claims.report(4608))

    second = accepted(claims, restate(claims, first).expect(201).body)

    assert (second["amount"], second["accepted_amount"], second["inclusions"]) == (0, 0, [])
    assert (second["start_time"], second["allocation"]["amount"]) == (None, 0)
    assert claims.balances() == [4608]
    assert breaches(server, claims) == {}


def test_a_restatement_may_take_something_and_owe_something(claims, server):
    first = accepted(claims, claims.report(4608))
    taken = [{"batch_id": claims.batch(), "amount": 8}]

    second = accepted(claims, restate(claims, first, Decimal("10.5"), batches=taken).expect(201).body)

    assert (second["amount"], claims.balances()) == (Decimal("-2.5"), [4600])
    assert ledger(claims)["open_liability"] == Decimal("10.5")
    assert breaches(server, claims) == {}


def test_a_withdrawn_claim_may_still_be_restated_below(claims, server):
    first = withdrawn(claims, accepted(claims, claims.report(4608)))

    second = accepted(claims, restate(claims, first, 3).expect(201).body)

    assert second["effective_at"] == first["effective_at"]
    assert (claims.balances(), ledger(claims)["open_liability"]) == ([4608], 3)
    assert breaches(server, claims) == {}


def test_only_what_was_once_accepted_is_restated_to_nothing_or_owed(claims):
    never = rejected(claims, claims.report(4608))

    answer = restate(claims, never, 1).expect(422)
    assert (answer.error["field"], answer.error["code"]) == ("liability", "invalid")
    draft = restate(claims, never).expect(201).body
    refused = claims.plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(422)
    assert [error["code"] for error in refused.errors] == ["requirements", "no_batches"]
    answer = claims.ask(batches=[], liability=1, liability_reason=REASON).expect(422)
    assert answer.error["field"] == "liability"


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"liability": 0, "liability_reason": REASON}, "liability"),
        ({"liability": -1, "liability_reason": REASON}, "liability"),
        ({"liability": Decimal("0.0000001"), "liability_reason": REASON}, "liability"),
        ({"liability": 1}, "liability_reason"),
        ({"liability_reason": REASON}, "liability_reason"),
    ],
)
def test_a_liability_is_an_amount_with_a_reason(claims, said, field):
    first = accepted(claims, claims.report(4608))

    answer = claims.ask(supersedes=first["id"], batches=[], **said).expect(422)

    assert answer.error["field"] == field


def test_a_draft_changes_what_it_owes_and_what_was_sent_stays(claims):
    first = accepted(claims, claims.report(4608))
    draft = restate(claims, first, 5).expect(201).body
    path, owed = f"/reports/{draft['id']}", {"liability": 7, "liability_reason": "Counted again"}

    assert claims.plant.api.patch(path, {"report": owed}).expect(200).body["amount"] == -7
    nothing = {"liability": None, "liability_reason": None}
    assert claims.plant.api.patch(path, {"report": nothing}).expect(200).body["amount"] == 0
    submitted(claims, draft)
    claims.plant.api.patch(path, {"report": owed}).expect(409)


def test_a_claim_with_a_liability_is_accepted_as_a_whole(claims):
    first = accepted(claims, claims.report(4608))
    second = submitted(claims, restate(claims, first, 5).expect(201).body)
    path = f"/reports/{second['id']}/accept"

    for part in ({"amount": 1}, {"amount": -4}, {"batches": [{"batch_id": claims.batch(), "amount": 1}]}):
        claims.plant.api.post(path, part | {"reason": "Less"}).expect(422)

    assert claims.plant.api.post(path, {"amount": -5}).expect(200).body["accepted_amount"] == -5
