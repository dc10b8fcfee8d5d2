"""What rules have not looked at yet is named by a preview, and evaluated before a generation begins."""

import asyncio

import pytest
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given.rule_evaluation import calibration, results, rule, work

from weighbridge.db import locks
from weighbridge.quality.evaluation.incremental import catch_up

DEADLINE_SECONDS = 60.0
WAITS = """
    SELECT EXISTS (SELECT FROM pg_locks
                    WHERE locktype = 'advisory' AND NOT granted
                      AND (classid::bigint << 32 | objid::bigint) = hashtextextended(%s, 0))
"""


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def scale(api, account, plant):
    """A rule that raises deliveries of more than 20 t by two percent, and has looked at all there is."""
    made = calibration(api, plant.project, name="Scale 2 reads low")
    work(account)
    return made


def test_a_preview_names_what_a_rule_that_corrects_has_not_looked_at(plant, scale):
    plant.deliver(50, day=3)

    assert plant.preview()[0]["pending_evaluations"] == [
        {
            "rule_id": scale["id"],
            "rule": "Scale 2 reads low",
            "event_type": "delivery",
            "start_time": "2025-01-03T12:00:00.000Z",
            "end_time": "2025-01-03T12:00:00.000Z",
        }
    ]


@pytest.mark.usefixtures("scale")
def test_a_generation_has_it_done_first(plant):
    plant.deliver(50)

    result = plant.generate()

    assert result["pending_evaluations"] == []
    assert [one["primary_output"]["value"] for one in plant.batches()] == [51]


@pytest.mark.usefixtures("scale")
def test_what_lies_outside_the_range_is_not_named(plant):
    plant.deliver(50, "2025-02-01T00:00:00Z")

    assert plant.preview()[0]["pending_evaluations"] == []


def test_a_rule_that_corrects_nothing_is_not_named_and_not_waited_for(api, account, plant):
    alerting = rule(api, plant.project, "{{mass}} > 20")
    work(account)
    plant.deliver(50)

    assert plant.preview()[0]["pending_evaluations"] == []
    assert plant.generate()["pending_evaluations"] == []
    assert results(api, alerting) == []


def test_the_evaluation_of_all_data_that_a_new_rule_waits_for_is_named(api, plant):
    plant.deliver(50)
    made = given_alerts.calibration(api, plant.project, evaluation="automatic")

    [named] = plant.preview()[0]["pending_evaluations"]

    assert (named["rule_id"], named["event_type"], named["end_time"]) == (made["id"], "delivery", None)


def test_what_another_worker_has_in_hand_is_waited_for(api, account, plant, scale):
    plant.deliver(50)
    database, project = account.server.database, plant.project["numeric_id"]

    async def beside_another_worker():
        async with database.write() as tx:
            await tx.execute(*locks.hold(locks.rule_worker(project)))
            catching = asyncio.create_task(catch_up(database, account.id, project))
            await until_someone_waits(database, project)
            assert not catching.done()
        await catching

    account.server.run(beside_another_worker())

    assert len(results(api, scale)) == 1


async def until_someone_waits(database, project):
    """Come back when a transaction waits for the lock of the project's evaluations."""
    name = locks.rule_worker(project)
    async with asyncio.timeout(DEADLINE_SECONDS):
        while True:
            async with database.read() as tx:
                if await tx.value(WAITS, (name,)):
                    return
