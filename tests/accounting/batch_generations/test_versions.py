"""Slots keep the version of their model; `latest` replaces whole slots. Design, Slots and versions."""

from dataclasses import replace

from tests.given import accounting
from tests.given.accounting import JANUARY, MASS, QUARTER

DOUBLED = """
  - slug: delivered
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: mass
    formula: 2 * delivered
    unit: t
    output: true
"""
FEBRUARY = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")


def activate(api, plant, nodes, **settings):
    newer = accounting.version(api, plant.model, accounting.document(nodes, **settings))
    api.post(f"/models/{newer['id']}/activate", {}).expect(200)
    return newer


def generated(api, drain):
    """A plant with a delivery of 1 t in January and 2 t in February, of which January is generated."""
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-05T00:00:00Z")
    plant.deliver(2, "2025-02-05T00:00:00Z")
    plant.generate(JANUARY)
    return plant


def outputs(plant):
    return [(batch["tracking_id"], batch["primary_output"]["value"]) for batch in plant.batches()]


def test_a_new_active_version_computes_only_slots_that_were_never_generated(api, drain):
    plant = generated(api, drain)
    newer = activate(api, plant, DOUBLED)

    plant.generate(QUARTER)

    assert outputs(plant) == [("2025-01", 1), ("2025-02", 4)]
    assert [batch["model"]["id"] for batch in plant.batches()] == [plant.model["id"], newer["id"]]


def test_late_data_are_computed_by_the_version_of_their_slot(api, drain):
    plant = generated(api, drain)
    activate(api, plant, DOUBLED)
    plant.deliver(3, "2025-01-20T00:00:00Z")

    result = plant.generate(JANUARY)

    assert (result["created"], result["adjusted"]) == (0, 1)
    assert outputs(plant) == [("2025-01", 1), ("2025-01", 3)]


def test_latest_replaces_a_generated_slot_by_an_adjusting_batch(api, drain):
    plant = generated(api, drain)
    newer = activate(api, plant, DOUBLED)

    result = plant.generate(JANUARY, model_version="latest")

    assert (result["created"], result["adjusted"]) == (0, 1)
    assert outputs(plant) == [("2025-01", 1), ("2025-01", 1)]
    assert plant.batches()[-1]["model"]["id"] == newer["id"]
    assert plant.balance() == 2


def test_a_replaced_slot_keeps_the_version_that_replaced_it(api, drain):
    plant = generated(api, drain)
    activate(api, plant, DOUBLED)
    plant.generate(JANUARY, model_version="latest")
    plant.deliver(3, "2025-01-20T00:00:00Z")

    plant.generate(JANUARY)

    assert plant.balance() == 8


def test_latest_without_a_newer_version_posts_nothing(api, drain):
    plant = generated(api, drain)

    assert plant.generate(JANUARY, model_version="latest")["batches"] == []


def test_latest_of_another_partition_type_brings_the_old_runs_to_zero(api, drain):
    plant = accounting.plant(api, drain)
    wood = plant.feedstock("Wood")
    plant.deliver(5, feedstock_id=wood)
    plant.generate(JANUARY)
    activate(api, plant, MASS, partition_type="feedstock")

    result = plant.generate(JANUARY, model_version="latest")

    assert (result["created"], result["adjusted"]) == (1, 1)
    assert plant.balance() == 5
    assert [(b["tracking_id"], b["ledger_balance"]) for b in plant.batches() if b["ledger_balance"]] == [
        ("2025-01 Wood", 5)
    ]


def test_days_leave_a_generated_month_to_its_version_and_the_preview_says_so(api, drain):
    plant = generated(api, drain)
    activate(api, plant, MASS, cadence="daily")

    (entry,) = plant.preview(("2025-01-31T00:00:00Z", "2025-02-06T00:00:00Z"))

    assert entry["passed_over_slots"] == ["2025-01-31"]
    assert entry["slots"][0] == "2025-02-01"
    assert entry["count"] == 1


def test_the_result_names_what_a_change_of_cadence_passes_over(api, drain):
    plant = generated(api, drain)
    plant.deliver(5, "2025-01-31T12:00:00Z")
    activate(api, plant, MASS, cadence="daily")

    result = plant.generate(("2025-01-31T00:00:00Z", "2025-02-06T00:00:00Z"))

    # The 2 t of February are credited; the 5 t of the last of January are not, and that is said.
    assert (plant.balance(), result["passed_over_slots"]) == (3, ["2025-01-31"])


