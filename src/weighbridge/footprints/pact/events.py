"""Events that come (CloudEvents 1.0, structured mode): read, stored once, and acted on.

A request is answered by what is stored when it comes: the active footprints that meet it, or a rejection.
What is published is read from the partner by a call; what fulfils a request is stored as it came.

Invariants: an event that comes again, by its source and id, is accepted and does nothing; what is received is
never changed; everything that follows from an event is in the transaction that stores it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.core.footprint import read_moment
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import NOBODY, Actor
from weighbridge.db.engine import Write
from weighbridge.footprints.pact.access import PactClient
from weighbridge.footprints.pact.stored import (
    EVENT_TYPES,
    PATH,
    CriteriaError,
    find_footprints,
    insert_call,
    read_criteria,
    read_json,
    write_event,
    write_json,
)
from weighbridge.footprints.records import CallKind, read_uuid
from weighbridge.platform import changes

MEDIA_TYPE: Final = "application/cloudevents+json"
"""The media type of an event in structured mode."""

ID_MAX: Final = 500
"""Characters of the id and of the source of an event."""

ANSWERED_MAX: Final = 1_000
"""Footprints that answer one request; the specification has them all in one event."""

PUBLISHED_MAX: Final = 1_000
"""Footprints that one event publishes, or brings."""


class EventError(ValueError):
    """An event is not what PACT allows, or cannot be handled; the message is a full sentence."""


@dataclass(frozen=True, slots=True)
class PactEvent:
    """An event that came."""

    kind: CallKind
    id: str
    source: str
    data: Mapping[str, Any]
    text: str


def read_event(body: bytes) -> PactEvent:
    """Read the body of an event; EventError for one that PACT does not allow."""
    try:
        text = body.decode()
        event = read_json(text)
    except ValueError:
        raise EventError("The body is no JSON.") from None
    if not isinstance(event, dict):
        raise EventError("The body is no object.")
    kinds = {name: kind for kind, name in EVENT_TYPES.items()}
    kind = kinds.get(event["type"]) if isinstance(event.get("type"), str) else None
    if kind is None:
        raise EventError(f"type is {shorten(repr(event.get('type')))}; it is one of {', '.join(kinds)}.")
    if event.get("specversion") != "1.0":
        raise EventError(f"specversion is {shorten(repr(event.get('specversion')))}; it is '1.0'.")
    for name in ("id", "source"):
        value = event.get(name)
        if not isinstance(value, str) or not 0 < len(value) <= ID_MAX or "\x00" in value:
            raise EventError(f"{name} is {shorten(repr(value))}; it is a text of 1 to {ID_MAX} characters.")
    if read_moment(event.get("time")) is None:
        raise EventError(f"time is {shorten(repr(event.get('time')))}; it is a time with an offset.")
    data = event.get("data")
    if not isinstance(data, dict):
        raise EventError("data is no object.")
    _CHECKS[kind](data)
    if "\\u0000" in text:
        raise EventError("The event has a character of number 0 in it.")
    return PactEvent(kind, event["id"], event["source"], data, text)


def _check_published(data: Mapping[str, Any]) -> None:
    ids = data.get("pfIds")
    if not isinstance(ids, list) or not 0 < len(ids) <= PUBLISHED_MAX:
        raise EventError(f"data.pfIds is a list of 1 to {PUBLISHED_MAX:,} UUIDs.")
    for text in ids:
        if read_uuid(text) is None:
            raise EventError(f"data.pfIds has {shorten(repr(text))}, which is no UUID.")


def _check_request(data: Mapping[str, Any]) -> None:
    try:
        read_criteria(data)
    except CriteriaError as error:
        raise EventError(f"data: {error}") from None


def _check_rejected(data: Mapping[str, Any]) -> None:
    said = data.get("error")
    names = ("code", "message")
    if not isinstance(said, dict) or not all(isinstance(said.get(name), str) for name in names):
        raise EventError("data.error has a code and a message.")
    _check_request_named(data)


def _check_fulfilled(data: Mapping[str, Any]) -> None:
    footprints = data.get("pfs")
    if not isinstance(footprints, list) or not 0 < len(footprints) <= PUBLISHED_MAX:
        raise EventError(f"data.pfs is a list of 1 to {PUBLISHED_MAX:,} footprints.")
    if not all(isinstance(one, dict) and name_footprint(one) for one in footprints):
        raise EventError("data.pfs has a footprint without an id.")
    _check_request_named(data)


def _check_request_named(data: Mapping[str, Any]) -> None:
    if not isinstance(data.get("requestEventId"), str):
        raise EventError("data.requestEventId is missing; it names the request.")


_CHECKS: Final = {
    CallKind.PUBLISHED: _check_published,
    CallKind.REQUEST_CREATED: _check_request,
    CallKind.REQUEST_FULFILLED: _check_fulfilled,
    CallKind.REQUEST_REJECTED: _check_rejected,
}
"""What the data of each kind of event are like."""


def name_footprint(footprint: Mapping[str, Any]) -> str:
    """What the owner of a footprint calls it; empty where that is no text that can be stored."""
    name = footprint.get("id")
    return name[:ID_MAX] if isinstance(name, str) and "\x00" not in name else ""


# What an event leads to.


async def take_in(tx: Write, client: PactClient, event: PactEvent, address: str, request_id: str) -> None:
    """Store an event and act on it; EventError where it cannot be handled."""
    if event.kind is CallKind.REQUEST_CREATED and client.partner is None:
        raise EventError(
            "The client is no partner's, so there is nowhere to send the answer; list footprints instead."
        )
    number = await tx.value(
        """
        INSERT INTO footprint_events (account_id, client_id, type, source, event_id, content)
        VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (client_id, source, event_id) DO NOTHING RETURNING id
        """,
        (client.account, client.client, EVENT_TYPES[event.kind], event.source, event.id, event.text),
    )
    if number is None:
        return
    actor = Actor(client.account, NOBODY, None, frozenset(), request_id)
    told = {"client": client.client, "type": EVENT_TYPES[event.kind], "event_id": event.id}
    changes.record(tx, actor, action="footprint_event.receive", target=str(number), after=told)
    if event.kind is CallKind.REQUEST_CREATED and client.partner is not None:
        await _answer_request(tx, client.account, client.partner, event, address)
    elif event.kind is CallKind.PUBLISHED and client.partner is not None:
        content = json.dumps({"pfIds": event.data["pfIds"]})
        await insert_call(tx, client.account, client.partner, CallKind.READ, (event.id, content))
    elif event.kind is CallKind.REQUEST_FULFILLED:
        await store_received(tx, client.account, event.data["pfs"], client=client.client)


async def _answer_request(tx: Write, account: int, partner: int, event: PactEvent, address: str) -> None:
    """Leave the answer to a request to be sent: what meets it, or that nothing does."""
    asked = {"status": "Active", **event.data}
    found = await find_footprints(tx, account, read_criteria(asked), limit=ANSWERED_MAX + 1)
    now = await tx.value("SELECT now()")
    request = json.dumps(event.id)
    if 0 < len(found) <= ANSWERED_MAX:
        kind = CallKind.REQUEST_FULFILLED
        data = f'{{"requestEventId": {request}, "pfs": [{",".join(one.text for one in found)}]}}'
    else:
        kind = CallKind.REQUEST_REJECTED
        message = (
            f"More than {ANSWERED_MAX:,} footprints meet the request; list them instead."
            if found
            else "No footprint meets the request."
        )
        error = json.dumps({"code": "BadRequest" if found else "NotFound", "message": message})
        data = f'{{"requestEventId": {request}, "error": {error}}}'
    await insert_call(tx, account, partner, kind, write_event(kind, f"{address}{PATH}", data, now))


def digest_content(text: str) -> bytes:
    """The digest of a footprint that came, which is the same in whatever order and spacing it is written."""
    return hashlib.sha256(write_json(read_json(text), is_sorted=True).encode()).digest()


async def store_received(
    tx: Write,
    account: int,
    footprints: Iterable[Mapping[str, Any]],
    *,
    partner: int | None = None,
    client: int | None = None,
) -> int:
    """Store footprints of others as they came; gives how many were not there yet."""
    texts = [(name_footprint(one), write_json(one)) for one in footprints]
    digests = [digest_content(text) for _, text in texts]
    stored = await tx.tuples(
        """
        INSERT INTO received_footprints (account_id, footprint_id, partner_id, client_id, content, sha256)
        SELECT %s, n.name, %s, %s, n.content, n.sha256
          FROM unnest(%s::text[], %s::text[], %s::bytea[]) AS n (name, content, sha256)
        ON CONFLICT DO NOTHING RETURNING id
        """,
        (account, partner, client, [name for name, _ in texts], [text for _, text in texts], digests),
    )
    return len(stored)
