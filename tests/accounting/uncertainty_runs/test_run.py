"""Trials of posted batches repeat their runs and what these draw from."""

from decimal import Decimal

from tests.given import accounting
from tests.given import collection as given
from tests.given.inputs import measure
from tests.given.reports import Claims
from tests.given.uncertain_chains import (
    JANUARY,
    MONTHS,
    SUMMED,
    TRIALS,
    calibrate,
    further,
    plant,
    run,
    state_of_type,
)


def is_near(found, expected, trials=TRIALS):
    """Whether a standard deviation of trials is within four standard errors of that of first order."""
    return abs(Decimal(found) / Decimal(expected) - 1) < 4 / Decimal(2 * (trials - 1)).sqrt()


def test_trials_of_a_sum_of_readings_agree_with_first_order(api, drain):
    books = plant(api, drain)
    scale = given.asset(api, books.project, name="East")["id"]
    kind = state_of_type(books, {"standard": 20, "unit": "kg"})
    calibrate(books, kind, scale, {"relative_half_width": 0.01, "coverage_factor": 2})
    for day, mass in enumerate((10, 20, 30), 10):
        measure(books, "delivery", {"mass": mass}, f"2025-01-{day}", asset_id=scale)
    books.generate(JANUARY)
    [batch] = books.batches()

    found = run(books, f"/batches/{batch['id']}", seed=7)

    assert (found["state"], found["trials_done"], found["is_current"]) == ("complete", TRIALS, True)
    expected = (3 * Decimal("0.02") ** 2 + Decimal("0.3") ** 2).sqrt()
    assert found["first_order"]["standard_uncertainty"] == round(expected, 12)
    assert is_near(found["standard_uncertainty"], expected)
    assert abs(found["mean"] - 60) < 4 * expected / Decimal(TRIALS).sqrt()
    assert found["trials_without_result"] == 0
    assert sum(found["histogram"]["counts"]) == TRIALS
    assert len(found["histogram"]["edges"]) == len(found["histogram"]["counts"]) + 1
    assert len(found["inputs_sha256"]) == 64


def test_a_scale_that_three_ledgers_share_is_drawn_once(api, drain):
    deliveries = plant(api, drain)
    scale = given.asset(api, deliveries.project, name="East")["id"]
    kind = state_of_type(deliveries, {"standard": 0.05})
    calibrate(deliveries, kind, scale, {"relative_standard": 0.02})
    measure(deliveries, "delivery", {"mass": 10}, "2025-01-10", asset_id=scale)
    measure(deliveries, "delivery", {"mass": 40}, "2025-02-10", asset_id=scale)
    deliveries.generate(MONTHS)
    nodes = """
  - slug: weighed
    input: {event_type: tank, data_point_type: level, aggregate: sum}
    unit: t
  - slug: drawn
    upstream: {ledger: DELIVERIES, amount: weighed}
    unit: t
  - slug: mass
    formula: sum(drawn) * 0.5
    unit: UNIT
"""
    pressed = further(
        deliveries, nodes.replace("DELIVERIES", "Deliveries").replace("UNIT", "kg"), "Pressed", "kg"
    )
    sold = further(
        deliveries,
        nodes.replace("DELIVERIES", "Pressed").replace("UNIT", "t").replace("level, agg", "level, agg"),
        "Sold",
    )
    state_of_type(deliveries, {"relative_standard": 0.01}, "tank", "level")
    measure(deliveries, "tank", {"level": 30}, "2025-02-20")
    pressed.generate(MONTHS)
    measure(deliveries, "tank", {"level": 12}, "2025-03-20")
    sold.generate(("2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z"))
    batch = sold.batches()[-1]

    found = run(sold, f"/batches/{batch['id']}")

    assert found["estimate"] == 6
    assert is_near(found["standard_uncertainty"], found["first_order"]["standard_uncertainty"])
    shown = api.get(f"/batches/{batch['id']}").body["uncertainty"]["standard_uncertainty"]
    assert abs(shown - found["first_order"]["standard_uncertainty"]) < Decimal("1e-11")


