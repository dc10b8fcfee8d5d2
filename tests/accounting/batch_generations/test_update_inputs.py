"""PATCH …/batches/{batch_id}/update_inputs (`update_inputs`). Seed; design, Explicit inputs."""

import re

import pytest
from tests.given import accounting, chain, instruments
from tests.given import collection as given
from tests.given.accounting import JANUARY, MASS, POWER_EVENLY
from tests.given.inputs import recomputed

BY_HAND = chain.PRODUCED + chain.upstream("select: manual") + chain.USED


def point(plant, event):
    """The id of the first data point of an event."""
    path = f"/projects/{plant.project['id']}/events/{event}/data_points"
    return plant.api.get(path).expect(200).data[0]["id"]


def kind_of(plant, slug):
    kinds = plant.api.get(f"/projects/{plant.project['id']}/event_types").expect(200).data
    return next(one["id"] for kind in kinds for one in kind["data_point_types"] if one["slug"] == slug)


def update(plant, batch, **inputs):
    path = f"/ledgers/{plant.ledger['id']}/batches/{batch['id']}/update_inputs"
    return plant.api.patch(path, inputs)


def batch_of(plant, batch):
    return plant.api.get(f"/batches/{batch['id']}").expect(200).body


@pytest.fixture
def plant(api, drain):
    """A plant with two deliveries in January, and the batch of 12 t that is made of them."""
    plant = accounting.plant(api, drain)
    plant.deliver(5, day=1)
    plant.deliver(7, day=2)
    plant.generate()
    return plant


def test_a_batch_is_processing_until_its_task_has_ended(plant, drain):
    (batch,) = plant.batches()
    (first, _) = [row["event"]["id"] for row in batch["input_data"]]

    answer = update(plant, batch, data_point_ids=[point(plant, first)]).expect(200)

    assert set(answer.body) == {
        "id", "tracking_id", "start_time", "end_time", "state", "error_message", "primary_output",
        "has_rule_alerts", "has_rule_warnings", "created_at", "updated_at",
    }  # fmt: skip
    assert (answer.body["id"], answer.body["tracking_id"]) == (batch["id"], "2025-01")
    assert (answer.body["state"], answer.body["error_message"]) == ("processing", None)
    assert answer.body["primary_output"] == batch["primary_output"]
    assert re.fullmatch(r"/api/v1/async_tasks/\d+", answer.headers["location"])
    assert 2 <= int(answer.headers["retry-after"]) <= 5
    assert batch_of(plant, batch)["state"] == "processing"
    drain()
    task = plant.api.get(answer.headers["location"].removeprefix("/api/v1")).expect(200).body
    assert (task["type"], task["state"], task["result"]["adjusted"]) == ("batch_generation", "complete", 1)
    after = batch_of(plant, batch)
    assert (after["state"], after["error_message"]) == ("complete", None)
    assert after["updated_at"] > batch["updated_at"]


def test_the_named_data_are_the_complete_set_and_stay_with_the_slot(plant, drain, server):
    (batch,) = plant.batches()
    first = batch["input_data"][0]["event"]["id"]

    update(plant, batch, data_point_ids=[point(plant, first)]).expect(200)
    drain()
    plant.deliver(100, day=3)
    plant.generate()

    assert plant.balance() == 5
    newest = plant.batches()[-1]
    assert (newest["adjusts"], newest["run_total"], newest["input_data_count"]) == (batch["id"], 5, 1)
    assert recomputed(server, plant) == []


def test_batches_are_sorted_by_the_state_and_the_change_that_they_show(api, plant, drain):
    plant.deliver(1, "2025-02-03T00:00:00Z")
    plant.generate(chain.FEBRUARY)
    (january, february) = (batch["id"] for batch in plant.batches())
    update(plant, {"id": january}, data_point_ids=[]).expect(200)

    def sorted_by(field):
        return [batch["id"] for batch in api.get("/batches", {"sort": field}).expect(200).data]

    assert sorted_by("-state") == [january, february]
    assert sorted_by("updated_at") == [february, january]
    drain()
    first = api.get("/batches", {"sort": "updated_at", "page_size": "1"}).expect(200)
    cursor = {"sort": "updated_at", "page_size": "1", "cursor": first.info["next_cursor"]}
    assert [one["id"] for one in api.get("/batches", cursor).expect(200).data] == [january]


def test_an_empty_list_has_the_slot_discover_again(plant, drain):
    (batch,) = plant.batches()
    update(plant, batch, data_point_ids=[point(plant, batch["input_data"][0]["event"]["id"])]).expect(200)
    drain()

    update(plant, batch, data_point_ids=[]).expect(200)
    drain()

    assert plant.balance() == 12


