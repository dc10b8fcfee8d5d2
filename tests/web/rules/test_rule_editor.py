"""The editor of a rule: windows and corrections by fields, the same as JSON, and the test on past data."""

import json
import re
from html import unescape

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.forms import typed_in
from tests.given.gaps import stack
from tests.given.people import visitor

from weighbridge.core.rule.substitution.definition import METHOD_NAMES
from weighbridge.quality.records.rule_examples import EXAMPLES


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def ada(account):
    return visitor(account)


def home(plant):
    return f"/projects/{plant.project['id']}"


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.text)))


ROLLING = {"kind": "rolling", "members": 24}
DAYS = {"kind": "rolling", "duration": {"value": 30, "unit": "day"}}
MONTHS = {"kind": "calendar", "unit": "month", "value": 2, "extent": "to_date"}

WINDOWS = [
    ROLLING,
    ROLLING | {"include_current": True, "where": "{{so2}} > 0"},
    DAYS,
    {"kind": "calendar", "unit": "week"},
    MONTHS | {"extent": "whole_period"},
]

METHODS = [
    {"method": "constant", "value": 12.5},
    {"method": "previous", "without_before": "first_after"},
    {"method": "next", "without_after": "before"},
    {"method": "mean_before_after", "without_after": {"method": "constant", "value": 3}},
    {"method": "linear", "without_after": "wait",
     "without_before": {"method": "next", "without_after": {"method": "constant", "value": 0}}},
    {"method": "mean", "window": ROLLING | {"where": "{{load}} > 10"}},
    {"method": "median", "window": MONTHS},
    {"method": "minimum", "window": DAYS},
    {"method": "maximum", "window": DAYS | {"members": 720}},
    {"method": "percentile", "p": 90, "definition": "nearest_rank", "window": ROLLING},
    {"method": "mean_plus_sd", "factor": 2.5, "deviation": "sample", "window": ROLLING, "code": "08"},
    {"method": "confidence_limit", "confidence": 95, "window": {
        "kind": "around_gap", "before": {"duration": {"value": 72, "unit": "hour"}, "members": 50},
        "after": {"members": 2}, "where": "{{load}} > 0"}},
    {"method": "mean", "window": ROLLING | {"same": "ceil({{load}} / 40)"},
     "without_members": {"method": "constant", "value": 2500}},
    {"method": "mean_before_after", "without_after": "before", "after_within": "year"},
    {"method": "greater_of", "methods": [
        {"method": "mean_before_after"}, {"method": "percentile", "p": 95, "definition": "linear",
                                          "window": ROLLING}]},
    {"method": "lesser_of", "methods": [
        {"method": "constant", "value": 1}, {"method": "greater_of", "methods": [
            {"method": "constant", "value": 2}, {"method": "previous"}]}]},
    {"method": "expression", "expression": "{{load}} * 0.3"},
]  # fmt: skip

TIERS = {
    "tiers": [
        {"when": "availability() >= 0.9", "code": "06", "method": "mean_before_after"},
        {"when": "availability() >= 0.8 and gap_slots() <= 24", "method": "percentile", "p": 90,
         "definition": "nearest_rank", "window": DAYS},
        {"method": "maximum", "window": DAYS, "code": "12"},
    ],
    "border_where": "{{so2}} >= 0", "operating_where": "{{load}} > 0", "availability_slots": 8760,
    "round": {"places": 1, "mode": "half_up"}, "conservative": "low", "fill_to_end": True,
    "operating_from": {"event_type": "hour", "where": "{{load}} > 0"},
}  # fmt: skip


def filling_rule(**fields):
    usual = {"name": "Fill", "expression": "{{so2}} < 0", "effective_from": "2025-01-01T00:00:00Z"}
    return usual | {"evaluation": "on_demand", "data_point": "so2", "purpose": "substitute"} | fields


def said(rule):
    """What a rule says, whoever made it, when, and under which name."""
    own = {"id", "name", "created_at", "updated_at", "ui_url", "rule_run_id", "backfill_enqueued"}
    return {name: value for name, value in rule.items() if name not in own}


def check_round_trip(api, ada, place, rule):
    """The form of the JSON, and the form of the record, save the same rule as the interface."""
    made = api.post(f"{place}/rules", {"rule": rule | {"name": "By JSON"}}).expect(201).body
    new = f"{place}/rules/new"
    ada.get(new).expect(200)
    sent = json.dumps({"rule": rule | {"name": "By fields"}})
    filled = ada.post(new, {"as_json": sent, "use_json": "yes"}).expect(200)
    typed = typed_in(filled, new)
    by_fields = ada.post(new, typed).expect(303).headers["location"].rpartition("/")[2]
    assert said(api.get(f"/rules/{by_fields}").body) == said(made)

    edit = f"{place}/rules/{made['id']}/edit"
    typed = typed_in(ada.get(edit).expect(200), edit)
    ada.post(edit, typed).expect(303)
    assert said(api.get(f"/rules/{made['id']}").body) == said(made)


