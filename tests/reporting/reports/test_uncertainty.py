"""Reports say how uncertain their sum is: what batches share adds up before it is squared."""

from dataclasses import replace
from decimal import Decimal

from tests.given import accounting, inputs
from tests.given.accounting import QUARTER
from tests.given.reports import Claims, accepted, submitted
from tests.given.uncertain_chains import SUMMED, asking
from tests.given.uncertain_claims import uncertain_claims, uncertainty_of

TINY = Decimal("1e-24")


def test_what_batches_share_adds_up_before_it_is_squared(api, drain):
    claims, scale = uncertain_claims(api, drain, 10, 20, reading="0.1")

    found = uncertainty_of(claims, claims.report(10, 20))

    # 1 % of 30 t at once, and 0.1 t of each of two readings.
    stated = found["stated"]
    assert abs(stated["standard_uncertainty"] ** 2 - (Decimal("0.09") + Decimal("0.02"))) < TINY
    assert (stated["amount"], found["unit"], stated["coverage_probability"]) == (30, "t", Decimal("0.95"))
    assert stated["degrees_of_freedom_reason"] == "infinite"
    assert stated["high"] - stated["low"] == 2 * stated["expanded_uncertainty"]
    shared, *own = found["budget"]
    assert (shared["effect"], shared["name"]) == (scale.calibration, "D-K-15204-01")
    assert (len(own), found["budget_count"]) == (2, 3)
    assert (found["unknown_batch_count"], found["is_coverage_probability_shared"]) == (0, True)


def test_a_part_of_a_batch_has_that_part_of_each_effect(api, drain):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")

    stated = uncertainty_of(claims, claims.report(5, 20))["stated"]

    expected = Decimal("0.25") ** 2 + Decimal("0.05") ** 2 + Decimal("0.1") ** 2
    assert abs(stated["standard_uncertainty"] ** 2 - expected) < TINY
    assert stated["relative_standard_uncertainty"] * 25 - stated["standard_uncertainty"] < TINY


def test_what_was_sent_stays_when_a_certificate_changes(api, drain):
    claims, scale = uncertain_claims(api, drain, 10, 20)
    report = submitted(claims, claims.report(10, 20))
    assert uncertainty_of(claims, report)["stated"]["standard_uncertainty"] == Decimal("0.3")

    scale.certify({"relative_standard": Decimal("0.02")})
    claims.plant.generate(QUARTER)

    assert uncertainty_of(claims, report)["stated"]["standard_uncertainty"] == Decimal("0.3")


def test_a_restatement_after_a_changed_certificate_shows_before_and_after(api, drain):
    claims, scale = uncertain_claims(api, drain, 10, 20)
    original = accepted(claims, claims.report(10, 20))
    scale.certify({"relative_standard": Decimal("0.02")})
    claims.plant.generate(QUARTER)

    restated = claims.report(supersedes=original["id"])

    found = uncertainty_of(claims, restated)
    assert found["compared_with"] == original["id"]
    assert found["before"]["standard_uncertainty"] == Decimal("0.3")
    assert found["stated"]["standard_uncertainty"] == Decimal("0.6")


def test_a_part_that_is_accepted_has_its_own_interval(api, drain):
    claims, _ = uncertain_claims(api, drain, 10, 20)
    report = submitted(claims, claims.report(10, 20))
    assert uncertainty_of(claims, report)["accepted"] is None
    body = {"amount": 15, "reason": "Half of it was sampled."}
    api.post(f"/reports/{report['id']}/accept", body).expect(200)

    found = uncertainty_of(claims, report)

    assert found["stated"]["standard_uncertainty"] == Decimal("0.3")
    assert (found["accepted"]["amount"], found["accepted"]["standard_uncertainty"]) == (15, Decimal("0.15"))


def test_an_adjusting_batch_belongs_to_its_run(api, drain):
    claims, scale = uncertain_claims(api, drain, 10)
    claims.plant.api.post(
        f"/projects/{claims.plant.project['id']}/events",
        {"event": {
            "event_type": "delivery", "start_time": "2025-01-20T00:00:00Z", "asset_id": scale.asset,
            "data_points": [{"slug": "mass", "value": 5}],
        }},
    ).expect(201)  # fmt: skip
    claims.plant.generate(QUARTER)
    assert len(claims.plant.batches()) == 2

    stated = uncertainty_of(claims, claims.report(10, 5))["stated"]

    assert (stated["amount"], stated["standard_uncertainty"]) == (15, Decimal("0.15"))


def test_merging_adds_what_reports_share_and_splitting_keeps_it(api, drain):
    claims, _ = uncertain_claims(api, drain, 10, 20)
    first = accepted(claims, claims.report(10, 0))
    second = accepted(claims, claims.report(0, 20))
    body = {"report_ids": [second["id"]], "name": "Both", "reason": "One claim for each quarter."}
    merged = api.post(f"/reports/{first['id']}/merge", body).expect(201).body
    assert uncertainty_of(claims, merged)["stated"]["standard_uncertainty"] == Decimal("0.3")
    parts = {"parts": [{"name": "A", "amount": 6}, {"name": "B"}], "reason": "Two buyers."}
    split = api.post(f"/reports/{merged['id']}/split", parts).expect(201).body["parts"]

    found = [uncertainty_of(claims, one)["stated"]["standard_uncertainty"] for one in split]
    assert found == [Decimal("0.06"), Decimal("0.24")]


