"""POST /models/yaml_validate and /models/{model_id}/yaml_validate. Facts: checks syntax, structure, units and
cases; nothing is stored, and a document that is wrong is still answered with 200.
"""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document

CASE = "\ncases:\n  - {name: two loads, inputs: {mass: [1.2, 0.9]}, expect: {mass: 2.1}}\n"
NODE = "  - {{slug: b, formula: {}, unit: t}}\n"


def validate(api, text, model=None, **fields):
    path = f"/models/{model['id']}/yaml_validate" if model else "/models/yaml_validate"
    return api.post(path, {"yaml": text} | fields)


def test_a_document_that_could_be_saved_is_valid(api):
    found = validate(api, document(MASS) + CASE).expect(200).body

    assert found == {"valid": True, "errors": [], "warnings": []}


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("nodes: [", (2, 1, None, "yaml"), "no YAML"),
        ("", (1, 1, None, "yaml"), "empty"),
        (document(MASS.replace("unit: t", "unit: parsec!")), (8, 11, "mass", "unit"), "parsec!"),
        (document(MASS + NODE.format("2 * c")), (10, 28, "b", "expression"), "There is no node 'c'"),
        (document(MASS + NODE.format("2 *")), (10, 27, "b", "expression"), "ends where a number"),
        (document(MASS + NODE.format("2 * mass * mass")), (10, 33, "b", "expression"), "t^2"),
        (
            document(MASS) + CASE.replace("2.1", "2.2"),
            (12, 5, None, "case_failed"),
            "Case 'two loads': mass should be 2.2 t and is 2.1 t.",
        ),
    ],
)
def test_what_is_wrong_comes_with_line_column_node_and_code(api, text, place, words):
    found = validate(api, text).expect(200).body

    assert found["valid"] is False
    [error] = found["errors"]
    assert words in error["message"]
    assert (error["line"], error["column"], error["node"], error["code"]) == place


def test_every_problem_is_named_at_once_and_nothing_is_stored(api):
    nodes = MASS.replace("aggregate: sum", "aggregate: mode").replace("unit: t", "unit: parsec!")

    found = validate(api, document(nodes)).expect(200).body

    assert len(found["errors"]) == 2
    assert api.get("/models").data == []


def test_an_event_type_that_the_project_lacks_is_a_warning(api):
    project = given.measuring(api, given.number("mass"))

    text = document(MASS.replace("delivery", "deliveries")) + CASE
    found = validate(api, text, project_id=project["id"]).expect(200).body

    assert found["valid"] is True
    [warning] = found["warnings"]
    assert (warning["code"], warning["line"], warning["node"]) == ("unknown_event_type", 6, "mass")
    assert "'deliveries'; there are delivery." in warning["message"]


def test_a_unit_that_does_not_fit_the_projects_data_points_is_an_error(api):
    project = given.measuring(api, given.number("mass", unit="kWh"))

    found = validate(api, document(MASS), project_id=project["id"]).body

    assert found["valid"] is False
    assert "kWh" in found["errors"][0]["message"]


def test_a_version_is_held_against_the_project_of_its_model(api):
    project = given.measuring(api, given.number("mass", unit="kg"))
    model = accounting.model(api, project, document(MASS))

    found = validate(api, document(MASS.replace("unit: t", "unit: kWh")), model).expect(200).body

    assert found["valid"] is False
    assert validate(api, document(MASS), model).body["valid"] is True


def test_a_document_without_cases_and_with_idle_nodes_is_warned_about(api):
    nodes = MASS + "  - {slug: idle, constant: 3, unit: t}\n"

    warnings = validate(api, document(nodes)).body["warnings"]

    assert [(one["code"], one["node"], one["line"]) for one in warnings] == [
        ("no_cases", None, 1),
        ("unused", "idle", 10),
    ]


def test_a_document_that_uses_more_of_the_language_gives_no_warning(api):
    nodes = MASS + "  - {slug: total, formula: mass, unit: t, output: true}\n"
    text = document(nodes.replace("aggregate: sum", "aggregate: sum, share: even, coverage: 95%")) + CASE

    found = validate(api, text).body

    assert found["valid"] is True
    assert found["warnings"] == []


def test_a_document_may_be_looked_at_with_the_permission_to_read(account):
    validate(account.caller("production_accounting:read"), document(MASS)).expect(200)
    validate(account.caller("data_collection:write"), document(MASS)).expect(403)


@pytest.mark.parametrize("body", [{}, {"yaml": 5}, {"yaml": "x", "more": 1}])
def test_a_body_of_another_shape_is_refused(api, body):
    api.post("/models/yaml_validate", body).expect(400)


@pytest.mark.parametrize("place", ["name: Deliveries", "slug: mass", "Mg: tonnes"])
def test_a_text_with_an_escaped_nul_is_a_flaw_of_the_document(api, place):
    key, _, value = place.partition(": ")
    text = document(MASS) if key == "Mg" else document(MASS).replace(place, f'{key}: "{value}\\0"')
    text = text + '\n"no\\0te": 1\n' if key == "Mg" else text

    found = validate(api, text).expect(200).body

    assert [error["message"] for error in found["errors"]] == [
        "The document holds a NUL character, which no text may."
    ]
    refused = api.post("/models", {"model": {"yaml": text}}).expect(422)
    assert "NUL character" in refused.error["message"]
