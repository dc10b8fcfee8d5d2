"""POST /ledgers/{ledger_id}/generate_preview. Seed, Generation preview entry; design, Preview."""

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import JANUARY, MASS, POWER_EVENLY, QUARTER


def test_a_preview_counts_what_generation_then_creates(api, drain):
    plant = accounting.plant(api, drain, partition_type="feedstock")
    straw, wood = plant.feedstock("Straw"), plant.feedstock("Wood")
    plant.deliver(1, "2025-01-05T00:00:00Z", feedstock_id=straw)
    plant.deliver(2, "2025-01-06T00:00:00Z", feedstock_id=wood)
    plant.deliver(3, "2025-03-05T00:00:00Z", feedstock_id=wood)

    (entry,) = plant.preview(QUARTER)

    assert (entry["id"], entry["name"]) == (plant.ledger["id"], "Deliveries")
    assert (entry["count"], entry["adjustments"]) == (3, 0)
    assert plant.generate(QUARTER)["created"] == 3


def test_a_preview_creates_nothing(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)

    assert (plant.count(), plant.count()) == (1, 1)
    assert (plant.batches(), api.get("/async_tasks").data) == ([], [])


def test_after_a_generation_the_preview_counts_nothing(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()

    (entry,) = plant.preview()

    assert (entry["count"], entry["adjustments"]) == (0, 0)


def test_a_preview_counts_adjustments_apart(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-05T00:00:00Z")
    plant.generate(QUARTER)
    plant.deliver(1, "2025-01-06T00:00:00Z")
    plant.deliver(1, "2025-02-06T00:00:00Z")

    (entry,) = plant.preview(QUARTER)

    assert (entry["count"], entry["adjustments"]) == (2, 1)


def test_a_preview_names_the_slots_that_are_selected_and_those_that_are_only_touched(api, drain):
    plant = accounting.plant(api, drain)

    (entry,) = plant.preview(("2025-01-20T00:00:00Z", "2025-03-25T00:00:00Z"))

    assert (entry["slots"], entry["touched_slots"]) == (["2025-02", "2025-03"], ["2025-01"])


def test_a_preview_says_what_would_fail_the_generation(api, drain):
    plant = accounting.plant(api, drain, accounting.MASS + accounting.FAILS_AT_ZERO)
    plant.deliver(0)

    (entry,) = plant.preview()

    assert entry["problems"] == [plant.failure()]


def test_straddling_events_are_named_and_not_counted(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, 5)
    late = plant.deliver(7, "2025-01-31T20:00:00Z", end_time="2025-02-01T04:00:00Z")
    early = plant.deliver(7, "2024-12-31T20:00:00Z", end_time="2025-01-01T04:00:00Z")

    (entry,) = plant.preview()
    result = plant.generate()

    named = {
        "reason": "they lie across a boundary between slots",
        "event_type": "delivery",
        "event_count": 2,
        "events": [early, late],
    }
    assert entry["not_counted"] == [named]
    assert result["not_counted"] == [named]
    assert plant.credits() == {"2025-01": 1}


def test_an_event_longer_than_the_range_straddles_it(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, 5)
    long = plant.deliver(7, "2024-06-01T00:00:00Z", end_time="2025-06-01T00:00:00Z")

    (entry,) = plant.preview()

    assert [(one["event_count"], one["events"]) for one in entry["not_counted"]] == [(1, [long])]


def test_incomplete_events_are_named_and_not_counted(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, 5)
    body = given.event_body(event_type="delivery", start_time="2025-01-06T00:00:00Z", values={})
    incomplete = api.post(f"/projects/{plant.project['id']}/events", {"event": body}).expect(201).body
    assert incomplete["status"] == "incomplete"

    (entry,) = plant.preview()
    result = plant.generate()

    named = {
        "reason": "they lack a required value",
        "event_type": "delivery",
        "event_count": 1,
        "events": [incomplete["id"]],
    }
    assert entry["not_counted"] == result["not_counted"] == [named]


def test_events_whose_tags_fit_no_partition_that_runs_are_named_and_not_counted(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY, partition_type="feedstock")
    plant.deliver(1, feedstock_id=plant.feedstock("Straw"))
    plant.bill(3)
    alien = plant.bill(5, feedstock_id=plant.feedstock("Wood"))

    (entry,) = plant.preview()

    assert entry["not_counted"] == [
        {
            "reason": "no partition that runs agrees with their tags",
            "event_type": "bill",
            "event_count": 1,
            "events": [alien],
        }
    ]


def test_voided_events_are_gone_and_not_reported(api, drain, sql):
    plant = accounting.plant(api, drain)
    accounting.void(sql, plant.deliver(1))

    (entry,) = plant.preview()

    assert (entry["count"], entry["not_counted"]) == (0, [])


def test_a_preview_has_an_entry_for_each_ledger_when_they_run_concurrently(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    power = accounting.ledger(api, plant.project, plant.model, name="Power", unit="kWh", output="power")
    plant.deliver(4)
    plant.bill(9)

    alone, both = plant.preview(), plant.preview(generate_concurrent_ledgers=True)

    assert [entry["id"] for entry in alone] == [plant.ledger["id"]]
    assert [(entry["id"], entry["name"], entry["count"]) for entry in both] == [
        (plant.ledger["id"], "Deliveries", 1),
        (power["id"], "Power", 1),
    ]


def test_a_preview_needs_no_permission_to_write(account, api, drain):
    plant = accounting.plant(api, drain)
    reader = account.caller("production_accounting:read")
    path, body = f"/ledgers/{plant.ledger['id']}", accounting.range_of(JANUARY)

    reader.post(f"{path}/generate_preview", body).expect(200)
    reader.post(f"{path}/batch_generations", body).expect(403)