def test_what_travels_along_without_a_unit_has_that_of_the_run(api, drain):
    ash = """
  - slug: ash
    formula: mass * 0.1
    unit: kg
    output: true
"""
    deliveries = plant(api, drain, SUMMED + ash)
    state_of_type(deliveries, {"relative_standard": 0.02})
    measure(deliveries, "delivery", {"mass": 40}, "2025-01-10")
    deliveries.generate(JANUARY)
    measure(deliveries, "tank", {"level": 30}, "2025-01-20")
    nodes = """
  - slug: weighed
    input: {event_type: tank, data_point_type: level, aggregate: sum}
    unit: t
  - slug: drawn
    upstream: {ledger: Deliveries, amount: weighed, attributes: [ash]}
    unit: t
  - slug: mass
    formula: sum(drawn) - sum(drawn.ash)
    unit: t
"""
    sold = further(deliveries, nodes, "Sold")
    sold.generate(JANUARY)
    [batch] = sold.batches()

    found = run(sold, f"/batches/{batch['id']}")

    # 30 t less the 4,000 kg of ash of the whole source, all of one error of 2 %.
    assert (found["state"], found["estimate"]) == ("complete", 26)
    assert found["first_order"]["standard_uncertainty"] == Decimal("0.52")
    assert is_near(found["standard_uncertainty"], Decimal("0.52"))


def test_a_report_over_two_batches_adds_what_they_share_before_it_is_squared(api, drain):
    books = plant(api, drain)
    scale = given.asset(api, books.project, name="East")["id"]
    kind = state_of_type(books, {"standard": 0.3})
    calibrate(books, kind, scale, {"relative_standard": 0.01})
    measure(books, "delivery", {"mass": 10}, "2025-01-10", asset_id=scale)
    measure(books, "delivery", {"mass": 40}, "2025-02-10", asset_id=scale)
    books.generate(MONTHS)
    report = Claims(books).report(10, 20)

    found = run(books, f"/reports/{report['id']}")

    # 1 % of 30 t at once; of the readings 0.3 t, and half of it.
    expected = (Decimal("0.3") ** 2 + Decimal("0.3") ** 2 + Decimal("0.15") ** 2).sqrt()
    assert (found["report_id"], found["batch_id"], found["estimate"]) == (report["id"], None, 30)
    assert found["first_order"]["standard_uncertainty"] == round(expected, 12)
    assert is_near(found["standard_uncertainty"], expected)
    assert api.get(f"/reports/{report['id']}/uncertainty_runs").data == [found]


def test_what_partitions_get_adds_up_to_what_there_was_in_each_trial(api, drain):
    nodes = accounting.MASS + accounting.POWER_EVENLY
    text = accounting.document(nodes, partition_type="feedstock", primary_output="power")
    books = accounting.plant(
        api, drain, nodes, partition_type="feedstock", unit="kWh", output="power", scale=2
    )
    asking = text.replace("nodes:", "uncertainty: {coverage_probability: 0.95}\nnodes:")
    accounting.version(api, books.model, asking, activate=True)
    for tonnes, name in enumerate(("Husk", "Straw", "Wood"), 1):
        books.deliver(tonnes, feedstock_id=books.feedstock(name))
    state_of_type(books, {"relative_standard": 0.02}, "bill", "energy")
    books.bill(90)
    books.generate()

    parts = [run(books, f"/batches/{batch['id']}") for batch in books.batches()]
    report = Claims(books).report(*(one["estimate"] for one in parts))
    whole = run(books, f"/reports/{report['id']}")

    # They have the one error of the bill, so deviations add up as amounts do.
    assert whole["estimate"] == 90
    together = sum(one["standard_uncertainty"] for one in parts)
    assert abs(whole["standard_uncertainty"] - together) < Decimal("1e-9")
    assert abs(whole["mean"] - sum(one["mean"] for one in parts)) < Decimal("1e-9")
    assert is_near(whole["standard_uncertainty"], Decimal("1.8"))


