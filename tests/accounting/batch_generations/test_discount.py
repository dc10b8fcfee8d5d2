"""A model's discount: what a ledger is credited with is what was computed, less what its uncertainty asks."""

from dataclasses import replace
from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.inputs import measure
from tests.given.uncertain_chains import JANUARY, MONTHS, SUMMED, asking, calibrate, run, state_of_type

ONE_DEVIATION = "discount: {standard_deviations: 1}"


def discounted(rule=ONE_DEVIATION):
    return f"{SUMMED.rstrip()}\n    {rule}\n"


@pytest.fixture
def plant(api, drain):
    """Deliveries over one scale, which are credited less one standard uncertainty."""
    made = given_inputs.plant(api, drain, SUMMED, primary_output="mass")
    return replace(made, model=accounting.version(api, made.model, asking(discounted()), activate=True))


@pytest.fixture
def scale(api, plant):
    return given.asset(api, plant.project, name="East")["id"]


def batches_of(plant):
    batches = sorted(plant.batches(), key=lambda batch: batch["numeric_id"])
    return [plant.api.get(f"/batches/{batch['id']}").expect(200).body for batch in batches]


def sell(plant, amount):
    """Draws an amount of what was delivered, by a ledger of sales in February."""
    nodes = f"""
  - slug: needed
    constant: {amount}
    unit: t
  - slug: drawn
    upstream: {{ledger: Deliveries, amount: needed}}
    unit: t
  - slug: sold
    input: {{event_type: tank, data_point_type: level, aggregate: sum}}
    unit: t
  - slug: mass
    formula: sum(drawn) + 0 * sold
    unit: t
"""
    model = accounting.model(plant.api, plant.project, asking(nodes, name="Sales"))
    ledger = accounting.ledger(plant.api, plant.project, model, name="Sales")
    sales = replace(plant, model=model, ledger=ledger)
    measure(plant, "tank", {"level": 1}, "2025-02-20")
    sales.generate(MONTHS)
    return sales


def test_a_batch_shows_what_was_computed_the_discount_and_the_credit(plant, scale):
    calibrate(plant, state_of_type(plant, None), scale, {"relative_standard": 0.01})
    measure(plant, "delivery", {"mass": 60}, "2025-01-10", asset_id=scale)

    plant.generate(JANUARY)

    [batch] = batches_of(plant)
    assert (batch["primary_output"]["value"], batch["run_total"]) == (Decimal("59.4"), Decimal("59.4"))
    uncertainty = batch["uncertainty"]
    assert uncertainty["credit"] == {
        "computed_amount": 60, "discount": Decimal("0.6"), "credited_amount": Decimal("59.4"),
        "standard_deviations": 1, "percentile": None, "factor": 1,
    }  # fmt: skip
    assert round((uncertainty["low"] + uncertainty["high"]) / 2, 20) == 60


def test_a_better_certificate_credits_more_by_an_adjusting_batch(api, plant, scale):
    made = calibrate(plant, state_of_type(plant, None), scale, {"relative_standard": 0.01})
    measure(plant, "delivery", {"mass": 60}, "2025-01-10", asset_id=scale)
    plant.generate(JANUARY)

    change = {"calibration": {"uncertainty": {"relative_standard": 0.005}}}
    api.patch(f"/projects/{plant.project['id']}/calibrations/{made}", change).expect(200)
    plant.generate(JANUARY)

    [first, adjusting] = batches_of(plant)
    assert adjusting["primary_output"]["value"] == Decimal("0.3")
    assert first["run_total"] == adjusting["run_total"] == Decimal("59.7")
    assert first["uncertainty"]["credit"] == adjusting["uncertainty"]["credit"]
    assert adjusting["uncertainty"]["credit"]["discount"] == Decimal("0.3")


def test_a_credit_is_never_below_zero(plant, scale):
    calibrate(plant, state_of_type(plant, None), scale, {"standard": 5})
    measure(plant, "delivery", {"mass": 2}, "2025-01-10", asset_id=scale)

    plant.generate(JANUARY)

    [batch] = batches_of(plant)
    assert batch["run_total"] == 0
    assert batch["uncertainty"]["credit"]["discount"] == 2


def test_a_percentile_is_rounded_once_with_the_amount(api, plant, scale):
    accounting.version(api, plant.model, asking(discounted("discount: {percentile: 0.05}")), activate=True)
    calibrate(plant, state_of_type(plant, None), scale, {"standard": 1})
    measure(plant, "delivery", {"mass": 60}, "2025-01-10", asset_id=scale)

    plant.generate(JANUARY)

    [batch] = batches_of(plant)
    scale_of_ledger = plant.ledger["scale"]
    assert batch["run_total"] == round(60 - Decimal("1.6448536269514722"), scale_of_ledger)
    assert round(batch["uncertainty"]["credit"]["factor"], 6) == Decimal("1.644854")


def test_what_is_drawn_of_a_credit_carries_the_uncertainty_of_all_that_was_computed(plant, scale):
    calibrate(plant, state_of_type(plant, None), scale, {"relative_standard": 0.1})
    measure(plant, "delivery", {"mass": 40}, "2025-01-10", asset_id=scale)
    plant.generate(MONTHS)
    sales = sell(plant, "18")

    # 36 t were credited of 40 t, known to 4 t: half of the credit carries half of these.
    assert sales.batches()[-1]["uncertainty"]["standard_uncertainty"] == 2


