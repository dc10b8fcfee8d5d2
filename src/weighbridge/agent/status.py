"""The content of a spool and the state of the agent, read while the agent runs, without changes.

It is read from a connection of its own that may not write, so a status is to be had at any time.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import msgspec

from weighbridge.agent.configuration import (
    AgentConfiguration,
    ModbusDevice,
    ModbusValue,
    MqttBroker,
    OpcUaNode,
    OpcUaServer,
    SourceConfiguration,
    SparkplugBroker,
    SparkplugMetric,
    TaggedPlace,
)
from weighbridge.agent.readings import microseconds, moment_of, text_of
from weighbridge.agent.run import seconds, with_extra
from weighbridge.agent.sending import AgentConnection, UnansweredError
from weighbridge.agent.spool import check_spool_version
from weighbridge.errors import Refusal

SHOWN_MAX: Final = 20
"""Refused readings that a status shows; the newest."""

BUSY_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class RefusedShown:
    """A reading that was set apart."""

    reference: str
    reason: str
    refused_at: str
    content: str


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """What a spool holds at a moment; times in ISO 8601, in UTC."""

    waiting: int
    oldest_arrived_at: str | None
    lag_seconds: Decimal
    sent: int
    """Readings that the service has, by the names that the spool remembers."""
    refused: int
    refused_newest: list[RefusedShown]
    facts: dict[str, Any]
    """How the service and each source fared when it was last noted, with `at`."""
    positions: dict[str, str]
    """Up to which source time each variable is known, as `source/variable`."""


def read_status(path: Path, at: datetime) -> AgentStatus:
    """What a spool holds. Raises Refusal where there is none."""
    if not path.exists():
        raise Refusal(f"There is no spool {path}; the agent has not run yet.")
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=BUSY_SECONDS)
        try:
            check_spool_version(connection, path)
            return _read(connection, at)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise Refusal(f"The spool {path} cannot be read: {error}.") from None


def _read(connection: sqlite3.Connection, at: datetime) -> AgentStatus:
    connection.execute("BEGIN")
    ask = connection.execute
    waiting_count, oldest = ask("SELECT count(*), min(arrived_at) FROM readings").fetchone()
    (sent_count,) = ask("SELECT count(*) FROM sent").fetchone()
    (refused_count,) = ask("SELECT count(*) FROM refused").fetchone()
    newest = ask(
        "SELECT reference, reason, refused_at, content FROM refused ORDER BY id DESC LIMIT ?", (SHOWN_MAX,)
    ).fetchall()
    facts = {
        name: msgspec.json.decode(fact) | {"at": text_of(moment_of(moment))}
        for name, fact, moment in ask("SELECT name, fact, at FROM facts ORDER BY name")
    }
    positions = {
        f"{source}/{node}": text_of(moment_of(time))
        for source, node, time in ask("SELECT source, node, time FROM positions ORDER BY source, node")
    }
    lag = 0 if oldest is None else max(microseconds(at) - oldest, 0)
    return AgentStatus(
        waiting_count,
        None if oldest is None else text_of(moment_of(oldest)),
        seconds(moment_of(lag) - moment_of(0)),
        sent_count,
        refused_count,
        [
            RefusedShown(reference, reason, text_of(moment_of(moment)), content.decode(errors="replace"))
            for reference, reason, moment, content in newest
        ],
        facts,
        positions,
    )


def render_status(status: AgentStatus) -> str:
    """A status for people."""
    lines = [
        f"{status.waiting:,} readings wait"
        + (f", the oldest for {status.lag_seconds} seconds." if status.waiting else "."),
        f"{status.refused:,} readings are set apart.",
    ]
    for name, fact in status.facts.items():
        message = f"{name}: {fact.get('state')}"
        if fact.get("clock_offset_seconds") is not None:
            message += f"; this clock is {fact['clock_offset_seconds']} seconds ahead of its"
        lines.append(f"{message} ({fact['at']}).")
        if fact.get("error"):
            lines.append(f"  {fact['error']}")
        lines += [f"  {node}: {problem}" for node, problem in (fact.get("problems") or {}).items()]
    lines += [f"{name} is known up to {time}." for name, time in status.positions.items()]
    for refused_reading in status.refused_newest:
        lines += [
            f"Set apart {refused_reading.refused_at}: {refused_reading.reference}",
            f"  {refused_reading.reason}",
            f"  {refused_reading.content}",
        ]
    return "\n".join(lines)


# A trial: whether the service, and each source, can be reached as the file says, and has what it names.


TRIAL_SECONDS: Final = 30
OK: Final = 200
PAGE: Final = 200


async def complaints(configuration: AgentConfiguration) -> AsyncIterator[str]:
    """What keeps the agent from working, a sentence for each thing, as soon as it is known."""
    try:
        async with AgentConnection(configuration.service) as connection:
            async for message in _check_service(configuration, connection):
                yield message
    except (Refusal, UnansweredError) as error:
        yield f"service: {error}"
    for source in configuration.sources:
        try:
            async with asyncio.timeout(TRIAL_SECONDS):
                for message in await _describe_source(configuration.agent, source):
                    yield f"{source.name}: {message}"
        except TimeoutError:
            yield f"{source.name}: it did not answer within {TRIAL_SECONDS} seconds."
        except Exception as error:  # noqa: BLE001 - whatever it is, the person who tries wants to see it
            yield f"{source.name}: {str(error) or type(error).__name__}"


async def _check_service(
    configuration: AgentConfiguration, connection: AgentConnection
) -> AsyncIterator[str]:
    """Whether the token reads the project, and the event types have the data points of the file."""
    slugs_by_type: dict[str, set[str]] = {}
    page: int | None = 1
    while page is not None:
        answer = await connection.get(f"/event_types?page={page}&page_size={PAGE}")
        if answer.status != OK:
            yield f"service: it answers {answer.status}: {answer.body[:300].decode(errors='replace')}"
            return
        body = msgspec.json.decode(answer.body)
        for event_type in body["data"]:
            slugs_by_type[event_type["slug"]] = {point["slug"] for point in event_type["data_point_types"]}
        page = body["info"]["next_page"]
    for place, tagged, slugs in _places(configuration):
        if tagged.event_type not in slugs_by_type:
            yield f"{place}.event_type is {tagged.event_type!r}, which is no event type of the project."
            continue
        for slug in slugs:
            if slug not in slugs_by_type[tagged.event_type]:
                yield f"{place}: the event type {tagged.event_type!r} has no data point {slug!r}."


def _places(configuration: AgentConfiguration) -> Iterator[tuple[str, TaggedPlace, list[str]]]:
    """Every entry of the file that makes events, with the slugs that it fills."""
    for index, source in enumerate(configuration.sources):
        if isinstance(source, OpcUaServer):
            for number, node in enumerate(source.nodes):
                yield f"sources[{index}].nodes[{number}]", node, _slugs_of(node)
        elif isinstance(source, ModbusDevice):
            for number, value in enumerate(source.registers):
                yield f"sources[{index}].registers[{number}]", value, _slugs_of(value)
        elif isinstance(source, SparkplugBroker):
            for number, metric in enumerate(source.metrics):
                yield f"sources[{index}].metrics[{number}]", metric, _slugs_of(metric)
        else:
            for number, topic in enumerate(source.topics):
                slugs: list[Any] = [*topic.data_points, topic.data_point, topic.quality, topic.arrived_at]
                yield f"sources[{index}].topics[{number}]", topic, [slug for slug in slugs if slug]
    if (report := configuration.report) is not None:
        slugs = [report.lag_seconds, report.waiting, report.refused, report.clock_offset_seconds]
        yield "report", report, [slug for slug in slugs if slug]


def _slugs_of(variable: OpcUaNode | ModbusValue | SparkplugMetric) -> list[str]:
    slugs = [variable.data_point, variable.quality, variable.status, variable.arrived_at]
    return [slug for slug in slugs if slug]


async def _describe_source(agent: str, source: SourceConfiguration) -> list[str]:
    if isinstance(source, MqttBroker | SparkplugBroker):
        return await _check_broker(agent, source)
    trial = with_extra(_opcua if isinstance(source, OpcUaServer) else _modbus)
    message: list[str] = await trial.list_complaints(source)
    return message


async def _check_broker(agent: str, broker: MqttBroker | SparkplugBroker) -> list[str]:
    """Connect by another name and without a session: that of a running agent stays as it is."""
    client = with_extra(_mqtt)
    async with client.AcknowledgingClient(f"{agent}-check", broker, is_trial=True) as broker_client:
        if isinstance(broker, MqttBroker):
            await broker_client.follow([topic.topic for topic in broker.topics])
        else:
            await broker_client.follow([f"spBv1.0/{metric.group_id}/#" for metric in broker.metrics])
    return []


def _opcua() -> Any:
    from weighbridge.agent import opcua as trial  # noqa: PLC0415 - an extra, slow to import

    return trial


def _modbus() -> Any:
    from weighbridge.agent import modbus as trial  # noqa: PLC0415 - as above

    return trial


def _mqtt() -> Any:
    from weighbridge.agent import mqtt as client  # noqa: PLC0415 - as above

    return client
