"""DELETE /projects/{project_id}/feedstocks/{feedstock_id}."""

from tests.given import collection as given


def path(project, feedstock):
    return f"/projects/{project['id']}/feedstocks/{feedstock['id']}"


def test_a_feedstock_that_nothing_names_is_removed(api):
    project = given.project(api)
    wood = given.feedstock(api, project, name="Wood")

    answer = api.delete(path(project, wood)).expect(204)

    assert answer.text == ""
    api.get(path(project, wood)).expect(404)
    api.delete(path(project, wood)).expect(404)
    given.feedstock(api, project, name="Wood")


def test_a_feedstock_of_an_event_stays_also_when_the_event_is_voided(api):
    project = given.measuring(api)
    wood = given.feedstock(api, project, name="Wood")
    event = given.event(api, project, feedstock_id=wood["id"])

    first = api.delete(path(project, wood)).expect(422).error
    api.delete(f"/projects/{project['id']}/events/{event['id']}").expect(204)
    second = api.delete(path(project, wood)).expect(422).error

    assert first == second
    assert first["code"] == "in_use"
    assert "'Wood'" in first["message"]
    api.get(path(project, wood)).expect(200)


def test_a_removal_stands_in_the_audit_with_what_was_removed(api, account, sql):
    project = given.project(api)
    wood = given.feedstock(api, project, name="Wood")

    api.delete(path(project, wood)).expect(204)

    assert sql(
        """
        SELECT object, before ->> 'name', after FROM audit_log
         WHERE account_id = %s AND action = 'feedstock.delete'
        """,
        account.id,
    ) == [(wood["id"], "Wood", None)]


def test_removing_takes_the_permission_to_write_and_the_account(api, account, stranger):
    project = given.project(api)
    wood = given.feedstock(api, project)

    account.caller("data_collection:read").delete(path(project, wood)).expect(403)
    stranger.delete(path(project, wood)).expect(404)

    api.get(path(project, wood)).expect(200)
