"""The agent's report of itself: how far behind the service is, as an event that waits as readings do.

Lag is for how long the oldest reading that the service lacks has been here, by this machine's clock.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from decimal import Decimal

from weighbridge.agent.clock import now
from weighbridge.agent.configuration.records import AgentReport
from weighbridge.agent.reading import AgentReading, Measured, Tags, make_reading, reference_of
from weighbridge.agent.spool.database import Handover, SpoolFullError
from weighbridge.agent.spool.spool import Spool


async def report_always(
    agent: str, report: AgentReport, spool: Spool, clock_offset: Callable[[], timedelta | None]
) -> None:
    """Put a report into the spool again and again; while the spool is full there is none."""
    while True:
        await asyncio.sleep(report.every_seconds)
        waiting = await spool.waiting()
        reading = report_of(agent, report, now(), waiting, clock_offset())
        with suppress(SpoolFullError):
            await spool.keep(Handover([reading]))


def report_of(
    agent: str,
    report: AgentReport,
    at: datetime,
    waiting: tuple[int, datetime | None, int],
    offset: timedelta | None,
) -> AgentReading:
    """The report at a moment; `waiting` is as the spool says it."""
    count, oldest, refused = waiting
    lag = timedelta(0) if oldest is None else max(at - oldest, timedelta(0))
    values: dict[str, Measured] = {report.lag_seconds: seconds(lag)}
    if report.waiting is not None:
        values[report.waiting] = count
    if report.refused is not None:
        values[report.refused] = refused
    if report.clock_offset_seconds is not None and offset is not None:
        values[report.clock_offset_seconds] = seconds(offset)
    tags = Tags(
        report.event_type, report.asset_id, report.feedstock_id, tuple(report.locations), report.tracking_id
    )
    return make_reading(reference_of(agent, "report", at), tags, at, values)


def seconds(time: timedelta) -> Decimal:
    """A time in seconds, to the millisecond."""
    return Decimal(time // timedelta(milliseconds=1)).scaleb(-3)
