"""Send reports to registries, once each, and ask them what they have decided.

Invariants: handing on the same key again is handing on once; nothing is sent while it is not known what
became of what was sent before, unless the registry was asked and does not know the key; each step is recorded
only while the attempt at its task is the newest one. A report is asked for by one worker at a time; a
decision is recorded once, in the transaction that posts or reverses it.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple, Self

import msgspec

from weighbridge.core.identity import problem_of_unseen
from weighbridge.core.number import shorten
from weighbridge.core.platform.encryption import UnopenedSecretError
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.report import (
    CALLED_ADAPTERS,
    DeliveryStep,
    ReportStatus,
    ReportTrigger,
    may_have_been_received,
)
from weighbridge.db.engine import Database, Read, Write
from weighbridge.errors import Invalid, Unavailable
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
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform.async_tasks import Attempt
from weighbridge.platform.kept_secrets import REGISTRY_HEADERS, decrypt_secret
from weighbridge.reporting.records.reports import TakenBatch
from weighbridge.reporting.submission.acceptance import (
    AcceptedAmounts,
    ClaimedAmounts,
    is_less,
    list_unclaimed,
    name_accepted,
    read_claim,
    share_amount,
)
from weighbridge.reporting.submission.file import SubmissionRow, read_submission
from weighbridge.reporting.submission.moves import (
    MovingReport,
    ReportWord,
    accept,
    hold_report,
    reject,
    withdraw,
)

# A registry, and what it answers.


REFERENCE_MAX: Final = 255
"""Characters of what a registry calls a report."""

REASON_MAX: Final = 1_000
"""Characters of a reason that a registry gives."""

_DECISIONS: Final = {
    "accepted": ReportTrigger.ACCEPT,
    "rejected": ReportTrigger.REJECT,
    "withdrawn": ReportTrigger.WITHDRAW,
}

_COME_AGAIN: Final = frozenset({408, 425, 429})
"""Statuses by which a registry says that it has done nothing, and that the same may succeed later."""

_CONFLICT: Final = 409
_HIDDEN: Final = "[…]"
_SCHEME_MIN: Final = 4


class CalledRegistry(msgspec.Struct, frozen=True):
    """A registry with what proves there who calls: only what calls it has this."""

    number: int
    adapter: str
    name: str
    address: str
    status_address: str | None
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
class RegistryReply:
    """What came of a request to a registry."""

    step: DeliveryStep
    """What it makes certain of the report."""
    text: str = ""
    """What the registry or the connection says, as a sentence."""
    status: int | None = None
    is_final: bool = False
    """Whether another try would end the same way."""
    retry_after: str | None = None
    reference: str | None = None
    """What the registry calls a report that it has."""
    decision: ReportTrigger | None = None
    reason: str | None = None
    amount: Decimal | None = None
    """How much the registry accepted, where it says so."""
    batches: tuple[TakenBatch, ...] | None = None
    """How much of which batches, where it says that instead."""


async def read_called_registry(tx: Read, number: int) -> CalledRegistry | None:
    """A registry as it is called now; None for one that is never called."""
    rows = await tx.tuples(_CALLED, (number, [*CALLED_ADAPTERS]))
    if not rows:
        return None
    [(account, *columns)] = rows
    values: list[Any] = [*columns, await read_headers(tx, account, number)]
    return CalledRegistry(*values)


async def read_headers(tx: Read, account: int, number: int) -> dict[str, str]:
    """The headers of a registry, by name; Unavailable where one is encrypted by a key that is not at hand."""
    headers = {}
    for header, envelope, readable in await tx.tuples(_HEADERS, (number,)):
        place = REGISTRY_HEADERS.place(account, f"{number}/{header}")
        try:
            headers[header] = (await decrypt_secret(tx, place, envelope, readable)).decode()
        except UnopenedSecretError as error:
            raise Unavailable(
                f"{error} State the headers of the registry anew, or restore the key."
            ) from error
    return headers


async def send(
    client: OutgoingClient, registry: CalledRegistry, kept: SubmissionRow, content: bytes
) -> RegistryReply:
    """Hand a report on."""
    headers = {
        **registry.headers,
        "Idempotency-Key": kept.key,
        "Content-Type": kept.media_type,
        "Content-Disposition": f'attachment; filename="{kept.name}"',
        "Content-Digest": f"sha-256=:{b64encode(kept.sha256).decode()}:",
        "Accept": "application/json",
    }
    request = OutgoingRequest("POST", registry.address, headers, content, registry.timeout_seconds)
    reply = await call_registry(client, registry, request, kept)
    # A key that it knows, or works on: what it has under it is asked for.
    if reply.step is DeliveryStep.REFUSED and reply.status == _CONFLICT:
        return replace(reply, step=DeliveryStep.UNANSWERED, is_final=False)
    if reply.step is DeliveryStep.ABSENT:
        text = _build_sentence(registry, reply.status, "there is nothing at its address")
        return replace(reply, step=DeliveryStep.REFUSED, text=text, is_final=True)
    return reply


async def ask(client: OutgoingClient, registry: CalledRegistry, kept: SubmissionRow) -> RegistryReply:
    """Ask what a registry has under the key of a submission."""
    assert registry.status_address is not None, "a registry that is asked by keys says where"  # noqa: S101
    address = registry.status_address.replace("{key}", kept.key)
    headers = {**registry.headers, "Accept": "application/json"}
    request = OutgoingRequest("GET", address, headers, b"", registry.timeout_seconds)
    reply = await call_registry(client, registry, request, kept)
    if reply.step is DeliveryStep.NOT_SENT and not reply.is_final:
        return replace(reply, step=DeliveryStep.UNANSWERED)
    return reply


async def call_registry(
    client: OutgoingClient, registry: CalledRegistry, request: OutgoingRequest, kept: SubmissionRow
) -> RegistryReply:
    """What comes of a request about a submission."""
    try:
        answer = await client.send(request)
    except NotSent as error:
        is_final = isinstance(error, OutOfReach)
        return RegistryReply(DeliveryStep.NOT_SENT, str(error), is_final=is_final)
    except NoAnswer as error:
        return RegistryReply(DeliveryStep.UNANSWERED, str(error))
    content = _read_object(answer)
    if answer.status // 100 == 2:
        return _read_received(registry, answer, content, kept)
    status, retry_after = answer.status, answer.headers.get("retry-after")
    reason = registry.without_secrets(_read_text(content, "reason", "message"))
    text = _build_sentence(registry, status, reason)
    if status == 404:
        return RegistryReply(DeliveryStep.ABSENT, text, status)
    if status // 100 == 4:
        is_final = status not in _COME_AGAIN
        return RegistryReply(DeliveryStep.REFUSED, text, status, is_final, retry_after)
    return RegistryReply(DeliveryStep.UNANSWERED, text, status, retry_after=retry_after)


def _read_received(
    registry: CalledRegistry, answer: OutgoingAnswer, content: Mapping[str, Any], kept: SubmissionRow
) -> RegistryReply:
    digest = _read_text(content, "sha256")
    if digest and digest.lower() != kept.sha256.hex():
        text = f"{registry.name} has something else under the key {kept.key}."
        return RegistryReply(DeliveryStep.REFUSED, text, answer.status, is_final=True)
    named = _read_text(content, "reference", "id") or answer.headers.get("location", "")
    reference = registry.without_secrets(named)
    if not reference or problem_of_unseen(reference, "reference"):
        reference = kept.key
    reason = registry.without_secrets(_read_text(content, "reason"))
    amount, is_readable = _read_amount(content)
    batches, are_readable = _read_batches(content)
    unreadable = "" if is_readable else f"amount is {shorten(repr(content['amount']))}, which is no amount."
    if not are_readable or (amount is not None and batches is not None):
        unreadable = "batches names batches with their amounts, and stands without amount."
    return RegistryReply(
        DeliveryStep.RECEIVED,
        text=unreadable,
        status=answer.status,
        is_final=True,
        reference=shorten(reference, REFERENCE_MAX),
        decision=None if unreadable else _DECISIONS.get(_read_text(content, "status")),
        reason=shorten(reason, REASON_MAX) or None,
        amount=amount,
        batches=batches,
    )


def _read_batches(content: Mapping[str, Any]) -> tuple[tuple[TakenBatch, ...] | None, bool]:
    """The batches that an answer names, if it names any; and whether they are some or are left out."""
    value = content.get("batches")
    if value is None:
        return None, True
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return None, False
    named = []
    for one in value:
        amount, is_readable = _read_amount(one)
        if amount is None or not is_readable or not isinstance(one.get("batch_id"), str):
            return None, False
        named.append(TakenBatch(one["batch_id"], amount))
    return tuple(named), True


def _read_amount(content: Mapping[str, Any]) -> tuple[Decimal | None, bool]:
    """The amount that an answer names, if it names one; and whether it is one or is left out."""
    value = content.get("amount")
    if value is None:
        return None, True
    try:
        amount = Decimal(value) if isinstance(value, str | Decimal) else None
    except InvalidOperation:
        amount = None
    return (amount, True) if amount is not None and amount.is_finite() else (None, False)


def _read_object(answer: OutgoingAnswer) -> Mapping[str, Any]:
    """The object that an answer is; an empty one for any other answer."""
    try:
        content = json.loads(answer.content.decode(), parse_float=Decimal, parse_int=Decimal)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _read_text(content: Mapping[str, Any], *names: str) -> str:
    """The first text under some names, without what a database keeps in no text; empty for none."""
    texts = (str(value) for name in names if isinstance(value := content.get(name), str | Decimal))
    cleaned = (text.encode(errors="replace").decode().replace("\x00", "").strip() for text in texts)
    return next(filter(None, cleaned), "")


def _build_sentence(registry: CalledRegistry, status: int | None, reason: str) -> str:
    sentence = f"{registry.name} answered {status}"
    return f"{sentence}: {shorten(reason, REASON_MAX).rstrip('.')}." if reason else f"{sentence}."


_CALLED: Final = """
    SELECT r.account_id, r.id, r.adapter, r.name, r.address, r.status_address, r.timeout_seconds, r.tries,
           r.poll_seconds
      FROM registries r WHERE r.id = %s AND r.adapter = ANY (%s)
