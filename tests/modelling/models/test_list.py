"""GET /models (`list_models`)."""

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, document


def test_the_list_shows_models_as_they_are_shown_alone(api):
    made = [accounting.model(api, None, document(MASS, name=name)) for name in ("B", "A")]

    assert api.get("/models").expect(200).data == made


def test_the_list_leaves_out_other_accounts(api, stranger):
    accounting.model(stranger, None, document(MASS))

    assert api.get("/models").data == []


def test_models_are_found_by_name_and_project(api):
    project = given.project(api)
    of_project = accounting.model(api, project, document(MASS, name="One"))
    accounting.model(api, None, document(MASS, name="Two"))

    for query in ({"filter[name]": "One"}, {"filter[project_id][eq]": str(project["numeric_id"])}):
        assert api.get("/models", query).expect(200).data == [of_project], query


def test_models_are_sorted_by_name(api):
    for name in ("B", "C", "A"):
        accounting.model(api, None, document(MASS, name=name))

    names = [model["name"] for model in api.get("/models", {"sort": "-name"}).expect(200).data]

    assert names == ["C", "B", "A"]
