"""A trial: whether the service, and each source, can be reached as the file says, and has what it names."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import msgspec

from weighbridge.agent.configuration.records import (
    AgentConfiguration,
    MqttBroker,
    OpcUaServer,
    TaggedPlace,
)
from weighbridge.agent.run import with_extra
from weighbridge.agent.sending.connection import AgentConnection, UnansweredError
from weighbridge.errors import Refusal

TRIAL_SECONDS: Final = 30
OK: Final = 200
PAGE: Final = 200


async def complaints(configuration: AgentConfiguration) -> AsyncIterator[str]:
    """What keeps the agent from working, a sentence for each thing, as soon as it is known."""
    try:
        async with AgentConnection(configuration.service) as connection:
            async for said in _of_service(configuration, connection):
                yield said
    except (Refusal, UnansweredError) as error:
        yield f"service: {error}"
    for source in configuration.sources:
        try:
            async with asyncio.timeout(TRIAL_SECONDS):
                for said in await _of_source(configuration.agent, source):
                    yield f"{source.name}: {said}"
        except TimeoutError:
            yield f"{source.name}: it did not answer within {TRIAL_SECONDS} seconds."
        except Exception as error:  # noqa: BLE001 - whatever it is, the person who tries wants to see it
            yield f"{source.name}: {str(error) or type(error).__name__}"


async def _of_service(configuration: AgentConfiguration, connection: AgentConnection) -> AsyncIterator[str]:
    """Whether the token reads the project, and the event types have the data points of the file."""
    known: dict[str, set[str]] = {}
    page: int | None = 1
    while page is not None:
        answer = await connection.get(f"/event_types?page={page}&page_size={PAGE}")
        if answer.status != OK:
            yield f"service: it answers {answer.status}: {answer.body[:300].decode(errors='replace')}"
            return
        body = msgspec.json.decode(answer.body)
        for one in body["data"]:
            known[one["slug"]] = {point["slug"] for point in one["data_point_types"]}
        page = body["info"]["next_page"]
    for place, tagged, slugs in _places(configuration):
        if tagged.event_type not in known:
            yield f"{place}.event_type is {tagged.event_type!r}, which is no event type of the project."
            continue
        for slug in slugs:
            if slug not in known[tagged.event_type]:
                yield f"{place}: the event type {tagged.event_type!r} has no data point {slug!r}."


def _places(configuration: AgentConfiguration) -> Iterator[tuple[str, TaggedPlace, list[str]]]:
    """Every entry of the file that makes events, with the slugs that it fills."""
    for index, source in enumerate(configuration.sources):
        if isinstance(source, OpcUaServer):
            for number, node in enumerate(source.nodes):
                slugs: list[Any] = [node.data_point, node.quality, node.status, node.arrived_at]
                yield f"sources[{index}].nodes[{number}]", node, [one for one in slugs if one]
        else:
            for number, topic in enumerate(source.topics):
                slugs = [*topic.data_points, topic.data_point, topic.quality, topic.arrived_at]
                yield f"sources[{index}].topics[{number}]", topic, [one for one in slugs if one]
    if (report := configuration.report) is not None:
        slugs = [report.lag_seconds, report.waiting, report.refused, report.clock_offset_seconds]
        yield "report", report, [one for one in slugs if one]


async def _of_source(agent: str, source: OpcUaServer | MqttBroker) -> list[str]:
    if isinstance(source, OpcUaServer):
        return await _of_server(source)
    return await _of_broker(agent, source)


async def _of_server(server: OpcUaServer) -> list[str]:
    trial = with_extra(_opcua)
    said: list[str] = await trial.complaints_of(server)
    return said


async def _of_broker(agent: str, broker: MqttBroker) -> list[str]:
    """Connect by another name and without a session: that of a running agent stays as it is."""
    client = with_extra(_mqtt)
    async with client.AcknowledgingClient(f"{agent}-check", broker, is_trial=True) as one:
        await one.follow([topic.topic for topic in broker.topics])
    return []


def _opcua() -> Any:
    from weighbridge.agent.opcua import trial  # noqa: PLC0415 - an extra, slow to import

    return trial


def _mqtt() -> Any:
    from weighbridge.agent.mqtt import client  # noqa: PLC0415 - as above

    return client
