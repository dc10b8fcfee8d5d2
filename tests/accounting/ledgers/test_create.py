"""POST /ledgers and POST /projects/{project_id}/ledgers (`create_ledger`). Seed, Ledger."""

import re

import pytest
from tests.given import accounting, chain
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_EVENLY, document


def create(api, project, **fields):
    return api.post(f"/projects/{project['id']}/ledgers", {"ledger": {"name": "Mass", "unit": "t"} | fields})


@pytest.fixture
def project(api):
    return given.project(api)


@pytest.fixture
def model(api, project):
    return accounting.model(api, project, document(MASS + POWER_EVENLY, partition_type="feedstock"))


def test_a_new_ledger_comes_back_linked_to_its_model(api, server, project, model):
    ledger = create(api, project, model_id=model["id"]).expect(201).body

    assert re.fullmatch("lgr_[0-9a-f]{24}", ledger["id"])
    assert (ledger["name"], ledger["unit"], ledger["scale"]) == ("Mass", "t", 6)
    assert ledger["latest_model"] == {"id": model["id"], "name": "Deliveries"}
    assert (ledger["cadence"], ledger["partition_type"]) == ("monthly", "feedstock")
    assert (ledger["output"], ledger["balance"]) == ("mass", 0)
    assert (ledger["system_ledger_type"], ledger["asset_category"]) == (None, None)
    assert ledger["project_id"] == project["id"]
    assert ledger["ui_url"] == f"{server.address}/projects/{project['id']}/ledgers/{ledger['id']}"


def test_a_ledger_rounds_half_to_even_unless_it_says_otherwise(api, project):
    plain, conservative = create(api, project), create(api, project, name="Low", rounding="down")

    assert plain.expect(201).body["rounding"] == "half_even"
    assert conservative.expect(201).body["rounding"] == "down"
    assert api.get(f"/ledgers/{conservative.body['id']}").body["rounding"] == "down"


def test_a_rounding_that_ledgers_do_not_know_is_refused(api, project):
    error = create(api, project, rounding="up").expect(400).error

    assert error["field"] == "rounding"
    assert "'up'" in error["message"]


def test_a_ledger_needs_no_model(api, project):
    ledger = create(api, project).expect(201).body

    assert (ledger["latest_model"], ledger["output"], ledger["cadence"]) == (None, None, None)


@pytest.mark.parametrize("form", ["id", "numeric_id"])
def test_the_project_stands_in_the_body_by_its_id_or_its_number(api, project, form):
    body = {"ledger": {"project_id": project[form], "name": "Mass", "unit": "t"}}

    assert api.post("/ledgers", body).expect(201).body["project_id"] == project["id"]


def test_a_ledger_without_a_project_is_refused(api):
    error = api.post("/ledgers", {"ledger": {"name": "Mass", "unit": "t"}}).expect(400).error

    assert error["field"] == "project_id"


def test_an_unknown_project_is_said_so(api, stranger):
    for unknown in ("prj_nothing", 999_999, given.project(stranger)["id"]):
        body = {"ledger": {"project_id": unknown, "name": "Mass", "unit": "t"}}

        assert api.post("/ledgers", body).expect(404).error["message"] == "Project not found"


def test_a_ledger_may_hold_another_output_in_another_unit_of_the_same_kind(api, project, model):
    ledger = create(api, project, model_id=model["id"], output="power", unit="MWh", scale=9).expect(201).body

    assert (ledger["output"], ledger["unit"], ledger["scale"]) == ("power", "MWh", 9)


@pytest.mark.parametrize("unit", ["kWh", "t{CO2e}", "m3", "%"])
def test_a_unit_that_does_not_fit_the_output_is_refused(api, project, model, unit):
    error = create(api, project, model_id=model["id"], unit=unit).expect(422).error

    assert (error["field"], error["code"]) == ("unit", "invalid")
    assert error["message"] == (
        f"unit is {unit!r}; the output 'mass' is in t, which counts a different thing."
    )


def test_an_output_that_the_model_does_not_have_is_refused(api, project, model):
    error = create(api, project, model_id=model["id"], output="heat").expect(422).error

    assert error["field"] == "output"
    assert error["message"] == "output is 'heat'; the model has the outputs mass, power."


def test_an_output_without_a_model_is_refused(api, project):
    assert create(api, project, output="mass").expect(422).error["field"] == "output"


