"""GET /models/{model_id} (`get_model`)."""

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document


def test_a_model_is_read_as_it_was_made(api):
    model = accounting.model(api, given.project(api), document(MASS))

    assert api.get(f"/models/{model['id']}").expect(200).body == model


def test_an_id_of_another_kind_is_not_found(api):
    project = given.project(api)

    for wrong in (project["id"], "mod_", "mod_xyz", "1", "mod_" + "0" * 24):
        api.get(f"/models/{wrong}").expect(404)
