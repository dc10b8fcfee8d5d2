"""The connection to a broker whose acknowledgements are ours: a message is acknowledged when we say so.

paho has a thread of its own for the connection. What comes there is handed to the loop that made the client,
and all state changes on that loop alone.
"""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Self

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion

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


class BrokerError(ConnectionError):
    """The broker cannot be reached, refuses the connection or has ended it."""


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


class AcknowledgingClient:
    """A client that acknowledges a packet when it is told to; good for one connection."""

    def __init__(self, agent: str, broker: MqttBroker, *, is_trial: bool = False) -> None:
        """A trial has a session of another name, which ends with it."""
        self._broker = broker
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=(None if is_trial else broker.client_id) or f"weighbridge-{agent}-{broker.name}",
            clean_session=is_trial,
            reconnect_on_failure=False,
            manual_ack=True,
        )
        if broker.username is not None:
            self._client.username_pw_set(broker.username, password_of(broker))
        if broker.tls:
            self._client.tls_set_context(trusting(broker.ca_file, f"ca_file of the source {broker.name}"))
        self._client.enable_logger(logging.getLogger("mqtt"))
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._disconnected
        self._client.on_subscribe = self._subscribed
        self._client.on_message = self._arrived
        self._loop = asyncio.get_running_loop()
        self._has_begun: asyncio.Future[None] = self._loop.create_future()
        self._has_ended: asyncio.Future[None] = self._loop.create_future()
        self._granted: asyncio.Future[list[int]] = self._loop.create_future()
        self._last = now()
        self.packets: asyncio.Queue[Packet] = asyncio.Queue()
        self.has_session = False
        """Whether the broker had kept our session, with what came while we were away."""

    async def __aenter__(self) -> Self:
        """Connect. Raises BrokerError or OSError."""
        address = self._broker.host, self._broker.port, KEEP_ALIVE_SECONDS
        await asyncio.to_thread(self._client.connect, *address)
        self._client.loop_start()
        try:
            await self._answer(self._has_begun)
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()

    def acknowledge(self, packet: Packet) -> None:
        """Tell the broker that it need not send a packet again."""
        if packet.qos:
            self._client.ack(packet.number, packet.qos)

    async def lost(self) -> None:
        """Wait for the end of the connection. Raises BrokerError when it was not we who ended it."""
        await asyncio.shield(self._has_ended)

    async def follow(self, filters: list[str]) -> None:
        """Subscribe, once in a connection. Raises Refusal for a filter that the broker refuses."""
        failure, _ = self._client.subscribe([(one, QOS) for one in filters])
        if failure:
            raise BrokerError(paho.error_string(failure))
        codes = await self._answer(self._granted)
        refused = [one for one, code in zip(filters, codes, strict=True) if code >= SUBSCRIPTION_REFUSED]
        if refused:
            raise Refusal(f"The broker refuses to be subscribed for {', '.join(refused)}.")

    async def _answer(self, awaited: "asyncio.Future[Any]") -> Any:
        """Wait for an answer of the broker, as long as there is a connection."""
        ended = self._has_ended
        await asyncio.wait((awaited, ended), timeout=TIMEOUT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if awaited.done():
            return awaited.result()
        if ended.done():
            ended.result()
        raise BrokerError("The broker did not answer in time.")

    async def _stop(self) -> None:
        """Disconnect and wait for the end of the thread, which may come later by itself."""
        self._client.disconnect()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.to_thread(self._client.loop_stop), TIMEOUT_SECONDS)
        for one in (self._has_begun, self._has_ended, self._granted):
            one.cancel()

    def _arrived(self, _client: paho.Client, _userdata: Any, message: paho.MQTTMessage) -> None:
        self._last = max(now(), self._last + _TICK)
        packet = Packet(
            message.topic,
            bytes(message.payload),
            message.mid,
            message.qos,
            message.dup,
            message.retain,
            self._last,
        )
        self._on_loop(self.packets.put_nowait, packet)

    def _connected(
        self, _client: paho.Client, _userdata: Any, flags: Any, reason: Any, _properties: Any
    ) -> None:
        self._on_loop(self._begin, flags.session_present, str(reason) if reason.is_failure else None)

    def _begin(self, has_session: bool, failure: str | None) -> None:  # noqa: FBT001 - called by the loop
        if self._has_begun.done():
            return
        self.has_session = has_session
        if failure is None:
            self._has_begun.set_result(None)
        else:
            self._has_begun.set_exception(BrokerError(f"The broker refuses the connection: {failure}."))

    def _disconnected(
        self, _client: paho.Client, _userdata: Any, _flags: Any, reason: Any, _properties: Any
    ) -> None:
        self._on_loop(self._end, str(reason) if reason.is_failure else None)

    def _end(self, failure: str | None) -> None:
        if self._has_ended.done():
            return
        if failure is None:
            self._has_ended.set_result(None)
        else:
            self._has_ended.set_exception(BrokerError(f"The connection to the broker was lost: {failure}."))
            self._has_ended.exception()  # somebody may have left before, and need not hear of it

    def _subscribed(
        self, _client: paho.Client, _userdata: Any, _number: int, reasons: list[Any], _properties: Any
    ) -> None:
        self._on_loop(self._granted.set_result, [reason.value for reason in reasons])

    def _on_loop(self, work: Any, *arguments: Any) -> None:
        """Have something done on the loop, which may have ended while the thread still had an answer."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(work, *arguments)
