"""The deliverer: looks for lanes that are due, again and again, and works on some of them side by side.

Invariants: one process works on so many lanes at a time, and on half as many of those that fail; each holds
no connection to the database while its receiver is waited for; one that takes long gives its lane back after
each turn, so that others come to theirs.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from uuid import uuid4

from weighbridge.db.engine import Database
from weighbridge.exchange.delivering.lanes import claim, keep, release
from weighbridge.exchange.delivering.sending import (
    SignedDestination,
    attempt_delivery,
    due_deliveries,
    moment_to_send,
    standing_secrets,
    write_down,
)
from weighbridge.exchange.delivering.taking import held_receiver, take
from weighbridge.exchange.feed.numbering import number_changes
from weighbridge.http.outgoing.client import OutgoingClient

LANES_MAX: Final = 100
"""Webhooks that one worker delivers to at the same time."""

FAILING_LANES_MAX: Final = 50
"""How many of them may be of webhooks whose last attempt failed."""

TURN_SECONDS: Final = 10
"""How long one webhook is delivered to before others have their turn; an attempt under way is finished."""

DUE_AT_ONCE: Final = 20
"""Deliveries that are read at a time."""

LOOK_MILLISECONDS: Final = 250
"""How often a worker looks for lanes that are due."""

STOP_SECONDS: Final = 2
"""How long a worker that stops waits for attempts under way; those that take longer are made again."""

DELIVERING_CONNECTIONS: Final = 4
"""Connections to the database that delivering has in one worker."""


Tell = Callable[[Exception], None]
"""Hears of a mistake of ours; delivering goes on."""


class Deliverer:
    """Delivers to webhooks, in one process; for one event loop."""

    def __init__(
        self, database: Database, client: OutgoingClient, source: str, *, lease_seconds: int, tell: Tell
    ) -> None:
        self._database = database
        self._client = client
        self._source = source
        self._lease_seconds = lease_seconds
        self._tell = tell
        self._holder = uuid4()
        self._turns: dict[int, asyncio.Task[None]] = {}
        self._failing: set[int] = set()
        self._is_stopping = False

    async def look(self) -> int:
        """Take up lanes that are due; gives how many."""
        if await self._database.single("SELECT FROM webhooks LIMIT 1") is None:
            return 0
        await number_changes(self._database)
        free = LANES_MAX - len(self._turns)
        failing = min(free, FAILING_LANES_MAX - len(self._failing))
        begun = 0
        for is_failing, limit in ((False, free), (True, failing)):
            lanes = await claim(
                self._database,
                self._holder,
                lease_seconds=self._lease_seconds,
                limit=min(limit, LANES_MAX - len(self._turns)),
                failing=is_failing,
            )
            for webhook in lanes:
                self._begin(webhook, is_failing=is_failing)
            begun += len(lanes)
        return begun

    async def run(self) -> None:
        """Look for ever, and say that what is held is held."""
        keeping = asyncio.create_task(self._keep())
        try:
            while True:
                try:
                    await self.look()
                except Exception as error:  # noqa: BLE001 - it is told, and others go on
                    self._tell(error)
                await asyncio.sleep(LOOK_MILLISECONDS / 1_000)
        finally:
            await self.stop()
            keeping.cancel()

    async def settle(self) -> None:
        """Deliver until nothing is due; what comes due beside turns under way is taken up as ever."""
        while await self.look() or self._turns:
            if self._turns:
                await asyncio.wait(self._turns.values(), timeout=LOOK_MILLISECONDS / 1_000)

    async def stop(self) -> None:
        """Begin nothing, and give what is under way a moment to end."""
        self._is_stopping = True
        if self._turns:
            await asyncio.wait(self._turns.values(), timeout=STOP_SECONDS)
        for turn in [*self._turns.values()]:
            turn.cancel()
            with suppress(asyncio.CancelledError):
                await turn

    def _begin(self, webhook: int, *, is_failing: bool) -> None:
        turn = asyncio.create_task(self._turn(webhook))
        self._turns[webhook] = turn
        if is_failing:
            self._failing.add(webhook)

    async def _turn(self, webhook: int) -> None:
        try:
            await self._work(webhook)
            async with self._database.write() as tx:
                await release(tx, webhook, self._holder)
        except Exception as error:  # noqa: BLE001 - it is told, and others go on
            self._tell(error)
        finally:
            self._turns.pop(webhook, None)
            self._failing.discard(webhook)

    async def _work(self, webhook: int) -> None:
        """Send what is due of one webhook, until nothing is or its turn is over."""
        clock = asyncio.get_running_loop().time
        deadline = clock() + TURN_SECONDS
        while True:
            async with self._database.write() as tx:
                receiver = await held_receiver(tx, webhook, self._holder)
                if receiver is None:
                    return
                await take(tx, receiver)
                due = await due_deliveries(tx, receiver, DUE_AT_ONCE)
                secrets = await standing_secrets(tx, webhook)
            destination = SignedDestination(receiver.url, secrets, self._source)
            if not due:
                return
            for delivery in due:
                if self._is_stopping or clock() > deadline:
                    return
                now = await moment_to_send(self._database, delivery, self._holder)
                if now is None:
                    break
                attempt = await attempt_delivery(self._client, delivery, destination, now)
                async with self._database.write() as tx:
                    if not await write_down(tx, delivery, self._holder, attempt):
                        return

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            try:
                if self._turns:
                    lanes = [*self._turns]
                    await keep(self._database, self._holder, lanes, lease_seconds=self._lease_seconds)
            except Exception as error:  # noqa: BLE001 - it is told, and others go on
                self._tell(error)
