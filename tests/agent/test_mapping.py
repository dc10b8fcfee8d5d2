"""The mapping of the web app at the agent: which one it takes, which it refuses, and what it then reads."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from weighbridge.agent.configuration import MqttBroker, MqttTopic, OpcUaNode, OpcUaServer
from weighbridge.agent.configuration_reading import ConfigurationError
from weighbridge.agent.mapping import MappingInForce, read_mapping
from weighbridge.agent.readings import Tags, make_reading
from weighbridge.agent.spool import Handover, SpoolDatabase, StoredMapping, opened_spool

MOMENT = datetime(2026, 1, 5, tzinfo=UTC)


def node(name):
    return OpcUaNode(node=name, event_type="kiln", data_point="temperature", quality="quality")


def server(name="plc", *nodes, is_open=True):
    return OpcUaServer(
        type="opcua", name=name, url="opc.tcp://10.0.0.5:4840", nodes=[*nodes], nodes_from_service=is_open
    )


TOPIC = MqttTopic(event_type="scale", topic="scale/1", time="ts", data_points={"mass": "kg"})
BROKER = MqttBroker(type="mqtt", name="gateway", host="broker", topics=[TOPIC])


def variable(name="i=1", **fields):
    named = {"source": "plc", "event_type": "kiln", "data_point": "temperature", "quality": "quality"}
    return named | {"node": name} | fields


def sent(*variables, version=1, digest=None):
    return json.dumps(
        {"version": version, "digest": digest or f"d{version}", "variables": [*variables], "created_by": 7}
    ).encode()


def offer(version=1):
    return {"version": version, "digest": f"d{version}"}


def refusals(content):
    with pytest.raises(ConfigurationError) as raised:
        read_mapping(content)
    return [problem.message for problem in raised.value.problems]


class Taker:
    """An agent's side of mappings, whose spool is opened anew each time, as after a restart."""

    def __init__(self, folder, *sources):
        self._path, self.sources = folder / "spool.db", sources
        self.changes = []

    def take(self, content, offered):
        return self._run(lambda mapping: mapping.take(content, offered))

    def state(self):
        return self._run(None)

    def nodes(self):
        """The nodes of the first source."""
        found = []

        async def add(mapping):
            found.extend(one.node for one in mapping.add_nodes(self.sources[0]).nodes)

        self._run(add)
        return found

    def _run(self, step):
        async def run():
            async with opened_spool(self._path, 10) as spool:
                mapping = MappingInForce(self.sources, spool)
                await mapping.load()
                mapping.follow("plc", self.changes.append)
                if step is not None:
                    await step(mapping)
                return mapping.describe()

        return asyncio.run(run())


def test_a_mapping_in_force_is_on_the_disk_and_there_again_after_a_restart(tmp_path):
    taker = Taker(tmp_path, server("plc", node("i=9")), BROKER)

    state = taker.take(sent(variable(), variable("i=2")), offer())

    assert state == {
        "sources": ["plc"], "version": 1, "digest": "d1", "refused_version": None, "problems": [],
    }  # fmt: skip
    [changed] = taker.changes
    assert [one.node for one in changed.nodes] == ["i=9", "i=1", "i=2"]
    assert taker.state() == state
    assert taker.nodes() == ["i=9", "i=1", "i=2"]


def test_one_with_a_mistake_is_refused_as_a_whole_and_the_one_before_stays(tmp_path):
    taker = Taker(tmp_path, server(), server("safety", node("i=5"), is_open=False), BROKER)
    taker.take(sent(variable()), offer())

    wrong = [
        variable("i=2", source="safety"), variable("i=2", source="gateway"), variable("i=3"), variable("i=3"),
        variable("i=4", status="quality"),
    ]  # fmt: skip
    state = taker.take(sent(*wrong, version=2), offer(2))

    assert (state["version"], state["refused_version"]) == (1, 2)
    assert state["problems"] == [
        (
            "mapping.variables[0].source is 'safety', whose variables the file keeps to itself: "
            "nodes_from_service is false."
        ),
        (
            "mapping.variables[1].source is 'gateway', which is no OPC UA server of the file; it has plc "
            "and safety."
        ),
        "mapping.variables[3].node is 'i=3' of plc, which mapping.variables[2] has, too.",
        "mapping.variables[4].data_point and the other data points are not each another one.",
    ]
    assert len(taker.changes) == 1
    assert taker.nodes() == ["i=1"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"url": "opc.tcp://elsewhere:4840"}, "mapping.variables[0].url is nothing that is known here."),
        (
            {"password_file": "/etc/shadow"},
            "mapping.variables[0].password_file is nothing that is known here.",
        ),
        ({"sampling_ms": 0}, "mapping.variables[0].sampling_ms is nothing that is known here."),
        ({"node": "/etc/passwd"}, "mapping.variables[0].node is '/etc/passwd'; it takes the id of a node"),
        ({"event_type": ["kiln"]}, "mapping.variables[0].event_type is a list or a mapping"),
        ({"quality": None}, "mapping.variables[0].quality is missing."),
        ({"locations": "loc_1"}, "mapping.variables[0].locations is no list."),
    ],
)
def test_a_mapping_says_nothing_but_nodes_slugs_and_ids(more, said):
    [message] = refusals(sent(variable(**more)))

    assert message.startswith(said)


