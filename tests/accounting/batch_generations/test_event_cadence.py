"""Cadence `event`: a slot for each event, or for each tracking id. Design, Periods; Slots and versions."""

from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given.accounting import JANUARY, QUARTER

from weighbridge.verification.recomputation import check_batches

TRIP = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: true}
    unit: t
    output: true
"""
WITH_FUEL = (
    TRIP
    + """
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
    optional: true
    default: 0
    output: true
"""
)


def by_event(api, drain, nodes=TRIP, **settings):
    return accounting.plant(api, drain, nodes, cadence="event", **settings)


def correct(api, plant, event, **fields):
    path = f"/projects/{plant.project['id']}/events/{event}"
    api.patch(path, {"event": fields}).expect(200)


@pytest.fixture
def recomputed(server):
    """Computes every batch of a plant's project anew; gives what differs."""

    def run(plant):
        async def check():
            async with server.database.read() as tx:
                return await check_batches(tx, plant.project["numeric_id"])

        return server.run(check())[1]

    return run


def test_every_event_makes_a_batch_of_its_own(api, drain, recomputed):
    plant = by_event(api, drain)
    first, second = plant.deliver(1, 5), plant.deliver(2, 6)

    result = plant.generate()

    assert result["created"] == 2
    assert plant.credits() == {first: 1, second: 2}
    times = [(batch["start_time"], batch["end_time"]) for batch in plant.batches()]
    assert times == [("2025-01-05T12:00:00.000Z",) * 2, ("2025-01-06T12:00:00.000Z",) * 2]
    assert recomputed(plant) == []


def test_two_events_of_the_same_moment_make_two_batches(api, drain, recomputed):
    plant = by_event(api, drain)
    plant.deliver(1, 5)
    plant.deliver(1, 5)

    assert plant.generate()["created"] == 2
    assert plant.balance() == 2
    assert recomputed(plant) == []


def test_generating_again_creates_nothing(api, drain):
    plant = by_event(api, drain)
    plant.deliver(1, 5)
    plant.generate()

    assert plant.generate() == plant.generate()
    assert plant.count() == 0


def test_a_tracking_id_makes_a_batch_that_spans_its_events(api, drain, recomputed):
    plant = by_event(api, drain, WITH_FUEL, partition_type="tracking_id")
    plant.deliver(1, 5, tracking_id="Trip 1")
    plant.deliver(2, 9, tracking_id="Trip 1")
    plant.deliver(4, 7, tracking_id="Trip 2")
    plant.bill(100, 11, tracking_id="Trip 1")

    assert plant.generate()["created"] == 2

    assert plant.credits() == {"Trip 1": 3, "Trip 2": 4}
    (trip,) = [batch for batch in plant.batches() if batch["tracking_id"] == "Trip 1"]
    assert (trip["start_time"], trip["end_time"]) == ("2025-01-05T12:00:00.000Z", "2025-01-11T12:00:00.000Z")
    assert recomputed(plant) == []


def test_a_tracking_id_is_the_same_slot_when_a_late_event_stretches_it(api, drain, recomputed):
    plant = by_event(api, drain, partition_type="tracking_id")
    plant.deliver(1, 5, tracking_id="Trip 1")
    plant.generate()
    plant.deliver(2, 9, tracking_id="Trip 1")

    result = plant.generate()

    assert (result["created"], result["adjusted"]) == (0, 1)
    assert plant.balance() == 3
    assert recomputed(plant) == []


def test_an_event_is_the_same_slot_when_its_time_is_corrected(api, drain, recomputed):
    plant = by_event(api, drain)
    event = plant.deliver(1, 5)
    plant.generate()
    correct(api, plant, event, start_time="2025-02-05T12:00:00Z", end_time="2025-02-05T12:00:00Z")

    result = plant.generate(QUARTER)

    assert (result["created"], result["adjusted"]) == (0, 1)
    assert plant.balance() == 1
    assert recomputed(plant) == []


def test_an_event_that_left_the_range_is_found_where_it_is_now(api, drain):
    plant = by_event(api, drain)
    event = plant.deliver(1, 5)
    plant.generate()
    correct(api, plant, event, start_time="2025-05-05T12:00:00Z", end_time="2025-05-05T12:00:00Z")

    assert plant.start(JANUARY).expect(422).error["code"] == "no_slot"
    result = plant.generate(("2025-05-01T00:00:00Z", "2025-06-01T00:00:00Z"))

    assert (result["created"], result["adjusted"], plant.balance()) == (0, 1, 1)


def test_events_are_cut_by_feedstock_too(api, drain):
    plant = by_event(api, drain, partition_type="feedstock")
    wood = plant.feedstock("Wood")
    event = plant.deliver(1, 5, feedstock_id=wood)

    plant.generate()

    assert plant.credits() == {f"{event} Wood": 1}


def test_a_model_reads_several_values_of_the_event_that_a_slot_is(api, drain):
    nodes = (
        TRIP
        + """
  - slug: half
    formula: mass / 2
    unit: t
"""
    )
    plant = by_event(api, drain, nodes)
    plant.deliver(3, 5)

    plant.generate()

    (batch,) = plant.batches()
    lineage = api.get(f"/batches/{batch['id']}/lineage").expect(200).body
    assert [node["value"] for node in lineage["nodes"]] == [3, Decimal("1.5")]


