"""Rules survive their worker: killed in the middle, what they find and correct is stored whole, and once.

All tests of the file ask one service, each with a project of its own that has the same deliveries.
"""

import asyncio
import os
import signal
from contextlib import closing

import psycopg
import pytest
from tests.durability.processes import until
from tests.durability.real_service import Service
from tests.verification.conftest import BY_THE_LOG

from weighbridge.db.embedded.instance import server
from weighbridge.db.engine import Database
from weighbridge.platform.api_tokens import create_token
from weighbridge.platform.users import create_account
from weighbridge.verification import verify

EVENTS = 20_000
HEAVY = EVENTS // 100
LEASE = {"WEIGHBRIDGE_LEASE_SECONDS": "2"}
MAKE = """
    WITH project AS (INSERT INTO projects (account_id, name)
                     SELECT account.id, 'Plant ' || count(p.id)
                       FROM (SELECT id FROM accounts ORDER BY id LIMIT 1) AS account
                       LEFT JOIN projects AS p ON p.account_id = account.id
                      GROUP BY account.id
                     RETURNING id),
         event_type AS (INSERT INTO event_types (project_id, slug, name, expected_locations)
                        SELECT id, 'delivery', 'Delivery', 'none' FROM project RETURNING project_id, id)
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit)
    SELECT project_id, id, 1, 'mass', 'Mass', 'number', 't' FROM event_type
    RETURNING project_id, event_type_id
"""
LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
    SELECT %s, 1000000000 + n, %s, moment, moment, ARRAY[CASE n %% 100 WHEN 0 THEN 30 ELSE 10 END], true
      FROM (SELECT n, '2025-01-01Z'::timestamptz + n * interval '10 minutes' AS moment
              FROM generate_series(0, %s - 1) AS n) AS made
"""
FOUND = """
    SELECT count(*), count(DISTINCT event_id) FROM data_point_results
     WHERE status = 'fail' AND project_id = %s
"""
STREAMED = {"expression": "{{mass}} > (2 * avg({{mass}}))", "window": {"kind": "rolling", "members": 50}}
BY_DATABASE = {"expression": "{{mass}} > 20"}
CORRECTED = 5_000
CALIBRATION = {
    "effective_to": "2025-02-04T17:20:00Z", "expression": "{{mass}} > 0", "purpose": "adjust",
    "correction": {"method": "expression", "expression": "{{mass}} * 1.02"},
}  # fmt: skip


class Plant:
    """A project with deliveries in a running service, and what a test does with it."""

    def __init__(self, data_dir, service):
        self.data_dir, self.service = data_dir, service
        with closing(self.connect()) as connection:
            self.project, event_type = connection.execute(MAKE).fetchone()
            connection.execute(LOAD, (self.project, event_type, EVENTS))

    def rule(self, fields):
        body = {"name": "Heavy", "effective_from": "2020-01-01T00:00:00Z"} | fields
        return self.service.call("POST", f"/projects/{self.project}/rules", {"rule": body})

    def run(self, rule):
        return self.service.call("GET", f"/rule_runs/{rule['rule_run_id']}")

    def attempt(self, watcher):
        """Which attempt the one task of the project is in."""
        [(attempt,)] = watcher.execute(
            "SELECT attempt FROM async_tasks WHERE project_id = %s", (self.project,)
        ).fetchall()
        return attempt

    def found(self, watcher):
        """How many results there are, and of how many events."""
        return watcher.execute(FOUND, (self.project,)).fetchone()

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
        # The events were loaded past the service, and the log does not tell of them.
        checks = [check for check in report.checks if check.rule not in BY_THE_LOG]
        return {check.rule: check.violations for check in checks if check.violations}

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
def service(shared_folder, shared_dir):
    with server(shared_dir) as url:
        token = asyncio.run(_token(url))
    service = Service(shared_dir, token, log=shared_folder / "stderr", **LEASE)
    yield service
    service.close()


@pytest.fixture
def plant(shared_dir, service):
    return Plant(shared_dir, service)


def waits_to_write(watcher):
    """Whether an evaluation stands in the middle: it has begun, and waits to write results."""
    return until(
        lambda: watcher.execute(
            "SELECT pid FROM pg_locks WHERE relation = 'data_point_results'::regclass AND NOT granted"
        ).fetchall(),
        what="an evaluation has come to write its results",
    )


@pytest.mark.parametrize("fields", [STREAMED, BY_DATABASE], ids=["streamed", "in the database"])
def test_a_backfill_whose_worker_is_killed_is_completed_by_another_one(plant, fields):
    with closing(plant.connect()) as watcher:
        with closing(plant.hold_results()):
            rule = plant.rule(fields)
            waits_to_write(watcher)
            killed = plant.service.worker()
            os.kill(killed, signal.SIGKILL)
            until(
                lambda: plant.attempt(watcher) > 1,
                what="another worker has taken the task up",
            )
        until(lambda: plant.run(rule)["state"] == "complete", what="the run is complete")
        run = plant.run(rule)

        alerts = HEAVY if fields is BY_DATABASE else HEAVY - 1
        assert (run["evaluated"], run["alerts"]) == (EVENTS, alerts)
        assert plant.found(watcher) == (alerts, alerts)


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
                lambda: plant.attempt(watcher) > 1,
                what="another worker has taken the task up",
            )
        until(lambda: plant.run(rule)["state"] == "complete", what="the run is complete")

        run = plant.run(rule)
        assert (run["alerts"], run["corrections"], run["withdrawn"]) == (CORRECTED, CORRECTED, 0)
        assert watcher.execute(
            "SELECT count(*), count(DISTINCT event_id), min(state), max(state) FROM corrections"
            " WHERE project_id = %s",
            (plant.project,),
        ).fetchone() == (CORRECTED, CORRECTED, "in_force", "in_force")
        assert watcher.execute(
            "SELECT count(*) FROM events WHERE corrected_numbers[1] = 1.02 * numbers[1] AND project_id = %s",
            (plant.project,),
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
            plant.service.call("POST", f"/projects/{plant.project}/events", {"event": late})
            waits_to_write(watcher)
            killed = plant.service.worker()
            os.kill(killed, signal.SIGKILL)
            until(lambda: plant.service.worker() != killed, what="another worker has begun")
        until(lambda: plant.found(watcher) == (HEAVY + 1, HEAVY + 1), what="the late event has its alert")

        assert watcher.execute(
            "SELECT count(*) FROM rule_dirty_ranges WHERE project_id = %s", (plant.project,)
        ).fetchone() == (0,)
