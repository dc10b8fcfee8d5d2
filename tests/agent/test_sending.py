"""On the way to the service: what an answer means, how long to wait, and that nothing holds up the rest."""

import json
from datetime import UTC, datetime

import pytest
from tests.agent.programs import Device
from tests.durability.processes import until
from tests.given import collection as given

from weighbridge.agent.sending import Next, meaning_of, pause_seconds, retry_after_seconds

MOMENT = datetime(2026, 1, 5, tzinfo=UTC)


def body(*problems):
    return json.dumps({"errors": [{"message": m, "field": f, "code": c} for m, f, c in problems]}).encode()


def test_readings_that_are_stored_or_were_already_are_there():
    assert [*meaning_of(201, b"{}", 3).there] == [0, 1, 2]
    taken = ("is taken", "events[1].client_reference", "taken")

    meaning = meaning_of(422, body(taken), 3)

    assert (meaning.next, [*meaning.there], meaning.refused) == (Next.GO_ON, [1], {})


def test_a_reading_that_is_there_with_another_value_is_refused_and_not_taken_for_stored():
    answer = body(
        ("is taken", "events[0].client_reference", "taken"),
        ("is 3, and 2 there.", "events[0].data_points[0].value", "differs"),
        ("is taken", "events[1].client_reference", "taken"),
    )

    meaning = meaning_of(422, answer, 2)

    assert (meaning.next, [*meaning.there], meaning.refused) == (Next.GO_ON, [1], {0: "is 3, and 2 there."})


def test_a_reading_that_is_wrong_is_refused_with_all_that_is_said_of_it_and_the_rest_goes_on():
    wrong = [
        ("a is wrong.", "events[0].data_points[0].value", "invalid"),
        ("b is unknown.", "events[0].asset_id", "unknown"),
        ("is taken", "events[2].client_reference", "taken"),
        ("More is wrong.", None, "more"),
    ]

    meaning = meaning_of(422, body(*wrong), 4)

    assert meaning.next is Next.GO_ON
    assert [*meaning.there] == [2]
    assert meaning.refused == {0: "a is wrong. b is unknown."}


@pytest.mark.parametrize("status", [301, 401, 403, 404, 408, 409, 425, 429, 500, 502, 503, 504])
def test_what_is_not_said_of_the_readings_makes_them_wait(status):
    assert meaning_of(status, body(("no", None, None)), 3).next is Next.WAIT


def test_a_refusal_that_names_none_is_looked_for_in_halves_down_to_one():
    assert meaning_of(413, b"", 8).next is Next.HALVE
    assert meaning_of(422, body(("Something is wrong.", "events", "invalid")), 8).next is Next.HALVE
    assert meaning_of(422, body(("Something is wrong.", "events", "invalid")), 1).refused == {
        0: "Something is wrong."
    }


def test_an_answer_that_is_none_of_the_services_refuses_no_reading():
    assert meaning_of(422, b"<html>proxy</html>", 1).next is Next.WAIT
    assert meaning_of(400, b"\xff", 1).next is Next.WAIT


def test_pauses_grow_to_their_longest_and_are_never_shorter_than_asked_for():
    half, whole = (lambda: 0.0), (lambda: 1.0)

    assert [pause_seconds(n, 60, None, whole) for n in (1, 2, 3, 8, 99)] == [0.5, 1, 2, 60, 60]
    assert [pause_seconds(n, 60, None, half) for n in (1, 2, 99)] == [0.25, 0.5, 30]
    assert pause_seconds(1, 60, 120, half) == 120


def test_retry_after_is_read_as_seconds_or_as_a_date():
    assert retry_after_seconds("7", MOMENT) == 7
    assert retry_after_seconds("Mon, 05 Jan 2026 00:00:30 GMT", MOMENT) == 30
    assert retry_after_seconds("Sun, 04 Jan 2026 00:00:30 GMT", MOMENT) == 0
    assert retry_after_seconds("soon", MOMENT) is None
    assert retry_after_seconds(None, MOMENT) is None


def test_what_the_service_refuses_is_set_apart_and_sent_again_once_it_is_mended(site, broker, agent):
    known = {"topic": "scale/+", "event_type": "scale", "time": "ts", "data_points": {"mass": "kg"}}
    running = agent(
        site.configuration(site.mqtt(broker, known, known | {"topic": "tank", "event_type": "tank"}))
    )
    running.start()
    until(lambda: "source/gateway" in running.spooled().facts, what="the agent has subscribed")
    device = Device(broker)
    for minute in range(5):
        device.publish("scale/1", f'{{"ts": "2026-01-05T00:0{minute}:00Z", "kg": {minute}}}')
        device.publish("tank", f'{{"ts": "2026-01-05T00:0{minute}:00Z", "kg": {minute}}}')
    until(lambda: len(site.events("scale")) == 5, what="what is right is there")
    until(lambda: running.spooled().refused == 5, what="what is wrong is set apart")
    device.close()
    running.stop()
    said = running.call("status")
    assert "5 readings are set apart." in said
    assert "is 'tank', which is no event type of the project." in said

    given.event_type(site.api, site.project, slug="tank", data_point_types=[given.number("mass", unit="kg")])
    assert running.call("retry") == "5 readings wait again.\n"
    running.start()

    until(lambda: len(site.events("tank")) == 5, what="what was mended is there")


def test_a_token_that_is_refused_loses_nothing(site, broker, agent):
    running = agent(site.configuration(site.mqtt(broker)))
    running.token, right = "wb_live_of_nobody", running.token
    running.start()
    until(lambda: "source/gateway" in running.spooled().facts, what="the agent has subscribed")
    device = Device(broker)
    device.publish("scale/1", '{"ts": "2026-01-05T00:00:00Z", "kg": 1}')
    device.close()
    fact = until(lambda: running.spooled().facts.get("service"), what="the agent was refused")
    assert fact["state"] == "waiting"
    assert "answers 401" in fact["error"]
    assert "wb_live" not in running.log.read_text()
    running.kill()

    running.token = right
    running.start()

    until(lambda: site.events("scale"), what="the reading is there")
