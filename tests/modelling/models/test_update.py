"""PATCH /models/{model_id}. Design, Models: PATCH takes name, order and description; what a version computes
changes only by a new version.
"""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document


@pytest.fixture
def model(api):
    return accounting.model(api, given.project(api), document(MASS))


def update(api, model, **fields):
    return api.patch(f"/models/{model['id']}", {"model": fields})


def test_what_is_sent_is_changed_and_the_rest_stays(api, model):
    changed = update(api, model, name=" Chips ", order=3, description="Round half up").expect(200).body

    assert (changed["name"], changed["order"], changed["description"]) == ("Chips", 3, "Round half up")
    kept = {name: model[name] for name in ("name", "order", "description", "updated_at")}
    assert {**changed, **kept} == model
    assert api.get(f"/models/{model['id']}").body == changed


def test_a_description_is_cleared_by_null_and_kept_when_it_is_left_out(api, model):
    update(api, model, description="New factor").expect(200)

    assert update(api, model, order=1).expect(200).body["description"] == "New factor"
    assert update(api, model, description=None).expect(200).body["description"] is None


def test_a_new_name_leaves_the_digest_of_the_document_as_it_was(api, model):
    assert update(api, model, name="Chips").expect(200).body["sha256"] == model["sha256"]


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"name": " "}, "name", "required"),
        ({"name": "x" * 256}, "name", "invalid"),
        ({"description": "x" * 501}, "description", "invalid"),
        ({"order": 2**31}, "order", "invalid"),
        ({"order": -(2**70)}, "order", "invalid"),
    ],
)
def test_a_change_that_breaks_a_rule_is_refused(api, model, fields, field, code):
    error = update(api, model, **fields).expect(422).error

    assert (error["field"], error["code"]) == (field, code)
    assert api.get(f"/models/{model['id']}").body == model


@pytest.mark.parametrize(
    "fields",
    [
        {"name": None}, {"order": None}, {"order": 1.5}, {"order": "1"}, {"description": 7},
        {"cadence": "daily"}, {"partition_type": "asset"}, {"yaml": "x"}, {"version": 2},
    ],
)  # fmt: skip
def test_a_change_of_the_wrong_shape_or_of_what_is_computed_is_refused(api, model, fields):
    update(api, model, **fields).expect(400)


def test_the_same_again_changes_nothing_and_leaves_no_row_in_the_audit(api, model, account, sql):
    assert update(api, model, name=model["name"], order=0).expect(200).body == model
    assert update(api, model).expect(200).body == model

    assert sql(
        "SELECT count(*) FROM audit_log WHERE account_id = %s AND action = 'model.update'", account.id
    ) == [(0,)]


def test_a_change_stands_in_the_audit_with_before_and_after(api, model, account, sql):
    update(api, model, name="Chips").expect(200)

    assert sql(
        """
        SELECT object, project_id IS NOT NULL, before ->> 'name', after ->> 'name' FROM audit_log
         WHERE account_id = %s AND action = 'model.update'
        """,
        account.id,
    ) == [(model["id"], True, "Deliveries", "Chips")]
