"""The deliverer: it looks for webhook queues that are due, and works on some of them side by side.

Each webhook has a queue (a lane), which one worker holds at a time. The worker first takes what the
feed has, then sends what is due, and records each attempt.

Invariants: a lane has one holder, and a worker that has lost it writes nothing of it; those that fail
have at most half of the lanes; no connection is held while a receiver is waited for.
"""

import asyncio
import socket
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from ipaddress import ip_address
from types import TracebackType
from typing import Final, Self
from uuid import UUID, uuid4

from weighbridge.db.engine import Database, Write
from weighbridge.exchange.delivery.attempt import (
    SignedDestination,
    attempt_delivery,
    list_due_deliveries,
    read_send_time,
    read_signing_secrets,
    record_attempt,
)
from weighbridge.exchange.delivery.feed import WAITING_DELIVERIES_MAX, lock_receiver, number_changes, take
from weighbridge.http.limits import Address
from weighbridge.http.outgoing import OutgoingClient

# Resolving: the addresses of a name, asked for in threads of their own.
#
# The event loop has a handful of threads for that, which a few names that nobody answers for would fill;
# then no delivery would go out to anybody. Here there are as many as deliveries under way at a time.


class NameResolver:
    """Resolves names as the machine does; raises OSError for one that has no address."""

    def __init__(self, threads_max: int) -> None:
        self._threads = ThreadPoolExecutor(threads_max, thread_name_prefix="resolve")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        """The addresses of a name."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _resolve_addresses, host, port)
        return [*dict.fromkeys(ip_address(text.partition("%")[0]) for text in found)]


def _resolve_addresses(host: str, port: int) -> list[str]:
    return [str(address[0]) for *_, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


# Lanes: which worker is at which webhook, and which webhook is next.
#
# A lane is due when a delivery is, or when the feed has something behind the webhook's place. The one that
# was served longest ago comes first. A worker says several times in each lease that it still holds its
# lanes; those of a worker that says so no more are free when its lease is over.
#
# Invariants: a lane has one holder; whoever has lost a lane writes nothing of it any more; a lane that is
# given back is due when the next of its deliveries is, whatever was asked for meanwhile.


_CLAIM: Final = """
    WITH heads AS MATERIALIZED (
        SELECT a.account_id, coalesce(
                   (SELECT max(c.number) FROM changes c WHERE c.account_id = a.account_id),
                   (SELECT h.number FROM change_horizons h WHERE h.account_id = a.account_id), 0) AS number
          FROM (SELECT DISTINCT account_id FROM webhooks WHERE is_enabled) AS a
    ), due AS (
        SELECT l.webhook_id
          FROM webhook_lanes l JOIN webhooks w ON w.id = l.webhook_id
          LEFT JOIN heads h ON h.account_id = w.account_id
         WHERE (l.held_until IS NULL OR l.held_until < now())
           AND (w.failing_since IS NOT NULL) = %(failing)s
           AND (l.due_at <= now()::timestamptz(3)
                OR w.is_enabled AND NOT l.is_full AND l.next_number <= h.number)
         ORDER BY l.served_at NULLS FIRST, l.webhook_id
         LIMIT %(limit)s
           FOR UPDATE OF l SKIP LOCKED
    )
    UPDATE webhook_lanes l
       SET holder = %(holder)s, held_until = now() + make_interval(secs => %(lease)s)
      FROM due WHERE l.webhook_id = due.webhook_id
    RETURNING l.webhook_id
"""

_KEEP: Final = """
    UPDATE webhook_lanes SET held_until = now() + make_interval(secs => %s)
     WHERE holder = %s AND webhook_id = ANY (%s)
"""

_RELEASE: Final = """
    UPDATE webhook_lanes l
       SET holder = NULL, held_until = NULL, served_at = clock_timestamp(),
           due_at = (SELECT min(d.next_attempt_at)
                       FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
                      WHERE d.webhook_id = l.webhook_id AND d.state = 'pending'
                        AND (w.is_enabled OR d.is_by_hand)),
           is_full = (SELECT count(*) >= %s FROM webhook_deliveries d
                       WHERE d.webhook_id = l.webhook_id AND d.state = 'pending')
     WHERE l.webhook_id = %s
"""


async def claim(
    database: Database, holder: UUID, *, lease_seconds: int, limit: int, failing: bool
) -> list[int]:
    """Take up lanes that are due: of webhooks that fail, or of the others."""
    if limit <= 0:
        return []
    async with database.write() as tx:
        values = {"holder": holder, "lease": lease_seconds, "limit": limit, "failing": failing}
        return [number for (number,) in await tx.tuples(_CLAIM, values)]


async def keep(database: Database, holder: UUID, lanes: Collection[int], *, lease_seconds: int) -> None:
    """Say that lanes are still held."""
    async with database.write() as tx:
        await tx.execute(_KEEP, (lease_seconds, holder, [*lanes]))


async def release(tx: Write, webhook: int, holder: UUID) -> None:
    """Give a lane back, unless another has it by now."""
    held = "SELECT FROM webhook_lanes WHERE webhook_id = %s AND holder = %s FOR UPDATE"
    # The second statement sees what was committed before the first one had the lane.
    if await tx.tuples(held, (webhook, holder)):
        await tx.execute(_RELEASE, (WAITING_DELIVERIES_MAX, webhook))


# The deliverer: looks for lanes that are due, again and again, and works on some of them side by side.
#
# Invariants: one process works on so many lanes at a time, and on half as many of those that fail; each
# holds no connection to the database while its receiver is waited for; one that takes long gives its lane
# back after each turn, so that others come to theirs.


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
                receiver = await lock_receiver(tx, webhook, self._holder)
                if receiver is None:
                    return
                await take(tx, receiver)
                due = await list_due_deliveries(tx, receiver, DUE_AT_ONCE)
                secrets = await read_signing_secrets(tx, webhook)
            destination = SignedDestination(receiver.url, secrets, self._source)
            if not due:
                return
            for delivery in due:
                if self._is_stopping or clock() > deadline:
                    return
                now = await read_send_time(self._database, delivery, self._holder)
                if now is None:
                    break
                attempt = await attempt_delivery(self._client, delivery, destination, now)
                async with self._database.write() as tx:
                    if not await record_attempt(tx, delivery, self._holder, attempt):
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
