"""The feed of changes: `list_changes`."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.given import collection as given


@pytest.fixture
def plant(api):
    return given.measuring(api, given.number("mass"))


def latest(api):
    return api.get("/changes", {"after": "latest"}).expect(200).body["cursor"]


def told(api, after=None, **query):
    """The changes behind a cursor, page by page."""
    found = []
    query = {**query, **({"after": after} if after else {})}
    while True:
        page = api.get("/changes", query).expect(200).body
        found += page["data"]
        query["after"] = page["cursor"]
        if not page["has_more"]:
            return found


def said(changes):
    return [(one["kind"], one["action"], one["id"]) for one in changes]


def test_an_event_that_was_stored_is_told_once(api, plant):
    cursor = latest(api)

    event = given.event(api, plant)

    page = api.get("/changes", {"after": cursor}).expect(200).body
    assert said(page["data"]) == [("event", "create", event["id"])]
    assert page["data"][0]["project_id"] == plant["id"]
    assert page["data"][0]["cursor"] == page["cursor"]
    assert not page["has_more"]
    assert api.get("/changes", {"after": page["cursor"]}).body["data"] == []


def test_many_events_of_one_request_are_one_entry_and_are_read_in_pages(api, plant, sql, account):
    cursor = latest(api)

    events = given.events(api, plant, [given.event_body(plant) for _ in range(25)])

    changes = told(api, cursor, page_size=7)
    assert [one["id"] for one in changes] == [event["id"] for event in events]
    assert sql("SELECT count(*) FROM changes WHERE account_id = %s AND kind = 'event'", account.id) == [(1,)]
    for index, change in enumerate(changes):
        assert told(api, change["cursor"]) == changes[index + 1 :]