def test_every_method_of_a_correction_is_among_those_tried_here():
    assert {one["method"] for one in METHODS} == {*METHOD_NAMES}


@pytest.mark.parametrize("correction", [*METHODS, TIERS], ids=lambda one: one.get("method", "tiers"))
@pytest.mark.parametrize("purpose", ["substitute", "impute"])
def test_a_correction_by_fields_is_the_one_that_the_interface_takes(api, ada, correction, purpose):
    project = stack(api)
    [kind] = api.get(f"/projects/{project['id']}/event_types").data
    rule = filling_rule(correction=correction, purpose=purpose, event_type_id=kind["id"])

    check_round_trip(api, ada, f"/projects/{project['id']}", rule)


@pytest.mark.parametrize("window", WINDOWS)
def test_a_window_by_fields_is_the_one_that_the_interface_takes(api, ada, window):
    project = stack(api)
    rule = filling_rule(purpose="alert", expression="avg({{so2}}) > 10", window=window)

    check_round_trip(api, ada, f"/projects/{project['id']}", rule)


def test_an_adjustment_by_fields_is_the_one_that_the_interface_takes(api, ada):
    project = stack(api)
    correction = {"method": "expression", "expression": "{{so2}} * 1.02"}
    rule = filling_rule(purpose="adjust", correction=correction, requires_approval=True, priority=7,
                        effective_to="2026-01-01T00:00:00Z", message="Drift")  # fmt: skip

    check_round_trip(api, ada, f"/projects/{project['id']}", rule)


RULE = {
    "name": "Above 20 t",
    "expression": "{{mass}} > 20",
    "effective_from": "2025-01-01T00:00",
    "evaluation": "on_demand",
    "purpose": "alert",
    "priority": "100",
    "tried_from": "2025-01-01T00:00",
    "tried_until": "2025-02-01T00:00",
}


def test_a_rule_is_tried_over_a_past_period_before_it_is_made(ada, plant):
    for mass in (30, 25, 5):
        plant.deliver(mass)
    ada.get(f"{home(plant)}/rules/new").expect(200)

    assert "3 records evaluated, 2 alerts" in words(ada.post(f"{home(plant)}/rules/preview", RULE))
    wrong = words(ada.post(f"{home(plant)}/rules/preview", RULE | {"expression": "{{mass}} >"}))
    assert "expression" in wrong

    made = ada.post(f"{home(plant)}/rules/new", RULE).expect(303).headers["location"]
    assert "{{mass}} &gt; 20" in ada.get(made).text
    assert 'value="2025-01-01T00:00"' in ada.get(f"{made}/edit").expect(200).text
    ada.post(f"{made}/edit", RULE | {"expression": "{{mass}} > 21"}).expect(303)
    assert "{{mass}} &gt; 21" in ada.get(made).text


def test_a_rule_is_tried_on_its_asset_and_over_the_meters_and_scope_that_it_has(api, ada, plant):
    one, other = given.asset(api, plant.project), given.asset(api, plant.project)
    for day, (asset, mass) in enumerate(((one, 30), (other, 90), (one, 31)), start=1):
        plant.deliver(mass, day=day, asset_id=asset["id"])
    asked = {
        "name": "Jumps", "expression": "{{mass}} < previous({{mass}})",
        "effective_from": "2025-01-01T00:00:00Z", "evaluation": "on_demand",
        "window": {"kind": "rolling", "members": 1},
        "asset_id": one["id"], "window_meters": "all", "window_member_scope": "location",
    }  # fmt: skip
    made = api.post(f"{home(plant)}/rules", {"rule": asked}).expect(201).body

    page = ada.get(f"{home(plant)}/rules/{made['id']}/edit").expect(200).text
    assert f'<option value="{one["id"]}" selected>' in page
    assert '<option value="all" selected>' in page
    assert '<option value="location" selected>' in page

    typed = RULE | {name: asked[name] for name in ("expression", "asset_id", "window_meters")}
    typed |= {"window.kind": "rolling", "window.members": "1", "rule_id": made["id"]}
    typed |= {"window_member_scope": "location"}
    assert "2 records evaluated, 1 alert" in words(ada.post(f"{home(plant)}/rules/preview", typed))
    own = typed | {"window_meters": "own"}
    assert "2 records evaluated, 0 alerts" in words(ada.post(f"{home(plant)}/rules/preview", own))

    ada.post(f"{home(plant)}/rules/{made['id']}/edit", own | {"asset_id": ""}).expect(303)
    saved = api.get(f"/rules/{made['id']}").body
    assert (saved["asset_id"], saved["window_meters"], saved["window_member_scope"]) == (
        None, "own", "location",
    )  # fmt: skip


