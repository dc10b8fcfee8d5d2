"""DELETE /projects/{project_id}/assets/{asset_id}."""

from tests.given import collection as given


def path(project, asset):
    return f"/projects/{project['id']}/assets/{asset['id']}"


def test_an_asset_that_nothing_names_is_removed(api):
    project = given.project(api)
    kiln = given.asset(api, project, name="Kiln")

    api.delete(path(project, kiln)).expect(204)

    api.get(path(project, kiln)).expect(404)
    api.delete(path(project, kiln)).expect(404)
    given.asset(api, project, name="Kiln")


def test_an_asset_of_an_event_stays_also_when_the_event_is_voided(api):
    project = given.measuring(api)
    kiln = given.asset(api, project, name="Kiln")
    event = given.event(api, project, asset_id=kiln["id"])

    first = api.delete(path(project, kiln)).expect(422).error
    api.delete(f"/projects/{project['id']}/events/{event['id']}").expect(204)
    second = api.delete(path(project, kiln)).expect(422).error

    assert first == second
    assert first["code"] == "in_use"
    assert "'Kiln'" in first["message"]
    api.get(path(project, kiln)).expect(200)


def test_an_asset_of_a_static_input_stays(api):
    project = given.project(api)
    kiln = given.asset(api, project)
    given.static_input(api, project, asset_id=kiln["id"])

    assert api.delete(path(project, kiln)).expect(422).error["code"] == "in_use"


def test_a_removal_stands_in_the_audit_with_what_was_removed(api, account, sql):
    project = given.project(api)
    kiln = given.asset(api, project, name="Kiln")

    api.delete(path(project, kiln)).expect(204)

    assert sql(
        """
        SELECT object, before ->> 'name', after FROM audit_log
         WHERE account_id = %s AND action = 'asset.delete'
        """,
        account.id,
    ) == [(kiln["id"], "Kiln", None)]


def test_removing_takes_the_permission_to_write_and_the_account(api, account, stranger):
    project = given.project(api)
    kiln = given.asset(api, project)

    account.caller("data_collection:read").delete(path(project, kiln)).expect(403)
    stranger.delete(path(project, kiln)).expect(404)

    api.get(path(project, kiln)).expect(200)
