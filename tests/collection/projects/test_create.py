"""POST /projects."""

import re

import pytest
from tests.given import collection as given


def test_a_new_project_comes_back_with_its_friendly_id_and_its_number(api):
    answer = api.post("/projects", {"project": {"name": "Biochar Nord", "description": "Two kilns"}})

    project = answer.expect(201).body
    assert re.fullmatch("prj_[0-9a-f]{24}", project["id"])
    assert isinstance(project["numeric_id"], int)
    assert project["name"] == "Biochar Nord"
    assert project["description"] == "Two kilns"
    assert project["time_zone"] == "UTC"
    assert project["status"] == "active"


def test_a_project_links_to_its_page(api, server):
    project = given.project(api)

    assert project["ui_url"] == f"{server.address}/projects/{project['id']}"


def test_a_project_keeps_its_time_zone(api):
    project = given.project(api, time_zone="Australia/Lord_Howe")

    assert api.get(f"/projects/{project['id']}").body["time_zone"] == "Australia/Lord_Howe"


@pytest.mark.parametrize("time_zone", ["Mars/Olympus", "", "+02:00", "europe/berlin", "../../etc/passwd"])
def test_a_time_zone_outside_the_iana_list_is_refused(api, time_zone):
    error = api.post("/projects", {"project": {"name": "Plant", "time_zone": time_zone}}).expect(422).error

    assert error["field"] == "time_zone"
    assert error["code"] == "invalid"
    assert repr(time_zone) in error["message"]


def test_a_project_without_a_name_is_refused(api):
    error = api.post("/projects", {"project": {"name": "  "}}).expect(422).error

    assert error == {"message": "A project needs a name.", "field": "name", "code": "required"}


def test_every_problem_of_a_project_is_named_at_once(api):
    errors = api.post("/projects", {"project": {"name": "", "time_zone": "Mars/Olympus"}}).expect(422).errors

    assert [error["field"] for error in errors] == ["name", "time_zone"]


def test_a_refused_project_is_not_stored(api):
    api.post("/projects", {"project": {"name": "Plant", "time_zone": "Mars/Olympus"}}).expect(422)

    assert api.get("/projects").data == []


def test_spaces_around_a_name_are_dropped(api):
    assert given.project(api, name="  Plant ")["name"] == "Plant"
