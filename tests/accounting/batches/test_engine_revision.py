"""Arithmetic that changes says so: a batch of an older revision is stale until it is made anew."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given.accounting import JANUARY, QUARTER
from tests.given.on_purpose import broken_on_purpose

from weighbridge.core.engine import ENGINE_REVISION


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def age(sql):
    """Have the batches of a plant be of the revision before."""

    def aged(plant):
        project = broken_on_purpose(plant.project["numeric_id"])
        sql("UPDATE batches SET engine_revision = 1 WHERE project_id = %s", project)
        # A digest has the revision in it.
        sql("UPDATE slot_digests SET digest = sha256(digest) WHERE project_id = %s", project)

    return aged


def reasons(plant):
    return [
        [(one["reason"], one["record"]) for one in batch["stale_reasons"]]
        for batch in plant.batches(sort="id")
    ]


def test_a_batch_says_which_revision_computed_it(plant):
    plant.deliver(3)
    plant.generate()

    assert [batch["engine_revision"] for batch in plant.batches()] == [ENGINE_REVISION] == [2]


def test_a_batch_of_an_older_revision_is_stale_until_its_slot_is_generated_again(plant, age):
    plant.deliver(3)
    plant.generate()
    age(plant)

    [stale] = plant.batches()
    assert (stale["is_stale"], reasons(plant)) == (True, [[("engine_changed", "1")]])
    assert plant.api.get(f"/batches/{stale['id']}").expect(200).body["stale_reasons"] == [
        {"reason": "engine_changed", "record": "1"}
    ]

    assert plant.count() == 1
    result = plant.generate()

    assert (result["adjusted"], result["unchanged"], plant.balance()) == (1, 0, 3)
    assert [one["engine_revision"] for one in plant.batches(sort="id")] == [1, 2]
    assert reasons(plant) == [[], []]
    assert (plant.count(), plant.generate()["unchanged"]) == (0, 1)


def test_only_the_slots_that_are_generated_again_are_settled(plant, age):
    plant.deliver(3)
    plant.deliver(4, "2025-02-05T00:00:00Z")
    plant.generate(QUARTER)
    age(plant)

    plant.generate(JANUARY)

    assert reasons(plant) == [[], [("engine_changed", "1")], []]
    assert plant.generate(QUARTER)["adjusted"] == 1
    assert reasons(plant) == [[], [], [], []]


def test_what_draws_from_a_batch_of_an_older_revision_is_stale_by_it(api, drain, sql):
    deliveries = chain.inventory(api, drain)
    deliveries.deliver(10)
    deliveries.generate()
    production = chain.link(deliveries)
    chain.produce(production, 3, "2025-01-10T00:00:00Z")
    production.generate(JANUARY)
    [source] = deliveries.batches()

    broken_on_purpose(deliveries.project["numeric_id"])
    sql(
        "UPDATE batches SET engine_revision = 1 WHERE (project_id, id) = (%s, %s)",
        *given_accounting.key_of("batch", source["id"]),
    )

    assert reasons(production) == [[("upstream_stale", source["id"])]]


def test_a_deleted_batch_of_an_older_revision_makes_nothing_stale(plant, age):
    plant.deliver(3)
    made = plant.generate()
    age(plant)
    plant.api.post(f"/ledgers/{plant.ledger['id']}/batch_deletions", {"batch_ids": made["batches"]}).expect(
        202
    )
    plant.drain()

    assert plant.generate()["created"] == 1

    assert reasons(plant) == [[]]
