"""PATCH /rules/{rule_id}: what decides a result makes another version. Seed, Rule; reference facts, 3.8."""

import pytest
from tests.given import alerts as given_alerts
from tests.given import collection as given


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"), given.number("energy", unit="kWh"))


@pytest.fixture
def rule(api, plant):
    return given_alerts.rule(api, plant)


def update(api, rule, **fields):
    return api.patch(f"/rules/{rule['id']}", {"rule": fields})


VERSIONED = {
    "expression": "{{mass}} > 45",
    "data_point": "energy",
    "window": {"kind": "rolling", "members": 3},
    "window_member_scope": "project",
    "priority": 5,
}


@pytest.mark.parametrize("field", VERSIONED)
def test_what_decides_a_result_makes_another_version(api, rule, field):
    changed = update(api, rule, **{field: VERSIONED[field]}).expect(200).body

    assert changed["version"] == 2
    assert api.get(f"/rules/{rule['id']}").body["version"] == 2


def test_an_event_type_makes_another_version(api, plant, rule):
    delivery = api.get(f"/projects/{plant['id']}/event_types").data[0]["id"]

    assert update(api, rule, event_type_id=delivery).expect(200).body["version"] == 2
    assert update(api, rule, event_type_id=None).expect(200).body["version"] == 3


def test_a_correction_makes_another_version(api, rule):
    fields = {"purpose": "adjust", "correction": given_alerts.TWO_PERCENT}

    assert update(api, rule, **fields).expect(200).body["version"] == 2
    assert update(api, rule, requires_approval=True).expect(200).body["version"] == 3
    assert update(api, rule, requires_approval=True, **fields).expect(200).body["version"] == 3


AROUND = {
    "name": "Another name",
    "message": "Another message",
    "effective_from": "2025-06-01T00:00:00.000Z",
    "effective_to": "2027-01-01T00:00:00.000Z",
    "evaluation": "automatic",
}


@pytest.mark.parametrize("field", AROUND)
def test_what_stands_around_a_rule_makes_no_version(api, rule, field):
    changed = update(api, rule, **{field: AROUND[field]}).expect(200).body

    assert (changed["version"], changed[field]) == (1, AROUND[field])


def test_sending_what_is_there_already_changes_nothing(api, account, sql, rule):
    sent = {name: rule[name] for name in ("name", "expression", "window", "priority", "effective_from")}

    same = update(api, rule, **sent).expect(200).body

    assert (same["version"], same["updated_at"]) == (1, rule["updated_at"])
    assert sql(
        "SELECT count(*) FROM audit_log WHERE account_id = %s AND action = 'rule.update'", account.id
    ) == [(0,)]


def test_results_stay_with_the_version_that_made_them(api, sql, plant, rule):
    event = given.event(api, plant, values={"mass": 50, "energy": 1})
    old = given_alerts.result(sql, rule, event["id"])
    changed = update(api, rule, expression="{{mass}} > 45").expect(200).body
    new = given_alerts.result(sql, changed, event["id"])

    found = api.get(f"/rules/{rule['id']}/rule_results").data

    assert [(one["id"], one["rule_version"]) for one in found] == [(new, 2), (old, 1)]


def test_every_version_is_listed_with_what_it_asked(api, rule):
    update(api, rule, expression="{{mass}} > 45").expect(200)

    versions = api.get(f"/rules/{rule['id']}/versions").expect(200).data

    assert [(one["version"], one["expression"]) for one in versions] == [
        (2, "{{mass}} > 45"), (1, "{{mass}} > 40"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("evaluation", "fields", "is_enqueued"),
    [
        ("automatic", {"expression": "{{mass}} > 45"}, True),
        ("automatic", {"effective_from": "2024-01-01T00:00:00Z"}, True),
        ("automatic", {"name": "Another name"}, False),
        ("automatic", {"message": "Another message"}, False),
        ("on_demand", {"evaluation": "automatic"}, True),
        ("on_demand", {"expression": "{{mass}} > 45"}, False),
        ("automatic", {"evaluation": "on_demand", "expression": "{{mass}} > 45"}, False),
    ],
)
def test_an_update_says_whether_it_queued_an_evaluation(api, plant, evaluation, fields, is_enqueued):
    rule = given_alerts.rule(api, plant, evaluation=evaluation)
    before = api.get(f"/rules/{rule['id']}/rule_runs").info["total_items"]

    changed = update(api, rule, **fields).expect(200).body
    runs = api.get(f"/rules/{rule['id']}/rule_runs")

    assert changed["backfill_enqueued"] is is_enqueued
    assert runs.info["total_items"] - before == is_enqueued
    assert changed["rule_run_id"] == (runs.data[0]["id"] if is_enqueued else None)


def test_shortening_the_time_of_a_rule_keeps_its_alerts(api, sql, plant, rule):
    event = given.event(api, plant, start_time="2025-09-01T00:00:00Z", values={"mass": 50, "energy": 1})
    alert = given_alerts.result(sql, rule, event["id"])

    update(api, rule, effective_to="2025-06-01T00:00:00Z").expect(200)

    assert [one["id"] for one in api.get(f"/rules/{rule['id']}/rule_results").data] == [alert]


def test_a_rule_stays_about_its_data_point_until_another_is_asked_for(api, plant):
    rule = given_alerts.rule(api, plant, "{{energy}} > (2 * {{mass}})", data_point="mass")

    kept = update(api, rule, expression="{{energy}} > 100").expect(200).body["data_point"]
    moved = update(api, rule, data_point=None).expect(200).body["data_point"]

    assert (kept, moved) == ("mass", "energy")


def test_an_invalid_expression_is_refused_and_changes_nothing(api, rule):
    error = update(api, rule, expression="{{mass}} >").expect(422).error

    assert (error["field"], error["code"]) == ("expression", "invalid")
    assert api.get(f"/rules/{rule['id']}").body["expression"] == "{{mass}} > 40"


def test_a_rule_whose_data_are_gone_can_be_renamed_and_ended(api, sql, plant, rule):
    sql("DELETE FROM data_point_types WHERE project_id = %s AND slug = 'mass'", plant["numeric_id"])

    changed = update(api, rule, name="Retired", effective_to="2025-06-01T00:00:00Z").expect(200).body

    assert (changed["name"], changed["status"]) == ("Retired", "ended")
    assert update(api, rule, expression="{{mass}} > 50").expect(422).error["field"] == "expression"


def test_the_target_of_a_rule_is_fixed(api, rule):
    update(api, rule, target="model_run").expect(400)


def test_a_name_that_another_rule_has_is_refused(api, plant, rule):
    other = given_alerts.rule(api, plant)

    assert update(api, rule, name=other["name"]).expect(422).error["code"] == "taken"


def test_of_changes_at_once_each_makes_its_own_version(api, account, rule):
    masses = iter(range(50, 54))
    answers = account.server.together(
        lambda: update(api, rule, expression=f"{{{{mass}}}} > {next(masses)}"), 4
    )

    assert sorted(answer.expect(200).body["version"] for answer in answers) == [2, 3, 4, 5]
