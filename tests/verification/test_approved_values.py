"""A value that somebody approved, and that a later run finds otherwise, is as the log tells of it."""

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.given import gaps
from tests.given.rule_evaluation import results, work

from weighbridge.db.embedded.cluster import SUPERUSER
from weighbridge.verification import verify

MEAN = {"method": "mean_before_after"}


@pytest.fixture
def account(lone_server):
    """An account whose service has nothing else to verify."""
    with lone_server() as server:
        yield server.account()


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


def approved(account):
    """A plant whose third hour is 12 by an approved proposal of a rule: its hours 2 and 4 are 10 and 14."""
    api = account.caller()
    project = gaps.stack(api)
    rule = gaps.filling(api, project, MEAN, requires_approval=True)
    events = gaps.report(api, project, "10 10 !99 14 14")
    work(account)
    [result] = results(api, rule)
    api.post(f"/projects/{project['id']}/rule_results/{result['id']}/approve", {}).expect(200)
    work(account)
    assert gaps.values(api, project)[3] == 12
    return api, project, rule, events


def change(api, project, event, slug, value):
    points = {"data_points": [{"slug": slug, "value": value}], "reason": "The monitor had drifted."}
    api.patch(f"/projects/{project['id']}/events/{event}", {"event": points}).expect(200)


def test_an_approved_value_for_which_another_one_is_found_gives_way_and_the_books_hold(account):
    api, project, rule, events = approved(account)

    change(api, project, events[4], "so2", 18)
    work(account)

    assert [one["approval_state"] for one in results(api, rule)] == ["pending"]
    assert gaps.values(api, project)[3] == 99
    assert violations(account.server) == {}


def test_an_approved_value_for_which_none_is_found_any_more_gives_way_and_the_books_hold(account):
    api, project, _, events = approved(account)

    change(api, project, events[3], "quality", "good")
    work(account)

    assert gaps.values(api, project)[3] == 99
    assert violations(account.server) == {}


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE events SET corrected_numbers[1] = 11 WHERE corrected_numbers[1] = 12",
        "UPDATE corrections SET to_value = '11' WHERE to_value = '12' AND state = 'in_force'",
        "UPDATE corrections SET created_at = now() + interval '1 hour' WHERE rule_id IS NOT NULL",
        "UPDATE corrections SET user_id = user_id + 1000 WHERE rule_id IS NOT NULL",
        "UPDATE corrections SET token_id = NULL WHERE rule_id IS NOT NULL",
        "UPDATE corrections SET rule_run_id = rule_run_id + 1000 WHERE rule_id IS NOT NULL",
    ],
)
def test_an_approved_value_that_was_changed_past_every_operation_is_found(account, tampering):
    approved(account)
    assert violations(account.server) == {}

    with psycopg.connect(make_conninfo(account.server.owner_url, user=SUPERUSER)) as connection:
        connection.execute("SET session_replication_role = replica")
        assert connection.execute(tampering).rowcount == 1

    assert violations(account.server) != {}


def violations(server):
    found = server.run(verify(server.database))
    return {one.rule: one.violations for one in found.checks if one.violations}
