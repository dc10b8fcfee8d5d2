"""Readings of edge nodes by Sparkplug B, beside the client of Eclipse Tahu and the broker mosquitto."""

import json
import zlib
from datetime import UTC, datetime
from decimal import Decimal

import paho.mqtt.client as mqtt
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from tests.agent.programs import EdgeNode, is_installed
from tests.durability.processes import until

from weighbridge.agent.configuration import SparkplugMetric
from weighbridge.agent.sparkplug import SparkplugHost, TakenReadings
from weighbridge.agent.sparkplug_payload import _Payload, read_payload, write_rebirth

START = 1_767_571_200_000
"""2026-01-05T00:00:00Z."""


@pytest.fixture
def node(broker, tmp_path):
    if not is_installed("sparkplug-client"):
        pytest.skip("sparkplug-client of npm is not installed; make packages does so")
    node = EdgeNode(tmp_path, broker)
    node.start()
    yield node
    node.close()


def metric(name, kind, value, minute=0, **more):
    return {"name": name, "type": kind, "value": value, "timestamp": START + 60_000 * minute} | more


def configuration(site, broker, **more):
    entries = [
        {"metric": "Kiln/Temperature", "device_id": "Kiln"},
        {"metric": "Meter"},
    ]
    common = {
        "group_id": "Plant", "edge_node_id": "Line 1", "event_type": "kiln", "data_point": "temperature",
        "quality": "quality", "status": "status",
    }  # fmt: skip
    source = {
        "type": "sparkplug", "name": "scada", "host": "127.0.0.1", "port": broker.port, "tls": False,
        "metrics": [common | entry for entry in entries],
    }  # fmt: skip
    return site.configuration(source | more)


def births(minute=0, value=21.1):
    return [
        ["publishNodeBirth", {
            "timestamp": START, "metrics": [metric("Meter", "Int64", -5, minute, alias=1)],
        }],
        ["publishDeviceBirth", "Kiln", {
            "timestamp": START, "metrics": [metric("Kiln/Temperature", "Float", value, minute, alias=2)],
        }],
    ]  # fmt: skip


def kiln(value, minute, **more):
    data = {"timestamp": START, "metrics": [metric("Kiln/Temperature", "Float", value, minute, **more)]}
    return "publishDeviceData", "Kiln", data


def test_births_data_and_deaths_of_a_foreign_node_are_readings(site, broker, node, agent):
    running = agent(configuration(site, broker))
    node.tell("births", *births())
    running.start()
    until(lambda: len(site.events("kiln")) == 2, what="the births are there, for which the agent asked")

    node.tell(*kiln(21.25, 1))
    node.tell(*kiln(0.1, 2, isHistorical=True))
    node.tell(*kiln(7, 3, properties={"Quality": {"type": "Int32", "value": 500}}))
    node.tell("publishNodeData", {"timestamp": START, "metrics": [metric("Meter", "Int64", 2**53 - 1, 4)]})
    node.tell("publishDeviceDeath", "Kiln", {"timestamp": START})

    until(lambda: len(site.events("kiln")) == 7, what="all is there")
    told = site.told("kiln", "temperature", "quality", "status")
    assert told[:6] == [
        ("2026-01-05T00:00:00.000Z", *row) if minute == 0 else (f"2026-01-05T00:0{minute}:00.000Z", *row)
        for minute, row in (
            (0, told[0][1:]), (0, told[1][1:]), (1, (Decimal("21.25"), "good", "Good")),
            (2, (Decimal("0.1"), "good", "Good")), (3, (None, "bad", "Stale 500")),
            (4, (2**53 - 1, "good", "Good")),
        )
    ]  # fmt: skip
    assert {told[0][1:], told[1][1:]} == {(Decimal("21.1"), "good", "Good"), (-5, "good", "Good")}
    assert told[6][1:] == (None, "bad", "Death")
    references = {event["client_reference"] for event in site.events("kiln")}
    assert "scada/Plant/Line 1/Kiln/Kiln/Temperature@2026-01-05T00:01:00Z" in references


def test_a_node_whose_numbers_have_a_gap_is_asked_for_its_births(site, broker, node, agent):
    running = agent(configuration(site, broker))
    node.tell("births", *births())
    running.start()
    until(lambda: len(site.events("kiln")) == 2, what="the births are there")
    asked = node.asked()
    node.births = births(minute=5, value=22)
    node.tell("births", *births(minute=5, value=22))
    until(lambda: len(site.events("kiln")) == 4, what="the next births are there")

    node.tell("skip")
    node.tell(*kiln(23, 6))

    until(lambda: node.asked() > asked, what="the node is asked")
    until(lambda: len(site.events("kiln")) == 5, what="what came with the gap is there too")


def test_a_node_that_is_killed_is_bad_by_its_will_until_its_next_birth(site, broker, node, agent):
    running = agent(configuration(site, broker))
    node.tell("births", *births())
    running.start()
    until(lambda: len(site.events("kiln")) == 2, what="the births are there")

    node.kill()
    until(lambda: len(site.events("kiln")) == 4, what="its metrics are bad")
    assert {row[1:] for row in site.told("kiln", "temperature", "quality", "status")[2:]} == {
        (None, "bad", "Death")
    }
    until(lambda: running.spooled().facts["source/scada"]["problems"], what="the status says so")
    node.start()
    node.tell("births", *births(minute=9))

    until(lambda: len(site.events("kiln")) == 6, what="the births are there")


