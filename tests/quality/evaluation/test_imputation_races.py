"""Captured events that come while a rule makes an event for their slot: what is left does not depend on the
order.

Both are held up before they commit, by a lock on the table that each writes last; whoever stored first has
to be seen by the other.
"""

import pytest
from tests.given.gaps import body, filling, hours, report, stack, values
from tests.given.rule_evaluation import work
from tests.quality.correction.test_side_by_side import JANUARY, held, together, until, waiting

from weighbridge import worker

MEAN = {"method": "mean_before_after"}
LAST_WRITTEN = "LOCK TABLE audit_unsealed IN SHARE MODE"


@pytest.fixture
def project(api):
    return stack(api)


@pytest.fixture
def rule(api, project):
    return filling(api, project, MEAN, purpose="impute", evaluation="on_demand")


@pytest.fixture
def evaluate(api, account, rule):
    def run():
        api.post(f"/rules/{rule['id']}/rule_runs", JANUARY).expect(202)
        work(account)

    return run


@pytest.fixture
def imputing(api, server, rule):
    """Has a run of the rule carried out by a worker of its own."""
    task = api.post(f"/rules/{rule['id']}/rule_runs", JANUARY).expect(202).body

    def run():
        server.run(worker.attempt_task(server.database, task["id"]))
        return api.get(f"/async_tasks/{task['id']}").expect(200).body["state"]

    return run


@pytest.fixture
def capturing(account, project):
    """Has hours 2 and 3 captured, by one request."""
    bodies = [body(number, word) for number, word in ((2, "11"), (3, "13"))]

    def store():
        path = f"/projects/{project['id']}/events"
        return account.caller().post(path, {"events": bodies}).expect(201).body

    return store


@pytest.fixture(params=["captured first", "imputed first"])
def works(request, capturing, imputing):
    return (capturing, imputing) if request.param == "captured first" else (imputing, capturing)


def test_a_captured_event_takes_the_place_of_one_that_is_made_at_the_same_time(
    api, server, project, works, evaluate
):  # fmt: skip
    report(api, project, "10 - - 16")

    with held(server, LAST_WRITTEN) as release:
        first, done = together(works[0])
        until(lambda: waiting(server) >= 1)
        second, done_then = together(works[1])
        until(lambda: waiting(server) >= 2)
        release()
        for thread in first + second:
            thread.join()

    assert "complete" in (done[0], done_then[0])
    assert values(api, project) == {1: 10, 2: 11, 3: 13, 4: 16}
    counted = "SELECT count(*), count(captured_by), count(*) FILTER (WHERE withdrawn_at IS NULL)"
    [(made, given_way, standing)] = server.sql(
        f"{counted} FROM imputations WHERE project_id = %s", project["numeric_id"]
    )
    assert (given_way, standing) == (made, 0)

    for number in (2, 3):
        event = hours(api, project)[number]["event"]["id"]
        api.delete(f"/projects/{project['id']}/events/{event}").expect(204)
    evaluate()

    assert values(api, project) == {1: 10, 2: 13, 3: 13, 4: 16}
