"""Where data change, what follows from them is evaluated again: as far as windows reach. Design, Rules."""

import re

import pytest
from tests.given.rule_evaluation import days, results, rule, runs, statuses, work

from weighbridge.core import identity

MISTAKE = r"The rule could not be evaluated: internal error\. Reference: err_[0-9a-f]{24}\."
HEAVY = "{{mass}} > 20"


WINDOWS = {
    "a rolling one by time": {"kind": "rolling", "duration": {"value": 2, "unit": "day"}},
    "a rolling one by members": {"kind": "rolling", "members": 2},
    "one by members with a condition": {"kind": "rolling", "members": 2, "where": "{{mass}} > 0"},
    "the month to date": {"kind": "calendar", "unit": "month"},
    "the whole month": {"kind": "calendar", "unit": "month", "extent": "whole_period"},
    "two weeks": {"kind": "calendar", "unit": "week", "value": 2},
}


@pytest.mark.parametrize("scope", ["event_type", "project", "location"])
@pytest.mark.parametrize("window", WINDOWS)
def test_what_comes_late_changes_what_its_windows_hold(api, account, deliver, window, scope):
    project = {"id": deliver(10, 3)["project_id"]}
    asked = {"window": WINDOWS[window], "window_member_scope": scope}
    watching = rule(api, project, "{{mass}} < (sum({{mass}}) / 3)", name="watching", **asked)
    for day in (4, 5, 6, 20):
        deliver(10, day)
    work(account)

    deliver(1000, 2)
    work(account)

    afresh = rule(api, project, "{{mass}} < (sum({{mass}}) / 3)", name="afresh", **asked)
    work(account)
    standing = [one for one in results(api, watching) if one["status"] == "fail"]
    assert standing
    assert {one["event_id"] for one in standing} == {one["event_id"] for one in results(api, afresh)}


def test_an_event_that_is_moved_is_looked_at_where_it_was_and_where_it_is(api, account, project, deliver):
    window = {"kind": "rolling", "duration": {"value": 1, "unit": "day"}}
    made = rule(api, project, "count() > 0", window=window, data_point="mass")
    moving = deliver(1, 1)
    deliver(2, 2)
    deliver(3, 11)
    work(account)
    assert days(api, project, results(api, made)) == [2]

    moved = {"event": {"start_time": "2025-01-10T00:00:00Z", "end_time": "2025-01-10T00:00:00Z"}}
    api.patch(f"/projects/{project['id']}/events/{moving['id']}", moved).expect(200)
    work(account)

    assert statuses(api, made) == [("pass", "2"), ("fail", "3")]


def test_what_followed_an_event_that_moved_away_is_looked_at_again(api, account, project, deliver):
    window = {"kind": "rolling", "members": 1}
    made = rule(api, project, "count_same({{mass}}) = 1", window=window)
    moving = deliver(5, 1)
    deliver(5, 3)
    deliver(7, 5)
    work(account)
    assert days(api, project, results(api, made)) == [3]

    moved = {"event": {"start_time": "2025-01-09T00:00:00Z", "end_time": "2025-01-09T00:00:00Z"}}
    api.patch(f"/projects/{project['id']}/events/{moving['id']}", moved).expect(200)
    work(account)

    assert statuses(api, made) == [("pass", "5")]


def test_evaluating_again_changes_nothing(api, account, project, deliver):
    made = rule(api, project, "{{mass}} > 20 or count() > 1", window={"kind": "rolling", "members": 3})
    for day in range(1, 6):
        deliver(10 * day, day)
    work(account)
    before = results(api, made)

    period = {"start_time": "2020-01-01T00:00:00Z", "end_time": "2030-01-01T00:00:00Z"}
    api.post(f"/rules/{made['id']}/rule_runs", period).expect(202)
    work(account)

    assert results(api, made) == before
    again = runs(api, made)[-1]
    assert (again["state"], again["evaluated"], again["alerts"]) == ("complete", 5, len(before))


def test_a_rule_that_fails_by_itself_says_so_and_holds_up_no_other(api, account, project, deliver, server):
    broken, sound = rule(api, project, "{{mass}} > 15"), rule(api, project, HEAVY)
    work(account)
    number = identity.parse("rule", broken["id"])
    server.change_form(
        f"""
        ALTER TABLE data_point_results ADD CONSTRAINT broken
            CHECK (NOT (project_id = {number.project} AND rule_id = {number.key})) NOT VALID
        """
    )
    deliver(30)
    work(account)
    server.change_form("ALTER TABLE data_point_results DROP CONSTRAINT broken")

    assert statuses(api, sound) == [("fail", "30")]
    failed = runs(api, broken)[-1]
    assert (failed["kind"], failed["state"]) == ("automatic", "failed")
    assert re.fullmatch(MISTAKE, failed["error_message"])
