"""Where slots of two versions meet that take events across a border by other ends, none counts twice or gets
lost without a word.
"""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import inputs as given_inputs
from tests.given.inputs import measure
from tests.given.on_purpose import broken_on_purpose
from tests.given.reports import Claims

from weighbridge.verification.invariants import COUNTED_ONCE, check_counted_once

JANUARY = ("2025-01-01T00:00:00Z", "2025-02-01T00:00:00Z")
FEBRUARY = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")
MARCH = ("2025-03-01T00:00:00Z", "2025-04-01T00:00:00Z")
BOTH = (JANUARY[0], FEBRUARY[1])
LOST = "they lie across a boundary between slots of two versions"


def power(straddle):
    return f"""
  - slug: power
    input: {{event_type: bill, data_point_type: energy, aggregate: sum, straddle: {straddle}, coverage: any}}
    unit: kWh
    output: true
"""


def billing(api, drain, straddle, **fields):
    """A plant with a bill of 22 kWh from 20 January to 11 February, and one of 1 kWh within each month."""
    plant = given_inputs.plant(api, drain, power(straddle), primary_output="power", unit="kWh", **fields)
    across = bill(plant, 22, "2025-01-20", "2025-02-11")
    for month in (1, 2):
        bill(plant, 1, f"2025-0{month}-05", f"2025-0{month}-06")
    return plant, across


def bill(plant, energy, start, end):
    return measure(plant, "bill", {"energy": Decimal(energy)}, start, end_time=end)


def activate(plant, straddle, **fields):
    """A newer version that takes events across a border otherwise, and is active from now on."""
    text = accounting.document(power(straddle), primary_output="power", **fields)
    newer = accounting.version(plant.api, plant.model, text)
    plant.api.post(f"/models/{newer['id']}/activate", {}).expect(200)


DOUBLED = [("start", "end"), ("start", "prorate"), ("prorate", "end")]
"""What two versions take so that the bill would count more than once."""
TOO_LITTLE = [("end", "start"), ("end", "prorate"), ("prorate", "start")]
"""What two versions take so that the bill, or a part of it, counts nowhere."""
RIGHT = [("start", "start"), ("end", "end"), ("prorate", "prorate"), ("start", "report"), ("report", "end")]


@pytest.mark.parametrize(("before", "after"), DOUBLED)
def test_a_generation_that_would_count_an_event_again_fails_and_names_it(api, drain, before, after):
    plant, across = billing(api, drain, before)
    plant.generate(JANUARY)
    activate(plant, after)

    problem = plant.failure(FEBRUARY)

    assert across in problem
    assert "more than once" in problem
    plant.generate(BOTH, model_version="latest")
    assert plant.balance() == 24


@pytest.mark.parametrize(("before", "after"), TOO_LITTLE)
def test_an_event_that_neither_version_takes_whole_is_named_and_keeps_a_report_back(
    api, drain, before, after
):
    plant, across = billing(api, drain, before)
    plant.generate(JANUARY)
    activate(plant, after)

    result = plant.generate(FEBRUARY)

    [named] = [one for one in result["not_counted"] if one["reason"].startswith(LOST)]
    assert named["events"] == [across]
    report = Claims(plant).report(1, 1)
    refusal = api.post(f"/reports/{report['id']}/submit", {}).expect(422)
    [told] = [error for error in refusal.errors if error["code"] == "late_data"]
    assert told["records"] == [across]
    plant.generate(BOTH, model_version="latest")
    assert plant.balance() == 24


@pytest.mark.parametrize(("before", "after"), RIGHT)
def test_versions_that_agree_at_the_border_count_the_event_once(api, drain, before, after):
    plant, _ = billing(api, drain, before)
    plant.generate(JANUARY)
    activate(plant, after)

    plant.generate(FEBRUARY)

    assert plant.balance() == 24


