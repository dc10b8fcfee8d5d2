"""The one YAML file of an agent as types; each field says what it means and which values it takes.

Secrets and certificates are read from where they are kept; they appear in no message and in no log.
"""

import os
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from weighbridge.agent.readings import Quality, Tags
from weighbridge.core.collection.node_id import NODE_ID_FORM, is_node_id
from weighbridge.errors import Refusal

# Certificates and keys of the file, by what is in them: PEM and DER, whatever their files are called.
#
# Invariant: what cannot be read is a refusal that names the setting and the file.


PEM_MARK: Final = b"-----BEGIN "


def is_pem(content: bytes) -> bool:
    """Whether certificates or a key are written in PEM; otherwise they are in DER."""
    return PEM_MARK in content


def content_of(path: Path, setting: str) -> bytes:
    """What a file holds. Raises Refusal."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, setting, error.strerror or error) from None


def unreadable(path: Path, setting: str, why: object) -> Refusal:
    """The refusal of a file that cannot be used."""
    return Refusal(f"The file {path} of {setting} cannot be used: {why}.")


def create_tls_context(path: Path | None, setting: str) -> ssl.SSLContext:
    """What verifies a certificate: the authorities of a file, or those of the machine. Raises Refusal."""
    if path is None:
        return ssl.create_default_context()
    content = content_of(path, setting)
    try:
        if is_pem(content):
            return ssl.create_default_context(cafile=path)
        return ssl.create_default_context(cadata=content)
    except (OSError, ssl.SSLError, ValueError) as error:
        raise unreadable(path, setting, f"it holds no certificates in PEM or DER ({error})") from None


# Topics and the filters that they fit, as MQTT 3.1.1 defines them in 4.7.


def fits(topic: str, pattern: str) -> bool:
    """Whether a topic is among those of a filter: + is any one level, # any number of levels at the end."""
    levels, pattern_levels = topic.split("/"), pattern.split("/")
    if topic.startswith("$") and pattern_levels[0] in {"+", "#"}:
        return False
    for index, level in enumerate(pattern_levels):
        if level == "#":
            return True
        if index >= len(levels) or level not in {"+", levels[index]}:
            return False
    return len(levels) == len(pattern_levels)


def said_of_filter(pattern: str) -> str | None:
    """Why a text is no filter; None where it is one."""
    levels = pattern.split("/")
    if "#" in pattern and (levels[-1] != "#" or "#" in "/".join(levels[:-1])):
        return "has # elsewhere than as its last level"
    if any("+" in level and level != "+" for level in levels):
        return "has + with other characters in a level"
    return None


# The form of a value of the file, in addition to its type: a range, a list of words, a form of text.


@dataclass(frozen=True, slots=True)
class WholeRange:
    """The least and the greatest whole number."""

    least: int
    greatest: int


@dataclass(frozen=True, slots=True)
class TextRule:
    """What a text has to be like, and how that is said."""

    accepts: Callable[[str], object]
    description: str


def _is_address(text: str, schemes: frozenset[str]) -> bool:
    address = urlsplit(text)
    try:
        return address.scheme in schemes and bool(address.hostname) and address.port != 0
    except ValueError:
        return False


NAME = TextRule(
    lambda text: text.isascii() and text.replace("-", "").replace("_", "").isalnum() and len(text) <= 40,
    "a name of letters, digits, - and _, up to 40 characters",
)
WEB_ADDRESS = TextRule(
    lambda text: _is_address(text, frozenset({"http", "https"})),
    "the address of the service, such as https://weighbridge.example",
)
OPC_UA_ADDRESS = TextRule(
    lambda text: _is_address(text, frozenset({"opc.tcp"})),
    "the address of an OPC UA server, such as opc.tcp://10.0.0.5:4840",
)
NODE_ID = TextRule(is_node_id, NODE_ID_FORM)
SLUG = TextRule(
    lambda text: text.replace("-", "").replace("_", "").isalnum() and text == text.lower(),
    "a slug, such as wet-mass",
)
DECIMAL = TextRule(
    re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?").fullmatch,
    "a decimal number, such as 0.1",
)
FILLED = TextRule(lambda text: text.strip() == text != "", "a text without blanks around it")


# The file of an agent as types; each field says what it means and which values it takes.
#
# The reader, the refusals and the reference page derive from these types, as settings do from theirs.


PORT_MAX = 65_535

TOPIC_FILTER = TextRule(
    lambda text: text and said_of_filter(text) is None,
    "a topic, or a filter with + for one level and # at the end for any",
)

LEVEL = TextRule(
    lambda text: text.strip() == text != "" and not {*"+/#"} & {*text},
    "a level of a topic, without /, + and #",
)

