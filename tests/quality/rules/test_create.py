"""POST /projects/{project_id}/rules. Reference facts, 3.8; design, section 5, Rules."""

import copy

import pytest
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given

from weighbridge.quality.records.rule_examples import EXAMPLES


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"), given.number("energy", unit="kWh"), given.text("note"))


@pytest.fixture
def delivery(api, plant):
    return api.get(f"/projects/{plant['id']}/event_types").data[0]["id"]


def create(api, project, expression="{{mass}} > 40", **fields):
    body = given_alerts.rule_body(expression, **fields)
    return api.post(f"/projects/{project['id']}/rules", body)


def test_a_rule_comes_back_with_all_that_it_is(api, plant, delivery):
    made = create(
        api, plant, name=" Mass in range ", event_type_id=delivery, message="A truck carries 40 t."
    ).expect(201).body  # fmt: skip

    assert made["id"].startswith("rule_")
    assert made["ui_url"].endswith(f"/projects/{plant['id']}/rules/{made['id']}")
    del made["id"], made["ui_url"], made["created_at"], made["updated_at"]
    assert made == {
        "project_id": plant["id"],
        "name": "Mass in range",
        "version": 1,
        "status": "active",
        "target": "data_point",
        "expression": "{{mass}} > 40",
        "data_point": "mass",
        "event_type": "delivery",
        "event_type_id": delivery,
        "asset": None,
        "asset_id": None,
        "model": None,
        "model_id": None,
        "message": "A truck carries 40 t.",
        "evaluation": "on_demand",
        "window": None,
        "window_member_scope": "event_type",
        "window_meters": "own",
        "purpose": "alert",
        "severity": "fail",
        "tables": None,
        "correction": None,
        "priority": 100,
        "requires_approval": False,
        "pending_count": 0,
        "effective_from": "2025-01-01T00:00:00.000Z",
        "effective_to": None,
        "backfill_enqueued": False,
        "rule_run_id": None,
    }


def test_what_was_made_is_read_and_listed_as_it_was_made(api, plant):
    made = create(api, plant).expect(201).body
    del made["backfill_enqueued"], made["rule_run_id"]

    assert api.get(f"/rules/{made['id']}").expect(200).body == made
    assert api.get(f"/projects/{plant['id']}/rules").expect(200).data == [made]


def test_an_automatic_rule_is_evaluated_at_once_for_all_that_it_is_effective_for(api, plant):
    made = create(api, plant, evaluation="automatic", effective_to="2026-01-01T00:00:00Z").expect(201).body

    run = api.get(f"/rule_runs/{made['rule_run_id']}").expect(200).body

    assert made["backfill_enqueued"] is True
    assert (run["kind"], run["state"], run["rule_version"]) == ("backfill", "pending", 1)
    assert (run["start_time"], run["end_time"]) == ("2025-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")
    assert api.get(f"/async_tasks/{run['async_task_id']}").body["type"] == "rule_run"


@pytest.mark.parametrize(
    ("start", "end", "status"),
    [
        ("2020-01-01", None, "active"),
        ("2020-01-01", "2021-01-01", "ended"),
        ("9990-01-01", None, "scheduled"),
    ],
)
def test_a_rule_says_whether_it_is_effective_now(api, plant, start, end, status):
    until = None if end is None else f"{end}T00:00:00Z"

    made = create(api, plant, effective_from=f"{start}T00:00:00Z", effective_to=until).expect(201).body

    assert made["status"] == status


def test_a_window_comes_back_in_one_form(api, plant):
    window = {"kind": "trailing", "value": 48, "unit": "hour"}

    made = create(api, plant, "{{mass}} > (3 * avg({{mass}}))", window=window).expect(201).body

    assert made["window"] == {
        "kind": "rolling", "duration": {"value": 2, "unit": "day"}, "include_current": False,
    }  # fmt: skip