def test_a_model_of_another_account_is_refused(api, project, stranger):
    theirs = accounting.model(stranger, None, document(MASS))

    for unknown in (theirs["id"], "mod_nothing", project["id"]):
        error = create(api, project, model_id=unknown).expect(422).error
        assert (error["field"], error["code"]) == ("model_id", "unknown")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": "  "}, "name"),
        ({"unit": "parsec!"}, "unit"),
        ({"unit": " "}, "unit"),
        ({"scale": -1}, "scale"),
        ({"scale": 21}, "scale"),
    ],
)
def test_a_field_that_breaks_a_rule_is_named(api, project, fields, field):
    errors = create(api, project, **fields).expect(422).errors

    assert {error["field"] for error in errors} == {field}


def test_all_that_is_wrong_is_named_at_once(api, project):
    errors = create(api, project, name="", unit="parsec!", scale=99).expect(422).errors

    assert {error["field"] for error in errors} == {"name", "unit", "scale"}


def test_a_category_is_given_at_creation(api, project):
    ledger = create(api, project, asset_category="biochar").expect(201).body
    error = create(api, project, name="Other", asset_category=" ").expect(422).error

    assert ledger["asset_category"] == "biochar"
    assert api.get(f"/ledgers/{ledger['id']}").expect(200).body == ledger
    assert error["field"] == "asset_category"


def test_a_name_is_unique_in_its_project(api, project):
    create(api, project).expect(201)

    error = create(api, project, name=" Mass ").expect(422).error

    assert (error["field"], error["code"]) == ("name", "taken")
    create(api, given.project(api)).expect(201)


def test_an_output_is_credited_to_one_ledger_of_a_project(api, project, model):
    create(api, project, model_id=model["id"]).expect(201)

    error = create(api, project, name="Again", model_id=model["id"]).expect(422).error

    assert (error["field"], error["code"]) == ("output", "taken")
    create(api, given.project(api), model_id=model["id"]).expect(201)


def test_a_new_ledger_leaves_a_row_in_the_audit_log(api, project, sql):
    ledger = create(api, project).expect(201).body

    rows = sql(
        "SELECT action, object FROM audit_log WHERE project_id = %s ORDER BY id", project["numeric_id"]
    )

    assert rows[-1] == ("ledger.create", ledger["id"])


def test_the_project_in_the_body_may_not_differ_from_that_of_the_path(api):
    project, other = given.project(api), given.project(api)
    path, body = f"/projects/{project['id']}/ledgers", {"name": "Steel", "unit": "t"}

    error = api.post(path, {"ledger": body | {"project_id": other["id"]}}).expect(422).error
    api.post(path, {"ledger": body | {"project_id": project["numeric_id"]}}).expect(201)

    assert (error["field"], error["code"]) == ("project_id", "conflict")


def test_a_ledger_whose_model_would_draw_from_it_is_refused(api, drain):
    plant = chain.inventory(api, drain)
    circle = accounting.document(
        chain.drawing().replace("Deliveries", "Circle"), name="Circle", primary_output="made"
    )
    model = accounting.model(api, plant.project, circle)
    body = {"name": "Circle", "unit": "t", "model_id": model["id"]}

    refused = api.post(f"/projects/{plant.project['id']}/ledgers", {"ledger": body}).expect(422)

    assert refused.error == {
        "message": "name is 'Circle', and 'drawn' of the model would draw from the ledger that the model"
        " credits.",
        "field": "name",
        "code": "own_ledger",
    }


@pytest.mark.parametrize(
    ("kind", "unit"),
    [
        ("renewable_energy_credits", "kWh"),
        ("renewable_fuel", "kg{CO2e}"),
        ("embodied_emissions", "kg{CO2e}"),
    ],
)
def test_the_unit_of_a_system_ledger_comes_with_its_kind(api, project, kind, unit):
    body = {"ledger": {"name": "Held", "system_ledger_type": kind}}

    ledger = api.post(f"/projects/{project['id']}/ledgers", body).expect(201).body

    assert (ledger["system_ledger_type"], ledger["unit"], ledger["scale"]) == (kind, unit, 6)
    assert (ledger["latest_model"], ledger["output"], ledger["balance"]) == (None, None, 0)


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"system_ledger_type": "gold"}, "system_ledger_type", "invalid"),
        ({"unit": "MWh"}, "unit", "system_ledger"),
        ({"model_id": "mod_x"}, "model_id", "system_ledger"),
        ({"output": "mass"}, "output", "system_ledger"),
    ],
)
def test_what_contradicts_the_kind_of_a_system_ledger_is_refused(api, project, fields, field, code):
    stated = {"unit": "kWh", "system_ledger_type": "renewable_energy_credits"}

    error = create(api, project, **stated | fields).expect(422).error

    assert (error["field"], error["code"]) == (field, code)


def test_a_ledger_without_a_unit_is_refused(api, project):
    body = {"ledger": {"name": "Mass"}}

    error = api.post(f"/projects/{project['id']}/ledgers", body).expect(400).error

    assert (error["field"], error["code"]) == ("unit", "required")
