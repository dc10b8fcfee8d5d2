"""POST /models (`create_model`). Design, section 5, Models; the model document's own checks."""

import re

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document


def create(api, yaml, **fields):
    return api.post("/models", {"model": {"yaml": yaml} | fields})


def test_a_new_model_comes_back_with_what_its_document_says(api, server):
    project = given.project(api)

    model = create(api, document(MASS, partition_type="feedstock"), project_id=project["id"]).expect(201).body

    assert re.fullmatch("mod_[0-9a-f]{24}", model["id"])
    assert (model["name"], model["cadence"], model["partition_type"]) == (
        "Deliveries",
        "monthly",
        "feedstock",
    )
    assert (model["version"], model["is_latest"], model["is_active"]) == (1, True, True)
    assert (model["version_label"], model["description"], model["order"]) == (None, None, 0)
    assert re.fullmatch("[0-9a-f]{64}", model["sha256"])
    assert model["project_id"] == project["id"]
    assert model["ui_url"] == f"{server.address}/projects/{project['id']}/models/{model['id']}"


def test_a_model_may_stand_outside_projects_and_then_has_no_page(api):
    model = create(api, document(MASS)).expect(201).body

    assert (model["project_id"], model["ui_url"]) == (None, None)


def test_a_project_is_named_by_its_number_too(api):
    project = given.project(api)

    model = create(api, document(MASS), project_id=project["numeric_id"]).expect(201).body

    assert model["project_id"] == project["id"]


def test_the_digest_is_of_what_the_document_means_and_not_of_its_layout(api):
    tidy = create(api, document(MASS)).body
    loose = create(api, "# a comment\n" + document(MASS).replace("aggregate: sum", "aggregate:   sum")).body
    other = create(api, document(MASS.replace("sum", "max"))).body

    assert tidy["sha256"] == loose["sha256"] != other["sha256"]


def test_an_unknown_project_is_refused(api):
    error = create(api, document(MASS), project_id="prj_nothing").expect(404).error

    assert error["message"] == "Project not found"


def test_the_project_of_another_account_is_refused(api, stranger):
    create(api, document(MASS), project_id=given.project(stranger)["id"]).expect(404)


UNIT = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: energy
    input: {event_type: bill, data_point_type: energy, aggregate: sum}
    unit: kWh
  - slug: total
    formula: mass + energy
    unit: t
    output: true
"""
UNKNOWN = """
  - slug: total
    formula: 2 * weight
    unit: t
    output: true
"""


@pytest.mark.parametrize(
    ("nodes", "place", "words"),
    [
        (UNIT, "line 13, column", ("total", "kWh", "t")),
        (UNKNOWN, "line 7, column", ("total", "weight")),
        (MASS.replace("unit: t", "unit: parsec!"), "line 8, column 11", ("mass", "parsec!")),
        (MASS.replace("aggregate: sum", "aggregate: mode"), "line 7, column", ("mass", "mode", "median")),
        (MASS.replace("event_type: delivery, ", ""), "line 7, column", ("mass", "event_type")),
    ],
)
def test_a_flaw_is_named_with_its_node_line_and_column(api, nodes, place, words):
    error = (
        create(api, document(nodes, primary_output="total" if "total" in nodes else "mass")).expect(422).error
    )

    assert error["field"] == "yaml"
    assert place in error["message"]
    assert [word for word in words if word not in error["message"]] == []


def test_every_flaw_is_named_at_once(api):
    nodes = (
        UNIT
        + """
  - slug: other
    formula: energy + mass
    unit: kWh
"""
    )

    errors = create(api, document(nodes, primary_output="total")).expect(422).errors

    assert [error["message"].partition(":")[0] for error in errors] == [
        "At line 13, column 19",
        "At line 18, column 21",
    ]
    assert {error["field"] for error in errors} == {"yaml"}


def test_a_document_whose_own_case_fails_is_refused(api):
    text = (
        document(MASS)
        + "\ncases:\n  - name: two loads\n    inputs: {mass: [1.2, 0.9]}\n    expect: {mass: 2.2}\n"
    )

    error = create(api, text).expect(422).error

    assert "two loads" in error["message"]
    assert "2.1" in error["message"]


def test_a_document_whose_own_cases_pass_is_kept(api):
    text = (
        document(MASS)
        + "\ncases:\n  - name: two loads\n    inputs: {mass: [1.2, 0.9]}\n    expect: {mass: 2.1}\n"
    )

    create(api, text).expect(201)


@pytest.mark.parametrize("text", ["", "nodes: [", "just text", "- a\n- b", "name: &anchor x\n"])
def test_what_is_no_model_document_is_refused(api, text):
    answer = create(api, text).expect(422)

    assert {error["field"] for error in answer.errors} == {"yaml"}


def test_a_document_that_is_too_long_is_refused(api):
    error = create(api, document(MASS) + "#" * 262_144).expect(422).error

    assert "262144 characters" in error["message"]


def test_a_refused_model_leaves_nothing(api):
    create(api, "nodes: [").expect(422)

    assert api.get("/models").data == []


def test_a_new_model_leaves_a_row_in_the_audit_log(api, account, sql):
    model = accounting.model(api, None, document(MASS))

    rows = sql(
        "SELECT action, object FROM audit_log WHERE account_id = %s AND action LIKE 'model%%'", account.id
    )

    assert rows == [("model.create", model["id"])]


def test_what_a_version_computes_never_changes(api, sql):
    import psycopg  # noqa: PLC0415 - this test alone speaks to the database

    model = accounting.model(api, None, document(MASS))

    with pytest.raises(psycopg.errors.RestrictViolation):
        sql("UPDATE models SET document = '' WHERE sha256 = %s", bytes.fromhex(model["sha256"]))
