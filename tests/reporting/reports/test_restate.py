"""Reports that restate others: a chain of which the last counts, and only differences are posted.

The figures are those of public cases (bcgov/tfrs, issues 2516, 2895, 2562, 2508 and 2628).
"""

from decimal import Decimal

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.given import reports
from tests.given.on_purpose import broken_on_purpose
from tests.given.recorded import differing
from tests.given.reports import accepted, rejected, submitted

from weighbridge.db.embedded.cluster import SUPERUSER
from weighbridge.verification.books import check_books


def reported(claims, sql):
    """What all reports of a project have posted."""
    [(amount,)] = sql(
        """
        SELECT coalesce(- sum(amount), 0) FROM ledger_entries
         WHERE project_id = %s AND kind IN ('report', 'restate')
        """,
        claims.plant.project["numeric_id"],
    )
    return amount


def posted_by(report, sql):
    """What one report has posted, entry by entry."""
    return sql(
        """
        SELECT kind, amount FROM ledger_entries
         WHERE report_id = %s AND kind IN ('report', 'restate') ORDER BY id
        """,
        report["numeric_id"],
    )


def test_an_accepted_report_that_is_restated_posts_the_difference_only(api, drain, sql):
    """Case 2516: 4,305 assessed, 29,305 in all; restated to 3,874, the change is -431 and not 3,874 more."""
    claims = reports.claims(api, drain, 40000)
    accepted(claims, claims.report(25000))
    original = accepted(claims, claims.report(4305))
    assert reported(claims, sql) == 29305

    restated = accepted(claims, claims.report(3874, supersedes=original["id"]))

    assert posted_by(restated, sql) == [("restate", Decimal(431))]
    assert reported(claims, sql) == 28874
    assert claims.balances() == [40000 - 28874]
    assert claims.read(original)["status"] == "superseded"
    assert (restated["allocation"]["amount"], claims.read(original)["allocation"]) == (3874, None)


def test_a_report_that_was_only_submitted_is_replaced_with_its_reserve(api, drain, sql):
    """Case 2895: 322,972 submitted and never accepted, restated to 316,157: the reserve falls to that, and
    nothing is paid out.
    """
    claims = reports.claims(api, drain, 400000)
    original = submitted(claims, claims.report(322972))
    assert claims.balances() == [77028]

    restated = submitted(claims, claims.report(316157, supersedes=original["id"]))

    assert claims.balances() == [400000 - 316157]
    assert reported(claims, sql) == 0
    assert claims.read(original)["status"] == "superseded"
    [allocation] = claims.plant.batches()[0]["report_allocations"]
    assert (allocation["report"]["id"], allocation["amount"]) == (restated["id"], 316157)


def test_what_a_restatement_takes_more_is_reserved_when_it_is_submitted(api, drain, sql):
    """Case 2562: what is taken beyond the accepted report may not be spent elsewhere meanwhile."""
    claims = reports.claims(api, drain, 10)
    original = accepted(claims, claims.report(4))

    restated = submitted(claims, claims.report(7, supersedes=original["id"]))

    assert claims.balances() == [3]
    assert (reported(claims, sql), claims.read(original)["status"]) == (4, "complete")
    other = claims.ask(batches=[{"batch_id": claims.batch(), "amount": 4}]).expect(422)
    assert "not_remaining" in {error["code"] for error in other.errors}
    api.post(f"/reports/{restated['id']}/accept", {}).expect(200)
    assert posted_by(restated, sql) == [("report", Decimal(-3))]
    assert (claims.balances(), reported(claims, sql)) == ([3], 7)


def test_what_a_restatement_takes_less_stays_held_until_it_is_accepted(api, drain, sql):
    claims = reports.claims(api, drain, 10)
    original = accepted(claims, claims.report(7))

    restated = submitted(claims, claims.report(4, supersedes=original["id"]))

    assert (claims.balances(), reported(claims, sql)) == ([3], 7)
    api.post(f"/reports/{restated['id']}/accept", {}).expect(200)
    assert (claims.balances(), reported(claims, sql)) == ([6], 4)


