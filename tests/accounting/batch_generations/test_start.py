"""POST /ledgers/{ledger_id}/batch_generations. Seed, Ledgers and batch generation; design, section 5."""

from decimal import Decimal

import pytest
import structlog
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import JANUARY, MASS, POWER_EVENLY, QUARTER
from tests.given.mistakes import OWN_TEXT, broken_table

from weighbridge import worker
from weighbridge.core.platform.tasks import ATTEMPTS_MAX

EVENT_CADENCE = MASS.replace("aggregate: sum", "aggregate: sum, partitions: true")


def start(api, ledger, body):
    return api.post(f"/ledgers/{ledger['id']}/batch_generations", body)


def test_a_generation_is_accepted_as_a_pending_task_that_says_where_it_is_polled(api, drain):
    plant = accounting.plant(api, drain)

    answer = plant.start().expect(202)

    task = answer.body
    assert (task["type"], task["state"], task["progress"]) == ("batch_generation", "pending", 0)
    assert answer.headers["location"] == f"/api/v1/async_tasks/{task['id']}"
    assert answer.headers["retry-after"] == "2"
    assert api.get(f"/async_tasks/{task['id']}").expect(200).body == task


def test_the_arguments_name_project_and_ledger_as_integers(api, drain, sql):
    plant = accounting.plant(api, drain)

    args = plant.start().expect(202).body["args"]

    ((ledger,),) = sql("SELECT id FROM ledgers WHERE project_id = %s", plant.project["numeric_id"])
    assert args == {
        "project_id": plant.project["numeric_id"],
        "ledger_id": ledger,
        "start_time": "2025-01-01T00:00:00.000Z",
        "end_time": "2025-02-01T00:00:00.000Z",
        "generate_concurrent_ledgers": False,
    }


