"""POST /projects/{project_id}/feedstocks."""

import re

import pytest
from tests.given import collection as given


def create(api, project, **fields):
    return api.post(f"/projects/{project['id']}/feedstocks", {"feedstock": fields})


def test_a_new_feedstock_comes_back_with_its_id_and_project(api):
    project = given.project(api)

    made = create(api, project, name="Spruce chips", description="From the sawmill").expect(201).body

    assert re.fullmatch("fs_[0-9a-f]{24}", made["id"])
    assert made["project_id"] == project["id"]
    assert made["name"] == "Spruce chips"
    assert made["description"] == "From the sawmill"


@pytest.mark.parametrize("name", ["", "  "])
def test_a_feedstock_without_a_name_is_refused(api, name):
    error = create(api, given.project(api), name=name).expect(422).error

    assert (error["field"], error["code"]) == ("feedstock.name", "required")


def test_a_name_is_unique_in_its_project_and_free_in_another(api):
    project, other = given.project(api), given.project(api)
    create(api, project, name="Wood").expect(201)

    error = create(api, project, name="Wood").expect(422).error
    create(api, other, name="Wood").expect(201)

    assert (error["field"], error["code"]) == ("feedstock.name", "taken")


def test_a_feedstock_needs_a_project_of_the_account(api, stranger):
    create(stranger, given.project(api), name="Wood").expect(404)
