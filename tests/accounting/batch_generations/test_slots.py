"""Time in generation: half-open slots of the model's cadence in the project's time zone."""

import pytest
from tests.given import accounting
from tests.given.accounting import JANUARY, QUARTER

YEAR = ("2025-01-01T00:00:00Z", "2025-12-31T23:59:59Z")


def slots_of(plant, start, end):
    (entry,) = plant.preview((start, end))
    return entry["slots"], entry["touched_slots"]


def test_a_reading_at_the_end_of_a_month_belongs_to_the_next(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-31T23:59:59.999Z")
    plant.deliver(2, "2025-02-01T00:00:00Z")

    plant.generate(QUARTER)

    assert plant.credits() == {"2025-01": 1, "2025-02": 2}


def test_a_stretch_may_begin_and_end_with_its_month(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-01T00:00:00Z", end_time="2025-02-01T00:00:00Z")
    plant.deliver(2, "2025-02-01T00:00:00Z", end_time="2025-02-01T01:00:00Z")

    result = plant.generate(QUARTER)

    assert plant.credits() == {"2025-01": 1, "2025-02": 2}
    assert result["not_counted"] == []


def test_a_stretch_that_ends_a_millisecond_later_straddles(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-01T00:00:00Z", end_time="2025-02-01T00:00:00.001Z")

    result = plant.generate(QUARTER)

    assert plant.batches() == []
    assert [one["event_count"] for one in result["not_counted"]] == [1]


def test_a_quarter_that_ends_a_second_before_midnight_selects_its_three_months(api, drain):
    plant = accounting.plant(api, drain)

    assert slots_of(plant, "2025-01-01T00:00:00Z", "2025-03-31T23:59:59Z") == (
        ["2025-01", "2025-02", "2025-03"],
        [],
    )


def test_the_month_so_far_selects_the_month(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-02T00:00:00Z")
    plant.deliver(1, "2025-01-20T00:00:00Z")

    plant.generate(("2025-01-01T00:00:00Z", "2025-01-03T00:00:00Z"))

    assert plant.credits() == {"2025-01": 2}


def test_half_a_slot_is_enough_and_less_only_touches_it(api, drain):
    plant = accounting.plant(api, drain, cadence="daily")

    assert slots_of(plant, "2025-01-01T12:00:00Z", "2025-01-03T12:00:00Z") == (
        ["2025-01-01", "2025-01-02", "2025-01-03"],
        [],
    )
    assert slots_of(plant, "2025-01-01T12:00:00.001Z", "2025-01-03T11:59:59.999Z") == (
        ["2025-01-02"],
        ["2025-01-01", "2025-01-03"],
    )


def test_a_range_that_selects_no_slot_is_refused(api, drain):
    plant = accounting.plant(api, drain)

    error = plant.start(("2025-01-20T00:00:00Z", "2025-02-10T00:00:00Z")).expect(422).error

    assert (error["field"], error["code"]) == ("start_time", "no_slot")
    assert error["message"] == "The range selects no monthly slot: less than half of each slot lies in it."


def test_a_range_over_too_many_slots_is_refused(api, drain):
    plant = accounting.plant(api, drain, cadence="hourly")

    error = plant.start(("2020-01-01T00:00:00Z", "2025-01-01T00:00:00Z")).expect(422).error

    assert (error["field"], error["code"]) == ("end_time", "too_long")
    assert "20,000 hourly slots" in error["message"]


@pytest.mark.parametrize(
    ("cadence", "labels"),
    [
        ("hourly", ["2025-01-01T10:00+0000"]),
        ("daily", ["2025-01-01"]),
        ("weekly", ["2025-W01"]),
        ("monthly", ["2025-01"]),
        ("quarterly", ["2025-Q1"]),
        ("annual", ["2025"]),
    ],
)
def test_every_cadence_credits_its_slot(api, drain, cadence, labels):
    plant = accounting.plant(api, drain, cadence=cadence)
    plant.deliver(1, "2025-01-01T10:30:00Z")

    plant.generate(("2025-01-01T10:00:00Z", "2025-01-01T11:00:00Z"))

    assert list(plant.credits()) == labels


def test_weeks_begin_on_monday(api, drain):
    plant = accounting.plant(api, drain, cadence="weekly")
    plant.deliver(1, "2025-01-05T23:59:59Z")
    plant.deliver(2, "2025-01-06T00:00:00Z")

    plant.generate(JANUARY)

    assert plant.credits() == {"2025-W01": 1, "2025-W02": 2}
    assert plant.batches()[0]["start_time"] == "2024-12-30T00:00:00.000Z"


def test_slots_are_cut_by_the_clock_on_the_projects_wall(api, drain):
    plant = accounting.plant(api, drain, time_zone="Asia/Kolkata")
    plant.deliver(1, "2025-01-31T18:29:59Z")
    plant.deliver(2, "2025-01-31T18:30:00Z")

    plant.generate(QUARTER)

    assert plant.credits() == {"2025-01": 1, "2025-02": 2}
    assert [(batch["start_time"], batch["end_time"]) for batch in plant.batches()] == [
        ("2024-12-31T18:30:00.000Z", "2025-01-31T18:30:00.000Z"),
        ("2025-01-31T18:30:00.000Z", "2025-02-28T18:30:00.000Z"),
    ]


def test_the_months_in_which_the_clocks_change_are_an_hour_shorter_and_longer(api, drain):
    plant = accounting.plant(api, drain, time_zone="Europe/Berlin")
    for month in (3, 10):
        plant.deliver(month, f"2025-{month:02d}-15T00:00:00Z")

    plant.generate(YEAR)

    assert [(batch["start_time"], batch["end_time"]) for batch in plant.batches()] == [
        ("2025-02-28T23:00:00.000Z", "2025-03-31T22:00:00.000Z"),
        ("2025-09-30T22:00:00.000Z", "2025-10-31T23:00:00.000Z"),
    ]


def test_the_days_on_which_the_clocks_change_have_23_and_25_hours(api, drain):
    plant = accounting.plant(api, drain, cadence="daily", time_zone="Europe/Berlin")
    plant.deliver(1, "2025-03-30T21:59:59Z")
    plant.deliver(2, "2025-03-30T22:00:00Z")
    plant.deliver(4, "2025-10-26T22:59:59Z")
    plant.deliver(8, "2025-10-26T23:00:00Z")

    plant.generate(YEAR)

    assert plant.credits() == {"2025-03-30": 1, "2025-03-31": 2, "2025-10-26": 4, "2025-10-27": 8}


def test_the_hour_that_comes_twice_is_two_slots(api, drain):
    plant = accounting.plant(api, drain, cadence="hourly", time_zone="Europe/Berlin")
    plant.deliver(1, "2025-10-26T00:30:00Z")
    plant.deliver(2, "2025-10-26T01:30:00Z")

    plant.generate(("2025-10-26T00:00:00Z", "2025-10-26T02:00:00Z"))

    assert plant.credits() == {"2025-10-26T02:00+0200": 1, "2025-10-26T02:00+0100": 2}


def test_times_are_taken_with_any_offset(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-02-01T00:30:00+01:00")

    plant.generate(("2025-01-01T05:00:00+05:00", "2025-02-01T05:00:00+05:00"))

    assert plant.credits() == {"2025-01": 1}


def test_a_generation_includes_the_slot_that_holds_an_event_moved_out_of_it(api, drain):
    plant = accounting.plant(api, drain)
    moved = plant.deliver(3, "2025-01-31T23:00:00Z")
    plant.deliver(1, "2025-01-05T00:00:00Z")
    plant.generate(QUARTER)
    path = f"/projects/{plant.project['id']}/events/{moved}"
    times = {"start_time": "2025-02-01T01:00:00Z", "end_time": "2025-02-01T01:00:00Z"}
    api.patch(path, {"event": times}).expect(200)

    result = plant.generate(("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"))

    assert (result["created"], result["adjusted"]) == (1, 1)
    held = {
        batch["tracking_id"]: batch["ledger_balance"] for batch in plant.batches() if not batch["adjusts"]
    }
    assert held == {"2025-01": 1, "2025-02": 3}
