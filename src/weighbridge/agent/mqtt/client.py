"""The connection to a broker whose acknowledgements are ours: a message is acknowledged when we say so.

The library acknowledges as soon as a message has come, and keeps to itself whether one came before; both are
a method of what it is made of away, and this is the one place that reaches there.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import aiomqtt

from weighbridge.agent.clock import now
from weighbridge.agent.configuration.certificates import trusting
from weighbridge.agent.configuration.credentials import password_of
from weighbridge.agent.configuration.records import MqttBroker
from weighbridge.errors import Refusal

KEEP_ALIVE_SECONDS: Final = 30
TIMEOUT_SECONDS: Final = 15
QOS: Final = 1
"""At least once: the broker sends again what was not acknowledged."""

SUBSCRIPTION_REFUSED: Final = 0x80
_TICK: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Packet:
    """A message of the broker, with what acknowledging it takes."""

    topic: str
    payload: bytes
    number: int
    qos: int
    is_repeated: bool
    """Whether the broker has sent it before, and knows of no acknowledgement."""
    is_retained: bool
    """Whether it is the last message of its topic, told because we have just subscribed."""
    arrived_at: datetime
    """When it came, by this machine's clock; no two packets of a connection have the same."""


class AcknowledgingClient(aiomqtt.Client):
    """A client that acknowledges a packet when it is told to."""

    def __init__(self, agent: str, broker: MqttBroker, *, is_trial: bool = False) -> None:
        """A trial has a session of another name, which ends with it."""
        name = None if is_trial else broker.client_id
        setting = f"ca_file of the source {broker.name}"
        super().__init__(
            broker.host,
            broker.port,
            username=broker.username,
            password=password_of(broker),
            identifier=name or f"weighbridge-{agent}-{broker.name}",
            clean_session=is_trial,
            keepalive=KEEP_ALIVE_SECONDS,
            timeout=TIMEOUT_SECONDS,
            tls_context=trusting(broker.ca_file, setting) if broker.tls else None,
        )
        self._client.manual_ack_set(on=True)
        self.packets: asyncio.Queue[Packet] = asyncio.Queue()
        self._last = now()
        self.has_session = False
        """Whether the broker had kept our session, with what came while we were away."""

    def _on_message(self, client: Any, userdata: Any, message: Any) -> None:  # noqa: ARG002 - the library's
        self._last = max(now(), self._last + _TICK)
        self.packets.put_nowait(
            Packet(
                str(message.topic),
                message.payload,
                message.mid,
                message.qos,
                message.dup,
                message.retain,
                self._last,
            )
        )

    def _on_connect(
        self, client: Any, userdata: Any, flags: Any, reason_code: Any, properties: Any = None
    ) -> None:
        self.has_session = bool(flags.session_present)
        super()._on_connect(client, userdata, flags, reason_code, properties)

    def acknowledge(self, packet: Packet) -> None:
        """Tell the broker that it need not send a packet again."""
        if packet.qos:
            self._client.ack(packet.number, packet.qos)

    async def lost(self) -> None:
        """Wait for the end of the connection. Raises aiomqtt.MqttError when it was not we who ended it."""
        await asyncio.shield(self._disconnected)

    async def follow(self, filters: list[str]) -> None:
        """Subscribe. Raises Refusal for a filter that the broker refuses."""
        granted = await self.subscribe([(one, QOS) for one in filters])
        codes = [one if isinstance(one, int) else one.value for one in granted]
        refused = [one for one, code in zip(filters, codes, strict=True) if code >= SUBSCRIPTION_REFUSED]
        if refused:
            raise Refusal(f"The broker refuses to be subscribed for {', '.join(refused)}.")
