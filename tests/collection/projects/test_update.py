"""PATCH /projects/{project_id}. Design, Periods: the project's time zone is fixed while batches exist."""

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given import generation as given_generation


def update(api, project, **fields):
    return api.patch(f"/projects/{project['id']}", {"project": fields})


def test_what_is_sent_is_changed_and_the_rest_stays(api):
    project = given.project(api, name="Plant", time_zone="Europe/Berlin")

    changed = update(api, project, name=" Biochar Nord ", description="Two kilns").expect(200).body

    assert (changed["name"], changed["description"]) == ("Biochar Nord", "Two kilns")
    assert {**changed, "name": "Plant", "description": None, "updated_at": project["updated_at"]} == project
    assert api.get(f"/projects/{project['numeric_id']}").body == changed


def test_a_description_is_cleared_by_null_and_kept_when_it_is_left_out(api):
    project = given.project(api)
    update(api, project, description="Two kilns").expect(200)

    assert update(api, project, name="Nord").expect(200).body["description"] == "Two kilns"
    assert update(api, project, description=None).expect(200).body["description"] is None


def test_an_archived_project_is_read_and_written_as_before_and_can_be_active_again(api):
    project = given.project(api)

    archived = update(api, project, status="archived").expect(200).body
    given.location(api, project)

    assert archived["status"] == "archived"
    assert update(api, project, status="active").expect(200).body["status"] == "active"


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"name": " "}, "name", "required"),
        ({"name": "x" * 256}, "name", "invalid"),
        ({"time_zone": "Mars/Olympus"}, "time_zone", "invalid"),
        ({"status": "deleted"}, "status", "invalid"),
    ],
)
def test_a_change_that_breaks_a_rule_is_refused(api, fields, field, code):
    project = given.project(api)

    error = update(api, project, **fields).expect(422).error

    assert (error["field"], error["code"]) == (field, code)
    assert api.get(f"/projects/{project['id']}").body == project


@pytest.mark.parametrize("fields", [{"name": None}, {"time_zone": None}, {"numeric_id": 7}, {"id": "prj_0"}])
def test_a_change_of_the_wrong_shape_is_refused(api, fields):
    update(api, given.project(api), **fields).expect(400)


def test_the_time_zone_can_be_changed_while_there_are_no_batches(api):
    project = given.project(api, time_zone="UTC")

    assert update(api, project, time_zone="Asia/Tokyo").expect(200).body["time_zone"] == "Asia/Tokyo"


def test_the_time_zone_is_fixed_while_batches_exist(api, drain):
    plant = given_accounting.plant(api, drain, time_zone="Europe/Berlin")
    plant.deliver(5)
    plant.generate()

    error = update(api, plant.project, time_zone="UTC").expect(422).error

    assert (error["field"], error["code"]) == ("time_zone", "in_use")
    assert "begin in Europe/Berlin" in error["message"]
    assert (
        update(api, plant.project, time_zone="Europe/Berlin", name="Nord").expect(200).body["name"] == "Nord"
    )


def test_the_time_zone_waits_for_a_generation_that_runs(api, drain, server):
    plant = given_accounting.plant(api, drain)

    with given_generation.running(server, plant):
        update(api, plant.project, time_zone="Asia/Tokyo").expect(409)

    update(api, plant.project, time_zone="Asia/Tokyo").expect(200)


def test_the_same_again_changes_nothing_and_leaves_no_row_in_the_audit(api, account, sql):
    project = given.project(api, name="Plant")

    assert update(api, project, name="Plant", status="active").expect(200).body == project
    assert update(api, project).expect(200).body == project

    assert sql(
        "SELECT count(*) FROM audit_log WHERE account_id = %s AND action = 'project.update'", account.id
    ) == [(0,)]


def test_a_change_stands_in_the_audit_with_before_and_after(api, account, sql):
    project = given.project(api, name="Plant")

    update(api, project, name="Nord").expect(200)

    assert sql(
        """
        SELECT object, before ->> 'name', after ->> 'name' FROM audit_log
         WHERE account_id = %s AND action = 'project.update'
        """,
        account.id,
    ) == [(project["id"], "Plant", "Nord")]


def test_changing_a_project_takes_administration(account, api):
    project = given.project(api)

    update(account.caller("data_collection:write"), project, name="Mine").expect(403)
    update(account.caller("administration:write"), project, name="Mine").expect(200)
