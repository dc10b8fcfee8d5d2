"""Calls of the registry: what was sent and what came back, each written down.

A call that changes something is written down before it leaves, so that one without an answer is known to be
that; a call that reads is written down with its answer.

Invariants: nothing that proves who calls and no secret of a link is written down; a step is recorded only
while the attempt at its task is the newest one.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import msgspec

from weighbridge.core.number import shorten
from weighbridge.db.engine import Database
from weighbridge.db.statements import jsonb
from weighbridge.http.outgoing import (
    NoAnswer,
    NotSent,
    OutgoingAnswer,
    OutgoingClient,
    OutgoingRequest,
    OutOfReach,
)
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform.async_tasks import Attempt
from weighbridge.reporting.isometric.numbers import NumberFinding
from weighbridge.reporting.submission.sending import CalledRegistry

PAGE_SIZE: Final = 25
"""Records of one page of a list of the registry; it takes 50, and an answer of ours 262,144 bytes."""

ANSWER_MAX: Final = 10_000
"""Characters of an answer that the journal keeps."""

_COME_AGAIN: Final = frozenset({408, 425, 429})
_NOTHING: Final = 404
_SECRETS: Final = (
    (re.compile(r'([?&]key=)[^"&\s\\]+'), r"\1[…]"),
    (re.compile(r'("https?://[^"?\s]*\?)[^"\s]*'), r"\1[…]"),
)
"""What proves something in a text: the key of a link, and the query of an address, which may be signed."""

_encode: Final = msgspec.json.Encoder(decimal_format="number").encode


def hide_signatures(text: str) -> str:
    """A text without the secrets of links and of signed addresses."""
    for pattern, shown in _SECRETS:
        text = pattern.sub(shown, text)
    return text


class UncertainCallError(Exception):
    """No answer that says what became of a call: the same may be tried again, once it was looked for."""

    def __init__(self, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RefusedCallError(Exception):
    """The registry does not do what was asked, and would not the next time."""

    def __init__(self, message: str, status: int | None) -> None:
        super().__init__(message)
        self.status = status


class CallJournal:
    """The journal of the calls of one report, and what they made, in which an attempt at its task writes."""

    def __init__(self, database: Database, attempt: Attempt, report: int) -> None:
        self._database = database
        self._attempt = attempt
        self._report = report
        self._key = (attempt.project_id, report)

    async def open_call(
        self, method: str, path: str, body: str | None, reference: str | None, noted: Any = None
    ) -> int:
        """Write down that a call is about to leave; gives its number."""
        async with self._database.write() as tx:
            await tasks.lock_current_attempt(tx, self._attempt)
            number: int = await tx.value(
                """
                INSERT INTO registry_calls (project_id, report_id, async_task_id, reference, method, path,
                                            body, noted)
                VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
                """,
                (
                    *self._key, self._attempt.task_id, reference, method, path, body,
                    None if noted is None else jsonb(noted),
                ),
            )  # fmt: skip
        return number

    async def close_call(self, number: int, status: int | None, answer: str) -> None:
        """Write down what came back."""
        async with self._database.write() as tx:
            await tx.execute(
                """
                UPDATE registry_calls SET http_status = %s, answer = %s, answered_at = clock_timestamp()
                 WHERE project_id = %s AND id = %s
                """,
                (status, shorten(answer, ANSWER_MAX), self._attempt.project_id, number),
            )

    async def read_open_notes(self, reference: str, path: str) -> list[Any]:
        """What was noted with the calls of a step that may have made something, the newest first.

        A call that was answered is one of them: whoever read the answer may have ended before it was used.
        """
        async with self._database.read() as tx:
            rows = await tx.tuples(
                """
                SELECT noted FROM registry_calls
                 WHERE project_id = %s AND report_id = %s AND reference = %s AND path = %s AND method = 'POST'
                   AND (http_status IS NULL OR http_status NOT BETWEEN 400 AND 499)
                 ORDER BY id DESC
                """,
                (*self._key, reference, path),
            )
        return [noted for (noted,) in rows]

    async def read_made(self) -> dict[str, str]:
        """The registry's ids of what is known to be there, by their references."""
        async with self._database.read() as tx:
            return dict(
                await tx.tuples(
                    """
                    SELECT reference, record_id FROM registry_records
                     WHERE project_id = %s AND report_id = %s AND is_held AND removed_at IS NULL
                    """,
                    self._key,
                )
            )

    async def note_made(
        self, kind: str, reference: str, record: str, findings: Sequence[NumberFinding], *, is_held: bool
    ) -> None:
        """Write down that a step's record is there, and what of it differs from what was sent.

        It is held once everything that belongs to it is there, such as the file of a source.
        """
        async with self._database.write() as tx:
            await tasks.lock_current_attempt(tx, self._attempt)
            await tx.execute(
                """
                INSERT INTO registry_records (project_id, report_id, reference, kind, record_id, is_held)
                VALUES (%s, %s, %s, %s, %s, %s)
                ON CONFLICT (project_id, report_id, reference) DO UPDATE
                   SET record_id = excluded.record_id, is_held = excluded.is_held, removed_at = NULL
                """,
                (*self._key, reference, kind, record, is_held),
            )
            for finding in findings:
                await tx.execute(
                    """
                    INSERT INTO registry_findings (project_id, report_id, reference, field, sent, received)
                    VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
                    """,
                    (*self._key, reference, *finding),
                )

    async def list_superseded(self, kind: str, own: Sequence[str]) -> list[tuple[int, str, str]]:
        """The records of a kind that the chain has there other than its own: report, reference and id."""
        async with self._database.read() as tx:
            return await tx.tuples(
                """
                SELECT made.report_id, made.reference, made.record_id
                  FROM reports own
                  JOIN reports r ON (r.project_id, r.chain_id) = (own.project_id, own.chain_id)
                  JOIN report_submissions s ON (s.project_id, s.report_id) = (r.project_id, r.id)
                  JOIN report_submissions of_own
                    ON (of_own.project_id, of_own.report_id) = (own.project_id, own.id)
                   AND of_own.registry_id = s.registry_id
                  JOIN registry_records made ON (made.project_id, made.report_id) = (r.project_id, r.id)
                 WHERE own.project_id = %s AND own.id = %s AND made.kind = %s
                   AND made.removed_at IS NULL AND made.reference <> ALL (%s)
                 ORDER BY made.report_id, made.reference
                """,
                (*self._key, kind, [*own]),
            )

    async def note_removed(self, report: int, reference: str) -> None:
        """Write down that a record is not there any more."""
        async with self._database.write() as tx:
            await tasks.lock_current_attempt(tx, self._attempt)
            await tx.execute(
                """
                UPDATE registry_records SET removed_at = clock_timestamp()
                 WHERE project_id = %s AND report_id = %s AND reference = %s
                """,
                (self._attempt.project_id, report, reference),
            )