def test_a_skipped_type_leaves_a_zero_that_is_seen(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY, output="power", unit="kWh")
    plant.deliver(5)
    plant.bill(8)
    plant.generate()
    (batch,) = plant.batches()

    update(plant, batch, skipped_data_point_type_ids=[kind_of(plant, "energy")]).expect(200)
    drain()

    row = plant.batches()[-1]["input_data"][-1]
    assert (row["data_point"]["slug"], row["data_point"]["value"]) == ("energy", 0)
    assert row["data_point"]["skipped_input"] is True
    assert plant.balance() == 0


def test_a_batch_whose_data_are_all_set_aside_is_brought_to_zero_and_says_so(plant, drain, server):
    (batch,) = plant.batches()

    update(plant, batch, skipped_data_point_type_ids=[kind_of(plant, "mass")]).expect(200)
    drain()

    (_, newest) = plant.batches()
    (row,) = newest["input_data"]
    assert (row["data_point"]["value"], row["data_point"]["skipped_input"]) == (0, True)
    assert (newest["run_total"], plant.balance()) == (0, 0)
    assert recomputed(server, plant) == []


def test_the_batches_of_other_partitions_stay_as_they_are(api, drain):
    plant = accounting.plant(api, drain, partition_type="feedstock")
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    kept = plant.deliver(3, feedstock_id=wood)
    plant.deliver(4, feedstock_id=wood, day=2)
    plant.deliver(20, feedstock_id=straw)
    plant.generate()
    of_straw, of_wood = plant.batches()

    update(plant, of_wood, data_point_ids=[point(plant, kept)]).expect(200)
    drain()

    totals = {batch["tracking_id"]: batch["run_total"] for batch in plant.batches()}
    assert totals == {"2025-01 Straw": 20, "2025-01 Wood": 3}
    assert [one["id"] for one in plant.batches() if "Straw" in one["tracking_id"]] == [of_straw["id"]]


@pytest.mark.parametrize(
    ("inputs", "field", "code"),
    [
        ({"data_point_ids": ["in_000000000000000000000000"]}, "data_point_ids", "unknown"),
        ({"data_point_ids": ["evt_1"]}, "data_point_ids", "unknown"),
        ({"skipped_data_point_type_ids": [2_147_483_646]}, "skipped_data_point_type_ids", "unknown"),
        ({}, None, "required"),
    ],
)
def test_inputs_that_are_not_there_are_refused_and_nothing_changes(plant, inputs, field, code):
    (batch,) = plant.batches()

    error = update(plant, batch, **inputs).expect(422).error

    assert (error.get("field"), error["code"]) == (field, code)
    assert plant.batches() == [batch]


def test_a_type_that_the_model_does_not_read_is_refused(plant):
    (batch,) = plant.batches()

    error = update(plant, batch, skipped_data_point_type_ids=[kind_of(plant, "energy")]).expect(422).error

    assert (error["field"], error["code"]) == ("skipped_data_point_type_ids", "invalid")


def test_a_batch_that_is_no_batch_of_the_ledger_is_not_found(api, plant, stranger):
    (batch,) = plant.batches()
    other = accounting.ledger(api, plant.project, name="Other")
    path = f"/ledgers/{plant.ledger['id']}/batches/{batch['id']}/update_inputs"

    api.patch(f"/ledgers/{other['id']}/batches/{batch['id']}/update_inputs", {"data_point_ids": []}).expect(
        404
    )
    update(plant, {"id": "bat_000000000000000000000000"}, data_point_ids=[]).expect(404)
    stranger.patch(path, {"data_point_ids": []}).expect(404)


def test_an_update_that_fails_leaves_the_old_result_and_says_why(api, drain):
    plant = accounting.plant(api, drain, MASS + accounting.FAILS_AT_ZERO)
    plant.deliver(5)
    nothing = plant.deliver(0, day=2)
    plant.generate()
    (batch,) = plant.batches()

    update(plant, batch, data_point_ids=[point(plant, nothing)]).expect(200)
    drain()

    (after,) = plant.batches()
    assert (after["state"], after["primary_output"]["value"]) == ("complete", 5)
    assert after["error_message"] == (
        "2025-01: Node 'whole', at column 6 of its formula: The divisor is zero."
    )
    update(plant, batch, data_point_ids=[]).expect(200)
    drain()
    assert batch_of(plant, batch)["error_message"] is None


def test_an_output_below_what_was_drawn_is_refused_and_the_old_result_stays(api, drain):
    deliveries = chain.inventory(api, drain)
    little = deliveries.deliver(3)
    deliveries.deliver(9, day=2)
    deliveries.generate()
    production = chain.link(deliveries)
    chain.produce(production, 5)
    production.generate()
    (batch,) = deliveries.batches()

    update(deliveries, batch, data_point_ids=[point(deliveries, little)]).expect(200)
    drain()

    after = batch_of(deliveries, batch)
    assert (after["state"], after["ledger_balance"], after["run_total"]) == ("complete", 2, 12)
    assert after["error_message"] == (
        "With these inputs, 'Deliveries' would lack 7 t of what was already withdrawn from it."
    )
    assert deliveries.batches() == [after]
    assert deliveries.generate()["unchanged"] == 1