def test_a_month_of_deliveries_is_credited_to_the_ledger(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver("1.25", 1)
    plant.deliver("0.5", 31)

    result = plant.generate()

    (batch,) = plant.batches()
    assert result["batches"] == [batch["id"]]
    assert (result["created"], result["adjusted"], result["unchanged"]) == (1, 0, 0)
    assert (batch["tracking_id"], batch["state"], batch["adjusts"]) == ("2025-01", "complete", None)
    assert (batch["start_time"], batch["end_time"]) == (
        "2025-01-01T00:00:00.000Z",
        "2025-02-01T00:00:00.000Z",
    )
    assert batch["primary_output"]["value"] == Decimal("1.75")
    assert batch["ledger_balance"] == batch["run_total"] == plant.balance() == Decimal("1.75")


def test_months_without_data_make_no_batch(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(3, "2025-02-14T00:00:00Z")

    plant.generate(QUARTER)

    assert plant.credits() == {"2025-02": 3}


def test_a_ledger_without_a_model_has_nothing_to_run(api):
    project = given.project(api)
    ledger = accounting.ledger(api, project)

    error = start(api, ledger, accounting.range_of(JANUARY)).expect(422).error

    assert (error["field"], error["code"]) == ("ledger_id", "no_model")


def test_a_range_that_ends_before_it_starts_is_refused(api, drain):
    plant = accounting.plant(api, drain)

    error = plant.start(JANUARY[::-1]).expect(422).error

    assert (error["field"], error["code"]) == ("end_time", "invalid")


@pytest.mark.parametrize("field", ["start_time", "end_time"])
def test_both_ends_of_the_range_are_required(api, drain, field):
    plant = accounting.plant(api, drain)
    body = accounting.range_of(JANUARY)
    del body[field]

    error = start(api, plant.ledger, body).expect(400).error

    assert error["field"] == field


def test_a_time_without_an_offset_is_refused(api, drain):
    plant = accounting.plant(api, drain)

    plant.start(("2025-01-01T00:00:00", "2025-02-01T00:00:00Z")).expect(400)


def test_a_refused_generation_leaves_no_task(api, drain):
    plant = accounting.plant(api, drain)
    plant.start(("2025-01-20T00:00:00Z", "2025-02-10T00:00:00Z")).expect(422)

    assert api.get("/async_tasks").expect(200).data == []


def test_a_missing_required_input_fails_the_whole_generation_and_writes_nothing(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY, partition_type="feedstock")
    straw = plant.feedstock("Straw")
    plant.deliver(1, "2025-01-02T00:00:00Z", feedstock_id=straw)
    plant.bill(10, "2025-01-02T00:00:00Z")
    plant.deliver(1, "2025-02-02T00:00:00Z", feedstock_id=straw)

    reason = plant.failure(QUARTER)

    assert reason == "2025-02: Input 'power' has no data for Straw."
    assert plant.batches() == []
    assert [entry["problems"] for entry in plant.preview(QUARTER)] == [[reason]]


def test_all_that_is_missing_is_named_at_once(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    plant.deliver(1, "2025-01-02T00:00:00Z")
    plant.bill(1, "2025-02-02T00:00:00Z")

    reason = plant.failure(QUARTER)

    assert reason == "2025-01: Input 'power' has no data. 2025-02: Input 'mass' has no data."


def test_a_formula_that_fails_names_slot_node_partition_and_position(api, drain):
    nodes = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum, partitions: true}
    unit: t
    output: true
  - slug: power
    input: {event_type: bill, data_point_type: energy, aggregate: sum, share: even}
    unit: kWh
  - slug: intensity
    formula: power / mass
    unit: kWh/t
"""
    plant = accounting.plant(api, drain, nodes, partition_type="feedstock")
    plant.deliver(0, feedstock_id=plant.feedstock("Straw"))
    plant.bill(10)

    reason = plant.failure()

    assert reason == "2025-01: Node 'intensity' for Straw, at column 7 of its formula: The divisor is zero."


def test_a_result_is_rounded_once_half_to_even_to_the_scale_of_its_ledger(api, drain):
    plant = accounting.plant(api, drain, scale=2)
    plant.deliver("0.125", "2025-01-01T00:00:00Z")
    plant.deliver("0.375", "2025-02-01T00:00:00Z")
    plant.deliver("0.125001", "2025-03-01T00:00:00Z")

    plant.generate(QUARTER)

    assert [str(value) for value in plant.credits().values()] == ["0.12", "0.38", "0.13"]


def test_concurrent_ledgers_are_generated_only_when_asked_for(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    power = accounting.ledger(api, plant.project, plant.model, name="Power", unit="kWh", output="power")
    plant.deliver(4)
    plant.bill(9)

    alone = plant.generate()
    assert (len(alone["batches"]), plant.credits(power)) == (1, {})

    both = plant.generate(generate_concurrent_ledgers=True)
    assert (both["created"], both["unchanged"]) == (1, 1)
    assert (plant.credits(), plant.credits(power)) == ({"2025-01": 4}, {"2025-01": 9})


def test_generations_that_are_asked_for_at_once_make_each_batch_once(api, drain, server):
    plant = accounting.plant(api, drain)
    plant.deliver(1)

    tasks = server.together(lambda: plant.start().expect(202).body["id"], 3)
    drain()

    results = [api.get(f"/async_tasks/{task}").body["result"] for task in sorted(tasks)]
    assert [result["created"] for result in results] == [1, 0, 0]
    assert [result["unchanged"] for result in results] == [0, 1, 1]
    assert len(plant.batches()) == 1


def test_start_leaves_a_row_in_the_audit_log_and_the_end_of_the_task_another(api, drain, sql):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()

    rows = sql(
        """SELECT action, object FROM audit_log
            WHERE project_id = %s AND action LIKE 'batch_generation%%' ORDER BY id""",
        plant.project["numeric_id"],
    )

    assert rows == [
        ("batch_generation.start", plant.ledger["id"]),
        ("batch_generation.finish", plant.ledger["id"]),
    ]


def test_a_task_that_fails_by_a_mistake_of_the_service_says_only_where_the_log_has_it(
    api, server, drain, sql
):
    plant = accounting.plant(api, drain)
    plant.deliver("1", 1)
    task = plant.start().expect(202).body
    sql("UPDATE async_tasks SET attempt = %s WHERE id = %s", ATTEMPTS_MAX - 1, task["id"])

    with (
        broken_table(server, "batches", plant.project["numeric_id"]),
        structlog.testing.capture_logs() as logged,
    ):
        server.run(worker.attempt_task(server.database, task["id"]))

    said = api.get(f"/async_tasks/{task['id']}").expect(200).body["error_message"]
    [line] = [line for line in logged if line["event"] == "attempt_failed"]
    assert said == (f"The task failed {ATTEMPTS_MAX} times: internal error. Reference: {line['reference']}.")
    assert OWN_TEXT not in said
