"""Rules survive their worker: killed in the middle, what they find and correct is stored whole, and once."""

import asyncio
import os
import shutil
import signal
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.durability.processes import until
from tests.durability.real_service import Service

from weighbridge.db.embedded import server
from weighbridge.db.engine import Database
from weighbridge.platform.accounts.actions import create_account
from weighbridge.platform.api_tokens.actions import create_token
from weighbridge.verification import verify

EVENTS = 20_000
HEAVY = EVENTS // 100
LEASE = {"WEIGHBRIDGE_LEASE_SECONDS": "2"}
MAKE = """
    INSERT INTO projects (account_id, name) SELECT id, 'Plant' FROM accounts ORDER BY id LIMIT 1;
    INSERT INTO event_types (project_id, slug, name, expected_locations)
         VALUES (1, 'delivery', 'Delivery', 'none');
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit)
         VALUES (1, 1, 1, 'mass', 'Mass', 'number', 't');
"""
LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
    SELECT 1, 1000000000 + n, 1, moment, moment, ARRAY[CASE n %% 100 WHEN 0 THEN 30 ELSE 10 END], true
      FROM (SELECT n, '2025-01-01Z'::timestamptz + n * interval '10 minutes' AS moment
              FROM generate_series(0, %s - 1) AS n) AS made
