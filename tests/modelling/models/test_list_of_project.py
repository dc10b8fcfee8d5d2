"""GET /projects/{project_id}/models (`list_project_models`), and models by project (`list_models`)."""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document


@pytest.fixture
def project(api):
    """A project with two versions of a model; another project and the account have models too."""
    project, other = given.project(api), given.project(api)
    for one in (project, other):
        given.event_type(api, one, slug="delivery", data_point_types=[given.number("mass")])
    model = accounting.model(api, project, document(MASS))
    accounting.version(api, model, document(MASS, share_places=3))
    accounting.model(api, other, document(MASS, name="Elsewhere"))
    accounting.model(api, None, document(MASS, name="Everywhere"))
    return project


def versions(answer):
    return [(model["name"], model["version"]) for model in answer.expect(200).data]


def test_the_models_of_a_project_are_listed_below_it(api, project):
    for key in ("id", "numeric_id"):
        path = f"/projects/{project[key]}/models"
        assert versions(api.get(path)) == [("Deliveries", 1), ("Deliveries", 2)]
        assert versions(api.get(path, {"sort": "-version"})) == [("Deliveries", 2), ("Deliveries", 1)]
        assert versions(api.get(path, {"filter[name]": "Elsewhere"})) == []


def test_models_are_narrowed_to_a_project_by_its_id_and_its_number(api, project):
    for key in ("id", "numeric_id"):
        found = versions(api.get("/models", {"filter[project_id]": str(project[key])}))
        assert found == [("Deliveries", 1), ("Deliveries", 2)]
    assert len(versions(api.get("/models"))) == 4


def test_the_models_of_another_accounts_project_are_not_found(project, stranger):
    stranger.get(f"/projects/{project['id']}/models").expect(404)
