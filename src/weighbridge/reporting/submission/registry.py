"""Adapters, which hand a report to its receiver, and the registry that the adapter `http` calls.

Invariants: handing on the same key again is handing on once; nothing is sent while it is not known what
became of what was sent before, unless the registry was asked and does not know the key.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import msgspec

from weighbridge.core.identity.names import problem_of_unseen
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.core.report.state import AdapterName, DeliveryStep, ReportTrigger
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.http.outgoing import (
    NoAnswer,
    NotSent,
    OutgoingAnswer,
    OutgoingClient,
    OutgoingRequest,
    OutOfReach,
    Pause,
    pause_seconds,
)


@dataclass(frozen=True, slots=True)
class Submission:
    """What is handed on."""

    key: str
    """The key under which a receiver takes it once: a UUID."""
    name: str
    """What the file is called, such as `rpt_….json`."""
    media_type: str
    content: bytes
    sha256: str
    """The digest of the content, as 64 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the receiver calls it, or where it was put."""

    reference: str


class Journal(Protocol):
    """What is known of how far a submission came, and where each further step is written down."""

    @property
    def may_have_been_received(self) -> bool:
        """Whether an earlier step may have brought it to its receiver."""

    async def note(
        self, step: DeliveryStep, *, http_status: int | None = None, detail: str | None = None
    ) -> None:
        """Write a step down, so that it is known even if nothing follows."""


class Adapter(Protocol):
    """Hands on what it is given."""

    name: AdapterName

    async def hand_on(self, submission: Submission, journal: Journal) -> Receipt:
        """Hand it on; raises Invalid when it is not certain that it was received."""


class FileAdapter:
    """Leaves the file where it is kept, from where people fetch it and hand it on themselves."""

    name = AdapterName.FILE

    async def hand_on(self, submission: Submission, journal: Journal) -> Receipt:  # noqa: ARG002 - as adapters do
        """Nothing is sent: the file is kept already."""
        return Receipt(f"sha256:{submission.sha256}")


FILE: Final = FileAdapter()


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


_STEPS: Final = {
    Barred: DeliveryStep.REFUSED,
    Unreached: DeliveryStep.NOT_SENT,
    Unclear: DeliveryStep.UNANSWERED,
}
"""What is written down of a word that was said to what was sent."""


class HttpAdapter:
    """Hands reports to one registry."""

    name = AdapterName.HTTP

    def __init__(
        self,
        client: OutgoingClient,
        registry: CalledRegistry,
        pause: Pause,
    ) -> None:
        self._client = client
        self._registry = registry
        self._pause = pause

    async def hand_on(self, submission: Submission, journal: Journal) -> Receipt:
        """Post it, or find that it was; raises Invalid with what came of the last try."""
        word: Word = Unclear("It was not tried.")
        for tries in range(1, self._registry.tries + 1):
            if tries > 1:
                await self._pause(pause_seconds(tries - 1, getattr(word, "retry_after", None)))
            word = await self._once(submission, journal)
            if isinstance(word, Known):
                return Receipt(word.reference)
            if getattr(word, "is_final", False):
                break
        raise Invalid([Problem(self._failed(word, journal))])

    async def _once(self, submission: Submission, journal: Journal) -> Word:
        """One try: ask where something may have been received, and send where nothing is there."""
        if journal.may_have_been_received:
            word = await ask(self._client, self._registry, submission)
            if not isinstance(word, Missing):
                if isinstance(word, Known):
                    await journal.note(DeliveryStep.RECEIVED, http_status=word.status, detail=word.reference)
                return word
            await journal.note(DeliveryStep.ABSENT, http_status=word.status)
        await journal.note(DeliveryStep.SENDING)
        word = await send(self._client, self._registry, submission)
        if isinstance(word, Known):
            await journal.note(DeliveryStep.RECEIVED, http_status=word.status, detail=word.reference)
        elif not isinstance(word, Missing):
            status = None if isinstance(word, Unreached) else word.status
            await journal.note(_STEPS[type(word)], http_status=status, detail=word.said)
        return word

    def _failed(self, word: Word, journal: Journal) -> str:
        said = getattr(word, "said", "")
        if journal.may_have_been_received:
            return f"{said} It is not certain that {self._registry.name} has received nothing."
        return f"{said} It is certain that {self._registry.name} has received nothing."
