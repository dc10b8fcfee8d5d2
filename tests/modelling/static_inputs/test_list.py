"""GET /projects/{project_id}/static_inputs."""

from tests.given import collection as given


def test_a_project_lists_its_own_static_inputs(api):
    project = given.project(api)
    made = given.static_input(api, project)
    given.static_input(api, given.project(api))

    assert api.get(f"/projects/{project['id']}/static_inputs").expect(200).data == [made]


def test_the_list_filters_by_slug_and_by_when_values_begin_to_hold(api):
    project = given.project(api)
    path = f"/projects/{project['id']}/static_inputs"
    first = given.static_input(api, project, slug="a", effective_from="2025-01-01T00:00:00Z")
    second = given.static_input(api, project, slug="a", effective_from="2025-02-01T00:00:00Z")
    other = given.static_input(api, project, slug="b", effective_from="2025-02-01T00:00:00Z")

    assert api.get(path, {"filter[slug]": "a"}).data == [first, second]
    assert api.get(path, {"filter[effective_from][geq]": "2025-02-01T00:00:00Z"}).data == [second, other]
    assert api.get(path, {"filter[effective_from][leq]": "2025-01-31T00:00:00Z"}).data == [first]
    assert api.get(path, {"filter[effective_from]": "2025-02-01T00:00:00Z", "filter[slug]": "b"}).data == [
        other
    ]
    assert api.get(path, {"sort": "-effective_from,slug"}).data == [second, other, first]
