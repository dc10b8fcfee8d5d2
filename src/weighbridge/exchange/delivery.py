"""Delivery of changes to webhooks: one attempt after the other, by the queue of each webhook.

Each webhook has a queue (a lane), which one worker holds at a time. The deliverer looks for lanes that are
due and works on some of them side by side: it first takes what the feed has (`change_feed.py`), then sends
what is due, and records each attempt.

Invariants: a lane has one holder, and a worker that has lost it writes nothing of it; those that fail
have at most half of the lanes; no connection is held while a receiver is waited for. Of an attempt is written
down what a person needs to see what went wrong, and never more than a thousand characters of what a receiver
said.
"""

import asyncio
import socket
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Final, Self
from uuid import UUID, uuid4

from weighbridge.core import identity
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.webhook import (
    FAILING_DAYS_MAX,
    GONE,
    DeliveryState,
    compute_pause,
    is_taken,
    read_retry_after,
    write_signed_headers,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.statements import jsonb
from weighbridge.exchange.change_feed import (
    WAITING_DELIVERIES_MAX,
    HookReceiver,
    lock_receiver,
    number_changes,
    take,
)
from weighbridge.exchange.records.changes import IDS_OF_KEYS, MEDIA_TYPE, StoredDelivery, body_of
from weighbridge.http.limits import Address
from weighbridge.http.outgoing import NoAnswer, NotSent, OutgoingClient, OutgoingRequest
from weighbridge.platform import changes
from weighbridge.platform.kept_secrets import WEBHOOK_SECRETS, decrypt_secret

DELIVERY_SECONDS_MAX: Final = 15
"""How long one attempt may take, in seconds, from resolving the name to the end of the answer."""

EXCERPT_CHARACTERS_MAX: Final = 1_000
"""Characters of a receiver's answer that are kept."""

ATTEMPTS_SHOWN_MAX: Final = 20
"""Attempts of one delivery that are kept: the last ones."""


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """The outcome of one attempt."""

    at: Instant
    milliseconds: int
    status: int | None
    error: str | None
    answer: str | None
    retry_after_seconds: int | None

    @property
    def said(self) -> dict[str, Any]:
        """The part of the response that is stored."""
        return {
            "at": self.at.text,
            "status": self.status,
            "milliseconds": self.milliseconds,
            "error": self.error,
            "answer": self.answer,
        }


@dataclass(frozen=True, slots=True)
class _SignedDestination:
    """Where deliveries of a webhook go, and what they are signed with."""

    url: str
    secrets: Sequence[bytes]
    source: str
    """The address of the service, which messages name as where they come from."""


_MOMENT: Final = """
    SELECT clock_timestamp()
      FROM webhook_deliveries d
      JOIN webhooks w ON w.id = d.webhook_id
      JOIN webhook_lanes l ON l.webhook_id = d.webhook_id AND l.holder = %s AND l.held_until > now()
     WHERE d.id = %s AND d.state = 'pending' AND (w.is_enabled OR d.is_by_hand)
"""

# The moment of a delivery is kept in milliseconds, rounded; so is the one that it is compared with, for else
# half of those that were stored in this very transaction would not be due yet.
_DUE: Final = f"""
    SELECT id, webhook_id, kind, action, project_id, ARRAY(SELECT lower(part) FROM unnest(keys) AS part),
           ARRAY(SELECT upper(part) FROM unnest(keys) AS part), first_number, first_position, next_number,
           next_position, changed_at, attempt_count, is_by_hand, {IDS_OF_KEYS}
      FROM webhook_deliveries told
     WHERE webhook_id = %s AND state = 'pending' AND next_attempt_at <= now()::timestamptz(3)
       AND (%s OR is_by_hand)
     ORDER BY id
     LIMIT %s
"""

_SECRETS: Final = """
    SELECT w.account_id, s.id, s.encrypted, s.secret
      FROM webhook_secrets s JOIN webhooks w ON w.id = s.webhook_id
     WHERE s.webhook_id = %s AND (s.expires_at IS NULL OR s.expires_at > now())
     ORDER BY s.id DESC
"""

_WRITE_DOWN: Final = """
    UPDATE webhook_deliveries
       SET state = %(state)s, attempt_count = attempt_count + 1, is_by_hand = false,
           next_attempt_at = now() + %(pause)s::interval,
           ended_at = given.ended_at,
           attempts = jsonb_path_query_array(attempts, %(kept)s::jsonpath)
                      || jsonb_build_array(%(said)s::jsonb)
      FROM (SELECT CASE WHEN %(pause)s::interval IS NULL THEN now() END AS ended_at) AS given
     WHERE id = %(number)s AND state = 'pending'
"""

_KEPT: Final = f"$[last - {ATTEMPTS_SHOWN_MAX - 2} to last]"

_TAKEN: Final = "UPDATE webhooks SET failing_since = NULL WHERE id = %s AND failing_since IS NOT NULL"

_FAILING: Final = """
    UPDATE webhooks SET failing_since = now() WHERE id = %s AND is_enabled AND failing_since IS NULL
"""

_DISABLE: Final = """
    UPDATE webhooks SET is_enabled = false, disabled_at = now(), disabled_reason = %(reason)s
     WHERE id = %(number)s AND is_enabled
       AND (%(at_once)s OR failing_since <= now() - make_interval(days => %(days)s))
    RETURNING id
"""


async def _list_due_deliveries(tx: Read, receiver: HookReceiver, limit: int) -> list[StoredDelivery]:
    """What is to be sent now, in the order of the feed; while a webhook is disabled, what was asked for."""
    return await tx.rows(StoredDelivery, _DUE, (receiver.number, receiver.is_enabled, limit))


async def _read_signing_secrets(tx: Read, webhook: int) -> list[bytes]:
    """The secrets by which a webhook signs now, the newest first; raises UnopenedSecretError."""
    return [
        await decrypt_secret(tx, WEBHOOK_SECRETS.place(account, f"{webhook}/{number}"), envelope, readable)
        for account, number, envelope, readable in await tx.tuples(_SECRETS, (webhook,))
    ]


async def _read_send_time(database: Database, delivery: StoredDelivery, holder: UUID) -> datetime | None:
    """The time by the database, if the delivery is still to be sent by whoever holds the lane; else None."""
    row = await database.single(_MOMENT, (holder, delivery.number))
    return None if row is None else row[0]


async def _attempt_delivery(
    client: OutgoingClient,
    delivery: StoredDelivery,
    destination: _SignedDestination,
    now: datetime,
) -> DeliveryAttempt:
    """Send a delivery, and tell what came of it; `now` is the time that is signed."""
    body = body_of(delivery, destination.source)
    signed = write_signed_headers(destination.secrets, delivery.id, int(now.timestamp()), body)
    headers = {"Content-Type": MEDIA_TYPE, **signed}
    request = OutgoingRequest("POST", destination.url, headers, body, DELIVERY_SECONDS_MAX)
    begun = time.monotonic()
    status = error = answer = retry_after = None
    try:
        answered = await client.send(request)
        status = answered.status
        answer = _cut_answer(answered.content)
        retry_after = read_retry_after(answered.headers.get("retry-after"))
        if not is_taken(status):
            error = f"The receiver answered {status}; a delivery is taken by an answer of 200 to 299."
    except (NotSent, NoAnswer) as problem:
        error = str(problem)
    milliseconds = round((time.monotonic() - begun) * 1000)
    return DeliveryAttempt(Instant.of(now), milliseconds, status, error, answer, retry_after)


async def _record_attempt(
    tx: Write, delivery: StoredDelivery, holder: UUID, attempt: DeliveryAttempt
) -> bool:
    """Write down what became of an attempt; False when the lane is another's by now."""
    receiver = await lock_receiver(tx, delivery.webhook, holder)
    if receiver is None:
        return False
    has_arrived = is_taken(attempt.status)
    pause: timedelta | None = None
    if not has_arrived and not delivery.is_by_hand:
        pause = compute_pause(delivery.attempts + 1, retry_after_seconds=attempt.retry_after_seconds)
    ended = DeliveryState.DELIVERED if has_arrived else DeliveryState.FAILED
    values = {
        "number": delivery.number,
        "state": ended if pause is None else DeliveryState.PENDING,
        "pause": pause,
        "kept": _KEPT,
        "said": jsonb(attempt.said),
    }
    await tx.execute(_WRITE_DOWN, values)
    await tx.execute(_TAKEN if has_arrived else _FAILING, (receiver.number,))
    if not has_arrived:
        await _disable(tx, receiver, attempt.status)
    return True


async def _disable(tx: Write, receiver: HookReceiver, status: int | None) -> None:
    """Disable a webhook that has failed for too long, or whose receiver is gone; and say so."""
    reason = f"No attempt has been taken for {FAILING_DAYS_MAX} days."
    if status == GONE:
        reason = f"The receiver answered {GONE}, which says that it wants no more."
    values = {
        "number": receiver.number,
        "reason": reason,
        "at_once": status == GONE,
        "days": FAILING_DAYS_MAX,
    }
    if not await tx.tuples(_DISABLE, values):
        return
    friendly = identity.of("webhook", 0, receiver.number)
    actor = Actor(receiver.account, receiver.user, None, frozenset(), f"webhook_{receiver.number}")
    changes.record(
        tx, actor, action="webhook.disable", target=friendly, project_id=receiver.project,
        before={"is_enabled": True}, after={"is_enabled": False, "disabled_reason": reason},
    )  # fmt: skip


def _cut_answer(content: bytes) -> str:
    """The beginning of an answer as text; the database has no place for the character of number 0."""
    text = content[: EXCERPT_CHARACTERS_MAX * 4].decode(errors="replace")[:EXCERPT_CHARACTERS_MAX]
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}")


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
        address_texts = await loop.run_in_executor(self._threads, _resolve_addresses, host, port)
        return [*dict.fromkeys(ip_address(text.partition("%")[0]) for text in address_texts)]


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
       SET holder = NULL, held_until = NULL, served_at = (SELECT clock_timestamp()),
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
    lane_query = "SELECT FROM webhook_lanes WHERE webhook_id = %s AND holder = %s FOR UPDATE"
    # The second statement sees what was committed before the first one had the lane.
    if await tx.tuples(lane_query, (webhook, holder)):
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
                except Exception as error:  # noqa: BLE001 - it is reported, and others continue
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
        except Exception as error:  # noqa: BLE001 - it is reported, and others continue
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
                due = await _list_due_deliveries(tx, receiver, DUE_AT_ONCE)
                secrets = await _read_signing_secrets(tx, webhook)
            destination = _SignedDestination(receiver.url, secrets, self._source)
            if not due:
                return
            for delivery in due:
                if self._is_stopping or clock() > deadline:
                    return
                now = await _read_send_time(self._database, delivery, self._holder)
                if now is None:
                    break
                attempt = await _attempt_delivery(self._client, delivery, destination, now)
                async with self._database.write() as tx:
                    if not await _record_attempt(tx, delivery, self._holder, attempt):
                        return

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            try:
                if self._turns:
                    lanes = [*self._turns]
                    await keep(self._database, self._holder, lanes, lease_seconds=self._lease_seconds)
            except Exception as error:  # noqa: BLE001 - it is reported, and others continue
                self._tell(error)