@pytest.mark.parametrize(
    ("available", "net", "short"),
    [(45000, 80912, 35912), (1, 1615, 1614)],
    ids=["case 2508", "case 2628"],
)
def test_more_than_is_available_is_refused_whole_and_nothing_changes(api, drain, available, net, short):
    """Case 2508: net 80,912 of which 45,000 are available: 35,912 are open. Case 2628: of 1,615 nothing is to
    be had, and nothing is changed by asking.
    """
    claims = reports.claims(api, drain, available)
    if net == 1615:
        accepted(claims, claims.report(1))
        available, short = 0, 1615

    errors = claims.ask(batches=[{"batch_id": claims.batch(), "amount": net}]).expect(422).errors

    assert f"{available} remains, and the report takes {net}, which is {short} more" in errors[0]["message"]
    assert claims.balances() == [available]
    if available:
        accepted(claims, claims.report(available))
        assert claims.balances() == [0]


def test_a_restatement_without_batches_begins_with_what_it_restates(api, drain):
    claims = reports.claims(api, drain, 5, 3)
    original = accepted(claims, claims.report(4, 1))

    draft = claims.ask(supersedes=original["id"]).expect(201).body

    undecided = [inclusion | {"accepted_amount": None} for inclusion in original["inclusions"]]
    assert draft["inclusions"] == undecided
    assert (draft["supersedes"], claims.read(original)["superseded_by"]) == (original["id"], draft["id"])


def test_what_its_chain_holds_is_there_for_a_restatement_to_take(api, drain):
    claims = reports.claims(api, drain, 5)
    original = accepted(claims, claims.report(5))

    draft = claims.ask(supersedes=original["id"], batch_ids=[claims.batch()]).expect(201).body

    assert draft["amount"] == 5
    accepted(claims, draft)
    assert claims.balances() == [0]


def test_a_chain_never_becomes_a_tree(api, drain):
    claims = reports.claims(api, drain, 5)
    original = accepted(claims, claims.report(5))
    draft = claims.ask(supersedes=original["id"]).expect(201).body

    answer = claims.ask(supersedes=original["id"]).expect(422)

    assert (answer.error["code"], answer.error["records"]) == ("restated", [draft["id"]])
    api.delete(f"/reports/{draft['id']}").expect(204)
    claims.ask(supersedes=original["id"]).expect(201)


def test_a_restatement_that_is_rejected_leaves_what_was_accepted(api, drain, sql):
    claims = reports.claims(api, drain, 10)
    original = accepted(claims, claims.report(4))

    refused = rejected(claims, claims.report(7, supersedes=original["id"]))

    assert (claims.balances(), reported(claims, sql)) == ([6], 4)
    assert claims.read(original)["status"] == "complete"
    again = accepted(claims, claims.report(5, supersedes=refused["id"]))
    assert (claims.balances(), reported(claims, sql)) == ([5], 5)
    assert claims.read(original)["status"] == "superseded"
    assert claims.read(refused)["status"] == "rejected"
    assert posted_by(again, sql) == [("report", Decimal(-1))]


def test_a_restatement_moves_amounts_between_batches_and_counts_no_earlier_than_before(api, drain):
    claims = reports.claims(api, drain, 5, 3)
    original = accepted(claims, claims.report(2, 3))

    restated = accepted(claims, claims.report(5, supersedes=original["id"]))

    assert claims.balances() == [0, 3]
    assert restated["effective_at"] == original["effective_at"] == "2025-03-01T00:00:00.000Z"


def breaches(server, claims):
    """What is broken of the books of the plant."""

    async def run():
        async with server.database.read() as tx:
            return await check_books(tx, claims.plant.project["numeric_id"])

    return {words: found for words, found in server.run(run()).items() if found}


