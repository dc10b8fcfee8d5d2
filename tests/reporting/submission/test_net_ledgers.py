"""What is handed on of a report of several ledgers, and what rests on it: files, footprints, trials."""

import json
from decimal import Decimal

import pytest
from tests.given import accounting, registries
from tests.given.footprints import PRODUCT
from tests.given.net_claims import SHARING, net_claims
from tests.given.recorded import differing
from tests.given.reports import accepted, submitted
from tests.given.uncertain_chains import run

MONTHS = [("100", "12500", "2.5"), ("80.25", "9999.999", "0")]
BY_LEDGER = {
    "total": {"$value": "report.amount", "$unit": "kg"},
    "ledgers": {
        "$each": "ledgers",
        "$do": {
            "role": {"$value": "role.name"},
            "sign": {"$value": "role.sign", "$as": "number"},
            "own": {"$value": "role.amount"},
            "counts": {"$value": "role.counted"},
            "fuel": {"$value": "role.node.emissions"},
            "batches": {"$each": "inclusions", "$do": {"$value": "inclusion.counted"}},
        },
    },
    "months": {
        "$each": "groups",
        "$by": "inclusion.tracking_id",
        "$do": {"month": {"$value": "group.key"}, "t": {"$value": "group.amount"}},
    },
}


def test_a_file_has_totals_by_ledger_and_their_signed_sum(api, drain):
    claims = net_claims(api, drain, *MONTHS, mapping={"format": "json", "template": BY_LEDGER})

    found = api.get(f"/reports/{claims.draft()['id']}/submission/download").expect(200).body

    assert found["total"] == "155250.001"
    assert found["ledgers"][1] == {
        "role": "process emissions", "sign": -1, "own": "22499.999", "counts": "-22.499999",
        "fuel": "22499.999", "batches": ["-12.5", "-9.999999"],
    }  # fmt: skip
    assert found["months"] == [{"month": "2025-01", "t": "85"}, {"month": "2025-02", "t": "70.250001"}]


def test_a_sum_of_nodes_over_several_ledgers_is_refused(api, drain):
    template = {"mass": {"$value": "report.node.mass"}}
    claims = net_claims(api, drain, *MONTHS, mapping={"format": "json", "template": template})

    answer = api.get(f"/reports/{claims.draft()['id']}/submission/download").expect(422)

    assert answer.error["message"].startswith("report.node.mass sums batches of several ledgers.")


def test_a_registry_receives_the_ledgers_with_their_batches(api, drain):
    claims = net_claims(api, drain, *MONTHS)
    with registries.rehearsal() as rehearsal:
        registry = rehearsal.register(api)
        report = claims.draft(0)
        api.post(f"/reports/{report['id']}/submit", {"registry_id": registry["id"]}).expect(202)
        drain()
        [received] = rehearsal.received()
    content = json.loads(received.content)

    assert content["amount"] == "85"
    assert content["ledgers"][1] == {
        "role": "process emissions", "ledger_id": claims.ledgers["process emissions"]["id"], "sign": -1,
        "unit": "kg", "amount": "12500", "counted": "-12.5",
        "batch_ids": [claims.batches_of("process emissions")[0]["id"]],
    }  # fmt: skip
    assert "ledger_id" not in content["inclusions"][0]


def test_isometric_certify_refuses_deductions_with_a_sentence(api, drain):
    claims = net_claims(api, drain, *MONTHS)
    new = {
        "name": "Certify", "adapter": "isometric_certify", "address": "https://registry.example/v0",
        "headers": {"Authorization": "Bearer x", "X-Client-Secret": "y"},
    }  # fmt: skip
    registry = api.post("/registries", {"registry": new}).expect(201).body

    answer = api.post(f"/reports/{claims.draft(0)['id']}/submit", {"registry_id": registry["id"]}).expect(422)

    assert "takes removals of one ledger" in answer.error["message"]


def test_a_footprint_rests_on_the_signed_sum_and_on_no_nodes(api, drain, server):
    claims = net_claims(api, drain, *MONTHS)
    report = accepted(claims, claims.draft(0))
    plain = {"quantity": "amount", "amounts": {"fossilGhgEmissions": "0.5", "fossilCarbonContent": "0"}}
    product = api.post("/footprint_products", {"footprint_product": PRODUCT | plain}).expect(201).body
    of_nodes = (
        api.post("/footprint_products", {"footprint_product": PRODUCT | {"name": "By nodes"}})
        .expect(201)
        .body
    )

    made, refused = (
        api.post("/footprints", {"footprint": {"product_id": one["id"], "report_id": report["id"]}})
        for one in (product, of_nodes)
    )

    assert differing(server, made.expect(201).body["id"]) == []
    assert refused.expect(422).error["code"] == "several_ledgers"


@pytest.fixture
def sharing(api, drain):
    """100 t that were weighed to 2 t, of which a tenth leaks, and 5 t that were emitted for certain."""
    return net_claims(api, drain, ("100", "5000", "0"), nodes=SHARING, statement={"standard": 2})


def test_what_ledgers_share_partly_cancels_in_the_uncertainty_of_the_sum(sharing):
    report = sharing.draft(0)

    found = sharing.plant.api.get(f"/reports/{report['id']}/uncertainty").expect(200).body

    assert (found["unit"], found["stated"]["amount"]) == ("t", 85)
    assert found["stated"]["standard_uncertainty"] == Decimal("1.8")


def test_trials_repeat_the_signed_sum(sharing):
    report = sharing.draft(0)

    found = run(sharing.plant, f"/reports/{report['id']}")

    assert (found["state"], found["estimate"], found["unit"]) == ("complete", 85, "t")
    assert found["first_order"]["standard_uncertainty"] == Decimal("1.8")
    assert abs(found["standard_uncertainty"] - Decimal("1.8")) < Decimal("0.05")


def test_the_impact_of_late_data_names_each_ledger_of_a_report(api, drain):
    claims = net_claims(api, drain, *MONTHS)
    report = submitted(claims, claims.draft(0))
    claims.measure(1, "0", "500", "0")
    path = f"/ledgers/{claims.plant.ledger['id']}/generate_impact"

    answer = api.post(path, accounting.range_of(accounting.JANUARY, generate_concurrent_ledgers=True))

    found = answer.expect(200).body["reports"]
    assert [(one["report_id"], one["role"], one["sign"], one["unit"]) for one in found] == [
        (report["id"], "process emissions", -1, "kg")
    ]
