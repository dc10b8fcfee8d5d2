"""DELETE /projects/{project_id}/locations/{location_id}."""

from tests.given import collection as given


def path(project, location):
    return f"/projects/{project['id']}/locations/{location['id']}"


def test_a_location_that_no_event_names_is_removed(api):
    project = given.project(api)
    yard = given.location(api, project, name="Yard")

    api.delete(path(project, yard)).expect(204)

    api.get(path(project, yard)).expect(404)
    api.delete(path(project, yard)).expect(404)
    assert api.get(f"/projects/{project['id']}/locations").data == []


def test_a_location_of_an_event_stays_also_when_the_event_is_voided(api):
    project = given.measuring(api)
    yard = given.location(api, project, name="Yard")
    event = given.event(api, project, locations=[yard])

    first = api.delete(path(project, yard)).expect(422).error
    api.delete(f"/projects/{project['id']}/events/{event['id']}").expect(204)
    second = api.delete(path(project, yard)).expect(422).error

    assert first == second
    assert first["code"] == "in_use"
    assert "'Yard'" in first["message"]


def test_a_removal_stands_in_the_audit_with_what_was_removed(api, account, sql):
    project = given.project(api)
    yard = given.location(api, project, name="Yard")

    api.delete(path(project, yard)).expect(204)

    assert sql(
        """
        SELECT object, before ->> 'name', after FROM audit_log
         WHERE account_id = %s AND action = 'location.delete'
        """,
        account.id,
    ) == [(yard["id"], "Yard", None)]


def test_removing_takes_the_permission_to_write_and_the_account(api, account, stranger):
    project = given.project(api)
    yard = given.location(api, project)

    account.caller("data_collection:read").delete(path(project, yard)).expect(403)
    stranger.delete(path(project, yard)).expect(404)

    api.get(path(project, yard)).expect(200)
