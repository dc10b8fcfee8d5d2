"""A value that somebody approved, and that a later run finds by other means, is as the log tells of it."""

import pytest
from tests.given import gaps
from tests.given.lone import lone_service
from tests.given.rule_evaluation import results, work

from weighbridge.verification import verify

MEAN = {"method": "mean_before_after"}


@pytest.fixture
def account(postgres, newest):
    """An account whose service has nothing else to verify."""
    with lone_service(postgres, newest, "nothing") as lone:
        yield lone.server.account()


def test_an_approved_value_that_is_found_in_a_longer_gap_is_of_the_run_that_says_so(account):
    api = account.caller()
    project = gaps.stack(api)
    rule = gaps.filling(api, project, MEAN, requires_approval=True)
    events = gaps.report(api, project, "10 !99 14 14")
    work(account)
    [result] = results(api, rule)
    api.post(f"/projects/{project['id']}/rule_results/{result['id']}/approve", {}).expect(200)
    work(account)
    before = gaps.hours(api, project)[2]

    quality = {"slug": "quality", "value": "bad"}
    change = {"data_points": [quality], "reason": "The monitor had drifted."}
    api.patch(f"/projects/{project['id']}/events/{events[3]}", {"event": change}).expect(200)
    work(account)

    after = gaps.hours(api, project)[2]
    assert (before["value"], before["substitution"]["gap_slots"]) == (12, 1)
    assert (after["value"], after["substitution"]["gap_slots"]) == (12, 2)
    assert after["substitution"]["rule_run_id"] > before["substitution"]["rule_run_id"]
    assert violations(account.server) == {}


def violations(server):
    found = server.run(verify(server.database))
    return {one.rule: one.violations for one in found.checks if one.violations}
