"""Approving 100 proposals in one request, against approving one, on a year of hours.

A stack has 8,760 hours, every 12th of which is wrong; rules by the table of 40 CFR Part 75, which looks back
over the whole series, propose a value for each. Both in the same rounds, each of proposals of its own; the
same for rejections, for the impact, and for a rule that imputes. The ratio is that of the medians.
"""

import time
from collections.abc import Iterator

import psycopg
from service import Service, median, now, service

ROUNDS = 3
MANY = 100
GOAL = 2.0
HOURS = 8_760
TIERS = {
    "tiers": [
        {"when": "valid_slots() = 0", "method": "constant", "value": 2500},
        {"when": "availability() >= 0.95 and gap_slots() <= 24", "code": "06", "method": "mean_before_after"},
        {
            "code": "08", "method": "percentile", "p": 90, "definition": "nearest_rank",
            "window": {"kind": "rolling", "members": 720},
        },
    ],
    "availability_slots": 8760,
}  # fmt: skip


def main() -> None:
    with service(api_processes=1, with_worker=True) as running:
        for purpose in ("substitute", "impute"):
            path, waiting = _proposals(running, purpose)
            ones: list[float] = []
            many: list[float] = []
            for _ in range(ROUNDS):
                ones.append(_time(running, f"{path}/bulk_approve", [next(waiting)]))
                many.append(_time(running, f"{path}/bulk_approve", [next(waiting) for _ in range(MANY)]))
            one, hundred = median(ones), median(many)
            print(f"{purpose}: 1 in {one:.2f} s, {MANY} in {hundred:.2f} s")
            print(f"approving {purpose}d: ratio {hundred / one:.2f} (goal: at most {GOAL})")


def _time(running: Service, path: str, named: list[str]) -> float:
    started = now()
    answer = running.call("POST", path, {"result_ids": named})
    took = now() - started
    assert {one["approval_state"] for one in answer["data"]} == {"approved"}, answer
    return took


def _proposals(running: Service, purpose: str) -> tuple[str, Iterator[str]]:
    """The path of a project's rule results, and those that wait, in no order of time."""
    project = running.call("POST", "/projects", {"project": {"name": purpose}})
    body = {
        "name": "Hour", "slug": "hour", "expected_locations": "none", "cadence_amount": 1,
        "cadence_unit": "hour", "data_point_types": [{"name": "so2", "slug": "so2", "value_type": "number"}],
    }  # fmt: skip
    kind = running.call("POST", f"/projects/{project['id']}/event_types", {"event_type": body})
    number = kind["data_point_types"][0]["nexus_event_type_id"]
    _load(running.database_url, project["numeric_id"], number, purpose)
    rule = {
        "name": "Part 75", "expression": "{{so2}} < 0", "data_point": "so2", "purpose": purpose,
        "correction": TIERS, "requires_approval": True, "effective_from": "2020-01-01T00:00:00Z",
        "evaluation": "on_demand",
    }  # fmt: skip
    made = running.call("POST", f"/projects/{project['id']}/rules", {"rule": rule})
    year = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"}
    task = running.call("POST", f"/rules/{made['id']}/rule_runs", year)
    while (state := running.call("GET", f"/async_tasks/{task['id']}"))["finished_at"] is None:
        time.sleep(0.05)
    assert state["state"] == "complete", state
    path = f"/projects/{project['id']}/rule_results"
    found: list[str] = []
    for page in (1, 2, 3, 4):
        asked = f"page_size=200&page={page}&filter%5Bapproval_state%5D=pending"
        found += [one["id"] for one in running.call("GET", f"{path}?{asked}")["data"]]
    return path, iter([*found[::2], *found[1::2]])


def _load(url: str, project: int, kind: int, purpose: str) -> None:
    kept = "true" if purpose == "substitute" else "n % 12 <> 6"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            f"""
            INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
            SELECT {project}, {project * 10**8} + n, {kind}, moment, moment,
                   ARRAY[CASE n % 12 WHEN 6 THEN -1 ELSE (n * 7919::bigint % 100003) / 100.0 END], true
              FROM (SELECT n, '2025-01-01Z'::timestamptz + n * interval '1 hour' AS moment
                      FROM generate_series(0, {HOURS} - 1) AS n) AS made
             WHERE {kept}
            """
        )
        connection.execute("ANALYZE events")


if __name__ == "__main__":
    main()
