"""Reports of several ledgers: each has its sign and its own books, and the report states the signed sum."""

from decimal import Decimal

import pytest
from tests.given import engagements
from tests.given.net_claims import net_claims
from tests.given.recorded import differing
from tests.given.reports import accepted, submitted, withdrawn

from weighbridge.verification.books import check_books


def breaches(server, claims):
    async def all_books():
        async with server.database.read() as tx:
            return await check_books(tx, claims.plant.project["numeric_id"])

    return {rule: found for rule, found in server.run(all_books()).items() if found}


@pytest.fixture
def claims(api, drain):
    """A plant of two months."""
    return net_claims(api, drain, ("100", "12500", "2.5"), ("80.25", "9999.999", "0"))


def test_a_report_states_the_signed_sum_of_its_ledgers(claims, server):
    report = claims.draft()

    assert report["amount"] == Decimal("155.250001")
    assert report["ledger_id"] == claims.ledgers["removal"]["id"]
    assert [
        (one["role"], one["sign"], one["amount"], one["unit"], one["counted"]) for one in report["ledgers"]
    ] == [
        ("removal", 1, Decimal("180.25"), "t", Decimal("180.25")),
        ("process emissions", -1, Decimal("22499.999"), "kg", Decimal("-22.499999")),
        ("leakage", -1, Decimal("2.5"), "t", Decimal("-2.5")),
    ]
    assert differing(server, report["id"]) == []


def test_each_ledger_is_posted_and_given_back_in_its_own_books(claims, server):
    report = accepted(claims, claims.draft(0))

    assert report["accepted_amount"] == Decimal(85)
    assert claims.left() == {
        "removal": [0, Decimal("80.25")], "process emissions": [0, Decimal("9999.999")], "leakage": [0, 0],
    }  # fmt: skip
    withdrawn(claims, report)
    assert claims.left()["process emissions"] == [12500, Decimal("9999.999")]
    assert breaches(server, claims) == {}
    assert differing(server, report["id"]) == []


def test_a_part_that_is_accepted_is_shared_over_the_ledgers_to_the_last_digit(claims, server):
    report = submitted(claims, claims.draft(0))
    path = f"/reports/{report['id']}/accept"

    found = claims.plant.api.post(path, {"amount": 40, "reason": "Half is sold."}).expect(200).body

    assert found["accepted_amount"] == 40
    assert [(one["accepted_amount"], one["accepted_counted"]) for one in found["ledgers"]] == [
        (Decimal("47.058824"), Decimal("47.058824")),
        (Decimal("5882.353"), Decimal("-5.882353")),
        (Decimal("1.176471"), Decimal("-1.176471")),
    ]
    assert claims.left()["process emissions"][0] == Decimal("6617.647")
    assert (breaches(server, claims), differing(server, report["id"])) == ({}, [])


def test_no_more_than_the_sum_is_accepted_by_batches(claims):
    report = submitted(claims, claims.draft(0))
    removal = claims.batches_of("removal")[0]["id"]
    path = f"/reports/{report['id']}/accept"

    answer = claims.plant.api.post(
        path, {"batches": [{"batch_id": removal, "amount": 100}], "reason": "Without deductions."}
    )

    assert answer.error["message"].startswith("batches come to 100; of a report of 85")


def test_a_claim_below_zero_is_not_submitted_and_deductions_are_whole(api, drain):
    claims = net_claims(api, drain, ("10", "12500", "2.5"))
    drafts = claims.draft(0)
    assert drafts["amount"] == -5

    refused = api.post(f"/reports/{drafts['id']}/submit", {})

    assert [one["code"] for one in refused.errors] == ["requirements", "below_zero"]
    assert refused.errors[1]["message"] == (
        "It comes to -5 t, and no claim is below zero: it deducts more than it claims"
        " (removal 10, process emissions -12.5, leakage -2.5)."
    )
    named = [claims.batches_of("removal")[0]["id"]]
    alone = claims.ask_net(batch_ids=named).expect(201).body
    answer = api.post(f"/reports/{alone['id']}/submit", {})
    assert [one["code"] for one in answer.errors] == ["requirements", "not_deducted"]
    assert answer.errors[1]["records"] == [
        claims.batches_of(role)[0]["id"] for role in ("process emissions", "leakage")
    ]


