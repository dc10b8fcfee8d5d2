"""Seed, Filtering and paging: `page_size` defaults to 20 and is capped at 200. Design, section 4: lists
answer `{"data": [...], "info": {items, page_size, total_items, current_page, next_page, previous_page,
total_pages, sort, filter}}`; `page` from 1; more than 200 is capped.
"""

import pytest
from tests.given import collection as given


@pytest.fixture
def feedstocks(api):
    """A project path of 45 feedstocks, W00 to W44."""
    project = given.project(api)
    for index in range(45):
        given.feedstock(api, project, name=f"W{index:02d}")
    return f"/projects/{project['id']}/feedstocks"


@pytest.fixture
def bare(api):
    """A project path of no feedstocks."""
    return f"/projects/{given.project(api)['id']}/feedstocks"


def names(answer):
    return [one["name"] for one in answer.expect(200).data]


def test_a_list_comes_in_an_envelope_that_says_where_it_stands(api, feedstocks):
    answer = api.get(feedstocks).expect(200)

    assert set(answer.body) == {"data", "info"}
    assert len(answer.data) == 20
    info = answer.info
    assert (info["items"], info["page_size"], info["total_items"]) == (20, 20, 45)
    assert (info["current_page"], info["next_page"], info["previous_page"], info["total_pages"]) == (
        1,
        2,
        None,
        3,
    )
    assert (info["sort"], info["filter"]) == (["id"], [])
    assert info["total_is_estimate"] is False


def test_pages_cover_the_list_without_gap_or_overlap(api, feedstocks):
    pages = [names(api.get(feedstocks, {"page": str(page), "page_size": "20"})) for page in (1, 2, 3)]

    assert [len(page) for page in pages] == [20, 20, 5]
    assert [name for page in pages for name in page] == [f"W{index:02d}" for index in range(45)]


def test_the_last_page_has_no_next(api, feedstocks):
    info = api.get(feedstocks, {"page": "3"}).info

    assert (info["items"], info["next_page"], info["previous_page"]) == (5, None, 2)


def test_a_page_beyond_the_last_is_empty_and_leads_back(api, feedstocks):
    answer = api.get(feedstocks, {"page": "9"}).expect(200)

    assert answer.data == []
    assert (answer.info["items"], answer.info["current_page"]) == (0, 9)
    assert (answer.info["next_page"], answer.info["previous_page"]) == (None, 3)


@pytest.mark.parametrize("asked", ["201", "1000", "999999999", "99999999999999999999"])
def test_a_page_size_over_two_hundred_is_capped(api, feedstocks, asked):
    answer = api.get(feedstocks, {"page_size": asked}).expect(200)

    assert answer.info["page_size"] == 200
    assert answer.info["items"] == 45


def test_a_page_size_of_one_is_kept(api, feedstocks):
    answer = api.get(feedstocks, {"page_size": "1", "page": "45"}).expect(200)

    assert names(answer) == ["W44"]
    assert answer.info["total_pages"] == 45


@pytest.mark.parametrize("name", ["page", "page_size"])
@pytest.mark.parametrize("value", ["0", "-1", "", "1.5", "one", "²", "1e3", " 1", "+1", "0x10"])
def test_a_page_that_is_no_whole_number_from_one_is_refused(api, bare, name, value):
    error = api.get(bare, {name: value}).expect(400).error

    assert (error["field"], error["code"]) == (name, "invalid")
    assert repr(value) in error["message"]


def test_a_page_beyond_every_list_is_refused(api, bare):
    assert api.get(bare, {"page": "1000001"}).expect(400).error["field"] == "page"


def test_an_empty_list_is_one_empty_page(api):
    answer = api.get("/feedstocks").expect(200)

    assert answer.data == []
    assert (answer.info["total_items"], answer.info["total_pages"], answer.info["next_page"]) == (0, 1, None)


def test_a_leading_minus_sorts_descending(api, feedstocks):
    answer = api.get(feedstocks, {"sort": "-name", "page_size": "2"})

    assert names(answer) == ["W44", "W43"]
    assert answer.info["sort"] == ["-name"]


def test_a_list_sorts_by_several_fields(api):
    project = given.measuring(api, given.number("mass"))
    for day, tracking_id in ((1, "B"), (2, "A"), (3, "B"), (4, "A")):
        given.event(
            api, project, start_time=f"2025-01-0{day}T00:00:00Z", tracking_id=tracking_id, values={"mass": 1}
        )

    events = (
        api.get(f"/projects/{project['id']}/events", {"sort": "tracking_id,-start_time"}).expect(200).data
    )

    assert [(one["tracking_id"], one["start_time"][9]) for one in events] == [
        ("A", "4"), ("A", "2"), ("B", "3"), ("B", "1"),
    ]  # fmt: skip


def test_equal_sort_values_fall_back_to_a_total_order_in_both_directions(api):
    project = given.measuring(api, given.number("mass"))
    made = [event["id"] for event in given.events(api, project, [given.event_body(values={"mass": 1})] * 7)]
    path = f"/projects/{project['id']}/events"

    for sort, expected in (("start_time", made), ("-start_time", made[::-1])):
        pages = [
            api.get(path, {"sort": sort, "page_size": "3", "page": str(page)}).data for page in (1, 2, 3)
        ]
        assert [event["id"] for page in pages for event in page] == expected


@pytest.mark.parametrize(
    "sort", ["colour", "", "-", "--name", "name,,id", "name;id", "-colour", "NAME", "name desc"]
)
def test_a_list_refuses_to_sort_by_what_it_does_not_have(api, bare, sort):
    errors = api.get(bare, {"sort": sort}).expect(400).errors

    assert {(error["field"], error["code"]) for error in errors} == {("sort", "invalid")}
    assert "this list sorts by id, name" in errors[0]["message"]


def test_the_envelope_names_the_filters_that_were_applied(api, feedstocks):
    answer = api.get(feedstocks, {"filter[name]": "W07"})

    assert names(answer) == ["W07"]
    assert answer.info["filter"] == ["name[eq]"]
    assert answer.info["total_items"] == 1


def test_whoever_walks_the_pages_of_a_long_list_meets_all_of_it_however_it_was_estimated(server, api):
    project = given.project(api)
    server.sql(
        "INSERT INTO feedstocks (project_id, name) SELECT %s, 'W' || n FROM generate_series(1, 10450) n",
        project["numeric_id"],
    )
    path = f"/projects/{project['id']}/feedstocks"

    found: list[str] = []
    page = 1
    while page is not None:
        answer = api.get(path, {"page": str(page), "page_size": "200"})
        found += names(answer)
        page = answer.info["next_page"]

    assert len(set(found)) == len(found) == 10_450
    assert (answer.info["total_items"], answer.info["total_is_estimate"]) == (10_450, False)
    assert (answer.info["current_page"], answer.info["total_pages"]) == (53, 53)