"""
_HEADERS: Final = """
    SELECT header, encrypted, convert_to(value, 'UTF8') FROM registry_secrets
     WHERE registry_id = %s ORDER BY header
"""


# Handing a report on, and the journal of how far it came.


DETAIL_MAX: Final = 1_000
"""Characters that a step keeps of what its receiver said."""


class TaskJournal:
    """The journal of one report, in which an attempt at its task writes."""

    def __init__(self, database: Database, attempt: Attempt, report: int, steps: list[DeliveryStep]) -> None:
        self._database = database
        self._attempt = attempt
        self._report = report
        self._steps = steps

    @classmethod
    async def read(cls, database: Database, attempt: Attempt, report: int) -> Self:
        """The journal as it stands."""
        async with database.read() as tx:
            rows = await tx.tuples(
                "SELECT step FROM report_deliveries WHERE project_id = %s AND report_id = %s ORDER BY id",
                (attempt.project_id, report),
            )
        return cls(database, attempt, report, [DeliveryStep(step) for (step,) in rows])

    @property
    def may_have_been_received(self) -> bool:
        """Whether an earlier step may have brought it to its receiver."""
        return may_have_been_received(self._steps)

    async def note(
        self, step: DeliveryStep, *, http_status: int | None = None, detail: str | None = None
    ) -> None:
        """Write a step down, so that it is known even if nothing follows.

        Raises AttemptSupersededError when a newer attempt has begun.
        """
        async with self._database.write() as tx:
            await tasks.lock_current_attempt(tx, self._attempt)
            await tx.execute(
                """
                INSERT INTO report_deliveries
                       (project_id, report_id, async_task_id, step, http_status, detail)
                VALUES (%s, %s, %s, %s, %s, %s)
                """,
                (
                    self._attempt.project_id, self._report, self._attempt.task_id, step, http_status,
                    shorten(detail, DETAIL_MAX) if detail else None,
                ),
            )  # fmt: skip
        self._steps.append(step)


class HttpAdapter:
    """Hands reports to one registry."""

    def __init__(self, client: OutgoingClient, registry: CalledRegistry, pause: Pause) -> None:
        self._client = client
        self._registry = registry
        self._pause = pause

    async def hand_on(self, kept: SubmissionRow, content: bytes, journal: TaskJournal) -> str:
        """Post it, or find that it was, and return its reference; Invalid with what came of the last try."""
        reply = await self._try_once(kept, content, journal)
        for tries in range(1, self._registry.tries):
            if reply.is_final:
                break
            await self._pause(pause_seconds(tries, reply.retry_after))
            reply = await self._try_once(kept, content, journal)
        if reply.reference is not None:
            return reply.reference
        certainty = "is not certain" if journal.may_have_been_received else "is certain"
        message = f"{reply.text} It {certainty} that {self._registry.name} has received nothing."
        raise Invalid([Problem(message)])

    async def _try_once(self, kept: SubmissionRow, content: bytes, journal: TaskJournal) -> RegistryReply:
        """Ask where something may have been received, and send where nothing is there."""
        if journal.may_have_been_received:
            reply = await ask(self._client, self._registry, kept)
            if reply.step in {DeliveryStep.RECEIVED, DeliveryStep.ABSENT}:
                await journal.note(reply.step, http_status=reply.status, detail=reply.reference)
            if reply.step is not DeliveryStep.ABSENT:
                return reply
        await journal.note(DeliveryStep.SENDING)
        reply = await send(self._client, self._registry, kept, content)
        await journal.note(reply.step, http_status=reply.status, detail=reply.reference or reply.text)
        return reply


# Reviewing: registries are asked for what they decided of the reports that they have received.


REPORTS_AT_ONCE: Final = 20
"""Reports that one worker asks for in one round."""

NO_REASON: Final = "The registry gave no reason."


class RefusedDecision(NamedTuple):
    """What a registry has decided of a report, but cannot be written down; it is asked again."""

    report: str
    reason: str


class DueReview(msgspec.Struct, frozen=True):
    """A report that its registry is to be asked for, and on whose behalf."""

    project: int
    report: int
    adapter: str
    account: int
    user: int
    token: int | None
    request_id: str

    @property
    def actor(self) -> Actor:
        return Actor(self.account, self.user, self.token, frozenset(), self.request_id)


async def await_decision(tx: Write, project: int, report: int, registry: int) -> None:
    """Have a registry asked for its decision, where it is one that is asked."""
    await tx.execute(
        """
        WITH made AS MATERIALIZED (
            SELECT %s, %s FROM registries WHERE id = %s AND poll_seconds IS NOT NULL
        )
        INSERT INTO report_reviews (project_id, report_id)
        SELECT * FROM made ON CONFLICT DO NOTHING
        """,
        (project, report, registry),
    )


async def take_due_reviews(database: Database) -> Sequence[DueReview]:
    """The reports that are to be asked for now; nobody else is given them before their next turn."""
    async with database.write() as tx:
        return await tx.rows(DueReview, _TAKE_DUE, (REPORTS_AT_ONCE,))


async def read_decision(database: Database, client: OutgoingClient, due: DueReview) -> RegistryReply | None:
    """What the registry of a report has decided; None while it has not, or cannot be asked.

    Raises Invalid where it decides what cannot be understood.
    """
    async with database.read() as tx:
        kept = await read_submission(tx, due.project, due.report)
        if kept is None or kept.registry is None:
            return None
        registry = await read_called_registry(tx, kept.registry)
    if registry is None or registry.poll_seconds is None:
        return None
    reply = await ask(client, registry, kept)
    if reply.step is DeliveryStep.RECEIVED and reply.text:
        raise Invalid([Problem(reply.text, "amount", "invalid")])
    return None if reply.decision is None else reply


async def decide(tx: Write, due: DueReview, reply: RegistryReply) -> MovingReport | None:
    """Write down what a registry decided; None when somebody has decided otherwise meanwhile.

    Raises Conflict while a generation works with the ledger, and Invalid for an amount that cannot be
    accepted of the report.
    """
    report = await hold_report(tx, due.project, due.report)
    await tx.execute(
        "DELETE FROM report_reviews WHERE project_id = %s AND report_id = %s", (due.project, due.report)
    )
    if report.state is not ReportStatus.SUBMITTED:
        return None
    if reply.decision is ReportTrigger.ACCEPT:
        claim = await read_claim(tx, report)
        accepted = _find_accepted(claim, reply)
        is_part = accepted is not None and is_less(accepted, claim)
        reason = reply.reason or (NO_REASON if is_part else None)
        await accept(tx, report, ReportWord(due.actor, due.adapter, reason, reply.reference), accepted)
    elif reply.decision is ReportTrigger.WITHDRAW:
        reason = reply.reason or NO_REASON
        await withdraw(tx, report, ReportWord(due.actor, due.adapter, reason, reply.reference))
    else:
        reason = reply.reason or NO_REASON
        await reject(tx, report, ReportWord(due.actor, due.adapter, reason, reply.reference))
    return report


def _find_accepted(claim: ClaimedAmounts, reply: RegistryReply) -> AcceptedAmounts | None:
    """How much of each batch a registry accepts; None for all. Raises Invalid for what the claim has not."""
    if reply.batches is None:
        return None if reply.amount is None else share_amount(claim, reply.amount)
    if problems := list_unclaimed(claim, reply.batches, "batches", done="claims"):
        raise Invalid(problems)
    return name_accepted(claim, reply.batches)


_TAKE_DUE: Final = """
    WITH due AS (
        SELECT project_id, report_id FROM report_reviews WHERE next_at <= now()
         ORDER BY next_at LIMIT %s FOR UPDATE SKIP LOCKED
    ), over AS (
        DELETE FROM report_reviews v USING due, reports r
         WHERE (v.project_id, v.report_id) = (due.project_id, due.report_id)
           AND (r.project_id, r.id) = (v.project_id, v.report_id) AND r.status <> 'submitted'
    )
    UPDATE report_reviews v SET next_at = now() + make_interval(secs => coalesce(g.poll_seconds, 86400))
      FROM due, reports r, report_submissions s, registries g, async_tasks t
     WHERE (v.project_id, v.report_id) = (due.project_id, due.report_id)
       AND (r.project_id, r.id) = (v.project_id, v.report_id) AND r.status = 'submitted'
       AND (s.project_id, s.report_id) = (r.project_id, r.id)
       AND g.id = s.registry_id AND t.id = r.async_task_id
    RETURNING v.project_id, v.report_id, g.adapter, t.account_id, t.user_id, t.token_id, t.request_id
"""