def test_a_bill_that_lies_in_several_slots_is_not_counted_twice(api, drain):
    plant = by_event(api, drain, WITH_FUEL)
    plant.deliver(1, "2025-01-05T00:00:00Z", end_time="2025-01-09T00:00:00Z")
    plant.deliver(1, "2025-01-05T00:00:00Z", end_time="2025-01-10T00:00:00Z")
    bill = plant.bill(100, 7)

    assert bill in plant.failure()


def test_an_event_without_a_tracking_id_is_reported_and_not_dropped(api, drain):
    plant = by_event(api, drain, partition_type="tracking_id")
    plant.deliver(1, 5, tracking_id="Trip 1")
    untagged = plant.deliver(2, 6)

    (found,) = plant.generate()["not_counted"]

    assert (found["event_count"], found["events"]) == (1, [untagged])
    assert "tracking id" in found["reason"]


def test_a_range_without_events_selects_no_slot(api, drain):
    plant = by_event(api, drain)

    answer = plant.start(JANUARY).expect(422)

    assert answer.error["code"] == "no_slot"


def test_an_event_of_which_half_lies_in_the_range_is_selected(api, drain):
    plant = by_event(api, drain)
    plant.deliver(1, "2025-01-31T00:00:00Z", end_time="2025-02-02T00:00:00Z")
    plant.deliver(2, "2025-01-31T23:00:00Z", end_time="2025-02-02T00:00:00Z")

    (entry,) = plant.preview(JANUARY)

    assert (entry["count"], len(entry["touched_slots"])) == (1, 1)


def test_a_voided_event_brings_its_batch_to_zero(api, drain, sql):
    plant = by_event(api, drain)
    event = plant.deliver(1, 5)
    plant.deliver(2, 6)
    plant.generate()
    accounting.void(sql, event)

    result = plant.generate()

    assert result["adjusted"] == 1
    assert plant.balance() == 2


def test_a_slot_whose_partitions_were_posted_at_different_times_is_one_slot(api, drain, recomputed):
    plant = by_event(api, drain, WITH_FUEL, partition_type="tracking_id_and_feedstock")
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    plant.deliver(1, 5, tracking_id="T1", feedstock_id=wood)
    plant.deliver(2, 9, tracking_id="T1", feedstock_id=straw)
    plant.bill(10, 6, tracking_id="T1")
    plant.generate()
    plant.deliver(4, 20, tracking_id="T1", feedstock_id=straw)
    plant.generate()

    plant.deliver(8, 21, tracking_id="T1", feedstock_id=straw)
    (entry,) = plant.preview()
    result = plant.generate()

    assert (entry["slots"], entry["count"]) == (["T1"], 1)
    assert (result["adjusted"], result["unchanged"], plant.balance()) == (1, 1, 15)
    assert recomputed(plant) == []


def test_the_slot_that_an_event_left_by_its_tracking_id_is_generated_with_the_one_that_has_it(
    api, drain, recomputed
):
    plant = by_event(api, drain, partition_type="tracking_id")
    plant.deliver(1, 5, tracking_id="T1")
    moved = plant.deliver(10, "2025-02-09T00:00:00Z", tracking_id="T1")
    plant.deliver(100, "2025-02-10T00:00:00Z", tracking_id="T2")
    plant.generate(QUARTER)
    correct(api, plant, moved, tracking_id="T2")

    plant.generate(("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"))

    totals = {batch["tracking_id"]: batch["run_total"] for batch in plant.batches(sort="id")}
    assert totals == {"T1": 1, "T2": 110}
    assert plant.balance() == 111
    assert recomputed(plant) == []


def test_an_event_that_goes_from_one_reading_to_another_of_the_same_moment_is_counted_once(api, drain):
    plant = by_event(api, drain, partition_type="tracking_id")
    moved = plant.deliver(10, 9, tracking_id="T1")
    plant.deliver(100, 9, tracking_id="T2")
    plant.generate()
    correct(api, plant, moved, tracking_id="T2")

    plant.generate()

    assert plant.balance() == 110


def test_a_batch_of_a_slot_that_has_grown_is_not_stale_once_it_was_looked_at_again(api, drain):
    plant = by_event(api, drain, partition_type="tracking_id_and_feedstock")
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    first = plant.deliver(1, 5, tracking_id="T1", feedstock_id=wood)
    plant.deliver(2, 9, tracking_id="T1", feedstock_id=straw)
    plant.generate()
    plant.deliver(4, 20, tracking_id="T1", feedstock_id=straw)
    plant.generate()
    correct(api, plant, first, start_time="2025-01-06T12:00:00Z", end_time="2025-01-06T12:00:00Z")
    correct(api, plant, first, start_time="2025-01-05T12:00:00Z", end_time="2025-01-05T12:00:00Z")
    assert any(batch["is_stale"] for batch in plant.batches())

    plant.generate()

    assert not any(batch["is_stale"] for batch in plant.batches())
