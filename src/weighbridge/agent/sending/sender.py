"""The sender: takes the oldest readings of the spool, sends them, and lets go what the service has.

Invariants: a reading leaves the spool only by an answer that says so; no reading holds up another.
"""

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta
from random import random
from typing import Final

from weighbridge.agent.configuration.records import AgentConfiguration
from weighbridge.agent.sending.answer import Meaning, Next, meaning_of
from weighbridge.agent.sending.connection import AgentConnection, UnansweredError
from weighbridge.agent.sending.pause import pause_seconds
from weighbridge.agent.spool.database import SpooledReading, SpoolFullError
from weighbridge.agent.spool.spool import Spool

IDLE_SECONDS: Final = 1.0
SERVICE_FACT: Final = "service"
log: Final = logging.getLogger("weighbridge.agent")


class Sender:
    """Sends what the spool holds, for as long as it runs."""

    def __init__(self, configuration: AgentConfiguration, spool: Spool, connection: AgentConnection) -> None:
        self._most = self._most_now = configuration.service.batch_size
        self._longest = float(configuration.retry_seconds_max)
        self._spool = spool
        self._connection = connection
        self._failures = 0
        self.clock_offset: timedelta | None = None
        """How far this machine's clock is ahead of the service's; None before the first answer."""

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            self._spool.arrived.clear()
            batch = await self._spool.oldest(self._most_now)
            if not batch:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._spool.arrived.wait(), IDLE_SECONDS)
                continue
            await self._send(batch)

    async def _send(self, batch: list[SpooledReading]) -> None:
        try:
            answer = await self._connection.post_events([one.event for one in batch])
        except UnansweredError as error:
            await self._wait(f"The service does not answer: {error}", None)
            return
        if answer.clock_offset is not None:
            self.clock_offset = answer.clock_offset
        meaning = meaning_of(answer.status, answer.body, len(batch))
        if meaning.next is Next.WAIT:
            await self._wait(meaning.said, answer.retry_after)
            return
        if meaning.next is Next.HALVE:
            self._most_now = max(len(batch) // 2, 1)
            return
        try:
            await self._settle(batch, meaning)
        except SpoolFullError:
            # Sent again later, the service says that it has them.
            await self._wait("The disk of the spool is full.", None)

    async def _settle(self, batch: list[SpooledReading], meaning: Meaning) -> None:
        refused = {batch[place].id: reason for place, reason in meaning.refused.items()}
        await self._spool.settle([batch[place].id for place in meaning.there], refused)
        for place, reason in [*meaning.refused.items()][:1]:
            said = "%d readings are refused and set apart, first %s: %s"
            log.warning(said, len(refused), batch[place].reference, reason)
        self._most_now = min(self._most_now * 2, self._most)
        if self._failures:
            log.info("The service takes readings again.")
        self._failures = 0
        offset = None if self.clock_offset is None else self.clock_offset.total_seconds()
        await self._spool.note(SERVICE_FACT, {"state": "sending", "clock_offset_seconds": offset})

    async def _wait(self, said: str, retry_after: float | None) -> None:
        self._failures += 1
        seconds = pause_seconds(self._failures, self._longest, retry_after, random)
        if self._failures == 1:
            log.warning("%s Readings wait in the spool.", said)
        await self._spool.note(SERVICE_FACT, {"state": "waiting", "error": said, "failures": self._failures})
        await asyncio.sleep(seconds)
