"""Sparkplug B: readings of edge nodes and their devices, of which the agent is a host application.

An edge node says by a birth what its metrics are called and which alias each has, sends then what changes,
and says by a death that it is gone. The agent says by STATE that it is there, so that nodes that are set up
for this host keep what they measure while it is away, and send it later with its times.

Invariants: a metric is read by the names of the last birth of its node; where numbers of messages lack, or a
name is unknown, the node is asked for its births again.
"""

import asyncio
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from weighbridge.agent.configuration import SparkplugBroker, SparkplugMetric
from weighbridge.agent.mqtt import AcknowledgingClient, Packet, Will, await_packets
from weighbridge.agent.readings import (
    AgentReading,
    Quality,
    ReadingError,
    RefusedReading,
    build_reference,
    make_measured_reading,
    now,
)
from weighbridge.agent.sparkplug_payload import (
    read_metric_quality,
    read_payload,
    read_value,
    time_of,
    write_rebirth,
)
from weighbridge.agent.spool import Handover, Spool

# The state of edge nodes, as their messages tell it: pure, time and messages are passed in.


NAMESPACE: Final = "spBv1.0"
SEQUENCE: Final = 256
"""Messages of a node are numbered from 0 to 255, and then from 0 again."""

BIRTH_AND_DEATH: Final = "bdSeq"
KINDS: Final = frozenset({"NBIRTH", "NDATA", "NDEATH", "DBIRTH", "DDATA", "DDEATH"})
REBIRTH_PAUSE: Final = timedelta(seconds=10)
"""For how long a node is not asked again for its births."""

NodeName = tuple[str, str]
MetricName = tuple[str, str, str, str]


@dataclass(slots=True)
class EdgeNode:
    """What is known of an edge node."""

    is_born: bool = False
    birth_number: int | None = None
    next_number: int = 0
    aliases: dict[int, tuple[str, str]] = field(default_factory=dict)
    """The device and name of a metric, by its alias; the device is empty for one of the node itself."""
    types: dict[tuple[str, str], int] = field(default_factory=dict)
    asked_at: datetime | None = None


@dataclass(slots=True)
class TakenReadings:
    """What came of messages."""

    readings: list[AgentReading] = field(default_factory=list)
    refused: list[RefusedReading] = field(default_factory=list)
    unborn: list[NodeName] = field(default_factory=list)
    """The nodes that are to be asked for their births."""


class SparkplugHost:
    """The edge nodes of a broker, as far as their metrics are read."""

    def __init__(self, source: str, metrics: list[SparkplugMetric]) -> None:
        self._source = source
        self._entries = {
            (metric.group_id, metric.edge_node_id, metric.device_id or "", metric.metric): metric
            for metric in metrics
        }
        self._nodes: dict[NodeName, EdgeNode] = {
            (metric.group_id, metric.edge_node_id): EdgeNode() for metric in metrics
        }
        self.lost = 0
        """Values by an alias that no birth has told, since this began."""

    @property
    def names(self) -> list[NodeName]:
        """The edge nodes that are read."""
        return [*self._nodes]

    @property
    def problems(self) -> dict[str, str]:
        """The nodes that are not there, by their name."""
        return {
            "/".join(name): "it has sent no birth." for name, node in self._nodes.items() if not node.is_born
        }

    def take(self, topic: str, content: bytes, at: datetime, taken: TakenReadings) -> None:
        """Add what a message says to what was taken."""
        levels = topic.split("/")
        if len(levels) not in {4, 5} or levels[0] != NAMESPACE or levels[2] not in KINDS:
            return
        _, group, kind, edge, *device = levels
        name = group, edge
        node = self._nodes.get(name)
        if node is None:
            return
        try:
            payload = read_payload(content)
            if kind == "NDEATH":
                self._end_node(name, node, payload, at, taken)
            else:
                self._take_numbered(name, device[0] if device else "", kind, payload, at, taken)
        except ReadingError as error:
            reference = build_reference(self._source, topic, at)
            taken.refused.append(
                RefusedReading(reference, f"{str(error)[0].upper()}{str(error)[1:]}", content)
            )

    def _take_numbered(
        self, name: NodeName, device: str, kind: str, payload: Any, at: datetime, taken: TakenReadings
    ) -> None:
        node = self._nodes[name]
        if kind == "NBIRTH":
            node.is_born, node.birth_number = True, _birth_number(payload)
            node.aliases, node.types = {}, {}
        elif node.is_born and payload.HasField("seq") and payload.seq != node.next_number:
            self._ask(node, name, at, taken)
        node.next_number = (payload.seq + 1) % SEQUENCE
        if not node.is_born:
            self._ask(node, name, at, taken)
        if kind in {"NBIRTH", "DBIRTH"}:
            _learn(node, device, payload)
        if kind == "DDEATH":
            taken.readings += self._ended(name, device, "Death", at)
            return
        for metric in payload.metrics:
            self._take_metric(name, device, metric, payload, at, taken)

    def _take_metric(
        self, name: NodeName, device: str, metric: Any, payload: Any, at: datetime, taken: TakenReadings
    ) -> None:
        node = self._nodes[name]
        known = (device, metric.name) if metric.name else node.aliases.get(metric.alias)
        if known is None:
            self.lost += 1
            self._ask(node, name, at, taken)
            return
        entry = self._entries.get((*name, *known))
        if entry is None:
            return
        datatype = metric.datatype or node.types.get(known, 0)
        variable = "/".join(part for part in (*name, *known) if part)
        try:
            time = time_of(metric, payload, at)
            value = read_value(metric, datatype)
        except ReadingError as error:
            reference = build_reference(self._source, variable, at)
            taken.refused.append(
                RefusedReading(reference, f"The metric {variable} {error}", metric.SerializeToString())
            )
            return
        quality, status = read_metric_quality(metric)
        if quality is Quality.BAD:
            value = None
        elif value is None:
            quality, status = Quality.BAD, "Null"
        reference = build_reference(self._source, variable, time)
        taken.readings.append(make_measured_reading(reference, entry, (time, at), value, (quality, status)))

    def _end_node(
        self, name: NodeName, node: EdgeNode, payload: Any, at: datetime, taken: TakenReadings
    ) -> None:
        """A death belongs to the birth of its number; one of an earlier connection says nothing any more."""
        if not node.is_born or _birth_number(payload) != node.birth_number:
            return
        node.is_born = False
        for device in {entry[2] for entry in self._entries if entry[:2] == name}:
            taken.readings += self._ended(name, device, "Death", at)

    def _ended(self, name: NodeName, device: str, status: str, at: datetime) -> Iterator[AgentReading]:
        """Readings without a value: what is gone measures nothing."""
        for key, entry in self._entries.items():
            if key[:3] == (*name, device):
                reference = build_reference(self._source, "/".join(part for part in key if part), at)
                yield make_measured_reading(reference, entry, (at, at), None, (Quality.BAD, status))

    @staticmethod
    def _ask(node: EdgeNode, name: NodeName, at: datetime, taken: TakenReadings) -> None:
        if name not in taken.unborn and (node.asked_at is None or not at - node.asked_at < REBIRTH_PAUSE):
            node.asked_at = at
            taken.unborn.append(name)


