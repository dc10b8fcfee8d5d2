"""Gaps filled by a rule: 1 % of so many values by a percentile over 720 members, against a script of numpy.

The time from saving the rule to its finished run: queue, worker, results, corrections, audit row. The script
reads the same values with psycopg, computes the same percentiles with numpy, and writes the same rows:
corrections with how each value was found, results, and the events that show them. Memory is the most that the
worker held.

    python benchmarks/bench_substitution.py [--values 1000000]
"""

import argparse
import json
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import psycopg
from service import Service, descendants, now, peak_memory_mb, service

VALUES = 100_000
GOAL = 5.0
MEMBERS = 720
START = datetime(2020, 1, 1, tzinfo=UTC)
CORRECTION = {
    "method": "percentile", "p": 90, "definition": "nearest_rank",
    "window": {"kind": "rolling", "members": MEMBERS},
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--values", type=int, default=VALUES)
    count = parser.parse_args().values
    with service(api_processes=1, with_worker=True) as running:
        url = running.database_url
        project, number, kind = _plant(running, "Rule")
        _, beside, same_kind = _plant(running, "Script")
        _load(url, number, kind, 10**9, count)
        _load(url, beside, same_kind, 2 * 10**9, count)
        ours, filled = _by_rule(running, project)
        bare = _by_script(url, beside, same_kind)
        assert _values(url, number, kind) == _values(url, beside, same_kind), "the two differ"
        worker = next(pid for pid in descendants(running.process.pid) if "worker" in _command(pid))
        memory = peak_memory_mb(worker)
    print(f"{filled:,} of {count:,} values: rule {ours:.2f} s, script {bare:.2f} s, memory {memory:,.0f} MB")
    print(f"substitution: ratio {ours / bare:.2f} of the script (goal: at most {GOAL})")


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def _by_rule(running: Service, project: str) -> tuple[float, int]:
    body = {
        "name": "Fill", "expression": "{{so2}} < 0", "effective_from": "2000-01-01T00:00:00Z",
        "purpose": "substitute", "correction": CORRECTION,
    }  # fmt: skip
    started = now()
    run = running.call("POST", f"/projects/{project}/rules", {"rule": body})["rule_run_id"]
    while (state := running.call("GET", f"/rule_runs/{run}"))["finished_at"] is None:
        time.sleep(0.05)
    assert state["state"] == "complete", state
    return now() - started, state["corrections"]


def _by_script(url: str, project: int, kind: int) -> float:
    started = now()
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            """
            SELECT id, numbers[1] FROM events WHERE project_id = %s AND event_type_id = %s ORDER BY start_time
            """,
            (project, kind),
        ).fetchall()
        keys = np.array([key for key, _ in rows])
        values = np.array([float(value) for _, value in rows])
        is_wrong = values < 0
        captured = values[~is_wrong]
        before = np.cumsum(~is_wrong)
        found = []
        for index in np.flatnonzero(is_wrong):
            members = captured[max(before[index] - MEMBERS, 0) : before[index]]
            if members.size:
                rank = -(-90 * members.size // 100)
                value = np.partition(members, rank - 1)[rank - 1]
                found.append((int(keys[index]), float(value), int(members.size)))
        _write(connection, project, found)
    return now() - started


def _write(connection: psycopg.Connection, project: int, found: list[tuple[int, float, int]]) -> None:
    how = {
        "method": "percentile", "found_by": "percentile", "tier": 1, "code": None, "availability": None,
        "gap_slots": 1, "window": {"kind": "rolling", "members": MEMBERS, "include_current": False},
    }  # fmt: skip
    connection.execute("CREATE TEMPORARY TABLE found (event_id bigint, value numeric, how jsonb)")
    with connection.cursor() as cursor, cursor.copy("COPY found FROM STDIN") as copy:
        for key, value, members in found:
            copy.write_row((key, value, json.dumps(how | {"members_used": members})))
    for statement in _WRITES:
        connection.execute(statement, {"project": project})
    connection.commit()


_WRITES = (
    """
    INSERT INTO rules (project_id, name, evaluation, effective_from, latest_version)
    VALUES (%(project)s, 'Script', 'on_demand', '2000-01-01Z', 1)
    """,
    """
    INSERT INTO rule_versions (project_id, rule_id, version, target, expression, data_point,
                               window_member_scope, purpose, correction, priority, requires_approval, user_id)
    SELECT %(project)s, id, 1, 'data_point', 'so2 < 0', 'so2', 'event_type', 'substitute', '{}', 100, false,
           (SELECT min(id) FROM users)
      FROM rules WHERE project_id = %(project)s
    """,
    """
    INSERT INTO corrections (project_id, event_id, position, source, priority, from_value, to_value, state,
                             rule_id, rule_version, user_id, substitution)
    SELECT %(project)s, e.id, 1, 'substitution', 100, to_jsonb(e.numbers[1]), to_jsonb(f.value), 'in_force',
           (SELECT id FROM rules WHERE project_id = %(project)s), 1, (SELECT min(id) FROM users), f.how
      FROM found f JOIN events e ON e.project_id = %(project)s AND e.id = f.event_id
    """,
    """
    INSERT INTO data_point_results (project_id, rule_id, rule_version, event_id, position, status,
                                    entered_value, evaluated_at)
    SELECT %(project)s, (SELECT id FROM rules WHERE project_id = %(project)s), 1, e.id, 1, 'fail',
           e.numbers[1]::text, now()
      FROM found f JOIN events e ON e.project_id = %(project)s AND e.id = f.event_id
    """,
    """
    UPDATE events e SET corrected_numbers = ARRAY[f.value], is_revised = true, updated_at = now()
      FROM found f WHERE e.project_id = %(project)s AND e.id = f.event_id
    """,
)


def _values(url: str, project: int, kind: int) -> list[tuple[datetime, float]]:
    with psycopg.connect(url) as connection:
        return [
            (start, float(value))
            for start, value in connection.execute(
                """
                SELECT start_time, corrected_numbers[1] FROM events
                 WHERE project_id = %s AND event_type_id = %s AND is_revised ORDER BY start_time
                """,
                (project, kind),
            )
        ]


def _plant(running: Service, name: str) -> tuple[str, int, int]:
    project = running.call("POST", "/projects", {"project": {"name": name}})
    types = [{"name": "so2", "slug": "so2", "value_type": "number"}]
    body = {
        "name": "Minute", "slug": "minute", "expected_locations": "none", "cadence_amount": 1,
        "cadence_unit": "minute", "data_point_types": types,
    }  # fmt: skip
    kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    return project["id"], project["numeric_id"], kind["data_point_types"][0]["nexus_event_type_id"]


def _load(url: str, project: int, kind: int, first: int, count: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            """
            INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
            SELECT %(project)s, %(first)s + n, %(kind)s, moment, moment,
                   ARRAY[CASE n %% 100 WHEN 50 THEN -1 ELSE (n * 7919::bigint %% 100003) / 100.0 END], true
              FROM (SELECT n, %(start)s + n * interval '1 minute' AS moment
                      FROM generate_series(0, %(count)s - 1) AS n) AS made
            """,
            {"project": project, "kind": kind, "first": first, "count": count, "start": START},
        )
        connection.execute("ANALYZE events")


if __name__ == "__main__":
    main()
