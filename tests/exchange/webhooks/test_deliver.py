"""What a receiver of a webhook is sent."""

import hmac
from base64 import b64decode, b64encode

from tests.given import collection as given


def test_a_receiver_is_told_of_an_event_that_was_stored(api, plant, hooks):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url)
    event = given.event(api, plant, values={"mass": 1})

    hooks.deliver()

    [came] = receiver.received
    sent = came.event
    delivery = api.get(f"/webhooks/{made['id']}/deliveries").data[0]
    assert sent == {
        "specversion": "1.0",
        "id": delivery["id"],
        "source": "https://plant.example",
        "type": "weighbridge.event.create",
        "time": sent["time"],
        "datacontenttype": "application/json",
        "subject": plant["id"],
        "sequence": sent["sequence"],
        "data": {
            "kind": "event",
            "action": "create",
            "project_id": plant["id"],
            "ids": [event["id"]],
            "cursor": delivery["cursor"],
        },
    }
    assert came.headers["content-type"] == "application/cloudevents+json; charset=utf-8"
    assert delivery["state"] == "delivered"
    assert delivery["attempts"][0]["status"] == 200


def test_what_is_sent_is_signed_by_the_secret_that_was_shown(api, plant, hooks):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url)
    given.event(api, plant, values={"mass": 1})

    hooks.deliver()

    [came] = receiver.received
    key = b64decode(made["secret"].removeprefix("whsec_"))
    signed = f"{came.headers['webhook-id']}.{came.headers['webhook-timestamp']}.".encode() + came.content
    expected = "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()
    assert came.headers["webhook-signature"] == expected
    assert came.headers["webhook-id"] == came.event["id"]
    assert abs(came.at - int(came.headers["webhook-timestamp"])) < 5


def test_changes_of_one_kind_that_wait_are_told_together_and_in_their_order(api, plant, hooks):
    receiver = hooks.receiver()
    hooks.make(receiver.url)
    events = [given.event(api, plant, values={"mass": mass})["id"] for mass in range(5)]
    api.delete(f"/projects/{plant['id']}/events/{events[0]}").expect(204)
    last = given.event(api, plant, values={"mass": 9})["id"]

    hooks.deliver()

    said = [(came.event["data"]["action"], came.ids) for came in receiver.received]
    assert said == [("create", events), ("void", events[:1]), ("create", [last])]
    order = [came.event["sequence"] for came in receiver.received]
    assert order == sorted(order)


def test_a_receiver_is_told_of_many_records_in_parts(api, plant, hooks):
    receiver = hooks.receiver()
    hooks.make(receiver.url)
    bodies = [given.event_body(values={"mass": mass}) for mass in range(2_500)]
    events = given.events(api, plant, bodies)

    hooks.deliver()

    assert [len(came.ids) for came in receiver.received] == [1_000, 1_000, 500]
    assert receiver.ids == [event["id"] for event in events]


def test_the_feed_goes_on_where_a_message_says(api, plant, hooks):
    receiver = hooks.receiver()
    hooks.make(receiver.url)
    given.event(api, plant, values={"mass": 1})
    hooks.deliver()
    later = given.event(api, plant, values={"mass": 1})["id"]

    cursor = receiver.received[0].event["data"]["cursor"]

    assert [one["id"] for one in api.get("/changes", {"after": cursor}).data] == [later]


def test_only_changes_that_were_asked_for_are_told(api, plant, hooks):
    other = given.measuring(api, given.number("mass"))
    of_project, of_voids, of_none = hooks.receiver(), hooks.receiver(), hooks.receiver()
    hooks.make(of_project.url, project_id=plant["id"])
    hooks.make(of_voids.url, change_types=["event.void", "batch"])
    hooks.make(of_none.url, change_types=["report"])
    here = given.event(api, plant, values={"mass": 1})["id"]
    there = given.event(api, other, values={"mass": 1})["id"]
    api.delete(f"/projects/{other['id']}/events/{there}").expect(204)

    hooks.deliver()

    assert of_project.ids == [here]
    assert [came.event["type"] for came in of_voids.received] == ["weighbridge.event.void"]
    assert of_none.received == []


def test_a_receiver_is_told_nothing_of_another_account(server, api, plant, hooks):
    stranger = server.account().caller()
    receiver = hooks.receiver()
    hooks.make(receiver.url, caller=stranger)
    given.event(api, plant, values={"mass": 1})

    hooks.deliver()

    assert receiver.received == []


def test_each_change_is_told_once_however_often_workers_look(api, plant, hooks):
    receiver = hooks.receiver()
    hooks.make(receiver.url)
    events = []
    for mass in range(3):
        events.append(given.event(api, plant, values={"mass": mass})["id"])
        hooks.deliver()
        hooks.deliver()

    assert receiver.ids == events


def test_a_transaction_that_takes_long_is_told_too(server, api, plant, hooks):
    receiver = hooks.receiver()
    hooks.make(receiver.url)
    early = given.event(api, plant, values={"mass": 1})["id"]
    with server.transaction() as late:
        late.execute("UPDATE events SET notes = 'late' WHERE project_id = %s", (plant["numeric_id"],))
        between = given.event(api, plant, values={"mass": 2})["id"]
        hooks.deliver()
        assert receiver.ids == [early, between]

    hooks.deliver()

    assert receiver.ids == [early, between, early]