"""
STREAMED = {"expression": "{{mass}} > (2 * avg({{mass}}))", "window": {"kind": "rolling", "members": 50}}
BY_DATABASE = {"expression": "{{mass}} > 20"}
CORRECTED = 5_000
CALIBRATION = {
    "effective_to": "2025-02-04T17:20:00Z", "expression": "{{mass}} > 0", "purpose": "adjust",
    "correction": {"method": "expression", "expression": "{{mass}} * 1.02"},
}  # fmt: skip


class Plant:
    """A service with deliveries, and what a test does with it."""

    def __init__(self, folder, loaded):
        made, token = loaded
        self.data_dir = Path(shutil.copytree(made, folder / "data"))
        self.log = folder / "stderr"
        self.service = Service(self.data_dir, token, log=self.log, **LEASE)

    def rule(self, fields):
        body = {"name": "Heavy", "effective_from": "2020-01-01T00:00:00Z"} | fields
        return self.service.call("POST", "/projects/1/rules", {"rule": body})

    def run(self, rule):
        return self.service.call("GET", f"/rule_runs/{rule['rule_run_id']}")

    def connect(self):
        with server(self.data_dir) as url:
            return psycopg.connect(url, autocommit=True)

    def hold_marks(self):
        """Keep corrections from leaving their marks, portion by portion, until the connection is closed."""
        connection = self.connect()
        connection.execute("BEGIN")
        connection.execute("LOCK TABLE rule_dirty_ranges IN SHARE MODE")
        return connection

    def broken(self):
        """What verifying everything finds."""
        with server(self.data_dir) as url:
            report = asyncio.run(_verified(url))
        return {check.rule: check.violations for check in report.checks if check.violations}

    def hold_results(self):
        """Keep results from being written until the connection is closed."""
        connection = self.connect()
        connection.execute("BEGIN")
        connection.execute("LOCK TABLE data_point_results IN SHARE MODE")
        return connection


async def _token(url):
    async with Database(url, connections_max=1) as database, database.write() as tx:
        actor = await create_account(tx, name="Plant", request_id="given")
        return await create_token(
            tx, actor, user_id=actor.user_id, name="test",
            permissions=["data_rules:write", "data_collection:write", "production_accounting:read"],
            lifetime_days=None,
        )  # fmt: skip


async def _verified(url):
    async with Database(url, connections_max=2) as database:
        return await verify(database)


@pytest.fixture(scope="module")
def loaded(shared_dir):
    """A data directory with deliveries, and a token for it."""
    with server(shared_dir) as url:
        token = asyncio.run(_token(url))
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(MAKE)
            connection.execute(LOAD, (EVENTS,))
    return shared_dir, token


@pytest.fixture
def plant(folder, loaded):
    plant = Plant(folder, loaded)
    yield plant
    plant.service.close()


def waits_to_write(watcher):
    """Whether an evaluation stands in the middle: it has begun, and waits to write results."""
    return until(
        lambda: watcher.execute(
            "SELECT pid FROM pg_locks WHERE relation = 'data_point_results'::regclass AND NOT granted"
        ).fetchall(),
        what="an evaluation has come to write its results",
    )


def found(watcher):
    """How many results there are, and of how many events."""
    return watcher.execute(
        "SELECT count(*), count(DISTINCT event_id) FROM data_point_results WHERE status = 'fail'"
    ).fetchone()


@pytest.mark.parametrize("fields", [STREAMED, BY_DATABASE], ids=["streamed", "in the database"])
def test_a_backfill_whose_worker_is_killed_is_completed_by_another_one(plant, fields):
    with closing(plant.connect()) as watcher:
        with closing(plant.hold_results()):
            rule = plant.rule(fields)
            waits_to_write(watcher)
            killed = plant.service.worker()
            os.kill(killed, signal.SIGKILL)
            until(
                lambda: watcher.execute("SELECT attempt FROM async_tasks").fetchone()[0] > 1,
                what="another worker has taken the task up",
            )
        until(lambda: plant.run(rule)["state"] == "complete", what="the run is complete")
        run = plant.run(rule)

        alerts = HEAVY if fields is BY_DATABASE else HEAVY - 1
        assert (run["evaluated"], run["alerts"]) == (EVENTS, alerts)
        assert found(watcher) == (alerts, alerts)


def test_a_backfill_that_is_killed_while_it_corrects_corrects_each_value_once(plant):
    with closing(plant.connect()) as watcher:
        with closing(plant.hold_marks()):
            rule = plant.rule(CALIBRATION)
            until(
                lambda: watcher.execute(
                    "SELECT pid FROM pg_locks WHERE relation = 'rule_dirty_ranges'::regclass AND NOT granted"
                ).fetchall(),
                what="the first portion is corrected",
            )
            os.kill(plant.service.worker(), signal.SIGKILL)
            until(
                lambda: watcher.execute("SELECT attempt FROM async_tasks").fetchone()[0] > 1,
                what="another worker has taken the task up",
            )
        until(lambda: plant.run(rule)["state"] == "complete", what="the run is complete")

        run = plant.run(rule)
        assert (run["alerts"], run["corrections"], run["withdrawn"]) == (CORRECTED, CORRECTED, 0)
        assert watcher.execute(
            "SELECT count(*), count(DISTINCT event_id), min(state), max(state) FROM corrections"
        ).fetchone() == (CORRECTED, CORRECTED, "in_force", "in_force")
        assert watcher.execute(
            "SELECT count(*) FROM events WHERE corrected_numbers[1] = 1.02 * numbers[1]"
        ).fetchone() == (CORRECTED,)
    assert plant.broken() == {}


def test_marks_whose_worker_is_killed_are_worked_off_by_another_one(plant):
    rule = plant.rule(BY_DATABASE)
    until(lambda: plant.run(rule)["state"] == "complete", what="the run is complete")
    late = {
        "event_type": "delivery", "start_time": "2025-06-01T00:05:00Z",
        "data_points": [{"slug": "mass", "value": 50}],
    }  # fmt: skip

    with closing(plant.connect()) as watcher:
        with closing(plant.hold_results()):
            plant.service.call("POST", "/projects/1/events", {"event": late})
            waits_to_write(watcher)
            killed = plant.service.worker()
            os.kill(killed, signal.SIGKILL)
            until(lambda: plant.service.worker() != killed, what="another worker has begun")
        until(lambda: found(watcher) == (HEAVY + 1, HEAVY + 1), what="the late event has its alert")

        assert watcher.execute("SELECT count(*) FROM rule_dirty_ranges").fetchone() == (0,)