def _birth_number(payload: Any) -> int | None:
    return next(
        (
            int(metric.long_value or metric.int_value)
            for metric in payload.metrics
            if metric.name == BIRTH_AND_DEATH
        ),
        None,
    )


def _learn(node: EdgeNode, device: str, payload: Any) -> None:
    """Learn the names, aliases and types that a birth tells."""
    for metric in payload.metrics:
        node.types[device, metric.name] = metric.datatype
        if metric.HasField("alias"):
            node.aliases[metric.alias] = device, metric.name


# A broker as a source: the agent is a host application there, whose STATE the broker keeps.


log: Final = logging.getLogger("weighbridge.agent")


def write_state(at: datetime, *, is_online: bool) -> bytes:
    """The STATE of the host; birth and will of one connection have one time."""
    return json.dumps({"online": is_online, "timestamp": int(at.timestamp() * 1_000)}).encode()


class SparkplugSource:
    """One broker with edge nodes, for one session after the other."""

    def __init__(self, agent: str, broker: SparkplugBroker, spool: Spool) -> None:
        self._agent = agent
        self._broker = broker
        self._spool = spool
        self._state_topic = f"{NAMESPACE}/STATE/{broker.host_id}"

    async def session(self) -> None:
        """Connect and read until the connection ends. Raises BrokerError, SpoolFullError or Refusal."""
        began_at = now()
        will = Will(self._state_topic, write_state(began_at, is_online=False))
        client = AcknowledgingClient(self._agent, self._broker, keeps_session=False, will=will)
        host = SparkplugHost(self._broker.name, self._broker.metrics)
        async with client:
            groups = sorted({metric.group_id for metric in self._broker.metrics})
            await client.follow([self._state_topic, *(f"{NAMESPACE}/{group}/#" for group in groups)])
            client.publish(self._state_topic, write_state(began_at, is_online=True), is_retained=True)
            log.info("%s: connected to %s:%s.", self._broker.name, self._broker.host, self._broker.port)
            self._ask(client, host.names)
            await self._note(host)
            lost = asyncio.create_task(client.lost())
            try:
                while True:
                    await self._take(client, host, began_at, await await_packets(client, lost))
            finally:
                lost.cancel()
                client.publish(self._state_topic, write_state(began_at, is_online=False), is_retained=True)

    async def _take(
        self, client: AcknowledgingClient, host: SparkplugHost, began_at: datetime, packets: list[Packet]
    ) -> None:
        taken, problems = TakenReadings(), host.problems
        for packet in packets:
            if packet.topic == self._state_topic:
                # The will of a connection before this one may come late; the host is there.
                if b"true" not in packet.payload:
                    client.publish(self._state_topic, write_state(began_at, is_online=True), is_retained=True)
            else:
                host.take(packet.topic, packet.payload, packet.arrived_at, taken)
        await self._spool.keep(Handover(taken.readings, taken.refused))
        for packet in packets:
            client.acknowledge(packet)
        self._ask(client, taken.unborn)
        if host.problems != problems or taken.unborn:
            await self._note(host)

    async def _note(self, host: SparkplugHost) -> None:
        said: dict[str, Any] = {"state": "reading", "problems": host.problems}
        if host.lost:
            said["error"] = f"{host.lost} values came by an alias that no birth had told."
        await self._spool.note(f"source/{self._broker.name}", said)

    def _ask(self, client: AcknowledgingClient, names: list[NodeName]) -> None:
        """Ask edge nodes for their births."""
        for group, edge in names:
            client.publish(f"{NAMESPACE}/{group}/NCMD/{edge}", write_rebirth(now()))