Password = Annotated[
    str | None,
    "The password in clear; it is refused unless `secrets_in_clear` is true.",
]
PasswordFile = Annotated[Path | None, "A file that holds the password."]
PasswordVariable = Annotated[str | None, "The environment variable that holds the password.", FILLED]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentService:
    """The service that readings are sent to."""

    url: Annotated[str, "The address of the service.", WEB_ADDRESS]
    project: Annotated[str, "The project that the events belong to, `prj_…` or its number.", FILLED]
    token_file: Annotated[
        Path | None,
        "A file that holds the token; without one the variable `WEIGHBRIDGE_TOKEN` does, or "
        "`WEIGHBRIDGE_TOKEN_FILE` names the file.",
    ] = None
    token: Annotated[
        str | None, "The token in clear; it is refused unless `secrets_in_clear` is true.", FILLED
    ] = None
    ca_file: Annotated[
        Path | None, "Certificates, in DER or PEM, that are trusted instead of those of the machine."
    ] = None
    plain_http: Annotated[
        bool, "Whether an `http://` address of another machine is taken, which shows the token on the way."
    ] = False
    batch_size: Annotated[int, "Events in one request, at most.", WholeRange(1, 10_000)] = 1_000
    timeout_seconds: Annotated[int, "How long an answer may take.", WholeRange(1, 600)] = 60
    report_seconds: Annotated[
        int, "The time between two reports of the agent's state to the page Agents.", WholeRange(1, 3_600)
    ] = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolPlace:
    """Where readings wait until the service has them."""

    path: Annotated[Path, "The file of the spool, on a disk that does not lose confirmed writes."]
    megabytes_max: Annotated[
        int,
        "How large the spool may become, in MB. At that size the agent takes nothing more from its sources.",
        WholeRange(1, 1_000_000),
    ] = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedPlace:
    """What the events of one node or topic are tagged with."""

    event_type: Annotated[str, "The slug of the event type.", SLUG]
    asset_id: Annotated[str | None, "The asset of the events, `ast_…`.", FILLED] = None
    feedstock_id: Annotated[str | None, "The feedstock of the events, `fs_…`.", FILLED] = None
    locations: Annotated[list[str], "The locations of the events, each `loc_…`.", FILLED] = field(
        default_factory=list
    )
    tracking_id: Annotated[str | None, "The tracking id of the events.", FILLED] = None
    arrived_at: Annotated[
        str | None, "The slug of a text data point that says when the agent had the reading.", SLUG
    ] = None

    @property
    def tags(self) -> Tags:
        """What its events are tagged with."""
        return Tags(
            self.event_type, self.asset_id, self.feedstock_id, tuple(self.locations), self.tracking_id
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpcUaNode(TaggedPlace):
    """One variable of an OPC UA server; each of its values becomes an event."""

    node: Annotated[
        str,
        "The id of the variable, such as `ns=2;s=Kiln.Temperature`, or `nsu=urn:plant;s=Kiln.Temperature` by "
        "the address of its namespace, whose number servers may change.",
        NODE_ID,
    ]
    data_point: Annotated[str, "The slug of the data point that gets the value.", SLUG]
    quality: Annotated[
        str,
        "The slug of a text data point that gets `good`, `uncertain`, `bad` or `substituted`.",
        SLUG,
    ]
    status: Annotated[
        str | None,
        "The slug of a text data point that gets the status code, such as `BadOutOfService 0x808D0000`.",
        SLUG,
    ] = None
    sampling_ms: Annotated[
        int | None, "`sampling_ms` of this variable; left out, it is the server's.", WholeRange(0, 3_600_000)
    ] = None
    queue_size: Annotated[
        int | None, "`queue_size` of this variable; left out, it is the server's.", WholeRange(1, 100_000)
    ] = None
    history: Annotated[
        bool | None, "Whether its history is read; left out, it is what the server's `history` says."
    ] = None
    history_from: Annotated[
        datetime | None, "`history_from` of this variable; left out, it is the server's."
    ] = None
    history_overlap_seconds: Annotated[
        int | None,
        "`history_overlap_seconds` of this variable; left out, it is the server's.",
        WholeRange(0, 604_800),
    ] = None
    history_delay_seconds: Annotated[
        int | None,
        "`history_delay_seconds` of this variable; left out, it is the server's.",
        WholeRange(1, 86_400),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpcUaSecurity:
    """How the channel to an OPC UA server is secured."""

    policy: Annotated[
        Literal["Basic256Sha256", "Aes128Sha256RsaOaep", "Aes256Sha256RsaPss"], "The security policy."
    ] = "Basic256Sha256"
    mode: Annotated[Literal["Sign", "SignAndEncrypt"], "What is done to each message."] = "SignAndEncrypt"
    certificate: Annotated[Path, "The agent's own certificate, in DER or PEM; the server has to trust it."]
    private_key: Annotated[Path, "The key of that certificate, in DER or PEM."]
    private_key_password_file: Annotated[
        Path | None, "A file that holds the password of that key, where it has one."
    ] = None
    server_certificate: Annotated[
        Path, "The certificate of the server, in DER or PEM; no other server is talked to."
    ]
    application_uri: Annotated[str, "The name of the application in the agent's certificate.", FILLED] = (
        "urn:weighbridge:agent"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpcUaServer:
    """An OPC UA server whose variables are read by subscription, and from its history after an outage."""

    type: Annotated[Literal["opcua"], "What the source is."]
    name: Annotated[str, "The name of the source; client references begin with it.", NAME]
    url: Annotated[str, "The address of the server.", OPC_UA_ADDRESS]
    nodes: Annotated[
        list[OpcUaNode], "The variables that are read; required unless `nodes_from_service` is true."
    ] = field(default_factory=list)
    nodes_from_service: Annotated[
        bool,
        "Whether variables are read, too, that people of the project choose in the web app. They get values "
        "of this server and nothing else: no address, no file, no password, and nothing is written.",
    ] = False
    security: Annotated[OpcUaSecurity | None, "How the channel is secured; left out, it is not."] = None
    username: Annotated[str | None, "The user of the session.", FILLED] = None
    password: Password = None
    password_file: PasswordFile = None
    password_variable: PasswordVariable = None
    publishing_ms: Annotated[
        int, "How often the server sends what has changed, in milliseconds.", WholeRange(10, 3_600_000)
    ] = 1_000
    sampling_ms: Annotated[
        int,
        "How often the server looks at each variable, in milliseconds; 0 is as often as it can.",
        WholeRange(0, 3_600_000),
    ] = 0
    queue_size: Annotated[
        int, "Values that the server keeps for each variable between two sendings.", WholeRange(1, 100_000)
    ] = 1_000
    history: Annotated[bool, "Whether the history of the server is read for what was missed."] = True
    history_from: Annotated[
        datetime | None,
        "From when history is read for a variable that the spool does not know yet, with an offset or Z; "
        "left out, such a variable begins with its present value.",
    ] = None
    history_overlap_seconds: Annotated[
        int,
        "From how long before the last known reading history is read, for what was written late.",
        WholeRange(0, 604_800),
    ] = 60
    history_delay_seconds: Annotated[
        int,
        "How long after a connection history is read a second time, for what was not written yet.",
        WholeRange(1, 86_400),
    ] = 30

    def settle(self, node: OpcUaNode) -> OpcUaNode:
        """The variable with a value for each of its settings: its own, or that of the server."""
        own = {name: getattr(node, name) for name in OF_SERVER_OR_NODE}
        return replace(
            node, **{name: getattr(self, name) if value is None else value for name, value in own.items()}
        )


OF_SERVER_OR_NODE: Final = (
    "sampling_ms",
    "queue_size",
    "history",
    "history_from",
    "history_overlap_seconds",
    "history_delay_seconds",
)
"""Settings that a variable may have of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MqttTopic(TaggedPlace):
    """A topic, or all topics of a filter; each message, or each item of one, becomes an event."""

    topic: Annotated[
        str, "The topic, or a filter; a message belongs to the first entry that fits.", TOPIC_FILTER
    ]
    payload: Annotated[
        Literal["json", "plain"], "Whether a message is JSON, or nothing but the value as text."
    ] = "json"
    each: Annotated[
        str | None, "The path of a list in the message, of which each item is a reading.", FILLED
    ] = None
    key: Annotated[
        str | None,
        "The path of the value that distinguishes readings of one topic and time, such as a sensor's name.",
        FILLED,
    ] = None
    time: Annotated[
        str,
        "The path of the device's own time, or `arrival` where messages have none.",
        FILLED,
    ]
    time_form: Annotated[
        Literal["iso", "seconds", "milliseconds"],
        "Whether the time is a text in ISO 8601 with an offset, or a number since 1970.",
    ] = "iso"
    data_points: Annotated[
        dict[str, str], "The path of each value in the message, by the slug of the data point that gets it."
    ] = field(default_factory=dict)
    data_point: Annotated[
        str | None, "The slug of the data point that gets the value of a plain message.", SLUG
    ] = None
    value_type: Annotated[Literal["number", "string", "boolean"], "What the text of a plain message is."] = (
        "number"
    )
    quality: Annotated[
        str | None, "The slug of a text data point that gets the quality; needs `quality_from`.", SLUG
    ] = None
    quality_from: Annotated[
        str | None, "The path of what the message says of the quality; needs `quality`.", FILLED
    ] = None
    quality_form: Annotated[
        Literal["word", "opcua", "opcda"],
        "Whether that is a word, an OPC UA status code, or an OPC DA quality, of which 192 is good.",
    ] = "word"
    quality_words: Annotated[
        dict[str, Quality],
        "What each word of the source means; a word that is not listed, and is none of ours, is `bad`.",
    ] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerPlace:
    """An MQTT broker and who is known there."""

    name: Annotated[str, "The name of the source; client references begin with it.", NAME]
    host: Annotated[str, "The host name or address of the broker.", FILLED]
    port: Annotated[int, "The port of the broker.", WholeRange(1, PORT_MAX)] = 8_883
    tls: Annotated[bool, "Whether the connection is by TLS, with the broker's certificate verified."] = True
    ca_file: Annotated[
        Path | None, "Certificates, in DER or PEM, that are trusted instead of those of the machine."
    ] = None
    client_id: Annotated[
        str | None,
        "The name of the broker's session; left out, it is made of the names of agent and source.",
        FILLED,
    ] = None
    username: Annotated[str | None, "The user.", FILLED] = None
    password: Password = None
    password_file: PasswordFile = None
    password_variable: PasswordVariable = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MqttBroker(BrokerPlace):
    """An MQTT broker, subscribed to with QoS 1 in a session that it keeps while the agent is away."""

    type: Annotated[Literal["mqtt"], "What the source is."]
    topics: Annotated[list[MqttTopic], "The topics that are read."]


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkplugMetric(TaggedPlace):
    """A metric of an edge node or of one of its devices; each of its values becomes an event."""

    group_id: Annotated[str, "The group of the edge node.", LEVEL]
    edge_node_id: Annotated[str, "The edge node.", LEVEL]
    device_id: Annotated[str | None, "The device; left out, the metric is the node's own.", LEVEL] = None
    metric: Annotated[str, "The name of the metric, as births tell it, such as `Kiln/Temperature`.", FILLED]
    data_point: Annotated[str, "The slug of the data point that gets the value.", SLUG]
    quality: Annotated[
        str, "The slug of a text data point that gets `good`, `uncertain`, `bad` or `substituted`.", SLUG
    ]
    status: Annotated[
        str | None,
        "The slug of a text data point that says why a value is bad, such as `Stale 500` or `Death`.",
        SLUG,
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkplugBroker(BrokerPlace):
    """An MQTT broker with edge nodes that speak Sparkplug B; the agent is a host application there."""

    type: Annotated[Literal["sparkplug"], "What the source is."]
    host_id: Annotated[
        str,
        "The name of the host application, by which the agent says that it is there. Edge nodes with this "
        "primary host keep what they measure while the agent is away.",
        LEVEL,
    ] = "weighbridge"
    metrics: Annotated[list[SparkplugMetric], "What is read."]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModbusValue(TaggedPlace):
    """A value in one or several registers of a Modbus device; each poll makes an event of it."""

    table: Annotated[
        Literal["holding", "input", "coil", "discrete"],
        "Where it lies: holding registers, input registers, coils or discrete inputs.",
    ] = "holding"
    address: Annotated[
        int,
        "The address of its first register as it is sent, which begins at 0: register 40001 of a manual that "
        "counts from 1 is address 0 of `holding`.",
        WholeRange(0, 65_535),
    ]
    unit_id: Annotated[
        int | None, "The unit of this value; left out, it is the device's.", WholeRange(0, 255)
    ] = None
    value_type: Annotated[
        Literal["int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"] | None,
        "What the registers hold; a coil or discrete input is a truth, and says nothing here.",
    ] = None
    word_order: Annotated[
        Literal["big", "little"] | None, "`word_order` of this value; left out, it is the device's."
    ] = None
    scale: Annotated[Decimal, "What the number is multiplied with, exactly.", DECIMAL] = Decimal(1)
    offset: Annotated[Decimal, "What is added to it then.", DECIMAL] = Decimal(0)
    no_value: Annotated[
        list[Decimal],
        "Numbers, before scale and offset, by which the device says that it has no value.",
        DECIMAL,
    ] = field(default_factory=list)
    data_point: Annotated[str, "The slug of the data point that gets the value.", SLUG]
    quality: Annotated[str, "The slug of a text data point that gets `good` or `bad`.", SLUG]
    status: Annotated[
        str | None,
        "The slug of a text data point that says why a value is bad, such as `IllegalDataAddress 0x02`.",
        SLUG,
    ] = None

    @property
    def name(self) -> str:
        """What client references call it: `holding/40`, `7/input/3` of a unit of its own."""
        return f"{'' if self.unit_id is None else f'{self.unit_id}/'}{self.table}/{self.address}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModbusDevice:
    """A device, or a gateway with several, that is asked by Modbus TCP again and again."""

    type: Annotated[Literal["modbus"], "What the source is."]
    name: Annotated[str, "The name of the source; client references begin with it.", NAME]
    host: Annotated[str, "The host name or address of the device.", FILLED]
    port: Annotated[int, "Its port.", WholeRange(1, PORT_MAX)] = 502
    unit_id: Annotated[int, "The unit that is asked.", WholeRange(0, 255)] = 1
    poll_ms: Annotated[int, "The time between two polls, in milliseconds.", WholeRange(50, 86_400_000)] = (
        10_000
    )
    timeout_ms: Annotated[int, "How long one answer may take, in milliseconds.", WholeRange(50, 60_000)] = (
        3_000
    )
    word_order: Annotated[
        Literal["big", "little"],
        "Which register of several comes first: that of the highest digits, as usual, or of the lowest.",
    ] = "big"
    registers: Annotated[list[ModbusValue], "What is read."]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport(TaggedPlace):
    """Events in which the agent reports its own state; they wait in the spool as readings do."""

    every_seconds: Annotated[int, "The time between two reports.", WholeRange(1, 86_400)] = 60
    lag_seconds: Annotated[
        str,
        "The slug of a number: for how long the oldest reading that the service lacks has been here; 0 "
        "when it lacks none.",
        SLUG,
    ]
    waiting: Annotated[str | None, "The slug of a number: readings that wait in the spool.", SLUG] = None
    refused: Annotated[
        str | None, "The slug of a number: readings that the service refused and that were set apart.", SLUG
    ] = None
    clock_offset_seconds: Annotated[
        str | None, "The slug of a number: how far this machine's clock is ahead of the service's.", SLUG
    ] = None


SourceConfiguration = OpcUaServer | MqttBroker | ModbusDevice | SparkplugBroker
"""What the agent can read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfiguration:
    """The whole file."""

    agent: Annotated[str, "The name of the agent; client references of its reports begin with it.", NAME]
    service: Annotated[AgentService, "The service that readings are sent to."]
    spool: Annotated[SpoolPlace, "Where readings wait until the service has them."]
    sources: Annotated[list[OpcUaServer | MqttBroker | ModbusDevice | SparkplugBroker], "What is read."]
    report: Annotated[AgentReport | None, "The agent's reports about itself; without it, none."] = None
    retry_seconds_max: Annotated[
        int, "The longest pause between two tries, of the service and of sources.", WholeRange(1, 3_600)
    ] = 60
    secrets_in_clear: Annotated[
        bool, "Whether a token and passwords may be in this file, which people copy and send."
    ] = False


# Tokens and passwords, read from where they are kept; they are in no message and in no log.


TOKEN_VARIABLE = "WEIGHBRIDGE_TOKEN"  # noqa: S105 - the name of a variable, no secret
TOKEN_FILE_VARIABLE = "WEIGHBRIDGE_TOKEN_FILE"  # noqa: S105 - as above


def read_agent_token(service: AgentService) -> str:
    """The token for the service. Raises Refusal where there is none."""
    if service.token is not None:
        return service.token
    if service.token_file is not None:
        return held_by(service.token_file)
    if token := os.environ.get(TOKEN_VARIABLE, "").strip():
        return token
    if token_file := os.environ.get(TOKEN_FILE_VARIABLE):
        return held_by(Path(token_file))
    raise Refusal(
        f"There is no token: name a file in service.token_file or {TOKEN_FILE_VARIABLE}, "
        f"or set {TOKEN_VARIABLE}."
    )


def read_password(source: OpcUaServer | BrokerPlace) -> str | None:
    """The password for a source, None where it needs none. Raises Refusal where it is not to be had."""
    if source.password_file is not None:
        return held_by(source.password_file)
    if source.password_variable is not None:
        password = os.environ.get(source.password_variable)
        if not password:
            raise Refusal(
                f"The variable {source.password_variable}, with the password of {source.name}, is unset."
            )
        return password
    return source.password


def held_by(path: Path) -> str:
    """The secret that a file holds. Raises Refusal."""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"The file {path} cannot be read: {error}.") from None
    if not text:
        raise Refusal(f"The file {path} is empty.")
    return text
