"""GET and POST /models/{model_id}/versions. Design, Models: a version is immutable; the first is active,
later ones by `activate`.
"""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document

MEAN = MASS.replace("sum", "average")


def create(api, model, text, **fields):
    return api.post(f"/models/{model['id']}/versions", {"yaml": text} | fields)


def versions(api, model, **query):
    return api.get(f"/models/{model['id']}/versions", query).expect(200).data


def test_a_new_version_has_an_id_of_its_own_and_waits_to_be_activated(api):
    project = given.project(api)
    first = accounting.model(api, project, document(MASS))

    second = create(api, first, document(MEAN), version_label="b", description="Mean").expect(201).body

    assert second["id"] != first["id"]
    assert (second["version"], second["is_latest"], second["is_active"]) == (2, True, False)
    assert (second["version_label"], second["description"]) == ("b", "Mean")
    assert (second["name"], second["project_id"]) == (first["name"], project["id"])
    assert second["sha256"] != first["sha256"]
    shown = api.get(f"/models/{first['id']}").body
    assert shown == {**first, "is_latest": False}


def test_a_version_may_cut_time_and_partitions_anew(api):
    first = accounting.model(api, None, document(MASS))

    text = document(MASS, cadence="daily", partition_type="feedstock")
    second = create(api, first, text).expect(201).body

    assert (second["cadence"], second["partition_type"]) == ("daily", "feedstock")
    assert api.get(f"/models/{first['id']}").body["cadence"] == "monthly"


def test_a_version_is_made_of_the_latest_only(api):
    first = accounting.model(api, None, document(MASS))
    second = accounting.version(api, first, document(MEAN))

    error = create(api, first, document(MASS)).expect(409).error

    assert error["message"] == (
        f"This is version 1; a new version is made of the latest, version 2, {second['id']}."
    )
    assert create(api, second, document(MASS)).expect(201).body["version"] == 3


def test_of_two_that_save_at_once_one_is_refused(api, server):
    first = accounting.model(api, None, document(MASS))

    answers = server.together(lambda: create(api, first, document(MEAN)).status, 4)

    assert sorted(answers) == [201, 409, 409, 409]
    assert [one["version"] for one in versions(api, first)] == [1, 2]


def test_a_version_may_be_activated_as_it_is_made(api):
    first = accounting.model(api, None, document(MASS))

    second = create(api, first, document(MEAN), activate=True).expect(201).body

    assert second["is_active"] is True
    assert api.get(f"/models/{first['id']}").body["is_active"] is False


def test_a_version_that_cannot_be_activated_is_not_made(api):
    project = given.project(api)
    first = accounting.model(api, project, document(MASS))

    create(api, first, document(MEAN), activate=True).expect(422)

    assert len(versions(api, first)) == 1


def test_a_name_given_to_the_model_stays_until_a_document_brings_another(api):
    model = accounting.model(api, None, document(MASS))
    api.patch(f"/models/{model['id']}", {"model": {"name": "Chips", "order": 4}}).expect(200)

    second = accounting.version(api, model, document(MEAN))
    third = accounting.version(api, second, document(MASS, name="Deliveries of 2026"))

    assert (second["name"], second["order"]) == ("Chips", 4)
    assert (third["name"], third["order"]) == ("Deliveries of 2026", 4)


def test_a_document_with_flaws_is_refused_with_each_of_them(api):
    first = accounting.model(api, None, document(MASS))

    error = create(api, first, document(MASS.replace("unit: t", "unit: parsec!"))).expect(422).error

    assert error["field"] == "yaml"
    assert "line 8, column 11" in error["message"]
    assert len(versions(api, first)) == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"version_label": "a#"}, "version_label"),
        ({"version_label": "x" * 256}, "version_label"),
        ({"description": "x" * 501}, "description"),
    ],
)
def test_a_label_or_description_that_breaks_a_rule_is_refused(api, fields, field):
    first = accounting.model(api, None, document(MASS))

    error = create(api, first, document(MEAN), **fields).expect(422).error

    assert (error["field"], error["code"]) == (field, "invalid")


@pytest.mark.parametrize("body", [{}, {"yaml": 7}, {"yaml": None}, {"model": {"yaml": "x"}}])
def test_a_body_of_another_shape_is_refused(api, body):
    first = accounting.model(api, None, document(MASS))

    api.post(f"/models/{first['id']}/versions", body).expect(400)


def test_what_ledgers_run_stays_the_active_version(api):
    project = given.project(api)
    first = accounting.model(api, project, document(MASS))
    ledger = accounting.ledger(api, project, first)

    accounting.version(api, first, document(MEAN, name="Mean"))

    shown = api.get(f"/ledgers/{ledger['id']}").body["latest_model"]
    assert shown == {"id": first["id"], "name": "Deliveries"}


def test_the_versions_are_listed_by_number_whichever_is_named(api):
    first = accounting.model(api, None, document(MASS))
    accounting.model(api, None, document(MASS, name="Another"))
    second = accounting.version(api, first, document(MEAN))

    assert [one["version"] for one in versions(api, first)] == [1, 2]
    assert versions(api, second) == versions(api, first)
    assert [one["version"] for one in versions(api, first, sort="-version")] == [2, 1]
    assert versions(api, second)[1] == second


def test_a_new_version_leaves_a_row_in_the_audit_log(api, account, sql):
    second = accounting.version(api, accounting.model(api, None, document(MASS)), document(MEAN))

    assert sql(
        """
        SELECT object, after ->> 'version' FROM audit_log
         WHERE account_id = %s AND action = 'model.create_version'
        """,
        account.id,
    ) == [(second["id"], "2")]
