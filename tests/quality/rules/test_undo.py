"""POST /rules/{id}/undo_corrections takes back all that a rule corrected. Seed, Other operations."""

import pytest
from tests.given import alerts as given_alerts
from tests.given import collection as given


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def rule(api, plant):
    return given_alerts.calibration(api, plant)


@pytest.fixture
def correct(api, drain, plant, rule):
    """Makes an event whose mass of 50 t a run of the rule has corrected to 51 t."""

    def make():
        given.event(api, plant, values={"mass": 50})
        given_alerts.finished_run(api, drain, rule)

    return make


def undo(api, rule):
    return api.post(f"/rules/{rule['id']}/undo_corrections", {})


def masses(api, plant):
    found = api.get(f"/projects/{plant['id']}/data_points", {"sort": "id"}).data
    return [(one["value"], one["raw_value"]) for one in found]


def test_all_corrections_of_a_rule_are_undone_at_once_and_only_once(api, plant, rule, correct):
    given.event(api, plant, values={"mass": 30})
    correct()
    correct()
    assert masses(api, plant) == [(30, 30), (51, 50), (51, 50)]

    undone, again = undo(api, rule).expect(200).body, undo(api, rule).expect(200).body

    assert undone == {"corrections": 2, "changed_values": 2}
    assert again == {"corrections": 0, "changed_values": 0}
    assert masses(api, plant) == [(30, 30), (50, 50), (50, 50)]


def test_the_alerts_of_the_rule_stay(api, rule, correct):
    correct()
    before = api.get(f"/rules/{rule['id']}/rule_results").data

    undo(api, rule).expect(200)

    assert api.get(f"/rules/{rule['id']}/rule_results").data == before != []


def test_what_a_rule_corrected_stays_when_the_rule_is_removed(api, plant, rule, correct):
    correct()

    api.delete(f"/rules/{rule['id']}").expect(204)

    assert masses(api, plant) == [(51, 50)]


def test_undoing_leaves_one_row_in_the_audit_log(api, account, sql, rule, correct):
    correct()
    undo(api, rule).expect(200)
    undo(api, rule).expect(200)

    assert sql(
        "SELECT object, after FROM audit_log WHERE account_id = %s AND action = 'rule.undo_corrections'",
        account.id,
    ) == [(rule["id"], {"corrections": 1, "changed_values": 1})]
