"""Sending: one attempt at a delivery, and what is written down of it.

Invariants: of an attempt is written down what a person needs to see what went wrong, and never more than a
thousand characters of what a receiver said; what is written by whoever lost the lane is written by nobody.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

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
from weighbridge.exchange.delivery.feed import HookReceiver, lock_receiver
from weighbridge.exchange.records.changes import MEDIA_TYPE, StoredDelivery, body_of
from weighbridge.http.outgoing import NoAnswer, NotSent, OutgoingClient, OutgoingRequest
from weighbridge.platform import changes

DELIVERY_SECONDS_MAX: Final = 15
"""How long one attempt may take, in seconds, from resolving the name to the end of the answer."""

EXCERPT_CHARACTERS_MAX: Final = 1_000
"""Characters of a receiver's answer that are kept."""

ATTEMPTS_SHOWN_MAX: Final = 20
"""Attempts of one delivery that are kept: the last ones."""


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """What became of one attempt."""

    at: Instant
    milliseconds: int
    status: int | None
    error: str | None
    answer: str | None
    retry_after_seconds: int | None

    @property
    def said(self) -> dict[str, Any]:
        """What is kept of it."""
        return {
            "at": self.at.text,
            "status": self.status,
            "milliseconds": self.milliseconds,
            "error": self.error,
            "answer": self.answer,
        }


@dataclass(frozen=True, slots=True)
class SignedDestination:
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
_DUE: Final = """
    SELECT id, webhook_id, kind, action, project_id, ARRAY(SELECT lower(part) FROM unnest(keys) AS part),
           ARRAY(SELECT upper(part) FROM unnest(keys) AS part), first_number, first_position, next_number,
           next_position, changed_at, attempt_count, is_by_hand
      FROM webhook_deliveries
     WHERE webhook_id = %s AND state = 'pending' AND next_attempt_at <= now()::timestamptz(3)
       AND (%s OR is_by_hand)
     ORDER BY id
     LIMIT %s
"""

_SECRETS: Final = """
    SELECT secret FROM webhook_secrets
     WHERE webhook_id = %s AND (expires_at IS NULL OR expires_at > now())
     ORDER BY id DESC
"""

_WRITE_DOWN: Final = """
    UPDATE webhook_deliveries
       SET state = %(state)s, attempt_count = attempt_count + 1, is_by_hand = false,
           next_attempt_at = now() + %(pause)s::interval,
           ended_at = CASE WHEN %(pause)s::interval IS NULL THEN now() END,
           attempts = jsonb_path_query_array(attempts, %(kept)s::jsonpath)
                      || jsonb_build_array(%(said)s::jsonb)
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


async def list_due_deliveries(tx: Read, receiver: HookReceiver, limit: int) -> list[StoredDelivery]:
    """What is to be sent now, in the order of the feed; while a webhook is disabled, what was asked for."""
    return await tx.rows(StoredDelivery, _DUE, (receiver.number, receiver.is_enabled, limit))


async def read_signing_secrets(tx: Read, webhook: int) -> list[bytes]:
    """The secrets by which a webhook signs now, the newest first."""
    return [bytes(secret) for (secret,) in await tx.tuples(_SECRETS, (webhook,))]


async def read_send_time(database: Database, delivery: StoredDelivery, holder: UUID) -> datetime | None:
    """The time by the database, if the delivery is still to be sent by whoever holds the lane; else None."""
    row = await database.single(_MOMENT, (holder, delivery.number))
    return None if row is None else row[0]


async def attempt_delivery(
    client: OutgoingClient,
    delivery: StoredDelivery,
    destination: SignedDestination,
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


async def record_attempt(tx: Write, delivery: StoredDelivery, holder: UUID, attempt: DeliveryAttempt) -> bool:
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
