"""Stories of deliveries, corrections and draws, generated bit by bit: deleting undoes each generation."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import accounting
from tests.given.accounting import QUARTER
from tests.given.draws import consumer_of, draw

deliveries = st.lists(st.tuples(st.integers(1, 3), st.integers(-9, 9)), min_size=1, max_size=3)
stories = st.lists(deliveries, min_size=1, max_size=5)
few = settings(
    max_examples=examples(6), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def state(plant):
    """Every balance by batch, and what the ledger is short of."""
    record = plant.api.get(f"/ledgers/{plant.ledger['id']}").expect(200).body
    return {batch["id"]: batch["ledger_balance"] for batch in plant.batches()}, record["deficit"]


def told(plant, step):
    """Deliver what a step of a story says, and generate; gives the ids of the batches that were made."""
    for month, mass in step:
        plant.deliver(mass, f"2025-0{month}-02T00:00:00Z")
    return plant.generate(QUARTER)["batches"]


def delete(plant, ids):
    task = (
        plant.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", {"batch_ids": ids}).expect(202).body
    )
    plant.drain()
    assert plant.api.get(f"/async_tasks/{task['id']}").expect(200).body["state"] == "complete"


@few
@given(story=stories)
def test_deleting_generations_newest_first_goes_back_through_every_state(api, drain, story):
    plant = accounting.plant(api, drain)
    states, made = [state(plant)], []
    for step in story:
        made.append(told(plant, step))
        states.append(state(plant))

    for before, ids in zip(reversed(states[:-1]), reversed(made), strict=True):
        delete(plant, ids)

        assert state(plant) == before


@few
@given(story=stories, share=st.integers(1, 3))
def test_deleting_everything_together_leaves_nothing_whatever_was_drawn(api, drain, sql, story, share):
    plant = accounting.plant(api, drain)
    consumer = consumer_of(plant)
    consumer.generate(QUARTER)
    (drawing,) = consumer.batches()
    for step in story:
        told(plant, step)
        for batch in plant.batches():
            if batch["ledger_balance"]:
                draw(sql, batch, drawing, batch["ledger_balance"] // share or 1)

    delete(plant, [drawing["id"], *(batch["id"] for batch in plant.batches())])

    assert state(plant) == ({}, 0)
    assert plant.generate(QUARTER)["adjusted"] == 0
