"""GET /projects/{project_id}/events/{event_id}/evidences and GET /batches/{batch_id}/evidences."""

import pytest
from tests.collection.evidence import files
from tests.given import collection as given
from tests.given.accounting import plant


def attach(api, event, name):
    body = {"evidence": {"type": "url", "url": "https://example.org/tickets", "name": name}}
    return api.post(f"/events/{event}/evidence", body).expect(201).body


def names(answer):
    return [one["name"] for one in answer.expect(200).data]


def test_an_event_lists_its_evidence_in_the_order_it_was_attached(api, event, place):
    made = [attach(api, event["id"], name) for name in ("b", "a", "c")]

    answer = api.get(place).expect(200)

    assert answer.data == made
    assert answer.info["total_items"] == 3


def test_evidence_is_paged_sorted_and_filtered(api, event, path, place):
    for name in ("b", "a", "c"):
        attach(api, event["id"], name)
    api.upload(path, "d.pdf", files.PDF).expect(201)

    assert names(api.get(place, {"page_size": "2", "page": "2"})) == ["c", "d.pdf"]
    assert names(api.get(place, {"sort": "-name"})) == ["d.pdf", "c", "b", "a"]
    assert names(api.get(place, {"filter[type][eq]": "file"})) == ["d.pdf"]
    assert api.get(place, {"filter[type]": "page"}).expect(400).error["code"] == "unreadable"


def test_evidence_is_walked_by_cursor(api, event, place):
    for name in ("b", "a", "b"):
        attach(api, event["id"], name)

    first = api.get(place, {"page_size": "2", "sort": "-name"}).expect(200)
    second = api.get(place, {"page_size": "2", "cursor": first.info["next_cursor"]})

    assert names(first) + names(second) == ["b", "b", "a"]


def test_an_event_shows_its_evidence(api, project, event, path):
    made = [api.upload(path, "a.pdf", files.PDF).body, attach(api, event["id"], "b")]
    short = [{name: one[name] for name in ("id", "type", "url", "name")} for one in made]

    assert event["evidences"] == []
    assert api.get(f"/projects/{project['id']}/events/{event['id']}").body["evidences"] == short


def test_each_event_of_a_list_shows_its_own_evidence(api, project):
    events = [given.event(api, project, values={"mass": mass})["id"] for mass in (1, 2, 3)]
    attach(api, events[0], "first")
    attach(api, events[2], "third")
    attach(api, events[2], "also third")

    listed = {one["id"]: one["evidences"] for one in api.get(f"/projects/{project['id']}/events").data}

    assert [[one["name"] for one in listed[event]] for event in events] == [
        ["first"],
        [],
        ["third", "also third"],
    ]


@pytest.fixture
def works(api, drain):
    """A plant whose deliveries of January made a batch, with evidence of some of them."""
    works = plant(api, drain)
    for name, day in (("one", 3), ("two", 9)):
        attach(api, works.deliver(10, day), name)
    works.deliver(10, 12)
    attach(api, works.bill(10, 5), "of a bill that the model does not read")
    attach(api, works.deliver(10, "2025-02-03T00:00:00Z"), "of february")
    works.generate()
    return works


def test_a_batch_lists_the_evidence_of_every_event_that_it_was_made_of(api, works):
    [batch] = works.batches()

    assert names(api.get(f"/batches/{batch['id']}/evidences")) == ["one", "two"]
    assert names(api.get(f"/batches/{batch['id']}/evidences", {"page_size": "1", "page": "2"})) == ["two"]


def test_evidence_that_was_attached_after_the_batch_was_made_is_listed_too(api, works):
    [batch] = works.batches()
    attach(api, batch["input_data"][0]["event"]["id"], "late")

    assert names(api.get(f"/batches/{batch['id']}/evidences", {"sort": "-id"})) == ["late", "two", "one"]


def test_an_adjusting_batch_lists_the_evidence_of_all_that_its_run_is_made_of_now(api, works):
    [batch] = works.batches()
    [first, second, *_] = [row["event"]["id"] for row in batch["input_data"]]
    point = batch["input_data"][1]["data_point"]["id"]
    place = f"/projects/{works.project['id']}/data_points/{point}"
    api.patch(place, {"data_point": {"value": 11, "reason": "read again"}}).expect(200)
    attach(api, works.deliver(1, 20), "late delivery")
    works.generate()
    [before, adjusting] = works.batches()
    path = f"/ledgers/{works.ledger['id']}/batches/{before['id']}/update_inputs"
    api.patch(path, {"data_point_ids": [point]}).expect(200)
    works.drain()

    evidence = {one["id"]: names(api.get(f"/batches/{one['id']}/evidences")) for one in works.batches()}

    narrowed = works.batches()[-1]["id"]
    assert evidence[before["id"]] == ["one", "two"]
    assert evidence[adjusting["id"]] == ["one", "two", "late delivery"]
    assert evidence[narrowed] == ["two"]
    assert first != second


def test_a_batch_of_another_account_is_not_found(api, stranger, works):
    [batch] = works.batches()

    stranger.get(f"/batches/{batch['id']}/evidences").expect_not_found("batch", batch["id"])
    api.get("/batches/bat_000000000000000000000000/evidences").expect(404)
    api.get(f"/batches/{works.ledger['id']}/evidences").expect(404)


def test_the_evidence_of_a_batch_takes_production_accounting(account, works):
    [batch] = works.batches()

    account.caller("production_accounting:read").get(f"/batches/{batch['id']}/evidences").expect(200)
    error = account.caller("data_collection:write").get(f"/batches/{batch['id']}/evidences").expect(403).error

    assert error["message"] == "The token lacks the permission production_accounting:read."