def test_what_a_mapping_leaves_out_or_says_as_null_is_as_in_the_file():
    read = read_mapping(sent(variable(asset_id=None, locations=[], tracking_id="K-1")))

    assert read.variables[0].as_node == OpcUaNode(
        node="i=1", event_type="kiln", data_point="temperature", quality="quality", tracking_id="K-1"
    )


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b'{"version": 1}', b'{"version": 1, "digest": "x"}']
)
def test_an_answer_without_a_mapping_is_no_mapping(content):
    [message] = refusals(content)

    assert message.startswith("The answer of the service has no mapping")


def test_a_mapping_has_at_most_a_thousand_variables():
    many = [variable(f"i={number}") for number in range(1_001)]

    assert refusals(sent(*many)) == ["mapping.variables has 1,001 items; it takes at most 1,000."]


def test_a_version_that_was_not_offered_is_not_taken(tmp_path):
    taker = Taker(tmp_path, server())

    state = taker.take(sent(variable(), version=2), offer(3))

    assert (state["version"], state["refused_version"]) == (None, 3)
    assert state["problems"] == ["mapping.version is 2, and the service offered 3."]


def test_what_the_file_has_or_forbids_by_now_is_left_out_and_the_rest_goes_on(tmp_path):
    taker = Taker(tmp_path, server(), server("drives"))
    taker.take(sent(variable(), variable("i=2"), variable("i=3", source="drives")), offer())

    taker.sources = (server("plc", node("i=2")), server("drives", node("i=7"), is_open=False))

    assert taker.nodes() == ["i=2", "i=1"]
    state = taker.state()
    assert state["version"] == 1
    assert state["problems"] == [
        "mapping.variables[1].node is 'i=2' of plc, which the agent's file has, too.",
        (
            "mapping.variables[2].source is 'drives', whose variables the file keeps to itself: "
            "nodes_from_service is false."
        ),
    ]


def test_the_same_version_with_other_variables_is_taken_as_another(tmp_path):
    async def lacks():
        async with opened_spool(tmp_path / "spool.db", 10) as spool:
            mapping = MappingInForce([server()], spool)
            found = [mapping.lacks(offer())]
            await mapping.take(sent(variable()), offer())
            found += [
                mapping.lacks(offer()),
                mapping.lacks({"version": 1, "digest": "of a restored service"}),
            ]
            await mapping.take(sent(variable("Kiln"), version=2), offer(2))
            return [*found, mapping.lacks(offer(2)), mapping.lacks(offer(3))]

    assert asyncio.run(lacks()) == [True, False, True, False, True]


def reading(values, minute=0, name="i=1"):
    at = MOMENT + timedelta(minutes=minute)
    return make_reading(f"plc/{name}@{at:%Y-%m-%dT%H:%M:%SZ}", Tags("kiln"), at, values)


def test_a_reading_that_was_kept_under_the_former_mapping_is_not_set_apart_when_it_is_read_again(tmp_path):
    with SpoolDatabase(tmp_path / "spool.db", 10_000_000) as spool:
        spool.keep(Handover([reading({"temperature": 1})]), MOMENT)
        spool.settle([one.id for one in spool.oldest(1)], {}, MOMENT)
        spool.keep(Handover([reading({"temperature": 2}, 1)]), MOMENT)

        spool.store_mapping(StoredMapping(b"{}", ["plc/i=1"]), MOMENT + timedelta(minutes=2))
        again = [reading({"level": 1}), reading({"level": 2}, 1), reading({"level": 3}, 2)]

        assert spool.keep(Handover(again), MOMENT) == 1
        assert [json.loads(one.event)["data_points"] for one in spool.oldest(9)] == [
            [{"slug": "temperature", "value": 2}], [{"slug": "level", "value": 3}],
        ]  # fmt: skip
        assert spool.waiting()[2] == 0
        spool.keep(Handover([reading({"level": 4}, 3), reading({"level": 5}, 3)]), MOMENT)
        assert spool.waiting()[2] == 1


def test_a_variable_with_a_name_too_long_for_a_reference_is_known_as_well(tmp_path):
    long = f"s={'x' * 300}"
    taker = Taker(tmp_path, server())
    taker.take(sent(variable(long)), offer())

    taker.take(sent(variable(long, data_point="level"), version=2), offer(2))

    with SpoolDatabase(tmp_path / "spool.db", 10_000_000) as spool:
        rows = spool._connection.execute("SELECT length(variable) FROM remapped ORDER BY 1").fetchall()
        assert rows == [(4 + 64,), (4 + 302,)]
