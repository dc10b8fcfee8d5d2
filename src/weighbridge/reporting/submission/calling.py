"""Calling a registry: to hand a report on, and to ask what it has under a key.

What a registry answers is JSON with `reference`, `status`, `reason` and `sha256`, all of which may be
missing. A registry may repeat what it was sent, so nothing that proves who calls survives in what is kept of
an answer.

Invariant: whatever comes back, it is one of the words below; nothing that a registry says makes a mistake of
the service.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from weighbridge.core.identity.unseen import problem_of_unseen
from weighbridge.core.quantity.number import shorten
from weighbridge.core.report.adapter import AdapterName
from weighbridge.core.report.state import ReportTrigger
from weighbridge.db.engine import Read
from weighbridge.http.outgoing.client import (
    NoAnswer,
    NotSent,
    OutgoingAnswer,
    OutgoingClient,
    OutgoingRequest,
    OutOfReach,
)
from weighbridge.reporting.submission.adapter import Submission

REFERENCE_MAX: Final = 255
"""Characters of what a registry calls a report."""

REASON_MAX: Final = 1_000
"""Characters of a reason that a registry gives."""

_DECISIONS: Final = {"accepted": ReportTrigger.ACCEPT, "rejected": ReportTrigger.REJECT}

_COME_AGAIN: Final = frozenset({408, 425, 429})
"""Statuses by which a registry says that it has done nothing, and that the same may succeed later."""

_CONFLICT: Final = 409
_HIDDEN: Final = "[…]"
_SCHEME_MIN: Final = 4


class CalledRegistry(msgspec.Struct, frozen=True):
    """A registry with what proves there who calls: only what calls it has this."""

    number: int
    name: str
    address: str
    status_address: str
    timeout_seconds: int
    tries: int
    poll_seconds: int | None
    headers: dict[str, str]

    def __repr__(self) -> str:
        return f"CalledRegistry({self.number})"

    def without_secrets(self, text: str) -> str:
        """A text of the registry's without what it was sent as proof."""
        for value in self.headers.values():
            for secret in sorted({value, value.partition(" ")[2] or value}, key=len, reverse=True):
                if len(secret) >= _SCHEME_MIN:
                    text = text.replace(secret, _HIDDEN)
        return text


@dataclass(frozen=True, slots=True)
class Known:
    """The registry has the report."""

    reference: str
    decision: ReportTrigger | None = None
    reason: str | None = None
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """The registry says that it does not know the key."""

    status: int


@dataclass(frozen=True, slots=True)
class Barred:
    """The registry does not take it, or does not answer such a question; `is_final` when trying again would
    end the same way.
    """

    said: str
    status: int | None = None
    is_final: bool = True
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Unreached:
    """Nothing was sent; `is_final` when the address may not be called."""

    said: str
    is_final: bool


@dataclass(frozen=True, slots=True)
class Unclear:
    """The registry may have received it."""

    said: str
    status: int | None = None
    retry_after: str | None = None


Word = Known | Missing | Barred | Unreached | Unclear


async def called_registry(tx: Read, number: int) -> CalledRegistry | None:
    """A registry as it is called now; None for one that is never called."""
    return await tx.row(CalledRegistry, _CALLED, (number, AdapterName.HTTP))


async def send(client: OutgoingClient, registry: CalledRegistry, submission: Submission) -> Word:
    """Hand a report on."""
    headers = {
        **registry.headers,
        "Idempotency-Key": submission.key,
        "Content-Type": submission.media_type,
        "Content-Disposition": f'attachment; filename="{submission.name}"',
        "Content-Digest": f"sha-256=:{b64encode(bytes.fromhex(submission.sha256)).decode()}:",
        "Accept": "application/json",
    }
    asked = OutgoingRequest("POST", registry.address, headers, submission.content, registry.timeout_seconds)
    word = await _called(client, registry, asked, submission)
    # A key that it knows, or works on: what it has under it is asked for.
    if isinstance(word, Barred) and word.status == _CONFLICT:
        return Unclear(word.said, word.status, word.retry_after)
    if isinstance(word, Missing):
        return Barred(_said(registry, word.status, "there is nothing at its address"), word.status)
    return word


async def ask(client: OutgoingClient, registry: CalledRegistry, submission: Submission) -> Word:
    """Ask what a registry has under the key of a submission."""
    address = registry.status_address.replace("{key}", submission.key)
    headers = {**registry.headers, "Accept": "application/json"}
    asked = OutgoingRequest("GET", address, headers, b"", registry.timeout_seconds)
    word = await _called(client, registry, asked, submission)
    return Unclear(word.said) if isinstance(word, Unreached) and not word.is_final else word


async def _called(
    client: OutgoingClient, registry: CalledRegistry, asked: OutgoingRequest, submission: Submission
) -> Word:
    try:
        answer = await client.send(asked)
    except NotSent as error:
        return Unreached(str(error), isinstance(error, OutOfReach))
    except NoAnswer as error:
        return Unclear(str(error))
    content = _content(answer)
    told = registry.without_secrets(_text(content.get("reason")) or _text(content.get("message")) or "")
    said = _said(registry, answer.status, told)
    retry_after = answer.headers.get("retry-after")
    match answer.status // 100:
        case 2:
            return _known(registry, answer, content, submission)
        case 4 if answer.status == 404:
            return Missing(answer.status)
        case 4:
            return Barred(said, answer.status, answer.status not in _COME_AGAIN, retry_after)
        case _:
            return Unclear(said, answer.status, retry_after)


def _known(
    registry: CalledRegistry, answer: OutgoingAnswer, content: Mapping[str, Any], submission: Submission
) -> Word:
    digest = _text(content.get("sha256"))
    if digest and digest.lower() != submission.sha256:
        said = f"{registry.name} has something else under the key {submission.key}."
        return Barred(said, answer.status)
    named = _text(content.get("reference")) or _text(content.get("id")) or answer.headers.get("location")
    reference = registry.without_secrets(named or "")
    if not reference or problem_of_unseen(reference, "reference"):
        reference = submission.key
    reason = registry.without_secrets(_text(content.get("reason")) or "")
    return Known(
        shorten(reference, REFERENCE_MAX),
        _DECISIONS.get(_text(content.get("status")) or ""),
        shorten(reason, REASON_MAX) or None,
        answer.status,
    )


def _content(answer: OutgoingAnswer) -> Mapping[str, Any]:
    """The object that an answer is; an empty one for any other answer."""
    try:
        content = json.loads(answer.content.decode())
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _text(value: object) -> str | None:
    """A text of an answer, without what a database keeps in no text."""
    if not isinstance(value, str | int):
        return None
    return str(value).encode(errors="replace").decode().replace("\x00", "").strip() or None


def _said(registry: CalledRegistry, status: int, told: str) -> str:
    sentence = f"{registry.name} answered {status}"
    return f"{sentence}: {shorten(told, REASON_MAX).rstrip('.')}." if told else f"{sentence}."


_CALLED: Final = """
    SELECT r.id, r.name, r.address, r.status_address, r.timeout_seconds, r.tries, r.poll_seconds,
           (SELECT coalesce(jsonb_object_agg(s.header, s.value), '{}')
              FROM registry_secrets s WHERE s.registry_id = r.id)
      FROM registries r WHERE r.id = %s AND r.adapter = %s
"""