def test_a_batch_whose_model_does_not_ask_leaves_the_sum_unknown(api, drain):
    claims, _ = uncertain_claims(api, drain, 10)
    plain = accounting.document(SUMMED, primary_output="mass")
    accounting.version(api, claims.plant.model, plain, activate=True)
    accounting_month = "2025-02-10T00:00:00Z"
    claims.plant.deliver(20, accounting_month)
    claims.plant.generate(("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"))
    report = claims.report(10, 20)

    found = uncertainty_of(claims, report)

    assert (found["stated"], found["budget"], found["budget_count"]) == (None, [], 0)
    assert found["unknown_batch_count"] == 1
    assert found["unknown_batches"] == [claims.batch(1)]


def test_a_report_without_batches_has_none(api, drain):
    claims, _ = uncertain_claims(api, drain)

    found = uncertainty_of(claims, claims.report())

    assert (found["stated"], found["unit"], found["unknown_batch_count"]) == (None, None, 0)


def test_the_largest_coverage_probability_counts(api, drain):
    claims, scale = uncertain_claims(api, drain, 10)
    accounting.version(api, claims.plant.model, asking(SUMMED, "0.99"), activate=True)
    body = {"event_type": "delivery", "start_time": "2025-02-10T00:00:00Z", "asset_id": scale.asset,
            "data_points": [{"slug": "mass", "value": 20}]}  # fmt: skip
    api.post(f"/projects/{claims.plant.project['id']}/events", {"event": body}).expect(201)
    claims.plant.generate(("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"))

    found = uncertainty_of(claims, claims.report(10, 20))

    assert found["stated"]["coverage_probability"] == Decimal("0.99")
    assert found["is_coverage_probability_shared"] is False
    assert found["stated"]["standard_uncertainty"] == Decimal("0.3")


def test_the_file_of_a_report_states_its_interval(api, drain):
    claims, _ = uncertain_claims(api, drain, 10, 20)
    report = submitted(claims, claims.report(10, 20))
    file = api.get(f"/reports/{report['id']}/submission/download").expect(200).body
    assert file["uncertainty"]["standard_uncertainty"] == "0.3"
    assert Decimal(file["uncertainty"]["high"]) == uncertainty_of(claims, report)["stated"]["high"]


def test_a_mapping_names_how_well_the_sum_and_each_batch_are_known(api, drain):
    claims, _ = uncertain_claims(api, drain, 10, 20, reading="0.1")
    template = {
        "u": {"$value": "report.standard_uncertainty", "$unit": "kg", "$as": "number"},
        "freedom": {"$value": "report.degrees_of_freedom", "$otherwise": "infinite"},
        "batches": {"$each": "inclusions", "$do": {"low": {"$value": "inclusion.low"},
                                                   "u": {"$value": "inclusion.standard_uncertainty"}}},
    }  # fmt: skip
    body = {"name": "Known", "version": "1", "report_type": "quarterly",
            "mapping": {"format": "json", "template": template}}  # fmt: skip
    methodology = api.post("/methodologies", {"methodology": body}).expect(201).body["id"]
    report = claims.report(5, 20, methodology_id=methodology)

    file = api.get(f"/reports/{report['id']}/submission/download").expect(200).body

    known = uncertainty_of(claims, report)["stated"]["standard_uncertainty"]
    assert abs(Decimal(file["u"]) - known * 1000) < Decimal("1e-12")
    assert file["freedom"] == "infinite"
    half = Decimal("0.005").sqrt()
    assert abs(Decimal(file["batches"][0]["u"]) - half) < Decimal("1e-24")
    assert Decimal(file["batches"][0]["low"]) < 5 - half


DRAWING = """
  - slug: needed
    constant: {amount}
    unit: t
  - slug: drawn
    upstream: {{ledger: {source}, amount: needed}}
    unit: t
  - slug: sold
    input: {{event_type: {kind}, data_point_type: {point}, aggregate: sum}}
    unit: t
  - slug: mass
    formula: sum(drawn) + 0 * sold
    unit: {unit}
"""


def draw(plant, source, amount, *, name, of=("tank", "level"), unit="t"):
    """A ledger that draws so much of another one in February, when something of a kind is measured."""
    nodes = DRAWING.format(amount=amount, source=source, unit=unit, kind=of[0], point=of[1])
    model = accounting.model(plant.api, plant.project, asking(nodes, name=name))
    ledger = accounting.ledger(plant.api, plant.project, model, name=name, unit=unit)
    drawing = replace(plant, model=model, ledger=ledger)
    drawing.generate(("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"))
    return drawing


def test_a_scale_counts_once_through_three_ledgers(api, drain):
    claims, scale = uncertain_claims(api, drain, 10, 40, reading="0.3")
    inputs.measure(claims.plant, "tank", {"level": 1}, "2025-02-20")
    inputs.measure(claims.plant, "lab", {"moisture": 1, "sample": 1, "code": "a"}, "2025-02-20")
    ground = draw(claims.plant, "Deliveries", 30, name="Ground")
    packed = Claims(draw(ground, "Ground", 15, name="Packed", of=("lab", "sample"), unit="kg"))
    report = packed.report(10_000)

    found = uncertainty_of(packed, report)

    # A third of 10 t and of half of 40 t: 1 % of 10 t at once, and a third of what was read of each.
    assert found["unit"] == "kg"
    [shared] = [line for line in found["budget"] if line["effect"] == scale.calibration]
    assert abs(shared["contribution"] - 100) < Decimal("1e-20")
    expected = Decimal(100) ** 2 + Decimal(100) ** 2 + Decimal(50) ** 2
    assert abs(found["stated"]["standard_uncertainty"] ** 2 - expected) < Decimal("1e-18")
