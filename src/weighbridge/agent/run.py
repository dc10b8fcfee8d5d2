"""A running agent: its sources, its sender and its reports side by side, each for ever.

Invariants: a source that fails is begun again after a pause, and no other waits for it; what a source raises
that was not to be expected is logged with its trace, and begun again too.
"""

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal
from random import random
from typing import Any, Final, Protocol, TypeVar

from weighbridge.agent.configuration import (
    AgentConfiguration,
    AgentReport,
    ModbusDevice,
    OpcUaServer,
    SourceConfiguration,
    SparkplugBroker,
)
from weighbridge.agent.mapping import MappingInForce
from weighbridge.agent.readings import AgentReading, Measured, build_reference, make_reading, now
from weighbridge.agent.reporting import ServiceReporter
from weighbridge.agent.sending import AgentConnection, Sender, pause_seconds
from weighbridge.agent.spool import Handover, Spool, SpoolFullError, opened_spool
from weighbridge.errors import Refusal

STEADY_SECONDS: Final = 30.0
"""A session that lasted so long is followed by the shortest pause again."""

ROOM_LOOK_SECONDS: Final = 10.0
"""How often a source checks whether a full spool has space again, without a notification."""

EXTRA: Final = frozenset({"asyncua", "google", "paho", "pymodbus"})
"""Packages that only the extra installs."""

EXPECTED: Final = (OSError, TimeoutError, Refusal)
Made = TypeVar("Made")
log: Final = logging.getLogger("weighbridge.agent")


class SessionOfSource(Protocol):
    """What is read from."""

    async def session(self) -> None:
        """Read until something ends it."""


async def run(configuration: AgentConfiguration) -> None:
    """Run until a signal asks to stop. Raises Refusal for what no retry mends."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    async with (
        AgentConnection(configuration.service) as connection,
        opened_spool(configuration.spool.path, configuration.spool.megabytes_max) as spool,
    ):
        await _run_parts(configuration, connection, spool, stopping)


async def _run_parts(
    configuration: AgentConfiguration, connection: AgentConnection, spool: Spool, stopping: asyncio.Event
) -> None:
    longest = float(configuration.retry_seconds_max)
    mapping = MappingInForce(configuration.sources, spool)
    await mapping.load()
    sources = [
        (source_configuration.name, create_source(configuration.agent, source_configuration, spool, mapping))
        for source_configuration in configuration.sources
    ]
    sender = Sender(configuration, spool, connection)
    parts: list[Awaitable[object]] = [stopping.wait(), sender.run()]
    parts += [_keep_reading(name, source, spool, longest) for name, source in sources]
    reporter = ServiceReporter(
        configuration, spool, connection, mapping, lambda: sender.clock_offset, _browse
    )
    parts.append(reporter.run())
    if configuration.report is not None:
        report = configuration.report
        parts.append(report_always(configuration.agent, report, spool, lambda: sender.clock_offset))
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        done_tasks, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done_tasks:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def create_source(
    agent: str, source: SourceConfiguration, spool: Spool, mapping: MappingInForce
) -> SessionOfSource:
    """What reads a source. Raises Refusal when the package that it takes is not installed."""
    return with_extra(lambda: _source(agent, source, spool, mapping))


def _source(
    agent: str, source: SourceConfiguration, spool: Spool, mapping: MappingInForce
) -> SessionOfSource:
    if isinstance(source, ModbusDevice):
        from weighbridge.agent.modbus import ModbusSource  # noqa: PLC0415 - an extra, slow to import

        return ModbusSource(source, spool)
    if isinstance(source, OpcUaServer):
        from weighbridge.agent.opcua import OpcUaSource  # noqa: PLC0415 - an extra, slow to import

        server = OpcUaSource(mapping.add_nodes(source), spool)
        mapping.follow(source.name, server.change)
        return server
    if isinstance(source, SparkplugBroker):
        from weighbridge.agent.sparkplug import SparkplugSource  # noqa: PLC0415 - as above

        return SparkplugSource(agent, source, spool)
    from weighbridge.agent.mqtt import MqttSource  # noqa: PLC0415 - as above

    return MqttSource(agent, source, spool)


async def _browse(server: OpcUaServer, node: str) -> tuple[list[dict[str, Any]], bool]:
    from weighbridge.agent.opcua import browse_server  # noqa: PLC0415 - as above

    return await browse_server(server, node)


def with_extra(make: Callable[[], Made]) -> Made:
    """What is made with the packages of the extra. Raises Refusal when they are not installed."""
    try:
        return make()
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in EXTRA:
            raise
        raise Refusal(
            f"The package {error.name}, with which the agent reads, is not installed: "
            "pip install 'weighbridge[agent]'"
        ) from None


async def _keep_reading(name: str, source: SessionOfSource, spool: Spool, longest: float) -> None:
    """One session after the other, with pauses; none while the spool is full."""
    loop = asyncio.get_running_loop()
    failures = 0
    while True:
        started_at = loop.time()
        try:
            await source.session()
        except SpoolFullError as error:
            log.warning("%s: %s; nothing is read until there is room.", name, error)
            await spool.note(f"source/{name}", {"state": "waiting", "error": str(error)})
            with suppress(TimeoutError):
                async with asyncio.timeout(ROOM_LOOK_SECONDS):
                    await spool.has_room.wait()
            spool.has_room.set()
            continue
        except Exception as error:  # whatever a source raises, it is begun again
            failures = 1 if loop.time() - started_at > STEADY_SECONDS else failures + 1
            message = str(error) or type(error).__name__
            is_expected = isinstance(error, EXPECTED) or type(error).__module__.startswith("asyncua")
            log.log(
                logging.WARNING if failures == 1 else logging.DEBUG,
                "%s: %s", name, message, exc_info=None if is_expected else error,
            )  # fmt: skip
            await spool.note(f"source/{name}", {"state": "waiting", "error": message, "failures": failures})
        await asyncio.sleep(pause_seconds(max(failures, 1), longest, None, random))


# The agent's report of itself: how far behind the service is, as an event that waits as readings do.
#
# Lag is for how long the oldest reading that the service lacks has been here, by this machine's clock.


async def report_always(
    agent: str, report: AgentReport, spool: Spool, clock_offset: Callable[[], timedelta | None]
) -> None:
    """Put a report into the spool again and again; while the spool is full there is none."""
    while True:
        await asyncio.sleep(report.every_seconds)
        waiting_summary = await spool.waiting()
        reading = build_report(agent, report, now(), waiting_summary, clock_offset())
        with suppress(SpoolFullError):
            await spool.keep(Handover([reading]))


def build_report(
    agent: str,
    report: AgentReport,
    at: datetime,
    waiting_summary: tuple[int, datetime | None, int],
    offset: timedelta | None,
) -> AgentReading:
    """The report at a moment; `waiting` is as the spool says it."""
    count, oldest, refused_count = waiting_summary
    lag = timedelta(0) if oldest is None else max(at - oldest, timedelta(0))
    values: dict[str, Measured] = {report.lag_seconds: seconds(lag)}
    if report.waiting is not None:
        values[report.waiting] = count
    if report.refused is not None:
        values[report.refused] = refused_count
    if report.clock_offset_seconds is not None and offset is not None:
        values[report.clock_offset_seconds] = seconds(offset)
    return make_reading(build_reference(agent, "report", at), report.tags, at, values)


def seconds(time: timedelta) -> Decimal:
    """A time in seconds, to the millisecond."""
    return Decimal(time // timedelta(milliseconds=1)).scaleb(-3)
