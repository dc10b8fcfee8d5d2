"""MQTT: readings of a broker, each acknowledged when it is durable in the spool."""

import asyncio
import hashlib
import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Self

import msgspec
from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion

from weighbridge.agent.configuration import (
    BrokerPlace,
    MqttBroker,
    MqttTopic,
    create_tls_context,
    fits,
    read_password,
)
from weighbridge.agent.configuration_reading import ARRIVAL
from weighbridge.agent.readings import (
    AgentReading,
    Measured,
    Quality,
    ReadingError,
    RefusedReading,
    build_reference,
    make_reading,
    microseconds,
    moment_of,
    now,
    quality_of_classic,
    read_quality,
)
from weighbridge.agent.spool import Handover, Spool
from weighbridge.core.number import shorten
from weighbridge.errors import Refusal

# Readings of a message: its values by their paths, in the device's own time.
#
# A path is names and places, `sensor.values[0].v`; one that leads nowhere gives no value, and the event is
# incomplete, as it is for any other value that is missing. A message without its time is no reading.


ITEMS_MAX: Final = 10_000
"""Readings of one message, at most."""

_STEP: Final = re.compile(r"\[(\d{1,6})\]|\.?([^.\[\]]+)")
_HEXADECIMAL: Final = re.compile(r"0[xX][0-9a-fA-F]{1,8}")
_YEAR_MAX: Final = 9_999
_decode: Final = msgspec.json.Decoder(float_hook=Decimal).decode
_TRUTHS: Final = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}


@dataclass(frozen=True, slots=True)
class MqttMessage:
    """A message as it came."""

    source: str
    topic: str
    payload: bytes
    arrived_at: datetime


def parse_readings(message: MqttMessage, entry: MqttTopic) -> Iterator[AgentReading | RefusedReading]:
    """Every reading of a message, or why it is none."""
    try:
        items = _items(message, entry)
    except ReadingError as error:
        yield _refused(message, str(error))
        return
    for item in items:
        try:
            yield _reading(message, entry, item)
        except ReadingError as error:
            yield _refused(message, str(error))


def _items(message: MqttMessage, entry: MqttTopic) -> list[Any]:
    try:
        if entry.payload == "plain":
            return [message.payload.decode()]
        content = _decode(message.payload)
    except UnicodeDecodeError:
        raise ReadingError("the message is no text in UTF-8.") from None
    except msgspec.DecodeError as error:
        raise ReadingError(f"the message is no JSON: {error}.") from None
    if entry.each is None:
        return [content]
    items = _at(content, entry.each)
    if not isinstance(items, list):
        raise ReadingError(f"the message has no list at {entry.each}.")
    if len(items) > ITEMS_MAX:
        raise ReadingError(f"the message has {len(items):,} readings; allowed are {ITEMS_MAX:,}.")
    return items


def _reading(message: MqttMessage, entry: MqttTopic, item: Any) -> AgentReading:
    time = message.arrived_at if entry.time == ARRIVAL else _time(_at(item, entry.time), entry)
    variable = message.topic
    if entry.key is not None:
        key = _at(item, entry.key)
        if not isinstance(key, str | int) or isinstance(key, bool):
            raise ReadingError(f"the message has no text or whole number at {entry.key}.")
        variable = f"{variable}/{key}"
    arrival = None if entry.arrived_at is None else (entry.arrived_at, message.arrived_at)
    reference = build_reference(message.source, variable, time)
    return make_reading(reference, entry.tags, time, _values(entry, item), arrival)


def _values(entry: MqttTopic, item: Any) -> dict[str, Measured]:
    values: dict[str, Measured] = {}
    if entry.data_point is not None:
        values[entry.data_point] = _plain(item, entry.value_type)
    for slug, path in entry.data_points.items():
        value = _at(item, path)
        if isinstance(value, list | dict):
            raise ReadingError(f"what the message has at {path} is no single value.")
        if value is not None and not (isinstance(value, str) and not value.strip()):
            values[slug] = value
    if entry.quality is not None and entry.quality_from is not None:
        values[entry.quality] = str(_quality(_at(item, entry.quality_from), entry))
    return values


def _plain(text: str, value_type: str) -> Measured:
    """The value of a text that is nothing else."""
    message = text.strip()
    if value_type == "string" and message:
        return message
    if value_type == "boolean" and message.lower() in _TRUTHS:
        return _TRUTHS[message.lower()]
    if value_type == "number":
        try:
            number = Decimal(message)
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite() and message.isascii():
            return number
    raise ReadingError(f"the message is {shorten(text)!r}; it takes a {value_type}.")


