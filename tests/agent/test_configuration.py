"""The file of an agent: what is wrong is told with its place, all of it at once."""

import subprocess
import sys
from decimal import Decimal

import pytest
import yaml

from weighbridge.agent.configuration_reading import ConfigurationError, read_configuration

GOOD = """\
agent: plant-1
service:
  url: https://weighbridge.example
  project: 17
spool:
  path: /var/lib/weighbridge-agent/spool.db
sources:
  - type: opcua
    name: plc
    url: opc.tcp://10.0.0.5:4840
    nodes:
      - {node: ns=2;s=Kiln, event_type: kiln, data_point: temperature, quality: quality}
  - type: mqtt
    name: gateway
    host: broker.example
    username: agent
    password_variable: BROKER_PASSWORD
    topics:
      - {topic: scale/+, event_type: scale, time: ts, data_points: {mass: kg}}
      - {topic: tank, event_type: tank, payload: plain, time: arrival, data_point: level}
  - type: modbus
    name: drives
    host: 10.0.0.7
    registers:
      - {address: 3, value_type: int16, scale: 0.1, no_value: [-9], event_type: a, data_point: t, quality: q}
      - {table: coil, address: 4, event_type: run, data_point: on, quality: q}
"""


@pytest.fixture
def told(tmp_path):
    """What is wrong with a text."""

    def tell(text):
        path = tmp_path / "agent.yaml"
        path.write_text(text)
        with pytest.raises(ConfigurationError) as refused:
            read_configuration(path)
        return [problem.message for problem in refused.value.problems]

    return tell


def test_a_good_file_says_what_it_says_and_no_more(tmp_path):
    path = tmp_path / "agent.yaml"
    path.write_text(GOOD)

    configuration = read_configuration(path)

    assert configuration.service.project == "17"
    assert configuration.spool.megabytes_max == 1_024
    server, broker, device = configuration.sources
    assert [value.name for value in device.registers] == ["holding/3", "coil/4"]
    assert device.registers[0].scale == Decimal("0.1")
    assert server.history
    assert broker.tls
    assert broker.port == 8_883


IN_CLEAR = "is in clear text. Name a"
MISTAKES = [
    ("  project: 17\n", "", "Line 3: service.project is missing."),
    ("spool:", "spol:", "Line 6: spol is nothing that is known here (did you mean spool?)."),
    ("name: plc\n", "name: a b\n", "Line 9: sources[0].name is 'a b'; it takes a name of letters"),
    ("opc.tcp://10.0.0.5:4840", "http://x", "Line 10: sources[0].url is 'http://x'; it takes the address"),
    ("type: mqtt", "type: bus", "Line 13: sources[1].type is 'bus'; it takes opcua or mqtt or modbus or"),
    (
        "ns=2;s=Kiln",
        "Kiln",
        "Line 12: sources[0].nodes[0].node is 'Kiln'; it takes the id of a node, such as",
    ),
    ("ns=2;s=Kiln", "nsu=;s=Kiln", "nodes[0].node is 'nsu=;s=Kiln'; it takes the id of a node, such as"),
    ("tank, event_type", "tank, scale: 1, event_type", "topics[1].scale is nothing that is known here"),
    (
        "address: 3",
        "address: -3",
        "Line 25: sources[2].registers[0].address is '-3'; it takes a whole number",
    ),
    ("value_type: int16, ", "", "Line 25: sources[2].registers[0].value_type is missing; registers hold"),
    (
        "scale: 0.1",
        "scale: 1e3",
        "sources[2].registers[0].scale is '1e3'; it takes a decimal number, such as",
    ),
    ("table: coil", "table: coil, value_type: int16", "value_type is for registers; a coil is a truth."),
    (
        "{table: coil",
        "{table: coil, address: 4, event_type: run, data_point: on, quality: q}\n      - {table: coil",
        "Line 27: sources[2].registers[2].address is coil/4 a second time.",
    ),
    ("scale/+", "a/#/b", "Line 19: sources[1].topics[0].topic is 'a/#/b'; it takes a topic, or a filter"),
    ("{mass: kg}", "kg", "Line 19: sources[1].topics[0].data_points is no mapping; it takes names"),
    ("host: broker.example", "host: x\n    port: 0", "Line 16: sources[1].port is '0'; it takes a whole"),
    ("agent: plant-1", "agent: &a plant-1", "Line 1: anchors (&name) and aliases (*name) are not read"),
    ("agent: plant-1", "agent: x\nagent: y", "Line 2: the key 'agent' occurs twice in one mapping."),
    ("agent: plant-1", "agent: [", "the file is no YAML"),
    ("time: arrival", "time: ts", "Line 20: sources[1].topics[1].time is 'ts'; a plain message has no time"),
    (
        "https://",
        "http://",
        "Line 3: service.url is 'http://weighbridge.example', which would show the token",
    ),
    ("name: gateway", "name: plc", "Line 14: sources[1].name is 'plc', which is the name of another part"),
    ("password_variable: BROKER_PASSWORD", "password: x", f"Line 17: sources[1].password {IN_CLEAR}"),
    ("project: 17", "project: 17\n  token: wb", f"Line 5: service.token {IN_CLEAR}"),
]


@pytest.mark.parametrize(("right", "wrong", "said"), MISTAKES)
def test_a_mistake_is_told_with_its_place(told, right, wrong, said):
    assert right in GOOD

    assert any(said in message for message in told(GOOD.replace(right, wrong, 1)))


def test_all_mistakes_are_told_at_once(told):
    messages = told(
        GOOD.replace("agent: plant-1", "agent: ''").replace("host: b", "hots: b").replace("kiln,", "K!,")
    )

    assert [message.partition(" ")[2].split()[1] for message in messages] == [
        "agent", "sources[0].nodes[0].event_type", "sources[1].hots", "sources[1].host",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "17", "[]", "{}", "a: b: c", "- x", "agent: {}\nsources: 3\n"])
def test_what_is_no_file_of_an_agent_is_refused(told, text):
    assert told(text)


def test_the_example_of_the_howto_is_a_good_file(tmp_path):
    from tests.architecture.source import ROOT  # noqa: PLC0415 - of this test alone

    text = (ROOT / "docs/howto/run-an-agent.md").read_text()
    blocks = [part.partition("```")[0] for part in text.split("```yaml\n")[1:]]
    path = tmp_path / "agent.yaml"
    path.write_text(blocks[0])

    configuration = read_configuration(path)

    assert len(configuration.sources) == 2
    assert all(yaml.safe_load(block) for block in blocks)


def test_without_the_packages_of_the_extra_the_agent_says_in_a_sentence_what_to_install(tmp_path):
    path = tmp_path / "agent.yaml"
    path.write_text(GOOD.replace("/var/lib/weighbridge-agent", str(tmp_path)))
    bare = "import sys; sys.modules['asyncua'] = sys.modules['paho'] = None"
    words = f"sys.argv = ['weighbridge', 'agent', 'run', {str(path)!r}]"

    said = subprocess.run(
        [sys.executable, "-c", f"{bare}; {words}; from weighbridge.cli import main; main()"],
        capture_output=True,
        text=True,
        check=False,
        env={"WEIGHBRIDGE_TOKEN": "wb", "PYTHONPATH": ":".join(sys.path)},
    )

    assert said.returncode == 1
    assert said.stderr == (
        "The package asyncua, with which the agent reads, is not installed: "
        "pip install 'weighbridge[agent]'\n"
    )
