"""Paging by cursor: "`cursor=` instead of `page` walks a long list by key, each page at the same cost"."""

import base64
import json

import pytest
from tests.given import collection as given
from tests.server import Caller


@pytest.fixture
def path(api: Caller) -> str:
    """A list of fifty events, several of them at the same time."""
    plant = given.measuring(api, given.number("mass"))
    bodies = [
        given.event_body(start_time=f"2025-01-{1 + index % 7:02d}T00:00:00Z", values={"mass": index})
        for index in range(50)
    ]
    given.events(api, plant, bodies)
    return f"/projects/{plant['id']}/events"


def walk(api: Caller, path: str, **query: object) -> list[str]:
    """The ids of a list, page after page by cursor."""
    found: list[str] = []
    cursor = None
    while True:
        page = api.get(path, query | ({"cursor": cursor} if cursor else {})).expect(200)
        found += [record["id"] for record in page.data]
        cursor = page.info["next_cursor"]
        if cursor is None:
            return found


@pytest.mark.parametrize(
    "sort", ["start_time", "-start_time", "id", "-tracking_id,start_time", "start_time,-id"]
)
def test_walking_by_cursor_meets_every_record_once_in_the_order_of_the_list(api, path, sort):
    whole = [record["id"] for record in api.get(path, {"sort": sort, "page_size": 200}).data]

    assert walk(api, path, sort=sort, page_size=7) == whole
    assert len(set(whole)) == 50


def test_records_that_come_meanwhile_shift_nothing(api, path):
    first = api.get(path, {"page_size": 10}).expect(200)
    project = {"id": path.split("/")[2]}
    given.event(api, project, start_time="2024-12-01T00:00:00Z", values={"mass": 1})

    second = api.get(path, {"page_size": 10, "cursor": first.info["next_cursor"]}).expect(200)

    assert not {record["id"] for record in first.data} & {record["id"] for record in second.data}
    assert second.data[0]["start_time"] >= first.data[-1]["start_time"]


def test_a_page_behind_a_cursor_has_no_number(api, path):
    first = api.get(path, {"page_size": 10})

    info = api.get(path, {"page_size": 10, "cursor": first.info["next_cursor"]}).info

    assert (info["current_page"], info["next_page"], info["previous_page"]) == (None, None, None)
    assert info["total_items"] == 50


def test_the_last_page_has_no_next_cursor(api, path):
    assert api.get(path, {"page_size": 50}).info["next_cursor"] is None


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "nonsense",
        "=" * 8,
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
        base64.urlsafe_b64encode(json.dumps([["start_time"], ["2025-01-01"]]).encode()).decode(),
        base64.urlsafe_b64encode(json.dumps([["start_time"], ["no time", "1"]]).encode()).decode(),
        base64.urlsafe_b64encode(json.dumps([["password"], ["a", "1"]]).encode()).decode(),
        base64.urlsafe_b64encode(json.dumps([["start_time"], ["2025-01-01\u0000", "1"]]).encode()).decode(),
        base64.urlsafe_b64encode(json.dumps([["id"], ["1) OR (true", "%s"]]).encode()).decode(),
        "A" * 5000,
    ],
)
def test_a_cursor_that_is_none_is_refused(api, path, cursor):
    error = api.get(path, {"cursor": cursor}).expect(400).error

    assert error["field"] == "cursor"


def test_a_cursor_goes_with_neither_a_page_nor_another_sort(api, path):
    cursor = api.get(path, {"page_size": 10}).info["next_cursor"]

    assert api.get(path, {"cursor": cursor, "page": 2}).expect(400).error["code"] == "conflict"
    assert api.get(path, {"cursor": cursor, "sort": "-id"}).expect(400).error["code"] == "conflict"


def test_a_page_too_far_out_is_refused_and_the_refusal_names_the_cursor(api, path):
    error = api.get(path, {"page": 999_999, "page_size": 200}).expect(400).error

    assert error["code"] == "too_far"
    assert "cursor" in error["message"]
