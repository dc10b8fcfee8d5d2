"""How often a generation waits for the database, counted on the wire to it."""

from decimal import Decimal

from tests.given import accounting, wire

from weighbridge import worker
from weighbridge.db.engine import Database

MESSAGES_MAX = 15
"""From the first look at the task to its commit, everything that the server has to answer."""


LOOK = b"SELECT FROM async_tasks WHERE id"
"""How a look begins at whether the task was cancelled meanwhile, which the clock asks for."""


def messages_of(account, plant):
    """Carry out one generation over a wire of its own; give how many messages it took."""
    task = int(plant.start().expect(202).body["id"])

    async def attempt():
        async with Database(counting.url, connections_max=4, schema=account.database.schema) as database:
            await database.single("SELECT 1")
            before = counting.messages
            await worker.attempt_task(database, task)
            return counting.messages - before

    with wire.counted(account.server.database.url, besides=LOOK) as counting:
        taken = account.server.run(attempt())
    assert plant.api.get(f"/async_tasks/{task}").expect(200).body["state"] == "complete"
    return taken


def delivering(account, mass):
    plant = accounting.plant(account.caller(), account.drain)
    plant.deliver(mass)
    return plant


def test_a_first_generation_of_one_node_waits_for_few_answers(account):
    plant = delivering(account, "12.5")

    assert messages_of(account, plant) <= MESSAGES_MAX
    assert plant.balance() == Decimal("12.5")


def test_one_that_adjusts_batches_waits_for_no_more(account):
    plant = delivering(account, "12.5")
    plant.generate()
    plant.deliver("2", 3)

    assert messages_of(account, plant) <= MESSAGES_MAX
    assert plant.balance() == Decimal("14.5")


def test_one_that_finds_nothing_new_waits_for_no_more(account):
    plant = delivering(account, "12.5")
    plant.generate()

    assert messages_of(account, plant) <= MESSAGES_MAX
