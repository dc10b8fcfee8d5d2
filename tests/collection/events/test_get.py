"""GET /projects/{project_id}/events/{event_id}."""

from tests.given import collection as given

MASS = given.number("mass")


def test_an_event_is_found_as_it_was_answered(api):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 3})

    assert api.get(f"/projects/{project['id']}/events/{event['id']}").expect(200).body == event


def test_the_projects_number_leads_to_the_event_too(api):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 3})

    assert api.get(f"/projects/{project['numeric_id']}/events/{event['id']}").expect(200).body == event


def test_an_event_is_not_found_below_another_project(api):
    event = given.event(api, given.measuring(api, MASS), values={"mass": 3})
    other = given.project(api)

    api.get(f"/projects/{other['id']}/events/{event['id']}").expect(404)


def test_a_voided_event_is_not_found(api, sql):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 3})

    sql("UPDATE events SET voided_at = now() WHERE project_id = %s", project["numeric_id"])

    api.get(f"/projects/{project['id']}/events/{event['id']}").expect(404)
    assert api.get(f"/projects/{project['id']}/events").data == []


def test_the_id_of_a_data_point_is_not_the_id_of_its_event(api):
    project = given.measuring(api, MASS)
    [point] = given.event(api, project, values={"mass": 3})["data_points"]

    api.get(f"/projects/{project['id']}/events/{point['id']}").expect(404)
    api.get(f"/projects/{project['id']}/events/{point['id'].replace('in_', 'evt_')}").expect(404)