def problem_at(page, name):
    """What stands at a field of a page."""
    found = re.search(rf'<strong id="wrong-{re.escape(name)}">([^<]*)</strong>', page.text)
    return unescape(found[1]) if found else None


REFUSED = {
    "window.members": ({"window.kind": "rolling", "window.members": "20000"}, "from 1 to 10,000"),
    "window.duration": ({"window.kind": "rolling"}, "how far a rolling window reaches back"),
    "window.value": ({"window.kind": "calendar", "window.unit": "day", "window.value": "x"}, "a number"),
    "correction.expression": ({"purpose": "adjust", "correction.method": "expression"}, "an expression"),
    "correction": ({"purpose": "substitute"}, "is required when purpose is substitute"),
    "correction.tiers[1].when": (
        {"purpose": "substitute", "correction.tiers[1].method": "previous", "correction.tiers[1].when": "1 +",
         "correction.tiers[3].method": "linear"},
        "column",
    ),
    "correction.tiers[2].methods[1].window": (
        {"purpose": "substitute", "correction.tiers[2].method": "greater_of",
         "correction.tiers[2].methods[0].method": "linear", "correction.tiers[2].methods[1].method": "mean"},
        "which values the method is taken of",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_with_a_window_or_a_correction_stands_at_its_field(ada, plant, name):
    typed, message = REFUSED[name]
    ada.get(f"{home(plant)}/rules/new")

    refused = ada.post(f"{home(plant)}/rules/new", RULE | {"data_point": "mass"} | typed)

    assert refused.status == 422
    assert message in (problem_at(refused, name) or "nothing")
    kept = typed_in(refused, f"{home(plant)}/rules/new")
    assert {field: kept.get(field) for field in typed} == typed


def test_another_kind_of_window_has_its_own_fields_and_keeps_what_was_typed(ada, plant):
    new = f"{home(plant)}/rules/new"
    ada.get(new)
    typed = RULE | {"window.kind": "rolling", "window.members": "30", "window.where": "{{mass}} > 1"}

    other = ada.post(new, typed | {"window.kind": "calendar", "more_lines": "window.kind"}).expect(200)
    assert "window.unit" in typed_in(other, new)
    assert 'id="field-window.members"' not in other.text
    back = ada.post(new, typed_in(other, new) | {"window.kind": "rolling", "more_lines": "window.kind"})

    kept = typed_in(back.expect(200), new)
    assert (kept["window.members"], kept["window.where"]) == ("30", "{{mass}} > 1")
    made = ada.post(new, typed_in(back, new)).expect(303).headers["location"]
    assert ada.get(made).expect(200)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{kind", "is not valid JSON"),
        ("[1]", "takes an object"),
        ('{"window": {}}', 'one key, "rule"'),
        ('{"rule": {"window": {"kind": "rolling", "colour": "red"}}}', "cannot say window.colour"),
        ('{"rule": {"correction": {"method": "previous"}}}', "cannot say correction.method"),
        ('{"rule": {"priority": 1e999999999}}', "outside 1e-100 to 1e100"),
        ('{"rule": {"window": 5, "expression": ["x"]}}', "cannot say window, expression[0]"),
        ('{"rule": {"effective_from": "soon"}}', "cannot be read"),
        ('{"rule": {"name": "a", "name": "b"}}', "occurs twice"),
        ("[" * 100_000, "takes an object"),
    ],
)
def test_json_that_the_fields_cannot_say_is_refused_and_nothing_typed_is_lost(ada, plant, text, message):
    new = f"{home(plant)}/rules/new"
    ada.get(new)

    refused = ada.post(new, RULE | {"as_json": text, "use_json": "yes", "window.kind": "calendar"})

    assert refused.status == 422
    assert message in (problem_at(refused, "as_json") or "nothing")
    kept = typed_in(refused, new)
    assert (kept["as_json"], kept["expression"], kept["window.kind"]) == (
        text,
        RULE["expression"],
        "calendar",
    )


def test_json_that_was_edited_and_not_used_is_not_passed_over(api, ada, plant):
    new = f"{home(plant)}/rules/new"
    ada.get(new)
    typed = typed_in(ada.post(new, RULE | {"more_lines": "window.kind"}), new)
    edited = typed | {"as_json": typed["as_json"].replace("Above 20 t", "Above 25 t")}

    refused = ada.post(new, edited).expect(422)
    assert "Select Use this JSON" in problem_at(refused, "as_json")
    assert api.get(f"{home(plant)}/rules").data == []
    used = ada.post(new, edited | {"use_json": "yes"}).expect(200)
    ada.post(new, typed_in(used, new)).expect(303)

    [made] = api.get(f"{home(plant)}/rules").data
    assert made["name"] == "Above 25 t"


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_by_fields_is_the_one_that_the_interface_takes(api, ada, plant, name):
    points = [given.number(slug) for slug in ("wet-mass", "dry-mass", "temperature")]
    body = {"name": "Log", "slug": "log", "cadence_amount": 1, "cadence_unit": "hour",
            "data_point_types": points}  # fmt: skip
    kind = api.post(f"{home(plant)}/event_types", {"event_type": body}).expect(201).body
    ids = {"event_type_id": kind["id"], "model_id": plant.model["id"]}
    rule = EXAMPLES[name][1]["rule"]
    rule = rule | {field: value for field, value in ids.items() if field in rule}
    if "model_id" in rule:
        rule["expression"] = "mass < 0"
    check_round_trip(api, ada, home(plant), json.loads(json.dumps(rule)))


def test_an_example_fills_the_form_of_a_new_rule(ada, plant):
    new = f"{home(plant)}/rules/new"

    typed = typed_in(ada.get(f"{new}?example=flat_line").expect(200), new)

    assert typed["window.kind"] == "rolling"
    assert (typed["window.duration.value"], typed["window.duration.unit"]) == ("6", "hour")
    assert typed["window.include_current"] == "yes"


def test_a_correction_that_is_not_wanted_any_more_is_taken_away(api, ada, plant):
    correction = {"method": "expression", "expression": "{{mass}} * 1.02"}
    rule = {"name": "Drift", "expression": "{{mass}} > 20", "effective_from": "2025-01-01T00:00:00Z",
            "purpose": "adjust", "correction": correction, "requires_approval": True}  # fmt: skip
    made = api.post(f"{home(plant)}/rules", {"rule": rule}).expect(201).body
    edit = f"{home(plant)}/rules/{made['id']}/edit"
    shown = ada.post(edit, typed_in(ada.get(edit), edit) | {"purpose": "alert", "more_lines": "purpose"})

    ada.post(edit, typed_in(shown.expect(200), edit)).expect(303)

    saved = api.get(f"/rules/{made['id']}").body
    assert (saved["purpose"], saved["correction"], saved["requires_approval"]) == ("alert", None, False)


def test_who_may_only_read_rules_sees_no_editor(account, plant):
    reader = visitor(account, "data_rules:read")

    reader.get(f"{home(plant)}/rules/new").expect(403)
    assert "rules/new" not in reader.get(f"{home(plant)}/rules").expect(200).text


def test_the_editor_tries_a_rule_over_the_days_before_the_newest_data(ada, plant):
    plant.deliver(30, "2025-03-10T12:00:00Z")

    editor = ada.get(f"{home(plant)}/rules/new").expect(200).text

    assert re.search(r'name="tried_until" value="2025-03-10T12:01"', editor)
    assert re.search(r'name="tried_from" value="2025-02-08T12:01"', editor)


TABLES = {"limits": {"columns": ["grade", "limit"], "rows": [["A", 9.25], ["B", 12]]}}


def test_the_tables_of_a_rule_are_typed_as_json_and_shown_as_tables(api, plant, ada):
    fields = {
        "name": "Limits", "target": "data_point", "expression": "{{mass}} > lookup(limits, limit, feedstock)",
        "purpose": "alert", "severity": "warn", "effective_from": "2025-01-01T00:00",
        "tables": json.dumps(TABLES),
    }  # fmt: skip
    ada.post(f"{home(plant)}/rules/new", fields)
    [made] = [one for one in api.get(f"{home(plant)}/rules").expect(200).data if one["name"] == "Limits"]
    assert (json.loads(json.dumps(made["tables"], default=float)), made["severity"]) == (TABLES, "warn")

    page = ada.get(f"{home(plant)}/rules/{made['id']}").text
    assert "<td>9.25</td>" in page
    editor = ada.get(f"{home(plant)}/rules/{made['id']}/edit").text
    assert "[&#34;A&#34;,9.25]" in editor

    wrong = ada.post(f"{home(plant)}/rules/{made['id']}/edit", fields | {"tables": "[1]"}).text
    assert "Tables must be a JSON object" in wrong