class CertifyClient:
    """Calls one registry by the paths of its interface; with a journal, each call is written down."""

    def __init__(
        self, client: OutgoingClient, registry: CalledRegistry, journal: CallJournal | None = None
    ) -> None:
        self._client = client
        self._registry = registry
        self._journal = journal

    @property
    def registry(self) -> CalledRegistry:
        """The registry that is called."""
        return self._registry

    async def read(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """Read a path; None where there is nothing."""
        whole = f"{path}?{urlencode(query)}" if query else path
        try:
            return await self._call("GET", whole, None, None)
        except RefusedCallError as refusal:
            if refusal.status == _NOTHING:
                return None
            raise

    async def list(
        self, path: str, query: Mapping[str, str] | None = None, *, names_size: bool = True
    ) -> AsyncIterator[Any]:
        """Read all records of a list, page by page; the first by the path alone if not `names_size`."""
        cursor: str | None = None
        while True:
            size = {"first": str(PAGE_SIZE)} if names_size or cursor else {}
            position = size | ({"after": cursor} if cursor else {})
            page = await self.read(path, {**(query or {}), **position})
            for node in (page or {}).get("nodes", ()):
                yield node
            info = (page or {}).get("page_info") or {}
            if not info.get("has_next_page") or info.get("end_cursor") in {None, cursor}:
                return
            cursor = info["end_cursor"]

    async def write(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        *,
        reference: str | None = None,
        noted: Any = None,
    ) -> Any:
        """Send something that changes the registry; written down before it leaves."""
        return await self._call(method, path, body, reference, noted=noted)

    async def upload(self, address: str, content_type: str, content: bytes, reference: str) -> None:
        """Put a file to an address that the registry has signed."""
        shown = urlsplit(address)._replace(query="", fragment="").geturl()
        number = await self._open("PUT", shown, f"{len(content)} bytes", reference, None)
        request = OutgoingRequest(
            "PUT", address, {"Content-Type": content_type}, content, self._registry.timeout_seconds
        )
        answer = await self._send(request, number)
        if answer.status // 100 != 2:
            await self._close(number, answer.status, "")
            message = f"The store of files of {self._registry.name} answered {answer.status}."
            raise UncertainCallError(message)
        await self._close(number, answer.status, "")

    async def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        reference: str | None,
        *,
        noted: Any = None,
    ) -> Any:
        content = b"" if body is None else _encode(body)
        shown = self.hide(content.decode()) if body is not None else None
        is_read = method == "GET"
        number = None if is_read else await self._open(method, path, shown, reference, noted)
        headers = {**self._registry.headers, "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        address = self._registry.address.rstrip("/") + path
        request = OutgoingRequest(method, address, headers, content, self._registry.timeout_seconds)
        answer = await self._send(request, number)
        text = self.hide(answer.content.decode(errors="replace").replace("\x00", ""))
        if is_read:
            number = await self._open(method, path, None, None, None)
        await self._close(number, answer.status, text)
        return self._read_answer(answer, text)

    async def _send(self, request: OutgoingRequest, number: int | None) -> OutgoingAnswer:
        try:
            return await self._client.send(request)
        except NotSent as error:
            await self._close(number, None, str(error))
            if isinstance(error, OutOfReach):
                raise RefusedCallError(str(error), None) from None
            raise UncertainCallError(str(error)) from None
        except NoAnswer as error:
            await self._close(number, None, str(error))
            raise UncertainCallError(str(error)) from None

    def _read_answer(self, answer: OutgoingAnswer, text: str) -> Any:
        if answer.status // 100 == 2:
            if not answer.content:
                return None
            try:
                return json.loads(answer.content.decode(), parse_float=Decimal, parse_int=Decimal)
            except (ValueError, RecursionError):
                message = f"{self._registry.name} answered {answer.status} with what is no JSON."
                raise UncertainCallError(message) from None
        message = f"{self._registry.name} answered {answer.status}: {shorten(text, 500)}"
        if answer.status // 100 == 4 and answer.status not in _COME_AGAIN:
            raise RefusedCallError(message, answer.status)
        raise UncertainCallError(message, answer.headers.get("retry-after"))

    def hide(self, text: str) -> str:
        """A text without what proves who calls, and without the secrets of links and signed addresses."""
        return hide_signatures(self._registry.without_secrets(text))

    async def _open(
        self, method: str, path: str, body: str | None, reference: str | None, noted: Any
    ) -> int | None:
        if self._journal is None:
            return None
        return await self._journal.open_call(method, path, body, reference, noted)

    async def _close(self, number: int | None, status: int | None, text: str) -> None:
        if self._journal is not None and number is not None:
            await self._journal.close_call(number, status, text)