def test_a_rule_of_model_runs_names_its_model(api, drain):
    plant = given_accounting.plant(api, drain)

    made = create(
        api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"]
    ).expect(201).body  # fmt: skip

    assert (made["model"], made["model_id"]) == ("Deliveries", plant.model["id"])
    assert (made["data_point"], made["event_type"]) == (None, None)


def test_a_rule_may_be_about_another_data_point_than_the_first_that_it_reads(api, plant):
    made = create(api, plant, "{{energy}} > (2 * {{mass}})", data_point="mass").expect(201).body

    assert made["data_point"] == "mass"
    assert create(api, plant, "{{energy}} > (2 * {{mass}})").body["data_point"] == "energy"


def test_a_rule_that_corrects_says_how(api, plant):
    correction = {"method": "expression", "expression": " {{mass}} * 1.02 "}

    made = create(
        api, plant, purpose="adjust", correction=correction, requires_approval=True, priority=7
    ).expect(201).body  # fmt: skip

    assert made["correction"] == {"method": "expression", "expression": "{{mass}} * 1.02"}
    assert (made["purpose"], made["requires_approval"], made["priority"]) == ("adjust", True, 7)


def test_a_correction_may_read_other_data_tags_facts_and_the_window_of_the_rule(api, plant):
    expression = "if(asset = 'Scale 2', avg({{mass}}), {{energy}} / coalesce(duration_hours(), 1))"
    correction = {"method": "expression", "expression": expression}
    window = {"kind": "rolling", "members": 5}

    create(api, plant, purpose="adjust", correction=correction, window=window).expect(201)


@pytest.mark.parametrize("purpose", ["replace", "guess"])
def test_a_purpose_that_no_rule_has_is_refused_with_those_that_there_are(api, plant, purpose):
    error = create(api, plant, purpose=purpose, correction={"method": "previous"}).expect(422).error

    assert (error["field"], error["code"]) == ("purpose", "invalid")
    assert error["message"] == f"purpose is '{purpose}'; allowed are alert, adjust, substitute, impute."


UNFITTING = {
    "an expression that cannot be read": ("{{mass}} *", "invalid", "At column 11: "),
    "a data point that there is not": ("{{mas}} * 1.02", "unknown", "did you mean {{mass}}?"),
    "a text of a number": (
        "{{note}}",
        "invalid",
        "correction.expression gives a text, and 'mass' is a number.",
    ),
    "a truth of a number": ("{{mass}} > 2", "invalid", "gives true or false, and 'mass' is a number."),
    "a text that is multiplied": ("{{note}} * 2", "invalid", "At column "),
    "an aggregate without a window": ("avg({{mass}})", "invalid", "average looks at the members of a window"),
    "an aggregate of a text": ("count() + median({{note}})", "invalid", ""),
    "slots of a type without a cadence": ("missed_slots()", "invalid", "missed_slots needs a cadence"),
}


