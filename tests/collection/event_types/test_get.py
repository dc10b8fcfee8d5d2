"""GET /projects/{project_id}/event_types/{event_type_id}. Seed, Versioning: event type endpoints refuse
numeric IDs.
"""

from tests.given import collection as given


def test_an_event_type_is_found_by_its_friendly_id(api):
    project = given.project(api)
    made = given.event_type(api, project, slug="delivery", data_point_types=[given.number("mass")])

    assert api.get(f"/projects/{project['id']}/event_types/{made['id']}").expect(200).body == made


def test_a_numeric_id_finds_no_event_type(api):
    project = given.project(api)
    made = given.event_type(api, project, data_point_types=[given.number("mass")])
    number = made["data_point_types"][0]["nexus_event_type_id"]

    assert isinstance(number, int)
    api.get(f"/projects/{project['id']}/event_types/{number}").expect(404)


def test_an_event_type_is_not_found_below_another_project(api):
    made = given.event_type(api, given.project(api))
    other = given.project(api)

    api.get(f"/projects/{other['id']}/event_types/{made['id']}").expect(404)
