"""Seed, Filtering and paging: filters use `filter[<field>][<comparator>]`; an unknown filter field, an
unsupported comparator, or a malformed filter parameter returns 400 naming the problem; an unreadable
filter value also returns 400.
"""

import pytest
from tests.given import collection as given

LISTS = [
    "/projects", "/feedstocks", "/async_tasks", "/projects/{p}/event_types", "/projects/{p}/locations",
    "/projects/{p}/feedstocks", "/projects/{p}/events", "/projects/{p}/data_points",
]  # fmt: skip


@pytest.fixture
def events(api):
    """The path of a project's events."""
    return f"/projects/{given.project(api)['id']}/events"


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize(
    "name", ["filter[colour]", "filter[colour][eq]", "filter[id; DROP TABLE events][eq]"]
)
def test_every_list_refuses_an_unknown_filter_by_name(api, path, name):
    project = given.project(api)

    error = api.get(path.format(p=project["id"]), {name: "red"}).expect(400).error

    assert (error["field"], error["code"]) == (name, "unknown")
    assert "is not a field to filter by" in error["message"]


def test_a_plus_that_became_a_space_is_explained(api, events):
    error = api.get(f"{events}?filter[start_time][geq]=2025-01-01T00:00:00+01:00").expect(400).error

    assert error["message"] == (
        "filter[start_time][geq] is '2025-01-01T00:00:00 01:00'; "
        "start_time takes a time with an offset or Z, where + is sent as %2B."
    )


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("filter[source]", "source takes manual, adjustment, substitution."),
        ("filter[state][eq]", "state takes in_force, superseded, reverted."),
    ],
)
def test_a_list_of_corrections_refuses_what_none_of_them_can_be(api, name, takes):
    project = given.measuring(api, given.number("mass"))
    event = given.event(api, project, values={"mass": 1})
    inside = f"/projects/{project['id']}"

    for path in (f"/events/{event['id']}", f"/data_points/{event['data_points'][0]['id']}"):
        error = api.get(f"{inside}{path}/corrections", {name: "completion"}).expect(400).error
        assert error["message"] == f"{name} is 'completion'; {takes}"


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("name", ["colour", "limit", "Page", "cursor[]"])
def test_every_list_refuses_an_unknown_parameter_by_name(api, path, name):
    project = given.project(api)

    error = api.get(path.format(p=project["id"]), {name: "1"}).expect(400).error

    assert (error["field"], error["code"]) == (name, "unknown")


@pytest.mark.parametrize(
    "name",
    [
        "filter[slug][geq]", "filter[event_type_id][leq]", "filter[location_id][geq]", "filter[slug][like]",
        "filter[start_time][gt]", "filter[slug][EQ]", "filter[slug][==]",
    ],
)  # fmt: skip
def test_an_unsupported_comparator_is_refused_with_those_that_are(api, events, name):
    error = api.get(events, {name: "x"}).expect(400).error

    assert (error["field"], error["code"]) == (name, "unsupported")
    assert "takes eq" in error["message"]


@pytest.mark.parametrize(
    "name",
    [
        "filter", "filter[]", "filter[][eq]", "filter[slug", "filterslug", "filter[slug]eq", "filter[slug][]",
        "filter[slug][eq][x]", "filter[slug][eq", "filter[[slug]]", "filter.slug", "filters[slug]",
    ],
)  # fmt: skip
def test_a_malformed_filter_is_refused(api, events, name):
    error = api.get(events, {name: "x"}).expect(400).error

    assert (error["field"], error["code"]) == (name, "malformed")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("filter[event_type_id]", "7"), ("filter[event_type_id]", "evt_000000000000000000000000"),
        ("filter[event_type_id]", ""), ("filter[location_id]", "loc_"),
        ("filter[nexus_event_type_id]", "et_1"),
        ("filter[nexus_event_type_id]", "1.5"), ("filter[nexus_event_type_id]", ""),
        ("filter[nexus_event_type_id]", "9" * 5000),
        ("filter[nexus_event_type_id]", "-1"),
        ("filter[nexus_event_type_id]", "2147483648"), ("filter[nexus_event_type_id]", "²"),
        ("filter[end_time][leq]", "soon"),
        ("filter[slug]", "a\0"), ("filter[tracking_id]", "\0"),
    ],
)  # fmt: skip
def test_an_unreadable_value_is_refused(api, events, name, value):
    error = api.get(events, {name: value}).expect(400).error

    assert (error["field"], error["code"]) == (name, "unreadable")


@pytest.mark.parametrize("value", ["0", "007", "2147483647"])
def test_a_number_that_no_event_type_has_finds_nothing(api, events, value):
    assert api.get(events, {"filter[nexus_event_type_id]": value}).expect(200).data == []


@pytest.mark.parametrize("value", ["'", "x' OR true --", "\\", "%", "%s", "{}", "a" * 5000, "ü", "\t"])
def test_a_value_is_data_whatever_it_looks_like(api, value):
    project = given.measuring(api, given.number("mass"))
    given.event(api, project, tracking_id="T-1", values={"mass": 1})

    assert api.get(f"/projects/{project['id']}/events", {"filter[tracking_id]": value}).expect(200).data == []


def test_all_problems_of_a_query_are_named_at_once(api, events):
    query = {
        "page": "0",
        "sort": "colour",
        "filter[colour]": "red",
        "colour": "red",
        "filter[slug][geq]": "x",
    }

    errors = api.get(events, query).expect(400).errors

    assert {error["field"] for error in errors} == set(query) - {"sort"} | {"sort"}


@pytest.mark.parametrize(
    "query",
    [
        [
            ("filter[start_time][geq]", "2025-01-01T00:00:00Z"),
            ("filter[start_time][geq]", "2025-01-02T00:00:00Z"),
        ],
        [("filter[slug]", "a"), ("filter[slug][eq]", "b")],
        [
            ("filter[start_time][eq]", "2025-01-01T00:00:00Z"),
            ("filter[start_time][eq]", "2025-01-02T00:00:00Z"),
        ],
    ],
)
def test_a_bound_given_twice_is_a_conflict(api, events, query):
    error = api.get(events, query).expect(400).error

    assert error["code"] == "conflict"


@pytest.mark.parametrize("name", ["page", "page_size", "sort"])
def test_a_paging_parameter_given_twice_with_two_values_is_a_conflict(api, events, name):
    values = ("id", "start_time") if name == "sort" else ("1", "2")

    error = api.get(events, [(name, value) for value in values]).expect(400).error

    assert (error["field"], error["code"]) == (name, "conflict")


def test_filters_that_are_no_longer_accepted_are_refused(api):
    project = given.project(api)

    api.get(f"/projects/{project['id']}/data_points", {"filter[value]": "1"}).expect(400)
