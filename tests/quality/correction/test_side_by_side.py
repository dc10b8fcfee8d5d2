"""Rules that correct, and undoing them, side by side: nobody waits in a circle, and only for the same events.

Work is held up where a test needs it by a lock that another connection has.
"""

from contextlib import contextmanager
from threading import Thread
from time import monotonic, sleep

import psycopg
import pytest
from tests.given import alerts as given_alerts
from tests.given import collection as given
from tests.server import DEADLINE_SECONDS

from weighbridge import worker
from weighbridge.core import identity

JANUARY = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
ROUNDS = 3


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def run(api, server):
    """Starts a run of a rule, and has it carried out by a worker of its own."""

    def start(rule):
        task = api.post(f"/rules/{rule['id']}/rule_runs", JANUARY).expect(202).body
        server.run(worker.attempt_task(server.database, task["id"]))
        return api.get(f"/async_tasks/{task['id']}").expect(200).body

    return start


@contextmanager
def held(server, statement, *values):
    """Another connection has a lock until what this gives is called."""
    with psycopg.connect(server.running_url) as holder:
        holder.execute(statement, values)
        yield holder.rollback


def together(*works):
    """Do things side by side; gives what they came to, in their order, and whether they are done."""
    results = [None] * len(works)

    def do(index, work):
        results[index] = work()

    threads = [Thread(target=do, args=(index, work)) for index, work in enumerate(works)]
    for thread in threads:
        thread.start()
    return threads, results


def until(is_so):
    deadline = monotonic() + DEADLINE_SECONDS
    while not is_so():
        assert monotonic() < deadline
        sleep(0.01)


def waiting(server):
    [(count,)] = server.sql("SELECT count(*) FROM pg_locks WHERE NOT granted")
    return count


def mass(api, plant, day, value):
    start = f"2025-01-{day:02}T00:00:00Z"
    return given.event(api, plant, start_time=start, values={"mass": value})["id"]


def values(api, plant):
    found = api.get(f"/projects/{plant['id']}/data_points", {"sort": "id"}).data
    return [float(one["value"]) for one in found]


def test_a_rule_is_undone_while_another_one_corrects_the_same_events(api, server, plant, run):
    mass(api, plant, 1, 30)
    mass(api, plant, 2, 50)
    watching = {"name": "Watch", "expression": "{{mass}} > 1000", "effective_from": "2025-01-01T00:00:00Z"}
    api.post(f"/projects/{plant['id']}/rules", {"rule": watching}).expect(201)  # marks are for automatic ones
    changing = given_alerts.calibration(api, plant, "{{mass}} > 40", priority=5)
    other = given_alerts.calibration(api, plant, "{{mass}} > 10", priority=9)
    run(changing)
    run(other)
    update = {"rule": {"expression": "{{mass}} < 40"}}  # the first event, which it reaches last
    api.patch(f"/rules/{changing['id']}", update).expect(200)

    with held(server, "LOCK TABLE rule_dirty_ranges IN SHARE MODE") as release:  # written after events
        evaluating, done = together(lambda: run(changing))
        until(lambda: waiting(server) >= 1)
        undoing, undone = together(lambda: api.post(f"/rules/{other['id']}/undo_corrections", {}))
        until(lambda: waiting(server) >= 2)
        release()
        for thread in evaluating + undoing:
            thread.join()

    assert (undone[0].status, done[0]["state"]) == (200, "complete")
    assert values(api, plant) == [30.6, 50]


def test_two_rules_correct_different_events_of_a_project_at_the_same_time(api, server, plant, run):
    held_up = mass(api, plant, 1, 30)
    mass(api, plant, 2, 50)
    waits = given_alerts.calibration(api, plant, "{{mass}} < 40")
    goes_on = given_alerts.calibration(api, plant, "{{mass}} > 40")
    key = identity.parse("event", held_up)

    with held(server, "SELECT FROM events WHERE id = %s FOR NO KEY UPDATE", key.key) as release:
        evaluating, done = together(lambda: run(waits))
        until(lambda: waiting(server) >= 1)
        assert run(goes_on)["state"] == "complete"
        assert values(api, plant) == [30, 51]
        release()
        evaluating[0].join()

    assert done[0]["state"] == "complete"
    assert values(api, plant) == [30.6, 51]


def test_what_a_person_takes_back_while_a_rule_waits_to_correct_it_stays_taken_back(api, server, plant, run):
    event = mass(api, plant, 1, 50)
    rule = given_alerts.calibration(api, plant, "{{mass}} > 40")
    run(rule)
    key = identity.parse("event", event)
    assert values(api, plant) == [51]

    with held(server, "SELECT FROM events WHERE id = %s FOR NO KEY UPDATE", key.key) as release:
        undoing, undone = together(lambda: api.post(f"/rules/{rule['id']}/undo_corrections", {}))
        until(lambda: waiting(server) >= 1)
        evaluating, done = together(lambda: run(rule))
        release()
        for thread in undoing + evaluating:
            thread.join()

    assert (undone[0].status, done[0]["state"]) == (200, "complete")
    assert values(api, plant) == [50]


def test_evaluations_and_undoings_of_the_same_rules_end_well_in_any_order(api, plant, run):
    for day in range(1, 25):
        mass(api, plant, day, 30 + day)
    rules = [
        given_alerts.calibration(api, plant, f"{{{{mass}}}} > {limit}", priority=priority)
        for limit, priority in ((30, 5), (40, 7))
    ]

    def undo(rule):
        return api.post(f"/rules/{rule['id']}/undo_corrections", {})

    for round_number in range(ROUNDS):
        for rule, limit in zip(rules, (30 + round_number, 45 - round_number), strict=True):
            update = {"rule": {"expression": f"{{{{mass}}}} > {limit}"}}
            api.patch(f"/rules/{rule['id']}", update).expect(200)
        runs = [lambda rule=rule: run(rule) for rule in rules]
        undoings = [lambda rule=rule: undo(rule) for rule in rules * 2]
        threads, results = together(*undoings, *runs, *undoings)
        for thread in threads:
            thread.join()

        assert [one["state"] for one in results[4:6]] == ["complete"] * 2
        assert {answer.status for answer in results[:4] + results[6:]} == {200}
