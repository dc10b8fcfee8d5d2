"""GET /projects/{project_id}/event_types. Seed, Event data collection: each has a slug used when posting
events.
"""

from tests.given import collection as given


def test_the_list_holds_the_projects_event_types_with_their_data_point_types(api):
    project = given.project(api)
    delivery = given.event_type(api, project, slug="delivery", data_point_types=[given.number("mass")])
    reading = given.event_type(
        api, project, slug="reading", data_point_types=[given.number("energy", unit="MWh")]
    )
    given.event_type(api, given.project(api), slug="elsewhere")

    assert api.get(f"/projects/{project['id']}/event_types").expect(200).data == [delivery, reading]


def test_the_list_filters_by_slug(api):
    project = given.project(api)
    given.event_type(api, project, slug="delivery")
    reading = given.event_type(api, project, slug="reading")

    answer = api.get(f"/projects/{project['id']}/event_types", {"filter[slug][eq]": "reading"})

    assert answer.data == [reading]