def test_what_took_a_reports_place_is_in_the_log_and_in_its_chain(api, drain, server):
    claims = reports.claims(api, drain, 10)
    original = accepted(claims, claims.report(7))
    waiting = submitted(claims, claims.report(6, supersedes=original["id"]))
    last = accepted(claims, claims.report(5, supersedes=waiting["id"]))
    chain = [original, waiting, last]

    assert [claims.read(one)["status"] for one in chain] == ["superseded", "superseded", "complete"]
    assert differing(server, *(one["id"] for one in chain)) == []
    assert breaches(server, claims) == {}


def test_a_report_is_not_superseded_by_none(api, drain, server):
    claims = reports.claims(api, drain, 10)
    lone = submitted(claims, claims.report(7))
    broken_on_purpose(claims.plant.project["numeric_id"])

    with psycopg.connect(make_conninfo(server.owner_url, user=SUPERUSER)) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE reports SET status = 'superseded' WHERE id = %s", [lone["numeric_id"]])

    words = "a report is superseded by a later one of its chain, when that went as far as it had"
    assert len(breaches(server, claims)[words]) == 1


def corrected(claims, value):
    """Give the first delivery another value, and generate again."""
    path = f"/projects/{claims.plant.project['id']}"
    event = claims.plant.api.get(f"{path}/events", {"sort": "start_time"}).data[0]
    point = event["data_points"][0]["id"]
    claims.plant.api.patch(f"{path}/data_points/{point}", {"data_point": {"value": value}}).expect(200)
    claims.plant.generate()


def test_a_fall_is_reported_by_restating_what_was_accepted_which_ends_the_deficit(api, drain, sql, server):
    claims = reports.claims(api, drain, 10)
    original = accepted(claims, claims.report(10))
    corrected(claims, 8)
    ledger = f"/ledgers/{claims.plant.ledger['id']}"
    assert (api.get(ledger).body["balance"], api.get(ledger).body["deficit"]) == (0, 2)
    again = claims.ask(supersedes=original["id"]).expect(201).body
    codes = {error["code"] for error in api.post(f"/reports/{again['id']}/submit", {}).expect(422).errors}
    assert codes == {"requirements", "not_remaining", "open_deficits"}

    change = {"batches": [{"batch_id": claims.batch(), "amount": 8}]}
    api.patch(f"/reports/{again['id']}", {"report": change}).expect(200)
    accepted(claims, again)

    assert (api.get(ledger).body["balance"], api.get(ledger).body["deficit"]) == (0, 0)
    assert reported(claims, sql) == 8
    assert breaches(server, claims) == {}
    corrected(claims, 9)
    assert (api.get(ledger).body["balance"], api.get(ledger).body["deficit"]) == (1, 0)
    assert breaches(server, claims) == {}


def test_what_settled_a_deficit_goes_with_the_batch_that_opened_it(api, drain, server):
    claims = reports.claims(api, drain, 10)
    original = accepted(claims, claims.report(10))
    corrected(claims, 8)
    accepted(claims, claims.report(8, supersedes=original["id"]))
    fallen = claims.plant.batches()[-1]
    assert fallen["adjusts"] == claims.batch()

    api.delete(f"/batches/{fallen['id']}").expect(202)
    drain()

    assert claims.balances() == [2]
    assert breaches(server, claims) == {}


def test_of_restatements_that_come_at_once_one_is_made(api, drain, server):
    claims = reports.claims(api, drain, 5)
    original = accepted(claims, claims.report(5))

    answers = server.together(lambda: claims.ask(supersedes=original["id"]), 4)

    assert sorted(answer.status for answer in answers) == [201, 422, 422, 422]


def test_what_reports_take_at_once_is_taken_once(api, drain, server):
    claims = reports.claims(api, drain, 5)
    drafts = iter([claims.report(3) for _ in range(4)])

    answers = server.together(lambda: api.post(f"/reports/{next(drafts)['id']}/submit", {}), 4)

    assert sorted(answer.status for answer in answers) == [202, 422, 422, 422]
    assert claims.balances() == [2]
