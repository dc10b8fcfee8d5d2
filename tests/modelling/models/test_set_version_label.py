"""PATCH /models/{model_id}/version_label (`set_version_label`); the contract is in test_model_versions.py."""

from tests.given import accounting
from tests.given.accounting import MASS, document


def label(api, model, value):
    return api.patch(f"/models/{model['id']}/version_label", {"model": {"version_label": value}})


def test_each_version_has_its_own_label(api):
    first = accounting.model(api, None, document(MASS))
    second = accounting.version(api, first, document(MASS))

    label(api, first, "old").expect(200)
    label(api, second, "new").expect(200)

    labels = [api.get(f"/models/{one['id']}").body["version_label"] for one in (first, second)]
    assert labels == ["old", "new"]


def test_every_strange_character_of_a_long_label_is_named_at_once(api):
    model = accounting.model(api, None, document(MASS))

    errors = label(api, model, "#" + "x" * 255).expect(422).errors

    assert len(errors) == 2
    assert "256 characters" in errors[0]["message"]
    assert "'#'" in errors[1]["message"]


def test_a_new_label_stands_in_the_audit_and_the_same_again_does_not(api, account, sql):
    model = accounting.model(api, None, document(MASS))

    label(api, model, "a").expect(200)
    label(api, model, "a").expect(200)
    label(api, model, None).expect(200)

    assert sql(
        """
        SELECT before ->> 'version_label', after ->> 'version_label' FROM audit_log
         WHERE account_id = %s AND action = 'model.set_version_label' ORDER BY id
        """,
        account.id,
    ) == [(None, "a"), ("a", None)]
