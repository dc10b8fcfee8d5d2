"""How often a generation waits for the database, counted on the wire to it."""

from decimal import Decimal

from tests.given import accounting, wire

from weighbridge import worker
from weighbridge.db.engine import Database

MESSAGES_MAX = 15
"""From the first look at the task to its commit, everything that the server has to answer."""


TRIES = 3
"""On a machine that is busy, the clock adds looks at whether the task was cancelled: the least tells."""


def least_messages(account, arranged):
    """The least that generations of some plants take which were arranged alike, each of its own."""
    return min(messages_of(account, arranged()) for _ in range(TRIES))


def messages_of(account, plant):
    """Carry out one generation over a wire of its own; give how many messages it took."""
    task = int(plant.start().expect(202).body["id"])

    async def attempt():
        async with Database(counting.url, connections_max=4, schema=account.database.schema) as database:
            await database.single("SELECT 1")
            before = counting.messages
            await worker.attempt_task(database, task)
            return counting.messages - before

    with wire.counted(account.server.database.url) as counting:
        taken = account.server.run(attempt())
    assert plant.api.get(f"/async_tasks/{task}").expect(200).body["state"] == "complete"
    return taken


def delivering(account, mass):
    plant = accounting.plant(account.caller(), account.drain)
    plant.deliver(mass)
    return plant


def test_a_first_generation_of_one_node_waits_for_few_answers(account):
    plants = []

    def arranged():
        plants.append(delivering(account, "12.5"))
        return plants[-1]

    assert least_messages(account, arranged) <= MESSAGES_MAX
    assert {plant.balance() for plant in plants} == {Decimal("12.5")}


def test_one_that_adjusts_batches_waits_for_no_more(account):
    plants = []

    def arranged():
        plants.append(delivering(account, "12.5"))
        plants[-1].generate()
        plants[-1].deliver("2", 3)
        return plants[-1]

    assert least_messages(account, arranged) <= MESSAGES_MAX
    assert {plant.balance() for plant in plants} == {Decimal("14.5")}


def test_one_that_finds_nothing_new_waits_for_no_more(account):
    def arranged():
        plant = delivering(account, "12.5")
        plant.generate()
        return plant

    assert least_messages(account, arranged) <= MESSAGES_MAX
