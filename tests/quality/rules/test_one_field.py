"""PATCH /rules/{rule_id} with one field: the rule is as it was, but for that field. For every kind of rule.

What follows from a field by its meaning (the name of an event type from its id) goes with it.
"""

from typing import Any

import pytest
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given

from weighbridge.quality.records.rules import RULE_BODIES

MEMBERS = {"kind": "rolling", "members": 3, "include_current": False}
DAY = {"kind": "rolling", "duration": {"value": 1, "unit": "day"}, "include_current": True}
TIERS = {
    "tiers": [
        {"when": "gap_slots() <= 3", "method": "mean_before_after", "without_after": "before"},
        {"method": "maximum", "window": MEMBERS | {"members": 24}},
    ],
    "border_where": "{{flag}} != 9",
    "availability_slots": 24,
}
CONSTANT = {"method": "constant", "value": 5}

KINDS: dict[str, dict[str, Any]] = {
    "alert": {"expression": "{{flag}} = 9 or {{co2}} > 9", "data_point": "co2"},
    "window": {"expression": "{{flag}} > avg({{flag}})", "data_point": "co2", "window": MEMBERS},
    "adjustment": {
        "expression": "{{flag}} = 9",
        "data_point": "co2",
        "purpose": "adjust",
        "correction": {"method": "expression", "expression": "{{co2}} * 1.02"},
    },
    "substitution": {
        "expression": "{{flag}} = 9",
        "data_point": "co2",
        "purpose": "substitute",
        "correction": TIERS,
        "requires_approval": True,
    },
    "imputation": {
        "expression": "{{flag}} = 9",
        "data_point": "co2",
        "purpose": "impute",
        "correction": CONSTANT,
    },
    "model_run": {"expression": "mass > 100", "target": "model_run"},
}
"""A rule of every kind; none is about the data point that its expression reads first."""

OTHERWISE: dict[str, Any] = {
    "name": "Another name",
    "expression": "{{flag}} = 8",
    "effective_from": "2025-02-01T00:00:00.000Z",
    "effective_to": "2035-01-01T00:00:00.000Z",
    "message": "Look at it",
    "data_point": "flag",
    "event_type_id": None,
    "asset_id": "that of the project",
    "model_id": None,
    "evaluation": "automatic",
    "window": DAY,
    "window_member_scope": "location",
    "window_meters": "all",
    "purpose": "alert",
    "severity": "warn",
    "tables": {"limits": {"columns": ["grade", "limit"], "rows": [["A", 9]]}},
    "correction": CONSTANT | {"value": 7, "conservative": "high"},
    "priority": 7,
    "requires_approval": True,
}
"""Another value for every field of a rule. Where a kind cannot have it, the change is refused."""

GOES_WITH = {
    "event_type_id": {"event_type"},
    "asset_id": {"asset"},
    "model_id": {"model"},
    "effective_from": {"status"},
    "effective_to": {"status"},
}
ALWAYS = {"version", "updated_at", "backfill_enqueued", "rule_run_id"}


@pytest.fixture
def make(api, account):
    """Makes a rule of a kind in a project of its own; gives it with another value for every field."""

    def made(kind):
        plant = given_accounting.plant(api, account.drain)
        points = [given.number("flag", unit=None), given.number("co2", unit="kg")]
        hour = given.event_type(
            api, plant.project, slug="hour", cadence_amount=1, cadence_unit="hour", data_point_types=points
        )
        is_of_runs = kind == "model_run"
        watched = {"model_id": plant.model["id"]} if is_of_runs else {"event_type_id": hour["id"]}
        rule = given_alerts.rule(api, plant.project, **(KINDS[kind] | watched))
        return rule, OTHERWISE | {"asset_id": given.asset(api, plant.project)["id"]}

    return made


def test_every_field_of_a_rule_has_another_value():
    assert OTHERWISE.keys() == set(RULE_BODIES.change.__struct_fields__)


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_of_one_field_leaves_every_other_as_it_was(api, make, kind):
    (rule, otherwise), taken = make(kind), set()

    for field, value in otherwise.items():
        before = api.get(f"/rules/{rule['id']}").body
        answer = api.patch(f"/rules/{rule['id']}", {"rule": {field: value}})
        after = api.get(f"/rules/{rule['id']}").body
        changed = {name for name in before if before[name] != after[name]}
        if answer.status == 200:
            taken.add(field)
            assert changed <= {field, *GOES_WITH.get(field, ()), *ALWAYS}, field
            assert field not in changed or after[field] == value, field
            back = api.patch(f"/rules/{rule['id']}", {"rule": {field: before[field]}}).expect(200).body
            assert {name for name in before if before[name] != back[name]} <= ALWAYS, field
        else:
            answer.expect(422)
            assert changed == set(), field

    assert {"name", "message", "priority", "evaluation", "effective_from"} <= taken


@pytest.mark.parametrize("kind", KINDS)
def test_sending_any_field_as_it_is_changes_nothing(api, make, kind):
    rule, _ = make(kind)

    for field in OTHERWISE:
        answer = api.patch(f"/rules/{rule['id']}", {"rule": {field: rule[field]}}).expect(200)
        assert {name: answer.body[name] for name in rule} == rule, field
