"""An accepted report that becomes several: they hold together what it held, batch by batch."""

from decimal import Decimal

import pytest
from tests.given import reports
from tests.given.recorded import differing
from tests.given.reports import accepted, submitted, withdrawn
from tests.reporting.reports.test_merge import breaches, taken


def split(claims, report, *parts):
    body = {"parts": list(parts), "reason": "The certificate was divided between two buyers."}
    return claims.plant.api.post(f"/reports/{report['id']}/split", body)


def part(name="Basel", **fields):
    return {"name": name} | fields


def of_batches(claims, *amounts):
    return [
        {"batch_id": claims.batch(number), "amount": Decimal(amount)}
        for number, amount in enumerate(amounts)
        if Decimal(amount)
    ]


@pytest.fixture
def quarter(api, drain):
    """Claims of which one report of 6 of January and 8 of February was accepted."""
    claims = reports.claims(api, drain, 10, 8)
    return claims, accepted(claims, claims.report(6, 8))


def test_parts_hold_together_what_the_report_held(quarter, server):
    claims, original = quarter

    basel, turin = split(claims, original, part(amount=7), part("Turin")).expect(201).body["parts"]

    january, february = claims.batch(0), claims.batch(1)
    assert [taken(one) for one in (basel, turin)] == [{january: 3, february: 4}] * 2
    assert [(one["status"], one["name"]) for one in (basel, turin)] == [
        ("complete", "Basel"), ("complete", "Turin"),
    ]  # fmt: skip
    assert [one["predecessors"] for one in (basel, turin)] == [[original["id"]]] * 2
    before = claims.read(original)
    assert (before["status"], before["successors"]) == ("superseded", [basel["id"], turin["id"]])
    assert (claims.balances(), breaches(server, claims)) == ([4, 0], {})
    assert differing(server, original["id"], basel["id"], turin["id"]) == []


def test_a_part_is_restated_and_withdrawn_without_the_other(quarter, server):
    claims, original = quarter
    parts = [part(batches=of_batches(claims, 6)), part("Turin")]
    january, february = split(claims, original, *parts).expect(201).body["parts"]

    restated = accepted(claims, claims.report(9, supersedes=january["id"]))
    withdrawn(claims, february)

    assert (restated["summary_of_changes"]["change"], claims.balances()) == (3, [1, 8])
    assert breaches(server, claims) == {}


def test_parts_that_are_merged_again_are_what_was_split(quarter, server):
    claims, original = quarter
    basel, turin = split(claims, original, part(amount=5), part("Turin")).expect(201).body["parts"]
    body = {"report_ids": [turin["id"]], "name": "Both", "reason": "One buyer withdrew."}

    merged = claims.plant.api.post(f"/reports/{basel['id']}/merge", body).expect(201).body

    assert (taken(merged), claims.balances()) == (taken(original), [4, 0])
    assert breaches(server, claims) == {}


def test_named_batches_come_first_and_amounts_are_shared_over_what_is_left(quarter, server):
    claims, original = quarter
    parts = [part("A", amount=4), part("B", batches=of_batches(claims, 4, 2)), part("C")]

    made = split(claims, original, *parts).expect(201).body["parts"]

    january, february = claims.batch(0), claims.batch(1)
    assert [taken(one) for one in made] == [
        {january: 1, february: 3}, {january: 4, february: 2}, {january: 1, february: 3},
    ]  # fmt: skip
    assert breaches(server, claims) == {}


@pytest.mark.parametrize(
    ("parts", "field", "said"),
    [
        ([part(amount=7), part(amount=6)], "parts", "The parts come to 13, and the report holds 14."),
        ([part(amount=15), part()], "parts[0].amount", "15; 14 of the report is left to this part."),
        ([part(amount=14), part()], "parts[1]", "parts[1] takes nothing of the report. Leave it out."),
        ([part(amount=1), part(), part()], "parts[2]", "Only one part can take the rest."),
        ([part(amount=0), part()], "parts[0].amount", "parts[0].amount is 0; it takes more than zero."),
        ([part(amount=Decimal("0.0000001")), part()], "parts[0].amount", "the ledger keeps"),
        ([part(amount=1)], "parts", "parts names 1; a report is split into 2 to 100."),
        ([part(amount=1), part(" ")], "parts[1].name", "parts[1] needs a name."),
        (
            [part(amount=Decimal("1e-400")), part()],
            "parts[0].amount",
            "parts[0].amount: 1E-400 is outside 1e-100 to 1e100.",
        ),
    ],
)
def test_parts_that_do_not_make_up_the_report_are_refused(quarter, server, parts, field, said):
    claims, original = quarter

    found = split(claims, original, *parts).expect(422).errors

    assert field in [error["field"] for error in found]
    assert said in " ".join(error["message"] for error in found)
    assert (claims.read(original)["status"], claims.balances()) == ("complete", [4, 0])
    assert breaches(server, claims) == {}


def test_batches_that_parts_cannot_take_are_named_at_once(quarter):
    claims, original = quarter
    named = [
        *of_batches(claims, 7),
        {"batch_id": "bat_000000000000000000000000", "amount": 1},
        *of_batches(claims, 0, 1),
        *of_batches(claims, 0, 1),
    ]

    unknown = split(claims, original, part(batches=named, amount=1), part()).expect(422).errors
    del named[1]
    found = split(claims, original, part(batches=named), part()).expect(422).errors

    assert [(error["field"], error["code"]) for error in unknown] == [
        ("parts[0].batches[1].batch_id", "unknown"),
        ("parts[0].batches", "conflict"),
    ]
    assert [(error["field"], error["code"]) for error in found] == [
        ("parts[0].batches[0].amount", "invalid"),
        ("parts[0].batches", "twice"),
    ]


def test_only_what_is_complete_and_owes_nothing_is_split(quarter):
    claims, original = quarter
    parts = [part(amount=1), part()]
    waiting = submitted(claims, claims.report(1))

    [problem] = split(claims, waiting, *parts).expect(409).errors
    assert problem["code"] == "report_state"
    owed = {"liability": 5, "liability_reason": "Counted twice"}
    owing = accepted(claims, claims.ask(supersedes=original["id"], batches=[], **owed).expect(201).body)
    [problem] = split(claims, owing, *parts).expect(409).errors
    assert problem["message"] == (
        f"The report {owing['id']} owes 5, and cannot be split: a liability is of one claim."
    )
