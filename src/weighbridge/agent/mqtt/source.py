"""A broker as a source: messages become durable readings, and only then are acknowledged.

Messages that have come while the last ones were synced to the disk are kept together, by one sync. While the
spool is full the agent is not connected, and the broker keeps what comes.

Invariant: a packet is acknowledged after its readings are durable, never before.
"""

import asyncio
import hashlib
import logging
from typing import Final

from weighbridge.agent.configuration.meaning import ARRIVAL
from weighbridge.agent.configuration.records import MqttBroker, MqttTopic
from weighbridge.agent.mqtt.client import AcknowledgingClient, BrokerError, Packet
from weighbridge.agent.mqtt.payload import MqttMessage, readings_of
from weighbridge.agent.mqtt.topic import fits
from weighbridge.agent.reading import AgentReading, RefusedReading
from weighbridge.agent.spool.database import Handover
from weighbridge.agent.spool.spool import Spool

PACKETS_AT_ONCE_MAX: Final = 1_000
"""Packets that are taken up at once."""

READINGS_AT_ONCE_MAX: Final = 2_000
"""Readings after which what has come is made durable, by one sync."""

log: Final = logging.getLogger("weighbridge.agent")


class MqttSource:
    """One broker, for one session after the other."""

    def __init__(self, agent: str, broker: MqttBroker, spool: Spool) -> None:
        self._agent = agent
        self._broker = broker
        self._spool = spool

    async def session(self) -> None:
        """Connect and read until the connection ends. Raises BrokerError, SpoolFullError or Refusal."""
        client = AcknowledgingClient(self._agent, self._broker)
        async with client:
            await client.follow([topic.topic for topic in self._broker.topics])
            log.info("%s: connected to %s:%s.", self._broker.name, self._broker.host, self._broker.port)
            await self._look_at_session(client)
            await self._spool.note(f"source/{self._broker.name}", {"state": "reading"})
            lost = asyncio.create_task(client.lost())
            try:
                while True:
                    await self._take(client, await _packets(client, lost))
            finally:
                lost.cancel()

    async def _look_at_session(self, client: AcknowledgingClient) -> None:
        """Say so when the broker has lost a session that it was to keep, for something may be missing."""
        begun, lost = f"session/{self._broker.name}", f"session lost/{self._broker.name}"
        if not await self._spool.is_noted(begun):
            await self._spool.note(begun, {"state": "begun"})
        elif not client.has_session:
            said = "the broker had not kept the session; what came while the agent was away may be missing"
            log.warning("%s: %s.", self._broker.name, said)
            await self._spool.note(lost, {"state": "lost", "error": f"{said}."})

    async def _take(self, client: AcknowledgingClient, packets: list[Packet]) -> None:
        """Make packets durable and acknowledge them, some at a time, so that a spool keeps to its size."""
        done = 0
        while done < len(packets):
            readings: list[AgentReading] = []
            refused: list[RefusedReading] = []
            numbers: list[tuple[str, int, bytes]] = []
            begin = done
            while done < len(packets) and len(readings) < READINGS_AT_ONCE_MAX:
                for one in await self._readings(packets[done], numbers):
                    if isinstance(one, AgentReading):
                        readings.append(one)
                    else:
                        refused.append(one)
                done += 1
            await self._spool.keep(Handover(readings, refused, packets=numbers))
            for packet in packets[begin:done]:
                client.acknowledge(packet)
            for apart in refused[:1]:
                said = "%d messages or readings are set apart, first %s: %s"
                log.warning(said, len(refused), apart.reference, apart.reason)

    async def _readings(
        self, packet: Packet, numbers: list[tuple[str, int, bytes]]
    ) -> list[AgentReading | RefusedReading]:
        entry = next((one for one in self._broker.topics if fits(packet.topic, one.topic)), None)
        if entry is None or not await self._is_new(packet, entry, numbers):
            return []
        return [*readings_of(self._message(packet), entry)]

    def _message(self, packet: Packet) -> MqttMessage:
        return MqttMessage(self._broker.name, packet.topic, packet.payload, packet.arrived_at)

    async def _is_new(self, packet: Packet, entry: MqttTopic, numbers: list[tuple[str, int, bytes]]) -> bool:
        """Whether a packet is to be read. One with a time of its own always is: its name tells it again.

        One without is known again by its number and content, when the broker says that it sent it before;
        what is told again because we have just subscribed is no new reading at all.
        """
        if entry.time != ARRIVAL:
            return True
        if packet.is_retained:
            return False
        digest = hashlib.sha256(f"{packet.topic}\0".encode() + packet.payload).digest()[:16]
        if packet.is_repeated and await self._spool.packet(self._broker.name, packet.number) == digest:
            return False
        numbers.append((self._broker.name, packet.number, digest))
        return True


async def _packets(client: AcknowledgingClient, lost: "asyncio.Task[None]") -> list[Packet]:
    """The packets that have come, at least one. Raises BrokerError when the connection is lost."""
    first = asyncio.create_task(client.packets.get())
    await asyncio.wait((first, lost), return_when=asyncio.FIRST_COMPLETED)
    if not first.done():
        first.cancel()
        lost.result()
        raise BrokerError("the connection was closed")
    packets = [first.result()]
    while not client.packets.empty() and len(packets) < PACKETS_AT_ONCE_MAX:
        packets.append(client.packets.get_nowait())
    return packets