def test_the_host_says_that_it_is_there_and_the_broker_says_when_it_is_gone(site, broker, agent):
    running = agent(configuration(site, broker, host_id="plant-host"))
    seen = []
    client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="looker")
    client.on_message = lambda _client, _data, message: seen.append(json.loads(message.payload))
    client.connect("127.0.0.1", broker.port)
    client.subscribe("spBv1.0/STATE/plant-host", 1)
    client.loop_start()
    try:
        running.start()
        until(lambda: seen and seen[-1]["online"], what="the host is there")
        running.kill()
        until(lambda: not seen[-1]["online"], what="the broker says that it is gone")
        assert seen[-1]["timestamp"] == seen[-2]["timestamp"]
        running.start()
        until(lambda: seen[-1]["online"], what="the host is there again")
        running.stop()
        until(lambda: not seen[-1]["online"], what="the host says that it goes")
    finally:
        client.disconnect()
        client.loop_stop()
        for end in (client._sockpairR, client._sockpairW):
            if end is not None:
                end.close()


# The state of nodes by itself, with messages that are made here.


ENTRY = {"group_id": "G", "edge_node_id": "N", "event_type": "kiln", "data_point": "t", "quality": "q"}
MOMENT = datetime(2026, 1, 5, tzinfo=UTC)


def message(number, *metrics, **more):
    payload = _Payload(seq=number, **more)
    for one in metrics:
        payload.metrics.add(**one)
    return payload.SerializeToString()


def taken(host, *messages):
    taken = TakenReadings()
    for topic, content in messages:
        host.take(f"spBv1.0/G/{topic}", content, MOMENT, taken)
    return taken


def values(taken):
    return [
        {point["slug"]: point["value"] for point in json.loads(reading.event)["data_points"]}
        for reading in taken.readings
    ]


TYPED = [
    (1, {"int_value": 2**32 - 2}, -2),
    (2, {"int_value": 2**16 - 300}, -300),
    (3, {"int_value": 2**32 - 70_000}, -70_000),
    (4, {"long_value": 2**64 - 2**53 - 1}, -(2**53) - 1),
    (8, {"long_value": 2**64 - 1}, 2**64 - 1),
    (9, {"float_value": 21.1}, 21.1),
    (10, {"double_value": 0.1}, 0.1),
    (11, {"boolean_value": True}, True),
    (12, {"string_value": "wood"}, "wood"),
    (13, {"long_value": START}, "2026-01-05T00:00:00Z"),
]


@pytest.mark.parametrize(("datatype", "held", "meant"), TYPED)
def test_values_of_each_type_are_exact_by_an_alias_too(datatype, held, meant):
    host = SparkplugHost("s", [SparkplugMetric(**ENTRY, metric="M")])
    birth = {"name": "M", "alias": 3, "timestamp": START, "datatype": datatype} | held
    data = {"alias": 3, "timestamp": START + 1} | held

    result = taken(host, ("NBIRTH/N", message(0, birth)), ("NDATA/N", message(1, data)))

    assert values(result) == [{"t": meant, "q": "good"}] * 2
    assert result.unborn == []


def test_data_before_a_birth_ask_for_it_once_and_a_death_of_another_birth_says_nothing():
    host = SparkplugHost("s", [SparkplugMetric(**ENTRY, metric="M")])
    value = {"alias": 3, "timestamp": START, "datatype": 3, "int_value": 1}
    number = {"name": "bdSeq", "datatype": 8, "long_value": 4}
    earlier = {"name": "bdSeq", "datatype": 8, "long_value": 3}

    before = taken(host, ("NDATA/N", message(7, value)), ("NDATA/N", message(8, value)))
    assert (before.unborn, before.readings, host.lost) == ([("G", "N")], [], 2)
    born = taken(host, ("NBIRTH/N", message(0, value | {"name": "M"}, number)))
    assert len(born.readings) == 1
    assert taken(host, ("NDEATH/N", _dead(earlier))).readings == []
    assert values(taken(host, ("NDEATH/N", _dead(number)))) == [{"q": "bad"}]


def _dead(number):
    payload = _Payload(timestamp=START)
    payload.metrics.add(**number)
    return payload.SerializeToString()


def test_numbers_go_from_255_to_0_and_what_cannot_be_read_is_set_apart():
    host = SparkplugHost("s", [SparkplugMetric(**ENTRY, metric="M")])
    value = {"name": "M", "timestamp": START, "datatype": 3, "int_value": 1}
    host.take("spBv1.0/G/NBIRTH/N", message(0, value), MOMENT, TakenReadings())

    for number in (*range(1, 256), 0, 1):
        result = taken(host, ("NDATA/N", message(number, value)))
        assert result.unborn == []
    assert taken(host, ("NDATA/N", message(9, value))).unborn == [("G", "N")]

    bad = taken(host, ("NDATA/N", b"\xff\xff"), ("NDATA/N", message(10, value | {"datatype": 16})))
    assert [one.reason for one in bad.refused] == [
        "The message is no payload of Sparkplug B.",
        "The metric G/N/M has the type 16 of Sparkplug B; a reading is one number, text or truth.",
    ]


def test_the_command_that_asks_for_births_is_that_of_the_specification():
    payload = read_payload(write_rebirth(MOMENT))

    [metric] = payload.metrics
    assert (metric.name, metric.datatype, metric.boolean_value) == ("Node Control/Rebirth", 11, True)
    assert metric.timestamp == START


def test_a_payload_that_is_compressed_again_and_again_is_expanded_once():
    content = _Payload(seq=0).SerializeToString()
    for _ in range(2_000):
        content = _Payload(uuid="SPBV1.0_COMPRESSED", body=zlib.compress(content)).SerializeToString()

    assert [*read_payload(content).metrics] == []
