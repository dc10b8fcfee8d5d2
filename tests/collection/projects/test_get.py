"""GET /projects/{project_id}."""

import pytest
from tests.given import collection as given


def test_a_project_is_found_by_its_friendly_id(api):
    project = given.project(api, name="Biochar Nord")

    assert api.get(f"/projects/{project['id']}").expect(200).body == project


def test_a_project_is_found_by_its_number(api):
    project = given.project(api, name="Biochar Nord")

    assert api.get(f"/projects/{project['numeric_id']}").expect(200).body == project


@pytest.mark.parametrize(
    "name",
    ["prj_000000000000000000000000", "prj_", "0", "-1", "99999999999999999999", "²", "true", "%00", "%27"],
)
def test_a_name_of_no_project_finds_nothing(api, name):
    assert api.get(f"/projects/{name}").expect(404).error["message"] == "record not found"
