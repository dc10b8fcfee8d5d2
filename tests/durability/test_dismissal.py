"""A dismissal whose process is killed in the middle dismisses none; sent again, it dismisses all, once.

All tests of the file ask one service, each with a project of its own.
"""

import asyncio
import http.client
import json
import os
import signal
import threading

import psycopg
import pytest
from tests.durability.processes import lives, until
from tests.durability.real_service import Service

from weighbridge.core import identity
from weighbridge.db.embedded.instance import server
from weighbridge.db.engine import Database
from weighbridge.platform.api_tokens import create_token
from weighbridge.platform.users import create_account

RESULTS = 1000
MAKE = """
    INSERT INTO projects (account_id, name) SELECT id, 'Plant {n}' FROM accounts ORDER BY id LIMIT 1;
    INSERT INTO event_types (project_id, slug, name) VALUES ({n}, 'delivery', 'Delivery');
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit)
      VALUES ({n}, {n}, 1, 'mass', 'Mass', 'number', 't');
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
      SELECT {n}, n, {n}, '2025-01-01Z', '2025-01-01Z', ARRAY[50], true FROM generate_series(1, 999) AS n;
    INSERT INTO model_families (account_id, project_id) SELECT id, {n} FROM accounts ORDER BY id LIMIT 1;
    INSERT INTO models (family_id, version, name, cadence, partition_type, document, sha256)
      VALUES ({n}, 1, 'Carbon', 'monthly', 'time', 'cadence: monthly', sha256('cadence: monthly'));
    INSERT INTO model_runs (project_id, model_id, start_time, end_time, state)
      VALUES ({n}, {n}, '2025-01-01Z', '2025-02-01Z', 'complete');
    INSERT INTO rules (project_id, name, evaluation, effective_from, latest_version)
      VALUES ({n}, 'Mass', 'on_demand', '2025-01-01Z', 1), ({n}, 'Run', 'on_demand', '2025-01-01Z', 1);
    INSERT INTO rule_versions (project_id, rule_id, version, target, expression, data_point, family_id,
                               window_member_scope, purpose, priority, requires_approval, user_id)
      SELECT {n}, r.id, 1, 'data_point', 'mass > 40', 'mass', NULL, 'event_type', 'alert', 100, false, u.id
        FROM rules AS r, (SELECT min(id) AS id FROM users) AS u WHERE (project_id, name) = ({n}, 'Mass')
       UNION ALL
      SELECT {n}, r.id, 1, 'model_run', 'mass > 40', NULL, {n}, 'event_type', 'alert', 100, false, u.id
        FROM rules AS r, (SELECT min(id) AS id FROM users) AS u WHERE (project_id, name) = ({n}, 'Run');
    INSERT INTO data_point_results (project_id, rule_id, rule_version, event_id, position, status,
                                    evaluated_at)
      SELECT {n}, r.id, 1, e.id, 1, 'fail', now()
        FROM rules AS r, events AS e WHERE (r.project_id, e.project_id, r.name) = ({n}, {n}, 'Mass');
    INSERT INTO model_run_results (project_id, rule_id, rule_version, model_run_id, status, evaluated_at)
      SELECT {n}, r.id, 1, m.id, 'fail', now()
        FROM rules AS r, model_runs AS m WHERE (r.project_id, m.project_id, r.name) = ({n}, {n}, 'Run');
"""
"""Project, event type and model have the same number, as nothing else is made in this database."""
NAMED = """
    SELECT 'data_point_result', id FROM data_point_results WHERE project_id = %(project)s
     UNION ALL
    SELECT 'model_run_result', id FROM model_run_results WHERE project_id = %(project)s
"""
DISMISSED = """
    SELECT (SELECT count(*) FROM data_point_results
             WHERE status = 'dismissed' AND project_id = %(project)s)
         + (SELECT count(*) FROM model_run_results WHERE status = 'dismissed' AND project_id = %(project)s)
"""
ONCE = """
    SELECT count(*) FROM audit_log
     WHERE action = 'rule_result.bulk_dismiss' AND project_id = %(project)s
"""