def test_of_what_is_passed_over_those_with_data_are_named_as_the_data_are_now(api, drain):
    """Weeks of a generated January: events that moved, went or are of another type leave no data behind."""
    plant = generated(api, drain)
    project = f"/projects/{plant.project['id']}"
    moved = plant.deliver(5, "2025-01-08T12:00:00Z")
    gone = plant.deliver(7, "2025-01-14T12:00:00Z")
    plant.bill(9, "2025-01-15T12:00:00Z")
    activate(api, plant, MASS, cadence="weekly")
    elsewhere = {"start_time": "2025-01-24T00:00:00Z", "end_time": "2025-01-24T00:00:00Z"}
    api.patch(f"{project}/events/{moved}", {"event": elsewhere}).expect(200)
    api.delete(f"{project}/events/{gone}").expect(204)

    (preview,) = plant.preview(("2024-12-30T00:00:00Z", "2025-02-10T00:00:00Z"))
    result = plant.generate(("2024-12-30T00:00:00Z", "2025-02-10T00:00:00Z"))

    assert result["passed_over_slots"] == [f"2025-W0{number}" for number in range(1, 6)]
    assert result["passed_over_with_data"] == preview["passed_over_with_data"] == ["2025-W01", "2025-W04"]

    replaced = plant.generate(("2024-12-30T00:00:00Z", "2025-02-10T00:00:00Z"), model_version="latest")
    assert (plant.balance(), replaced["passed_over_with_data"]) == (8, [])


def test_a_preview_names_slots_in_order_and_those_passed_over_by_the_active_cadence(api, drain):
    plant = generated(api, drain)
    plant.generate(FEBRUARY)
    newer = activate(api, plant, DOUBLED)
    plant.generate(JANUARY, model_version="latest")
    activate(api, replace(plant, model=newer), MASS, cadence="quarterly")

    (entry,) = plant.preview(QUARTER)

    assert (entry["slots"], entry["passed_over_slots"]) == (["2025-01", "2025-02"], ["2025-Q1"])


def test_days_replace_a_whole_generated_month(api, drain):
    plant = generated(api, drain)
    plant.deliver(3, "2025-01-20T00:00:00Z")
    activate(api, plant, MASS, cadence="daily")

    result = plant.generate(JANUARY, model_version="latest")

    assert (result["created"], result["adjusted"]) == (2, 1)
    assert plant.balance() == 4


def test_a_replacement_that_would_cut_a_generated_month_is_refused(api, drain):
    plant = generated(api, drain)
    activate(api, plant, MASS, cadence="daily")

    answer = plant.start(("2025-01-10T00:00:00Z", "2025-01-20T00:00:00Z"), model_version="latest").expect(422)

    assert answer.error["code"] == "cut_slot"
    assert "2025-01" in answer.error["message"]


def test_events_replace_the_whole_months_that_the_range_selects(api, drain):
    plant = accounting.plant(api, drain)
    for moment in ("2025-01-05T00:00:00Z", "2025-02-01T00:00:00Z", "2025-03-31T23:59:59.500Z"):
        plant.deliver(1, moment)
    plant.generate(QUARTER)
    activate(api, plant, MASS, cadence="event")

    result = plant.generate(QUARTER, model_version="latest")

    assert (result["created"], result["adjusted"], plant.balance()) == (3, 3, 3)


def test_a_month_is_not_counted_beside_a_reading_at_its_very_start(api, drain):
    plant = accounting.plant(api, drain, cadence="event")
    event = plant.deliver(1, "2025-02-01T00:00:00Z")
    plant.generate(QUARTER)
    activate(api, plant, MASS, cadence="monthly")

    (entry,) = plant.preview(FEBRUARY)
    assert (entry["passed_over_slots"], entry["count"]) == (["2025-02"], 0)
    plant.generate(QUARTER, model_version="latest")

    assert plant.balance() == 1
    assert sorted(batch["tracking_id"] for batch in plant.batches()) == ["2025-02", event, event]


def test_a_range_within_a_generated_slot_of_another_cadence_is_refused_by_name(api, drain):
    plant = accounting.plant(api, drain, cadence="quarterly")
    plant.deliver(1)
    plant.generate(QUARTER)
    activate(api, plant, MASS, cadence="monthly")

    answer = plant.start(("2025-03-01T00:00:00Z", "2025-04-10T00:00:00Z")).expect(422)

    assert answer.error["code"] == "passed_over"
    assert "2025-03" in answer.error["message"]


def test_another_value_than_latest_is_refused(api, drain):
    plant = accounting.plant(api, drain)

    assert plant.start(JANUARY, model_version="newest").expect(400)