def test_a_month_that_only_the_lost_bill_would_have_counted_in_is_looked_at_too(api, drain):
    plant = given_inputs.plant(api, drain, power("end"), primary_output="power", unit="kWh")
    bill(plant, 1, "2025-01-05", "2025-01-06")
    across = bill(plant, 22, "2025-01-20", "2025-02-11")
    plant.generate(JANUARY)
    activate(plant, "start")
    assert [one["events"] for one in plant.generate(FEBRUARY)["not_counted"]] == [[across]]

    report = Claims(plant).report(1)
    refusal = api.post(f"/reports/{report['id']}/submit", {}).expect(422)

    assert [error["records"] for error in refusal.errors if error["code"] == "late_data"] == [[across]]


def test_an_event_that_begins_and_ends_many_slots_from_the_border_is_weighed_whole(api, drain):
    plant, across = billing(api, drain, "start", cadence="daily")
    plant.generate(JANUARY)
    activate(plant, "end", cadence="daily")

    problem = plant.failure(FEBRUARY)

    assert across in problem


def test_open_time_between_two_cadences_is_a_border_too(api, drain):
    plant, across = billing(api, drain, "start")
    plant.generate(JANUARY)
    activate(plant, "end", cadence="weekly")

    problem = plant.failure(FEBRUARY)

    assert across in problem


def test_an_event_that_is_lost_across_open_time_is_named(api, drain):
    plant, across = billing(api, drain, "end")
    plant.generate(JANUARY)
    activate(plant, "start", cadence="weekly")

    result = plant.generate(FEBRUARY)

    [named] = [one for one in result["not_counted"] if one["reason"].startswith(LOST)]
    assert named["events"] == [across]


def test_an_event_that_ends_in_open_time_is_named(api, drain):
    plant, _ = billing(api, drain, "end")
    into = bill(plant, 3, "2025-01-30", "2025-02-02")
    plant.generate(JANUARY)
    activate(plant, "start", cadence="weekly")

    result = plant.generate(FEBRUARY)

    assert into in [event for one in result["not_counted"] for event in one["events"]]


def test_a_slot_that_counts_nothing_doubles_nothing(api, drain):
    plant = given_inputs.plant(api, drain, power("start"), primary_output="power", unit="kWh")
    bill(plant, 22, "2025-01-20", "2025-02-11")
    plant.generate(BOTH)
    activate(plant, "end")

    report = Claims(plant).report(22)

    api.post(f"/reports/{report['id']}/submit", {}).expect(202)


def test_a_part_that_is_generated_later_is_not_lost(api, drain):
    plant = given_inputs.plant(api, drain, power("end"), primary_output="power", unit="kWh")
    bill(plant, 1, "2025-01-05", "2025-01-06")
    bill(plant, 4, "2025-02-20", "2025-03-11")
    plant.generate(JANUARY)
    activate(plant, "start")

    result = plant.generate(MARCH)

    assert [one["reason"] for one in result["not_counted"] if one["reason"].startswith(LOST)] == []
    plant.generate(FEBRUARY)
    assert plant.balance() == 5


@pytest.mark.parametrize(("before", "after"), DOUBLED)
def test_what_1_0_0_counted_twice_is_named_by_verification(api, drain, server, before, after):
    plant, across = billing(api, drain, before)
    plant.generate(JANUARY)
    activate(plant, after)
    end = {"event": {"end_time": "2025-02-01T00:00:00Z"}}
    api.patch(f"/projects/{plant.project['id']}/events/{across}", end).expect(200)
    plant.generate(FEBRUARY)
    project = broken_on_purpose(plant.project["numeric_id"])
    server.sql(
        "UPDATE batch_inputs SET event_ids = event_ids || %s, first_event = least(first_event, %s)"
        " WHERE project_id = %s AND batch_id = %s",
        *[accounting.key_of("event", across)[1]] * 2,
        project,
        accounting.key_of("batch", plant.batches()[-1]["id"])[1],
    )

    async def check():
        async with server.database.read() as tx:
            return (await check_counted_once(tx, project))[COUNTED_ONCE]

    [sentence] = server.run(check())
    assert across in sentence
