"""A methodology may name versions of its models: batches of others are refused, or counted and told."""

import pytest
from tests.given import accounting, reports
from tests.given.recorded import differing


@pytest.fixture
def claims(api, drain):
    """A batch of January by the first version of a model, one of February by the second."""
    plant = accounting.plant(api, drain)
    plant.deliver(5, "2025-01-02T00:00:00Z")
    plant.generate()
    second = accounting.version(
        api, plant.model, accounting.document(accounting.MASS + accounting.FAILS_AT_ZERO)
    )
    api.post(f"/models/{second['id']}/activate", {}).expect(200)
    plant.deliver(3, "2025-02-02T00:00:00Z")
    plant.generate(accounting.QUARTER)
    return reports.Claims(plant)


def methodology(claims, **fields):
    """Ask for a methodology of the plant's model."""
    said = {"name": "Removal", "version": "1", "report_type": "quarterly"}
    said |= {"model_ids": [claims.plant.model["id"]]}
    return claims.plant.api.post("/methodologies", {"methodology": said | fields})


def of_versions(claims, *versions, **fields):
    """A methodology that names versions of the plant's model."""
    return methodology(claims, model_versions={claims.plant.model["id"]: versions}, **fields).expect(201).body


def submit(claims, report):
    return claims.plant.api.post(f"/reports/{report['id']}/submit", {})


def test_a_methodology_says_which_versions_it_names(claims):
    made = of_versions(claims, 2, 1)

    [model] = made["models"]
    assert model["versions"] == [1, 2]
    assert model["version_ids"][0] == claims.plant.model["id"]
    assert made["other_versions"] == "refuse"
    assert claims.plant.api.get(f"/methodologies/{made['id']}").expect(200).body == made
    [any_version] = methodology(claims, version="2").expect(201).body["models"]
    assert (any_version["versions"], any_version["version_ids"]) == ([], [])


def test_a_report_with_a_batch_of_another_version_is_refused_by_name(claims):
    made = of_versions(claims, 1)
    draft = claims.report(5, 3, methodology_id=made["id"])

    refused = submit(claims, draft).expect(422).errors

    [told] = [one for one in refused if one["code"] == "another_version"]
    batch = claims.batch(1)
    assert told["records"] == [batch]
    assert told["message"] == (
        "1 of its batches were made by versions that its methodology does not name:"
        f" {batch} by version 2 of Deliveries, of which it names 1."
    )
    assert claims.read(draft)["other_version_batch_count"] == 1


@pytest.mark.parametrize("versions", [[1, 2], []])
def test_a_report_of_named_versions_is_sent_off(claims, versions):
    made = of_versions(claims, *versions)
    draft = claims.report(5, 3, methodology_id=made["id"])

    assert reports.submitted(claims, draft)["other_version_batch_count"] == 0


def test_a_report_that_may_have_other_versions_says_how_many_they_are(claims):
    made = of_versions(claims, 1, other_versions="note")
    draft = claims.report(5, 3, methodology_id=made["id"])

    sent = reports.submitted(claims, draft)

    assert sent["other_version_batch_count"] == 1


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"model_versions": {"mod_0123456789abcdef01234567": [1]}}, "model_versions", "unknown"),
        ({"other_versions": "allow"}, "other_versions", "invalid"),
    ],
)
def test_what_a_methodology_cannot_name_is_refused(claims, fields, field, code):
    [problem] = methodology(claims, **fields).expect(422).errors

    assert (problem["field"], problem["code"]) == (field, code)


def test_a_version_that_a_model_does_not_have_is_refused(claims):
    model = claims.plant.model["id"]
    [problem] = methodology(claims, model_versions={model: [1, 7]}).expect(422).errors

    assert problem["message"] == f"model_versions: model '{model}' has no version 7."


@pytest.mark.parametrize(
    ("table", "column", "values"),
    [
        ("methodologies", "other_versions", ("note", "refuse")),
        ("methodology_models", "versions", ([1, 2], [1])),
    ],
)
def test_versions_that_are_others_than_the_log_says_are_found(claims, server, table, column, values):
    made = of_versions(claims, 1)
    key = "id" if table == "methodologies" else "methodology_id"

    server.change_form(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    found = []
    for stored in values:
        server.sql(f"UPDATE {table} SET {column} = %s WHERE {key} = %s", stored, made["id"])
        found.append(differing(server, "methodology"))
    server.change_form(f"ALTER TABLE {table} ENABLE TRIGGER USER")

    assert [len(texts) for texts in found] == [1, 0]
    assert column in found[0][0]
