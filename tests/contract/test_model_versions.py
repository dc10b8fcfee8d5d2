"""Seed, Models: "PATCH /models/{model_id}/version_label sets or clears a model version's label." Body:
"object with required key `model`, an object with required key `version_label` (string or null; at most 255
characters; letters, numbers, spaces and `_ - . ( ) /`)". Limits: version_label 255, description 500.
"""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document

FIELDS = {
    "id": str, "name": str, "version": int, "version_label": str | None, "description": str | None,
    "is_latest": bool, "cadence": str, "partition_type": str, "order": int, "created_at": str,
    "updated_at": str, "ui_url": str | None,
}  # fmt: skip
"""Seed, Model: its fields and their types."""


@pytest.fixture
def model(api):
    return accounting.model(api, given.project(api), document(MASS))


def label(caller, model, value):
    return caller.patch(f"/models/{model['id']}/version_label", {"model": {"version_label": value}})


def test_the_answer_is_200_and_the_model_record(api, model):
    """Seed: "Response 200: the Model record"."""
    labelled = label(api, model, "Protocol v1.2 (final)").expect(200).body

    assert labelled["version_label"] == "Protocol v1.2 (final)"
    assert [name for name, kind in FIELDS.items() if not isinstance(labelled[name], kind)] == []
    assert labelled == {
        **model,
        "version_label": labelled["version_label"],
        "updated_at": labelled["updated_at"],
    }
    assert api.get(f"/models/{model['id']}").body == labelled


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_null_or_empty_string_clears_the_label(api, model, nothing):
    """Seed: "A null or empty string clears the label"."""
    label(api, model, "draft").expect(200)

    assert label(api, model, nothing).expect(200).body["version_label"] is None
    assert api.get(f"/models/{model['id']}").body["version_label"] is None


def test_a_body_without_version_label_is_refused_and_the_stored_value_stays(api, model):
    """Seed: "Response 400 when `version_label` is absent; the stored value stays as it was." Errors: "400 |
    `version_label` key missing on a version-label update (message `version_label is required`)".
    """
    kept = label(api, model, "draft").body

    refused = api.patch(f"/models/{model['id']}/version_label", {"model": {}}).expect(400)

    assert refused.error["message"] == "version_label is required"
    assert api.get(f"/models/{model['id']}").body == kept


@pytest.mark.parametrize("body", [{}, {"model": None}, {"model": "x"}, {"version_label": "x"}, []])
def test_a_body_of_another_shape_is_refused(api, model, body):
    api.patch(f"/models/{model['id']}/version_label", body).expect(400)


@pytest.mark.parametrize("value", [7, True, ["a"], {"a": 1}])
def test_a_label_that_is_no_text_is_refused(api, model, value):
    label(api, model, value).expect(400)


@pytest.mark.parametrize(
    "value", ["v1!", "a#b", "<b>", "a\tb", "a\nb", "a\\b", "1,2", "a:b", "½", "50%", "✓", "a;"]
)
def test_a_label_with_other_characters_is_refused(api, model, value):
    """Seed: "Response 422 when the label holds characters outside the allowed set; the error names field
    `version_label` and code `invalid`."
    """
    kept = label(api, model, "draft").body

    error = label(api, model, value).expect(422).error

    assert (error["field"], error["code"]) == ("version_label", "invalid")
    assert api.get(f"/models/{model['id']}").body == kept


@pytest.mark.parametrize("value", ["v1.2", "Draft_3-b (old) / new", "2026", "Ökobilanz Ä", " a", "/", "計算"])
def test_letters_numbers_spaces_and_the_named_signs_make_a_label(api, model, value):
    assert label(api, model, value).expect(200).body["version_label"] == value


@pytest.mark.parametrize("value", [" ", "   "])
def test_a_label_of_blanks_only_is_refused(api, model, value):
    """An empty text clears the label; blanks would be a label that nobody sees."""
    kept = label(api, model, "draft").body

    error = label(api, model, value).expect(422).error

    assert (error["field"], error["code"]) == ("version_label", "invalid")
    assert api.get(f"/models/{model['id']}").body == kept


def test_a_label_has_at_most_255_characters(api, model):
    """Seed, Limits: "version_label length | 255 characters"."""
    label(api, model, "x" * 255).expect(200)

    error = label(api, model, "x" * 256).expect(422).error

    assert (error["field"], error["code"]) == ("version_label", "invalid")


def test_a_description_has_at_most_500_characters(api, model):
    """Seed, Limits: "description length | 500 characters"; Model: "what changed in this version"."""
    path = f"/models/{model['id']}"
    api.patch(path, {"model": {"description": "x" * 500}}).expect(200)

    error = api.patch(path, {"model": {"description": "x" * 501}}).expect(422).error

    assert (error["field"], error["code"]) == ("description", "invalid")


def test_one_version_is_the_latest(api, model):
    """Seed: "Models are versioned. One version is the latest. A version can carry a short label and a
    description."
    """
    second = accounting.version(api, model, document(MASS), version_label="2nd", description="Nothing new")

    shown = [api.get(f"/models/{one['id']}").body for one in (model, second)]

    assert [one["is_latest"] for one in shown] == [False, True]
    assert (second["version_label"], second["description"]) == ("2nd", "Nothing new")


def test_the_link_is_null_when_the_model_has_no_project(api):
    """Seed: "null when the model has no project"."""
    assert accounting.model(api, None, document(MASS))["ui_url"] is None


def test_labelling_takes_production_accounting_write(account, model):
    label(account.caller("production_accounting:read"), model, "mine").expect(403)