def test_amounts_of_sources_are_for_the_run_of_the_batch_alone(api, drain):
    deliveries = chain.inventory(api, drain)
    wood, straw = deliveries.feedstock("Wood"), deliveries.feedstock("Straw")
    deliveries.deliver(100)
    deliveries.generate()
    (source,) = deliveries.batches()
    production = chain.link(deliveries, BY_HAND, partition_type="feedstock")
    chain.produce(production, 1, feedstock_id=wood)
    chain.produce(production, 1, feedstock_id=straw)
    production.generate(batch_amounts=[{"batch_id": source["id"], "primary_output_amount": 20}])
    of_wood = next(one for one in production.batches() if "Wood" in one["tracking_id"])

    amounts = [{"batch_id": source["id"], "primary_output_amount": 35}]
    update(production, of_wood, batch_amounts=amounts).expect(200)
    drain()

    held = {one["tracking_id"]: one["amount"] for one in batch_of(deliveries, source)["allocations"]}
    assert held == {"2025-01 Straw": 10, "2025-01 Wood": 35}


def test_a_source_that_is_not_there_is_not_found_and_too_much_of_one_is_refused(api, drain):
    deliveries = chain.inventory(api, drain)
    deliveries.deliver(10)
    deliveries.generate()
    (source,) = deliveries.batches()
    production = chain.link(deliveries, BY_HAND)
    chain.produce(production, 1)
    production.generate(batch_amounts=[{"batch_id": source["id"], "primary_output_amount": 4}])
    (batch,) = production.batches()

    nothing = [{"batch_id": "bat_000000000000000000000000", "primary_output_amount": 1}]
    update(production, batch, batch_amounts=nothing).expect(404)
    too_much = [{"batch_id": source["id"], "primary_output_amount": 11}]
    error = update(production, batch, batch_amounts=too_much).expect(422).error

    assert (error["code"], error["records"]) == ("balance", [source["id"]])
    assert batch_of(production, batch)["state"] == "complete"


def test_the_batches_of_the_run_on_other_ledgers_are_stale_until_they_are_generated(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    power = accounting.ledger(
        api, plant.project, plant.model, name="Power", unit="kWh", output="power"
    )  # fmt: skip
    first = plant.deliver(5)
    plant.deliver(7, day=2)
    plant.bill(8)
    plant.generate(generate_concurrent_ledgers=True)
    (batch,) = plant.batches()

    update(plant, batch, data_point_ids=[point(plant, first)]).expect(200)
    drain()

    newest = plant.batches()[-1]
    (beside,) = plant.batches(power)
    assert (newest["run_total"], newest["is_stale"]) == (5, False)
    reasons = [{"reason": "inputs_replaced", "record": newest["id"]}]
    assert (beside["is_stale"], beside["stale_reasons"]) == (True, reasons)
    plant.generate(generate_concurrent_ledgers=True)
    assert [one["is_stale"] for one in plant.batches(power)] == [False, False]


def test_an_instrument_has_no_inputs(api):
    project = given.project(api)
    ledger = instruments.system_ledger(api, project)
    made = instruments.enter(api, ledger).expect(201).body

    path = f"/ledgers/{ledger['id']}/batches/{made['id']}/update_inputs"
    assert api.patch(path, {"data_point_ids": []}).expect(422).error["code"] == "no_run"


def test_a_batch_that_is_deleted_before_its_task_runs_stays_deleted(plant, drain):
    (batch,) = plant.batches()
    plant.api.delete(f"/batches/{batch['id']}").expect(202)
    answer = update(plant, batch, data_point_ids=[]).expect(200)

    drain()

    task = plant.api.get(answer.headers["location"].removeprefix("/api/v1")).expect(200).body
    assert task["state"] == "failed"
    assert plant.batches() == []


def test_an_update_leaves_a_row_in_the_audit_log(plant, sql):
    (batch,) = plant.batches()

    update(plant, batch, data_point_ids=[]).expect(200)

    rows = sql(
        "SELECT action, object FROM audit_log WHERE project_id = %s ORDER BY id",
        plant.project["numeric_id"],
    )
    assert rows[-1] == ("batch.update_inputs", batch["id"])


def test_several_inputs_can_be_replaced_each_by_itself(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY, output="power", unit="kWh")
    plant.deliver(5)
    plant.bill(8)
    kept = plant.bill(2, day=2)
    plant.generate(JANUARY)
    (batch,) = plant.batches()

    update(plant, batch, skipped_data_point_type_ids=[kind_of(plant, "mass")]).expect(200)
    update(plant, batch, data_point_ids=[point(plant, kept)]).expect(200)
    drain()

    newest = plant.batches()[-1]
    rows = [(row["data_point"]["slug"], row["data_point"]["value"]) for row in newest["input_data"]]
    assert rows == [("energy", 2), ("mass", 0)]
    assert newest["run_total"] == 2
