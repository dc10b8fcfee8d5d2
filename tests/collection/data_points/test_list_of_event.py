"""GET /projects/{project_id}/events/{event_id}/data_points. Seed, Filtering: `filter[value]` on event
data points is no longer accepted.
"""

import pytest
from tests.given import collection as given

KINDS = (given.number("mass"), given.text("note"), given.boolean("sealed"))


@pytest.fixture
def project(api):
    return given.measuring(api, *KINDS)


def path(project, event):
    return f"/projects/{project['id']}/events/{event['id']}/data_points"


def test_an_events_data_points_come_in_the_order_of_their_types(api, project):
    event = given.event(api, project, values={"sealed": True, "mass": 3, "note": "ok"})
    given.event(api, project, values={"mass": 9})

    answer = api.get(path(project, event)).expect(200)

    assert [(one["slug"], one["value"]) for one in answer.data] == [
        ("mass", 3),
        ("note", "ok"),
        ("sealed", True),
    ]
    assert {one["event"]["id"] for one in answer.data} == {event["id"]}
    assert [one["id"] for one in answer.data] == [one["id"] for one in event["data_points"]]
    assert (answer.info["items"], answer.info["total_items"], answer.info["total_pages"]) == (3, 3, 1)


def test_what_the_event_lacks_is_not_listed(api, project):
    assert [
        one["slug"] for one in api.get(path(project, given.event(api, project, values={"mass": 3}))).data
    ] == ["mass"]


@pytest.mark.parametrize("name", ["filter[slug][eq]", "filter[slug]"])
def test_the_list_is_filtered_by_slug(api, project, name):
    event = given.event(api, project, values={"mass": 3, "note": "ok"})

    assert [one["slug"] for one in api.get(path(project, event), {name: "note"}).expect(200).data] == ["note"]
    assert api.get(path(project, event), {name: "volume"}).expect(200).data == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("filter[value]", "unknown"), ("filter[value][eq]", "unknown"), ("filter[slug][geq]", "unsupported"),
        ("filter[start_time][geq]", "unknown"), ("slug", "unknown"),
    ],
)  # fmt: skip
def test_another_filter_is_refused(api, project, name, code):
    event = given.event(api, project, values={"mass": 3})

    error = api.get(path(project, event), {name: "3"}).expect(400).error

    assert (error["field"], error["code"]) == (name, code)


def test_the_list_is_paged_and_sorted(api, project):
    event = given.event(api, project, values={"mass": 3, "note": "ok", "sealed": True})

    pages = [api.get(path(project, event), {"page": str(page), "page_size": "2"}).data for page in (1, 2)]
    descending = api.get(path(project, event), {"sort": "-slug"}).data

    assert [[one["slug"] for one in page] for page in pages] == [["mass", "note"], ["sealed"]]
    assert [one["slug"] for one in descending] == ["sealed", "note", "mass"]


def test_the_list_of_an_event_that_is_not_there_is_not_found(api, project, stranger):
    event = given.event(api, project, values={"mass": 3})

    stranger.get(path(project, event)).expect(404)
    api.get(path(given.project(api), event)).expect(404)
    api.get(path(project, {"id": "evt_000000000000000000000000"})).expect(404)
    api.get(path(project, {"id": "99999999999999999999"})).expect(404)