async def token_for(url):
    async with Database(url, connections_max=1) as database, database.write() as tx:
        actor = await create_account(tx, name="Plant", request_id="given")
        return await create_token(
            tx,
            actor,
            user_id=actor.user_id,
            name="test",
            permissions=["data_rules:write"],
            lifetime_days=None,
        )


@pytest.fixture(scope="module")
def service(shared_folder, shared_dir):
    """A running service over a database that nobody else writes to."""
    with server(shared_dir) as url:
        token = asyncio.run(token_for(url))
    service = Service(shared_dir, token, log=shared_folder / "stderr")
    yield service
    service.close()


@pytest.fixture
def plant(service, shared_dir):
    """A running service, a project with a thousand alerts, their ids, and connections to its database."""
    with (
        server(shared_dir) as url,
        psycopg.connect(url, autocommit=True) as watcher,
        psycopg.connect(url, autocommit=True) as holder,
    ):
        [(before,)] = watcher.execute("SELECT count(*) FROM projects").fetchall()
        watcher.execute(MAKE.format(n=before + 1))
        project = {"project": before + 1}
        named = [
            identity.of(kind, before + 1, key) for kind, key in watcher.execute(NAMED, project).fetchall()
        ]
        yield service, project, named, watcher, holder


def api_process(service):
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")]
    born = [line for line in lines if str(line.get("process")).startswith("api") and "pid" in line]
    return next((line["pid"] for line in reversed(born) if lives(line)), None)


@pytest.mark.parametrize(("table", "dismissed"), [("model_run_results", 0), ("audit_log", RESULTS)])
def test_a_dismissal_that_is_killed_leaves_none_or_all_and_is_then_done_once(plant, table, dismissed):
    """The row of the audit log is sent with COMMIT, so a process that ends then has dismissed all."""
    service, project, named, watcher, holder = plant
    body = {"result_ids": named, "reason": "Service"}
    home = f"/projects/{project['project']}/rule_results"
    path = f"{home}/bulk_dismiss"
    assert len(named) == RESULTS
    # The data point results are dismissed by then, and what comes next waits.
    holder.execute("BEGIN")
    holder.execute(f"LOCK TABLE {table} IN SHARE MODE")
    lost = []

    def send():
        try:
            service.call("POST", path, body)
        except (http.client.HTTPException, OSError) as error:
            lost.append(error)

    sending = threading.Thread(target=send)
    sending.start()
    until(
        lambda: watcher.execute(
            "SELECT pid FROM pg_locks WHERE relation = %s::regclass AND NOT granted"
            " INTERSECT SELECT pid FROM pg_locks WHERE relation = 'data_point_results'::regclass"
            " AND mode = 'RowExclusiveLock' AND granted",
            (table,),
        ).fetchall(),
        what=f"the dismissal has come to write {table}",
    )
    os.kill(until(lambda: api_process(service), what="the API process is known"), signal.SIGKILL)
    sending.join()
    holder.execute("ROLLBACK")
    until(
        lambda: (
            not watcher.execute(
                "SELECT pid FROM pg_locks WHERE relation = 'data_point_results'::regclass"
                " AND mode = 'RowExclusiveLock'"
            ).fetchall()
        ),
        what="the dismissal has come to its end in the database",
    )

    assert len(lost) == 1
    assert watcher.execute(DISMISSED, project).fetchone() == (dismissed,)
    until(lambda: answers(service, home), what="the service answers again")
    done = service.call("POST", path, body)["data"]
    service.call("POST", path, body)

    assert [one["id"] for one in done] == named
    assert {one["status"] for one in done} == {"dismissed"}
    assert watcher.execute(DISMISSED, project).fetchone() == (RESULTS,)
    assert watcher.execute(ONCE, project).fetchone() == (1,)


def answers(service, path):
    try:
        return service.call("GET", path)["info"]["items"] > 0
    except (http.client.HTTPException, OSError):
        return False
