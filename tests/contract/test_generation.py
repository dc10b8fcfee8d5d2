"""Seed, Ledgers and batch generation: a test for each sentence about preview and generation."""

from tests.given import accounting
from tests.given.accounting import JANUARY, MASS, POWER_EVENLY, QUARTER


def two_ledgers(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    power = accounting.ledger(api, plant.project, plant.model, name="Power", unit="kWh", output="power")
    plant.deliver(1)
    plant.bill(2)
    return plant, power


def test_a_preview_returns_how_many_batches_generation_would_create_without_creating_any(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1, "2025-01-02T00:00:00Z")
    plant.deliver(1, "2025-03-02T00:00:00Z")

    (entry,) = plant.preview(QUARTER)

    assert entry["count"] == 2
    assert plant.batches() == []


def test_a_preview_entry_has_the_ledgers_friendly_id_its_name_and_an_integer_count(api, drain):
    plant = accounting.plant(api, drain)

    (entry,) = plant.preview()

    assert (entry["id"], entry["name"]) == (plant.ledger["id"], plant.ledger["name"])
    assert type(entry["count"]) is int


def test_a_preview_has_several_entries_when_the_model_runs_concurrently_across_ledgers(api, drain):
    plant, power = two_ledgers(api, drain)

    entries = plant.preview(generate_concurrent_ledgers=True)

    assert {entry["id"] for entry in entries} == {plant.ledger["id"], power["id"]}


def test_generation_answers_202_with_the_task_and_progress_0(api, drain):
    plant = accounting.plant(api, drain)

    task = plant.start().expect(202).body

    assert {"id", "type", "state", "progress", "created_at"} <= set(task)
    assert type(task["id"]) is int
    assert (task["state"], task["progress"]) == ("pending", 0)


def test_the_args_of_the_task_name_project_and_ledger_as_integers(api, drain):
    args = accounting.plant(api, drain).start().body["args"]

    assert type(args["project_id"]) is int
    assert type(args["ledger_id"]) is int


def test_the_ledger_must_have_a_linked_model(api, drain):
    plant = accounting.plant(api, drain)
    bare = accounting.ledger(api, plant.project, name="Bare")

    for verb in ("generate_preview", "batch_generations"):
        api.post(f"/ledgers/{bare['id']}/{verb}", accounting.range_of(JANUARY)).expect(422)


def test_concurrent_ledgers_are_not_generated_by_default(api, drain):
    plant, power = two_ledgers(api, drain)

    plant.generate()

    assert (len(plant.batches()), plant.batches(power)) == (1, [])


def test_concurrent_ledgers_are_generated_on_opt_in(api, drain):
    plant, power = two_ledgers(api, drain)

    plant.generate(generate_concurrent_ledgers=True)

    assert (len(plant.batches()), len(plant.batches(power))) == (1, 1)


def test_generation_needs_production_accounting_write(account, api, drain):
    plant = accounting.plant(api, drain)
    path = f"/ledgers/{plant.ledger['id']}/batch_generations"

    for permissions in (["production_accounting:read"], ["data_collection:write", "data_rules:write"]):
        answer = account.caller(*permissions).post(path, accounting.range_of(JANUARY)).expect(403)
        assert "production_accounting:write" in answer.error["message"]
    account.caller("production_accounting:write").post(path, accounting.range_of(JANUARY)).expect(202)