def _quality(value: Any, entry: MqttTopic) -> Quality:
    """What a message says of the quality; what is not understood is bad, and so is nothing."""
    if entry.quality_form == "word":
        word = str(value)
        if word in entry.quality_words:
            return entry.quality_words[word]
        return Quality(word.lower()) if word.lower() in {*Quality} else Quality.BAD
    if isinstance(value, str):
        value = int(value, 16) if _HEXADECIMAL.fullmatch(value) else _whole(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return Quality.BAD
    return read_quality(value) if entry.quality_form == "opcua" else quality_of_classic(value)


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 10 else None


def _time(value: Any, entry: MqttTopic) -> datetime:
    """The device's time, to the microsecond."""
    where = f"what the message has at {entry.time}, {shorten(str(value))!r},"
    if entry.time_form == "iso":
        return _iso_time(value, where)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ReadingError(f"{where} is no number of {entry.time_form} since 1970.")
    scale = 1_000_000 if entry.time_form == "seconds" else 1_000
    number = int(Decimal(value) * scale)
    if not 0 <= number < microseconds(datetime.fromisoformat("9999-01-01T00:00:00Z")):
        raise ReadingError(f"{where} is no time between 1970 and {_YEAR_MAX}.")
    return moment_of(number)


def _iso_time(value: Any, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        raise ReadingError(f"{where} is no time in ISO 8601.") from None
    if moment.tzinfo is None:
        raise ReadingError(f"{where} is a time without an offset, which names no moment.")
    try:
        return moment_of(microseconds(moment))
    except OverflowError:
        raise ReadingError(f"{where} has no place in the calendar.") from None


def _at(content: Any, path: str) -> Any:
    """Return the value at a path; None if there is none."""
    for step in _STEP.finditer(path):
        place, name = step.groups()
        if place is not None:
            content = content[int(place)] if isinstance(content, list) and int(place) < len(content) else None
        else:
            content = content.get(name) if isinstance(content, dict) else None
    return content


def _refused(message: MqttMessage, reason: str) -> RefusedReading:
    reference = build_reference(message.source, message.topic, message.arrived_at)
    return RefusedReading(reference, reason[0].upper() + reason[1:], message.payload)


# The connection to a broker whose acknowledgements are ours: a message is acknowledged when we say so.
#
# paho has a thread of its own for the connection. What comes there is handed to the loop that made the
# client, and all state changes on that loop alone.


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
    """Whether it is the retained message of its topic, sent because of a new subscription."""
    arrived_at: datetime
    """When it came, by this machine's clock; no two packets of a connection have the same."""


@dataclass(frozen=True, slots=True)
class Will:
    """What a broker says for a client whose connection is lost, and keeps for its topic."""

    topic: str
    payload: bytes


class AcknowledgingClient:
    """A client that acknowledges a packet on request; it serves one connection."""

    def __init__(
        self,
        agent: str,
        broker: BrokerPlace,
        *,
        is_trial: bool = False,
        keeps_session: bool = True,
        will: Will | None = None,
    ) -> None:
        """A trial has a session of another name, which ends with it."""
        self._broker = broker
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=(None if is_trial else broker.client_id) or f"weighbridge-{agent}-{broker.name}",
            clean_session=is_trial or not keeps_session,
            reconnect_on_failure=False,
            manual_ack=True,
        )
        if will is not None:
            self._client.will_set(will.topic, will.payload, QOS, retain=True)
        if broker.username is not None:
            self._client.username_pw_set(broker.username, read_password(broker))
        if broker.tls:
            self._client.tls_set_context(
                create_tls_context(broker.ca_file, f"ca_file of the source {broker.name}")
            )
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
        """Acknowledge a packet, so that the broker does not send it again."""
        if packet.qos:
            self._client.ack(packet.number, packet.qos)

    def publish(self, topic: str, payload: bytes, *, is_retained: bool = False) -> None:
        """Publish at least once what is retained, and at most once what is not."""
        self._client.publish(topic, payload, QOS if is_retained else 0, is_retained)

    async def lost(self) -> None:
        """Wait for the end of the connection. Raises BrokerError when it was not we who ended it."""
        await asyncio.shield(self._has_ended)

    async def follow(self, filters: list[str]) -> None:
        """Subscribe, once in a connection. Raises Refusal for a filter that the broker refuses."""
        failure, _ = self._client.subscribe([(topic, QOS) for topic in filters])
        if failure:
            raise BrokerError(paho.error_string(failure))
        codes = await self._answer(self._granted)
        refused_filters = [
            topic_filter
            for topic_filter, code in zip(filters, codes, strict=True)
            if code >= SUBSCRIPTION_REFUSED
        ]
        if refused_filters:
            raise Refusal(f"The broker refuses to be subscribed for {', '.join(refused_filters)}.")

    async def _answer(self, awaited: "asyncio.Future[Any]") -> Any:
        """Wait for an answer of the broker, as long as there is a connection."""
        has_ended = self._has_ended
        await asyncio.wait((awaited, has_ended), timeout=TIMEOUT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if awaited.done():
            return awaited.result()
        if has_ended.done():
            has_ended.result()
        raise BrokerError("The broker did not answer in time.")

    async def _stop(self) -> None:
        """Disconnect and wait for the end of the thread, which may come later by itself."""
        self._client.disconnect()
        with suppress(TimeoutError):
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await asyncio.to_thread(self._client.loop_stop)
        for event in (self._has_begun, self._has_ended, self._granted):
            event.cancel()

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
            self._has_ended.exception()  # a caller may have left, and need not learn of it

    def _subscribed(
        self, _client: paho.Client, _userdata: Any, _number: int, reasons: list[Any], _properties: Any
    ) -> None:
        self._on_loop(self._granted.set_result, [reason.value for reason in reasons])

    def _on_loop(self, work: Any, *arguments: Any) -> None:
        """Have something done on the loop, which may have ended while the thread still had an answer."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(work, *arguments)


# A broker as a source: messages become durable readings, and only then are acknowledged.
#
# Messages that have come while the last ones were synced to the disk are kept together, by one sync. While
# the spool is full the agent is not connected, and the broker keeps what comes.
#
# Invariant: a packet is acknowledged after its readings are durable, never before.


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
                    await self._take(client, await await_packets(client, lost))
            finally:
                lost.cancel()

    async def _look_at_session(self, client: AcknowledgingClient) -> None:
        """Say so when the broker has lost a session that it was to keep, for something may be missing."""
        session_name, lost_name = f"session/{self._broker.name}", f"session lost/{self._broker.name}"
        if not await self._spool.is_noted(session_name):
            await self._spool.note(session_name, {"state": "begun"})
        elif not client.has_session:
            message = "the broker had not kept the session; what came while the agent was away may be missing"
            log.warning("%s: %s.", self._broker.name, message)
            await self._spool.note(lost_name, {"state": "lost", "error": f"{message}."})

    async def _take(self, client: AcknowledgingClient, packets: list[Packet]) -> None:
        """Make packets durable and acknowledge them, some at a time, so that a spool keeps to its size."""
        done_count = 0
        while done_count < len(packets):
            readings: list[AgentReading] = []
            refused_readings: list[RefusedReading] = []
            numbers: list[tuple[str, int, bytes]] = []
            begin = done_count
            while done_count < len(packets) and len(readings) < READINGS_AT_ONCE_MAX:
                for reading in await self._readings(packets[done_count], numbers):
                    if isinstance(reading, AgentReading):
                        readings.append(reading)
                    else:
                        refused_readings.append(reading)
                done_count += 1
            await self._spool.keep(Handover(readings, refused_readings, packets=numbers))
            for packet in packets[begin:done_count]:
                client.acknowledge(packet)
            for refused_reading in refused_readings[:1]:
                message = "%d messages or readings are set apart, first %s: %s"
                log.warning(message, len(refused_readings), refused_reading.reference, refused_reading.reason)

    async def _readings(
        self, packet: Packet, numbers: list[tuple[str, int, bytes]]
    ) -> list[AgentReading | RefusedReading]:
        entry = next((topic for topic in self._broker.topics if fits(packet.topic, topic.topic)), None)
        if entry is None or not await self._is_new(packet, entry, numbers):
            return []
        return [*parse_readings(self._message(packet), entry)]

    def _message(self, packet: Packet) -> MqttMessage:
        return MqttMessage(self._broker.name, packet.topic, packet.payload, packet.arrived_at)

    async def _is_new(self, packet: Packet, entry: MqttTopic, numbers: list[tuple[str, int, bytes]]) -> bool:
        """Whether a packet is to be read. One with a time of its own always is: its name identifies a
        repetition.

        One without is known again by its number and content, when the broker says that it sent it before;
        a retained message after a new subscription is no new reading.
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


async def await_packets(client: AcknowledgingClient, lost: "asyncio.Task[None]") -> list[Packet]:
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