@pytest.mark.parametrize("name", UNFITTING)
def test_a_correction_that_does_not_fit_is_named_by_its_field(api, plant, name):
    expression, code, said = UNFITTING[name]
    correction = {"method": "expression", "expression": expression}

    error = create(api, plant, purpose="adjust", correction=correction).expect(422).errors[0]

    assert (error["field"], error["code"]) == ("correction.expression", code)
    assert said in error["message"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_of_the_examples_makes_a_rule(api, name):
    plant = given.project(api)
    points = [given.number(slug) for slug in ("wet-mass", "dry-mass", "temperature")]
    body = {
        "name": "Delivery", "slug": "delivery", "cadence_amount": 1, "cadence_unit": "hour",
        "data_point_types": points,
    }  # fmt: skip
    event_type = api.post(f"/projects/{plant['id']}/event_types", {"event_type": body}).expect(201).body
    nodes = """
  - slug: biochar_mass
    input: {event_type: delivery, data_point_type: dry-mass, aggregate: sum}
    unit: t
  - slug: net_removal
    formula: 2 * biochar_mass
    unit: t
    output: true
"""
    text = given_accounting.document(nodes, primary_output="net_removal")
    model = given_accounting.model(api, plant, text)
    _, example = EXAMPLES[name]
    rule = copy.deepcopy(example["rule"])
    ids = {"event_type_id": event_type["id"], "model_id": model["id"]}
    rule |= {field: value for field, value in ids.items() if field in rule}

    made = api.post(f"/projects/{plant['id']}/rules", {"rule": rule}).expect(201).body

    assert (made["name"], made["expression"]) == (rule["name"], rule["expression"])


def test_all_examples_alert_and_one_adjusts():
    purposes = [example["rule"].get("purpose", "alert") for _, example in EXAMPLES.values()]

    assert purposes == ["alert"] * 18 + ["adjust"]


REFUSED = {
    "an expression that ends too soon": ({"expression": "{{mass}} >"}, "expression", "invalid"),
    "an expression that is no condition": ({"expression": "{{mass}} * 2"}, "expression", "invalid"),
    "an unknown data point": ({"expression": "{{mas}} > 4"}, "expression", "unknown"),
    "a text that is compared with a number": ({"expression": "{{note}} > 4"}, "expression", "invalid"),
    "an aggregate without a window": ({"expression": "avg({{mass}}) > 4"}, "expression", "invalid"),
    "a window of no kind": ({"window": {"kind": "square"}}, "window.kind", "invalid"),
    "a name that is blank": ({"name": " "}, "name", "required"),
    "a target that is none": ({"target": "Event Data"}, "target", "invalid"),
    "an evaluation that is none": ({"evaluation": "manual"}, "evaluation", "invalid"),
    "a scope that is none": ({"window_member_scope": "plant"}, "window_member_scope", "invalid"),
    "a purpose that is none": ({"purpose": "delete"}, "purpose", "invalid"),
    "a priority of zero": ({"priority": 0}, "priority", "invalid"),
    "a priority over the limit": ({"priority": 1001}, "priority", "invalid"),
    "approval of an alert": ({"requires_approval": True}, "requires_approval", "invalid"),
    "an alert that corrects": ({"correction": {"method": "previous"}}, "correction", "invalid"),
    "an adjustment that says nothing": ({"purpose": "adjust"}, "correction", "invalid"),
    "an adjustment by another method": (
        {"purpose": "adjust", "correction": {"method": "previous"}}, "correction.method", "invalid",
    ),
    "an end before the start": ({"effective_to": "2025-01-01T00:00:00Z"}, "effective_to", "invalid"),
    "a start out of the calendar": (
        {"effective_from": "0001-01-01T00:00:00+05:00"}, "effective_from", "invalid",
    ),
    "an unknown event type": ({"event_type_id": "et_" + "0" * 24}, "event_type_id", "unknown"),
    "a data point that the type has not": ({"data_point": "volume"}, "data_point", "unknown"),
    "a model of a data point rule": ({"model_id": "mod_" + "0" * 24}, "model_id", "invalid"),
    "a model run rule without a model": ({"target": "model_run"}, "model_id", "required"),
    "a model run rule of no model": (
        {"target": "model_run", "model_id": "mod_" + "0" * 24}, "model_id", "unknown",
    ),
    "a rule about no data point": ({"expression": "entry_delay_hours() > 48"}, "data_point", "required"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_rule_is_refused_by_the_field_that_is_wrong(api, plant, name):
    fields, field, code = REFUSED[name]

    error = create(api, plant, **fields).expect(422).error

    assert (error["field"], error["code"]) == (field, code)
    assert error["message"].endswith((".", "?"))


def test_model_runs_are_not_adjusted(api, drain):
    plant = given_accounting.plant(api, drain)

    error = create(
        api, plant.project, "mass > 40", target="model_run", model_id=plant.model["id"], purpose="adjust",
        correction={"method": "expression", "expression": "mass * 1.02"},
    ).expect(422).errors[0]  # fmt: skip

    assert (error["field"], error["code"]) == ("purpose", "invalid")
    assert error["message"] == "purpose is 'adjust'; a rule whose target is model_run raises alerts only."


def test_an_invalid_expression_is_refused_with_its_place(api, plant):
    error = create(api, plant, "{{mass}} > 40 AND AND").expect(422).error

    assert (error["field"], error["code"]) == ("expression", "invalid")
    assert error["message"].startswith("At column 19: ")


def test_everything_that_is_wrong_is_said_at_once(api, plant):
    errors = create(
        api, plant, "{{mass}} >", name="", priority=0, window={"kind": "square"}, event_type_id="et_1"
    ).expect(422).errors  # fmt: skip

    assert [error["field"] for error in errors] == [
        "name", "priority", "event_type_id", "window.kind", "expression",
    ]  # fmt: skip


def test_a_name_is_unique_in_its_project_and_free_again_when_its_rule_is_removed(api, plant):
    first = create(api, plant, name="Mass").expect(201).body

    error = create(api, plant, name="Mass").expect(422).error
    create(api, given.measuring(api, given.number("mass")), name="Mass").expect(201)
    api.delete(f"/rules/{first['id']}").expect(204)
    create(api, plant, name="Mass").expect(201)

    assert (error["field"], error["code"]) == ("name", "taken")


def test_of_callers_that_take_one_name_at_once_one_has_it(api, account, plant):
    answers = account.server.together(lambda: create(api, plant, name="Mass"), 4)

    assert sorted(answer.status for answer in answers) == [201, 422, 422, 422]


def test_making_a_rule_needs_the_feature(api, account, sql, plant):
    sql("INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'rules_engine', false)", account.id)

    assert create(api, plant).expect(403).error["message"] == "Rules engine feature is not enabled"


def test_making_a_rule_leaves_a_row_in_the_audit_log(api, account, sql, plant):
    made = create(api, plant).expect(201).body

    assert sql(
        "SELECT object, after ->> 'expression' FROM audit_log"
        " WHERE account_id = %s AND action = 'rule.create'",
        account.id,
    ) == [(made["id"], "{{mass}} > 40")]


def test_what_no_event_type_has_is_named_with_what_there_is(api, plant):
    given.event_type(api, plant, slug="second", data_point_types=[given.number("volume")])

    [error] = create(api, plant, "{{nett}} > {{tare_weight}} and {{mass}} > 1").expect(422).errors

    assert (error["field"], error["code"]) == ("expression", "unknown")
    assert "has {{nett}}, {{tare_weight}}; they have " in error["message"]
    assert "mass" in error["message"].partition("they have")[2]


def test_what_an_event_type_has_not_is_named_with_what_it_has(api, plant, delivery):
    [error] = create(api, plant, "{{nett}} > 1", event_type_id=delivery).expect(422).errors

    assert "has nothing called 'nett'; it has mass" in error["message"]


def test_of_many_data_points_some_are_named_and_the_others_counted(api, plant):
    points = [given.number(f"point-{number}") for number in range(20)]
    made = given.event_type(api, plant, slug="many", data_point_types=points)

    [error] = create(api, plant, "{{nett}} > 1", event_type_id=made["id"]).expect(422).errors

    assert error["message"].endswith("point-7 and 12 more.")


FILLING = {"expression": "{{co2}} is null", "purpose": "impute", "correction": {"method": "previous"}}


def test_a_rule_that_fills_gaps_goes_by_meter_and_says_so(api, plant):
    co2 = [given.number("co2")]
    stack = given.event_type(
        api, plant, slug="stack", cadence_amount=1, cadence_unit="hour", data_point_types=co2
    )
    asked = FILLING | {"event_type_id": stack["id"]}

    error = create(api, plant, window_meters="all", **asked).expect(422).error
    assert (error["field"], error["code"]) == ("window_meters", "invalid")
    assert "fills those of each meter" in error["message"]

    made = create(api, plant, **asked).expect(201).body
    changed = api.patch(f"/rules/{made['id']}", {"rule": {"window_meters": "all"}}).expect(422).error
    assert changed["message"] == error["message"]
    api.patch(f"/rules/{made['id']}", {"rule": {"priority": 3}}).expect(200)
