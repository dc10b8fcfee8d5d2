"""DELETE /projects/{project_id}/event_types/{event_type_id}."""

from tests.given import alerts as given_alerts
from tests.given import collection as given

MASS = given.number("mass")


def path(project, event_type):
    return f"/projects/{project['id']}/event_types/{event_type['id']}"


def test_an_event_type_without_events_is_removed_and_its_slug_is_free_again(api):
    project = given.project(api)
    delivery = given.event_type(api, project, slug="delivery", data_point_types=[MASS])

    assert api.delete(path(project, delivery)).expect(204).text == ""

    api.get(path(project, delivery)).expect(404)
    api.delete(path(project, delivery)).expect(404)
    api.post(f"/projects/{project['id']}/events", {"event": given.event_body()}).expect(422)
    given.event_type(api, project, slug="delivery", data_point_types=[MASS])


def test_an_event_type_of_an_event_stays_also_when_the_event_is_voided(api):
    project = given.project(api)
    delivery = given.event_type(api, project, data_point_types=[MASS])
    event = given.event(api, project, values={"mass": 1})

    first = api.delete(path(project, delivery)).expect(422).error
    api.delete(f"/projects/{project['id']}/events/{event['id']}").expect(204)
    second = api.delete(path(project, delivery)).expect(422).error

    assert first == second
    assert first["code"] == "in_use"
    assert api.get(path(project, delivery)).expect(200).body == delivery


def test_an_event_type_that_a_rule_watches_stays_also_when_the_rule_is_removed(api):
    project = given.project(api)
    delivery = given.event_type(api, project, data_point_types=[MASS])
    rule = given_alerts.rule(api, project, event_type_id=delivery["id"])

    first = api.delete(path(project, delivery)).expect(422).error
    api.delete(f"/rules/{rule['id']}").expect(204)
    second = api.delete(path(project, delivery)).expect(422).error

    assert first == second
    assert first["code"] == "in_use"


def test_a_removal_stands_in_the_audit_with_what_was_removed(api, account, sql):
    project = given.project(api)
    delivery = given.event_type(api, project, data_point_types=[MASS])

    api.delete(path(project, delivery)).expect(204)

    assert sql(
        """
        SELECT object, before -> 'data_point_types' -> 0 ->> 'slug', after FROM audit_log
         WHERE account_id = %s AND action = 'event_type.delete'
        """,
        account.id,
    ) == [(delivery["id"], "mass", None)]


def test_a_number_of_no_event_type_removes_nothing(api):
    project = given.project(api)
    delivery = given.event_type(api, project)

    api.delete(f"/projects/{project['id']}/event_types/99999999999999999999").expect(404)

    api.get(path(project, delivery)).expect(200)
