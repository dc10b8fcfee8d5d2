"""Accepted reports that become one: it holds what they held, and nothing is free or claimed meanwhile."""

from decimal import Decimal

import pytest
from tests.given import reports
from tests.given.draws import consumer_of
from tests.given.recorded import differing
from tests.given.reports import accepted, submitted, withdrawn

from weighbridge.verification.books import check_books


def merge(claims, report, *others, **fields):
    body = {
        "report_ids": [other["id"] for other in others],
        "name": "First quarter",
        "reason": "One claim for each quarter.",
    }
    return claims.plant.api.post(f"/reports/{report['id']}/merge", body | fields)


def breaches(server, claims):
    async def all_books():
        async with server.database.read() as tx:
            return await check_books(tx, claims.plant.project["numeric_id"])

    return {rule: found for rule, found in server.run(all_books()).items() if found}


def taken(report):
    return {inclusion["batch_id"]: inclusion["amount"] for inclusion in report["inclusions"]}


@pytest.fixture
def months(api, drain):
    """Claims of which January and February were reported and accepted."""
    claims = reports.claims(api, drain, 10, 8)
    january = accepted(claims, claims.report(6, name="January"))
    february = accepted(claims, claims.report(0, 8, name="February"))
    return claims, january, february


def test_a_merged_report_takes_all_that_was_accepted_and_is_complete(months, server):
    claims, january, february = months

    merged = merge(claims, january, february).expect(201).body

    assert (merged["status"], merged["amount"], merged["accepted_amount"]) == ("complete", 14, 14)
    assert taken(merged) == taken(january) | taken(february)
    assert merged["predecessors"] == [january["id"], february["id"]]
    assert merged["effective_at"] == february["effective_at"]
    before = [claims.read(one) for one in (january, february)]
    assert [(one["status"], one["successors"]) for one in before] == [("superseded", [merged["id"]])] * 2
    assert [one["history"][-1]["reason"] for one in (*before, merged)] == ["One claim for each quarter."] * 3
    assert claims.balances() == [4, 0]
    assert breaches(server, claims) == {}
    assert differing(server, january["id"], february["id"], merged["id"]) == []


def test_of_what_was_accepted_in_part_only_that_part_goes_on(api, drain, server):
    claims = reports.claims(api, drain, 10, 8)
    january = submitted(claims, claims.report(6))
    part = {"amount": 5, "reason": "A load was counted twice."}
    claims.plant.api.post(f"/reports/{january['id']}/accept", part).expect(200)
    other = accepted(claims, claims.report(3, 2))

    merged = merge(claims, january, other).expect(201).body

    assert ([*taken(merged).values()], claims.balances()) == ([8, 2], [2, 6])
    assert breaches(server, claims) == {}


def test_a_merged_report_is_restated_and_withdrawn_as_one(months, server):
    claims, january, february = months
    merged = merge(claims, january, february).expect(201).body

    restated = accepted(claims, claims.report(6, 7, supersedes=merged["id"]))

    assert (restated["summary_of_changes"]["change"], claims.balances()) == (-1, [4, 1])
    withdrawn(claims, restated)
    assert claims.balances() == [10, 8]
    assert breaches(server, claims) == {}


def test_what_was_merged_is_neither_restated_nor_withdrawn_nor_merged_again(months, server):
    claims, january, february = months
    merged = merge(claims, january, february).expect(201).body

    [problem] = claims.ask(supersedes=january["id"]).expect(422).errors
    assert problem["message"] == (
        f"supersedes: {merged['id']} took the place of report {january['id']}. Restate that."
    )
    body = {"reason": "It is claimed elsewhere."}
    claims.plant.api.post(f"/reports/{january['id']}/withdraw", body).expect(409)
    [problem] = merge(claims, february, merged).expect(409).errors
    assert problem["message"] == (
        f"The report {february['id']} is superseded, and cannot be merged; only one that is complete can."
    )
    assert (claims.balances(), breaches(server, claims)) == ([4, 0], {})


def test_a_report_that_is_being_restated_is_not_merged_meanwhile(months):
    claims, january, february = months
    draft = claims.report(5, supersedes=january["id"])

    [problem] = merge(claims, february, january).expect(409).errors
    assert problem["message"] == (
        f"The report {draft['id']} restates this one and is a draft, so this one cannot be merged. "
        "Remove it first."
    )
    submitted(claims, draft)
    [problem] = merge(claims, january, february).expect(409).errors
    assert problem["message"] == (
        f"The report {draft['id']} restates this one and is under way, so this one cannot be merged. "
        f"Have {draft['id']} decided or withdrawn first."
    )


def test_what_cannot_be_merged_is_named_at_once(months, api):
    claims, january, _ = months
    draft = claims.report(1)
    elsewhere = api.post("/projects", {"project": {"name": "Elsewhere"}}).expect(201).body
    stranger = {"name": "Other", "report_type": "x", "project_id": elsewhere["id"]}
    other = api.post("/reports", {"report": stranger}).expect(201).body

    found = merge(claims, january, january, draft, other, name=" ").expect(422).errors
    [of_draft] = merge(claims, january, draft).expect(422).errors

    assert [(error["field"], error["code"]) for error in found] == [
        ("name", "required"),
        ("report_ids[0]", "twice"),
        ("report_ids[2]", "unknown"),
    ]
    assert (of_draft["field"], of_draft["code"]) == ("report_ids[0]", "not_accepted")
    [problem] = merge(claims, january).expect(422).errors
    assert problem["message"] == "report_ids names 0; a report is merged with 1 to 99 others."


def test_a_report_that_is_named_twice_or_is_the_one_in_the_path_is_told_apart(months):
    claims, january, february = months

    [itself] = merge(claims, january, january).expect(422).errors
    [again] = merge(claims, january, february, february).expect(422).errors

    assert itself["message"] == (
        f"report_ids[0] names '{january['id']}', which is the report of the path. Name only the others."
    )
    assert again["message"] == f"report_ids[1] names '{february['id']}', which report_ids[0] names, too."
    assert {itself["code"], again["code"]} == {"twice"}


def test_a_report_of_another_ledger_is_refused_while_somebody_moves_it(months, server):
    """Otherwise two such requests, each of which names the report of the other, would wait for each other."""
    claims, january, _ = months
    consumer = reports.Claims(consumer_of(claims.plant))
    consumer.plant.generate()
    consumed = accepted(consumer, consumer.report(1))

    with server.transaction() as moving:
        moving.execute("SELECT FROM reports WHERE id = %s FOR UPDATE", (consumed["numeric_id"],))
        [problem] = merge(claims, january, consumed).expect(422).errors

    assert problem["message"] == (
        f"report_ids[0]: report {consumed['id']} is of another ledger or follows another methodology."
    )


def test_nobody_can_claim_between_a_report_and_the_one_that_it_is_merged_into(months, server):
    """January counts from February on, and at the end of March nothing more is left than before."""
    claims, january, february = months
    merged = merge(claims, january, february).expect(201).body

    [problem] = claims.ask(batches=[{"batch_id": claims.batch(1), "amount": Decimal(1)}]).expect(422).errors

    assert problem["code"] == "not_remaining"
    assert accepted(claims, claims.report(4))["status"] == "complete"
    assert (claims.read(merged)["status"], claims.balances()) == ("complete", [0, 0])
    assert breaches(server, claims) == {}
