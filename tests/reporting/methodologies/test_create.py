"""POST /methodologies (`create_methodology`), GET /methodologies and /methodologies/{methodology_id}."""

import pytest
from tests.given import accounting

NEW = {
    "name": "Biochar carbon removal",
    "version": "2.1",
    "report_type": "quarterly",
    "submission_requirements": ["no_open_alerts", "evidence"],
}


def make(api, **fields):
    return api.post("/methodologies", {"methodology": NEW | fields})


def test_a_methodology_has_name_version_type_models_and_requirements(api, drain):
    model = accounting.plant(api, drain).model

    made = make(api, model_ids=[model["id"]]).expect(201).body

    assert {name: made[name] for name in NEW} == NEW
    assert made["models"] == [
        {"id": model["id"], "name": model["name"], "version": 1, "versions": [], "version_ids": []}
    ]
    assert api.get(f"/methodologies/{made['id']}").expect(200).body == made
    assert api.get("/methodologies").expect(200).data == [made]


def test_another_version_is_another_methodology(api):
    make(api).expect(201)

    make(api, version="2.2").expect(201)

    assert [one["version"] for one in api.get("/methodologies").data] == ["2.1", "2.2"]
    assert named(make(api)) == [("version", "taken")]


def named(answer):
    """The fields and codes of a refusal."""
    return [(error["field"], error["code"]) for error in answer.expect(422).errors]


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"name": " "}, "name", "required"),
        ({"version": ""}, "version", "required"),
        ({"report_type": ""}, "report_type", "required"),
        ({"submission_requirements": ["blessing"]}, "submission_requirements", "invalid"),
        ({"model_ids": ["mod_0"]}, "model_ids", "unknown"),
    ],
)
def test_what_a_methodology_cannot_be_made_of_is_named(api, fields, field, code):
    assert named(make(api, **fields)) == [(field, code)]


def test_methodologies_are_not_filtered_by_report_type(api):
    answer = api.get("/methodologies", {"filter[report_type]": "quarterly"}).expect(400)

    assert "report_type" in answer.body["errors"][0]["message"]
