"""Call partners: send what waits to be sent, read what is to be read, again and again for three days.

Every call asks for a token first (RFC 6749, 4.4) and then sends its event, or reads footprints page by page.
What does not arrive is tried again after the pauses that webhooks have, at last when three days are over, as
PACT has it. What can be told from an answer to end the same way is not tried again.

Invariants: a call has one holder at a time; whoever has lost it writes nothing of it any more; a page of
another host is not followed, so no token goes there; footprints that were read are stored page by page.
"""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote_plus, urlsplit
from uuid import UUID, uuid4

import msgspec

from weighbridge.core.number import shorten
from weighbridge.core.platform.encryption import UnopenedSecretError
from weighbridge.core.platform.permission import NOBODY, Actor
from weighbridge.core.platform.webhook import DeliveryState, compute_pause, is_taken, read_retry_after
from weighbridge.db.engine import Database
from weighbridge.footprints.pact.events import MEDIA_TYPE, name_footprint, store_received
from weighbridge.footprints.pact.stored import read_json
from weighbridge.footprints.records import CallKind, read_uuid
from weighbridge.http.outgoing import (
    NoAnswer,
    NotSent,
    OutgoingAnswer,
    OutgoingClient,
    OutgoingRequest,
    OutOfReach,
)
from weighbridge.platform import changes
from weighbridge.platform.kept_secrets import FOOTPRINT_PARTNER_SECRETS, decrypt_secret

GIVE_UP: Final = timedelta(days=3)
"""How long a call is tried, from when it was made: what PACT says for events."""

CALL_SECONDS: Final = 30.0
"""How long one request of a call may take."""

CALLS_AT_ONCE: Final = 10
"""Calls that one worker has under way at a time."""

PAGE: Final = 20
"""Footprints that are asked for at a time: a page fits what is read of an answer."""

PAGES_MAX: Final = 5_000
"""Pages of one reading, at most."""

ERROR_MAX: Final = 500
"""Characters that are kept of what went wrong."""

_FINAL: Final = frozenset({400, 404, 405, 410, 413, 415, 422})
"""Statuses by which a partner says that the same would end the same way."""


