"""A restatement whose batches are of other slots: its period becomes later, earlier, longer or shorter.

It counts from the end of its last slot on, but no earlier than the report that it restates; what is given
back is given back from when that counted on.
"""

import pytest
from tests.given import reports
from tests.given.reports import accepted, rejected, submitted, withdrawn

from weighbridge.verification.books import check_books

PRODUCED = (5, 3, 4)
MOMENTS = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z")
"""The ends of January, February and March."""

CHANGES = {
    # Tonnes of January, February and March, before and after. What remains at the ends of the months, while
    # the restatement is under way, and once it is accepted. Last, the month from whose end on it counts.
    "later": ((5,), (0, 0, 4), (0, 3, 3), (5, 8, 8), 2),
    "earlier": ((0, 3), (5,), (5, 0, 4), (5, 3, 7), 1),
    "longer": ((5,), (5, 3), (0, 0, 4), (5, 0, 4), 1),
    "shorter": ((5, 3), (5,), (5, 0, 4), (5, 3, 7), 1),
    "longer at both ends": ((0, 3), (2, 3, 1), (5, 5, 6), (5, 8, 6), 2),
    "of another amount and later": ((4, 1), (1, 2, 3), (5, 3, 3), (5, 8, 6), 2),
}


@pytest.fixture
def claims(api, drain):
    return reports.claims(api, drain, *PRODUCED)


def remaining(claims):
    """What remains of the ledger at the ends of the months, which is short of nothing then."""
    path = f"/ledgers/{claims.plant.ledger['id']}"
    read = [claims.plant.api.get(path, {"effective_at": moment}).expect(200).body for moment in MOMENTS]
    assert [one["deficit"] for one in read] == [0, 0, 0]
    return tuple(one["balance"] for one in read)


def held(claims, sql):
    """What reports hold of each batch for each moment: nothing of it is below zero."""
    return sql(
        """
        SELECT batch_id, effective_at, - sum(amount) FROM ledger_entries
         WHERE project_id = %s AND report_id IS NOT NULL GROUP BY 1, 2 HAVING sum(amount) <> 0
        """,
        claims.plant.project["numeric_id"],
    )


def breaches(server, claims):
    async def run():
        async with server.database.read() as tx:
            return await check_books(tx, claims.plant.project["numeric_id"])

    return {words: found for words, found in server.run(run()).items() if found}


@pytest.mark.parametrize("change", CHANGES)
def test_what_remains_is_right_at_every_moment_of_a_change_of_period(claims, server, sql, change):
    before, after, under_way, accepted_then, month = CHANGES[change]
    first = accepted(claims, claims.report(*before))
    at_first = remaining(claims)

    second = submitted(claims, claims.report(*after, supersedes=first["id"]))

    assert second["effective_at"] == f"{MOMENTS[month][:-1]}.000Z"
    assert remaining(claims) == under_way
    assert breaches(server, claims) == {}
    claims.plant.api.post(f"/reports/{second['id']}/accept", {}).expect(200)
    assert remaining(claims) == accepted_then
    taken = [*after, 0, 0][:3]
    assert claims.balances() == [made - amount for made, amount in zip(PRODUCED, taken, strict=True)]
    assert [amount for *_, amount in sorted(held(claims, sql))] == [amount for amount in taken if amount]
    assert breaches(server, claims) == {}

    withdrawn(claims, second)
    assert remaining(claims) == (5, 8, 12)
    assert at_first != remaining(claims)
    assert breaches(server, claims) == {}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_period_that_is_rejected_leaves_every_moment_as_it_was(claims, server, change):
    before, after, *_ = CHANGES[change]
    first = accepted(claims, claims.report(*before))
    at_first, balances = remaining(claims), claims.balances()

    rejected(claims, claims.report(*after, supersedes=first["id"]))

    assert (remaining(claims), claims.balances()) == (at_first, balances)
    assert breaches(server, claims) == {}


def test_what_another_report_took_meanwhile_is_not_there_for_a_longer_period(claims):
    first = accepted(claims, claims.report(5))
    submitted(claims, claims.report(0, 3))

    answer = claims.ask(
        supersedes=first["id"],
        batches=[{"batch_id": claims.batch(number), "amount": amount} for number, amount in ((0, 5), (1, 1))],
    ).expect(422)

    assert {error["code"] for error in answer.errors} == {"not_remaining"}
