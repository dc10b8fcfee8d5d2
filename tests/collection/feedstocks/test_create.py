"""POST /projects/{project_id}/feedstocks."""

import re

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
