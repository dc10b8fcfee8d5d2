"""A batch says what better instruments would make of it, and which of them would halve its uncertainty."""

from decimal import Decimal

from tests.given import accounting, inputs
from tests.given.uncertain_chains import asking
from tests.given.uncertain_claims import uncertain_claims

JANUARY = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")
NODES = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    uncertainty: {standard: 0.3, effect: weighbridge}
  - slug: share
    static_input: carbon-share
    unit: ""
  - slug: mass
    formula: loads * share
    unit: t
"""


def savings_of(plant, number=0):
    batch = plant.batches()[number]
    return plant.api.get(f"/batches/{batch['id']}/uncertainty_savings").expect(200).body


def test_the_effect_that_saves_most_comes_first_under_its_name(api, drain):
    plant = inputs.plant(api, drain, NODES, primary_output="mass")
    accounting.version(api, plant.model, asking(NODES), activate=True)
    body = {
        "slug": "carbon-share", "value": 0.5, "unit": "", "effective_from": "2024-01-01T00:00:00Z",
        "uncertainty": {"standard": 0.02},
    }  # fmt: skip
    api.post(f"/projects/{plant.project['id']}/static_inputs", {"static_input": body}).expect(201)
    inputs.measure(plant, "delivery", {"mass": 10}, "2025-01-10")
    plant.generate(JANUARY)

    found = savings_of(plant)

    # 0.2 t by the share and 0.15 t by the weighbridge are 0.25 t together.
    assert found["current"]["standard_uncertainty"] == Decimal("0.25")
    first, second = found["savings"]
    assert first["name"] == "carbon-share 0.5 from 2024-01-01"
    assert (first["without"]["standard_uncertainty"], first["saving"]) == (Decimal("0.15"), Decimal("0.1"))
    assert (second["effect"], second["owner"], second["name"]) == ("weighbridge", None, "weighbridge")
    assert second["without"]["standard_uncertainty"] == Decimal("0.2")
    assert [one["effect"] for one in found["halving"]] == ["carbon-share", "weighbridge"]
    assert (found["halving_count"], found["halved"]["standard_uncertainty"]) == (2, 0)
    assert (found["is_fewest"], found["effect_count"], found["unit"]) == (True, 2, "t")


def test_a_calibration_saves_what_all_of_its_readings_share(api, drain):
    claims, scale = uncertain_claims(api, drain, 20, reading="0.05")

    found = savings_of(claims.plant)

    first, second = found["savings"]
    assert (first["effect"], first["name"], first["inputs"]) == (scale.calibration, "D-K-15204-01", ["mass"])
    assert first["without"]["standard_uncertainty"] == Decimal("0.05")
    assert second["owner"] == "Deliveries 2025-01-01T00:00:00.000Z"
    assert [one["effect"] for one in found["halving"]] == [scale.calibration]


def test_a_batch_whose_model_does_not_ask_has_nothing_to_save(api, drain):
    plain = inputs.plant(api, drain, NODES.split("  - slug: share", maxsplit=1)[0], primary_output="loads")
    inputs.measure(plain, "delivery", {"mass": 10}, "2025-01-10")
    plain.generate(JANUARY)

    found = savings_of(plain)

    assert (found["current"], found["savings"], found["halving"], found["halved"]) == (None, [], [], None)


def test_budgets_of_batches_call_effects_by_their_names(api, drain):
    claims, _ = uncertain_claims(api, drain, 20)
    [batch] = claims.plant.batches()

    assert [line["name"] for line in batch["uncertainty"]["budget"]] == ["D-K-15204-01"]
