"""GET /projects/{project_id}/data_points. Seed, Filtering and paging: project data points."""

import pytest
from tests.given import collection as given

MASS, NOTE, SEALED = given.number("mass"), given.text("note"), given.boolean("sealed")

BY_SLUG = {"filter[slug]": "mass"}


def listed(api, project, query=()):
    points = api.get(f"/projects/{project['id']}/data_points", query).expect(200).data
    return [(point["slug"], point["value"]) for point in points]


def test_a_data_point_comes_with_its_event(api):
    project = given.measuring(api, MASS)
    event = given.event(
        api, project, start_time="2025-01-01T00:00:00Z", end_time="2025-01-01T01:00:00Z", tracking_id="T-1",
        values={"mass": 7},
    )  # fmt: skip

    [point] = api.get(f"/projects/{project['id']}/data_points").expect(200).data

    assert point["id"] == event["data_points"][0]["id"]
    assert (point["slug"], point["value_type"], point["unit"]) == ("mass", "number", "t")
    assert (point["value"], point["raw_value"]) == (7, 7)
    assert (point["substituted"], point["imputed"], point["substitution"]) == (False, False, None)
    assert point["event"] == {
        "project_id": project["id"],
        "id": event["id"],
        "slug": "delivery",
        "tracking_id": "T-1",
        "start_time": "2025-01-01T00:00:00.000Z",
        "end_time": "2025-01-01T01:00:00.000Z",
    }


def test_the_points_of_an_event_stand_in_the_order_of_its_type_and_events_in_order_of_time(api):
    project = given.measuring(api, MASS, NOTE, SEALED)
    given.event(api, project, start_time="2025-01-02T00:00:00Z", values={"sealed": False, "mass": 2})
    given.event(api, project, start_time="2025-01-01T00:00:00Z", values={"note": "dry", "mass": 1})

    assert listed(api, project) == [("mass", 1), ("note", "dry"), ("mass", 2), ("sealed", False)]


def test_a_value_that_is_missing_is_no_data_point(api):
    project = given.measuring(api, MASS, NOTE)
    given.event(api, project, values={"note": "no scale today"})

    assert listed(api, project) == [("note", "no scale today")]


def test_points_of_voided_events_are_left_out(api, sql):
    project = given.measuring(api, MASS)
    given.event(api, project, values={"mass": 1})

    sql("UPDATE events SET voided_at = now() WHERE project_id = %s", project["numeric_id"])

    assert listed(api, project) == []


@pytest.mark.parametrize("name", ["slug", "filter[slug]", "filter[slug][eq]"])
def test_points_are_found_by_slug(api, name):
    project = given.measuring(api, MASS, NOTE)
    given.event(api, project, values={"mass": 1, "note": "dry"})

    assert listed(api, project, {name: "mass"}) == [("mass", 1)]


def test_points_are_found_by_the_asset_of_their_event_and_by_any_of_its_locations(api):
    project = given.measuring(api, MASS, NOTE, expected_locations="two")
    asset = given.asset(api, project)["id"]
    gate, yard, quay = (given.location(api, project) for _ in range(3))
    given.event(api, project, values={"mass": 1, "note": "dry"}, asset_id=asset, locations=[gate, yard])
    given.event(api, project, values={"mass": 2, "note": "wet"}, locations=[quay, gate])

    found = [
        [value for _, value in listed(api, project, {f"filter[{field}]": friendly} | BY_SLUG)]
        for field, friendly in (
            ("asset_id", asset),
            *(("location_id", one["id"]) for one in (gate, yard, quay)),
        )
    ]

    assert found == [[1], [1, 2], [1], [2]]
    assert listed(api, project, {"filter[location_id]": quay["id"]}) == [("mass", 2), ("note", "wet")]


@pytest.mark.parametrize(
    "query",
    [
        {"start_time": "2025-01-02T00:00:00Z", "end_time": "2025-01-03T00:00:00Z"},
        {"filter[start_time][geq]": "2025-01-02T00:00:00Z", "filter[end_time][leq]": "2025-01-03T00:00:00Z"},
        {"filter[start_time][geq]": "2025-01-02T00:00:00Z", "end_time": "2025-01-03T00:00:00Z"},
        {
            "filter[start_time][geq]": "2025-01-02T00:00:00Z",
            "filter[start_time][leq]": "2025-01-03T00:00:00Z",
        },
    ],
)
def test_points_are_found_by_the_time_of_their_event(api, query):
    project = given.measuring(api, MASS)
    for day in (1, 2, 3, 4):
        given.event(api, project, start_time=f"2025-01-0{day}T00:00:00Z", values={"mass": day})

    assert listed(api, project, query) == [("mass", 2), ("mass", 3)]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (
            [("start_time", "2025-01-01T00:00:00Z"), ("filter[start_time][geq]", "2025-01-01T00:00:00Z")],
            "start_time",
        ),
        (
            [("start_time", "2025-01-01T00:00:00Z"), ("filter[start_time][geq]", "2025-01-02T00:00:00Z")],
            "start_time",
        ),
        (
            [("end_time", "2025-01-01T00:00:00Z"), ("filter[end_time][leq]", "2025-01-01T00:00:00Z")],
            "end_time",
        ),
        ([("slug", "mass"), ("filter[slug][eq]", "note")], "slug"),
        ([("filter[slug]", "mass"), ("filter[slug][eq]", "note")], "slug"),
    ],
)
def test_a_bound_sent_both_ways_or_two_slugs_are_refused(api, query, field):
    project = given.measuring(api, MASS, NOTE)

    error = api.get(f"/projects/{project['id']}/data_points", query).expect(400).error

    assert (error["field"], error["code"]) == (field, "conflict")


def test_one_slug_sent_both_ways_is_one_slug(api):
    project = given.measuring(api, MASS, NOTE)
    given.event(api, project, values={"mass": 1, "note": "dry"})

    assert listed(api, project, [("slug", "mass"), ("filter[slug][eq]", "mass")]) == [("mass", 1)]


def test_numbers_sort_by_value(api):
    project = given.measuring(api, MASS)
    for mass in (9, 10, -1):
        given.event(api, project, values={"mass": mass})

    year = {"slug": "mass", "start_time": "2025-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"}
    assert listed(api, project, {"sort": "value"} | year) == [("mass", -1), ("mass", 9), ("mass", 10)]
