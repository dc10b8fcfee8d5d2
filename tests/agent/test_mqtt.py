"""Readings of an MQTT broker: each once, in the device's own time, whether somebody listened or not."""

from decimal import Decimal

from tests.agent.programs import Device
from tests.durability.processes import until

QUALITY = {
    "quality": "quality",
    "quality_from": "q",
    "quality_words": {"ok": "good", "manual": "substituted"},
}


def is_connected(running):
    return running.spooled().facts.get("source/gateway", {}).get("state") == "reading"


def scale(**more):
    return {
        "topic": "scale/+", "event_type": "scale", "time": "ts", "data_points": {"mass": "kg"},
    } | more  # fmt: skip


def test_messages_become_events_once_also_those_that_came_while_the_agent_was_away(site, broker, agent):
    running = agent(site.configuration(site.mqtt(broker, scale(**QUALITY))))
    running.start()
    until(lambda: is_connected(running), what="the agent has subscribed")
    device = Device(broker)
    device.publish("scale/1", '{"ts": "2026-01-05T00:00:00Z", "kg": 12.50, "q": "ok"}')
    until(lambda: site.events("scale"), what="the first is there")
    running.kill()
    for message in (
        '{"ts": "2026-01-05T00:01:00+01:00", "kg": 13, "q": "manual"}',
        '{"ts": "2026-01-05T00:00:00Z", "kg": 12.50, "q": "ok"}',
        '{"ts": "2026-01-05T00:02:00.250Z", "q": "sensor broken"}',
    ):
        device.publish("scale/1", message)

    running.start()

    until(lambda: len(site.events("scale")) == 3, what="what came meanwhile is there")
    assert site.told("scale", "mass", "quality") == [
        ("2026-01-04T23:01:00.000Z", 13, "substituted"),
        ("2026-01-05T00:00:00.000Z", Decimal("12.50"), "good"),
        ("2026-01-05T00:02:00.250Z", None, "bad"),
    ]
    assert site.events("scale")[1]["client_reference"] == "gateway/scale/1@2026-01-05T00:00:00Z"
    device.close()


def test_a_broker_that_has_lost_the_session_is_told_of(site, broker, agent):
    running = agent(site.configuration(site.mqtt(broker)))
    running.start()
    until(lambda: is_connected(running), what="the agent has subscribed")
    assert "session lost/gateway" not in running.spooled().facts

    broker.kill()
    broker.forget()
    broker.start()

    fact = until(lambda: running.spooled().facts.get("session lost/gateway"), what="it is told")
    assert fact["error"] == (
        "the broker had not kept the session; what came while the agent was away may be missing."
    )


def test_what_is_no_reading_is_set_apart_and_holds_up_nothing(site, broker, agent):
    running = agent(site.configuration(site.mqtt(broker)))
    running.start()
    until(lambda: is_connected(running), what="the agent has subscribed")
    device = Device(broker)

    for message in ("no json", '{"kg": 1}', '{"ts": "2026-01-05T00:00:00", "kg": 1}', b"\xff\xfe"):
        device.publish("scale/1", message)
    device.publish("scale/1", '{"ts": "2026-01-05T00:00:00Z", "kg": 1}')

    until(lambda: site.events("scale"), what="the one reading is there")
    assert [one.reason.partition(":")[0] for one in reversed(running.spooled().refused_newest)] == [
        "The message is no JSON",
        "What the message has at ts, 'None', is no time in ISO 8601.",
        "What the message has at ts, '2026-01-05T00",
        "The message is no JSON",
    ]
    device.close()


def test_plain_messages_without_a_time_have_that_of_their_arrival_and_old_ones_are_not_told_again(
    site, broker, agent
):
    plain = {
        "topic": "tank/level", "event_type": "scale", "payload": "plain", "time": "arrival",
        "data_point": "mass",
    }  # fmt: skip
    device = Device(broker)
    device.publish("tank/level", "1.5", retain=True)
    running = agent(site.configuration(site.mqtt(broker, plain)))
    running.start()
    until(lambda: is_connected(running), what="the agent has subscribed")
    device.publish("tank/level", "2.50")
    device.publish("tank/level", "2.50")

    until(lambda: len(site.events("scale")) == 2, what="both are there")

    assert [row[1] for row in site.told("scale", "mass")] == [Decimal("2.50"), Decimal("2.50")]
    device.close()


def test_one_message_may_hold_readings_of_many_sensors(site, broker, agent):
    entry = scale(
        topic="scales", each="readings", key="id", data_points={"mass": "v[0]"}, time_form="milliseconds"
    )
    running = agent(site.configuration(site.mqtt(broker, entry)))
    running.start()
    until(lambda: is_connected(running), what="the agent has subscribed")
    device = Device(broker)

    device.publish(
        "scales",
        '{"readings": [{"id": "a", "ts": 1767571200000, "v": [1]},'
        ' {"id": "b", "ts": 1767571200000, "v": [2]}]}',
    )

    until(lambda: len(site.events("scale")) == 2, what="both are there")
    assert sorted(site.told("scale", "mass")) == [
        ("2026-01-05T00:00:00.000Z", 1), ("2026-01-05T00:00:00.000Z", 2),
    ]  # fmt: skip
    assert {one["client_reference"] for one in site.events("scale")} == {
        "gateway/scales/a@2026-01-05T00:00:00Z", "gateway/scales/b@2026-01-05T00:00:00Z",
    }  # fmt: skip
    device.close()


def test_a_full_spool_takes_nothing_more_and_the_broker_keeps_what_comes_until_there_is_room(
    site, broker, agent
):
    entry = scale(topic="scales", each="readings", key="id", data_points={"mass": "kg"})
    small = {"spool": {"path": str(site.folder / "spool.db"), "megabytes_max": 1}}
    away = site.service() | {"url": "http://127.0.0.1:9"}
    running = agent(site.configuration(site.mqtt(broker, entry), service=away, **small))
    running.start()
    until(lambda: is_connected(running), what="the agent has subscribed")
    device = Device(broker)
    for minute in range(12):
        items = [
            {"id": number, "ts": f"2026-01-05T00:{minute:02}:00Z", "kg": number} for number in range(500)
        ]
        assert device.publish("scales", {"readings": items})
    device.close()

    fact = until(lambda: is_full(running), what="the spool is full")
    assert fact["state"] == "waiting"
    assert 500 <= running.spooled().waiting < 6_000
    running.stop()
    running.configure(site.configuration(site.mqtt(broker, entry), **small))
    running.start()

    until(lambda: stored(site) == 6_000, what="all of it is there")
    assert running.spooled().refused == 0


def is_full(running):
    fact = running.spooled().facts.get("source/gateway", {})
    return fact if fact.get("error") == "the spool has its size" else None


def stored(site):
    query = {"filter[slug]": "scale", "page_size": "1"}
    return site.api.get(f"/projects/{site.project['id']}/events", query).expect(200).info["total_items"]
