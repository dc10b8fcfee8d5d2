"""POST /footprints (`create_footprint`), GET /footprints and /footprints/{footprint_id}."""

import re
from decimal import Decimal

import pytest
from psycopg.errors import RestrictViolation
from tests.given import reports
from tests.given.reports import Claims


def test_a_footprint_of_a_batch_has_amounts_for_each_declared_unit_that_add_up(host):
    product = host.product()

    made = host.make(product)

    pcf = made["content"]["pcf"]
    assert pcf == {
        "declaredUnitOfMeasurement": "kilogram",
        "declaredUnitAmount": "1",
        "productMassPerDeclaredUnit": "1",
        "referencePeriodStart": "2025-01-01T00:00:00Z",
        "referencePeriodEnd": "2025-02-01T00:00:00Z",
        "geographyCountry": "DE",
        "pcfExcludingBiogenicUptake": "0.384",
        "pcfIncludingBiogenicUptake": "-1.226",
        "fossilGhgEmissions": "0.35",
        "fossilCarbonContent": "0",
        "landUseChangeGhgEmissions": "0.034",
        "biogenicCO2Uptake": "-1.61",
        "exemptedEmissionsPercent": "0",
        "ipccCharacterizationFactors": ["AR6"],
        "crossSectoralStandards": ["ISO14067"],
    }
    assert made["findings"] == []
    assert (made["status"], made["content"]["status"]) == ("Active", "Active")
    assert made["content"]["validityPeriodStart"] == "2025-02-01T00:00:00Z"
    assert made["content"]["validityPeriodEnd"] == "2028-02-01T00:00:00Z"
    assert made["primary_data_share_reason"] == "The product does not state it."
    assert re.fullmatch(r"[0-9a-f-]{36}", made["id"])
    assert host.read(made) == made
    assert host.api.get("/footprints").expect(200).data == [made]


def test_what_is_made_anew_of_a_batch_takes_the_place_of_the_first_footprint(host):
    product = host.product()
    first = host.make(product)

    second = host.make(product, comment="The emissions of the boiler were corrected.")
    third = host.make(product)

    assert second["preceding_ids"] == [first["id"]]
    assert second["content"]["comment"] == "The emissions of the boiler were corrected."
    assert third["content"]["precedingPfIds"] == [second["id"], first["id"]]
    old = host.read(first)
    assert (old["status"], old["content"]["status"]) == ("Deprecated", "Deprecated")
    assert old["deprecated_reason"] == f"The footprint {second['id']} took its place."
    assert old["content"] | {"status": "Active"} == first["content"]


def test_a_footprint_of_an_adjusted_batch_says_what_the_run_comes_to_now(host):
    product = host.product(amounts={"fossilGhgEmissions": "amount", "fossilCarbonContent": "0"})
    host.plant.deliver(30, 3)
    host.plant.generate()

    made = host.make(product)

    assert made["content"]["pcf"]["fossilGhgEmissions"] == "1"
    assert len(host.plant.batches()) == 2


def test_the_measured_share_is_stated_where_the_footprint_is_the_amount_it_is_of(host):
    amounts = {"fossilGhgEmissions": "amount", "fossilCarbonContent": "0", "biogenicCO2Uptake": "-1"}
    product = host.product(amounts=amounts, states_primary_data_share=True)
    other = host.product(name="Other", states_primary_data_share=True)

    assert host.make(product)["content"]["pcf"]["primaryDataShare"] == "100"
    made = host.make(other)
    assert "primaryDataShare" not in made["content"]["pcf"]
    assert made["primary_data_share_reason"] == (
        "The measured share is that of the amount, and the footprint rests on other values or on constants"
        " too."
    )


def test_the_database_refuses_to_change_a_footprint(host, sql):
    made = host.make(host.product())

    with pytest.raises(RestrictViolation):
        sql("UPDATE footprints SET content = '{}' WHERE id = %s", made["id"])
    host.api.post(f"/footprints/{made['id']}/deprecate", {"reason": "It is no longer made."}).expect(200)
    with pytest.raises(RestrictViolation):
        sql("UPDATE footprints SET status = 'Active', deprecated_at = NULL WHERE id = %s", made["id"])


def test_what_cannot_be_made_is_refused_by_its_field(host):
    batch = host.plant.batches()[0]["id"]
    product = host.product(
        amounts={"fossilGhgEmissions": "node:steam", "fossilCarbonContent": "0"}, declared_unit="hour"
    )

    def refused(**fields):
        answer = host.api.post("/footprints", {"footprint": {"product_id": product["id"]} | fields})
        return [(error["field"], error["code"]) for error in answer.expect(422).errors]

    assert refused() == [("batch_id", "conflict")]
    assert refused(batch_id=batch) == [("quantity", "invalid"), ("amounts.fossilGhgEmissions", "unknown")]
    assert refused(batch_id=batch, product_id=0) == [("product_id", "unknown")]
    assert refused(batch_id=batch, replaces=["00000000-0000-0000-0000-000000000000"]) == [
        ("replaces", "unknown")
    ]


def test_a_restated_report_has_a_new_footprint_and_a_withdrawn_one_none_that_is_active(host):
    claims = Claims(host.plant)
    product = host.product()
    report = claims.report(10)
    draft = host.api.post(
        "/footprints", {"footprint": {"product_id": product["id"], "report_id": report["id"]}}
    )
    assert draft.expect(422).error["field"] == "report_id"
    reports.accepted(claims, report)
    first = host.make(product, report_id=report["id"])
    assert first["content"]["pcf"]["fossilGhgEmissions"] == "0.35"

    restated = claims.report(4, supersedes=report["id"])
    reports.accepted(claims, restated)
    host.exchange()

    [second] = host.api.get("/footprints?filter[status]=Active").data
    assert (second["report_id"], second["preceding_ids"]) == (restated["id"], [first["id"]])
    assert second["content"]["pcf"]["fossilGhgEmissions"] == "0.35"
    assert host.read(first)["deprecated_reason"] == f"The footprint {second['id']} took its place."

    reports.withdrawn(claims, restated)
    host.exchange()

    assert host.read(second)["deprecated_reason"] == "The report that it was made from was withdrawn."
    log = host.api.get("/audit_log?filter[object]=" + second["id"]).data
    assert [row["action"] for row in log] == ["footprint.deprecate", "footprint.create"]


def test_a_part_of_a_batch_that_a_report_takes_counts_by_that_part(host):
    claims = Claims(host.plant)
    product = host.product(declared_amount=Decimal("2.5"), mass_per_declared_unit=Decimal("2.5"))
    report = reports.accepted(claims, claims.report(3))

    made = host.make(product, report_id=report["id"])

    assert made["content"]["pcf"]["fossilGhgEmissions"] == "0.875"
    assert made["findings"] == []