class CallFailedError(Exception):
    """A call has not arrived; the message is a full sentence."""

    def __init__(self, message: str, *, is_final: bool = False, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.is_final = is_final
        self.retry_after = retry_after


class HeldCall(msgspec.Struct, frozen=True):
    """A call that this worker has taken up, with what proves at the partner who calls."""

    number: int
    account: int
    partner: int
    kind: str
    content: str
    attempts: int
    created_at: datetime
    address: str
    token_address: str
    client_id: str
    encrypted: bytes
    """The secret of the client, as it is stored."""

    def __repr__(self) -> str:
        return f"HeldCall({self.number})"


class Exchanger:
    """Carries calls to partners out, in one process; for one event loop."""

    def __init__(
        self,
        database: Database,
        client: OutgoingClient,
        *,
        lease_seconds: int,
        tell: Callable[[Exception], None],
    ) -> None:
        self._database = database
        self._client = client
        self._lease_seconds = lease_seconds
        self._tell = tell
        self._holder = uuid4()

    async def look(self) -> int:
        """Take up calls that are due and carry them out; gives how many."""
        if await self._database.single(_ANY_DUE) is None:
            return 0
        async with self._database.write() as tx:
            values = {"holder": self._holder, "lease": self._lease_seconds, "limit": CALLS_AT_ONCE}
            held = await tx.rows(HeldCall, _CLAIM, values)
        await asyncio.gather(*(self._carry_out(call) for call in held))
        return len(held)

    async def settle(self) -> None:
        """Carry out what is due until nothing is."""
        while await self.look():
            pass

    async def _carry_out(self, call: HeldCall) -> None:
        try:
            failure: CallFailedError | None = None
            try:
                await self._attempt(call)
            except CallFailedError as error:
                failure = error
            await self._record(call, failure)
        except Exception as error:  # noqa: BLE001 - it is reported, and others continue
            self._tell(error)

    async def _attempt(self, call: HeldCall) -> None:
        token = await self._ask_for_token(call)
        if call.kind == CallKind.READ:
            await self._read(call, token)
            return
        headers = {
            "Content-Type": MEDIA_TYPE,
            "Authorization": f"Bearer {token}",
            "Accept": "application/json",
        }
        answer = await self._send("POST", f"{call.address}/3/events", headers, call.content.encode())
        _need_taken(answer, "the event")

    async def _read_secret(self, call: HeldCall) -> str:
        place = FOOTPRINT_PARTNER_SECRETS.place(call.account, str(call.partner))
        async with self._database.read() as tx:
            try:
                return (await decrypt_secret(tx, place, call.encrypted, None)).decode()
            except UnopenedSecretError as error:
                message = f"{error} State the secret of the partner anew, or restore the key."
                raise CallFailedError(message) from None

    async def _ask_for_token(self, call: HeldCall) -> str:
        pair = f"{quote_plus(call.client_id)}:{quote_plus(await self._read_secret(call))}"
        headers = {
            "Authorization": f"Basic {b64encode(pair.encode()).decode()}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
        }
        answer = await self._send("POST", call.token_address, headers, b"grant_type=client_credentials")
        if not is_taken(answer.status):
            raise CallFailedError(f"The partner answered {answer.status} when it was asked for a token.")
        token = _read_object(answer).get("access_token")
        if not isinstance(token, str) or not token.isascii() or not token.isprintable():
            raise CallFailedError("The partner's answer has no access_token.")
        return token

    async def _read(self, call: HeldCall, token: str) -> None:
        """Read footprints and store them as they came: those that are named, or all."""
        named = json.loads(call.content).get("pfIds") or []
        pages = self._read_named(call, token, named) if named else self._read_all(call, token)
        async for footprints in pages:
            async with self._database.write() as tx:
                await store_received(tx, call.account, footprints, partner=call.partner)

    async def _read_named(
        self, call: HeldCall, token: str, named: Sequence[str]
    ) -> AsyncIterator[list[Mapping[str, Any]]]:
        for text in named:
            identifier: UUID | None = read_uuid(text)
            answer = await self._get(token, f"{call.address}/3/footprints/{identifier}")
            footprint = _read_object(answer).get("data")
            if not isinstance(footprint, dict) or not name_footprint(footprint):
                raise CallFailedError("The partner's answer is no footprint.")
            yield [footprint]

    async def _read_all(self, call: HeldCall, token: str) -> AsyncIterator[list[Mapping[str, Any]]]:
        address: str | None = f"{call.address}/3/footprints?limit={PAGE}"
        for _ in range(PAGES_MAX):
            if address is None:
                return
            answer = await self._get(token, address)
            footprints = _read_object(answer).get("data")
            if not isinstance(footprints, list) or not all(
                isinstance(one, dict) and name_footprint(one) for one in footprints
            ):
                raise CallFailedError("The partner's answer is no list of footprints.")
            yield footprints
            address = find_next(answer.headers.get("link", ""), call.address)
        raise CallFailedError(f"The partner's list has more than {PAGES_MAX:,} pages.", is_final=True)

    async def _get(self, token: str, address: str) -> OutgoingAnswer:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        answer = await self._send("GET", address, headers, b"")
        _need_taken(answer, "the question")
        return answer

    async def _send(
        self, method: str, address: str, headers: Mapping[str, str], content: bytes
    ) -> OutgoingAnswer:
        try:
            return await self._client.send(OutgoingRequest(method, address, headers, content, CALL_SECONDS))
        except OutOfReach as error:
            raise CallFailedError(str(error), is_final=True) from None
        except (NotSent, NoAnswer) as error:
            raise CallFailedError(str(error)) from None

    async def _record(self, call: HeldCall, failure: CallFailedError | None) -> None:
        """Write down what came of an attempt, unless another worker has the call by now."""
        async with self._database.write() as tx:
            now = await tx.value(
                "SELECT now() FROM footprint_calls WHERE id = %s AND holder = %s FOR UPDATE",
                (call.number, self._holder),
            )
            if now is None:
                return
            pause = None if failure is None else compute_next_pause(call, failure, now)
            ended = DeliveryState.DELIVERED if failure is None else DeliveryState.FAILED
            state = ended if pause is None else DeliveryState.PENDING
            error = None if failure is None else shorten(str(failure), ERROR_MAX)
            await tx.execute(_WRITE, {"number": call.number, "state": state, "pause": pause, "error": error})
            if pause is None:
                actor = Actor(call.account, NOBODY, None, frozenset(), f"footprint_call_{call.number}")
                told = {"state": state, "attempts": call.attempts + 1, "error": error}
                changes.record(tx, actor, action="footprint_call.finish", target=str(call.number), after=told)


def compute_next_pause(call: HeldCall, failure: CallFailedError, now: datetime) -> timedelta | None:
    """How long a call waits after a failed attempt; None when there is no other one.

    The pauses are those of webhooks; the last attempt is when three days are over.
    """
    left = call.created_at + GIVE_UP - now
    if failure.is_final or left <= timedelta(0):
        return None
    usual = compute_pause(call.attempts + 1, retry_after_seconds=failure.retry_after)
    return left if usual is None else min(usual, left)


def find_next(link: str, address: str) -> str | None:
    """The next page of a list by its header `Link` (RFC 8288); None for none, and for one of another host."""
    for part in link.split(","):
        target, _, parameters = part.strip().partition(">")
        is_next = any(
            one.strip().replace('"', "").replace(" ", "").lower() == "rel=next"
            for one in parameters.split(";")
        )
        if not is_next or not target.startswith("<"):
            continue
        found, own = urlsplit(target[1:]), urlsplit(address)
        if (found.scheme, found.netloc.lower()) == (own.scheme, own.netloc.lower()):
            return target[1:]
        raise CallFailedError("The next page of the partner's list is at another host.", is_final=True)
    return None


def _need_taken(answer: OutgoingAnswer, what: str) -> None:
    if is_taken(answer.status):
        return
    raise CallFailedError(
        f"The partner answered {answer.status} to {what}.",
        is_final=answer.status in _FINAL,
        retry_after=read_retry_after(answer.headers.get("retry-after")),
    )


def _read_object(answer: OutgoingAnswer) -> Mapping[str, Any]:
    """The object that an answer is; an empty one for any other answer."""
    try:
        content = read_json(answer.content)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


_ANY_DUE: Final = """
    SELECT FROM footprint_calls
     WHERE state = 'pending' AND next_attempt_at <= now() AND (held_until IS NULL OR held_until < now())
     LIMIT 1
"""

_CLAIM: Final = """
    WITH due AS (
        SELECT id FROM footprint_calls
         WHERE state = 'pending' AND next_attempt_at <= now() AND (held_until IS NULL OR held_until < now())
         ORDER BY next_attempt_at, id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    )
    UPDATE footprint_calls c SET holder = %(holder)s, held_until = now() + make_interval(secs => %(lease)s)
      FROM due, footprint_partners p, footprint_partner_secrets s
     WHERE c.id = due.id AND p.id = c.partner_id AND s.partner_id = p.id
    RETURNING c.id, c.account_id, c.partner_id, c.kind, c.content, c.attempt_count, c.created_at, p.address,
              p.token_address, p.client_id, s.encrypted
"""

_WRITE: Final = """
    UPDATE footprint_calls
       SET state = %(state)s, attempt_count = attempt_count + 1, held_until = NULL, holder = NULL,
           last_error = coalesce(%(error)s, last_error),
           next_attempt_at = CASE WHEN %(state)s = 'pending' THEN now() + %(pause)s::interval END,
           ended_at = CASE WHEN %(state)s <> 'pending' THEN now() END
     WHERE id = %(number)s
"""
