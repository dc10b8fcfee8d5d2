"""Decisions beside evaluations, undoing, reverting and corrections by hand: nobody waits in a circle."""

from concurrent.futures import ThreadPoolExecutor

from tests.given import collection as given
from tests.given.approvals import bulk_approve, bulk_reject, pending
from tests.given.rule_evaluation import calibration, held, results, work

from weighbridge.quality.evaluation.incremental import evaluate_changes

ROUNDS = 4
DELIVERIES = 20


def test_people_decide_while_rules_are_evaluated_and_others_correct_and_undo(api, account):
    project = given.measuring(api, given.number("mass"))
    bodies = [
        given.event_body(start_time=f"2025-01-{day:02}T00:00:00Z", values={"mass": 50})
        for day in range(1, DELIVERIES + 1)
    ]
    given.events(api, project, bodies)
    made = calibration(api, project, requires_approval=True)
    work(account)
    named = [one["id"] for one in results(api, made)]
    points = [one["data_point_id"] for one in results(api, made)]

    def path(point, verb=""):
        return f"/projects/{project['id']}/data_points/{point}{verb}"

    def answers_of(caller, round_number):
        """What everybody does in a round, each for half of the deliveries or for all, in both orders."""
        masses = {"data_point": {"value": 60 + round_number, "reason": "Read again"}}
        return [
            lambda: [bulk_approve(caller, project, *named[::-1])],
            lambda: [bulk_reject(caller, project, *named[round_number:3])],
            lambda: [caller.post(f"/rules/{made['id']}/undo_corrections", {})],
            lambda: [caller.patch(path(point), masses) for point in points[5:8]],
            lambda: [caller.post(path(point, "/revert"), {}) for point in points[7:4:-1]],
            lambda: account.server.run(evaluate_changes(account.server.database)),
        ]

    with ThreadPoolExecutor(6) as people:
        for number in range(ROUNDS):
            works = answers_of(account.caller(), number)
            done = [future.result() for future in [people.submit(work) for work in works]]

            answers = [answer for several in done[:-1] for answer in several]
            assert {answer.status for answer in answers} <= {200, 422}
            assert done[-1] == []
    work(account)
    work(account)

    states = [one["approval_state"] for one in results(api, made)]
    assert pending(api, made) == states.count("pending")
    of_events = {one["event_id"]: one["approval_state"] == "approved" for one in results(api, made)}
    for event, is_approved in of_events.items():
        record = api.get(f"/projects/{project['id']}/events/{event}").body
        value, captured = held(api, project, record)
        assert (value == 51) is is_approved
        assert captured == 50