def test_a_changed_discount_is_compared_before_it_is_activated(api, plant, scale):
    calibrate(plant, state_of_type(plant, None), scale, {"standard": 1})
    measure(plant, "delivery", {"mass": 60}, "2025-01-10", asset_id=scale)
    plant.generate(JANUARY)
    text = asking(discounted("discount: {standard_deviations: 2}"))
    version = accounting.version(api, plant.model, text, activate=False)
    period = {"start_time": JANUARY[0], "end_time": JANUARY[1]}

    [ledger] = api.post(f"/models/{version['id']}/compare", period).expect(200).body["ledgers"]

    assert (ledger["primary_output_before"], ledger["primary_output_after"]) == (59, 58)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("discount: {standard_deviations: 0}", "must be above 0 and at most 100; here is 0"),
        ("discount: {standard_deviations: 101}", "at most 100; here is 101"),
        ("discount: {percentile: 0.5}", "above 0 and below 0.5, such as 0.05; here is 0.5"),
        ("discount: {percentile: 0.05, standard_deviations: 1}", "either standard_deviations"),
        ("discount: {}", "either standard_deviations"),
        ("discount: 1", "must be a mapping"),
        ("discount: {k: 1}", "no key 'k'"),
    ],
)
def test_a_discount_that_says_nothing_is_refused(api, plant, rule, sentence):
    document = {"model": {"yaml": asking(discounted(rule)), "project_id": plant.project["id"]}}

    refused = api.post("/models", document).expect(422)

    assert sentence in refused.text


def test_a_discount_needs_the_uncertainty_and_an_output(api, plant):
    without = accounting.document(discounted(), primary_output="mass")
    inside = asking(
        discounted()
        + """
  - slug: double
    formula: mass * 2
    unit: t
"""
    ).replace("primary_output: mass", "primary_output: double")
    new = {"project_id": plant.project["id"]}

    refused = [api.post("/models", {"model": new | {"yaml": text}}).expect(422) for text in (without, inside)]

    assert "give the model the key uncertainty" in refused[0].text
    assert "is no output" in refused[1].text


def test_a_better_instrument_is_worth_what_more_is_credited(api, plant, scale):
    calibrate(plant, state_of_type(plant, {"standard": 0.3}), scale, {"standard": 0.4})
    measure(plant, "delivery", {"mass": 60}, "2025-01-10", asset_id=scale)
    plant.generate(JANUARY)
    [batch] = batches_of(plant)

    found = api.get(f"/batches/{batch['id']}/uncertainty_savings").expect(200).body

    assert batch["run_total"] == Decimal("59.5")
    assert (found["current"]["amount"], found["current"]["discount"]) == (Decimal("59.5"), Decimal("0.5"))
    saved = {one["effect"][:4]: (one["without"]["amount"], one["saved_credit"]) for one in found["savings"]}
    assert saved["cal_"] == (Decimal("59.7"), Decimal("0.2"))
    assert saved["mass"] == (Decimal("59.6"), Decimal("0.1"))
    assert found["halved"]["amount"] == 60


def test_a_report_states_the_credit_with_an_interval_about_what_was_computed(api, plant, scale):
    calibrate(plant, state_of_type(plant, None), scale, {"relative_standard": 0.1})
    measure(plant, "delivery", {"mass": 40}, "2025-01-10", asset_id=scale)
    plant.generate(JANUARY)
    [batch] = batches_of(plant)
    new = {
        "name": "January", "report_type": "monthly", "project_id": plant.project["id"],
        "batches": [{"batch_id": batch["id"], "amount": 18}],
    }  # fmt: skip
    report = api.post("/reports", {"report": new}).expect(201).body

    stated = api.get(f"/reports/{report['id']}/uncertainty").expect(200).body["stated"]

    # Half of the 36 t that were credited of 40 t, which are known to 4 t.
    assert (stated["amount"], stated["discount"], stated["standard_uncertainty"]) == (18, 2, 2)
    assert round((stated["low"] + stated["high"]) / 2, 20) == 20


def test_trials_repeat_what_was_computed_and_draws_take_what_was_credited(plant, scale):
    calibrate(plant, state_of_type(plant, None), scale, {"relative_standard": 0.01})
    measure(plant, "delivery", {"mass": 40}, "2025-01-10", asset_id=scale)
    plant.generate(MONTHS)
    sales = sell(plant, "19.8")

    of_delivery = run(plant, f"/batches/{plant.batches()[0]['id']}")
    of_sale = run(sales, f"/batches/{sales.batches()[-1]['id']}")

    # 39.6 t were credited of 40 t, which are known to 0.4 t; half of the credit is drawn.
    assert (of_delivery["estimate"], of_delivery["first_order"]["estimate"]) == (Decimal("39.6"), 40)
    assert abs(of_delivery["mean"] - 40) < Decimal("0.02")
    assert abs(of_delivery["differences"]["mean"]) < Decimal("0.02")
    assert abs(of_sale["mean"] - Decimal("19.8")) < Decimal("0.01")
    assert abs(of_sale["standard_uncertainty"] - Decimal("0.2")) < Decimal("0.005")
