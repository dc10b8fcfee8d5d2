"""Inputs that a caller names for slots of cadence `event`: they stay with the event or the tracking id,
whatever its times are, and `update_inputs` reaches one slot alone. Design, Slots and versions; Explicit
inputs.
"""

import pytest
from tests.given import accounting, chain
from tests.given.accounting import JANUARY, QUARTER
from tests.given.inputs import recomputed

TRIP = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: true}
    unit: t
    output: true
"""
FUEL = """
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
    optional: true
    default: 0
    output: true
"""
BY_HAND = chain.PRODUCED + chain.upstream("select: manual") + chain.USED


def point(plant, event):
    path = f"/projects/{plant.project['id']}/events/{event}/data_points"
    return plant.api.get(path).expect(200).data[0]["id"]


def kind_of(plant, slug):
    kinds = plant.api.get(f"/projects/{plant.project['id']}/event_types").expect(200).data
    return next(one["id"] for kind in kinds for one in kind["data_point_types"] if one["slug"] == slug)


def update(plant, batch, **inputs):
    """Give a batch other inputs; gives the batch when its task has ended."""
    path = f"/ledgers/{plant.ledger['id']}/batches/{batch['id']}/update_inputs"
    plant.api.patch(path, inputs).expect(200)
    plant.drain()
    return plant.api.get(f"/batches/{batch['id']}").expect(200).body


def totals(plant):
    """What the run of each slot comes to, by its newest batch."""
    return {batch["tracking_id"]: batch["run_total"] for batch in plant.batches(sort="id")}


@pytest.fixture
def trips(api, drain):
    return accounting.plant(api, drain, TRIP + FUEL, cadence="event", partition_type="tracking_id")


def test_a_set_stays_with_a_tracking_id_whose_span_has_grown(trips, server):
    first = trips.deliver(1, 5, tracking_id="T1")
    trips.deliver(2, 6, tracking_id="T1")
    trips.deliver(4, 5, tracking_id="T2")
    trips.generate(data_point_ids=[point(trips, first)])
    assert totals(trips) == {"T1": 1, "T2": 4}

    trips.deliver(8, 9, tracking_id="T1")
    trips.deliver(16, 9, tracking_id="T2")
    trips.generate()

    assert totals(trips) == {"T1": 1, "T2": 20}
    trips.generate(data_point_ids=[])
    assert totals(trips) == {"T1": 11, "T2": 20}
    assert recomputed(server, trips) == []


def test_a_type_that_was_set_aside_stays_so_when_the_event_of_the_slot_is_moved(api, drain):
    plant = accounting.plant(api, drain, TRIP + FUEL, cadence="event")
    event = plant.deliver(1, "2025-01-05T00:00:00Z", end_time="2025-01-06T00:00:00Z")
    plant.bill(10, "2025-01-05T12:00:00Z")
    plant.generate(skipped_data_point_type_ids=[kind_of(plant, "energy")])
    times = {"start_time": "2025-01-05T06:00:00Z", "end_time": "2025-01-06T06:00:00Z"}
    api.patch(f"/projects/{plant.project['id']}/events/{event}", {"event": times}).expect(200)

    plant.generate()

    newest = plant.batches(sort="id")[-1]
    assert [row["data_point"].get("skipped_input", False) for row in newest["input_data"]] == [False, True]


def test_a_batch_of_a_tracking_id_is_given_other_inputs_and_no_other_slot_changes(trips, server):
    trips.deliver(1, 5, tracking_id="T1")
    second = trips.deliver(2, 6, tracking_id="T1")
    other = trips.deliver(4, 5, tracking_id="T2")
    trips.deliver(8, 6, tracking_id="T2")
    trips.generate(data_point_ids=[point(trips, other)])
    batch = next(one for one in trips.batches() if one["tracking_id"] == "T1")
    trips.deliver(16, 7, tracking_id="T3")

    after = update(trips, batch, data_point_ids=[point(trips, second)])

    assert (after["state"], after["error_message"]) == ("complete", None)
    assert totals(trips) == {"T1": 2, "T2": 4}
    trips.generate()
    assert totals(trips) == {"T1": 2, "T2": 4, "T3": 16}
    assert recomputed(server, trips) == []


def test_a_batch_of_an_event_without_length_draws_what_is_named_for_it_alone(api, drain, server):
    deliveries = chain.inventory(api, drain)
    deliveries.deliver(10)
    deliveries.generate()
    (source,) = deliveries.batches()
    production = chain.link(deliveries, BY_HAND, output="used", cadence="event")
    first, second = chain.produce(production, 1, 20), chain.produce(production, 1, 20)
    amounts = [{"batch_id": source["id"], "primary_output_amount": 6}]
    production.generate(batch_amounts=amounts)
    assert totals(production) == {first: 3, second: 3}
    batch = next(one for one in production.batches() if one["tracking_id"] == first)

    after = update(production, batch, batch_amounts=[amounts[0] | {"primary_output_amount": 7}])

    assert (after["state"], after["error_message"]) == ("complete", None)
    assert totals(production) == {first: 7, second: 3}
    assert recomputed(server, production) == []


def test_a_batch_is_given_other_inputs_where_its_event_is_now(trips):
    first = trips.deliver(1, 5, tracking_id="T1")
    trips.deliver(2, 6, tracking_id="T1")
    trips.generate()
    (batch,) = trips.batches()
    trips.deliver(4, "2025-02-05T00:00:00Z", tracking_id="T1")

    update(trips, batch, data_point_ids=[point(trips, first)])

    assert totals(trips) == {"T1": 1}


def test_a_batch_whose_slot_was_replaced_is_given_no_other_inputs(api, drain):
    plant = accounting.plant(api, drain)
    event = plant.deliver(1)
    plant.generate(QUARTER)
    (batch,) = plant.batches()
    newer = accounting.version(api, plant.model, accounting.document(accounting.MASS, cadence="quarterly"))
    api.post(f"/models/{newer['id']}/activate", {}).expect(200)
    plant.generate(QUARTER, model_version="latest")

    path = f"/ledgers/{plant.ledger['id']}/batches/{batch['id']}/update_inputs"
    error = api.patch(path, {"data_point_ids": [point(plant, event)]}).expect(422).error

    assert error["code"] == "replaced"


def test_slots_that_come_along_keep_what_was_named_for_them(api, drain):
    plant = accounting.plant(api, drain)
    moved, kept = plant.deliver(1, 5), plant.deliver(2, 6)
    plant.deliver(4, 7)
    plant.generate(JANUARY, data_point_ids=[point(plant, moved), point(plant, kept)])
    times = {"start_time": "2025-02-05T12:00:00Z", "end_time": "2025-02-05T12:00:00Z"}
    api.patch(f"/projects/{plant.project['id']}/events/{moved}", {"event": times}).expect(200)

    plant.generate(("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z"), data_point_ids=[point(plant, moved)])

    assert totals(plant) == {"2025-01": 2, "2025-02": 1}
    plant.generate(QUARTER)
    assert totals(plant) == {"2025-01": 2, "2025-02": 1}


def test_slots_that_come_along_keep_what_they_draw_by_hand(api, drain):
    deliveries = chain.inventory(api, drain)
    deliveries.deliver(10)
    deliveries.generate()
    (source,) = deliveries.batches()
    production = chain.link(deliveries, BY_HAND, output="used")
    moved = chain.produce(production, 1, 5)
    chain.produce(production, 1, 6)
    amount = {"batch_id": source["id"], "primary_output_amount": 4}
    production.generate(batch_amounts=[amount])
    times = {"start_time": "2025-02-05T12:00:00Z", "end_time": "2025-02-05T12:00:00Z"}
    api.patch(f"/projects/{production.project['id']}/events/{moved}", {"event": times}).expect(200)

    february = ("2025-02-01T00:00:00Z", "2025-03-01T00:00:00Z")
    production.generate(february, batch_amounts=[amount | {"primary_output_amount": 6}])

    assert totals(production) == {"2025-01": 4, "2025-02": 6}
