"""Events across a slot's boundary, and how much of a slot data cover. Model format, Options of an input."""

from decimal import Decimal

import pytest
from tests.given import inputs as given_inputs
from tests.given.inputs import inputs_of, measure, nodes_of, recomputed

BOTH = ("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z")


def power(options, aggregate="sum"):
    return f"""
  - slug: power
    input: {{event_type: bill, data_point_type: energy, aggregate: {aggregate}{options}}}
    unit: kWh
    output: true
"""


def billing(api, drain, options, aggregate="sum", **fields):
    """A plant that counts bills."""
    return given_inputs.plant(
        api, drain, power(options, aggregate), primary_output="power", unit="kWh", **fields
    )


def bill(plant, energy, start, end, **fields):
    return measure(plant, "bill", {"energy": Decimal(energy)}, start, end_time=end, **fields)


def totals(plant):
    return [batch["run_total"] for batch in plant.batches()]


@pytest.mark.parametrize(
    ("straddle", "expected"), [("start", [Decimal(7), Decimal(5)]), ("end", [Decimal(2), Decimal(10)])]
)
def test_an_event_counts_where_it_begins_or_where_it_ends(api, drain, server, straddle, expected):
    plant = billing(api, drain, f", straddle: {straddle}")
    bill(plant, 2, "2025-01-05", "2025-02-01")
    bill(plant, 5, "2025-01-20", "2025-02-10")
    bill(plant, 5, "2025-02-01", "2025-03-01")

    result = plant.generate(BOTH)

    assert result["not_counted"] == []
    assert totals(plant) == expected
    assert recomputed(server, plant) == []


def test_a_bill_is_divided_by_time_and_its_parts_sum_to_it(api, drain, server):
    plant = billing(api, drain, ", straddle: prorate")
    bill(plant, 59, "2025-01-01", "2025-03-01")

    assert plant.preview(BOTH)[0]["count"] == 2
    result = plant.generate(BOTH)

    assert result["not_counted"] == []
    assert totals(plant) == [31, 28]
    assert [inputs_of(plant, number) for number in (0, 1)] == [[59], [59]]
    assert recomputed(server, plant) == []


def test_the_parts_of_a_bill_sum_to_it_to_the_last_digit(api, drain, server):
    plant = billing(api, drain, ", straddle: prorate, coverage: any")
    bill(plant, 10, "2025-01-30", "2025-02-06")

    plant.generate(BOTH)

    parts = [nodes_of(plant, number)["power"]["value"] for number in (0, 1)]
    assert parts == [
        Decimal("2.85714285714285714285714285714286"), Decimal("7.14285714285714285714285714285714"),
    ]  # fmt: skip
    assert sum(parts) == 10
    assert recomputed(server, plant) == []


def test_an_average_over_time_takes_what_reaches_into_the_slot(api, drain, server):
    plant = billing(api, drain, ", straddle: prorate", "time_weighted")
    bill(plant, 1, "2024-12-01", "2025-01-11")
    bill(plant, 32, "2025-01-11", "2025-02-11")

    plant.generate()

    assert totals(plant) == [22]
    assert recomputed(server, plant) == []


def test_by_default_what_straddles_is_reported(api, drain):
    plant = billing(api, drain, "")
    bill(plant, 1, "2025-01-01", "2025-02-01")
    across = bill(plant, 5, "2025-01-20", "2025-02-10")

    plant.generate()

    (named,) = plant.preview()[0]["not_counted"]
    assert (named["reason"], named["events"]) == ("they lie across a boundary between slots", [across])
    assert totals(plant) == [1]


LENGTHS = {
    "minutes": ("2025-01-31T23:50:00Z", "2025-02-01T00:10:00Z"),
    "an hour": ("2025-01-31T23:30:00Z", "2025-02-01T00:30:00Z"),
    "an hour and the least more": ("2025-01-31T23:30:00Z", "2025-02-01T00:30:00.001Z"),
    "days": ("2025-01-20T00:00:00Z", "2025-02-10T00:00:00Z"),
    "into the range": ("2024-12-31T23:50:00Z", "2025-01-01T00:10:00Z"),
    "long into the range": ("2024-11-01T00:00:00Z", "2025-01-20T00:00:00Z"),
    "out of the range": ("2025-02-28T23:59:59.999Z", "2025-03-01T00:00:00.001Z"),
    "long out of the range": ("2025-02-20T00:00:00Z", "2025-06-01T00:00:00Z"),
    "over all of it": ("2024-06-01T00:00:00Z", "2026-01-01T00:00:00Z"),
}


@pytest.mark.parametrize(("start", "end"), LENGTHS.values(), ids=LENGTHS)
def test_whatever_its_length_an_event_across_a_boundary_is_reported_once(api, drain, server, start, end):
    plant = billing(api, drain, "")
    bill(plant, 1, "2025-01-31T23:00:00Z", "2025-02-01")
    bill(plant, 2, "2025-02-01", "2025-02-01T00:10:00Z")
    across = bill(plant, 100, start, end)
    bill(plant, 100, "2024-12-31T23:50:00Z", "2025-01-01")
    bill(plant, 100, "2025-03-01", "2025-03-01T00:10:00Z")

    result = plant.generate(BOTH)

    (named,) = result["not_counted"]
    assert (named["event_count"], named["events"]) == (1, [across])
    assert totals(plant) == [1, 2]
    assert recomputed(server, plant) == []