def test_a_corrected_reading_makes_the_run_of_before_not_current(api, drain):
    books = plant(api, drain)
    state_of_type(books, {"standard": 0.1})
    event = measure(books, "delivery", {"mass": 10}, "2025-01-10")
    books.generate(JANUARY)
    [batch] = books.batches()
    before = run(books, f"/batches/{batch['id']}")
    path = f"/projects/{books.project['id']}"
    point = api.get(f"{path}/events/{event}").body["data_points"][0]["id"]
    api.patch(f"{path}/data_points/{point}", {"data_point": {"value": 12, "reason": "Slip"}}).expect(200)
    books.generate(JANUARY)

    after = run(books, f"/batches/{batch['id']}")

    assert api.get(f"/uncertainty_runs/{before['id']}").body["is_current"] is False
    assert (after["is_current"], after["estimate"], before["estimate"]) == (True, 12, 10)
    assert before["inputs_sha256"] != after["inputs_sha256"]
    assert abs(after["mean"] - 12) < Decimal("0.01")


def test_trials_are_of_what_was_stated_when_the_batch_was_posted(api, drain):
    books = plant(api, drain)
    state_of_type(books, {"standard": 0.1})
    measure(books, "delivery", {"mass": 10}, "2025-01-10")
    books.generate(JANUARY)
    state_of_type(books, {"standard": 0.2})
    [batch] = books.batches()

    found = run(books, f"/batches/{batch['id']}")

    assert found["state"] == "complete"
    assert round(found["first_order"]["standard_uncertainty"], 9) == Decimal("0.1")
    assert abs(found["standard_uncertainty"] - Decimal("0.1")) < Decimal("0.003")


def test_a_trial_depends_on_its_seed_alone(api, drain):
    books = plant(api, drain)
    state_of_type(books, {"standard": 0.1})
    measure(books, "delivery", {"mass": 10}, "2025-01-10")
    books.generate(JANUARY)
    path = f"/batches/{books.batches()[0]['id']}"

    one, same, other = (run(books, path, seed=seed) for seed in (1, 1, 2))

    assert told(one) == told(same)
    assert one["mean"] != other["mean"]


def test_a_long_series_is_drawn_as_its_sum(api, drain):
    books = plant(api, drain)
    scale = given.asset(api, books.project, name="East")["id"]
    kind = state_of_type(books, {"half_width": 0.05, "distribution": "rectangular"})
    calibrate(books, kind, scale, {"relative_standard": 0.001})
    events = [
        {
            "event_type": "delivery",
            "start_time": f"2025-01-{1 + n // 100:02d}T{n % 100 // 60:02d}:{n % 60:02d}:00Z",
            "asset_id": scale, "data_points": [{"slug": "mass", "value": 1}],
        }
        for n in range(1100)
    ]  # fmt: skip
    for start in range(0, 1100, 550):
        body = {"events": events[start : start + 550]}
        api.post(f"/projects/{books.project['id']}/events", body).expect(201)
    books.generate(JANUARY)
    [batch] = books.batches()

    found = run(books, f"/batches/{batch['id']}")

    expected = (1100 * Decimal("0.05") ** 2 / 3 + Decimal("1.1") ** 2).sqrt()
    assert found["first_order"]["standard_uncertainty"] == round(expected, 11)
    assert is_near(found["standard_uncertainty"], expected)
    apart = found["differences"]
    assert 0 < apart["sampling_error"] < expected / 20
    distance = max(apart["low"], apart["high"]) - apart["tolerance"]
    is_decided = abs(distance) >= 2 * apart["sampling_error"]
    assert found["is_first_order_valid"] is ((distance <= 0) if is_decided else None)


def told(record):
    """What a record says of the trials, without when and by which task."""
    apart = ("id", "async_task_id", "created_at", "finished_at")
    return {name: value for name, value in record.items() if name not in apart}
