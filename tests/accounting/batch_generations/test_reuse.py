"""Events that are not reusable feed the runs of one model only. Design, Who may use what."""

from tests.given import accounting
from tests.given.accounting import JANUARY, MASS

MEDIAN = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: median}
    unit: t
    output: true
"""


def second_ledger(api, plant, nodes=MASS):
    """A ledger of another model that reads the same deliveries."""
    other = accounting.model(api, plant.project, accounting.document(nodes, name="Second look"))
    return accounting.ledger(api, plant.project, other, name="Second look")


def generate(api, drain, ledger):
    path = f"/ledgers/{ledger['id']}/batch_generations"
    task = api.post(path, accounting.range_of(JANUARY)).expect(202).body
    drain()
    return api.get(f"/async_tasks/{task['id']}").expect(200).body


def test_a_second_model_is_refused_with_both_named(api, drain):
    plant = accounting.plant(api, drain)
    event = plant.deliver(1)
    plant.generate()

    task = generate(api, drain, second_ledger(api, plant))

    assert task["state"] == "failed"
    assert "'Deliveries'" in task["error_message"]
    assert "'Second look'" in task["error_message"]
    assert event in task["error_message"]


def test_events_that_are_read_one_by_one_are_refused_too(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()

    assert generate(api, drain, second_ledger(api, plant, MEDIAN))["state"] == "failed"


def test_the_preview_says_so_too(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    ledger = second_ledger(api, plant)

    (entry,) = api.post(f"/ledgers/{ledger['id']}/generate_preview", accounting.range_of(JANUARY)).data

    assert "not reusable" in entry["problems"][0]


def test_events_of_a_reusable_type_feed_several_models(api, drain):
    plant = accounting.plant(api, drain)
    types = api.get(f"/projects/{plant.project['id']}/event_types").data
    (delivery,) = [one for one in types if one["slug"] == "delivery"]
    path = f"/projects/{plant.project['id']}/event_types/{delivery['id']}"
    api.patch(path, {"event_type": {"reusable_in_batches": True}}).expect(200)
    plant.deliver(1)
    plant.generate()

    assert generate(api, drain, second_ledger(api, plant))["state"] == "complete"


def test_a_second_model_has_the_events_that_the_first_does_not(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    ledger = second_ledger(api, plant)
    plant.deliver(2, "2025-02-01T00:00:00Z")

    path = f"/ledgers/{ledger['id']}/batch_generations"
    february = {"start_time": "2025-02-01T00:00:00Z", "end_time": "2025-03-01T00:00:00Z"}
    task = api.post(path, february).expect(202).body
    drain()

    assert api.get(f"/async_tasks/{task['id']}").body["state"] == "complete"


def test_versions_of_a_model_count_as_one(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    newer = accounting.version(api, plant.model, accounting.document(MASS, name="Deliveries again"))
    api.post(f"/models/{newer['id']}/activate", {}).expect(200)

    assert plant.finish(JANUARY, model_version="latest")["state"] == "complete"


def test_two_models_that_start_together_do_not_both_have_an_event(api, server, account, drain):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    ledgers = [plant.ledger, second_ledger(api, plant)]
    tasks = [
        api.post(f"/ledgers/{one['id']}/batch_generations", accounting.range_of(JANUARY)).expect(202).body
        for one in ledgers
    ]

    server.together(account.drain, 2)

    states = [api.get(f"/async_tasks/{task['id']}").body["state"] for task in tasks]
    assert sorted(states) == ["complete", "failed"]