COUNTED = {"start": [101, 2], "end": [1, 102]}


@pytest.mark.parametrize("straddle", COUNTED)
@pytest.mark.parametrize("length", ["minutes", "an hour", "an hour and the least more", "days"])
def test_whatever_its_length_an_event_across_a_boundary_counts_once(api, drain, server, straddle, length):
    plant = billing(api, drain, f", straddle: {straddle}")
    bill(plant, 1, "2025-01-05", "2025-01-06")
    bill(plant, 2, "2025-02-05", "2025-02-06")
    bill(plant, 100, *LENGTHS[length])

    result = plant.generate(BOTH)

    assert result["not_counted"] == []
    assert totals(plant) == COUNTED[straddle]
    assert recomputed(server, plant) == []


@pytest.mark.parametrize("length", ["minutes", "an hour", "an hour and the least more", "days"])
def test_whatever_its_length_an_event_across_a_boundary_is_divided(api, drain, server, length):
    plant = billing(api, drain, ", straddle: prorate, coverage: any")
    bill(plant, 100, *LENGTHS[length])

    plant.generate(BOTH)

    assert len(totals(plant)) == 2
    assert sum(totals(plant)) == 100
    assert recomputed(server, plant) == []


def test_divided_bills_must_cover_the_slot_and_the_first_gap_is_named(api, drain):
    plant = billing(api, drain, ", straddle: prorate")
    bill(plant, 1, "2024-12-20", "2025-01-10")
    bill(plant, 1, "2025-01-12", "2025-02-20")

    assert plant.preview()[0]["problems"] == [plant.failure()]
    assert plant.failure() == (
        "2025-01: Input 'power' does not cover the slot: nothing covers 2025-01-10T00:00:00.000Z to "
        "2025-01-12T00:00:00.000Z."
    )


def test_divided_bills_must_not_cover_the_same_time_twice(api, drain):
    plant = billing(api, drain, ", straddle: prorate")
    bill(plant, 1, "2024-12-20", "2025-01-10")
    bill(plant, 1, "2025-01-08", "2025-02-20")

    assert plant.failure() == (
        "2025-01: Input 'power' does not cover the slot: more than one covers 2025-01-08T00:00:00.000Z to "
        "2025-01-10T00:00:00.000Z."
    )


def test_bills_of_two_meters_cover_the_slot_each_by_itself(api, drain):
    plant = billing(api, drain, ", straddle: prorate")
    kilns = [
        plant.api.post(f"/projects/{plant.project['id']}/assets", {"asset": {"name": name}}).expect(201).body
        for name in ("East", "West")
    ]
    bill(plant, 31, "2025-01-01", "2025-02-01", asset_id=kilns[0]["id"])
    bill(plant, 62, "2024-12-01", "2025-02-01", asset_id=kilns[1]["id"])

    plant.generate()

    assert totals(plant) == [62]


@pytest.mark.parametrize(("coverage", "is_enough"), [("90%", True), ("95%", False), ("any", True)])
def test_a_percentage_says_how_much_must_be_covered(api, drain, coverage, is_enough):
    plant = billing(api, drain, f", straddle: prorate, coverage: {coverage}")
    bill(plant, 1, "2025-01-01", "2025-01-30")

    assert (plant.preview()[0]["problems"] == []) is is_enough


def test_readings_of_a_cadence_must_be_there_for_every_slot_of_it(api, drain, server):
    plant = billing(api, drain, "", cadences={"bill": (1, "day")}, time_zone="Europe/Berlin")
    january = ("2024-12-31T23:00:00Z", "2025-01-31T23:00:00Z")
    for day in range(1, 32):
        if day != 17:
            measure(plant, "bill", {"energy": 1}, f"2025-01-{day:02d}T06:15:00+01:00")

    assert plant.failure(january) == (
        "2025-01: Input 'power' does not cover the slot: nothing covers 2025-01-16T23:00:00.000Z to "
        "2025-01-17T23:00:00.000Z."
    )
    measure(plant, "bill", {"energy": 5}, "2025-01-17T23:59:59+01:00")
    plant.generate(january)
    assert totals(plant) == [35]
    assert recomputed(server, plant) == []


def test_a_reading_of_the_same_moment_counts_the_time_twice(api, drain):
    plant = billing(api, drain, "", cadences={"bill": (1, "week")})
    for day in (6, 13, 20, 20, 27):
        measure(plant, "bill", {"energy": 1}, f"2025-01-{day:02d}T06:15:00Z")

    assert "more than one covers 2025-01-20T00:00:00.000Z to 2025-01-27T00:00:00.000Z" in plant.failure()


def test_coverage_any_takes_what_is_there(api, drain):
    plant = billing(api, drain, ", coverage: any", cadences={"bill": (15, "minute")})
    measure(plant, "bill", {"energy": 3}, "2025-01-01T06:15:00Z")

    plant.generate()

    assert totals(plant) == [3]