def test_a_report_is_restated_split_and_merged_by_each_ledger(claims, server):
    report = accepted(claims, claims.draft(0))
    claims.measure(1, "10", "500", "0")
    claims.generate()
    ids = [
        one["id"]
        for role in claims.ledgers
        for one in claims.batches_of(role)
        if one["start_time"] < "2025-02"
    ]

    restated = claims.ask_net(supersedes=report["id"], batch_ids=ids).expect(201).body

    assert (restated["amount"], restated["summary_of_changes"]["change"]) == (Decimal("94.5"), Decimal("9.5"))
    of_ledgers = {one["ledger_id"]: one["change"] for one in restated["summary_of_changes"]["data"]}
    assert of_ledgers == {
        claims.ledgers["removal"]["id"]: 10, claims.ledgers["process emissions"]["id"]: 500,
    }  # fmt: skip
    whole = accepted(claims, restated)
    parts = (
        claims.plant.api.post(
            f"/reports/{whole['id']}/split",
            {
                "parts": [{"name": "Basel", "amount": Decimal("31.5")}, {"name": "Turin"}],
                "reason": "Two buyers.",
            },
        )
        .expect(201)
        .body["parts"]
    )
    assert [part["amount"] for part in parts] == [Decimal("31.5"), Decimal(63)]
    assert [part["ledgers"][1]["amount"] for part in parts] == [Decimal("4333.333"), Decimal("8666.667")]
    merged = (
        claims.plant.api.post(
            f"/reports/{parts[0]['id']}/merge",
            {"report_ids": [parts[1]["id"]], "name": "Both", "reason": "One buyer."},
        )
        .expect(201)
        .body
    )
    assert [one["amount"] for one in merged["ledgers"]] == [110, 13000, Decimal("2.5")]
    assert breaches(server, claims) == {}
    assert differing(server, *(one["id"] for one in (report, whole, *parts, merged))) == []


def test_ledgers_that_do_not_fit_their_roles_are_refused(claims):
    swapped = [
        {"role": "removal", "ledger_id": claims.ledgers["removal"]["id"]},
        {"role": "process emissions", "ledger_id": claims.ledgers["leakage"]["id"]},
        {"role": "leakage", "ledger_id": claims.ledgers["removal"]["id"]},
    ]

    assert {one["code"] for one in claims.ask_net(ledgers=swapped).errors} == {"unit", "twice"}
    missing = claims.ask_net(ledgers=swapped[:1])
    assert "process emissions, leakage has none" in missing.error["message"]
    unknown = claims.ask_net(ledgers=[{"role": "energy", "ledger_id": swapped[0]["ledger_id"]}])
    assert "the roles of its methodology are removal, process emissions, leakage" in unknown.error["message"]
    batch = claims.batches_of("removal")[0]["id"]
    open_roles = claims.ask(methodology_id=claims.methodology, batch_ids=[batch])
    assert (open_roles.error["field"], open_roles.error["code"]) == ("ledgers", "required")
    alone = claims.ask(ledgers=claims.named)
    assert alone.error["message"] == "report.ledgers must be left out: its methodology names no ledgers."


def test_a_ledger_that_plays_a_role_in_a_draft_is_not_removed(api, drain):
    claims = net_claims(api, drain)
    draft = claims.ask_net().expect(201).body
    path = f"/ledgers/{claims.ledgers['leakage']['id']}"

    refused = api.delete(path).expect(422)

    assert (refused.error["code"], refused.error["records"]) == ("in_use", [draft["id"]])
    api.delete(f"/reports/{draft['id']}").expect(204)
    api.delete(path).expect(204)


def test_the_threshold_of_an_engagement_is_of_the_signed_sum(claims, api, anyone):
    verifier = engagements.verifier(api, anyone, claims.draft(0))

    effect = verifier.begin()["effect"]

    assert (effect["total"], effect["threshold"]) == (85, Decimal("4.25"))


def test_the_ledgers_of_a_draft_are_changed_with_its_batches(claims, server):
    draft = claims.ask(methodology_id=claims.methodology).expect(201).body
    assert draft["ledgers"] == []
    path, named = f"/reports/{draft['id']}", [claims.batches_of("removal")[0]["id"]]

    changed = claims.plant.api.patch(path, {"report": {"ledgers": claims.named, "batch_ids": named}})

    assert changed.expect(200).body["amount"] == 100
    bare = claims.plant.api.patch(path, {"report": {"methodology_id": None}}).expect(200).body
    assert (bare["ledgers"], bare["amount"], bare["ledger_id"]) == ([], 100, claims.ledgers["removal"]["id"])
    assert differing(server, draft["id"]) == []
